// My seat and my place in the queue: the bar that leads back, and the way to the table once a match is found.
import { $, $$, text } from '../lib/dom.js';
import { t } from '../lib/i18n.js';

const OTHERS_FIRST = 900;
let leaving = false;

const tablePath = (code) => `/tables/${encodeURIComponent(code)}/`;

export function showSeat(code) {
  const bar = $('#seat-bar');
  if (bar) {
    bar.hidden = !code || !$('#match')?.hidden;
    text($('[data-seat-code]', bar), code ?? '');
  }
  if (code) for (const link of $$('[data-seat-link]')) link.href = tablePath(code);
}

// Of several pages of one player, one goes to the table: the one he sees; the others show him the way.
const others = 'BroadcastChannel' in window ? new BroadcastChannel('paishe.match') : null;
others?.addEventListener('message', (event) => { if (document.hidden && event.data?.going) leaving = true; });

export function goToTable(code) {
  showFound(code);
  if (leaving) return;
  setTimeout(() => {
    if (leaving) return;
    leaving = true;
    others?.postMessage({ going: code });
    location.assign(tablePath(code));
  }, document.hidden ? OTHERS_FIRST : 0);
}

function showFound(code) {
  const found = $('#match');
  if (!found) return;
  found.hidden = false;
  document.title = t('Match found. Your table is ready.');
  const waits = $('#waits');
  if (waits) waits.hidden = true;
  showSeat(code);
}

// Without a line a page that waits asks as one without scripts would; that counts as a sign of life, too.
export async function askOnce(page) {
  const answer = await fetch(page, { redirect: 'manual', cache: 'no-store' }).catch(() => null);
  if (answer?.type === 'opaqueredirect') location.assign(page);
}
