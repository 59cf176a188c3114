// Judges a queue that the reader writes, in a worker of this page, by the rules that a pattern names: all that it offers, where that
// is *. Without this script the code stands there to be read.
"use strict";
customElements.get("stingy-try") || customElements.define("stingy-try", class extends HTMLElement {
  async connectedCallback() {
    if (this.code) return;
    const { base, rules } = this.dataset;
    this.whole = rules === "*";
    this.bench = new Bench(base, "tryout");
    const start = this.querySelector("code").textContent;
    const need = whatIsMissing();
    const panel = document.createElement("div");
    panel.className = "stingy-panel";
    panel.innerHTML = `<stingy-editor data-base="${base}" data-rows="18"></stingy-editor>
      <div class="stingy-buttons"><button type="button">${this.whole ? "Judge it" : "Run these rules"}</button><button
      type="button">Stop</button><button type="button">Start over</button><button type="button">Link to this</button>
      <label>Seed <input type="number" min="0" step="1" value="0"></label></div>
      <progress max="1" value="0" aria-label="How far it is" hidden></progress><output></output>`;
    [this.code, this.seed] = [panel.querySelector("stingy-editor"), panel.querySelector("input")];
    [this.bar, this.says] = [panel.querySelector("progress"), panel.querySelector("output")];
    this.buttons = [...panel.querySelectorAll("button")];
    const acts = [() => this.run(), () => this.bench.end(`Stopped. ${this.counted()}.`), () => { this.code.value = start; }, () => this.share()];
    this.buttons.forEach((button, n) => button.addEventListener("click", acts[n]));
    this.report = make("div");
    this.found = document.createElement("ul");
    this.replaceChildren(panel, this.report, this.found);
    this.code.value = start;
    this.work(false);
    this.says.textContent = need;
    this.buttons[0].disabled = need !== "";
    const opened = await shared("try");
    if (opened?.rules === rules) {
      this.code.value = opened.code;
      this.seed.value = opened.seed;
      this.says.textContent = need || "Opened from a link. Read it before you run it.";
      this.scrollIntoView();
    }
  }

  disconnectedCallback() { this.bench.end(""); }

  work(is) {
    this.buttons[0].disabled = is;
    this.buttons[1].disabled = !is;
    this.bar.hidden = !is;
  }

  run() {
    this.report.replaceChildren();
    this.found.replaceChildren();
    this.counts = {};
    this.items = new Map();
    this.code.mark([]);
    this.bench.ask(this, { code: this.code.value, rules: this.dataset.rules, seed: Math.max(0, Math.trunc(this.seed.value)) || 0 });
  }

  tired() {
    return `Ended: nothing has come of the next rule for a minute. Whatever it runs may go round for ever. ${this.counted()}.`;
  }

  told(data) {
    if (data.kind === "over") this.conclude(data);
    if (data.kind === "refused") this.says.textContent = data.says;
    if (data.kind === "begins") this.says.textContent = "Judging…";
    if (data.kind === "verdict") this.show(data);
    if (data.kind === "endless") this.code.mark([data.line]);
  }

  counted() {
    return Object.entries(this.counts ?? {}).map(([verdict, n]) => `${n} ${verdict}`).join(", ") || "No verdict";
  }

  show(data) {
    this.counts[data.verdict] = (this.counts[data.verdict] ?? 0) + 1;
    this.bar.value = data.done / data.of;
    this.says.textContent = `${Math.round(100 * data.done / data.of)} %: ${this.counted()}`;
    const wrong = ["FAIL", "ERROR"].includes(data.verdict);
    if (this.whole && !wrong) return;
    const sure = data.evidence ? ` (${data.evidence}${data.runs > 1 ? `, ${data.runs} runs` : ""})` : "";
    const it = make("li", make("strong", data.verdict), ` ${data.level} `, make("code", data.id), sure);
    it.classList.toggle("wrong", wrong);
    it.lines = data.lines;
    if (wrong) it.append(make("p", data.sentence));
    if (data.figure) it.append(customElements.get("stingy-stepper").of(data.figure));
    const facts = [data.because, data.hint && `Check: ${data.hint}`, data.code && `Your code: ${data.code}`, data.order && `The order: ${data.order}`];
    it.append(...facts.filter(Boolean).map((fact) => make("p", fact)));
    if (wrong && ![...this.items.values()].some((other) => other.matches(".wrong"))) this.code.mark(data.lines);
    this.items.set(data.id, it);
    this.found.insertBefore(it, wrong ? this.found.querySelector(":scope > :not(.wrong)") : null); // what is wrong comes first
  }

  conclude(data) {
    this.says.textContent = `${this.counted()}.`;
    for (const { ids: [lead, ...others], fault } of [...data.causes].reverse()) { // one item a cause, the gravest first
      const it = this.items.get(lead);
      if (fault) it.append(make("p", `Looks like: ${fault}`));
      if (others.length) {
        const more = make("ul", ...others.map((id) => this.items.get(id)));
        it.append(make("details", make("summary", `${others.length} more that the same mistake may break`), more));
      }
      this.found.prepend(it);
      this.code.mark(it.lines);
    }
    if (!this.whole) return;
    const text = make("pre", data.report), link = make("a", "The report as JSON");
    text.className = "stingy-feedback";
    Object.assign(text, { tabIndex: 0, role: "region", ariaLabel: "The report" });
    Object.assign(link, { href: URL.createObjectURL(new Blob([data.json], { type: "application/json" })), download: "stingy.json" });
    this.report.replaceChildren(text, make("p", link));
  }

  async share() {
    const thing = { rules: this.dataset.rules, seed: Number(this.seed.value), code: this.code.value };
    this.says.textContent = await share("try", thing, "your queue and the seed");
  }
});
