// The page follows the answer while its reader stays near the end.

const NEAR = 96;

export class Scrolling {
  isFollowing = true;

  constructor(scroller, content, button) {
    this.scroller = scroller;
    scroller.addEventListener("scroll", () => {
      const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
      this.isFollowing = left < NEAR;
      button.hidden = this.isFollowing;
    });
    button.addEventListener("click", () => this.toEnd());
    const observer = new ResizeObserver(() => this.isFollowing && this.toEnd());
    observer.observe(content);
    observer.observe(scroller); // it shrinks when a note appears below it
  }

  toEnd() {
    this.isFollowing = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  // Change what is shown and stay at the end, if the reader was there before. Returns what `change` returns.
  keepEnd(change) {
    const wasFollowing = this.isFollowing;
    const result = change();
    if (wasFollowing) this.toEnd();
    return result;
  }

  // Put something above what is read without moving that.
  keepPlace(change) {
    const before = this.scroller.scrollHeight - this.scroller.scrollTop;
    change();
    this.scroller.scrollTop = this.scroller.scrollHeight - before;
  }
}
