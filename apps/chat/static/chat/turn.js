// One turn on the page while its run is followed.

import { addCodeButtons } from "./copying.js";

const ACK_EVERY = 32;
const TERMINAL = new Set(["agent_end", "stop", "error", "timeout"]);

export class Turn {
  seq = 0;
  isFinished = false;
  #acked = 0;
  #blocks = new Map();
  #since = performance.now();
  #timer = 0;

  constructor(element, texts) {
    this.element = element;
    this.texts = texts;
    this.answer = element.querySelector("[data-answer]");
    this.working = element.querySelector("[data-working]");
    this.isFinished = !("unfinished" in element.dataset);
    if (!this.isFinished) this.#timer = setInterval(() => this.#showTime(), 1000);
  }

  get taskId() {
    return this.element.dataset.task;
  }

  get messageId() {
    return this.element.dataset.message;
  }

  // From an acknowledged question: its ids.
  name({ task_id, message_id }) {
    this.element.dataset.task = task_id;
    this.element.dataset.message = message_id;
    this.label(this.texts.thinking);
  }

  label(text) {
    this.working.querySelector("[data-label]").textContent = text;
  }

  // Take an event that follows on what is shown; true when it was the last one.
  take(frame) {
    const isSnapshot = frame.event === "snapshot";
    if (this.isFinished || (frame.seq && frame.seq <= this.seq && !isSnapshot)) return false;
    this.seq = Math.max(this.seq, frame.seq ?? 0);
    this.show(frame);
    const label = this.#labelOf(frame);
    if (label) this.label(label);
    if (TERMINAL.has(frame.event)) this.finish();
    return this.isFinished;
  }

  // The answer's blocks in a frame: sanitised by the server, and inserted from there only.
  show({ html, html_reset: isReset }) {
    if (!html) return;
    if (isReset) {
      this.#blocks.clear();
      this.answer.replaceChildren();
    }
    for (const block of html) this.#showBlock(block);
  }

  // The number to acknowledge, or 0 when it is not time yet.
  dueAck() {
    if (this.seq - this.#acked < ACK_EVERY) return 0;
    return (this.#acked = this.seq);
  }

  finish() {
    this.isFinished = true;
    clearInterval(this.#timer);
    this.working.hidden = true;
    delete this.element.dataset.unfinished;
  }

  #showBlock({ index, html }) {
    let block = this.#blocks.get(index);
    if (!html) {
      block?.remove();
      this.#blocks.delete(index);
      return;
    }
    if (!block) {
      block = document.createElement("div");
      block.className = "block";
      this.#blocks.set(index, block);
      const next = [...this.#blocks.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
      this.answer.insertBefore(block, this.#blocks.get(next) ?? null);
    }
    block.innerHTML = html;
    addCodeButtons(block, this.texts);
  }

  #labelOf({ event, tool, tool_status: status, answer, reasoning, code, observation }) {
    switch (event) {
      case "run_started":
        return this.texts.thinking;
      case "long_term_memory_recall":
        return this.texts.remembering;
      case "agent_message":
        return answer ? this.texts.writing : reasoning ? this.texts.reasoning : "";
      case "agent_action":
      case "dataset_retrieval":
        return status === "pending" ? this.texts.using.replace("%s", tool.replaceAll("_", " ")) : this.texts.thinking;
      case "agent_thought":
        return (code && observation) || this.texts.thinking;
      default:
        return "";
    }
  }

  #showTime() {
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    if (seconds >= 2) this.working.querySelector("[data-time]").textContent = `${seconds} s`;
  }
}
