// My cards: a listbox with a roving tab stop. Tap or drag across picks; arrows move, Space picks, a rank key jumps.
import { attr, h, setVars } from '../lib/dom.js';
import { t, tn } from '../lib/i18n.js';
import { preferences } from '../lib/keep.js';
import { byRank, bySuit, cardName, rankOf } from './cards.js';

const ORDERS = { rank: byRank, suit: bySuit };
const MOVES = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

export class Hand extends EventTarget {
  #cards = new Map(); #picked = new Set(); #order = preferences.get('order', 'rank'); #deal = null; #drag = null;

  constructor(box) {
    super();
    this.box = box;
    box.addEventListener('pointerdown', (event) => this.#press(event));
    box.addEventListener('pointermove', (event) => this.#across(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) box.addEventListener(end, () => { this.#drag = null; });
    box.addEventListener('click', (event) => { if (event.detail === 0) this.#toggle(event.target.closest('.card')); });
    box.addEventListener('keydown', (event) => this.#key(event));
  }

  // --- drawing ------------------------------------------------------------------------------------
  draw(cards, { deal, idle = false, backs = 0 }) {
    if (deal !== this.#deal) { this.#deal = deal; this.#picked.clear(); }
    for (const card of this.#picked) if (!cards.includes(card)) this.#picked.delete(card);
    this.cards = [...cards].sort(ORDERS[this.#order]);
    const focused = document.activeElement?.closest?.('.hand .card')?.dataset.card;
    for (const [card, box] of this.#cards) if (!cards.includes(card)) { box.remove(); this.#cards.delete(card); }
    const boxes = backs ? this.#backs(backs) : this.cards.map((card) => this.#box(card));
    this.down = backs > 0;
    if (boxes.some((box, i) => this.box.children[i] !== box) || this.box.children.length !== boxes.length) {
      this.box.replaceChildren(...boxes);
      if (focused) this.#cards.get(focused)?.focus({ preventScroll: true });
    }
    boxes.forEach((box, i) => setVars(box, { '--i': i }));
    setVars(this.box, { '--n': Math.max(2, boxes.length) });
    this.box.classList.toggle('idle', idle);
    attr(this.box, 'role', backs ? 'img' : 'listbox');
    for (const [name, value] of [['aria-multiselectable', 'true'], ['aria-orientation', 'horizontal']]) attr(this.box, name, backs ? null : value);
    attr(this.box, 'aria-label', backs ? t('Your hand, {n} cards, face down', { n: backs }) : tn('Your hand, {n} card', 'Your hand, {n} cards', boxes.length));
    this.#stops();
    this.#mark();
  }

  #box(card) {
    if (!this.#cards.has(card)) {
      this.#cards.set(card, h('button', { class: 'card', type: 'button', role: 'option', 'aria-selected': 'false', tabindex: '-1', 'data-card': card, 'aria-label': cardName(card) }));
    }
    return this.#cards.get(card);
  }
  #backs(n) { return this.down && this.box.children.length === n ? [...this.box.children] : Array.from({ length: n }, () => h('span', { class: 'card back' })); }
  element(card) { return this.#cards.get(card); }

  // --- picking -------------------------------------------------------------------------------------
  get picked() { return this.cards?.filter((card) => this.#picked.has(card)) ?? []; }
  pick(cards) { this.#picked = new Set(cards); this.#mark(); this.#tell(); }
  drop() { if (this.#picked.size) this.pick([]); }

  sort() {
    this.#order = this.#order === 'rank' ? 'suit' : 'rank';
    preferences.set('order', this.#order);
    return this.#order;
  }
  get order() { return this.#order; }

  #set(card, on) {
    if (this.#picked.has(card) === on) return;
    if (on) this.#picked.add(card); else this.#picked.delete(card);
    this.#mark();
    this.#tell();
  }
  #toggle(box) { if (box?.dataset.card) this.#set(box.dataset.card, !this.#picked.has(box.dataset.card)); }
  #mark() { for (const [card, box] of this.#cards) attr(box, 'aria-selected', String(this.#picked.has(card))); }
  #tell() { this.dispatchEvent(new Event('pick')); }

  #press(event) {
    const box = event.target.closest('[role="option"]');
    if (!box || event.button) return;
    const on = !this.#picked.has(box.dataset.card);
    this.#drag = { on, seen: new Set([box]) };
    this.box.setPointerCapture(event.pointerId);
    this.#set(box.dataset.card, on);
    this.#stops(box);
  }
  #across(event) {
    if (!this.#drag) return;
    const box = document.elementFromPoint(event.clientX, event.clientY)?.closest?.('#hand [role="option"]');
    if (!box || this.#drag.seen.has(box)) return;
    this.#drag.seen.add(box);
    this.#set(box.dataset.card, this.#drag.on);
  }

  // --- keys ------------------------------------------------------------------------------------------
  #boxes() { return [...this.box.querySelectorAll('[role="option"]')]; }
  #stops(at = this.#boxes().find((box) => box.tabIndex === 0) ?? this.#boxes()[0]) {
    for (const box of this.#boxes()) if (box.tabIndex !== (box === at ? 0 : -1)) box.tabIndex = box === at ? 0 : -1;
  }
  #go(box) { if (!box) return; this.#stops(box); box.focus({ preventScroll: true }); }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const boxes = this.#boxes();
    const at = boxes.indexOf(document.activeElement);
    if (event.key in MOVES) this.#go(boxes[at + MOVES[event.key]]);
    else if (event.key === 'Home') this.#go(boxes[0]);
    else if (event.key === 'End') this.#go(boxes.at(-1));
    else if (event.key === ' ') this.#toggle(boxes[at]);
    else return;
    event.preventDefault();
  }

  // To the next card of a rank after the one in focus, round and round.
  jump(rank) {
    const boxes = this.#boxes();
    const at = boxes.indexOf(document.activeElement);
    const next = [...boxes.slice(at + 1), ...boxes.slice(0, at + 1)].find((box) => rankOf(box.dataset.card) === rank);
    this.#go(next);
    return Boolean(next);
  }
}
