// Reading a view. Only bookkeeping: what may be played stands in `view.can`, never worked out here.
import { t } from '../lib/i18n.js';
import { rankOf, split } from './cards.js';

// Seats round the table as I see them: the next player to my right. A spectator looks from seat 0.
const PLACES = { 4: ['s', 'e', 'n', 'w'], 3: ['s', 'e', 'w'], 2: ['s', 'n'] };
export function places(view) {
  const n = view.seats.length;
  const from = view.me ?? 0;
  return Object.fromEntries(view.seats.map((_, seat) => [seat, PLACES[n][(seat - from + n) % n]]));
}

export function nameOf(view, seat) {
  const name = view.seats[seat]?.name;
  return name || t('Seat {n}', { n: seat + 1 });
}
export const others = (view) => view.seats.map((_, seat) => seat).filter((seat) => seat !== view.me);
export const myTurn = (view) => view.me !== null && view.deal !== null && view.phase === 'playing' && view.deal.state.turn === view.me;
export const mySeat = (view) => (view.me === null ? null : view.seats[view.me]);
export const hand = (view) => split(view.deal?.state.hand);
export const standing = (view) => view.deal?.state.standing ?? null;

// The plays on offer, by the positions of their cards ("01" → pair). Positions count from 0 in the hand as sent.
export class Offers {
  #types = new Map(); #alike = null;
  constructor(view) {
    this.hand = hand(view);
    this.suits = view.can.suits !== false;
    for (const [type, plays] of Object.entries(view.can.plays ?? {})) {
      for (const play of plays) if (!this.#types.has(play)) this.#types.set(play, type);
    }
    if (!this.suits) this.#alike = new Map([...this.#types.keys()].map((play) => [this.#ranks(this.#cards(play)), play]));
  }
  get any() { return this.#types.size > 0; }
  // The type of exactly these cards if they may be played now, else null.
  typeOf(cards) { return this.#types.get(this.#key(cards)) ?? null; }
  // Have these plays come first.
  prefer(plays) {
    const first = plays.filter((play) => this.#types.has(play)).map((play) => [play, this.#types.get(play)]);
    this.#types = new Map([...first, ...[...this.#types].filter(([play]) => !plays.includes(play))]);
  }
  // One play after another, round and round, beginning after `last`.
  after(last) {
    const keys = [...this.#types.keys()];
    const at = last ? keys.indexOf(this.#key(last)) : -1;
    return keys.length ? this.#cards(keys[(at + 1) % keys.length]) : [];
  }
  // The record's text of an act: cards in the order of the hand.
  action(cards) { return 'play ' + this.#sorted(cards).join(' '); }
  #sorted(cards) { return this.hand.filter((card) => cards.includes(card)); }
  #cards(play) { return [...play].map((digit) => this.hand[parseInt(digit, 36)]); }
  #ranks(cards) { return this.#sorted(cards).map(rankOf).join(); }
  // The play on offer that these cards are; where suits do not count, any of the same ranks.
  #key(cards) {
    if (this.#alike) return this.#alike.get(this.#ranks(cards)) ?? '';
    return this.#sorted(cards).map((card) => this.hand.indexOf(card).toString(36)).join('');
  }
}

// A colour for a name: the one the pages give it (CRC-32, games/templatetags/house.py), or the next that is free at this table.
const HUES = 12;
const hues = new Map();
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
export const ownHue = (name) => crc32(new TextEncoder().encode(name)) % HUES;
export function hue(name) {
  if (!hues.has(name)) {
    const taken = new Set(hues.values());
    let own = ownHue(name);
    for (let tries = 0; taken.has(own) && tries < HUES; tries += 1) own = (own + 5) % HUES;
    hues.set(name, own);
  }
  return hues.get(name);
}
export const initial = (name) => [...name.trim()][0]?.toUpperCase() ?? '·';
