// The rows of the tiers: who plays, who waits, and which doors a balance opens.
import { $, $$, text } from '../lib/dom.js';
import { figure, t, tn } from '../lib/i18n.js';

const rows = new Map($$('[data-tier]').map((row) => [row.dataset.tier, row]));

export const label = (code) => rows.get(code)?.dataset.label ?? '';
export const stake = (code) => rows.get(code)?.dataset.stake ?? '';

export function showTier(code, now) {
  const row = rows.get(code);
  if (!row) return;
  const online = $('[data-online]', row);
  online.classList.toggle('none', !now.players);
  text($('b', online), figure(now.players));
  const queue = $('[data-queue]', row);
  if (queue) { queue.hidden = !now.waiting; text($('b', queue), figure(now.waiting)); }
  row.dataset.open = now.open ? 'yes' : 'no';
}

export function reasonOf(row, balance) {
  if (row.dataset.open === 'no') return 'closed';
  return balance !== null && row.dataset.entry !== undefined && balance <= Number(row.dataset.entry) ? 'entry_limit' : null;
}
export function isLocked(code, balance) {
  const row = rows.get(code);
  return !row || reasonOf(row, balance) !== null;
}

export function showDoors(balance, newcomer) {
  for (const row of rows.values()) {
    const reason = reasonOf(row, balance);
    $('[data-free]', row).hidden = reason !== null;
    for (const why of $$('[data-locked]', row)) why.hidden = why.dataset.locked !== reason;
  }
  for (const game of $$('.game')) suggest($$('[data-tier]', game).filter((row) => reasonOf(row, balance) === null), game, newcomer);
}

// The filled button: practice for a newcomer, else the dearest room open to him where nobody has to be waited for.
function suggest(free, game, newcomer) {
  const practice = free.filter((row) => 'practice' in row.dataset);
  const played = free.filter((row) => !('practice' in row.dataset));
  const plain = played.filter((row) => !row.classList.contains('safe'));
  const best = practice.length && (newcomer || !played.length) ? practice : plain.length ? plain : played;
  for (const row of $$('[data-tier]', game)) row.classList.toggle('rec', row === best.at(-1));
}

export function showBusy({ people, tables, here }) {
  const line = $('#busy');
  if (line) text(line, busyLine(people, here, { h: figure(here), m: figure(people), t: figure(tables) }));
}
function busyLine(people, here, figures) {
  if (people) return tn('{h} person is here, at a table.', '{h} people are here, {m} of them at {t} tables.', here, figures);
  if (here) return tn('{h} person is here, not at a table yet.', '{h} people are here, none at a table yet.', here, figures);
  return t('The room is quiet. Be the first to sit down.');
}
