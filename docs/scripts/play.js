// A puzzle: the reader says who goes next, and the engine of the command plays it in a worker. Without it the code and one order that
// does it stand there to be read. One choice more is the same run with a longer order, and one less takes a choice back.
"use strict";
customElements.get("stingy-play") || customElements.define("stingy-play", class extends HTMLElement {
  async connectedCallback() {
    if (this.order) return;
    this.order = [];
    this.constructor.bench ??= new Bench(this.dataset.base, "play"); // one for all puzzles of the page
    const panel = make("div");
    panel.className = "stingy-panel";
    panel.innerHTML = `<div class="stingy-buttons"><button type="button">Play</button><button type="button">Take back</button><button
      type="button">Start over</button><button type="button">Link to this</button></div>
      <progress max="1" value="0" aria-label="How far it is" hidden></progress><output></output>
      <p hidden></p><ol class="stingy-lanes" hidden></ol><dl hidden></dl><p hidden></p>`;
    this.buttons = [...panel.querySelectorAll("button")];
    const acts = [
      () => this.ask(this.order), () => this.ask(this.order.slice(0, -1)), () => this.ask([]), () => this.share(),
    ];
    this.buttons.forEach((button, n) => button.addEventListener("click", acts[n]));
    [this.bar, this.says] = [panel.querySelector("progress"), panel.querySelector("output")];
    [this.lanes, this.sets] = [panel.querySelector("ol"), panel.querySelector("dl")];
    [this.moral, this.taken] = panel.querySelectorAll("p");
    this.addEventListener("keydown", (event) => this.press(event));
    this.story = make("div");
    this.story.className = "stingy-so-far";
    for (const it of this.querySelectorAll("[data-line]")) it.textContent = it.textContent.trimEnd(); // so that there is room for a mark
    this.querySelector("ul").replaceWith(panel);
    this.append(this.story);
    this.work(false);
    const need = whatIsMissing();
    this.buttons[0].disabled = need !== "";
    this.says.textContent = need || "It fetches 8 MB from this site, once.";
    const opened = await shared("play");
    if (opened?.puzzle === this.dataset.puzzle) {
      this.order = opened.order.map(String);
      this.says.textContent = need || `Opened from a link: ${count(this.order.length)}. Play shows what came of it.`;
      this.scrollIntoView();
    }
  }

  disconnectedCallback() { this.constructor.bench.end(""); }

  ask(order) {
    if (!this.constructor.busy) this.constructor.bench.ask(this, { puzzle: this.dataset.puzzle, order });
  }

  work(is) {
    this.constructor.busy = is;
    this.bar.hidden = !is || Boolean(this.position); // later on it is a matter of a moment
    this.buttons[0].hidden = is || Boolean(this.position);
    for (const it of this.buttons.slice(1)) it.hidden = !this.position;
  }

  tired() { return "Ended: nothing has come of it for a minute."; }

  told(data) {
    if (data.kind !== "told") return;
    this.position = data;
    this.order = data.order;
    this.work(false);
    this.mark(data.lanes);
    this.choose(data.lanes);
    this.fill(data.sets);
    this.taken.replaceChildren("Your order: ", make("code", JSON.stringify(data.order).replaceAll('","', '", "')));
    this.taken.hidden = false;
    this.says.textContent = this.summary(data);
    this.moral.textContent = data.moral;
    this.moral.hidden = !data.broken;
    this.tell(data.story);
  }

  summary({ order, broken, choices }) {
    if (broken) return `You have done it, in ${count(order.length)}. ✗ ${broken}`;
    if (choices.length) return `${count(order.length)} so far. Who goes next?`;
    return "Nobody can go on, and no promise is broken. Take turns back, or start over.";
  }

  choose(lanes) { // the buttons stay the same ones, so that the keyboard stays where it is
    if (!this.lanes.children.length) {
      this.lanes.append(...lanes.map((lane, n) => {
        const button = make("button", make("kbd", String(n + 1)), ` ${lane.name}`);
        button.type = "button";
        button.addEventListener("click", () => this.go(n));
        return make("li", button, make("code", lane.program), make("span"));
      }));
      this.lanes.hidden = this.sets.hidden = false;
      if (document.activeElement === document.body) this.lanes.querySelector("button").focus({ preventScroll: true });
    }
    [...this.lanes.children].forEach((it, n) => {
      const { can, says, call, holds } = lanes[n];
      it.querySelector("button").ariaDisabled = String(!can);
      it.classList.toggle("waits", !can);
      const how = [holds.length ? `has ${holds.join(", ")}` : "", call ? `in ${call}` : "", says];
      it.querySelector("span").textContent = how.filter(Boolean).join("; ");
    });
  }

  go(n) {
    const lane = this.position.lanes[n];
    if (lane?.can) this.ask([...this.order, lane.name]);
    else if (lane) this.says.textContent = `${lane.name} cannot go next: it ${lane.says}`;
  }

  press(event) {
    if (!this.position || event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^[1-9]$/.test(event.key)) this.go(Number(event.key) - 1);
    else if (event.key === "Backspace") this.ask(this.order.slice(0, -1));
    else return;
    event.preventDefault();
  }

  fill(sets) {
    if (!this.sets.children.length) {
      this.sets.append(...Object.keys(sets).map((name) => make("div", make("dt", name), make("dd"))));
    }
    Object.values(sets).forEach((items, n) => fillSet(this.sets.querySelectorAll("dd")[n], items));
  }

  mark(lanes) { // where in the code each lane is
    for (const it of this.querySelectorAll("[data-line] > mark")) it.remove();
    for (const it of this.querySelectorAll("[data-line].now")) it.classList.remove("now");
    for (const { name, line } of lanes) {
      const it = line && this.querySelector(`[data-line="${line}"]`);
      if (!it) continue;
      it.classList.add("now");
      it.append(make("mark", name));
    }
    const code = this.querySelector("pre"), lines = [...this.querySelectorAll("[data-line].now")];
    const at = lines.map((it) => it.offsetTop).find((top) => top < code.scrollTop || top > code.scrollTop + code.clientHeight - 40);
    if (at !== undefined) code.scrollTop = at - code.clientHeight / 2;
  }

  tell(story) {
    this.story.replaceChildren();
    if (!story.length) return;
    const told = customElements.get("stingy-stepper").of(story);
    this.story.append(make("p", "The story so far; the sets beside it are those of a right queue."), told);
  }

  async share() {
    this.says.textContent = await share("play", { puzzle: this.dataset.puzzle, order: this.order }, "the puzzle and your order");
  }
});

function count(turns) {
  return `${turns} ${turns === 1 ? "turn" : "turns"}`;
}
