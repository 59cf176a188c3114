// Lets stingy judge the work queues of webernetes: driver protocol 1 over standard input and output.

import { createHash } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { Crew } from "./crew.mjs";
import { IMPLS, OPS } from "./queues.mjs";
import { Refused } from "./refused.mjs";
import { version } from "./node_modules/@ngrok/webernetes/package.json";

const MILLISECOND = 1_000_000;

let crew; // the candidate, and all that call it

const requests = {
  hello: () => ({
    protocol: 1,
    name: "webernetes",
    version,
    build: `node ${process.version} ${hash()}`,
    language: "javascript",
    ops: Object.keys(OPS),
    capabilities: { virtual_clock: true, settle: true, burst: true, cancel: false, resolution_ns: MILLISECOND },
  }),
  new: ({ impl, options }) => {
    crew?.abandon();
    crew = undefined; // even if this one is refused, no call may reach the one before
    if (!Object.hasOwn(IMPLS, impl)) throw new Refused("unsupported", `impl ${impl}`);
    crew = new Crew(IMPLS[impl](options ?? {}), OPS, settle);
    return now();
  },
  settle: async () => {
    await settle();
    return now();
  },
  advance: async ({ ns }) => {
    if (ns < 0) throw new Refused("protocol", "time does not go back");
    await present().advance(ns);
    return now();
  },
  burst: async ({ programs, seed, ns }) => ({ calls: await present().burst(programs, seed, ns ?? 0) }),
  bye: () => null,
};

// One turn of the event loop. Before it, Node runs everything that can run of promises; and of what waits for anything else
// a candidate has only the clock, which stands still.
async function settle() {
  await turn();
}

async function serve(line) {
  let request = {};
  try {
    request = JSON.parse(line) ?? {};
  } catch (error) {
    return refuse(0, new Refused("protocol", error.message));
  }
  const { id = 0, op, lane } = request;
  try {
    if (Object.hasOwn(OPS, op)) {
      if (typeof lane !== "string") throw new Refused("protocol", "no lane");
      present().call(request, (val) => answer(id, val), (error) => refuse(id, error));
    } else if (Object.hasOwn(requests, op)) {
      answer(id, await requests[op](request));
    } else {
      throw new Refused("unsupported", `op ${op}`);
    }
  } catch (error) {
    refuse(id, error);
  }
  if (op === "bye") process.exit(0);
}

function present() {
  if (crew === undefined) throw new Refused("protocol", "no candidate");
  return crew;
}

function now() {
  return { now_ns: Math.round((crew?.clock.nowMs() ?? Date.now()) * MILLISECOND) };
}

function answer(id, val) {
  say({ id, ok: true, val: val ?? null });
}

function refuse(id, error) {
  say({ id, ok: false, error: Refused.said(error) });
}

function say(message) {
  let left = Buffer.from(JSON.stringify(message) + "\n");
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // the pipe is full: the runner is about to read
    }
  }
}

function hash() {
  return createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url))).digest("hex").slice(0, 12);
}

console.log = console.error; // standard output is for answers

// Not readline's idea of a line, which ends at U+2028 as well: an item may hold it.
async function* lines(input) {
  let begun = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const [first, ...others] = chunk.split("\n");
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
}

for await (const line of lines(process.stdin)) await serve(line);
