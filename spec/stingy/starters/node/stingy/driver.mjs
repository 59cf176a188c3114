// Driver protocol 1 over standard input and output, for whatever is made of promises.

import { Crew } from "./crew.mjs";
import { read, say } from "./lines.mjs";
import { Outcomes } from "./outcomes.mjs";
import { Refused } from "./refused.mjs";
import { random, strategy } from "./strategies.mjs";

export { Refused };

// Answer requests until told to go. What a driver says of itself:
//   hello: its name, version and build, and the resolution of its clock
//   impls: by what new may ask for, a function that makes one with such options
//   ops: by op, a function that makes the call: of the candidate, its item if it has one, and the whole request
//   turns: after so many turns of the event loop nothing is left to come of promises
//   clock: that of a candidate, if it can be moved: nowNs(), advance(ns, settle), clear()
export async function serve(driver) {
  console.log = console.error; // standard output is for answers
  const session = new Session(driver);
  for await (const line of read(process.stdin)) await session.serve(line);
}

class Session {
  #driver;
  #crew; // the candidate, and all that call it
  #made; // the request that asked for it, …
  #asked = []; // … and what has been asked of it since
  #controlled = true;

  constructor(driver) {
    this.#driver = driver;
  }

  async serve(line) {
    let request = {};
    try {
      request = JSON.parse(line) ?? {};
    } catch (error) {
      return refuse(0, new Refused("protocol", error.message));
    }
    const { id = 0, op, lane } = request;
    try {
      if (Object.hasOwn(this.#driver.ops, op)) {
        if (typeof lane !== "string") throw new Refused("protocol", "no lane");
        this.#present.call(request, (val) => answer(id, val), (error) => refuse(id, error));
        this.#asked.push(request);
      } else if (Object.hasOwn(this.#requests, op)) {
        answer(id, await this.#requests[op](request));
      } else {
        throw new Refused("unsupported", `op ${op}`);
      }
    } catch (error) {
      refuse(id, error);
    }
    if (op === "bye") process.exit(0);
  }

  #requests = {
    hello: () => this.#hello(),
    new: (request) => {
      this.#make(request);
      return this.#now();
    },
    settle: async () => {
      await this.#settle();
      return this.#now();
    },
    advance: async (request) => {
      if (!this.#driver.clock) throw new Refused("unsupported", "op advance");
      if (request.ns < 0) throw new Refused("protocol", "time does not go back");
      this.#asked.push(request);
      await this.#present.advance(request.ns);
      return this.#now();
    },
    burst: (request) => this.#burst(request),
    bye: () => null,
  };

  #hello() {
    const { hello, ops, clock } = this.#driver;
    const { resolution_ns = 1, ...says } = hello;
    return {
      protocol: 1,
      language: "JavaScript",
      ...says,
      ops: Object.keys(ops),
      capabilities: {
        virtual_clock: clock !== undefined, settle: true, burst: true, cancel: false, resolution_ns,
        schedules: { by: ["choices", "seed"], points: "sync" },
      },
    };
  }

  #make(request) {
    const { impls, ops, clock } = this.#driver;
    this.#crew?.abandon();
    this.#crew = undefined; // even if this one is refused, no call may reach the one before
    const { impl, options, control = true } = request;
    if (!Object.hasOwn(impls, impl)) throw new Refused("unsupported", `impl ${impl}`);
    const candidate = impls[impl](options ?? {});
    this.#crew = new Crew(candidate, clock?.(candidate), ops, () => this.#settle());
    [this.#made, this.#asked, this.#controlled] = [request, [], control];
  }

  async #burst(request) {
    const { programs, seed = 0, ns = 0, schedule } = request;
    if (schedule && !this.#controlled) throw new Refused("unsupported", "a schedule where nothing is under control");
    if (schedule?.runs > 0) return this.#explore(request);
    this.#asked.push(request);
    const chosen = schedule ? strategy(schedule) : random(seed);
    return (await this.#present.burst(programs, ns, chosen, schedule?.aloud)).history;
  }

  // Run a burst many times, each time with a fresh candidate that has been asked the same as this one, and tell what came of
  // it, each history once. In the end there is a candidate again that has not run it.
  async #explore({ programs, ns = 0, schedule }) {
    const outcomes = new Outcomes();
    let steps;
    for (let number = 0; number < schedule.runs; number++) {
      await (number > 0 ? this.#again() : this.#settle()); // the one that is there has been asked nothing else
      const ran = await this.#present.burst(programs, ns, strategy(schedule, number, steps));
      steps = ran.steps;
      outcomes.add(ran.history, await this.#present.finally(schedule.then ?? []));
    }
    await this.#again();
    return { calls: [], choices: [], histories: outcomes.told(schedule.most ?? 0), runs: schedule.runs };
  }

  async #again() {
    const asked = this.#asked;
    this.#make(this.#made);
    for (const request of asked) {
      if (request.op === "advance") await this.#present.advance(request.ns);
      else if (request.op === "burst") await this.#burst(request);
      else this.#present.call(request);
      await this.#settle();
    }
    this.#asked = asked;
  }

  async #settle() {
    for (let turn = 0; turn < (this.#driver.turns ?? 1); turn++) await new Promise((then) => setImmediate(then));
  }

  get #present() {
    if (this.#crew === undefined) throw new Refused("protocol", "no candidate");
    return this.#crew;
  }

  #now() {
    const clock = this.#crew?.clock;
    return clock ? { now_ns: clock.nowNs() } : null;
  }
}

function answer(id, val) {
  say({ id, ok: true, val: val ?? null });
}

function refuse(id, error) {
  say({ id, ok: false, error: Refused.said(error) });
}
