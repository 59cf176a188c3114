import { Clock } from "./node_modules/@ngrok/webernetes/dist/clock.js";

const MILLISECOND = 1_000_000;

// The library's own clock, paused, and moved from one deadline to the next. Moved over many at once, it calls all of their
// timers before anybody who awaits one of them can go on, as no clock in the world would.
export class SteppedClock extends Clock {
  #deadlines = new Set();

  constructor() {
    super();
    this.pause();
  }

  setTimeout(callback, delay) {
    this.#deadlines.add(this.nowMs() + Math.max(0, delay));
    return super.setTimeout(callback, delay);
  }

  setInterval(callback, interval) {
    this.#deadlines.add(this.nowMs() + interval);
    return super.setInterval(() => {
      this.#deadlines.add(this.nowMs() + interval);
      callback();
    }, interval);
  }

  nowNs() {
    return Math.round(this.nowMs() * MILLISECOND);
  }

  async advance(ns, settle) {
    const end = this.nowMs() + ns / MILLISECOND;
    await settle();
    for (let next; (next = this.#takeNext(end)) !== undefined; await settle()) {
      this.step(Math.max(0, next - this.nowMs()));
    }
    this.step(end - this.nowMs());
    await settle();
  }

  // A deadline that somebody has given up is still one at which nothing happens.
  #takeNext(end) {
    let next;
    for (const deadline of this.#deadlines) {
      if (deadline <= end && (next === undefined || deadline < next)) next = deadline;
    }
    this.#deadlines.delete(next);
    return next;
  }
}
