// Steps through a story. Without it the picture and the table below are there all the same.
"use strict";
if (!customElements.get("stingy-stepper")) {
  const made = (tag, parent, text = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  customElements.define("stingy-stepper", class extends HTMLElement {
    connectedCallback() {
      if (this.story) return;
      this.story = JSON.parse(this.dataset.trace);
      this.at = 0; // no step: the whole story
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", "A story, step by step");
      const panel = document.createElement("div");
      panel.className = "stingy-panel";
      const buttons = made("div", panel);
      buttons.className = "stingy-buttons";
      const steps = { First: () => 1, Back: () => this.at - 1, Next: () => this.at + 1, All: () => 0 };
      for (const [name, step] of Object.entries(steps)) {
        const button = made("button", buttons, name);
        button.type = "button";
        button.addEventListener("click", () => this.go(step()));
      }
      this.says = made("output", panel);
      if (this.story.some((step) => step.held)) {
        this.sets = ["queue", "dirty", "processing"].map((name, n) => {
          if (!n) this.list = made("dl", panel);
          const pair = made("div", this.list);
          made("dt", pair, name);
          return made("dd", pair);
        });
      }
      this.prepend(panel);
      const table = this.querySelector("details");
      table.open = false;
      addEventListener("beforeprint", () => { table.open = true; this.go(0); });
      this.addEventListener("keydown", (event) => {
        const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 1, End: this.story.length, Escape: 0 }[event.key];
        if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.target.matches(".stingy-scroll") && event.target.scrollWidth > event.target.clientWidth) return;
        event.preventDefault();
        this.go(to);
      });
      this.go(0);
    }

    go(to) {
      this.at = Math.max(0, Math.min(this.story.length, to));
      const step = this.story[this.at - 1];
      const wrong = step?.expected ? ` ✗ expected ${step.expected}` : "";
      this.says.textContent = step
        ? `Step ${this.at} of ${this.story.length} – ${step.says}${wrong}`
        : `${this.story.length} steps. Next, or the arrow keys, go through them.`;
      this.list?.classList.toggle("unknown", !step?.held);
      this.sets?.forEach((set, n) => this.fill(set, step?.held ? step.held[n] : []));
      for (const part of this.querySelectorAll("[data-step]")) {
        const its = Number(part.dataset.step);
        part.classList.toggle("now", its === this.at);
        part.classList.toggle("later", this.at > 0 && its > this.at);
      }
    }

    fill(set, items) {
      const there = [...set.children].map((it) => it.textContent);
      if (there.join("\n") === items.join("\n")) return;
      set.replaceChildren();
      for (const item of items) made("span", set, item).classList.toggle("new", !there.includes(item));
    }
  });
}
