// Steps through a story. Without it the picture and the table are there all the same.
"use strict";
customElements.get("stingy-stepper") || customElements.define("stingy-stepper", class extends HTMLElement {
  static of(story) { // what has just been told, with a table of it
    const head = make("tr", ...["step", "who", "call"].map((name) => make("th", name)));
    const rows = story.map((step, n) => {
      const wrong = step.expected ? make("strong", ` ✗ expected ${step.expected}`) : "";
      const row = make("tr", make("th", String(n + 1)), make("td", step.lane), make("td", step.call, wrong));
      row.dataset.step = n + 1;
      row.classList.toggle("wrong", Boolean(step.expected));
      return row;
    });
    const table = make("table", make("thead", head), make("tbody", ...rows));
    table.className = "stingy-story";
    const told = make("details", make("summary", "The same as a table"), table);
    told.className = "stingy-told";
    const stepper = make("stingy-stepper", told);
    stepper.dataset.trace = JSON.stringify(story);
    return stepper;
  }

  connectedCallback() {
    if (this.story) return;
    this.story = JSON.parse(this.dataset.trace);
    const names = this.story.some((step) => step.held) ? ["queue", "dirty", "processing"] : [];
    const panel = document.createElement("div");
    panel.className = "stingy-panel";
    panel.innerHTML = `<div class="stingy-buttons">
      ${["First", "Back", "Next", "All"].map((name) => `<button type="button">${name}</button>`).join("")}</div>
      <output></output>
      ${names.length ? `<dl>${names.map((name) => `<div><dt>${name}</dt><dd></dd></div>`).join("")}</dl>` : ""}`;
    const steps = [() => 1, () => this.at - 1, () => this.at + 1, () => 0];
    panel.querySelectorAll("button").forEach((button, n) => button.addEventListener("click", () => this.go(steps[n]())));
    this.sets = panel.querySelectorAll("dd");
    this.prepend(panel);
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "A story, step by step");
    const table = this.querySelector("details");
    table.open = false;
    addEventListener("beforeprint", () => { table.open = true; this.go(0); });
    this.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 1, End: this.story.length, Escape: 0 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.go(to);
    });
    this.go(0);
  }

  go(to) { // 0 is no step: the whole story
    const { story } = this;
    this.at = Math.max(0, Math.min(story.length, to));
    const step = story[this.at - 1];
    const wrong = step?.expected ? ` ✗ expected ${step.expected}` : "";
    this.querySelector("output").textContent = step
      ? `Step ${this.at} of ${story.length} – ${step.says}${wrong}`
      : `${story.length} steps. Next, or the arrow keys, go through them.`;
    this.sets.forEach((set, n) => fillSet(set, step?.held?.[n]));
    for (const part of this.querySelectorAll("[data-step]")) {
      part.classList.toggle("now", +part.dataset.step === this.at);
      part.classList.toggle("later", this.at > 0 && +part.dataset.step > this.at);
    }
    const bar = this.querySelector(".bar.now");
    if (bar) bar.closest(".stingy-scroll").scrollLeft = bar.getBBox().x - 40;
  }
});

function fillSet(set, items) { // unknown where there are none
  const before = [...set.children].map((it) => it.textContent);
  set.classList.toggle("unknown", !items);
  set.replaceChildren(...(items ?? []).map((item) => {
    const it = make("span", item);
    it.classList.toggle("new", !before.includes(item));
    return it;
  }));
}

function make(name, ...parts) {
  const element = document.createElement(name);
  element.append(...parts);
  return element;
}
