// Says who goes on. On one thread lanes meet only where one of them awaits: a lane begins its next call, or, while a call of
// its own is under way, lets the promises that are kept be heard of. Each of these is a step; other lanes may go on before
// the next one.

import { Trail } from "./trail.mjs";

// So many times promises are heard of before it is asked whether any is left.
const OFTEN = 8;

export class Conductor {
  trail = new Trail();
  steps = 0;
  #lanes;
  #strategy;
  #settle;
  #stamp;
  #before;
  #quiet = false; // nobody hears of a promise any more

  // `stamp` says which stamp was drawn last.
  constructor(lanes, strategy, settle, stamp) {
    this.#lanes = lanes;
    this.#strategy = strategy;
    this.#settle = settle;
    this.#stamp = stamp;
  }

  // Until nobody can go on.
  async conduct() {
    this.#quiet = false;
    this.#slot();
    for (let heard = 0; !this.#quiet || this.#ready().length > 0; heard++) {
      if (heard < OFTEN) {
        await null;
      } else {
        await this.#settle();
        [heard, this.#quiet] = [0, true];
      }
      this.#slot();
    }
    this.trail.rest(this.#before, false, this.#stamp());
  }

  #ready() {
    return this.#lanes.filter((lane) => lane.stands || (lane.underWay && !this.#quiet));
  }

  // Here anybody may begin a call.
  #slot() {
    for (let ready; (ready = this.#ready()).length > 0; ) {
      const lane = this.#strategy.next(ready, this.#before);
      if (lane !== this.#before) this.trail.rest(this.#before, ready.includes(this.#before), this.#stamp());
      this.trail.step(lane, ready);
      lane.turned = ++this.steps;
      this.#before = lane;
      if (!lane.stands) return; // its promises are heard of
      this.#quiet = false;
      lane.begin(() => this.#slot());
    }
  }
}
