// The turns of a race as they are taken: who goes on, and after how many steps somebody else does; null for whoever cannot.
export class Trail {
  choices = [];
  told = [];
  #open; // the lane whose turn it is
  #took = 0;

  step(lane, ready) {
    if (this.#open === lane) {
      this.#took++;
      return;
    }
    [this.#open, this.#took] = [lane, 1];
    this.choices.push([lane.name, null]);
    this.told.push({ who: lane.name, of: ready.filter((other) => other !== lane).map((other) => other.name) });
  }

  // The lane does not go on; `cut` if it could.
  rest(lane, cut, stamp) {
    if (lane === undefined || this.#open !== lane) return;
    this.#open = undefined;
    const told = this.told.at(-1);
    if (!cut) return;
    this.choices.at(-1)[1] = told.steps = this.#took;
    if (lane.stands) told.rest = { at: "", in: "", op: "call", line: lane.op, cut, for: "", stamp };
  }
}
