// Cards as the record writes them ("Th", "BJ"), how they lie in a hand, and what they are called aloud.
import { h } from '../lib/dom.js';
import { t } from '../lib/i18n.js';

const RANKS = '3456789TJQKA2';
const SUITS = 'dchs';
const JOKERS = { BJ: 100, RJ: 101 };

export const split = (cards) => (cards ? cards.split(' ') : []);
export const rankOf = (card) => (card in JOKERS ? card : card[0]);
export const rankName = (rank) => (rank === 'T' ? '10' : rank);
const rankPlace = (card) => JOKERS[card] ?? RANKS.indexOf(card[0]);
const suitPlace = (card) => (card in JOKERS ? 9 : SUITS.indexOf(card[1]));

export const byRank = (a, b) => rankPlace(b) - rankPlace(a) || suitPlace(b) - suitPlace(a);
export const bySuit = (a, b) => suitPlace(b) - suitPlace(a) || rankPlace(b) - rankPlace(a);
export const ascending = (a, b) => byRank(b, a);

const FACES = { J: () => t('Jack'), Q: () => t('Queen'), K: () => t('King'), A: () => t('Ace') };
const OF_SUIT = {
  d: (rank) => t('{rank} of diamonds', { rank }), c: (rank) => t('{rank} of clubs', { rank }),
  h: (rank) => t('{rank} of hearts', { rank }), s: (rank) => t('{rank} of spades', { rank }),
};

// "10 of hearts", as a screen reader says it.
export function cardName(card) {
  if (card === 'BJ') return t('small joker');
  if (card === 'RJ') return t('big joker');
  return OF_SUIT[card[1]](FACES[card[0]]?.() ?? rankName(card[0]));
}

// A card to look at; `data-card` draws its face.
export const face = (card) => h('span', { class: 'card', role: 'img', 'data-card': card, 'aria-label': cardName(card) });
