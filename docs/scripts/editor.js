// Code to be written: a textarea, and in its place an editor with colours once somebody touches it. Where that cannot be had, the
// textarea stays. Whoever has one sets and reads its value, and hears of each input.
"use strict";
customElements.get("stingy-editor") || customElements.define("stingy-editor", class extends HTMLElement {
  static LABEL = "Your code";

  connectedCallback() {
    if (this.area) return;
    this.area = make("textarea");
    Object.assign(this.area, { rows: this.dataset.rows, spellcheck: false, wrap: "off", autocapitalize: "off" });
    this.area.addEventListener("keydown", indent);
    this.printed = make("pre"); // what one scrolls in is cut off on paper
    addEventListener("beforeprint", () => { this.printed.textContent = this.value; });
    this.replaceChildren(make("label", `${this.constructor.LABEL} `, this.area), this.printed);
    for (const touch of ["pointerenter", "focusin"]) this.addEventListener(touch, () => this.enrich(), { once: true });
  }

  get value() { return (this.editor ?? this.area).value; }

  set value(text) { (this.editor ?? this.area).value = text; }

  mark(lines) { // their numbers, from 1
    this.marked = lines;
    if (this.editor) this.editor.mark(lines);
    else if (lines.length) this.enrich();
  }

  async enrich() {
    if (this.asked || location.protocol === "file:") return; // from a disk no module is loaded
    this.asked = true;
    let composed = Promise.resolve(); // letters that are put together are not interrupted
    this.area.addEventListener("compositionstart", () => {
      composed = new Promise((go) => this.area.addEventListener("compositionend", go, { once: true }));
    });
    const { open } = await import(new URL(`${this.dataset.base}editor.mjs`, document.baseURI)).catch(() => ({}));
    await composed;
    if (open && this.isConnected) this.replace(open);
  }

  replace(open) {
    const { area } = this, had = document.activeElement === area;
    const keys = make("small", "Tab indents. Escape, and then Tab, leaves the editor.");
    keys.id = "stingy-editor-keys";
    const called = { "aria-label": this.constructor.LABEL, "aria-describedby": keys.id, tabindex: "0" };
    this.editor = open(area, called, () => this.dispatchEvent(new Event("input")));
    this.editor.dom.style.height = `${area.offsetHeight}px`;
    const above = make("div", this.constructor.LABEL, keys);
    this.replaceChildren(above, this.editor.dom, this.printed);
    if (had) this.editor.focus();
    if (this.marked) this.editor.mark(this.marked);
  }
});

function indent(event) { // a new line begins where the one before it does, and further in after a colon
  if (event.key !== "Enter" || event.isComposing) return;
  const { value, selectionStart } = event.target;
  const line = value.slice(0, selectionStart).split("\n").pop();
  event.preventDefault();
  const further = line.trimEnd().endsWith(":") ? "    " : "";
  document.execCommand("insertText", false, "\n" + line.match(/^ */)[0] + further); // which can be undone
}
