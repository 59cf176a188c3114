// The impls of one queue: what it is to be made as follows from the ops that it has. Each is made by the same function, which
// heeds what the options ask for.

const IMPLS = { add_after: "delaying_queue", add_rate_limited: "rate_limiting_queue", add_with_opts: "priority_queue" };

export function queues(ops, make) {
  const impls = Object.keys(ops).filter((op) => Object.hasOwn(IMPLS, op)).map((op) => IMPLS[op]);
  return Object.fromEntries(["work_queue", ...impls].map((impl) => [impl, make]));
}
