// The chat page. The server renders turns and Markdown; this follows runs and shows what comes.

import { Composer } from "./composer.js";
import { Connection } from "./connection.js";
import { addCodeButtons, copyFrom } from "./copying.js";
import { Scrolling } from "./scrolling.js";
import { addThread, awaitTitle, setUpSidebar, showTitle } from "./sidebar.js";
import { Turn } from "./turn.js";

const LONGEST_ANNOUNCEMENT = 2_000;
const LARGEST_QUESTION = 250 * 1024; // in bytes: the socket closes on a frame of more than 256 KiB

function fitsFrame(text) {
  return new TextEncoder().encode(JSON.stringify(text)).length <= LARGEST_QUESTION;
}

class ChatPage {
  turns = new Map(); // by task id
  pending = new Map(); // turns that are not acknowledged yet, by request id
  held = new Map(); // frames of runs whose turn is being fetched, by task id

  constructor(root) {
    this.root = root;
    this.texts = JSON.parse(document.getElementById("texts").textContent);
    this.base = root.dataset.base;
    this.isDraft = "draft" in root.dataset;
    this.isUntitled = "untitled" in root.dataset; // the server has not named the conversation yet
    this.list = root.querySelector("[data-turns]");
    this.live = root.querySelector("[data-live]");
    this.banner = root.querySelector("[data-banner]");
    this.composer = new Composer(root.querySelector("[data-composer]"), (text) => this.ask(text));
    this.scrolling = new Scrolling(
      root.querySelector("[data-scroller]"),
      root.querySelector(".column"),
      root.querySelector("[data-to-end]"),
    );
    this.adopt(this.list);
    setUpSidebar(this.base);
    root.addEventListener("click", (event) => this.click(event));
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.catchUp());
    this.connection = new Connection("/ws/chat/?render=html", {
      open: () => this.connected(),
      frame: (frame) => this.frame(frame),
      lost: () => this.say(this.texts.reconnecting),
      slowed: () => this.say(this.texts.slow_down, true),
      ended: (reason) => this.ended(reason),
    });
    this.refreshBusy();
    this.learnTitle();
  }

  get conversation() {
    return this.root.dataset.conversation;
  }

  threadUrl(rest = "") {
    return `${this.base}c/${this.conversation}/${rest}`;
  }

  // What the person does.

  // False when the text cannot be sent.
  ask(text) {
    if (!fitsFrame(text)) {
      this.say(this.texts.too_long, true);
      return false;
    }
    this.say("");
    const requestId = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    const turn = this.newTurn(text);
    this.list.append(turn.element);
    this.root.querySelector("[data-opening]")?.remove();
    this.pending.set(requestId, { turn, text });
    this.scrolling.toEnd();
    const frame = { type: "send", app: this.root.dataset.app, query: text, client_request_id: requestId };
    if (this.conversation) frame.conversation = this.conversation;
    if (this.isDraft) frame.draft = true;
    this.connection.sendSurely(frame);
    if (!this.connection.isOpen) this.say(this.texts.offline);
    this.refreshBusy();
    return true;
  }

  askAgain(element) {
    if (!this.connection.isOpen) return this.say(this.texts.reconnecting, true);
    const requestId = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    const turn = this.newTurn(element.querySelector(".question p").textContent);
    this.pending.set(requestId, { turn, replaced: element });
    element.replaceWith(turn.element);
    this.connection.send({ type: "regenerate", message: element.dataset.message, client_request_id: requestId });
    this.refreshBusy();
    this.composer.field.focus();
  }

  stop() {
    const turn = [...this.turns.values()].find((other) => !other.isFinished);
    if (!turn) return;
    turn.label(this.texts.stopping);
    this.connection.send({ type: "stop", task_id: turn.taskId });
  }

  click({ target }) {
    const turn = target.closest(".turn");
    const suggestion = target.closest("[data-suggestion]");
    const code = target.closest(".copy-code");
    const answer = target.closest("[data-copy-answer]");
    const earlier = target.closest("[data-earlier]");
    if (suggestion) this.ask(suggestion.textContent);
    if (target.closest("[data-stop]")) this.stop();
    if (target.closest("[data-regenerate]")) this.askAgain(turn);
    if (earlier) this.showEarlier(earlier);
    if (code) copyFrom(code, code.parentElement.querySelector("code").textContent, this.live, this.texts);
    if (answer) copyFrom(answer, turn.querySelector("[data-answer]").innerText, this.live, this.texts);
  }

  // What comes over the wire.

  connected() {
    this.say("");
    if (this.conversation) this.connection.send({ type: "watch", conversation: this.conversation });
    for (const turn of this.turns.values()) {
      if (!turn.isFinished) this.connection.send({ type: "attach", task_id: turn.taskId, after: turn.seq });
    }
  }

  frame(frame) {
    if (frame.type === "event") this.event(frame);
    else if (frame.type === "html") this.turns.get(frame.task_id)?.show(frame);
    else if (frame.type === "ack" && frame.client_request_id) this.acknowledged(frame);
    else if (frame.type === "error") this.refused(frame);
  }

  acknowledged(frame) {
    this.connection.done(frame.client_request_id);
    const asked = this.pending.get(frame.client_request_id);
    if (!asked) return;
    this.pending.delete(frame.client_request_id);
    asked.turn.name(frame);
    if (this.isBusy) asked.turn.label(this.texts.waiting);
    this.turns.set(frame.task_id, asked.turn);
    if (!this.conversation) this.begin(frame.conversation_id, asked.text);
    this.refreshBusy();
  }

  begin(conversationId, title) {
    this.root.dataset.conversation = conversationId;
    history.replaceState(null, "", this.threadUrl());
    addThread(this.base, conversationId);
    this.showTitle(title);
    this.isUntitled = true;
    this.connection.send({ type: "watch", conversation: conversationId });
  }

  event(frame) {
    const turn = this.turns.get(frame.task_id);
    if (!turn) return this.eventOfOtherPage(frame);
    const isLast = this.scrolling.keepEnd(() => turn.take(frame));
    const seq = isLast ? turn.seq : turn.dueAck();
    if (seq) this.connection.send({ type: "ack", task_id: frame.task_id, seq });
    if (isLast) this.finished(turn);
    if (isLast) this.learnTitle();
  }

  // The server names a conversation soon after its first answer.
  async learnTitle() {
    if (!this.isUntitled || this.isBusy) return;
    this.isUntitled = false;
    const title = await awaitTitle(this.conversation);
    if (title) this.showTitle(title);
    else this.isUntitled = true;
  }

  showTitle(title) {
    showTitle(this.conversation, title, { place: this.root.dataset.place, more: this.texts.thread_more });
  }

  // Another page asked in this conversation: fetch its turn, then take what came meanwhile.
  async eventOfOtherPage(frame) {
    const held = this.held.get(frame.task_id);
    if (held) return held.push(frame);
    if (frame.event !== "run_started" || frame.conversation_id !== this.conversation) return;
    this.held.set(frame.task_id, [frame]);
    await this.catchUp();
    const frames = this.held.get(frame.task_id);
    this.held.delete(frame.task_id);
    if (this.turns.has(frame.task_id)) for (const later of frames) this.event(later);
  }

  refused(frame) {
    const asked = this.pending.get(frame.client_request_id);
    if (frame.client_request_id) this.connection.done(frame.client_request_id);
    if (asked) {
      this.pending.delete(frame.client_request_id);
      asked.turn.finish();
      if (asked.replaced) asked.turn.element.replaceWith(asked.replaced);
      else asked.turn.element.remove();
      if (asked.text) this.composer.setText(asked.text);
    }
    this.say(frame.message, true);
    this.refreshBusy();
  }

  ended(reason) {
    if (reason === "unauthenticated") location.assign(`/accounts/login/?next=${encodeURIComponent(location.pathname)}`);
    else this.say(this.texts.forbidden, true);
  }

  // What is stored takes the place of what was streamed: the same text, with its steps and figures.
  async finished(turn) {
    this.refreshBusy();
    const text = turn.answer.textContent.slice(0, LONGEST_ANNOUNCEMENT);
    const stored = await this.fetchPart(this.threadUrl(`turns/${turn.messageId}/`));
    if (stored) {
      const focus = turn.element.contains(document.activeElement);
      const element = stored.firstElementChild;
      this.scrolling.keepEnd(() => {
        turn.element.replaceWith(element);
        this.adopt(element.parentElement, element);
      });
      if (focus) this.composer.field.focus();
      const note = element.querySelector("[data-note]")?.textContent ?? "";
      this.live.textContent = `${text ? this.texts.answered.replace("%s", text) : ""} ${note.trim()}`;
    }
    this.refreshBusy();
  }

  // Turns that came while this page did not look.
  async catchUp() {
    const known = [...this.list.querySelectorAll("[data-message]")].at(-1);
    if (!this.conversation || !known || this.pending.size) return;
    const part = await this.fetchPart(this.threadUrl(`turns/?after=${known.dataset.message}`));
    if (!part) return;
    for (const element of [...part.querySelectorAll(".turn")]) {
      if (this.list.querySelector(`[data-message="${element.dataset.message}"]`)) continue;
      this.list.append(element);
      const turn = this.adopt(this.list, element);
      if (!turn.isFinished && !this.held.has(turn.taskId)) {
        this.connection.send({ type: "attach", task_id: turn.taskId, after: 0 });
      }
    }
    this.refreshBusy();
  }

  async showEarlier(button) {
    const part = await this.fetchPart(this.threadUrl(`turns/?upto=${button.dataset.earlier}`));
    if (!part) return;
    this.scrolling.keepPlace(() => {
      addCodeButtons(part, this.texts);
      this.setUpSteps(part);
      button.parentElement.replaceWith(...part.childNodes);
    });
  }

  async fetchPart(url) {
    const response = await fetch(url, { headers: { Accept: "text/html" } }).catch(() => null);
    if (response?.status === 205) return location.reload();
    if (!response?.ok) return this.say(this.texts.failed, true);
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    return template.content;
  }

  // The page's own state.

  newTurn(text) {
    const element = document.getElementById("turn-template").content.firstElementChild.cloneNode(true);
    element.querySelector(".question p").textContent = text;
    return new Turn(element, this.texts);
  }

  // Make turns that the server rendered known: all below `root`, or `only` one.
  adopt(root, only = null) {
    let turn = null;
    for (const element of only ? [only] : root.querySelectorAll(".turn")) {
      turn = new Turn(element, this.texts);
      this.turns.set(turn.taskId, turn);
      addCodeButtons(element, this.texts);
      this.setUpSteps(element);
    }
    return turn;
  }

  setUpSteps(root) {
    for (const details of root.querySelectorAll("[data-steps]")) {
      const message = details.closest(".turn").dataset.message;
      details.addEventListener("toggle", async () => {
        const place = details.querySelector("[data-steps-place]");
        if (!details.open || place.childElementCount) return;
        const part = await this.fetchPart(this.threadUrl(`turns/${message}/steps/`));
        if (part) place.replaceChildren(part);
      });
    }
  }

  get isBusy() {
    return [...this.turns.values()].some((turn) => !turn.isFinished);
  }

  refreshBusy() {
    this.composer.setBusy(this.isBusy);
  }

  say(text, isError = false) {
    this.banner.textContent = text;
    this.banner.hidden = !text;
    this.banner.classList.toggle("is-error", isError);
  }
}

new ChatPage(document.querySelector("[data-chat]"));
