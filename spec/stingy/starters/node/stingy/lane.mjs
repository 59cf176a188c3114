import { takesItem } from "./keys.mjs";
import { Refused } from "./refused.mjs";

let stamps = 0; // orders the calls of all bursts

export const lastStamp = () => stamps;

// A lane that runs its program, one call after the other, each when it is told to begin.
export class Lane {
  turned = 0;
  underWay;
  #steps;
  #call;
  #calls;
  #held = [];
  #over = false;
  #release;
  released = new Promise((then) => (this.#release = then)); // once a call returns after the history has been told

  constructor(name, steps, call, calls) {
    this.name = name;
    this.#steps = [...steps];
    this.#call = call;
    this.#calls = calls;
    this.#skip();
  }

  // Whether it is to begin its next call, …
  get stands() {
    return !this.underWay && this.#steps.length > 0;
  }

  // … which is one of this op; or the one that is under way is.
  get op() {
    return this.underWay?.op ?? this.#steps[0]?.op;
  }

  // Make the next call; somebody hears when it returns, unless that is at once.
  begin(returned) {
    const step = this.#withItem(this.#steps.shift());
    const call = (this.underWay = { lane: this.name, op: step.op, item: step.item, start: ++stamps, end: null });
    this.#calls.push(call);
    const over = (fill) => {
      if (this.#over) return this.#release(); // whatever it did now, no history would tell
      fill();
      this.#ended(call);
    };
    try {
      const val = this.#call(step);
      if (typeof val?.then === "function") {
        val.then(
          (kept) => (over(() => (call.val = kept ?? null)), returned()),
          (error) => (over(() => (call.error = Refused.said(error))), returned()),
        );
      } else {
        over(() => (call.val = val ?? null));
      }
    } catch (error) {
      over(() => (call.error = Refused.said(error)));
    }
  }

  // The history is told.
  end() {
    this.#over = true;
  }

  // The call that has not returned, as the protocol has it.
  get waits() {
    return { who: this.name, at: "", in: this.op, op: this.op, line: this.op, for: "a promise", holds: [] };
  }

  #ended(call) {
    [call.end, this.underWay] = [++stamps, undefined];
    if (call.op === "get" && call.val) {
      if (call.val.shutdown) this.#steps = []; // the worker goes home
      else this.#held.push(call.val.item);
    }
    if (call.op === "done" && this.#held.includes(call.item)) this.#held.splice(this.#held.indexOf(call.item), 1);
    this.#skip();
  }

  // Nothing is done about an item where none is held.
  #skip() {
    while (this.#steps.length > 0 && takesItem(this.#steps[0].op) && this.#withItem(this.#steps[0]).item === undefined)
      this.#steps.shift();
  }

  #withItem(step) {
    return takesItem(step.op) ? { ...step, item: step.item ?? this.#held[0] } : step;
  }
}
