// Each chooses who goes on, of those that are ready. Lanes have a name, and the step at which they went on last.

// Everybody goes on as long as they can, and then whoever has waited longest.
export const fair = {
  next: (ready, before) =>
    ready.includes(before) ? before : ready.reduce((first, lane) => (lane.turned < first.turned ? lane : first)),
};

// Anybody goes on, at every step.
export function random(seed) {
  const dice = rolled(seed);
  return { next: (ready) => ready[dice(ready.length)] };
}

// Somebody else goes on now and then: so often, where there are that many steps.
export function sparse(seed, interruptions, steps) {
  const dice = rolled(seed);
  const goesOn = (ready, before) => ready.includes(before) && dice(2 ** 20) >= (interruptions / steps) * 2 ** 20;
  return { next: (ready, before) => (goesOn(ready, before) ? before : ready[dice(ready.length)]) };
}

// The one with the highest priority goes on, which is lowered at a few steps drawn beforehand: probabilistic concurrency
// testing, by Burckhardt and others.
export function pct(seed, depth, steps) {
  const dice = rolled(seed);
  const priorities = new Map();
  const lowers = new Map();
  for (let n = 1; n < depth; n++) lowers.set(dice(Math.max(steps, 1)), -n);
  let step = 0;
  const highest = (ready) => ready.reduce((a, b) => (priorities.get(a) >= priorities.get(b) ? a : b));
  return {
    next: (ready) => {
      for (const lane of ready) if (!priorities.has(lane)) priorities.set(lane, 1 + dice(2 ** 30) / 2 ** 30);
      const lower = lowers.get(step++);
      if (lower !== undefined) priorities.set(highest(ready), lower);
      return highest(ready);
    },
  };
}

// Turns that were taken before, as far as they are possible, and then the fair way.
export function replay(choices) {
  const turns = [...choices];
  let who;
  let left = 0; // steps of the turn under way; Infinity for as many as there are
  const named = (ready, name) => ready.find((lane) => lane.name === name);
  return {
    next: (ready, before) => {
      let lane = left > 0 ? named(ready, who) : undefined;
      while (lane === undefined && turns.length > 0) {
        const [name, steps] = turns.shift();
        lane = named(ready, name);
        if (lane) [who, left] = [name, steps ?? Infinity];
      }
      if (lane === undefined) {
        left = 0;
        return fair.next(ready, before);
      }
      left--;
      return lane;
    },
  };
}

// So many steps a race is taken to have of which nothing is known.
const USUAL = 60;

// The strategy that a schedule asks for, for the run of this number, where the one before had so many steps.
export function strategy({ choices = [], strategy: name, seed = 0, interruptions = 0 }, number = 0, steps = USUAL) {
  if (choices.length > 0) return replay(choices);
  if (name === "random") return random(seed + number);
  if (name === "pct") return pct(seed + number, 3, steps);
  if (name === "sparse") return sparse(seed + number, interruptions, steps);
  return fair;
}

// Whole numbers below a bound, by a seed: mulberry32.
function rolled(seed) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0; // seeds that follow one another begin far apart
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
