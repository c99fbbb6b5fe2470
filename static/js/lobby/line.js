// One socket to the lobby. It only listens; what arrives is handed on as events:
//   lobby {tiers, tables, busy}   you {balance, seat, ticket, refused}   match {table}   line {state, code}
const LONGEST_WAIT = 8000;
const HEARTBEAT = 15000;
const WAITS = { 1012: 3000, 4429: 30000 }; // the house is busy; we came too often
const FOR_GOOD = new Set([1008, 1009, 4401, 4403]);

export class Line extends EventTarget {
  #socket = null; #tries = 0; #timer = 0; #watch = 0; #heard = 0; #pong = 0; #owed = null;

  constructor() {
    super();
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#hurry(); });
    addEventListener('pagehide', () => this.#drop());
    addEventListener('pageshow', (event) => { if (event.persisted) this.open(); });
  }

  open() {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/lobby/`);
    this.#socket = socket;
    this.#heard = performance.now();
    this.#watch = setInterval(() => { if (performance.now() - this.#heard > HEARTBEAT * 2.2) this.#closed(1006); }, 2000);
    socket.onmessage = (event) => { if (socket === this.#socket) this.#take(JSON.parse(event.data)); };
    socket.onclose = (event) => { if (socket === this.#socket) this.#closed(event.code); };
  }

  #take(message) {
    this.#heard = performance.now();
    if (this.#tries || message.type === 'lobby') { this.#tries = 0; this.#tell('line', { state: 'open' }); }
    if (message.seq !== undefined) { this.#owed = message.seq; this.#pongSoon(); }
    this.#tell(message.type, message);
  }

  // What has a number is answered by a pong, at most one a second.
  #pongSoon() {
    if (this.#pong || this.#owed === null || this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ type: 'pong', seq: this.#owed }));
    this.#owed = null;
    this.#pong = setTimeout(() => { this.#pong = 0; this.#pongSoon(); }, 1000);
  }

  // Many pages lose their line at the same moment: each comes back at one of its own.
  #closed(code) {
    this.#drop();
    if (FOR_GOOD.has(code)) { this.#tell('line', { state: 'closed', code }); return; }
    this.#tell('line', { state: 'lost', code });
    const wait = WAITS[code] ?? Math.min(LONGEST_WAIT, 500 * 2 ** this.#tries);
    this.#tries += 1;
    this.#timer = setTimeout(() => this.open(), wait * (0.3 + Math.random() * 0.7));
  }

  #drop() {
    clearInterval(this.#watch);
    clearTimeout(this.#timer);
    this.#owed = null;
    const socket = this.#socket;
    this.#socket = null;
    if (socket && socket.readyState <= WebSocket.OPEN) socket.close();
  }

  #hurry() { if (!this.#socket) { this.#tries = 0; this.open(); } }
  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
