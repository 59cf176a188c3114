// Steps through a story. Without it the picture and the table are there all the same.
"use strict";
customElements.get("stingy-stepper") || customElements.define("stingy-stepper", class extends HTMLElement {
  static of(figure) { // the HTML of a story that has just been told; it opens where it goes wrong, or at its end
    const holder = make("div");
    holder.innerHTML = figure;
    const stepper = holder.querySelector("stingy-stepper");
    stepper.dataset.opens = "";
    return holder;
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
    table.open = matchMedia("(max-width: 30em)").matches; // where the picture has no room
    addEventListener("beforeprint", () => { table.open = true; this.go(0); });
    this.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 1, End: this.story.length, Escape: 0 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.go(to);
    });
    const wrong = this.story.findIndex((step) => step.expected) + 1;
    this.go("opens" in this.dataset ? wrong || this.story.length : 0);
  }

  go(to) { // 0 is no step: the whole story
    const { story } = this;
    this.at = Math.max(0, Math.min(story.length, to));
    const step = story[this.at - 1];
    const wrong = step?.expected ? ` ✗ expected ${step.expected}` : "";
    this.querySelector("output").textContent = step
      ? `Step ${this.at} of ${story.length} – ${step.says}${wrong}`
      : `${story.length} steps. Next, or the arrow keys, go through them.`;
    const known = story.slice(0, this.at).findLast((it) => it.held); // after what is wrong, the sets stay as they were
    this.sets.forEach((set, n) => fillSet(set, known?.held[n], step === known));
    for (const part of this.querySelectorAll("[data-step]")) {
      part.classList.toggle("now", +part.dataset.step === this.at);
      part.classList.toggle("later", this.at > 0 && +part.dataset.step > this.at);
    }
    const bar = this.querySelector(".bar.now");
    if (bar?.getClientRects().length) bar.closest(".stingy-scroll").scrollLeft = bar.getBBox().x - 40;
  }
});

function fillSet(set, items, sure = true) { // unknown where there are none
  const before = [...set.children].map((it) => it.textContent);
  set.classList.toggle("unknown", !items || !sure);
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
