// The field for the question. `onSend` says whether it took the text. Enter sends, Shift-Enter breaks the line, an input method is left alone.

export class Composer {
  constructor(form, onSend) {
    this.form = form;
    this.field = form.querySelector("textarea");
    this.sendButton = form.querySelector(".send");
    this.stopButton = form.querySelector("[data-stop]");
    this.field.addEventListener("input", () => this.#fit());
    this.field.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word; some browsers only say so by the code 229.
      const isComposing = event.isComposing || event.keyCode === 229;
      if (event.key !== "Enter" || event.shiftKey || isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.field.value.trim();
      if (!text) return;
      if (onSend(text)) this.setText("");
    });
    this.#fit();
  }

  setText(text) {
    this.field.value = text;
    this.#fit();
  }

  setBusy(isBusy) {
    this.stopButton.hidden = !isBusy;
  }

  #fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
    this.sendButton.disabled = !this.field.value.trim();
  }
}
