// A line of the log for each event that says something, in the words of somebody who watched.
import { t, tn, figure } from '../lib/i18n.js';
import { landlordLine, shownLine } from './auction.js';
import { comboName, escapeNotice } from './words.js';

const STOOD = {
  not_ready: (name) => t('{name} did not press start and has to stand up.', { name }),
  lost: (name) => t('{name} lost connection and has to stand up.', { name }),
  escaped: (name) => t('{name} is out of the table.', { name }),
  balance: (name) => t('{name} has not enough for the next deal and has to stand up.', { name }),
};
const CLOSED = {
  idle: () => t('Nobody came: the table is closed.'),
  redeals: () => t('Three deals in a row came to nothing: the table is closed.'),
};

// `who(seat)` gives a name, `lead` says that a play opened its trick, `coins` is the coin's name, `leader` the seat that
// leads a deal just opened, `result` the deal that ended.
export function eventLine(event, { who, lead, coins, leader = null, result = null, leaves = false }) {
  const name = event.seat === undefined ? '' : who(event.seat);
  switch (event.kind) {
    case 'sat': return t('{name} sits down.', { name });
    case 'stood': return (STOOD[event.reason] ?? ((n) => t('{name} stands up.', { name: n })))(name);
    case 'readied': return t('{name} is ready.', { name });
    case 'deal_opened': return opened(event, leader === null ? null : who(leader));
    case 'deal_declined': return t('The next deal did not open.');
    case 'acted': return acted(event, { name, lead });
    case 'timed_out': return tn('{name} has timed out {n} time in this deal.', '{name} has timed out {n} times in this deal.', event.times, { name });
    case 'trustee_set': return event.on ? t('The trustee plays for {name}.', { name }) : t('{name} plays again.', { name });
    case 'away_set': return event.cause ? t('The computer plays on for {name}.', { name }) : t('{name} is back.', { name });
    case 'absence_began': return leaves ? t('{name} lost connection; soon the computer plays on.', { name }) : t('{name} lost connection; the table waits 180 seconds.', { name });
    case 'absence_ended': return t('{name} is back.', { name });
    case 'leave_asked': return t('{name} asks to end the deal.', { name });
    case 'leave_answered': return event.agree ? t('{name} agrees.', { name }) : t('{name} wants to play on.', { name });
    case 'leave_settled': return event.agreed ? t('All agreed: the deal is over, nobody pays or scores.') : t('Play goes on.');
    case 'deal_closed': return closed(event, who, coins, result);
    case 'shown': return shownLine(name, event.card);
    case 'landlord': return landlordLine(name, event.cause, event.n);
    case 'one_left': return t('{name} has one card left.', { name });
    case 'table_closed': return (CLOSED[event.reason] ?? (() => t('This table is closed.')))();
    default: return null;
  }
}

function opened(event, leader) {
  return leader ? t('Deal {n}. {name} leads.', { n: figure(event.number), name: leader }) : t('Deal {n}.', { n: figure(event.number) });
}

const DOUBLES = ['bomb', 'rocket'];
function acted(event, { name, lead }) {
  const [verb, ...rest] = event.action.split(' ');
  if (verb === 'play') {
    const words = { name, combo: comboName(event.combo, rest.join(' ')) };
    const line = lead ? t('{name} leads {combo}.', words) : t('{name} plays {combo}.', words);
    return DOUBLES.includes(event.combo) ? `${line} ${t('The stake doubles.')}` : line;
  }
  if (verb === 'pass') return t('{name} passes.', { name });
  if (verb === 'bid') return rest[0] === '0' ? t('{name} does not bid.', { name }) : t('{name} bids {n}.', { name, n: rest[0] });
  if (verb === 'blind') return t('{name} grabs blind.', { name });
  if (verb === 'look') return t('{name} looks.', { name });
  if (verb === 'call') return t('{name} takes the landlord.', { name });
  if (verb === 'decline') return t('{name} declines.', { name });
  if (verb === 'raise') return t('{name} raises.', { name });
  if (verb === 'stay') return t('{name} stays.', { name });
  return null; // an escape and a void are told by the deal's end
}

function closed(event, who, coins, result) {
  if (event.how === 'redeal') return t('Nobody bids: the cards are dealt again.');
  if (event.how === 'void') return t('The deal is void: nobody pays or scores.');
  if (event.how === 'escaped') {
    const settlement = result?.deal === event.deal ? result.settlement : null;
    return escapeNotice(result?.names?.[event.seat] || who(event.seat), -(settlement?.points[event.seat] ?? 0), settlement?.penalties[event.seat] ?? 0, coins);
  }
  const name = who(event.winner);
  const landlord = result?.deal === event.deal ? result.landlord ?? null : null;
  if (landlord === null) return t('{name} goes out and wins the deal.', { name });
  return event.winner === landlord ? t('{name} goes out: the landlord wins.', { name }) : t('{name} goes out: the farmers win.', { name });
}

// Why there is no next deal for somebody: what it asks for at a table with this cap, or without one.
export function shortOf(cap) {
  return cap ? t('The next deal here needs a balance of at least {n}.', { n: figure(cap) }) : t('Your balance is empty: the next deal needs at least one coin.');
}
