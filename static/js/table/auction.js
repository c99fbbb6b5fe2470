// Before the play: who says what, what it would mean, and the ladder of each pair. What may be said stands in `view.can.acts`.
import { h } from '../lib/dom.js';
import { figure, parts, t } from '../lib/i18n.js';
import { cardName } from './cards.js';
import { myTurn, nameOf } from './model.js';
import { inScript } from './script.js';

const BIDS = [0, 1, 2, 3];
const STEPS = ['倒', '拉', '垒', '沃'];

export const inAuction = (view) => view.phase === 'playing' && view.deal !== null && view.deal.state.phase !== 'play';
export const isBlind = (deal) => deal.stakes?.rows.some((row) => row.cause === 'blind') ?? false;
const stepSign = (view, step) => inScript((isBlind(view.deal) ? '闷' : '') + STEPS[step]);
// The pair whose answer is awaited from the seat to act.
const pairAsked = (view) => view.deal.stakes?.pairs.find((pair) => pair.open && pair.asked === view.deal.state.turn) ?? null;
const highest = (bids) => Math.max(0, ...bids.map((bid) => bid ?? 0));
const strong = (words) => h('b', {}, words);
const zh = (signs) => h('span', { class: 'zh', lang: 'zh' }, signs);
const isChinese = /^zh/i.test(document.documentElement.lang);

// --- what somebody has said, on his place ---------------------------------------------------------------
const SAID = {
  bid: (n) => (n === '0' ? t('No bid') : t('Bids {n}', { n })),
  blind: () => t('Grabs blind'), look: () => t('Looks'), call: () => t('Calls'), decline: () => t('Declines'), raise: () => t('Raises'), stay: () => t('Stays'),
};
const LOUD = ['blind', 'call', 'raise'];
// [kind of tag, words] of an act that is no play, else null.
export function saidTag(act) {
  const [verb, value] = act.split(' ');
  if (!SAID[verb]) return null;
  return [LOUD.includes(verb) || (verb === 'bid' && value !== '0') ? 'gold' : '', SAID[verb](value)];
}

// --- the middle of the cloth: a question, or the ladder: [key, nodes] ---------------------------------------
export function middle(view) {
  if (!inAuction(view)) return null;
  const { state } = view.deal;
  if (state.phase === 'ladder') return ladder(view);
  const [title, about] = state.phase === 'blind' ? opening(view) : bidding(view);
  return [`${title}|${about}`, () => h('div', { class: 'play ask' }, h('h2', {}, title), h('p', {}, about))];
}

function opening(view) {
  const { turn } = view.deal.state;
  if (turn === view.me) return [t('The shown card is yours'), t('All hands are face down. Grab the landlord unseen, or look first.')];
  const name = nameOf(view, turn);
  return [t('The shown card is {name}’s', { name }), t('All hands are face down. {name} grabs the landlord unseen, or looks first.', { name })];
}

function bidding(view) {
  const { turn, bids, shown } = view.deal.state;
  const mine = turn === view.me;
  const refused = bids.flatMap((bid, seat) => (bid === 0 ? [seat === view.me ? t('You did not bid.') : t('{name} did not bid.', { name: nameOf(view, seat) })] : []));
  const left = bids.filter((bid) => bid === null).length;
  const last = left === 1 ? [mine ? t('Yours is the last word.') : t('{name} has the last word.', { name: nameOf(view, turn) })] : [];
  const next = left > 1 ? [mine ? t('You are asked.') : t('{name} is asked.', { name: nameOf(view, turn) })] : [];
  const most = highest(bids);
  if (shown) return [t('Who will be landlord?'), [t('The first to call takes the bottom.'), ...refused, ...last, ...next].join(' ')];
  const by = bids.indexOf(most);
  const title = most === 0 ? t('No bid yet') : by === view.me ? t('Highest bid: {n}, by you', { n: most }) : t('Highest bid: {n}, by {name}', { n: most, name: nameOf(view, by) });
  return [title, [...refused, ...last, ...next].join(' ')];
}

function ladder(view) {
  const { pairs } = view.deal.stakes;
  const { turn, landlord } = view.deal.state;
  const key = JSON.stringify([pairs, turn]);
  return [key, () => h('div', { class: 'ladder' }, pairs.map((pair) => h('div', { class: 'pair' },
    h('span', { class: 'names' }, pairName(view, landlord, pair.farmer), h('small', {}, pairState(view, pair))),
    h('ol', { class: 'steps' }, STEPS.map((_, step) => {
      const now = pair.open && step === pair.steps && pair.asked === turn;
      const kind = step < pair.steps ? 'done' : now ? 'now' : pair.open ? '' : 'end';
      return h('li', { class: kind, 'aria-current': now ? 'step' : null }, zh(inScript(STEPS[step])), h('small', {}, '×' + 2 ** (step + 1)));
    })),
    h('span', { class: 'x' }, '×' + 2 ** pair.steps))))];
}

function pairName(view, landlord, farmer) {
  if (landlord === view.me) return t('You and {name}', { name: nameOf(view, farmer) });
  if (farmer === view.me) return t('You and {name}', { name: nameOf(view, landlord) });
  return t('{a} and {b}', { a: nameOf(view, landlord), b: nameOf(view, farmer) });
}

function pairState(view, pair) {
  if (!pair.open) return pair.steps === STEPS.length ? t('at the top') : t('stays, closed');
  if (pair.asked !== view.deal.state.turn) return t('open');
  return pair.asked === view.me ? t('your answer') : t('{name} is asked', { name: nameOf(view, pair.asked) });
}

// --- my turn: why, and the buttons ----------------------------------------------------------------------------
export function why(view, coins) {
  const { state } = view.deal;
  if (state.phase === 'blind') return ['eyeoff', parts('Blind counts {double}, and only you will see the bottom', { double: strong(t('double')) })];
  if (state.phase === 'ladder') return ladderWhy(view, coins);
  if (state.shown) return ['flag', parts('Will you be landlord? {bid}', { bid: strong(t('The bottom is yours, open to all; then the farmers may raise.')) })];
  const most = highest(state.bids);
  const said = most === 0 ? t('Nobody has bid yet.') : t('{name} has bid {n}.', { name: nameOf(view, state.bids.indexOf(most)), n: most });
  return ['flag', parts('Will you be landlord? {bid}', { bid: strong(said) })];
}

function ladderWhy(view, coins) {
  const pair = pairAsked(view);
  if (!pair) return ['flag', [t('Your turn.')]];
  const other = pair.farmer === view.me ? view.deal.state.landlord : pair.farmer;
  const x = strong('×' + 2 ** (pair.steps + 1));
  const points = view.deal.stakes.score[pair.farmer] * 2;
  const worth = view.terms.currency === 'coins' ? t('{n} {coins}', { n: figure(points * view.terms.base_stake), coins }) : t('{n} points', { n: figure(points) });
  return ['up', pair.steps
    ? parts('{name} raised. Raising makes your pair {x}: {worth}', { name: nameOf(view, other), x, worth })
    : parts('Raising makes your pair with {name} {x}: {worth}', { name: nameOf(view, other), x, worth })];
}

// The quiet answer has the key 0, the loud one 1; a bid has its own figure.
const ANSWERS = {
  look: () => ({ sign: 'eye', label: [t('Look'), !isChinese && [' ', zh('看牌')]], key: '0' }),
  blind: () => ({ sign: 'eyeoff', label: [t('Grab blind'), !isChinese && [' ', zh('闷抓')]], main: true, key: '1' }),
  decline: () => ({ label: t('Decline'), key: '0' }),
  call: () => ({ label: t('Take the landlord'), main: true, key: '1' }),
};
const ORDER = ['look', 'decline', 'stay', 'blind', 'call', 'raise'];

// Each is {action, label, key, main, sign, off: why it cannot be pressed}.
export function answers(view) {
  const { acts } = view.can;
  if (acts.some((act) => act.startsWith('bid '))) return bids(view);
  const verb = (act) => act.split(' ')[0];
  return acts.filter((act) => ORDER.includes(verb(act))).sort((a, b) => ORDER.indexOf(verb(a)) - ORDER.indexOf(verb(b)))
    .map((action) => ({ action, ...(ANSWERS[action]?.() ?? step(view, verb(action))) }));
}

function bids(view) {
  const most = highest(view.deal.state.bids);
  return BIDS.map((n) => ({
    action: `bid ${n}`, label: n === 0 ? t('No bid') : n === 3 ? t('3, take it') : String(n), main: n === 3, key: String(n),
    off: view.can.acts.includes(`bid ${n}`) ? null : t('Must be above {n}', { n: most }),
  }));
}

function step(view, verb) {
  const steps = pairAsked(view)?.steps ?? 0;
  if (verb === 'stay') return { label: t('Stay at ×{n}', { n: 2 ** steps }), key: '0' };
  return { label: [zh(stepSign(view, steps)), ' ', t('Raise to ×{n}', { n: 2 ** (steps + 1) })], main: true, key: '1' };
}

// The act of a key, if it may be done now.
export function answerOf(view, key) {
  if (!myTurn(view) || !inAuction(view)) return null;
  return answers(view).find((answer) => answer.key === key && !answer.off)?.action ?? null;
}

// --- lines of the log -------------------------------------------------------------------------------------------
export const shownLine = (name, card) => t('The {card} is shown. It is {name}’s.', { card: cardName(card), name });
const BECAME = {
  bid: (words) => t('{name} is landlord with a bid of {n}.', words),
  blind: (words) => t('{name} is landlord, unseen: the base score is {n}.', words),
  call: (words) => t('{name} is landlord.', words),
};
export const landlordLine = (name, cause, n) => BECAME[cause]?.({ name, n }) ?? BECAME.call({ name });
