// What opens over the table: fair deal, the leave menu and its dialogue, settings and keys, and why one is out of the table.
import { $, h, icon, put, text } from '../lib/dom.js';
import { figure, t, tn } from '../lib/i18n.js';
import { preferences } from '../lib/keep.js';
import { isDark, openPop, switchTheme } from '../page.js';
import { shortOf } from './events.js';
import { nameOf } from './model.js';

const spaced = (hex) => hex.replace(/(.{4})(?=.)/g, '$1 ');

// --- fair deal ----------------------------------------------------------------------------------------
export function drawFair(view, nonce) {
  const running = view.deal && view.phase === 'playing';
  const done = !running && view.result;
  const commitment = running ? view.deal.commitment : view.next?.commitment ?? '';
  text($('#fair-short'), commitment.slice(0, 4));
  text($('#fair-title'), running ? t('This shuffle was fixed before you pressed start') : t('The next shuffle is fixed already'));
  const rows = [[t('Commitment'), spaced(commitment)]];
  if (nonce) rows.push([t('Your nonce'), spaced(nonce)]);
  rows.push([t('Seed'), t('shown when the deal is over')]);
  if (done?.seed) rows.push([t('Last deal, commitment'), spaced(done.commitment ?? '')], [t('Last deal, seed'), spaced(done.seed)]);
  put($('#fair-lines'), rows.map(([term, value]) => [h('dt', {}, term), h('dd', { class: 'mono' }, value)]));
}

// --- the leave menu -------------------------------------------------------------------------------------
export function drawLeaveMenu(view, { coins, on }) {
  const { can } = view;
  const playing = view.phase === 'playing';
  const item = (sign, name, about, act, off = null) => h('button', { type: 'button', role: 'menuitem', 'aria-disabled': off ? 'true' : null, on: { click: () => { if (off) return; openPop($('#leave'), false); on(act); } } }, icon(sign), h('b', {}, name), h('span', {}, off ?? about));
  const mine = view.me === null ? null : view.seats[view.me];
  const rows = [];
  if (playing && view.me !== null) {
    rows.push(item('users', t('Ask to end the deal'), t('All must agree. Nobody pays or scores.'), 'ask_leave', can.ask_leave ? null : view.terms.anti_cheat ? t('Not in anti-cheat rooms.') : t('Once per deal.')));
    rows.push(mine?.trustee ? item('bot', t('Play again yourself'), t('The trustee hands back.'), 'resume') : item('bot', t('Let the trustee play'), t('It passes or plays the smallest single.'), 'trustee', can.trustee ? null : t('Not in anti-cheat rooms.')));
    if (can.leave) rows.push(item('door', t('Leave now'), leaveLine(view, coins), 'escape'));
  } else if (can.leave) {
    rows.push(item('door', t('Leave now'), t('A match is found: leaving now counts as an escape.'), 'escape'));
  } else if (can.stand) {
    rows.push(item('up', t('Stand up'), t('You give up your seat.'), 'stand'));
  }
  rows.push(item('more', t('Settings and keys'), t('Sound, colours, deck, shortcuts.'), 'keys'));
  if (view.me === null || !playing || !can.leave) rows.push(item('deck', t('To the lobby'), view.me === null ? t('Look at the other tables.') : playing ? t('The computer plays on; come back to take over.') : t('Your seat stays yours until the start clock ends.'), 'lobby'));
  const box = $('#leave');
  const key = rows.map((row) => row.textContent).join('|');
  if (box.dataset.key !== key) { box.dataset.key = key; put(box, rows); }
}

const costs = (view, coins) => {
  const price = view.can.leave_price;
  const points = figure(price?.points ?? 0);
  if (!price?.coins) return t('−{points} points', { points });
  return t('−{points} points, −{n} {coins}', { points, n: figure(price.coins), coins });
};
function leaveLine(view, coins) {
  if (!view.can.leave_price || (!view.can.leave_price.points && !view.can.leave_price.coins)) return t('Practice: it costs nothing.');
  return (view.terms.leaves ? t('A fine: −{n} {coins}. The computer plays on.', { n: figure(view.can.leave_price.coins), coins }) : t('Counts as an escape: {costs}.', { costs: costs(view, coins) }));
}

// --- the escape dialogue: the exact sum, in the words of the rules -----------------------------------------
export function drawEscape(view, { coins, balance }) {
  const price = view.can.leave_price ?? { points: 0, coins: 0, at_least: false };
  $('#escape-sum').hidden = !view.can.leave_price;
  if (!view.can.leave_price) {
    text($('#escape-d'), view.terms.practice ? t('Practice: it costs nothing.') : t('A match is found: leaving now counts as an escape.'));
    text($('#escape-hint'), '');
    text($('#escape-yes'), t('Yes, leave'));
    return;
  }
  if (view.terms.leaves) { drawLeaving(view, price, coins); return; }
  const words = { p: figure(price.points), c: figure(price.coins), coins };
  const least = price.at_least;
  text($('#escape-d'), price.coins
    ? least ? t('Leaving now costs at least {p} points and {c} {coins}. Do you really want to leave?', words) : t('Leaving now costs {p} points and {c} {coins}. Do you really want to leave?', words)
    : least ? t('Leaving now costs at least {p} points. Do you really want to leave?', words) : t('Leaving now costs {p} points. Do you really want to leave?', words));
  const rows = [[t('Points'), price.points ? '−' + figure(price.points) : '0']];
  if (price.coins) rows.push([coins, '−' + figure(price.coins)]);
  const total = price.coins && balance !== null ? [[t('Your balance would be'), figure(Math.max(0, balance - price.coins))]] : [];
  put($('#escape-sum'), rows.map(([a, b]) => [h('dt', { class: 'first-up' }, a), h('dd', {}, b)]), total.map(([a, b]) => [h('dt', { class: 'total' }, a), h('dd', { class: 'total' }, b)]));
  text($('#escape-hint'), [least ? t('Each hidden four of a kind doubles it.') : '', view.can.ask_leave ? t('You can also ask to end the deal: if all agree, nobody pays.') : ''].filter(Boolean).join(' '));
  text($('#escape-yes'), price.coins ? t('Yes, leave and pay {n}', { n: figure(price.coins) }) : t('Yes, leave'));
}

// Where the computer plays on: the fine is certain, what the deal brings is added to it (RULES §3).
function drawLeaving(view, price, coins) {
  const stake = view.terms.base_stake ?? 1;
  const { stakes, state } = view.deal ?? {};  // null: before the cards
  text($('#escape-d'), t('Leaving now costs a fine of {c} {coins}. The computer plays on for you and the result still counts.', { c: figure(price.coins), coins }));
  const rows = [[t('Fine, twice the base {n}', { n: figure(stake) }), '−' + figure(price.coins)]];
  if (stakes) {
    const farmer = state.landlord !== view.me;
    const due = stakes.score[view.me] * stake;
    const words = { x: '×' + figure(stakes.score[view.me]) };
    rows.push([farmer ? t('If the farmers lose, at {x}', words) : t('If you lose, at {x}', words), '−' + figure(Math.min(due, view.terms.cap ?? due))]);
    const other = view.seats.findIndex((_, seat) => seat !== view.me && seat !== state.landlord);
    if (farmer) rows.push([t('If the farmers win'), t('{name} takes both shares', { name: nameOf(view, other) })]);
  }
  put($('#escape-sum'), rows.map(([a, b], i) => [h('dt', { class: i && i === rows.length - 1 ? 'total' : '' }, a), h('dd', { class: i && i === rows.length - 1 ? 'total' : '' }, b)]));
  text($('#escape-hint'), [t('Come back before the end and you take over again; the fine stays.'), view.can.ask_leave ? t('You can also ask to end the deal: if all agree, nobody pays.') : ''].filter(Boolean).join(' '));
  text($('#escape-yes'), t('Yes, leave and pay {n}', { n: figure(price.coins) }));
}

// --- settings and keys ----------------------------------------------------------------------------------------
const KEYS = (answers) => [
  ...(answers ? [['0–3', t('Bid; or 0 to refuse, 1 to take or raise')]] : []),
  ['Enter', t('Play, or start')], ['P', t('Pass')], ['H', t('Hint')], ['S', t('Sort by rank or suit')], ['Space', t('Pick the card in focus')],
  ['← →', t('Move in the hand')], ['3–9 0 J Q K A 2', t('To the next card of that rank')], ['Esc', t('Drop all cards')],
  ['R', t('Hide or show the receipt')], ['C', t('Chat')], ['L', t('Leave menu')], ['?', t('This list')],
];
export function drawSettings({ sound, keys, answers = false }) {
  const row = (label, on, change) => {
    const box = h('input', { type: 'checkbox', role: 'switch', on: { change: () => change(box.checked) } });
    box.checked = on;
    return h('label', { class: 'switch' }, box, h('span', {}, label));
  };
  put($('#settings'),
    row(t('Sound'), sound.on, (on) => sound.set(on)),
    loudness(sound),
    row(t('Dark colours'), isDark(), () => switchTheme()),
    row(t('Four-colour deck'), document.documentElement.dataset.deck === '4', (on) => { preferences.set('deck', on ? 4 : 2); document.documentElement.dataset.deck = on ? '4' : '2'; }),
    row(t('Keyboard shortcuts'), keys.on, (on) => keys.set(on)));
  put($('#keylist'), KEYS(answers).map(([key, about]) => [h('dt', {}, key.split(' ').map((k) => [h('kbd', {}, k), ' '])), h('dd', {}, about)]));
}

function loudness(sound) {
  const bar = h('input', { type: 'range', min: 0, max: 100, step: 5, value: sound.volume, on: { input: () => sound.setVolume(Number(bar.value)), change: () => sound.cue('pick') } });
  return h('label', { class: 'volume' }, h('span', {}, t('Volume')), bar);
}

// --- out of the table --------------------------------------------------------------------------------------------
export function showGone({ title, words, answers }) {
  text($('#gone-h'), title);
  text($('#gone-d'), words);
  put($('#gone-answers'), answers.map(({ label, href, act, main }) => href
    ? h('a', { class: main ? 'btn main' : 'btn', href }, label)
    : h('button', { class: main ? 'btn main' : 'btn', type: 'button', on: { click: () => { $('#gone').close(); act?.(); } } }, label)));
  if (!$('#gone').open) $('#gone').showModal();
}

// Why I had to stand up, in words, or undefined where I wanted it myself.
const STOOD = {
  not_ready: () => t('You did not press start in time.'),
  lost: () => t('Your connection was lost for too long.'),
  balance: (cap) => shortOf(cap),
  suspended: () => t('You are suspended: no table is open to you. The lobby says until when.'),
  owes: () => t('You owe coins from a verdict: no table for coins is open to you until they are paid. The lobby says how many.'),
};
export const stoodWords = (reason, cap) => STOOD[reason]?.(cap);

// Who looks on: I do, or others look at us.
export function drawWatchers(view, n) {
  const mine = view.me === null;
  $('#watchers').hidden = !n && !mine;
  $('#watchers').classList.toggle('mine', mine);
  text($('#watchers-n'), n ? String(n) : '');
  text($('#watchers-words'), !mine ? tn('{n} looks on', '{n} look on', n) : n > 1 ? t('You look on, {n} in all', { n }) : t('You look on'));
}
