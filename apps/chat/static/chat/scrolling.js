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
    new ResizeObserver(() => this.isFollowing && this.toEnd()).observe(content);
  }

  toEnd() {
    this.isFollowing = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  // Put something above what is read without moving that.
  keepPlace(change) {
    const before = this.scroller.scrollHeight - this.scroller.scrollTop;
    change();
    this.scroller.scrollTop = this.scroller.scrollHeight - before;
  }
}
