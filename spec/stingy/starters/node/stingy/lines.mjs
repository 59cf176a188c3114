import { writeSync } from "node:fs";

// Not readline's idea of a line, which ends at U+2028 as well: an item may hold it.
export async function* read(input) {
  let begun = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const [first, ...others] = chunk.split("\n");
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
}

export function say(message) {
  let left = Buffer.from(JSON.stringify(message) + "\n");
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // the pipe is full: the runner is about to read
    }
  }
}
