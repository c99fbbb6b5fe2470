// What we are compared with: boardgame.io as its documentation has it, matches in memory. Not our product.
//
// A climbing game for four: the deck is shuffled and dealt, hands are secret (each client gets the state with its own
// hand only), a play is one card, a pair or a triple that beats what stands, checked at the server; three passes give
// the lead to whoever played last; an empty hand deals anew within the same match. No clocks, no coins, no log on disk,
// no list of legal plays. Undo is off, as it would be for such a game.
const { Server, Origins } = require('boardgame.io/server');
const { INVALID_MOVE } = require('boardgame.io/core');

const RANKS = 13;
const rank = (card) => Math.floor(card / 4);

function deal(G, random) {
  const deck = random.Shuffle([...Array(52).keys()]);
  G.hands = {};
  for (let seat = 0; seat < 4; seat += 1) {
    G.hands[seat] = deck.slice(13 * seat, 13 * seat + 13).sort((a, b) => a - b);
  }
  G.counts = [13, 13, 13, 13];
  G.standing = null;
  G.passes = 0;
  G.deals += 1;
}

const moves = {
  play: ({ G, playerID, random, events }, cards) => {
    const hand = G.hands[playerID];
    if (!Array.isArray(cards) || cards.length < 1 || cards.length > 3) return INVALID_MOVE;
    if (new Set(cards).size !== cards.length || !cards.every((card) => hand.includes(card))) return INVALID_MOVE;
    if (!cards.every((card) => rank(card) === rank(cards[0]) && rank(card) < RANKS)) return INVALID_MOVE;
    const top = Math.max(...cards);
    if (G.standing && (G.standing.cards.length !== cards.length || top <= Math.max(...G.standing.cards))) {
      return INVALID_MOVE;
    }
    G.hands[playerID] = hand.filter((card) => !cards.includes(card));
    G.counts[playerID] -= cards.length;
    G.standing = { seat: playerID, cards };
    G.passes = 0;
    G.moves += 1;
    if (!G.hands[playerID].length) deal(G, random);
    events.endTurn();
    return undefined;
  },
  pass: ({ G, events }) => {
    if (!G.standing) return INVALID_MOVE;
    G.passes += 1;
    G.moves += 1;
    if (G.passes === 3) {
      G.standing = null;
      G.passes = 0;
    }
    events.endTurn();
    return undefined;
  },
};

const game = {
  name: 'climbing',
  setup: ({ random }) => {
    const G = { deals: 0, moves: 0 };
    deal(G, random);
    return G;
  },
  playerView: ({ G, playerID }) => ({ ...G, hands: playerID === null ? {} : { [playerID]: G.hands[playerID] } }),
  moves,
  minPlayers: 4,
  maxPlayers: 4,
  disableUndo: true,
};

const port = Number(process.env.PORT);
Server({ games: [game], origins: [Origins.LOCALHOST] }).run(port, () => {
  console.log(`boardgame.io running on http://127.0.0.1:${port}`);
});
