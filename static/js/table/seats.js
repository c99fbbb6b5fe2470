// The players round the cloth. Each place is built once and changed in place, so that rings and glows run on.
import { attr, h, icon, setVars, text } from '../lib/dom.js';
import { figure, t, tn, minutes } from '../lib/i18n.js';
import { saidTag } from './auction.js';
import { hue, initial, nameOf, places } from './model.js';
import { inScript } from './script.js';
import { titleName } from './titles.js';

const WHERE = {
  n: (name) => t('{name}, opposite', { name }),
  w: (name) => t('{name}, on your left, before you', { name }),
  e: (name) => t('{name}, on your right, after you', { name }),
  s: (name, mine) => (mine ? t('{name}, you', { name }) : name),
};

class Place {
  constructor(box, place) {
    this.box = box; this.place = place; this.mine = false;
    this.ring = h('i', { class: 'ring' });
    this.secs = h('span', { class: 'secs', hidden: true, 'aria-hidden': 'true' });
    this.ava = h('span', { class: 'ava', 'aria-hidden': 'true' });
    this.count = h('span', { class: 'left-count', role: 'img', hidden: true });
    this.mark = h('span', { class: 'mark', lang: 'zh', 'aria-hidden': 'true', hidden: true });
    this.name = h('span', { class: 'who' });
    this.rank = h('span', { class: 'rank', hidden: true });
    this.tags = h('span', { class: 'tags' });
    this.bubble = h('span', { class: 'bubble', hidden: true });
    box.replaceChildren(h('span', { class: 'face' }, this.ring, this.secs, this.ava, this.mark, this.count), this.name, this.rank, this.tags, this.bubble);
    this.shown = '';
  }

  draw(view, seat, person) {
    const it = view.seats[seat];
    this.mine = seat === view.me;
    const turn = view.phase === 'playing' && view.deal?.state.turn === seat;
    const name = it ? it.name || t('Seat {n}', { n: seat + 1 }) : t('Empty seat');
    this.box.hidden = false;
    this.box.classList.toggle('empty-seat', !it);
    this.box.classList.toggle('turn', Boolean(turn));
    this.box.classList.toggle('away', Boolean(it?.away || it?.lost_ms !== null && it?.lost_ms !== undefined));
    const last = it?.count === 1 && view.phase === 'playing';
    this.box.classList.toggle('last-card', last && !this.mine);
    text(this.name, name);
    text(this.ava, it ? (it.computer ? '' : initial(name)) : '');
    this.ava.className = it ? `ava hue-${hue(name)}${it.computer ? ' robot' : ''}` : 'ava none';
    this.count.hidden = this.mine || !it || it.count === null || it.count === undefined || view.phase !== 'playing';
    text(this.count, String(it?.count ?? ''));
    attr(this.count, 'aria-label', tn('{n} card left', '{n} cards left', it?.count ?? 0));
    const role = this.#role(view, seat);
    this.#rank(role, it ? person : null);
    this.#tags(view, it, last);
    const { landlord } = view.deal?.state ?? {};
    const partner = role && !this.mine && view.me !== null && view.me !== landlord && seat !== landlord ? t('your partner') : '';
    attr(this.box, 'aria-label', it ? [WHERE[this.place](name, this.mine), role, partner, turn ? t('to play') : ''].filter(Boolean).join(', ') : t('Empty seat'));
  }

  #role(view, seat) {
    const landlord = view.deal?.state.landlord ?? null;
    this.mark.hidden = landlord === null || landlord === undefined || view.phase !== 'playing';
    if (this.mark.hidden) return '';
    this.mark.className = `mark ${landlord === seat ? 'lord' : 'farmer'}`;
    text(this.mark, inScript(landlord === seat ? '主' : '农'));
    return landlord === seat ? t('Landlord') : t('Farmer');
  }

  // What he is in this deal; else his rank title.
  #rank(role, person) {
    const words = role || (person ? titleName(person.title) : '');
    this.rank.hidden = !words;
    text(this.rank, words);
    attr(this.rank, 'title', !role && words && Number.isInteger(person.points) ? t('{n} points', { n: figure(person.points) }) : null);
  }

  #tags(view, it, last) {
    const tags = [];
    const tag = (kind, sign, words, extra = {}) => tags.push([`${kind}|${sign}|${words}`, () => h('span', { class: `tag ${kind}`, ...extra }, sign && icon(sign), h('span', {}, words))]);
    if (it) {
      if (it.lost_ms !== null && it.lost_ms !== undefined) tag('alarm', 'offline', t('Offline {time}', { time: minutes(it.lost_ms) }), { 'data-lost': '' });
      else if (it.away) tag('alarm', 'offline', t('Away'));
      if (last && !this.mine) tag('gold', 'warn', t('Last card!'));
      const said = view.phase === 'playing' && it.last ? saidTag(it.last.act) : null;
      if (said) tag(said[0], null, said[1]);
      if (it.trustee) tag('', 'bot', t('Trustee'));
      if (view.phase === 'between' && it.ready) tag('', 'check', t('Ready'));
      if (this.mine && view.phase === 'playing') tag(it.time_outs ? 'alarm' : '', 'clock', `${it.time_outs}/3`, { title: t('Time-outs in this deal') });
      else if (it.time_outs) tag('', 'clock', `${it.time_outs}/3`, { title: t('Time-outs in this deal') });
    }
    const key = tags.map(([k]) => k).join();
    if (key === this.shown) return;
    this.shown = key;
    this.tags.replaceChildren(...tags.map(([, make]) => make()));
  }

  // Called some times a second: what is left of the clock, of an absence.
  tick({ left, seconds, hurry, lost }) {
    this.secs.hidden = seconds === null;
    this.box.classList.toggle('hurry', hurry);
    if (seconds !== null) { text(this.secs, String(seconds)); setVars(this.box, { '--left': left.toFixed(4) }); }
    const line = lost === null ? null : this.tags.querySelector('[data-lost] span');
    if (line) text(line, t('Offline {time}', { time: minutes(lost) }));
  }

  say(words, ms) {
    clearTimeout(this.quiet);
    text(this.bubble, words);
    this.bubble.hidden = false;
    this.quiet = setTimeout(() => { this.bubble.hidden = true; }, ms);
  }

  clear() { this.box.hidden = true; }
}

export class Seats {
  constructor(boxes) { this.all = Object.fromEntries(boxes.map((box) => [box.dataset.place, new Place(box, box.dataset.place)])); }

  // `people` has a rank title for each seat where one is known.
  draw(view, people = null) {
    this.at = places(view);
    const used = new Set(Object.values(this.at));
    for (const [place, box] of Object.entries(this.all)) if (!used.has(place)) box.clear();
    for (const [seat, place] of Object.entries(this.at)) this.all[place].draw(view, Number(seat), people?.[seat] ?? null);
  }
  of(seat) { return this.all[this.at?.[seat]]; }
  face(seat) { return this.of(seat)?.box.querySelector('.face') ?? null; }
  names(view) { return (seat) => (seat === view.me ? t('You') : nameOf(view, seat)); }
}
