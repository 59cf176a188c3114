// Judges a queue that the reader writes, in a worker of this page. Without it the code stands there to be read.
"use strict";
customElements.get("stingy-try") || customElements.define("stingy-try", class extends HTMLElement {
  async connectedCallback() {
    if (this.code) return;
    this.bench = new Bench(this.dataset.base, "tryout");
    const start = this.querySelector("code").textContent;
    const need = whatIsMissing();
    const panel = document.createElement("div");
    panel.className = "stingy-panel";
    panel.innerHTML = `<stingy-editor data-base="${this.dataset.base}" data-rows="18"></stingy-editor>
      <div class="stingy-buttons"><button type="button">Run these rules</button><button type="button">Stop</button><button
      type="button">Start over</button><button type="button">Link to this</button>
      <label>Seed <input type="number" min="0" step="1" value="0"></label></div>
      <progress max="1" value="0" aria-label="How far it is" hidden></progress><output></output>`;
    [this.code, this.seed] = [panel.querySelector("stingy-editor"), panel.querySelector("input")];
    [this.bar, this.says] = [panel.querySelector("progress"), panel.querySelector("output")];
    this.buttons = [...panel.querySelectorAll("button")];
    const acts = [() => this.run(), () => this.bench.end("Stopped."), () => { this.code.value = start; }, () => this.share()];
    this.buttons.forEach((button, n) => button.addEventListener("click", acts[n]));
    this.found = document.createElement("ul");
    this.replaceChildren(panel, this.found);
    this.code.value = start;
    this.work(false);
    this.says.textContent = need;
    this.buttons[0].disabled = need !== "";
    const opened = await shared("try");
    if (opened?.guarantee === this.dataset.guarantee) {
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
    this.found.replaceChildren();
    this.counts = {};
    this.bench.ask(this, { code: this.code.value, guarantee: this.dataset.guarantee, seed: Math.max(0, Math.trunc(this.seed.value)) || 0 });
  }

  tired() {
    return `Ended: nothing has come of the next rule for a minute. Whatever it runs may go round for ever. ${this.counted()}.`;
  }

  told(data) {
    if (data.kind === "over") this.says.textContent = `${this.counted()}.`;
    if (data.kind === "refused") this.says.textContent = data.says;
    if (data.kind === "begins") this.says.textContent = "Judging…";
    if (data.kind === "verdict") this.show(data);
  }

  counted() {
    return Object.entries(this.counts).map(([verdict, n]) => `${n} ${verdict}`).join(", ") || "No verdict";
  }

  show(data) {
    this.counts[data.verdict] = (this.counts[data.verdict] ?? 0) + 1;
    this.bar.value = data.done / data.of;
    this.says.textContent = `${data.done} of ${data.of}: ${this.counted()}`;
    const sure = data.evidence ? ` (${data.evidence}${data.runs > 1 ? `, ${data.runs} runs` : ""})` : "";
    const it = make("li", make("strong", data.verdict), ` ${data.level} `, make("code", data.id), sure);
    it.classList.toggle("wrong", ["FAIL", "ERROR"].includes(data.verdict));
    if (data.because) it.append(make("p", data.because));
    if (it.classList.contains("wrong")) it.append(make("p", data.sentence));
    if (data.story.length) it.append(customElements.get("stingy-stepper").of(data.story));
    if (data.hint) it.append(make("p", `Check: ${data.hint}`));
    if (data.order) it.append(make("p", "The order: ", make("code", data.order)));
    this.found.insertBefore(it, it.classList.contains("wrong") ? this.found.querySelector(":scope > :not(.wrong)") : null); // what is wrong comes first
  }

  async share() {
    const thing = { guarantee: this.dataset.guarantee, seed: Number(this.seed.value), code: this.code.value };
    this.says.textContent = await share("try", thing, "your queue and the seed");
  }
});
