// Written by python -m lab derive.

// With which keys a request for an op comes, besides its id, its op and its lane.
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

// Whether it is about an item: in a burst, one that is left out is that which the lane has had longest.
export const takesItem = (op) => keys[op]?.includes("item") ?? false;
