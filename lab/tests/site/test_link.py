"""A link that holds the code of a page, decoded by the scripts of the site."""

import json
import shutil
import subprocess
from pathlib import Path

import machine
import pytest

LINK = Path(__file__).parents[3] / "docs" / "scripts" / "link.js"
TRIES = """
const { readFileSync } = require("fs");
const { deflateRawSync } = require("zlib");
const { pack, unpack } = new Function(readFileSync(process.argv[1], "utf8") + "; return { pack, unpack }")();
(async () => {
  const there = await unpack(await pack({ code: "x".repeat(100_000) }));
  const bomb = deflateRawSync(Buffer.from(JSON.stringify("x".repeat(50_000_000)))).toString("base64");
  const refused = await unpack(bomb.replaceAll("+", "-").replaceAll("/", "_")).catch((error) => error.message);
  console.log(JSON.stringify([there.code.length, bomb.length < 100_000, refused]));
})();
"""


@pytest.mark.skipif(not shutil.which("node"), reason="no Node here to run the code with")
def test_a_link_that_inflates_to_megabytes_is_refused():
    words = ("node", "-e", TRIES, str(LINK))
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=machine.patience(5))
    assert json.loads(done.stdout) == [100_000, True, "this is too much for a link"]
