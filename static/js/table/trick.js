// The middle of the cloth: each seat's last act in this trick, the standing combo framed and named; after a deal all hands open.
import { attr, h, put } from '../lib/dom.js';
import { t, tn } from '../lib/i18n.js';
import { byRank, face, split } from './cards.js';
import { middle } from './auction.js';
import { nameOf, places, standing } from './model.js';
import { comboTitle } from './words.js';

export class Trick {
  constructor(box) {
    this.box = box;
    this.cells = Object.fromEntries([...box.querySelectorAll('.play')].map((cell) => [cell.dataset.place, cell]));
    this.shown = {};
    this.asked = '';
    this.name = box.getAttribute('aria-label');
  }

  draw(view) {
    const at = places(view);
    const open = view.phase !== 'playing' && view.result?.hands ? view.result.hands : null;
    this.box.classList.toggle('opened', Boolean(open));
    const seen = new Set();
    for (const [seat, place] of Object.entries(at)) {
      seen.add(place);
      const [key, kind, children] = open ? this.#open(view, Number(seat), open) : this.#act(view, Number(seat));
      if (this.shown[place] === key) continue;
      this.shown[place] = key;
      this.cells[place].className = `play ${place} ${kind}`;
      put(this.cells[place], children());
    }
    for (const place of Object.keys(this.cells)) if (!seen.has(place)) { this.shown[place] = ''; put(this.cells[place]); }
    this.#middle(view);
  }

  // Before the play a question or the ladder stands where the tricks will lie.
  #middle(view) {
    const [key, make] = middle(view) ?? ['', null];
    if (this.asked === key) return;
    this.asked = key;
    this.question?.remove();
    this.question = make ? make() : null;
    if (this.question) this.box.append(this.question);
    for (const other of this.box.children) if (other !== this.question) other.hidden = Boolean(this.question);
    attr(this.box, 'aria-label', this.question ? t('Before the play') : this.name);
  }

  #act(view, seat) {
    const act = view.phase === 'playing' ? view.seats[seat]?.last : null;
    if (!act) return ['', '', () => []];
    if (act.act === 'pass') return ['pass', 'passed', () => [h('span', { class: 'said' }, t('Pass'))]];
    if (act.act !== 'play') return ['', '', () => []]; // what was said before the play stands at the seats
    const top = standing(view);
    const stands = top !== null && top.seat === seat && top.cards === act.cards;
    const by = seat === view.me ? t('by you') : t('by {name}', { name: nameOf(view, seat) });
    return [`${act.cards}|${stands}`, stands ? 'standing' : 'beaten', () => [
      run(split(act.cards)),
      stands && h('span', { class: 'cap' }, h('span', {}, comboTitle(act.type, act.cards)), h('small', {}, by)),
    ]];
  }

  #open(view, seat, hands) {
    const cards = split(hands[seat]).sort(byRank);
    return [`open|${hands[seat]}`, 'opened', () => [
      cards.length > 0 && run(cards),
      h('span', { class: cards.length ? 'said small' : 'said' }, h('span', { class: 'phone-word' }, view.result.names?.[seat] || nameOf(view, seat), h('br')), cards.length ? tn('{n} card left', '{n} cards left', cards.length) : t('Went out')),
    ]];
  }

  cell(place) { return this.cells[place]; }
}

function run(cards) {
  return h('div', { class: 'run', vars: { '--n': cards.length } }, cards.map(face));
}
