"""How long a page of the site takes to judge its own queue, and to play a puzzle, in headless Chromium, and how much it fetches for that.

``python benchmarks/browser.py SITE GUARANTEE...``, with a SITE as ``mkdocs build`` makes it; needs ``.[browser]`` and Chromium.
"""

from __future__ import annotations

import gzip
import json
import shutil
import statistics
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from stingy_kata.puzzle import Puzzle, puzzles

TOLD = "(it) => { it.seen = []; const told = it.told; it.told = (d) => { it.seen.push(d.kind); told.call(it, d); }; }"
PAGE_S_OWN = ("pyodide.mjs", "pyodide.asm.mjs", "worker.mjs")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


def is_of_the_editor(path: Path) -> bool:
    return path.suffix == ".js" or path.name == "editor.mjs"


def touch(page: Any) -> float:
    since = time.perf_counter()
    page.locator("stingy-editor textarea").click()
    page.locator("stingy-editor .cm-content:focus").wait_for()
    return time.perf_counter() - since


def judge(page: Any) -> tuple[float, float]:
    """Seconds to the first verdict, and to the last."""
    it = page.locator("stingy-try").element_handle()
    it.evaluate(TOLD)
    since = time.perf_counter()
    page.get_by_role("button", name="Run these rules").click()
    page.wait_for_function("it => it.seen.includes('verdict')", arg=it, timeout=300_000)
    first = time.perf_counter() - since
    page.wait_for_function("it => it.seen.includes('over')", arg=it, timeout=600_000)
    return first, time.perf_counter() - since


def play(page: Any, puzzle: Puzzle) -> tuple[float, list[float]]:
    """Seconds until there is a choice, and for each turn of an order that does it."""
    it = page.locator(f"stingy-play[data-puzzle={puzzle.name}]")
    since = time.perf_counter()
    it.get_by_role("button", name="Play", exact=True).click()
    it.locator(".stingy-lanes button").first.wait_for(timeout=300_000)
    begun, turns = time.perf_counter() - since, []
    for n, lane in enumerate(puzzle.order, 1):
        since = time.perf_counter()
        it.locator(".stingy-lanes").get_by_role("button", name=lane).click()
        page.wait_for_function("([it, n]) => it.position.order.length === n", arg=[it.element_handle(), n])
        turns.append(time.perf_counter() - since)
    return begun, turns


def main() -> None:
    site = Path(sys.argv[1])
    for use, names in json.loads((site / "try" / "files.json").read_bytes()).items():
        packed = [len(gzip.compress((site / "try" / name).read_bytes(), 9)) for name in (*names, *PAGE_S_OWN)]
        print(f"fetched once, {use}: {sum(packed) / 1e6:.2f} MB with gzip")
    editor = [
        len(gzip.compress(path.read_bytes(), 9))
        for path in (site / "try").iterdir()
        if is_of_the_editor(path)
    ]
    print(
        f"the editor besides, when it is touched: {sum(editor) / 1e6:.2f} MB with gzip, {len(editor)} files"
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for guarantee in sys.argv[2:]:
            page = chromium.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/guarantees/{guarantee}.html")
            print(f"{guarantee}: the editor is there {touch(page):.2f} s after the click")
            for when in ("first", "again"):
                first, last = judge(page)
                print(f"{guarantee}, {when}: first verdict after {first:.1f} s, last after {last:.1f} s")
        page = chromium.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/play.html")
        for puzzle in puzzles():
            begun, turns = play(page, puzzle)
            told = f"{statistics.median(turns) * 1000:.0f} ms a turn, {max(turns) * 1000:.0f} ms the longest"
            print(f"puzzle {puzzle.name}: a choice after {begun:.1f} s, {told}")
        chromium.close()
    server.shutdown()


if __name__ == "__main__":
    main()
