// Above the trick where a landlord plays: the bottom, a shown card, what the deal is worth with every cause, and the cards still unseen.
import { $, attr, h, put, still, text } from '../lib/dom.js';
import { figure, t } from '../lib/i18n.js';
import { face, rankName, rankOf, split } from './cards.js';
import { isBlind } from './auction.js';
import { nameOf } from './model.js';
import { factorWords, stepSigns } from './reckoning.js';

const RANKS = ['RJ', 'BJ', '2', 'A', 'K', 'Q', 'J', 'T', '9', '8', '7', '6', '5', '4', '3'];
const JOKERS = { RJ: ['★', () => t('Big joker')], BJ: ['☆', () => t('Small joker')] };
const BACKS = 3;
const COUNT_MS = 220;

export class Stakes {
  constructor(box, counter, coins) {
    Object.assign(this, { box, counter, coins });
    this.shown = '';
    this.value = null;
  }

  draw(view) {
    const three = view.seats.length === 3;
    const state = view.phase === 'playing' ? view.deal?.state : null;
    const bottom = state ? state.bottom : view.result?.bottom;
    this.box.hidden = !three;
    this.#cards(view, state, three ? bottom : '');
    this.#multiplier(view, three ? state : null);
    this.#counter(state, three && state?.phase === 'play');
  }

  #cards(view, state, bottom) {
    const shown = state && state.phase !== 'play' ? state.shown : null;
    const key = `${bottom}|${shown}|${state?.base_score}|${state?.landlord}`;
    if (key === this.shown) return;
    this.shown = key;
    const hidden = state && bottom === null;
    $('#bottom-box').hidden = !hidden && !bottom;
    const alone = state && bottom && state.landlord === view.me && isBlind(view.deal);
    text($('#bottom-label'), alone ? t('Yours alone') : t('Bottom'));
    put($('#bottom'), hidden ? Array.from({ length: BACKS }, () => h('span', { class: 'card back' })) : split(bottom).map(face));
    attr($('#bottom'), 'role', hidden ? 'img' : null);
    attr($('#bottom'), 'aria-label', hidden ? t('Three cards, face down') : null);
    $('#shown-box').hidden = !shown;
    put($('#shown'), shown ? face(shown) : null);
  }

  // --- what it is worth ----------------------------------------------------------------------------------
  #multiplier(view, state) {
    const stakes = view.deal?.stakes ?? null;
    const box = $('#mult');
    box.hidden = !state || !stakes;
    if (box.hidden) { this.value = null; if (!$('#why-x').hidden) $('#why-x').hidden = true; return; }
    const worth = worthOf(view, stakes);
    box.classList.toggle('both', worth.both ?? false);
    const key = JSON.stringify([stakes, worth.small]);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    const number = $('b', box);
    if (this.value !== null && worth.value > this.value && !still()) countUp(number, this.value, worth.value, worth.words);
    else text(number, worth.words);
    this.value = worth.value;
    put($('small', box), worth.small, worth.more && h('span', { class: 'wide-only' }, ' ' + worth.more));
    attr($('#mult-open'), 'aria-label', t('Multiplier {x}: show why', { x: worth.words }));
    put($('#why-x'), this.#causes(view, stakes));
  }

  #causes(view, stakes) {
    const { terms } = view;
    const who = (seat) => (seat === view.me ? t('you') : nameOf(view, seat));
    const coins = terms.currency === 'coins';
    const worth = (score) => figure(score * (coins ? terms.base_stake : 1));
    const line = (heading, small, value) => h('tr', {}, h('td', {}, heading, small && h('small', {}, small)), h('td', {}, value));
    const landlord = view.deal.state.landlord;
    const farmers = stakes.score.map((_, seat) => seat).filter((seat) => seat !== landlord);
    const even = new Set(farmers.map((seat) => stakes.score[seat])).size === 1;
    const rows = stakes.rows.flatMap((row) => (row.cause === 'ladder'
      ? row.steps.flatMap((steps, seat) => (steps ? [line(t('The ladder'), `${who(seat)}: ${stepSigns(steps)}`, '×' + 2 ** steps)] : []))
      : [line(...factorWords(row, who), '×' + figure(row.values.find((value) => value !== null)))]));
    const spring = { spring: t('Spring'), anti_spring: t('Anti-spring') };
    const open = stakes.possible.map((cause) => spring[cause] ?? cause);
    return [
      h('table', { class: 'sum' },
        coins && line(t('Base stake'), '', figure(terms.base_stake)),
        rows,
        open.length ? line(open.join(' · '), t('still possible'), '×2') : line(`${spring.spring} · ${spring.anti_spring}`, t('no longer possible'), '–'),
        even ? line(t('Each farmer wins or loses'), '', worth(stakes.score[farmers[0]])) : farmers.map((seat) => line(seat === view.me ? t('You win or lose') : t('{name} wins or loses', { name: nameOf(view, seat) }), '', worth(stakes.score[seat])))),
      h('p', { class: 'small muted' }, t('Landlord {n}.', { n: worth(stakes.score[landlord]) }), ' ', coins && terms.cap ? t('Nobody can lose more than {n} in this deal.', { n: figure(terms.cap) }) : ''),
    ];
  }

  // --- what I have not seen ----------------------------------------------------------------------------------
  #counter(state, open) {
    const unseen = open ? state.unseen : null;
    this.counter.hidden = !open;
    if (!open || this.counter.dataset.key === unseen) return;
    this.counter.dataset.key = unseen;
    const count = new Map();
    for (const card of split(unseen)) count.set(rankOf(card), (count.get(rankOf(card)) ?? 0) + 1);
    put(this.counter, RANKS.map((rank) => {
      const n = count.get(rank) ?? 0;
      const joker = JOKERS[rank];
      return h('li', { class: n === 0 ? 'gone' : n === 4 ? 'four' : '' }, joker ? h('span', { role: 'img', 'aria-label': joker[1]() }, joker[0]) : h('span', {}, rankName(rank)), h('b', {}, String(n)));
    }));
  }
}

// What stands on the button: the factor of my pair, or of both where they differ; beneath it in coins.
function worthOf(view, stakes) {
  const { landlord, phase } = view.deal.state;
  const coins = view.terms.currency === 'coins' ? view.terms.base_stake : 1;
  const [one, other] = stakes.score.map((score, seat) => [seat, score]).filter(([seat]) => seat !== landlord);
  if (phase !== 'play') {
    const cause = stakes.rows.find((row) => row.seat === landlord)?.cause;
    const base = one[1] / 2 ** (stakes.pairs.find((pair) => pair.farmer === one[0])?.steps ?? 0);
    return { value: base, words: '×' + figure(base), small: cause === 'blind' ? t('blind') : t('base score') };
  }
  const mine = [one, other].find(([seat]) => seat === view.me);
  if (mine || one[1] === other[1]) {
    const score = (mine ?? one)[1];
    return { value: score, words: '×' + figure(score), small: figure(score * coins), more: mine && one[1] !== other[1] ? t('at stake') : t('a farmer') };
  }
  return { value: one[1] + other[1], words: `×${figure(one[1])} · ×${figure(other[1])}`, small: figure((one[1] + other[1]) * coins), more: t('in all'), both: true };
}

function countUp(element, from, to, last) {
  const begun = performance.now();
  const step = (now) => {
    const done = Math.min(1, (now - begun) / COUNT_MS);
    element.textContent = done < 1 ? '×' + figure(Math.round(from + (to - from) * done)) : last;
    if (done < 1 && element.isConnected) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
