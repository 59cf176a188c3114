// The workshop in the page: what one writes is kept in this browser, and graded in a worker by what grades it in a terminal.
// Without it the exercises stand there to be read.
"use strict";
customElements.get("stingy-kata") || customElements.define("stingy-kata", class extends HTMLElement {
  static KEPT = "stingy-kata"; // in this browser: each file that one has written, and where one is

  connectedCallback() {
    if (this.begin) return;
    this.bench = new Bench(this.dataset.base, "kata");
    this.tasks = [...document.querySelectorAll("details.exercise")];
    this.begin = make("button", "Begin");
    this.begin.type = "button";
    this.begin.addEventListener("click", () => this.ask("open"));
    this.bar = make("progress");
    this.bar.ariaLabel = "How far it is";
    this.bar.hidden = true;
    this.says = make("output");
    this.place = document.createElement("div");
    this.place.className = "stingy-panel";
    const buttons = make("div", this.begin);
    buttons.className = "stingy-buttons";
    this.place.append(buttons, this.bar, this.says);
    this.board = Board.offered() ? new Board() : null;
    this.replaceChildren(...[this.board?.element, this.place].filter(Boolean));
    const need = whatIsMissing();
    this.begin.disabled = need !== "";
    const files = this.kept();
    this.says.textContent = need || (Object.keys(files).length ? "What you wrote here is kept: go on where you were." : "It fetches 10 MB from this site, once.");
  }

  disconnectedCallback() { this.bench.end(""); }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.constructor.KEPT)) ?? {};
    } catch {
      return {};
    }
  }

  keep(files) {
    try {
      localStorage.setItem(this.constructor.KEPT, JSON.stringify(files));
    } catch {
      this.says.textContent = "This browser keeps nothing: export what you want to have tomorrow.";
    }
  }

  ask(what, more = {}) {
    this.bench.ask(this, { do: what, files: this.kept(), ...more });
  }

  work(is) {
    this.bar.hidden = !is;
    this.bar.removeAttribute("value");
    this.begin.disabled = is;
    for (const it of this.querySelectorAll(".stingy-acts :is(button, input, select)")) it.disabled = is !== it.matches(".stop");
  }

  tired() {
    return "Ended: nothing has come of it for a minute: is there a loop that does not end? Mend it, and check again.";
  }

  told(data) {
    if (data.kind === "told") this.show(data);
    if (data.kind === "endless") this.code.mark([data.line]);
    if (data.kind === "begins") [this.says.textContent, this.greens] = ["Looking…", []];
    if (data.kind !== "judging") return;
    if (data.kept) this.greens.push(`  ✓  ${data.kept}`);
    this.tell({ says: this.greens.join("\n") });
    this.says.textContent = `Judging: ${data.done} rules. Where all that is asked is kept, it is held against all others as well.`;
    this.bar.value = data.done / data.of;
  }

  show(data) {
    const asked = location.hash.slice(1); // the name of an exercise, from a link
    if (!this.code) this.build();
    this.keep(data.files);
    this.board?.follow(data.status);
    if (data.do === "open" && asked !== data.at && data.list.some(({ name }) => name === asked)) return this.ask("go", { name: asked });
    const at = data.list.findIndex((it) => it.name === data.at);
    this.path = data.path;
    if (this.code.value !== data.code) this.code.value = data.code;
    this.choice.replaceChildren(...data.list.map((it) => {
      const option = make("option", `${it.label}${it.standing === "to do" ? "" : ` (${it.standing})`}`);
      option.value = it.name;
      option.selected = it.name === data.at;
      return option;
    }));
    const task = this.tasks[at];
    task.open = true;
    [...task.querySelectorAll("details.hint")].forEach((hint, n) => {
      hint.hidden = n >= data.rungs;
      hint.open = data.do === "hint" && n === data.rungs - 1;
    });
    this.task.replaceChildren(task);
    if (data.do === "hint") task.querySelector("details.hint[open]").scrollIntoView({ block: "center" });
    this.acts.Next.disabled = !data.solved;
    const done = data.list.filter((it) => it.standing.includes("done")).length;
    this.says.textContent = `${done} of ${data.list.length} done.`;
    if (!["export", "hint"].includes(data.do)) this.tell(data);
    if (data.zip) this.save(data.zip);
  }

  tell(data) {
    const lines = data.says.trimEnd().split("\n").map((line) => {
      const it = make("span", `${line}\n`);
      it.classList.toggle("wrong", /^\s*✗/.test(line));
      it.classList.toggle("right", /^\s*✓/.test(line));
      return it;
    });
    this.feedback.replaceChildren(...lines);
    this.feedback.hidden = data.says === "";
    this.more.replaceChildren();
    if (data.story) {
      this.story = customElements.get("stingy-stepper").of(data.story);
      this.story.hidden = true;
      this.more.append(this.story);
    }
    this.acts.Replay.disabled = !data.story;
    if (data.explains) {
      const [guarantee, rule] = data.explains.split("/");
      const link = make("a", `Explain: ${data.explains}`);
      link.href = `guarantees/${guarantee}.html#${rule}`;
      this.more.append(make("p", link));
    }
    if (data.solution) {
      const ours = make("pre", make("code", data.solution));
      ours.tabIndex = 0;
      this.more.append(make("p", "Ours, to compare:"), ours);
    }
  }

  build() {
    for (const it of document.querySelectorAll("details.exercise")) it.remove();
    const heading = document.getElementById("the-exercises");
    heading?.nextElementSibling?.remove();
    const names = ["Check", "Next", "Hint", "Replay", "Solution", "Reset", "Stop", "Export"];
    const acts = [
      () => this.ask("check", { width: this.columns() }), () => this.ask("next"), () => this.ask("hint"),
      () => { this.story.hidden = !this.story.hidden; }, () => this.reveal(), () => this.ask("reset"),
      () => this.bench.end("Stopped."), () => this.ask("export"),
    ];
    this.acts = {};
    names.forEach((name, n) => {
      const button = this.acts[name] = make("button", name);
      button.type = "button";
      button.classList.toggle("stop", name === "Stop");
      button.addEventListener("click", acts[n]);
    });
    this.choice = make("select");
    this.choice.addEventListener("change", () => this.ask("go", { name: this.choice.value }));
    const file = make("input");
    file.type = "file";
    file.accept = ".zip";
    file.addEventListener("change", () => this.take(file));
    this.code = make("stingy-editor");
    Object.assign(this.code.dataset, { base: this.dataset.base, rows: 24 });
    this.code.addEventListener("input", () => this.keep({ ...this.kept(), [this.path]: this.code.value }));
    this.task = make("div");
    this.feedback = make("pre");
    this.feedback.tabIndex = 0;
    this.feedback.className = "stingy-feedback";
    this.more = make("div");
    const above = make("div", make("label", "Exercise ", this.choice));
    const below = make("div", ...Object.values(this.acts), make("label", "Import ", file));
    above.className = below.className = "stingy-buttons stingy-acts";
    this.place.replaceChildren(heading ?? "", above, this.task, this.code, below, this.bar, this.says, this.feedback, this.more);
    this.acts.Stop.disabled = this.acts.Replay.disabled = true;
  }

  columns() { // of the feedback, as wide as there is room for it, and as a terminal would have it
    const ten = make("span", "mmmmmmmmmm");
    this.feedback.hidden = false;
    this.feedback.replaceChildren(ten);
    const fit = Math.floor((this.feedback.clientWidth - 24) / (ten.getBoundingClientRect().width / 10));
    this.feedback.replaceChildren();
    return Math.max(56, Math.min(120, fit));
  }

  reveal() {
    if (!this.acts.Next.disabled || confirm("It is not done yet. Read ours all the same?")) this.ask("solution");
  }

  async take(file) {
    if (!file.files.length) return;
    const bytes = new Uint8Array(await file.files[0].arrayBuffer());
    file.value = "";
    this.ask("import", { zip: btoa(Array.from(bytes, (it) => String.fromCharCode(it)).join("")) });
  }

  save(zip) {
    const bytes = Uint8Array.from(atob(zip), (it) => it.charCodeAt(0));
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    link.download = "stingy-kata.zip";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
});
