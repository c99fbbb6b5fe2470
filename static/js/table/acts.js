// One line that says why, one row that does. A button that cannot act keeps its place and its reason.
import { attr, h, icon, put, text } from '../lib/dom.js';
import { list, minutes, parts, t } from '../lib/i18n.js';
import { answers, inAuction, why as auctionWhy } from './auction.js';
import { myTurn, nameOf, standing } from './model.js';
import { comboName } from './words.js';

export class Acts {
  constructor(why, row, on) {
    this.why = why; this.row = row;
    const make = (name, { main = false, key = null, sign = null, label, small = null }) => {
      const words = h('span', { class: small ? 'wide-only' : '' }, label);
      const box = h('button', { class: main ? 'btn main' : 'btn', type: 'button', hidden: true, 'aria-keyshortcuts': key, 'data-act': name, on: { click: () => { if (box.getAttribute('aria-disabled') !== 'true') on(name); } } },
        sign && h('i', { class: `ico ico-${sign} wide-only`, 'aria-hidden': 'true' }), words, small && h('span', { class: 'phone-word' }, small), key && h('kbd', { 'aria-hidden': 'true' }, key));
      return { box, words };
    };
    this.buttons = {
      hint: make('hint', { key: 'H', sign: 'hint', label: t('Hint') }),
      pass: make('pass', { key: 'P', label: t('Pass') }),
      play: make('play', { main: true, key: 'Enter', label: t('Play') }),
      sort: make('sort', { key: 'S', sign: 'sort', label: t('By rank'), small: t('Sort') }),
      trustee: make('trustee', { sign: 'bot', label: t('Trustee') }),
      resume: make('resume', { main: true, label: t('Take over') }),
      stand: make('stand', { label: t('Stand up') }),
      receipt: make('receipt', { key: 'R', label: t('Show receipt'), small: t('Show') }),
      start: make('start', { main: true, key: 'Enter', label: t('Start') }),
      here: make('here', { main: true, label: t('Play here') }),
    };
    this.extra = [];
    this.on = on;
    row.replaceChildren(...Object.values(this.buttons).map((b) => b.box));
    attr(this.buttons.play.box, 'aria-describedby', 'why');
  }

  // `now` is {view, offers, picked, line, warning, busy, left (ms of clock), start (ms), order, folded}
  draw(now) {
    const plan = planOf(now);
    const shown = new Set(plan.buttons);
    for (const [name, { box }] of Object.entries(this.buttons)) {
      if (box.hidden === shown.has(name)) box.hidden = !shown.has(name);
      const off = plan.off?.has(name) ?? false;
      attr(box, 'aria-disabled', off ? 'true' : null);
    }
    text(this.buttons.sort.words, now.order === 'suit' ? t('By suit') : t('By rank'));
    if (shown.has('start')) text(this.buttons.start.words, startLabel(now));
    this.#extras(plan.acts ?? []);
    this.#say(plan.why);
  }

  #extras(acts) {
    const key = acts.map((a) => `${a.action}${a.off}`).join('|');
    if (key === this.shownExtras) return;
    this.shownExtras = key;
    for (const box of this.extra) box.remove();
    this.extra = acts.map((act) => h('button', { class: act.main ? 'btn main' : 'btn', type: 'button', 'data-say': act.action, 'aria-disabled': act.off ? 'true' : null, 'aria-keyshortcuts': act.off ? null : act.key, title: act.off ?? null, on: { click: () => { if (!act.off) this.on('act', act.action); } } },
      act.sign && h('i', { class: `ico ico-${act.sign}`, 'aria-hidden': 'true' }), h('span', {}, act.label), !act.off && h('kbd', { 'aria-hidden': 'true' }, act.key)));
    this.row.prepend(...this.extra);
    this.row.classList.toggle('answers-row', acts.length > 0);
  }

  #say([sign, content]) {
    const nodes = [content].flat(Infinity);
    const key = sign + nodes.map((n) => (typeof n === 'string' ? n : n.outerHTML)).join('');
    if (key === this.said) return;
    this.said = key;
    put(this.why, icon(sign), h('span', {}, nodes));
    this.why.hidden = nodes.length === 0;
  }

  is(name) { const { box } = this.buttons[name]; return !box.hidden && box.getAttribute('aria-disabled') !== 'true'; }
}

const strong = (words) => h('b', {}, words);
const startLabel = ({ view, start }) => [view.result || view.deal ? t('Next deal') : t('Start'), start === null ? '' : String(Math.ceil(start / 1000))].filter(Boolean).join('  ');

function planOf(now) {
  const { view, line } = now;
  if (line === 'replaced') return { why: ['warn', t('Opened in a newer tab; this one is read-only.')], buttons: ['here'] };
  if (line === 'closed') return { why: ['offline', t('The line is closed.')], buttons: [] };
  if (!view) return { why: ['clock', line === 'lost' ? t('No connection. Trying again…') : t('Taking you to the table')], buttons: [] };
  const plan = view.phase === 'playing' ? playing(now) : view.phase === 'between' ? between(now) : { why: ['flag', t('This table is closed.')], buttons: [] };
  if (line === 'lost') return { ...plan, why: ['offline', t('No connection. Trying again…')] };
  if (now.warning) return { ...plan, why: ['warn', now.warning] };
  return plan;
}

function between(now) {
  const { view, folded } = now;
  const buttons = [];
  if (view.can.stand) buttons.push('stand');
  if (folded) buttons.push('receipt');
  if (view.can.ready) buttons.push('start');
  const empty = view.seats.filter((seat) => !seat).length;
  const waiting = view.seats.flatMap((seat, i) => (seat && !seat.ready && i !== view.me ? [nameOf(view, i)] : []));
  if (view.me === null) return { why: ['eye', t('You are looking on.')], buttons };
  if (view.can.ready) return { why: ['flag', empty ? t('Press start; the deal begins when all seats are taken.') : t('Press start when you are ready.')], buttons };
  if (empty) return { why: ['clock', t('Waiting for more players.')], buttons };
  if (waiting.length) return { why: ['clock', t('Waiting for {names}', { names: list(waiting) })], buttons };
  return { why: ['clock', t('The deal begins.')], buttons };
}

function playing(now) {
  const { view } = now;
  if (view.me === null) return { why: turnLine(now), buttons: [] };
  const mine = view.seats[view.me];
  if (mine?.trustee) return { why: ['bot', t('The trustee plays for you. Any move of yours ends it.')], buttons: ['resume', 'sort'] };
  if (mine?.away) return { why: ['bot', t('The computer plays for you.')], buttons: ['resume', 'sort'] };
  if (!myTurn(view)) return { why: turnLine(now), buttons: [...(view.deal.state.hand === null ? [] : ['sort']), ...(view.can.trustee ? ['trustee'] : [])] };
  if (!inAuction(view)) return plays(now);
  if (now.busy) return { why: ['clock', t('Sending…')], buttons: [], acts: answers(view).map((answer) => ({ ...answer, off: t('Sending…') })) };
  return { why: auctionWhy(view, now.coins), buttons: [], acts: answers(view) };
}

function turnLine({ view, lost }) {
  const seat = view.deal?.state.turn;
  if (seat === null || seat === undefined) return ['clock', t('The deal is over.')];
  const name = nameOf(view, seat);
  if (lost?.[seat] !== undefined && lost[seat] !== null) {
    return ['offline', view.deal.clock?.paused === false ? t('{name} lost connection.', { name }) : t('{name} lost connection; the table waits {time}.', { name, time: minutes(lost[seat]) })];
  }
  return view.me === null ? ['eye', t('You look on. {name} is thinking', { name })] : ['clock', t('{name} is thinking', { name })];
}

function plays(now) {
  const { view, offers, picked, busy, left } = now;
  const off = new Set();
  const buttons = [...(offers.any ? ['hint'] : []), 'pass', 'play', 'sort'];
  if (!view.can.acts.includes('pass')) off.add('pass');
  const type = picked.length ? offers.typeOf(picked) : null;
  if (!type || busy) off.add('play');
  if (busy) { off.add('pass'); return { buttons, off, why: ['clock', t('Sending…')] }; }
  if (type) return { buttons, off, why: ['check', parts('Ready: {combo}', { combo: strong(comboName(type, picked)) })] };
  const must = mustBeat(now);
  if (picked.length) return { buttons, off, why: ['warn', parts('These cards can’t be played now. {must}', { must })] };
  if (left === 0) return { buttons, off, why: ['clock', t('Time is up: one last second.')] };
  return { buttons, off, why: [offers.any ? 'flag' : 'warn', must] };
}

// What binds me at this moment, in one sentence.
export function mustBeat({ view, offers }) {
  const top = standing(view);
  const next = (view.me + 1) % view.seats.length;
  if (view.deal.duty === '3d') return parts('Your first play must contain the {card}', { card: strong(t('3 of diamonds')) });
  if (view.deal.duty === 'last_card') {
    const name = nameOf(view, next);
    return offers.any || !top
      ? parts('{name} has one card left: {duty}', { name, duty: strong(top ? t('you must play if you can, a single only as your highest') : t('a single must be your highest')) })
      : parts('{name} has one card left, but {nothing}', { name, nothing: strong(t('nothing of yours beats the table')) });
  }
  if (!top) return parts('You lead: {any}', { any: strong(t('play any combination')) });
  const combo = strong(comboName(top.type, top.cards));
  if (!offers.any) return parts('Nothing of yours beats the {combo}', { combo });
  return parts('To beat: {combo} by {name}', { combo, name: nameOf(view, top.seat) });
}
