import { Conductor } from "./conductor.mjs";
import { takesItem } from "./keys.mjs";
import { Lane, lastStamp } from "./lane.mjs";
import { Refused } from "./refused.mjs";

// So much time passes in a burst after the last call that has returned, as long as another one is under way: it may sleep.
const ASLEEP = 1_000_000_000;

// A candidate with everything that is calling it.
export class Crew {
  #ops;
  #settle;
  #lanes = new Map(); // the last thing asked of each
  #abandoned = false;

  // `clock` is that of the candidate, where it has one that can be moved.
  constructor(candidate, clock, ops, settle) {
    this.candidate = candidate;
    this.clock = clock;
    this.#ops = ops;
    this.#settle = settle;
  }

  // Calls that wait are not answered any more, and nobody moves this clock again.
  abandon() {
    this.#abandoned = true;
    this.clock?.clear();
  }

  advance(ns, settle = this.#settle) {
    return this.clock.advance(ns, settle);
  }

  // A call on a lane comes after those before it.
  call(request, answer = () => {}, refuse = () => {}) {
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

  // The programs side by side, as far as there is such a thing here, in the order that the strategy chooses.
  async burst(programs, patience, chosen, aloud = false) {
    await this.#settle();
    const calls = [];
    const made = (step) => this.#made(step);
    const lanes = Object.keys(programs).sort().map((name) => new Lane(name, this.#program(name, programs[name]), made, calls));
    const conductor = new Conductor(lanes, chosen, this.#settle, lastStamp);
    await conductor.conduct();
    if (patience > 0 && this.clock) await this.advance(patience, () => conductor.conduct());
    await this.#awaken(lanes, calls, () => conductor.conduct());
    for (const lane of lanes) lane.end();
    const waiting = lanes.filter((lane) => lane.underWay);
    for (const lane of waiting) this.#occupy(lane.name, lane.released);
    const told = { calls, choices: conductor.trail.choices, waiting: waiting.map((lane) => lane.waits) };
    return { history: aloud ? { ...told, trail: conductor.trail.told } : told, steps: conductor.steps };
  }

  // What these calls answer, one after the other, as far as they return.
  async finally(steps) {
    const answers = [];
    const go = async () => {
      let held;
      for (const written of steps) {
        const step = this.#step(written);
        if (takesItem(step.op)) step.item ??= held;
        if (takesItem(step.op) && step.item === undefined) continue;
        answers.push(step.op);
        try {
          const val = await this.#made(step);
          answers.push(val ?? null);
          if (step.op === "get") held = val?.item ?? undefined;
        } catch (error) {
          answers.push(Refused.said(error));
        }
      }
    };
    go();
    await this.#settle();
    return [...answers];
  }

  // Let time pass for calls that sleep, if it is known until when.
  async #awaken(lanes, calls, conduct) {
    if (!this.clock?.dueNs) return;
    const count = () => calls.filter((call) => call.end !== null).length;
    let [returned, late] = [count(), this.clock.nowNs() + ASLEEP];
    while (lanes.some((lane) => lane.underWay) && this.clock.dueNs() <= late) {
      await this.advance(this.clock.dueNs() - this.clock.nowNs(), conduct);
      if (count() > returned) [returned, late] = [count(), this.clock.nowNs() + ASLEEP];
    }
  }

  #program(lane, steps) {
    if (this.#lanes.get(lane)?.over === false) throw new Refused("protocol", `lane ${lane} still has a call under way`);
    return steps.map((step) => this.#step(step));
  }

  // A step of a program: an op alone, with an item, or with an object of further keys.
  #step([op, goesWith]) {
    this.#op(op);
    return typeof goesWith === "object" ? { op, ...goesWith } : { op, item: goesWith };
  }

  #inLane(lane, work) {
    const before = this.#lanes.get(lane)?.done ?? Promise.resolve();
    this.#occupy(lane, before.then(() => (this.#abandoned ? undefined : work())));
  }

  #occupy(lane, until) {
    const mine = { over: false };
    mine.done = until.then(() => {
      mine.over = true;
    });
    this.#lanes.set(lane, mine);
  }

  #made(request) {
    return this.#op(request.op)(this.candidate, request.item, request);
  }

  #check(request) {
    this.#op(request.op);
    if (takesItem(request.op) && typeof request.item !== "string") throw new Refused("protocol", "no item");
  }

  #op(name) {
    if (!Object.hasOwn(this.#ops, name)) throw new Refused("unsupported", `op ${name}`);
    return this.#ops[name];
  }
}
