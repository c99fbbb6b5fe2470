// The keys of the table. Never while typing; all can be switched off.
import { preferences } from '../lib/keep.js';
import { rankOf } from './cards.js';

const RANK_KEYS = { 0: 'T', J: 'J', Q: 'Q', K: 'K', A: 'A' };
const BUSY = 'input, textarea, select, [role="tab"], dialog[open] *, .pop:not([hidden]) *';

export class Keys {
  constructor({ act, hand, bids }) {
    Object.assign(this, { act, hand, bids });
    this.on = preferences.get('keys', true);
    document.addEventListener('keydown', (event) => this.#take(event));
  }
  set(on) { this.on = on; preferences.set('keys', on); }

  #take(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = event.target instanceof Element ? event.target : document.body;
    if (document.querySelector('dialog[open]') || at.matches(BUSY)) return;
    const inHand = at.closest('.hand') !== null;
    const free = inHand || !at.matches('button, a, summary');
    if (event.key === 'Enter') { if (free && this.act('enter')) event.preventDefault(); return; }
    if (event.key === 'Escape') { this.act('drop'); return; }
    if (!this.on) return;
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (this.#letter(key) || this.#bid(key, inHand) || this.#rank(key)) event.preventDefault();
  }

  #letter(key) {
    const name = { P: 'pass', H: 'hint', S: 'sort', C: 'chat', L: 'leave', R: 'fold', '?': 'keys' }[key];
    return name ? this.act(name) !== false : false;
  }
  // While a word is asked for: its figure, or 0 for no and 1 for yes. In the hand the ranks come first.
  #bid(key, inHand) { return !inHand && /^[0-3]$/.test(key) && this.bids(key); }
  #rank(key) {
    const rank = RANK_KEYS[key] ?? (/^[2-9]$/.test(key) ? key : null);
    return rank !== null && this.hand.jump(rankOf(rank + 'd'));
  }
}
