// The receipt of a finished deal: who won what, every hand, and how it was reckoned, row by row from the settlement.
import { attr, h, icon, put, text } from '../lib/dom.js';
import { figure, signed, t, tn, upper } from '../lib/i18n.js';
import { byRank, face, split } from './cards.js';
import { hue, initial, nameOf } from './model.js';
import { UNTOLD, landlordOf, rowOf } from './reckoning.js';
import { inScript } from './script.js';
import { escapeNotice } from './words.js';

const sign = (value) => (value > 0 ? 'up' : value < 0 ? 'dn' : '');

// --- the sheet -------------------------------------------------------------------------------------------------
export class Receipt {
  // `deals` is the address of deals' own pages, for a link to this one's proof.
  constructor(box, { room, table, coins, on, deals = null }) {
    Object.assign(this, { box, room, table, coins, on, deals });
    this.shown = null;
    this.folded = false;
  }

  get open() { return !this.box.hidden; }

  // What lies under the sheet on the cloth can be neither pressed nor read; on a deal's own page nothing does.
  #cover(covered) {
    this.box.hidden = !covered;
    if (!this.box.matches('.over')) return;
    for (const other of this.box.parentElement.children) if (other !== this.box && !other.matches('[aria-live]')) other.inert = covered;
  }

  draw(view, { now }) {
    const result = view.phase === 'playing' ? null : view.result;
    if (!result) { if (this.shown) put(this.box); this.#cover(false); this.shown = null; this.folded = false; return; }
    const key = result.deal;
    if (this.shown !== key) {
      this.shown = key;
      this.folded = view.me === null ? false : Boolean(result.names?.[view.me]) && result.names[view.me] !== view.seats[view.me]?.name;
      this.when = now;
      put(this.box, this.#sheet(view, result));
      this.fresh = true;
    }
    this.#cover(!this.folded);
    this.#buttons(view);
    if (this.fresh && !this.folded) { this.fresh = false; this.box.scrollTop = 0; this.heading.focus({ preventScroll: true }); }
  }

  fold(folded = !this.folded) {
    if (!this.shown) return;
    this.folded = folded;
    this.#cover(!folded);
    if (!folded) this.heading.focus({ preventScroll: true });
  }

  tick(start) { if (this.clock) text(this.clock, start === null ? '' : String(Math.ceil(start / 1000))); }

  #sheet(view, result) {
    const settlement = result.settlement;
    const coins = view.terms.currency === 'coins' && settlement;
    const mine = view.me;
    const won = settlement && mine !== null ? (coins ? settlement.net[mine] || settlement.points[mine] : settlement.points[mine]) : 0;
    this.heading = h('h1', { id: 'out-h', tabindex: '-1' }, this.#title(view, result));
    const order = mine === null ? view.seats.map((_, i) => i) : view.seats.map((_, i) => (mine + i) % view.seats.length);
    return h('div', { class: 'receipt', role: 'region', 'aria-labelledby': 'out-h' },
      h('header', { class: 'outcome' },
        h('span', { class: 'stamp', lang: 'zh', 'aria-hidden': 'true' }, inScript(stamp(result, won, mine))),
        this.heading,
        h('p', {}, t('{room}, table {table}, deal {n}, {time}', { room: this.room, table: this.table, n: figure(result.number), time: this.when })),
        settlement && mine !== null && this.#net(settlement, mine, coins),
        h('button', { class: 'btn quiet fold', type: 'button', on: { click: () => this.on('fold') } }, icon('eyeoff'), h('span', {}, t('Hide')), h('kbd', { 'aria-hidden': 'true' }, 'R'))),
      result.how === 'escaped' && h('div', { class: 'note warn told' }, icon('warn'), h('p', {}, escapeNotice(this.#name(view, result, result.seat), -(settlement?.points[result.seat] ?? 0), settlement?.penalties[result.seat] ?? 0, this.coins))),
      h('ul', { class: 'players', 'aria-label': t('All hands') }, order.map((seat) => this.#player(view, result, seat, coins))),
      settlement && result.reasons?.length > 0 && this.#reckoning(view, result, order, coins),
      this.footer = h('footer', {}));
  }

  // Who sat there in this deal; by now the seat may be another's.
  #name(view, result, seat) { return result.names?.[seat] || nameOf(view, seat); }

  #title(view, result) {
    if (result.how === 'void') return t('The deal is void');
    if (result.how === 'escaped') return result.seat === view.me ? t('You escaped') : t('{name} escaped', { name: this.#name(view, result, result.seat) });
    const landlord = landlordOf(result.reasons);
    if (landlord !== null) return result.winner === landlord ? t('The landlord won') : t('The farmers won');
    if (result.winner === view.me) return t('You went out first');
    return t('{name} went out first', { name: this.#name(view, result, result.winner) });
  }

  #net(settlement, seat, coins) {
    const points = settlement.points[seat];
    if (!coins) return h('div', { class: `net ${sign(points)}` }, signed(points), h('small', {}, t('points')));
    return h('div', { class: `net ${sign(settlement.net[seat])}` }, h('span', { 'data-count': settlement.net[seat] }, signed(settlement.net[seat])), h('small', {}, t('{coins}, and {n} points', { coins: this.coins, n: signed(points) })));
  }

  #player(view, result, seat, coins) {
    const cards = split(result.hands?.[seat] ?? '').sort(byRank);
    const name = this.#name(view, result, seat);
    const settlement = result.settlement;
    const left = cards.length ? tn('{n} card left', '{n} cards left', cards.length) : '';
    const out = result.winner === seat;
    const landlord = landlordOf(result.reasons);
    const part = landlord === null ? null : seat === landlord ? t('Landlord') : t('Farmer');
    const mark = part && h('span', { class: `role ${seat === landlord ? 'lord' : 'farmer'}`, lang: 'zh', role: 'img', 'aria-label': part, title: part }, inScript(seat === landlord ? '主' : '农'));
    return h('li', { class: seat === view.me ? 'mine' : '' },
      h('span', { class: 'who-cell' }, h('span', { class: `ava hue-${hue(name)}`, 'aria-hidden': 'true' }, initial(name)), h('span', {}, name, mark && [' ', mark], h('small', {}, seat === view.me ? [t('you'), left].filter(Boolean).join(', ') : left))),
      out ? h('span', { class: 'out' }, icon('check'), t('Went out')) : h('span', { class: 'mini', vars: { '--n': Math.max(2, cards.length) } }, cards.map(face)),
      settlement ? h('span', { class: 'score' }, signed(settlement.points[seat]), h('small', {}, t('points'))) : h('span', {}),
      coins ? h('span', { class: `net ${sign(settlement.net[seat])}` }, signed(settlement.net[seat]), h('small', {}, this.coins)) : h('span', {}));
  }

  #reckoning(view, result, order, coins) {
    const names = view.seats.map((_, seat) => this.#name(view, result, seat));
    const context = { view, find: (name) => result.reasons.find((row) => row.row === name), who: (seat) => names[seat] };
    const rows = result.reasons.filter((row) => !UNTOLD.includes(row.row) && row.values).map((row) => rowOf(row, context));
    if (!rows.length) return null;
    const foot = result.reasons.find((row) => row.row === 'coins')?.values ?? (coins ? result.settlement.net : result.settlement.points);
    return h('section', { class: 'reckon', 'aria-labelledby': 'reck-h' }, h('h2', { id: 'reck-h' }, t('How it was reckoned')),
      h('div', { class: 'scroll-x', tabindex: '0' }, h('table', {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, h('span', { class: 'vh' }, t('Reason'))), order.map((seat) => h('th', { scope: 'col' }, names[seat])))),
        h('tbody', {}, rows.map(([heading, small, cells]) => h('tr', {}, h('th', { scope: 'row' }, heading, small && h('small', {}, small)), order.map((seat) => h('td', {}, cells[seat] && h('span', { class: cells[seat][1] }, cells[seat][0])))))),
        h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, coins ? upper(this.coins) : t('Points')), order.map((seat) => h('td', { class: sign(foot[seat]) }, signed(foot[seat]))))))));
  }

  #buttons(view) {
    const { can } = view;
    const key = `${can.ready}|${can.stand}|${view.seats.map((s) => s?.ready)}`;
    if (this.footer.dataset.key === key) return;
    this.footer.dataset.key = key;
    this.clock = h('span', { 'aria-label': t('seconds left') });
    const ready = view.me !== null && view.seats[view.me]?.ready;
    put(this.footer,
      this.deals && h('a', { class: 'btn quiet', href: `${this.deals}${this.shown}/#fair`, target: '_blank' }, icon('shield'), t('Check the shuffle')),
      this.deals && view.me !== null && view.terms.currency !== 'none' && h('a', { class: 'btn quiet', href: `/complaints/new/?deal=${encodeURIComponent(this.shown)}`, target: '_blank' }, icon('flag'), t('Report')),
      h('span', { class: 'end' },
        can.stand && h('button', { class: 'btn', type: 'button', on: { click: () => this.on('stand') } }, t('Stand up')),
        can.ready ? h('button', { class: 'btn main', type: 'button', on: { click: () => this.on('start') } }, t('Next deal') + ' ', this.clock)
          : ready && h('span', { class: 'chip jade' }, icon('check'), t('You are ready') + ' ', this.clock)));
    attr(this.footer, 'hidden', !this.footer.textContent);
  }
}

function stamp(result, won, me) {
  if (result.how === 'void') return '散';
  if (result.how === 'escaped') return '逃';
  if (me === null) return '终';
  return won > 0 || result.winner === me ? '胜' : won < 0 ? '负' : '平';
}
