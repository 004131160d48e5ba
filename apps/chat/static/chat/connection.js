// The WebSocket: connects again by itself, and tells the page when it is there.

const PING_EVERY = 25_000;
const ANSWER_WITHIN = 10_000;
const LONGEST_WAIT = 15_000;
const FINAL = { 4401: "unauthenticated", 4403: "forbidden" };
const TOO_MANY = 4429;

export class Connection {
  #socket = null;
  #failures = 0;
  #timer = 0;
  #heard = 0;
  #waiting = [];

  // `on`: open(), frame(frame), lost(), ended(reason), slowed()
  constructor(path, on) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.on = on;
    setInterval(() => this.#ping(), PING_EVERY);
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake());
    this.#connect();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  // Sent now or not at all: for what a new connection says anyway.
  send(frame) {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame));
  }

  // Sent now, and once more on every new connection until `done` is called for it.
  sendSurely(frame) {
    this.#waiting.push(frame);
    this.send(frame);
  }

  done(requestId) {
    this.#waiting = this.#waiting.filter((frame) => frame.client_request_id !== requestId);
  }

  // After sleep or a lost network an old socket may look open: ask it, or connect at once.
  wake() {
    if (this.isOpen) this.#ping();
    else if (this.#socket?.readyState !== WebSocket.CONNECTING) this.#connect();
  }

  #connect() {
    clearTimeout(this.#timer);
    const socket = (this.#socket = new WebSocket(this.url));
    socket.onopen = () => {
      this.#heard = performance.now();
      this.on.open();
      for (const frame of this.#waiting) this.send(frame);
    };
    socket.onmessage = (message) => {
      this.#heard = performance.now();
      this.#failures = 0;
      this.on.frame(JSON.parse(message.data));
    };
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
  }

  #closed(code) {
    if (code in FINAL) return this.on.ended(FINAL[code]);
    this.#failures += 1;
    if (code === TOO_MANY) this.on.slowed();
    else if (this.#failures > 1) this.on.lost();
    const wait = code === TOO_MANY ? LONGEST_WAIT : Math.min(LONGEST_WAIT, 250 * 2 ** this.#failures);
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }

  #ping() {
    if (!this.isOpen) return;
    const asked = performance.now();
    this.send({ type: "ping" });
    const socket = this.#socket;
    setTimeout(() => {
      if (socket !== this.#socket || this.#heard >= asked) return;
      this.#socket = null;
      socket.close();
      this.#connect();
    }, ANSWER_WITHIN);
  }
}
