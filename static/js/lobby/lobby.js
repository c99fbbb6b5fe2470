// The lobby's pages, kept up to date by its socket. A number of my own for the draw goes with each wish to sit.
import { $, $$, text } from '../lib/dom.js';
import { figure } from '../lib/i18n.js';
import { showRail, showTables } from './chairs.js';
import { Line } from './line.js';
import { askOnce, goToTable, showSeat } from './seat.js';
import { showBusy, showDoors, showTier } from './tiers.js';

const ASK_EVERY = 4000;
const page = $('[data-live]');
const house = { tiers: {}, tables: {}, busy: {} };
const me = { balance: 'balanceNow' in (page?.dataset ?? {}) ? Number(page.dataset.balanceNow) : null };
const waitsHere = page?.dataset.waits; // the tier, on the page of those who wait
let waits = page ? 'waits' in page.dataset : false;

// --- wishes
const hex = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
document.addEventListener('submit', (event) => {
  for (const field of $$('[data-nonce]', event.target)) field.value = hex();
}, true);

// --- what the page remembers, where the server can read it
const remember = (name, value) => { document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Lax`; };
const only = $('#safe-only');
only?.addEventListener('change', () => remember('safe_only', only.checked ? 1 : 0));
for (const close of $$('[data-read]')) {
  close.hidden = false;
  close.addEventListener('click', () => { remember('escape_read', close.dataset.read); close.closest('.note').remove(); });
}

// --- the house
function showHouse(news) {
  for (const part of ['tiers', 'tables', 'busy']) Object.assign(house[part], news[part]);
  for (const [code, now] of Object.entries(news.tiers ?? {})) showTier(code, now);
  if (news.busy) showBusy(house.busy);
  if (news.tiers) showDoors(me.balance, 'newcomer' in page.dataset);
  if (news.tables || news.tiers) { showRail(house.tables, me.balance); showTables(house.tables); }
  const count = $('[data-waiting]');
  if (count && house.tiers[waitsHere]) text(count, figure(house.tiers[waitsHere].waiting));
}

// --- what is mine
function showMine(mine) {
  me.balance = mine.balance;
  for (const place of $$('[data-balance]')) text(place, figure(mine.balance));
  const low = $('#low');
  if (low) low.hidden = mine.balance > Number(low.dataset.cheapest);
  showDoors(mine.balance, 'newcomer' in page.dataset);
  showRail(house.tables, mine.balance);
  showSeat(mine.seat);
  const note = $('#waits');
  if (note) note.hidden = !mine.ticket || Boolean(mine.seat);
  const waited = waits;
  waits = Boolean(mine.ticket);
  if (waited && mine.seat) goToTable(mine.seat);
  else if (mine.refused || (waitsHere && !mine.ticket)) location.assign('/waiting/');
}

if (page) {
  const line = new Line();
  let asking = 0;
  line.addEventListener('lobby', (event) => showHouse(event.detail));
  line.addEventListener('you', (event) => showMine(event.detail));
  line.addEventListener('match', (event) => goToTable(event.detail.table));
  line.addEventListener('line', (event) => {
    const { state, code } = event.detail;
    clearInterval(asking);
    if (waitsHere && state !== 'open') asking = setInterval(() => askOnce(location.pathname), ASK_EVERY);
    if (state === 'closed' && (code === 4401 || code === 4403)) location.reload(); // as whom the pages know us now
  });
  line.open();
}
