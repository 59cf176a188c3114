// Python in a worker, for a part of the page that asks it something, one thing at a time. Whoever asks has a bar, an output that
// says how far it is, and told(), work() and tired(): what has come of it, whether it is under way, what to say if nothing comes.
"use strict";
class Bench {
  static LAST = ["told", "over", "refused"]; // nothing comes after these

  constructor(base, answers) {
    this.address = new URL(`${base}worker.mjs?for=${answers}`, document.baseURI);
    this.patience = 60_000; // ms without a word after which it is not waited for any more
    this.worker = null;
  }

  ask(owner, what) {
    this.owner = owner;
    if (!this.worker) {
      this.worker = new Worker(this.address, { type: "module" });
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.onerror = (error) => this.end(`It cannot be run here: ${error.message ?? "its files are not there"}`);
      owner.says.textContent = "Fetching what it takes…";
    }
    owner.work(true);
    this.worker.postMessage(what);
  }

  end(why) {
    this.worker?.terminate();
    this.worker = null;
    clearTimeout(this.waits);
    this.owner?.work(false);
    if (this.owner) this.owner.says.textContent = why;
  }

  hear(data) {
    const { owner } = this;
    if (data.kind === "loading") {
      owner.bar.value = data.done / data.of;
      if (data.done === data.of) owner.says.textContent = "Starting Python…";
      return;
    }
    clearTimeout(this.waits);
    if (data.kind === "endless") {
      owner.told(data);
      return this.end(`Ended: line ${data.line}, in ${data.within}, has gone round for 10 seconds. A loop that waits needs a wait in it.`);
    }
    if (data.kind === "failed") return this.end(`It cannot be run here: ${data.says}`);
    if (Bench.LAST.includes(data.kind)) owner.work(false);
    else this.waits = setTimeout(() => this.end(owner.tired()), this.patience);
    owner.told(data);
  }
}

// Returns a sentence on what keeps this page from running Python.
function whatIsMissing() {
  if (location.protocol === "file:") return "It needs a web server: in the folder of this site, python3 -m http.server will do.";
  if ("Suspending" in WebAssembly) return "";
  return "It needs a browser in which WebAssembly can wait (JavaScript Promise Integration), as current versions of Chromium, Edge and Firefox can: the lanes of a race are parked so.";
}
