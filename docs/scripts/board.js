// Shows a learner of the workshop's page on the class's board, once he agrees: where the trainer's `stingy-kata board` serves the page
// and his link opened it. It sends to the server that the page is from, and to no other.
"use strict";
class Board {
  static KEPT = "stingy-kata-board"; // in this tab: the name on the board, so that a reload goes on
  static LONGEST = 80; // characters of a name
  static PATIENCE = 10_000; // ms for an answer

  static offered() {
    return new URLSearchParams(location.search).has("board");
  }

  constructor() {
    this.address = new URL("../status", document.baseURI);
    this.turn = Promise.resolve(); // one status after the other, so that the last one stays
    this.element = make("form");
    this.element.className = "stingy-board stingy-panel";
    this.says = make("output");
    this.name = make("input");
    Object.assign(this.name, { required: true, maxLength: Board.LONGEST, autocomplete: "off" });
    this.button = make("button");
    this.label = make("label", "Name, or a made-up one ", this.name);
    const row = make("div", this.label, this.button);
    row.className = "stingy-buttons";
    this.element.append(this.says, row);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.become(this.who ? "" : this.name.value.trim());
    });
    this.become(Board.kept());
  }

  static kept() {
    try {
      return sessionStorage.getItem(Board.KEPT) ?? "";
    } catch {
      return "";
    }
  }

  become(who) {
    const left = this.who && !who;
    this.who = who;
    this.sent = "";
    try {
      sessionStorage.setItem(Board.KEPT, who);
    } catch { /* a reload asks again */ }
    this.label.hidden = who !== "";
    this.name.disabled = who !== "";
    this.button.textContent = who ? "Leave the board" : "Show me on the board";
    this.says.textContent = who ? `The board shows you as ${who}, from the next step on.`
      : left ? "Nothing more is sent. What the board has stays on it."
      : `Your trainer has a board of the class. If you want to be on it, this page sends to ${this.address.host}, now and after each step: your name, the exercise that you are at, those that are done, skipped or given up, and how many hints you opened. Nothing of your code. Nothing is sent before you agree.`;
    this.follow(this.status);
  }

  follow(status) {
    this.status = status;
    if (status && this.who) this.turn = this.turn.then(() => this.send());
  }

  async send() {
    const { who } = this;
    const body = JSON.stringify({ ...this.status, who });
    if (!who || body === this.sent) return;
    let told = "The board cannot be reached. Go on without it: it is tried again with your next step.";
    try {
      const signal = AbortSignal.timeout(Board.PATIENCE);
      const answer = await fetch(this.address, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
      if (answer.ok) this.sent = body;
      told = answer.ok ? `The board shows you as ${who}.` : `The board does not take it: ${answer.statusText || answer.status}. Go on without it.`;
    } catch { /* as told */ }
    if (this.who === who) this.says.textContent = told;
  }
}
