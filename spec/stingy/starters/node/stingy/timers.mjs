// The timers and the clock of the language, which nobody but the driver moves. Import this before the candidate, which may keep
// what it finds.

const MILLISECOND = 1_000_000;
const EPOCH = 1_700_000_000_123; // no whole second: who cuts readings down to seconds is to be seen

class Timer {
  constructor(of, callback, delay, again) {
    Object.assign(this, { of, callback, again, delay: Math.max(1, Math.trunc(delay) || 1) });
    this.refresh();
  }

  refresh() {
    this.due = this.of.now + this.delay * MILLISECOND;
    this.of.pending.delete(this); // the last of those that are due at once
    this.of.pending.add(this);
    return this;
  }

  fire() {
    if (this.again) this.refresh();
    else this.close();
    this.callback();
  }

  close() {
    this.of.pending.delete(this);
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  hasRef() {
    return true;
  }

  [Symbol.dispose ?? Symbol("dispose")]() {
    this.close();
  }
}

class Timers {
  now = 0; // nanoseconds, for a sum of fractions of a millisecond is soon no whole number of them
  pending = new Set();

  nowNs() {
    return this.now;
  }

  // When the next timer is due, if there is one.
  dueNs() {
    return this.#next()?.due;
  }

  async advance(ns, settle) {
    const end = this.now + ns;
    await settle();
    for (let next; (next = this.#next())?.due <= end; await settle()) {
      this.now = next.due;
      next.fire();
    }
    if (this.now === end) return;
    this.now = end;
    await settle();
  }

  clear() {
    this.pending.clear();
  }

  #next() {
    let next;
    for (const timer of this.pending) if (!(next?.due <= timer.due)) next = timer;
    return next;
  }
}

const ours = new Timers();
const set = (again) => (callback, delay, ...words) => new Timer(ours, () => callback(...words), delay, again);
const clear = (timer) => timer?.close?.();
const RealDate = Date;

class VirtualDate extends RealDate {
  constructor(...words) {
    super(...(words.length > 0 ? words : [VirtualDate.now()]));
  }

  static now() {
    return EPOCH + Math.floor(ours.now / MILLISECOND);
  }
}

Object.assign(globalThis, { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear, Date: VirtualDate });
performance.now = () => ours.now / MILLISECOND;

// What a driver says for `clock`.
export const timers = () => ours;
