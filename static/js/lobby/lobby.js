// The lobby: a number of my own for the draw goes with each wish to sit; the anti-cheat switch hides other rooms.
import { $, $$ } from '../lib/dom.js';
import { preferences } from '../lib/keep.js';

const hex = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
document.addEventListener('submit', (event) => {
  for (const field of $$('[data-nonce]', event.target)) field.value = hex();
}, true);

const only = $('#safe-only');
if (only) {
  const show = () => document.body.classList.toggle('safe-only', only.checked);
  only.checked = preferences.get('safe-only', false);
  show();
  only.addEventListener('change', () => { preferences.set('safe-only', only.checked); show(); });
}
