// Written by python -m lab derive.

// The keys of the request for an op, besides id, op and lane.
export const keys = {
  add: ["item"],
  done: ["item"],
  add_rate_limited: ["item"],
  forget: ["item"],
  num_requeues: ["item"],
  when: ["item"],
  pause: ["ns"],
  add_after: ["item", "ns"],
  finish: ["item", "kind", "ns"],
  add_with_opts: ["item", "priority", "ns", "rate_limited"],
  add_all_with_opts: ["items", "priority", "ns", "rate_limited"],
  compute: ["namespace", "service", "pods"],
  delete: ["namespace", "name"],
  format: ["instant"],
  parse: ["text"],
  update: ["slice"],
  remove: ["slice"],
  read_again: ["number"],
  sync: ["program"],
};

// True if the op takes an item. If a burst leaves out the item, it is the one that the lane has held longest.
export const takesItem = (op) => keys[op]?.includes("item") ?? false;
