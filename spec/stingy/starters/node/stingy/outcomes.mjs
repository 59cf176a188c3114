// The different ways in which a burst went: what its calls answered, who was left waiting, and what was found in the end. Of
// those that are alike in that, it is of account which calls were over before which began; a history with fewer of those is
// left out, for whatever it shows, one with more does.
export class Outcomes {
  #by = new Map();

  add(history, then) {
    const calls = [...history.calls].sort((a, b) => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0));
    const plain = calls.map(({ start, end, ...told }) => [told, end === null]);
    const key = JSON.stringify([then, history.waiting, plain]);
    if (!this.#by.has(key)) this.#by.set(key, { times: 0, ordered: [] });
    const its = this.#by.get(key);
    its.times++;
    const before = calls.flatMap((a) => calls.map((b) => a.end !== null && a.end < b.start));
    if (its.ordered.some((had) => covers(had.before, before))) return;
    its.ordered = its.ordered.filter((had) => !covers(before, had.before));
    its.ordered.push({ history, before, pairs: before.filter(Boolean).length });
  }

  // So many of them: of each outcome, the rarest first, one with most in order, then of each the next.
  told(most) {
    const all = [...this.#by.values()].sort((a, b) => a.times - b.times);
    for (const { ordered } of all) ordered.sort((a, b) => b.pairs - a.pairs);
    const told = [];
    for (let round = 0; told.length < most && all.some(({ ordered }) => round < ordered.length); round++) {
      told.push(...all.flatMap(({ ordered }) => (round < ordered.length ? [ordered[round].history] : [])));
    }
    return told.slice(0, most);
  }
}

// Whether all that is ordered in the other one is ordered so in this one.
function covers(mine, other) {
  return other.every((before, pair) => mine[pair] || !before);
}
