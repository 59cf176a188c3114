// Judges what it is sent, by Python in WebAssembly, in which each lane is a stack that can be parked.
// All it needs lies beside it; nothing is asked of any other place, and nothing is sent.
import { loadPyodide } from "./pyodide.mjs";

const here = new URL("./", import.meta.url);
const asked = new URL(import.meta.url).searchParams.get("for"); // the module that answers
const TYPES = { wasm: "application/wasm", json: "application/json" };

// Everything there is to fetch, as one bar that fills up.
async function fetchAll() {
  const sizes = (await (await fetch(new URL("files.json", here))).json())[asked];
  const of = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const found = new Map();
  let done = 0;
  await Promise.all(Object.keys(sizes).map(async (name) => {
    const response = await fetch(new URL(name, here));
    if (!response.ok) throw new Error(`${name} is not there: ${response.status}`);
    const parts = [], reader = response.body.getReader();
    for (let part; !(part = await reader.read()).done;) {
      parts.push(part.value);
      postMessage({ kind: "loading", done: done += part.value.length, of });
    }
    found.set(name, new Blob(parts, { type: TYPES[name.split(".").pop()] ?? "" }));
  }));
  return found;
}

async function begin() {
  const found = await fetchAll();
  const fetched = self.fetch;
  self.fetch = (what, how) => { // what is here already is not fetched again
    const blob = found.get(new URL(what.url ?? what, here).href.slice(here.href.length));
    return blob ? Promise.resolve(new Response(blob)) : fetched(what, how);
  };
  const python = await loadPyodide({ indexURL: here.href, stdout: () => {}, stderr: () => {} });
  for (const [name, blob] of found) {
    if (name.endsWith(".whl")) python.unpackArchive(await blob.arrayBuffer(), "wheel");
  }
  for (const name of ["stingy.zip", "kata.zip"]) {
    if (found.has(name)) python.unpackArchive(await found.get(name).arrayBuffer(), "zip", { extractDir: "/stingy" });
  }
  found.clear();
  python.runPython("import sys; sys.path[:0] = ['/stingy', '/tried']");
  const module = python.pyimport(asked);
  module.begin?.();
  return module.answer;
}

const begun = begin();

onmessage = async ({ data }) => {
  try {
    const answer = await begun;
    postMessage({ kind: "begins" });
    await answer.callPromising(JSON.stringify(data), (told) => postMessage(JSON.parse(told)));
  } catch (error) {
    postMessage({ kind: "failed", says: String(error.message ?? error) });
  }
};
