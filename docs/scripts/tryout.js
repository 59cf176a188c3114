// Judges a queue that the reader writes, in a worker of this page. Without it the code stands there to be read.
"use strict";
customElements.get("stingy-try") || customElements.define("stingy-try", class extends HTMLElement {
  static PATIENCE = 60_000; // ms without a verdict after which it is not waited for any more

  async connectedCallback() {
    if (this.code) return;
    const start = this.querySelector("code").textContent;
    const need = whatIsMissing();
    const panel = document.createElement("div");
    panel.className = "stingy-panel";
    panel.innerHTML = `<label>Your code <textarea rows="18" spellcheck="false" autocapitalize="off" wrap="off"></textarea></label>
      <div class="stingy-buttons"><button type="button">Run these rules</button><button type="button">Stop</button><button
      type="button">Start over</button><button type="button">Link to this</button>
      <label>Seed <input type="number" min="0" step="1" value="0"></label></div>
      <progress max="1" value="0" aria-label="How far it is" hidden></progress><output></output>`;
    [this.code, this.seed] = [panel.querySelector("textarea"), panel.querySelector("input")];
    [this.bar, this.says] = [panel.querySelector("progress"), panel.querySelector("output")];
    this.buttons = [...panel.querySelectorAll("button")];
    const acts = [() => this.run(), () => this.stop("Stopped."), () => { this.code.value = start; }, () => this.share()];
    this.buttons.forEach((button, n) => button.addEventListener("click", acts[n]));
    this.code.addEventListener("keydown", indent);
    this.found = document.createElement("ul");
    this.code.value = start;
    this.replaceChildren(panel, this.found);
    this.go(false);
    this.says.textContent = need;
    this.buttons[0].disabled = need !== "";
    const shared = location.hash.startsWith("#try=") && await unpack(location.hash.slice(5)).catch(() => null);
    if (shared?.guarantee === this.dataset.guarantee) {
      this.code.value = shared.code;
      this.seed.value = shared.seed;
      this.says.textContent = need || "Opened from a link. Read it before you run it.";
      this.scrollIntoView();
    }
  }

  disconnectedCallback() { this.stop(""); }

  go(runs) {
    this.buttons[0].disabled = runs;
    this.buttons[1].disabled = !runs;
    this.bar.hidden = !runs;
    clearTimeout(this.waits);
  }

  run() {
    this.found.replaceChildren();
    this.counts = {};
    this.go(true);
    if (!this.worker) {
      this.worker = new Worker(new URL(`${this.dataset.base}worker.mjs`, document.baseURI), { type: "module" });
      this.worker.onmessage = ({ data }) => this.told(data);
      this.worker.onerror = (error) => this.stop(`It cannot be run here: ${error.message ?? "its files are not there"}`);
      this.says.textContent = "Fetching what it takes…";
    }
    this.worker.postMessage({ code: this.code.value, guarantee: this.dataset.guarantee, seed: Math.max(0, Math.trunc(this.seed.value)) || 0 });
  }

  stop(why) {
    this.worker?.terminate();
    this.worker = null;
    this.go(false);
    this.says.textContent = why;
  }

  told(data) {
    const { kind, done, of } = data;
    if (kind === "loading") {
      this.bar.value = done / of;
      if (done === of) this.says.textContent = "Starting Python…";
      return;
    }
    clearTimeout(this.waits);
    if (kind === "failed") return this.stop(`It cannot be run here: ${data.says}`);
    if (kind === "refused" || kind === "over") {
      this.go(false);
      this.says.textContent = kind === "over" ? `${this.counted()}.` : data.says;
      return;
    }
    this.waits = setTimeout(() => this.stop(`Ended: nothing has come of the next rule for a minute. Whatever it runs may go round for ever. ${this.counted()}.`), this.constructor.PATIENCE);
    if (kind === "begins") this.says.textContent = "Judging…";
    if (kind === "verdict") this.show(data);
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
    for (const hint of data.hints) it.append(make("p", `If it fails, check: ${hint}`));
    if (data.order) it.append(make("p", "The order: ", make("code", data.order)));
    this.found.insertBefore(it, it.classList.contains("wrong") ? this.found.querySelector(":scope > :not(.wrong)") : null); // what is wrong comes first
  }

  async share() {
    const packed = await pack({ guarantee: this.dataset.guarantee, seed: Number(this.seed.value), code: this.code.value });
    history.replaceState(null, "", `#try=${packed}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    this.says.textContent = copied ? "The link is on your clipboard: it holds your queue and the seed." : "The address of this page is the link: it holds your queue and the seed.";
  }
});

// What a page lacks that is to run Python, in a sentence.
function whatIsMissing() {
  if (location.protocol === "file:") return "It needs a web server: in the folder of this site, python3 -m http.server will do.";
  if ("Suspending" in WebAssembly) return "";
  return "It needs a browser in which WebAssembly can wait (JavaScript Promise Integration), as current versions of Chromium, Edge and Firefox can: the lanes of a race are parked so.";
}

function indent(event) { // a new line begins where the one before it does, and further in after a colon
  if (event.key !== "Enter" || event.isComposing) return;
  const { value, selectionStart } = event.target;
  const line = value.slice(0, selectionStart).split("\n").pop();
  event.preventDefault();
  const further = line.trimEnd().endsWith(":") ? "    " : "";
  document.execCommand("insertText", false, "\n" + line.match(/^ */)[0] + further); // which can be undone
}

// A link holds all that it is about, as JSON, deflated, in the letters that a fragment may have.
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function pack(thing) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(thing)), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
}
