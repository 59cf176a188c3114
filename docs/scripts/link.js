// A link that holds all it is about: as JSON, deflated, in the letters that a fragment may have. Nothing is sent anywhere.
"use strict";
const MOST_SHARED = 1 << 20; // bytes: a link from somebody else may inflate to a thousand times its length

async function share(name, thing, what) { // what is to be said of it
  history.replaceState(null, "", `#${name}=${await pack(thing)}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  return `${copied ? "The link is on your clipboard" : "The address of this page is the link"}: it holds ${what}.`;
}

async function shared(name) { // nothing, where the address holds none
  const begins = `#${name}=`;
  return location.hash.startsWith(begins) ? unpack(location.hash.slice(begins.length)).catch(() => null) : null;
}

async function through(bytes, stream) {
  const parts = [];
  let length = 0;
  for await (const part of chunks(new Blob([bytes]).stream().pipeThrough(stream).getReader())) {
    length += part.length;
    if (length > MOST_SHARED) throw new RangeError("this is too much for a link");
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* chunks(reader) {
  try {
    for (let it = await reader.read(); !it.done; it = await reader.read()) yield it.value;
  } finally {
    reader.cancel();
  }
}

async function pack(thing) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(thing)), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(text) {
  if (text.length > MOST_SHARED) throw new RangeError("this is too much for a link");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
}
