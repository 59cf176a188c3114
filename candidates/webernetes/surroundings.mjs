// What the suite has set out around a candidate.

const MILLISECOND = 1_000_000;

// A rate limiter that says what it has been told to say: the first failure of an item waits for the first of the delays,
// and so on; all that come after the last wait for the last. One that is not to count says that no item has ever failed.
export class ScriptedLimiter {
  #delays;
  #counts;
  #failures = new Map();

  constructor({ delays, counts = true }) {
    this.#delays = delays.map((ns) => ns / MILLISECOND);
    this.#counts = counts;
  }

  when(item) {
    const failures = this.#failures.get(item) ?? 0;
    this.#failures.set(item, failures + 1);
    return this.#delays[Math.min(failures, this.#delays.length - 1)] ?? 0;
  }

  forget(item) {
    this.#failures.delete(item);
  }

  numRequeues(item) {
    return this.#counts ? (this.#failures.get(item) ?? 0) : 0;
  }
}

// A store for the items of a queue, which hands out what came last and keeps back as many as it is told to hide. Nobody can
// ask it while it is being asked, for it waits for nothing.
export class Store {
  #hides;
  #items = [];
  #calls = [];

  constructor(hides) {
    this.#hides = hides;
  }

  touch(item) {
    this.#calls.push(["touch", item]);
  }

  push(item) {
    this.#calls.push(["push", item]);
    this.#items.push(item);
  }

  pop() {
    const item = this.#items.pop();
    this.#calls.push(["pop", item]);
    return item;
  }

  len() {
    return Math.max(0, this.#items.length - this.#hides);
  }

  calls() {
    return this.#calls;
  }
}
