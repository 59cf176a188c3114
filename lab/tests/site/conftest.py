"""Fixtures: the whole site, built once for all tests, and a browser."""

import fcntl
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import machine
import pytest

ROOT = Path(__file__).parents[3]


class Page(HTMLParser):
    """Parser that collects the parts of a page that the tests check."""

    LOADS = frozenset(("src", "srcset", "href", "xlink:href", "data", "poster", "action"))

    def __init__(self, text):
        super().__init__()
        self.ids, self.rules, self.broken, self.loaded, self.links, self.traces = [], [], [], [], [], []
        self.pictured, self.tabled = [], []
        self.classes = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        self.classes.update(classes)
        if "id" in given:
            self.ids.append(given["id"])
        if "stingy-rule" in classes:
            self.rules.append(given["id"])
        if "stingy-broken" in classes:
            self.broken.append(given["id"])
        if tag == "stingy-stepper":
            self.traces.append(given["data-trace"])
        if "data-step" in given:
            steps = {"g": self.pictured, "tr": self.tabled}[tag]
            steps.append(int(given["data-step"]))
        if tag == "a":
            self.links.append(given.get("href", ""))
        else:
            self.loaded += [given[name] for name in self.LOADS & given.keys()]


def run(*words):
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """Folder of the built site: ``STINGY_SITE``, or one that the first process builds for all.

    It is built strictly, so a warning is a failure.
    """
    if find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install -e '.[docs]'")
    ours = tmp_path_factory.getbasetemp()
    folder = (ours if worker_id == "master" else ours.parent) / "the-site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            if built := os.environ.get("STINGY_SITE"):
                (folder / "site").symlink_to(built)
            else:
                run("docs/generate.py")
                # --quiet would hide the warnings that strict counts
                run("-m", "mkdocs", "build", "--strict", "--site-dir", folder / "site")
            (folder / "built").touch()
    return folder / "site"


@pytest.fixture(scope="session")
def pages(site):
    return {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDE = {"width": 1280, "height": 900}
WAIT_CPU_S = 10
"""CPU-seconds that a page waits for anything. Python in a page starts within 6."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    """Browser for one module only: while Playwright is open, its event loop counts as running in this thread."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here to open the site with")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright here: pip install -e '.[browser]'"
    )
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served(site):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def opened(browser):
    """Function that opens an address, and collects the errors of the page in ``page.troubles``."""
    contexts = []

    def open_page(address, scheme="light", viewport=WIDE, **options):
        context = browser.new_context(
            color_scheme=scheme, viewport=viewport, reduced_motion="reduce", **options
        )
        context.set_default_timeout(machine.patience(WAIT_CPU_S) * 1000)
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("request", lambda request: ours(request.url) or page.troubles.append(request.url))
        page.on("console", lambda said: said.type in ("error", "warning") and page.troubles.append(said.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()


def ours(url):
    return url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:"))
