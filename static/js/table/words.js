// Words for what happens at a table: combos, events, refusals. Codes come from the server, sentences from the catalogue.
import { t, tn, tp, figure, upper } from '../lib/i18n.js';
import { ascending, cardName, rankName, rankOf, split } from './cards.js';

// --- combos ------------------------------------------------------------------------------------------
const often = (cards, times) => cards.map(rankOf).find((rank, _, all) => all.filter((r) => r === rank).length >= times) ?? '';
const body = (times) => (cards) => ({ rank: rankName(often(cards, times)) });

// The top of a chain; in Big Two ace and two may stand below the three.
function top(cards) {
  const ranks = cards.map(rankOf);
  if (ranks.includes('2') && ranks.includes('3')) return ranks.includes('A') ? '5' : '6';
  return rankOf([...cards].sort(ascending).at(-1));
}
// The chain of a play: as many ranks in a row as its size asks for, `each` cards to a rank, the highest that are there.
const CHAINED = '3456789TJQKA';
const chain = (times, each = times) => (cards) => {
  const long = Math.max(1, Math.floor(cards.length / each));
  const enough = (rank) => cards.filter((card) => rankOf(card) === rank).length >= times;
  for (let from = CHAINED.length - long; from >= 0; from -= 1) {
    const row = [...CHAINED.slice(from, from + long)];
    if (row.every(enough)) return { from: rankName(row[0]), rank: rankName(row.at(-1)) };
  }
  return { from: '', rank: '' };
};

const COMBOS = {
  single: [(v) => tp('single', '{card}', v), (c) => ({ card: cardName(c[0]) })],
  pair: [(v) => t('pair of {rank}s', v), body(2)],
  triple: [(v) => t('three {rank}s', v), body(3)],
  straight: [(v) => t('straight to {rank}', v), (c) => ({ rank: rankName(top(c)) })],
  flush: [(v) => t('flush to {rank}', v), (c) => ({ rank: rankName(rankOf([...c].sort(ascending).at(-1))) })],
  full_house: [(v) => t('full house of {rank}s', v), body(3)],
  quads: [(v) => t('four {rank}s and a card', v), body(4)],
  straight_flush: [(v) => t('straight flush to {rank}', v), (c) => ({ rank: rankName(top(c)) })],
  triple_single: [(v) => t('three {rank}s and a single', v), body(3)],
  triple_pair: [(v) => t('three {rank}s and a pair', v), body(3)],
  pair_straight: [(v) => t('pairs, {from} to {rank}', v), chain(2)],
  airplane: [(v) => t('airplane, {from} to {rank}', v), chain(3)],
  airplane_singles: [(v) => t('airplane, {from} to {rank}, with singles', v), chain(3, 4)],
  airplane_pairs: [(v) => t('airplane, {from} to {rank}, with pairs', v), chain(3, 5)],
  quad_single: [(v) => t('four {rank}s and a single', v), body(4)],
  quad_singles: [(v) => t('four {rank}s and two singles', v), body(4)],
  quad_pairs: [(v) => t('four {rank}s and two pairs', v), body(4)],
  rocket_singles: [() => t('both jokers and two singles'), () => ({})],
  rocket_pairs: [() => t('both jokers and two pairs'), () => ({})],
  bomb: [(v) => t('bomb of {rank}s', v), body(4)],
  rocket: [() => t('rocket'), () => ({})],
};

// "pair of 9s", in the middle of a sentence. `cards` is the record's text or a list.
export function comboName(type, cards) {
  const list = typeof cards === 'string' ? split(cards) : cards;
  const known = COMBOS[type];
  if (!known) return list.map(cardName).join(', ');
  return known[0](known[1](list));
}
export const comboTitle = (type, cards) => upper(comboName(type, cards));

// What is called out over the cloth: [words, what it does], else null. Bombs double only where a stake grows.
export function calledOut(type, grows) {
  if (type === 'bomb' || type === 'rocket') return [type === 'bomb' ? t('Bomb!') : t('Rocket!'), grows ? '×2' : ''];
  return type?.startsWith('airplane') ? [t('Airplane!'), ''] : null;
}

// --- refusals ----------------------------------------------------------------------------------------
const REASONS = {
  not_your_turn: () => t('It is not your turn.'),
  not_in_hand: () => t('You do not hold these cards.'),
  not_a_combo: () => t('These cards are no combination.'),
  must_beat: () => t('That does not beat the table.'),
  must_contain_3d: () => t('The first play must contain the 3 of diamonds.'),
  cannot_pass_lead: () => t('You lead: you cannot pass.'),
  must_play_last_card_duty: () => t('The next player has one card left: you must play if you can.'),
  must_play_highest_single: () => t('The next player has one card left: a single must be your highest.'),
  bid_too_low: () => t('Your bid must be higher.'),
  wrong_phase: () => t('That is not possible now.'),
  deal_over: () => t('The deal is over.'),
};
const CODES = {
  not_seated: () => t('You have no seat at this table.'),
  not_your_turn: REASONS.not_your_turn,
  stale_turn: () => t('Too late: the turn had passed.'),
  wrong_phase: REASONS.wrong_phase,
  wrong_deal: REASONS.deal_over,
  already_asked: () => t('You have asked once in this deal already.'),
  already_set: REASONS.wrong_phase,
  unavailable: () => t('The house is busy. Try again.'),
  already_ready: () => t('You have pressed start already.'),
  vote_running: () => t('A request is being answered already.'),
  nothing_to_answer: () => t('The request is decided already.'),
  table_closed: () => t('This table is closed.'),
  bad_text: () => t('That cannot be said.'),
  too_many: () => t('Slower, please.'),
  too_fast: () => t('Slower, please: five lines in ten seconds.'),
};
const SHUT = {
  anti_cheat: () => t('Nobody may look on in an anti-cheat room.'),
  tier: () => t('Nobody may look on in this room.'),
};
const NOT_HERE = {
  trustee: () => t('There is no trustee in anti-cheat rooms.'),
  ask_leave: () => t('In anti-cheat rooms a deal cannot be ended by consent.'),
  chat: () => t('No chat during a deal in anti-cheat rooms.'),
};

export function refusal(code, detail) {
  if (code === 'illegal' || code === 'illegal_action') return REASONS[detail]?.() ?? t('That is not possible now.');
  if (code === 'not_allowed_here') return NOT_HERE[detail]?.() ?? t('That is not possible in this room.');
  if (code === 'no_spectators') return (SHUT[detail] ?? SHUT.tier)();
  if (code === 'muted') return detail ? t('You are muted until {time}.', { time: when(detail) }) : t('You are muted: you may play, but not talk.');
  return (CODES[code] ?? REASONS[code])?.() ?? t('That is not possible now.');
}

const when = (moment) => new Date(moment).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });

// --- what the house tells one player --------------------------------------------------------------------
// RULES §5, "Words on screen".
export function timeOutWarning(count, leaves) {
  return leaves
    ? tn('Please note: you have timed out {n} time. At three it counts as leaving: a fine of twice the base, and the computer plays on.',
      'Please note: you have timed out {n} times. At three it counts as leaving: a fine of twice the base, and the computer plays on.', count)
    : tn('Please note: you have timed out {n} time. At three it counts as an escape.',
      'Please note: you have timed out {n} times. At three it counts as an escape.', count);
}
export function escapeNotice(name, points, coins, coinName) {
  const words = { name, n: figure(points), c: figure(coins), coins: coinName };
  return coins > 0
    ? t('〖{name}〗 forced his way out and loses {n} points and {c} {coins}. The deal is over.', words)
    : t('〖{name}〗 forced his way out and loses {n} points. The deal is over.', words);
}

// --- ready phrases: none speaks of cards -------------------------------------------------------------------
export const PHRASES = {
  hello: () => t('Good to see you all'),
  hurry: () => t('Any day now…'),
  nice: () => t('Beautifully done'),
  line: () => t('Sorry, lost my line'),
  again: () => t('One more?'),
  bye: () => t('I must go, see you'),
};
export const phrase = (code) => PHRASES[code]?.() ?? code;
