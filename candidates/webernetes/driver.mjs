// Lets stingy judge the work queues of webernetes: driver protocol 1 over standard input and output.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { serve } from "../../spec/stingy/starters/node/stingy/driver.mjs";
import { IMPLS, OPS } from "./queues.mjs";
import { version } from "./node_modules/@ngrok/webernetes/package.json";

const MILLISECOND = 1_000_000;

function hash() {
  return createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url))).digest("hex").slice(0, 12);
}

await serve({
  hello: {
    name: "webernetes", version, build: `node ${process.version} ${hash()}`, language: "javascript", resolution_ns: MILLISECOND,
  },
  impls: IMPLS,
  ops: OPS,
  // Before the next turn of the event loop, Node runs everything that can run of promises; and of what waits for anything
  // else a candidate has only the clock, which stands still.
  turns: 1,
  clock: ({ clock }) => clock,
});
