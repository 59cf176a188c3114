// Two clocks to set wrong. Without it four cases stand there as a table.
"use strict";
customElements.get("stingy-clocks") || customElements.define("stingy-clocks", class extends HTMLElement {
  connectedCallback() {
    if (this.known) return;
    this.known = JSON.parse(this.dataset.known);
    const slider = (name, label, least, value) => `<label>${label} <b></b>
      <input type="range" name="${name}" min="${least}" max="30" value="${value}"></label>`;
    const panel = document.createElement("div");
    panel.className = "stingy-panel stingy-sliders";
    panel.innerHTML = slider("writer", "Writer's clock", -30, 0) + slider("node", "Node's clock", -30, 0)
      + slider("took", "From the change to its rules", 0, this.known.took) + '<output aria-live="polite"></output>';
    this.prepend(panel);
    this.inputs = [...panel.querySelectorAll("input")];
    panel.addEventListener("input", () => this.show());
    this.show();
  }

  // The latency that kube-proxy observes, in seconds; null if none. Compared with the reference in data-known.
  observed(writer, node, took) {
    const stamped = this.known.event + writer;
    return stamped > node ? this.known.event + took + node - stamped : null;
  }

  show() {
    const [writer, node, took] = this.inputs.map((input) => Number(input.value));
    const ahead = (by) => by ? `${Math.abs(by)} s ${by > 0 ? "ahead" : "behind"}` : "right";
    [ahead(writer), ahead(node), `${took} s`].forEach((says, n) => { this.inputs[n].previousElementSibling.textContent = says; });
    const { event } = this.known;
    const seen = this.observed(writer, node, took);
    const why = seen === null
      ? `Nothing is observed: the stamp says ${event + writer} s, and by its own clock the node was started at ${node} s.`
      : `${seen} s is observed${seen === took ? ", which is true" : seen < 0 ? ": less than nothing" : `; it was ${took} s`}.`;
    const says = this.querySelector(".stingy-sliders > output");
    says.textContent = why;
    says.classList.toggle("wrong", seen !== took);
  }
});
