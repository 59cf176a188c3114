"""What a page of the site, its search and a deck of slides fetch, and how long and how large they are, in headless Chromium.

``python benchmarks/pages.py SITE``, with a SITE as ``mkdocs build`` makes it; needs ``.[browser]`` and Chromium.
"""

from __future__ import annotations

import gzip
import re
import shutil
import sys
import threading
import time
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from playwright.sync_api import sync_playwright

from browser import Quiet

PAGES = ("index", "guarantees/once_more", "guarantees/delays", "matrix", "broken", "kata", "play")
DECKS = ("slides", "slides-clocks")
TIMES = 5
"""The middle one of so many counts: each in a window that has nothing in its cache."""


def main() -> None:
    site = Path(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    html = list(site.rglob("*.html"))
    print(f"{len(html)} pages, {sum(map(packed, html)) / 1e6:.2f} MB with gzip")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print("| page | fetched, with gzip | loaded after | high | sheets of paper |\n|---|---|---|---|---|")
        for name in PAGES:
            print(f"| {name} | {measure(chromium, site, f'{address}{name}.html', 'true')} |")
        print(
            "| deck | fetched, with gzip | ready after | slides | sheets with notes |\n|---|---|---|---|---|"
        )
        for name in DECKS:
            print(
                f"| {name} | {measure(chromium, site, f'{address}present/{name}.html', 'Reveal.isReady()')} |"
            )
        index = site / "search" / "search_index.json"
        size = f"{index.stat().st_size / 1e6:.2f} MB, {packed(index) / 1e6:.2f} MB with gzip"
        print(f"the search loads {size}; the first result is there after {search(chromium, address):.2f} s")
        chromium.close()
    server.shutdown()


def packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def measure(chromium: Any, site: Path, address: str, is_ready: str) -> str:
    times = []
    for _ in range(TIMES):
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(urlparse(request.url).path.lstrip("/")))  # noqa: B023
        since = time.perf_counter()
        page.goto(address)
        page.wait_for_function(is_ready)
        times.append(time.perf_counter() - since)
        if len(times) < TIMES:
            page.context.close()
    kilobytes = sum(packed(site / path) for path in {*fetched}) / 1e3
    slides = page.evaluate("globalThis.Reveal?.getTotalSlides()")
    long = slides or f"{page.evaluate('document.documentElement.scrollHeight'):,} px"
    if slides:
        page.goto(f"{address}?print-pdf&showNotes=separate-page")
        page.locator(".pdf-page").nth(slides - 1).wait_for(state="attached")
    sheets = len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True)))
    page.context.close()
    return f"{kilobytes:.0f} kB | {sorted(times)[TIMES // 2]:.2f} s | {long} | {sheets}"


def search(chromium: Any, address: str) -> float:
    """Seconds from the last key to a result, the index being fetched for it."""
    page = chromium.new_context().new_page()
    page.goto(f"{address}index.html")
    page.locator(".md-search__input").click()
    since = time.perf_counter()
    page.keyboard.insert_text("no add is lost")
    page.keyboard.press("End")
    page.locator(".md-search-result__item").first.wait_for(state="attached")
    return time.perf_counter() - since


if __name__ == "__main__":
    main()
