// One socket to one table. A command is kept in this tab until it is answered, over a reload too, and sent again with
// the same id; the server answers an id it has taken with its first answer. What arrives is handed on as events:
//   view {seq, events, view}   answer {id, sent, ok, code, detail}   hint {turn, plays}   watchers {n}   notice {code, detail}
//   line {state, code}
import { tab } from '../lib/keep.js';

const LONGEST_WAIT = 3000;
const HEARTBEAT = 15000;
const ANSWER_WAIT = 6000;
const WAITS = { 1012: 3000, 4429: 30000 }; // the house is busy; we came too often
const FOR_GOOD = new Set([1008, 1009, 4401, 4403, 4409]);

export class Connection extends EventTarget {
  #address; #socket = null; #seq = 0; #told = 0; #asked = -1; #tries = 0; #timer = 0; #watch = 0; #pong = 0; #owed = null;
  #answers = new Map(); #heard = 0; #key; #pending; #fresh = false;

  constructor(code) {
    super();
    this.#address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/table/${code}/`;
    this.#key = `pending.${code}`;
    this.#pending = new Map(tab.get(this.#key, []));
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#hurry(); });
  }

  // --- the line ---------------------------------------------------------------------------------
  open() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#tell('line', { state: this.#tries ? 'lost' : 'connecting' });
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    this.#fresh = true;
    socket.onopen = () => {
      this.#heard = performance.now();
      if (this.#seq) this.#resync();
      this.#watch = setInterval(() => this.#guard(), 2000);
    };
    socket.onmessage = (event) => { if (socket === this.#socket) this.#take(JSON.parse(event.data)); };
    socket.onclose = (event) => { if (socket === this.#socket) this.#closed(event.code); };
  }

  #closed(code) {
    this.#drop();
    if (FOR_GOOD.has(code)) { this.#tell('line', { state: 'closed', code }); return; }
    this.#tell('line', { state: 'lost', code });
    const wait = WAITS[code] ?? Math.min(LONGEST_WAIT, 300 * 2 ** this.#tries);
    this.#tries += 1;
    this.#timer = setTimeout(() => this.open(), wait * (0.3 + Math.random() * 0.7));
  }

  #drop() {
    clearInterval(this.#watch);
    this.#owed = null;
    const socket = this.#socket;
    this.#socket = null;
    if (socket && socket.readyState <= WebSocket.OPEN) socket.close();
  }

  // A line can die without a word: silence beyond two heartbeats, or a command nobody answers, and it is taken anew.
  #guard() {
    const now = performance.now();
    const unanswered = [...this.#answers.values()].some((at) => now - at > ANSWER_WAIT);
    if (now - this.#heard > HEARTBEAT * 2.2 || unanswered) this.#closed(1006);
  }

  #hurry() {
    if (this.#socket?.readyState === WebSocket.OPEN) { if (this.#seq) this.#resync(); return; }
    if (this.#timer && !this.#socket) { this.#tries = 0; this.open(); }
  }

  // --- what arrives --------------------------------------------------------------------------------
  #take(message) {
    this.#heard = performance.now();
    if (message.type === 'view') this.#view(message);
    else if (message.type === 'ack') this.#answered(message.id, { ok: true, seq: message.seq });
    else if (message.type === 'refused') this.#answered(message.id, { ok: false, code: message.code, detail: message.detail });
    else if (message.type === 'head') { if (message.seq > this.#seq) setTimeout(() => { if (message.seq > this.#seq) this.#resync(); }, 300); }
    else if (message.type === 'hint') this.#tell('hint', message);
    else if (message.type === 'notice' || message.type === 'watchers') this.#tell(message.type, message);
    if (message.type === 'view' || message.type === 'head') { this.#owed = message.seq; this.#pongSoon(); }
  }

  // The first view of a new line is a snapshot; what was missed comes as the answer to the resync sent on opening it.
  #view(message) {
    if (message.seq < this.#seq) return;
    const snapshot = this.#seq === 0;
    const first = message.events[0]?.seq;
    if (first !== undefined && this.#told > 0 && first > this.#told + 1 && this.#asked !== this.#told) { this.#resync(); return; }
    const events = message.events.filter((event) => event.seq > this.#told);
    if (message.events.length || snapshot || !this.#fresh) this.#told = message.seq;
    this.#seq = message.seq;
    this.#tries = 0;
    if (this.#fresh) { this.#fresh = false; this.#tell('line', { state: 'open' }); this.#again(); }
    this.#tell('view', { seq: message.seq, events, view: message.view, people: message.people ?? null, snapshot });
  }

  #resync() { this.#asked = this.#told; this.#write({ type: 'resync', seq: this.#told }); }

  // Views and heads are answered by a pong, at most one a second.
  #pongSoon() {
    if (this.#pong || this.#owed === null) return;
    if (this.#write({ type: 'pong', seq: this.#owed })) this.#owed = null;
    this.#pong = setTimeout(() => { this.#pong = 0; this.#pongSoon(); }, 1000);
  }

  // --- what is sent -----------------------------------------------------------------------------------
  send(command) {
    const id = newId();
    this.#pending.set(id, command);
    this.#keep();
    this.#put(id, command);
    return id;
  }

  // A question changes nothing at the table: it is neither kept nor sent again. False: the line is not open.
  ask(question) { return this.#write({ ...question, id: newId() }); }

  get pending() { return [...this.#pending.values()]; }
  get seq() { return this.#seq; }

  #again() { for (const [id, command] of this.#pending) this.#put(id, command); }
  #put(id, command) { if (this.#write({ ...command, id })) this.#answers.set(id, performance.now()); }
  #keep() { tab.set(this.#key, [...this.#pending]); }

  #answered(id, answer) {
    this.#answers.delete(id);
    const sent = this.#pending.get(id);
    if (!sent && id) return;
    this.#pending.delete(id);
    this.#keep();
    this.#tell('answer', { id, sent, ...answer });
  }

  #write(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }
  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}

export function randomHex(bytes) {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((b) => b.toString(16).padStart(2, '0')).join('');
}
const newId = () => randomHex(12);
