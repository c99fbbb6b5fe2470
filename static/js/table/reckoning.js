// The rows of a reckoning in words: those of a finished deal's receipt, and the factors of a running deal's stake.
import { figure, signed, t, upper } from '../lib/i18n.js';
import { rankName, rankOf, split } from './cards.js';
import { inScript } from './script.js';

// --- cells: [words, class], one for each seat ------------------------------------------------------------
const NOTHING = ['–', 'zero'];
const none = (value) => value === null || value === undefined;
const cells = (row, cell) => (row.values ?? []).map((value) => (none(value) ? NOTHING : cell(value)));
const plain = (row) => cells(row, (value) => [figure(value), '']);
const scored = (row) => (row.values ?? []).map((value) => [signed(value ?? 0), '']);
const change = (row) => cells(row, (value) => (value === 0 ? NOTHING : [signed(value), '']));
const minus = (row) => cells(row, (value) => (value ? ['−' + figure(value), ''] : NOTHING));
// What a limit left of it: a loser pays no more, a winner gets no more.
const limited = (row, { find }) => {
  const scores = find('score')?.values;
  return (row.values ?? []).map((value, seat) => (none(value) ? NOTHING : [(scores?.[seat] > 0 ? '+' : '−') + figure(value), 'hit']));
};
// One seat's doing multiplies for all; where several seats have a factor each has his own.
const times = (row) => {
  const given = row.values.filter((value) => !none(value));
  const spread = row.seat !== undefined && given.length === 1 ? given[0] : null;
  return row.values.map((value) => (none(spread ?? value) ? NOTHING : ['×' + figure(spread ?? value), '']));
};

// --- factors --------------------------------------------------------------------------------------------------
const STEPS = ['倒', '拉', '垒', '沃'];
export const stepSigns = (steps) => inScript(STEPS.slice(0, steps).join(' '));
const rankOfAll = (row) => rankName(rankOf(split(row.cards)[0] ?? '3d'));

// [heading, small words]; `who` gives a name.
const FACTORS = {
  bid: (row, who) => [t('Bid {n}', { n: row.values[row.seat] }), t('{name}, landlord', { name: who(row.seat) })],
  call: (row, who) => [t('Base score, called'), t('{name}, landlord', { name: who(row.seat) })],
  blind: (row, who) => [t('Base score, grabbed blind'), t('{name}, landlord', { name: who(row.seat) })],
  initial: () => [t('Multiplier of the room'), ''],
  ladder: (row, who) => [t('The ladder'), row.steps.flatMap((steps, seat) => (steps ? [`${who(seat)} ${stepSigns(steps)}`] : [])).join(', ')],
  bomb: (row, who) => [t('Bomb, four {rank}s', { rank: rankOfAll(row) }), who(row.seat)],
  rocket: (row, who) => [t('Rocket'), who(row.seat)],
  spring: (row, who) => [t('Spring'), t('no farmer played a card; {name}', { name: who(row.seat) })],
  anti_spring: (row, who) => [t('Anti-spring'), t('the landlord played once; {name}', { name: who(row.seat) })],
  doublings: () => [t('Doublings'), ''],
  bomb_dealt: (row, who) => [t('Four {rank}s dealt', { rank: rankOfAll(row) }), t('{name}, played or not', { name: who(row.seat) })],
  rocket_dealt: (row, who) => [t('Both jokers dealt'), t('{name}, played or not', { name: who(row.seat) })],
  bombs_dealt: () => [t('Fours dealt'), t('played or not')],
  escape: () => [t('Escape'), t('ten, or twice the ladder and the fours once they reach ten')],
};
export function factorWords(row, who) {
  const words = FACTORS[row.cause];
  return words ? words(row, who) : [row.cause ? String(row.cause).replaceAll('_', ' ') : t('Factor'), ''];
}

// --- rows: [heading, small words, cells] -----------------------------------------------------------------------
function cardScore(row, before) {
  return row.values.map((value, seat) => {
    const factors = row.factors?.[seat] ?? [];
    if (!factors.length) return [figure(value), ''];
    const count = before?.values?.[seat] ?? value / factors.reduce((product, f) => product * f.factor, 1);
    return [`${figure(count)} ${factors.map((f) => '×' + f.factor).join(' ')} = ${figure(value)}`, ''];
  });
}

const ROWS = {
  cards_left: (row) => [t('Cards left'), '', plain(row)],
  card_score: (row, { find }) => [t('Card score'), t('8–9 double, 10–12 triple, 13 fourfold; the 2 of spades doubles again from 8'), cardScore(row, find('cards_left'))],
  score: (row, { find }) => [t('Score'), find('card_score') ? t('sum {n}, less four times your own', { n: figure(find('card_score').values.reduce((a, b) => a + b, 0)) }) : find('factor') ? t('the landlord plays against both') : '', scored(row)],
  stake: (row) => [t('× base stake {n}', { n: figure(row.base_stake ?? 1) }), '', scored(row)],
  cap: (row, context) => [t('Hand cap {n}', { n: figure(context.view.terms.cap ?? 0) }), t('no more than this can be lost in one deal'), limited(row, context)],
  purse: (row, context) => [t('Balance'), t('pays all there is'), limited(row, context)],
  carried: (row, context) => [t('Carried'), t('nobody wins from one opponent more than he came with'), limited(row, context)],
  pot: (row) => [t('The pot, {n}', { n: figure(row.total ?? 0) }), t('shared by score'), change(row)],
  away_share: (row, { who }) => [t('Share of who was away'), t('{from} was away: {to} takes both shares', { from: who(row.from), to: who(row.to) }), change(row)],
  due: (row) => [t('Due'), '', change(row)],
  factor: (row, { who }) => [...factorWords(row, who), times(row)],
  fee: (row) => [row.kind === 'percent' ? t('Table fee, {n} % of winnings', { n: row.due }) : t('Table fee'), '', minus(row)],
  penalty: (row) => [row.cause === 'escape' ? t('Fine, escaped') : t('Fine, left the deal'), '', minus(row)],
  points: (row) => [row.cause === 'escape' ? t('Points, escaped') : t('Points'), '', change(row)],
};
// Told elsewhere on the sheet: the sum by the last line, that nothing moved by the heading.
export const UNTOLD = ['coins', 'void'];

// The kinds of rows and causes of factors that have words here.
export const KNOWN = { rows: [...Object.keys(ROWS), ...UNTOLD], causes: Object.keys(FACTORS) };

// A row of a kind this page does not know is still shown, by its own word. `context` is {view, find, who}.
export function rowOf(row, context) {
  const known = ROWS[row.row];
  return known ? known(row, context) : [upper(row.row.replaceAll('_', ' ')), row.cause ? String(row.cause) : '', change(row)];
}

// Who was landlord, by the factor that made him so; null where there was none.
export const landlordOf = (reasons) => reasons?.find((row) => ['bid', 'call', 'blind'].includes(row.cause) && row.seat !== undefined)?.seat ?? null;
