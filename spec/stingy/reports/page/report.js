"use strict";
for (const figure of document.querySelectorAll("figure")) {
  const rows = [...figure.querySelectorAll("tr[data-step]")];
  const parts = [...figure.querySelectorAll("[data-step]")];
  const wrong = Number(figure.dataset.wrong);
  const steps = document.createElement("div");
  steps.className = "steps";
  const said = document.createElement("output");
  let at = 0; // no step: the whole story

  const go = (step) => {
    at = Math.max(0, Math.min(rows.length, step));
    for (const part of parts) {
      const its = Number(part.dataset.step);
      part.classList.toggle("now", its === at);
      part.classList.toggle("later", at > 0 && its > at);
    }
    const row = rows[at - 1];
    said.textContent = row ? `step ${at} of ${rows.length}: ${[...row.cells].slice(1, 3).map((cell) => cell.textContent.trim()).join(" ")}` : "";
    figure.querySelector(".bar.now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    steps.append(made);
  };
  button("Back", () => go(at - 1));
  button("Step", () => go(at + 1));
  if (wrong) button("First wrong step", () => go(wrong));
  button("All", () => go(0));
  steps.append(said);
  figure.prepend(steps);
  figure.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 1, End: rows.length, Escape: 0, e: wrong }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      go(to);
    }
  });
}
const filter = document.querySelector(".filter");
filter.hidden = false;
filter.addEventListener("change", () => {
  const shown = new Set([...filter.querySelectorAll(":checked")].map((box) => box.value));
  for (const line of document.querySelectorAll("[data-verdict]")) line.hidden = !shown.has(line.dataset.verdict);
  for (const part of document.querySelectorAll("details")) part.hidden = !part.querySelector("[data-verdict]:not([hidden])");
});
