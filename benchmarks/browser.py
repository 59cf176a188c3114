"""Measure the site in headless Chromium: ``python benchmarks/browser.py SITE GUARANTEE...``.

SITE is a folder that ``mkdocs build`` has made; needs ``.[browser]`` and Chromium. The script measures how long a page takes to
judge its own queue, by the rules of each GUARANTEE, and to play each puzzle; then how much some pages and decks of slides fetch,
and how long they take to load.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import threading
import time
from collections.abc import Iterable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlparse

from playwright.sync_api import sync_playwright

from stingy_kata.puzzle import Puzzle, puzzles

TOLD = "(it) => { it.seen = []; const told = it.told; it.told = (d) => { it.seen.push(d.kind); told.call(it, d); }; }"
PAGE_S_OWN = ("pyodide.mjs", "pyodide.asm.mjs", "worker.mjs")
PAGES = ("index", "guarantees/once_more", "guarantees/delays", "matrix", "broken", "kata", "play")
DECKS = ("present/slides", "present/slides-clocks")
TIMES = 5
"""Number of times that a page is loaded, each with an empty cache. The median counts."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


def main() -> None:
    site = Path(sys.argv[1])
    measure_sizes(site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for guarantee in sys.argv[2:]:
            page = chromium.new_page()
            page.goto(f"{address}/guarantees/{guarantee}.html")
            print(f"{guarantee}: the editor opens {touch(page):.2f} s after the click")
            for when in ("first", "again"):
                first, last = judge(page)
                print(f"{guarantee}, {when}: first verdict after {first:.1f} s, last after {last:.1f} s")
        page = chromium.new_page()
        page.goto(f"{address}/play.html")
        for puzzle in puzzles():
            begun, turns = play(page, puzzle)
            print(
                f"puzzle {puzzle.name}: first choice after {begun:.1f} s, "
                f"{median(turns) * 1000:.0f} ms for each turn, {max(turns) * 1000:.0f} ms at most"
            )
        print("\n| page | fetched, with gzip | loaded after |\n|---|--:|--:|")
        for names, is_ready in ((PAGES, "true"), (DECKS, "Reveal.isReady()")):
            for name in names:
                fetched, seconds = load(chromium, site, f"{address}/{name}.html", is_ready)
                print(f"| `{name}` | {fetched / 1e3:.0f} kB | {seconds:.2f} s |")
        print(f"\nthe first result of a search appears after {search(chromium, address):.2f} s")
        chromium.close()
    server.shutdown()


def measure_sizes(site: Path) -> None:
    for use, names in json.loads((site / "try" / "files.json").read_bytes()).items():
        size = packed(site / "try" / name for name in (*names, *PAGE_S_OWN))
        print(f"fetched once, {use}: {size / 1e6:.2f} MB with gzip")
    editor = [path for path in (site / "try").iterdir() if path.suffix == ".js" or path.name == "editor.mjs"]
    print(f"the editor, when it is opened: {packed(editor) / 1e6:.2f} MB with gzip, {len(editor)} files")
    html = list(site.rglob("*.html"))
    print(f"{len(html)} pages: {packed(html) / 1e6:.2f} MB with gzip")
    print(f"the index of the search: {packed([site / 'search/search_index.json']) / 1e6:.2f} MB with gzip")


def packed(paths: Iterable[Path]) -> int:
    """Return the total size of the files in bytes, each compressed with gzip."""
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def touch(page: Any) -> float:
    """Click into a page's code editor, and return the seconds until it has the focus."""
    since = time.perf_counter()
    page.locator("stingy-editor textarea").click()
    page.locator("stingy-editor .cm-content:focus").wait_for()
    return time.perf_counter() - since


def judge(page: Any) -> tuple[float, float]:
    """Let a page judge code; return the seconds until its first verdict, and until the last."""
    it = page.locator("stingy-try").element_handle()
    it.evaluate(TOLD)
    since = time.perf_counter()
    page.get_by_role("button", name="Run these rules").click()
    page.wait_for_function("it => it.seen.includes('verdict')", arg=it, timeout=300_000)
    first = time.perf_counter() - since
    page.wait_for_function("it => it.seen.includes('over')", arg=it, timeout=600_000)
    return first, time.perf_counter() - since


def play(page: Any, puzzle: Puzzle) -> tuple[float, list[float]]:
    """Solve a puzzle on a page; return the seconds until it can be played, and those of each turn."""
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


def load(chromium: Any, site: Path, address: str, is_ready: str) -> tuple[int, float]:
    """Load a page; return the bytes that it fetches, with gzip, and the seconds until it is ready.

    ``site`` is the folder of the site, ``address`` the page's URL, and ``is_ready`` a condition in
    JavaScript.
    """
    times = []
    for _ in range(TIMES):
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        fetched: set[str] = set()
        page.on("request", lambda request: fetched.add(urlparse(request.url).path.lstrip("/")))  # noqa: B023
        since = time.perf_counter()
        page.goto(address)
        page.wait_for_function(is_ready)
        times.append(time.perf_counter() - since)
        page.context.close()
    return packed(site / path for path in fetched), median(times)


def search(chromium: Any, address: str) -> float:
    """Search on the site; return the seconds from the last key to the first result.

    They include the time to fetch the index.
    """
    page = chromium.new_context().new_page()
    page.goto(f"{address}/index.html")
    page.locator(".md-search__input").click()
    since = time.perf_counter()
    page.keyboard.insert_text("no add is lost")
    page.keyboard.press("End")
    page.locator(".md-search-result__item").first.wait_for(state="attached")
    return time.perf_counter() - since


if __name__ == "__main__":
    main()
