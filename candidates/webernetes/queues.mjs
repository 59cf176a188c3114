// What is made of webernetes, and which of its methods answers which op. Its times are milliseconds, ours nanoseconds.

import { Refused } from "../../spec/stingy/starters/node/stingy/driver.mjs";
import * as limiters from "./node_modules/@ngrok/webernetes/dist/client-go/util/workqueue/default-rate-limiters.js";
import { newTypedDelayingQueueWithConfig } from "./node_modules/@ngrok/webernetes/dist/client-go/util/workqueue/delaying-queue.js";
import { newTypedWithConfig } from "./node_modules/@ngrok/webernetes/dist/client-go/util/workqueue/queue.js";
import { newTypedRateLimitingQueueWithConfig } from "./node_modules/@ngrok/webernetes/dist/client-go/util/workqueue/rate-limiting-queue.js";

import { SteppedClock } from "./clock.mjs";
import { ScriptedLimiter, Store } from "./surroundings.mjs";

const MILLISECOND = 1_000_000;

export const OPS = {
  add: onItem("add"),
  done: onItem("done"),
  get: on("get", async (queue) => {
    const [item, shutdown] = await queue.get();
    return { item: item ?? null, shutdown };
  }),
  len: on("len"),
  shut_down: on("shutDown"),
  shutting_down: on("shuttingDown"),
  shut_down_with_drain: on("shutDownWithDrain"),
  add_after: on("addAfter", (queue, item, { ns }) => queue.addAfter(item, ns / MILLISECOND)),
  add_rate_limited: onItem("addRateLimited"),
  forget: onItem("forget"),
  num_requeues: onItem("numRequeues"),
  when: on("when", (limiter, item) => Math.round(limiter.when(item) * MILLISECOND)),
  hook_calls: on("calls"),
};

export const IMPLS = {
  work_queue: ({ name = "", queue }) => {
    const store = queue && new Store(queue.hides);
    return candidate(newTypedWithConfig({ name, queue: store }), store);
  },
  delaying_queue: () => {
    const clock = new SteppedClock();
    return { clock, parts: [newTypedDelayingQueueWithConfig({ clock })] };
  },
  rate_limiting_queue: ({ rate_limiter }) => {
    const clock = new SteppedClock();
    const limiter = rate_limiter ? new ScriptedLimiter(rate_limiter) : limiters.defaultTypedControllerRateLimiter();
    return { clock, parts: [newTypedRateLimitingQueueWithConfig(limiter, { clock })] };
  },
  exponential_rate_limiter: ({ base_delay, max_delay }) =>
    candidate(limiters.newTypedItemExponentialFailureRateLimiter(base_delay / MILLISECOND, max_delay / MILLISECOND)),
  max_of_rate_limiter: (options) =>
    candidate(limiters.newTypedMaxOfRateLimiter(...options.limiters.map((script) => new ScriptedLimiter(script)))),
  default_controller_rate_limiter: () => candidate(limiters.defaultTypedControllerRateLimiter()),
};

function candidate(made, ...around) {
  return { clock: new SteppedClock(), parts: [made, ...around.filter((each) => each !== undefined)] };
}

// A call of that part of the candidate which has this method.
function on(method, call = (part) => part[method]()) {
  return ({ parts }, item, request) => {
    const part = parts.find((each) => method in each);
    if (part === undefined) throw new Refused("unsupported", `op ${request.op} of this impl`);
    return call(part, item, request);
  };
}

function onItem(method) {
  return on(method, (part, item) => part[method](item));
}
