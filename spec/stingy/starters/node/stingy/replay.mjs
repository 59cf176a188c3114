// A rule that was broken, broken once more or not.
import { AssertionError } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { read } from "./lines.mjs";

// The id of a request to settle, which is no part of what was said.
const SETTLING = -1;

// Say to a driver what was said to it when a rule was broken, in the order that broke it, and throw an AssertionError, with
// why, if that goes the same way again. If it goes another way, that is returned, whatever it is worth: to judge it is for
// stingy. The conversation is what "stingy replay --export node" writes, requests and answers by driver protocol 1. The driver is
// a process of its own, which the candidate may end or keep for ever.
export async function replay(driver, why, conversation) {
  const talk = new Talk(driver);
  try {
    await talk.ask({ id: 0, op: "hello", protocol: 1 });
    if (!talk.heard.shift()?.val?.capabilities?.schedules) throw new Error("nothing is under control here");
    const otherwise = await talk.repeat(JSON.parse(conversation));
    if (otherwise === undefined) throw new AssertionError({ message: why });
    return otherwise;
  } finally {
    await talk.end();
  }
}

// With a driver in another process.
class Talk {
  heard = [];
  #driver;
  #answers;

  constructor(driver) {
    this.#driver = spawn(process.execPath, [driver], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = read(this.#driver.stdout);
  }

  async end() {
    const over = once(this.#driver, "exit");
    if (this.#driver.exitCode === null && this.#driver.kill("SIGKILL")) await over;
  }

  // Say everything again, until it goes otherwise; the first that does.
  async repeat(said) {
    for (const message of said) {
      const heard = this.heard[0];
      if (message.op !== undefined) {
        if (heard) return `${JSON.stringify(heard)} is answered here already`;
        await this.ask(message);
      } else {
        if (!heard) return `${JSON.stringify(message)} is not answered now`;
        if (!isSame(message, heard)) return `${JSON.stringify(heard)} is answered now`;
        this.heard.shift();
      }
    }
    return this.heard.length > 0 ? `${JSON.stringify(this.heard[0])} is answered in the end` : undefined;
  }

  // Say something, and hear what is answered until nothing moves any more.
  async ask(message) {
    for (const each of [message, { id: SETTLING, op: "settle" }]) this.#driver.stdin.write(`${JSON.stringify(each)}\n`);
    for (let next; !(next = await this.#answers.next()).done; ) {
      const answer = JSON.parse(next.value);
      if (answer.error?.kind === "uncontrolled") throw new Error(`the candidate cannot be followed: ${next.value}`);
      if (answer.id === SETTLING) return;
      if (!isReading(answer, message)) this.heard.push(answer);
    }
    throw new Error(`the driver has ended when it was to answer ${JSON.stringify(message)}`);
  }
}

// Whether it tells a reading of the clock, if that, and nothing else.
const isReading = (answer, { id, op }) => answer.ok && answer.id === id && ["new", "advance", "step"].includes(op);

function isSame(said, now) {
  if (said.id !== now.id || said.error?.kind !== now.error?.kind) return false;
  return said.val?.calls ? isSameHistory(said.val, now.val) : isDeepStrictEqual(said.val, now.val);
}

// Whether its calls have come to the same now, and all that was ordered is so now.
function isSameHistory(said, now) {
  const [before, after] = [calls(said), calls(now)];
  if (!isDeepStrictEqual(waiting(said), waiting(now)) || !isDeepStrictEqual(before.map(outcome), after.map(outcome))) return false;
  return before.every((a, i) => before.every((b, j) => !isBefore(a, b) || isBefore(after[i], after[j])));
}

// By lane.
const calls = (history) =>
  [...(history?.calls ?? [])].sort((a, b) => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : a.start - b.start));

const outcome = ({ lane, op, item, val, error, end }) => [lane, op, item, val ?? null, error?.kind, end === null];

const waiting = (history) => [...new Set((history.waiting ?? []).map((each) => each.who ?? each))].sort();

const isBefore = (call, later) => call.end !== null && call.end < later.start;
