// A driver for a small queue of promises that is right, but for a fault if it is told to have one.
import { timers } from "../../../../spec/stingy/starters/node/stingy/timers.mjs";
import { serve } from "../../../../spec/stingy/starters/node/stingy/driver.mjs";

const has = (fault) => process.argv[2] === fault;

class Queue {
  queue = [];
  dirty = new Set();
  processing = new Set();
  waiting = [];
  shuttingDown = false;

  async add(item) {
    if (has("sleeps in Add")) await new Promise((then) => setTimeout(then, 3));
    if (this.shuttingDown || this.dirty.has(item)) return;
    if (has("Add checks, awaits, then acts")) await null;
    this.dirty.add(item);
    if (!this.processing.has(item)) this.push(item);
  }

  async get() {
    const wait = (wake) => (has("sleeps in Get") ? setTimeout(wake, 2) : this.waiting.push(wake));
    while (this.queue.length === 0 && !this.shuttingDown) await new Promise(wait);
    if (this.queue.length === 0) return { item: null, shutdown: true };
    const item = this.queue[0];
    if (has("Get checks, awaits, then acts")) await null;
    this.queue.shift();
    this.dirty.delete(item);
    this.processing.add(item);
    return { item, shutdown: false };
  }

  done(item) {
    if (this.processing.delete(item) && this.dirty.has(item)) this.push(item);
  }

  shutDown() {
    this.shuttingDown = true;
    for (const wake of this.waiting.splice(0)) wake();
  }

  push(item) {
    this.queue.push(item);
    this.waiting.shift()?.();
  }
}

await serve({
  hello: { name: "controlled", version: "" },
  clock: timers,
  impls: { work_queue: () => new Queue() },
  ops: {
    add: (queue, item) => queue.add(item),
    get: (queue) => queue.get(),
    done: (queue, item) => queue.done(item),
    len: (queue) => queue.queue.length,
    shut_down: (queue) => queue.shutDown(),
    shutting_down: (queue) => queue.shuttingDown,
  },
});
