import { Refused } from "./refused.mjs";

const MILLISECOND = 1_000_000;

let stamps = 0; // orders the calls of all bursts

// A candidate with everything that is calling it.
export class Crew {
  #parts;
  #ops;
  #settle;
  #lanes = new Map(); // the last thing asked of each
  #abandoned = false;

  constructor({ clock, parts }, ops, settle) {
    this.clock = clock;
    this.#parts = parts;
    this.#ops = ops;
    this.#settle = settle;
  }

  // Calls that wait are not answered any more, and nobody moves this clock again: there is nothing else that it does by itself.
  abandon() {
    this.#abandoned = true;
    this.clock.clear();
  }

  async advance(ns) {
    await this.clock.advance(ns / MILLISECOND, this.#settle);
  }

  call(request, answer, refuse) {
    this.#check(request);
    this.#inLane(request.lane, async () => {
      try {
        const val = await this.#made(request);
        if (!this.#abandoned) answer(val);
      } catch (error) {
        if (!this.#abandoned) refuse(error);
      }
    });
  }

  // The programs side by side, as far as there is such a thing here: lanes take turns where one waits for a promise.
  async burst(programs, seed, patience) {
    await this.#settle();
    const dice = rolled(seed);
    const lanes = shuffled(Object.keys(programs).sort(), dice);
    for (const lane of lanes) {
      if (this.#lanes.get(lane)?.over === false) throw new Refused("protocol", `lane ${lane} still has a call under way`);
    }
    const written = lanes.map((lane) => programs[lane].map(read));
    const calls = [];
    const end = { over: false };
    lanes.forEach((lane, i) => this.#inLane(lane, () => this.#run(lane, written[i], dice, calls, end)));
    await this.#settle();
    if (patience > 0) await this.advance(patience);
    end.over = true; // what is released after this report is in no history
    return calls;
  }

  async #run(lane, steps, dice, calls, end) {
    const held = [];
    for (const step of steps) {
      const { takesItem } = this.#op(step.op);
      const request = takesItem ? { ...step, item: step.item ?? held[0] } : step;
      if (takesItem && request.item === undefined) continue;
      for (let turns = Math.max(0, dice(6) - 2); turns > 0; turns--) await null;
      const call = { lane, op: step.op, item: request.item, start: ++stamps, end: null };
      calls.push(call);
      try {
        const val = this.#made(request);
        const returned = val instanceof Promise ? await val : val;
        if (end.over) return;
        call.val = returned ?? null;
      } catch (error) {
        if (end.over) return;
        call.error = Refused.said(error);
      }
      call.end = ++stamps;
      if (call.op === "get" && call.val) {
        if (call.val.shutdown) return; // the worker goes home
        held.push(call.val.item);
      }
      if (call.op === "done" && held.includes(call.item)) held.splice(held.indexOf(call.item), 1);
    }
  }

  #inLane(lane, work) {
    const before = this.#lanes.get(lane)?.done ?? Promise.resolve();
    const mine = { over: false };
    mine.done = before.then(() => (this.#abandoned ? undefined : work())).then(() => {
      mine.over = true;
    });
    this.#lanes.set(lane, mine);
  }

  #made(request) {
    const { method, call } = this.#op(request.op);
    const part = this.#parts.find((each) => method in each);
    if (part === undefined) throw new Refused("unsupported", `op ${request.op} of this impl`);
    return call(part, request);
  }

  #check(request) {
    if (this.#op(request.op).takesItem && typeof request.item !== "string") throw new Refused("protocol", "no item");
  }

  #op(name) {
    if (!Object.hasOwn(this.#ops, name)) throw new Refused("unsupported", `op ${name}`);
    return this.#ops[name];
  }
}

// A step of a program: an op alone, with an item, or with an object of further keys.
function read([op, goesWith]) {
  return typeof goesWith === "object" ? { op, ...goesWith } : { op, item: goesWith };
}

// Whole numbers below a bound, by a seed: mulberry32.
function rolled(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

function shuffled(names, dice) {
  for (let last = names.length - 1; last > 0; last--) {
    const other = dice(last + 1);
    [names[last], names[other]] = [names[other], names[last]];
  }
  return names;
}
