// The table page: takes views from the connection, draws them whole, animates the events that led to them, and sends
// what the player does. It never decides what may be played: it asks the view (`can`).
import { $, $$, attr, put, h, text } from '../lib/dom.js';
import { t, upper } from '../lib/i18n.js';
import { tab } from '../lib/keep.js';
import { openPop } from '../page.js';
import { Acts, mustBeat } from './acts.js';
import { answerOf, inAuction, why as auctionWhy } from './auction.js';
import { Connection, randomHex } from './connection.js';
import { eventLine } from './events.js';
import { Hand } from './hand.js';
import { Keys } from './keys.js';
import { Offers, hand as handOf, myTurn, mySeat, nameOf, places } from './model.js';
import { Motion } from './motion.js';
import { drawEscape, drawFair, drawLeaveMenu, drawSettings, drawWatchers, showGone, stoodWords } from './panels.js';
import { landlordOf } from './reckoning.js';
import { Receipt } from './receipt.js';
import { Seats } from './seats.js';
import { sound } from './sound.js';
import { Stakes } from './stakes.js';
import { Talk } from './talk.js';
import { Trick } from './trick.js';
import { calledOut, phrase, refusal, timeOutWarning } from './words.js';

const { table: code, room, coins, login, deals, purse } = document.body.dataset;
const WARN_MS = 7000;
const BUBBLE_MS = 4500;

class TablePage {
  view = null; at = 0; offers = null; line = 'connecting'; warning = null; hinted = null; advice = null; was = null; lastTurn = null; lead = true; secondsSaid = null; people = null; watchers = 0; shut = null; balance = purse ? Number(purse) : null;

  constructor() {
    this.seats = new Seats($$('.seat, #me'));
    this.trick = new Trick($('#trick'));
    this.stakes = new Stakes($('#stakes'), $('#counter'), coins);
    this.hand = new Hand($('#hand'));
    this.acts = new Acts($('#why'), $('#acts'), (name, value) => this.act(name, value));
    this.receipt = new Receipt($('#over'), { room, table: code, coins, deals, on: (name) => this.act(name) });
    this.talk = new Talk(code, { say: (words) => this.connection.send({ type: 'say', ...words }), words: (line) => this.words(line) });
    this.motion = new Motion($('#content'), this.trick, this.hand, this.seats);
    this.keys = new Keys({ act: (name) => this.key(name), hand: this.hand, bids: (key) => this.answer(key) });
    this.connection = new Connection(code);
    this.hand.addEventListener('pick', () => { this.warning = null; sound.cue('pick'); this.redraw(); });
    this.connection.addEventListener('line', ({ detail }) => this.lineChanged(detail));
    this.connection.addEventListener('view', ({ detail }) => this.take(detail));
    this.connection.addEventListener('answer', ({ detail }) => this.answered(detail));
    this.connection.addEventListener('hint', ({ detail }) => this.advised(detail));
    this.connection.addEventListener('notice', ({ detail }) => this.noticed(detail));
    this.connection.addEventListener('watchers', ({ detail }) => { this.watchers = detail.n; if (this.view) drawWatchers(this.view, detail.n); });
    this.controls();
    setInterval(() => this.tick(), 250);
    this.redraw();
    this.connection.open();
  }

  controls() {
    const soundSwitch = $('#sound-switch');
    const showSound = () => { attr(soundSwitch, 'aria-pressed', String(sound.on)); soundSwitch.classList.toggle('off', !sound.on); };
    sound.changed = showSound;
    showSound();
    soundSwitch.addEventListener('click', () => sound.set(!sound.on));
    $('#keys-open').addEventListener('click', () => this.act('keys'));
    $('#escape-yes').addEventListener('click', () => { $('#escape').close(); this.connection.send({ type: 'leave', ...this.inDeal() }); });
    $('[data-leave-link]').addEventListener('click', (event) => {
      if (this.view?.phase === 'playing' && this.view.me !== null) { event.preventDefault(); this.act('leave'); }
    });
  }

  // --- what the connection says ---------------------------------------------------------------------
  lineChanged({ state, code: why }) {
    this.line = state === 'closed' ? (why === 4409 ? 'replaced' : 'closed') : state;
    attr($('#content'), 'data-line', this.line);
    const lobby = { label: t('To the lobby'), href: '/' };
    const again = { label: t('Connect again'), act: () => this.connection.open(), main: true };
    if (state === 'closed' && why === 4401) showGone({ title: t('You are logged out'), words: t('Log in again to come back to your seat.'), answers: [{ label: t('Log in'), href: login, main: true }] });
    if (state === 'closed' && why === 4403 && !this.gone) showGone({ title: t('This table is not open to you'), words: this.shut ?? t('It is closed, private, or you have no seat here.'), answers: [{ ...lobby, main: true }] });
    if (state === 'closed' && (why === 1008 || why === 1009)) showGone({ title: t('The line was closed'), words: t('Too much was sent at once.'), answers: [lobby, again] });
    this.redraw();
  }

  // A word before the line is closed, or beside the game.
  noticed({ code: what, detail }) {
    if (what === 'no_spectators' || what === 'table_closed') this.shut = refusal(what, detail);
    else if (what === 'stood') this.barred = detail;
    else if (what !== 'replaced' && what !== 'no_seat') this.warn(refusal(what, detail));
  }

  answered({ sent, ok, code: why, detail }) {
    if (!ok) this.warn(refusal(why, detail));
    if (sent?.type === 'leave' && ok) this.left = true;
    this.redraw();
  }

  take({ events, view, people, snapshot }) {
    const before = this.motion.look();
    const old = this.view;
    this.view = view;
    this.people = people ?? this.people;
    this.at = performance.now();
    this.offers = new Offers(view);
    if (this.advice && this.advice.turn === view.deal?.turn_number) this.offers.prefer(this.advice.plays);
    if (old?.deal?.turn_number !== view.deal?.turn_number) this.hinted = null;
    this.draw();
    this.tell(events, old);
    if (!snapshot) this.motion.play(before, this.changes(events, old));
    this.tick();
    this.goneFrom(events, old);
  }

  // What moved between two views, for the eye.
  changes(events, old) {
    const { view } = this;
    const at = places(view);
    const dealt = events.some((event) => event.kind === 'deal_opened') && view.deal
      ? view.seats.flatMap((seat, i) => (seat && i !== view.me ? [[i, view.deal.state.counts[i]]] : [])) : null;
    const acts = events.filter((event) => event.kind === 'acted');
    const plays = acts.filter((event) => event.action.startsWith('play ') && view.seats[event.seat]?.last?.cards === event.action.slice(5))
      .map((event) => ({ seat: event.seat, place: at[event.seat] }));
    const over = !dealt && old?.deal?.state.standing && view.deal?.id === old.deal.id && !view.deal.state.standing;
    const passed = acts.at(-1)?.action === 'pass' ? at[acts.at(-1).seat] : null;
    const turned = !dealt && view.me !== null && old?.deal?.id === view.deal?.id && old?.deal?.state.hand === null && view.deal?.state.hand !== null;
    const called = acts.map((event) => calledOut(event.combo, Boolean(view.deal?.stakes))).filter(Boolean).at(-1) ?? null;
    return { dealt, turned, plays, called, cleared: over ? { winner: old.deal.state.standing.seat, passed } : null, bomb: acts.some((event) => event.combo === 'bomb' || event.combo === 'rocket') };
  }

  // What I had when the page came, and what the deals since then have brought.
  reckon(event) {
    const { me, result } = this.view;
    if (this.balance !== null && me !== null && event.kind === 'deal_closed' && result?.deal === event.deal) this.balance += result.settlement?.net[me] ?? 0;
  }

  // Log, live lines, sounds, bubbles.
  tell(events, old) {
    const { view } = this;
    const names = view.seats.map((seat, i) => seat?.name || old?.seats[i]?.name || nameOf(view, i));
    const who = (seat) => names[seat];
    const aloud = [];
    const leader = view.deal && !inAuction(view) && !events.some((event) => event.kind === 'acted') ? view.deal.state.turn : null;
    for (const event of events) {
      if (event.kind === 'deal_opened') this.lead = true;
      const line = { seq: event.seq, event, names, lead: this.lead, leader, result: event.kind === 'deal_closed' ? endOf(view.result) : null };
      if (event.kind === 'acted') this.lead = event.action === 'pass' ? this.lead : false;
      if (!this.record(event, line)) continue;
      this.listen(event);
      this.reckon(event);
      if (event.kind !== 'said' && event.seat !== view.me) aloud.push(this.words(line));
      if (event.kind === 'timed_out' && event.seat === view.me && event.times < 3) this.warn(timeOutWarning(event.times, view.terms.leaves));
    }
    if (view.deal && !view.deal.state.standing) this.lead = true;
    const add = (event) => { const line = { event, names, main: true }; this.talk.add(line); aloud.push(this.words(line)); };
    for (const event of this.became(events, old)) add(event);
    const ones = view.seats.flatMap((seat, i) => (seat?.count === 1 && old?.seats[i]?.count > 1 && view.phase === 'playing' ? [i] : []));
    for (const seat of ones) {
      sound.cue('last');
      if (seat !== view.me) add({ kind: 'one_left', seat });
    }
    const words = aloud.filter(Boolean).map(upper).join(' ');
    if (words) text($('#say-then'), words);
    this.announceTurn();
  }

  // What no event says by itself: which card was shown, and who has become landlord.
  became(events, old) {
    const { deal } = this.view;
    if (!deal) return [];
    const { shown, turn, landlord } = deal.state;
    const told = [];
    if (shown && inAuction(this.view) && events.some((event) => event.kind === 'deal_opened')) told.push({ kind: 'shown', seat: turn, card: shown });
    const cause = deal.stakes?.rows.find((row) => row.seat === landlord && landlordOf([row]) === landlord);
    if (cause && old?.deal?.id === deal.id && old.deal.state.landlord === null) told.push({ kind: 'landlord', seat: landlord, cause: cause.cause, n: cause.values[landlord] });
    return told;
  }

  words({ event, names, lead, leader, result }) {
    return eventLine(event, { who: (seat) => names[seat] ?? '', lead, leader, result, coins, leaves: this.view?.terms.leaves ?? false });
  }

  // Put an event among the lines; false when it stands there already.
  record(event, line) {
    if (event.kind === 'said') {
      const name = line.names[event.seat];
      const mine = event.seat === this.view.me;
      const user = mine ? null : this.view.seats[event.seat]?.user ?? null;
      const fresh = this.talk.add({ seq: event.seq, name, mine, user, words: event.text, phrase: event.phrase });
      if (fresh && !this.talk.isHushed(user)) { this.seats.of(event.seat)?.say(event.text ?? phrase(event.phrase), BUBBLE_MS); if (!mine) sound.cue('message'); }
      return fresh;
    }
    if (!this.words(line)) return true;
    const main = ['deal_opened', 'deal_closed', 'absence_began', 'sat', 'stood', 'leave_settled'].includes(event.kind);
    return this.talk.add({ ...line, main });
  }

  listen(event) {
    if (event.kind === 'deal_opened') sound.cue('deal');
    if (event.kind === 'acted') sound.cue(event.action === 'pass' ? 'pass' : event.combo === 'bomb' || event.combo === 'rocket' ? event.combo : 'play');
    const settlement = this.view.result?.settlement;
    if (event.kind === 'deal_closed' && this.view.me !== null && settlement) this.sing(settlement, this.view);
  }

  // How it ended for me; then the coins, after the last of the three notes.
  sing({ points, net }, { me, terms }) {
    sound.cue(points[me] >= 0 ? 'won' : 'lost');
    if (terms.currency === 'coins' && net[me] > 0) sound.cue('coin', 0.7);
  }

  announceTurn() {
    const { view } = this;
    const turn = myTurn(view) ? `${view.deal.id}.${view.deal.turn_number}` : null;
    if (turn === this.lastTurn) return;
    this.lastTurn = turn;
    if (!turn || mySeat(view).trustee) return;
    sound.cue('turn');
    const must = [inAuction(view) ? auctionWhy(view, coins)[1] : mustBeat({ view, offers: this.offers })].flat(2).map((part) => part.textContent ?? part).join('') + '.';
    text($('#say-now'), t('Your turn, {n} seconds.', { n: Math.ceil((view.deal.clock?.ms ?? 0) / 1000) }) + ' ' + must);
  }

  // I had a seat and have none any more.
  goneFrom(events, old) {
    const { view } = this;
    if (view.me !== null) { this.was = view.me; return; }
    if (this.was === null || old?.me === null) return;
    const stood = events.find((event) => event.kind === 'stood' && event.seat === this.was);
    const result = view.result;
    const escaped = result?.how === 'escaped' && result.seat === this.was;
    const lobby = { label: t('To the lobby'), href: '/', main: true };
    const why = stood?.reason === 'barred' ? this.barred : stood?.reason;
    this.was = null;
    this.gone = true;
    if (escaped) showGone({ title: t('You are out of the table'), words: eventLine({ kind: 'deal_closed', how: 'escaped', seat: result.seat, deal: result.deal }, { who: (seat) => old.seats[seat]?.name ?? '', coins, result }), answers: [lobby] });
    else if (stoodWords(why, view.terms.cap)) showGone({ title: t('You have stood up'), words: stoodWords(why, view.terms.cap), answers: [lobby] });
    else location.assign('/');
  }

  // --- drawing ----------------------------------------------------------------------------------------
  draw() {
    const { view } = this;
    const playing = view.phase === 'playing';
    attr($('#content'), 'data-state', view.phase);
    attr($('#content'), 'data-turn', view.deal ? `${view.deal.id}.${view.deal.turn_number}` : null);
    $('#content').classList.toggle('three', view.seats.length === 3);
    const number = view.deal?.number ?? view.result?.number;
    text($('#deal-number'), number ? t('deal {n}', { n: number }) : '');
    this.seats.draw(view, this.people);
    this.stakes.draw(view);
    this.trick.draw(view);
    const cards = playing ? handOf(view) : [];
    const hidden = playing && view.me !== null && view.deal.state.hand === null;
    this.hand.draw(cards, { deal: view.deal?.id ?? null, idle: hidden, backs: hidden ? view.deal.state.counts[view.me] : 0 });
    $('#hand').hidden = view.me === null;
    drawFair(view, tab.get(`nonce.${code}`));
    drawLeaveMenu(view, { coins, on: (name) => this.act(name) });
    if ($('#escape').open) { if (view.can.leave) drawEscape(view, { coins, balance: this.balance }); else $('#escape').close(); }
    this.talk.silence(view.me === null ? t('Only players talk.') : playing && view.terms.anti_cheat ? t('No chat during a deal in anti-cheat rooms.') : null);
    const fresh = !this.receipt.shown && view.result;
    this.receipt.draw(view, { now: new Date().toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }) });
    if (fresh && this.receipt.open) this.motion.count($('[data-count]', $('#over')));
    this.vote();
    drawWatchers(view, this.watchers);
    this.redraw();
  }

  vote() {
    const { view } = this;
    const box = $('#vote');
    const key = view.vote ? `${view.vote.by}|${view.can.answer_leave}` : '';
    box.hidden = !view.vote;
    if (box.dataset.key === key || !view.vote) { box.dataset.key = key; return; }
    box.dataset.key = key;
    const name = nameOf(view, view.vote.by);
    this.voteClock = h('span', { class: 'muted' });
    const { by } = view.vote;
    const answer = (agree) => () => this.connection.send({ type: 'answer_leave', agree, by, ...this.inDeal() });
    put(box,
      h('span', {}, h('b', {}, view.vote.by === view.me ? t('You have asked to end the deal.') : t('{name} asks to end the deal.', { name })), ' ', t('Nobody pays or scores.'), ' ', this.voteClock),
      view.can.answer_leave && [h('button', { class: 'btn', type: 'button', on: { click: answer(true) } }, t('Agree')), h('button', { class: 'btn main', type: 'button', on: { click: answer(false) } }, t('Play on'))]);
  }

  // An act of mine for this turn is still to be answered.
  busy() { return this.connection?.pending.some((command) => command.type === 'act' && command.turn === this.view?.deal?.turn_number) ?? false; }

  redraw() {
    this.acts.draw({ ...this.times(), view: this.view, offers: this.offers, picked: this.hand.picked, line: this.line, warning: this.warning, busy: this.busy(), coins, order: this.hand.order, folded: this.receipt.folded });
  }

  // --- time: everything is what the view said was left, less what has passed since -----------------------
  times() {
    const { view } = this;
    const passed = performance.now() - this.at;
    const rest = (ms) => (ms === null || ms === undefined ? null : Math.max(0, ms - passed));
    const clock = view?.deal?.clock ?? null;
    return {
      left: clock && (clock.paused ? clock.ms : rest(clock.ms)),
      total: clock?.total_ms || 1,
      turn: clock?.seat ?? null,
      start: rest(view?.start_ms),
      vote: rest(view?.vote?.ms),
      lost: view?.seats.map((seat) => rest(seat?.lost_ms)) ?? [],
    };
  }

  tick() {
    const { view } = this;
    if (!view) return;
    const now = this.times();
    view.seats.forEach((_, seat) => {
      const mine = now.turn === seat && view.phase === 'playing' && now.left !== null;
      const seconds = mine ? Math.ceil(now.left / 1000) : null;
      this.seats.of(seat)?.tick({ left: mine ? now.left / now.total : 1, seconds, hurry: mine && seconds <= 5, lost: now.lost[seat] });
    });
    if (this.voteClock && now.vote !== null) text(this.voteClock, t('{n} s', { n: Math.ceil(now.vote / 1000) }));
    this.receipt.tick(now.start);
    this.hurry(now);
    this.redraw();
  }

  hurry(now) {
    if (!myTurn(this.view) || now.left === null) { this.secondsSaid = null; return; }
    const seconds = Math.ceil(now.left / 1000);
    if (seconds > 5 || seconds < 1 || seconds === this.secondsSaid) return;
    this.secondsSaid = seconds;
    sound.cue('second');
    if (seconds === 5) text($('#say-now'), t('5 seconds.'));
  }

  warn(words) {
    this.warning = words;
    text($('#say-now'), words);
    clearTimeout(this.calm);
    this.calm = setTimeout(() => { this.warning = null; this.redraw(); }, WARN_MS);
    this.redraw();
  }

  // What concerns one deal names it, so that it never reaches the next.
  inDeal() { return this.view?.deal ? { deal: this.view.deal.id } : {}; }

  // --- what the player does --------------------------------------------------------------------------------
  act(name, value) {
    const { view } = this;
    const send = (command) => { this.connection.send(command); this.redraw(); };
    const move = (action) => send({ type: 'act', turn: view.deal.turn_number, action });
    const does = {
      play: () => move(this.offers.action(this.hand.picked)),
      pass: () => { this.hand.drop(); move('pass'); },
      act: () => move(value),
      hint: () => this.hint(),
      sort: () => { this.hand.sort(); this.draw(); },
      trustee: () => send({ type: 'trustee', on: true, ...this.inDeal() }),
      resume: () => send({ type: 'trustee', on: false, ...this.inDeal() }),
      start: () => { const nonce = randomHex(16); tab.set(`nonce.${code}`, nonce); send({ type: 'ready', nonce }); },
      stand: () => send({ type: 'stand' }),
      ask_leave: () => send({ type: 'ask_leave', ...this.inDeal() }),
      fold: () => { this.receipt.fold(); this.redraw(); },
      receipt: () => { this.receipt.fold(false); this.redraw(); },
      escape: () => { drawEscape(view, { coins, balance: this.balance }); $('#escape').showModal(); },
      leave: () => { openPop($('#leave'), true); $('#leave button')?.focus(); },
      chat: () => this.talk.open(),
      keys: () => { drawSettings({ sound, keys: this.keys, answers: view?.seats.length === 3 }); $('#keys').showModal(); },
      lobby: () => location.assign('/'),
      here: () => this.connection.open(),
    };
    does[name]?.();
  }

  // The first press of a turn asks which plays are good; each one after it picks the next, the best ones first.
  hint() {
    if (this.advice?.turn !== this.view.deal.turn_number && this.connection.ask({ type: 'hint' })) return;
    this.hinted = this.offers.after(this.hinted);
    this.hand.pick(this.hinted);
  }
  advised(advice) {
    const turn = this.view?.deal?.turn_number;
    if (advice.turn !== turn || this.advice?.turn === turn) return;
    this.advice = advice;
    this.offers.prefer(advice.plays);
    this.hint();
  }

  key(name) {
    if (name === 'drop') { this.hand.drop(); return true; }
    if (name === 'enter') {
      const main = ['play', 'start'].find((act) => this.acts.is(act));
      if (main) this.act(main);
      return Boolean(main);
    }
    if (name === 'fold') { if (!this.receipt.shown) return false; this.act('fold'); return true; }
    if (['pass', 'hint', 'sort'].includes(name) && !this.acts.is(name)) return false;
    if (this.view || name === 'keys') { this.act(name); return true; }
    return false;
  }
  answer(key) {
    const action = this.view && !this.busy() ? answerOf(this.view, key) : null;
    if (action) this.act('act', action);
    return action !== null;
  }
}

// What the log keeps of a finished deal.
const endOf = (result) => (result?.settlement ? { deal: result.deal, names: result.names, landlord: landlordOf(result.reasons), settlement: { points: result.settlement.points, penalties: result.settlement.penalties } } : null);

new TablePage();
