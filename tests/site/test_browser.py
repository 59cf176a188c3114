"""The site in a real browser: from disk and from a server, light and dark, wide and narrow, with a script and without."""

import json
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stingy.guarantees import GUARANTEES

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("no Chromium here to open the site with", allow_module_level=True)
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no Playwright here: pip install -e '.[browser]'"
)
playwright = pytest.importorskip("playwright.sync_api")

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [
    *(path.with_suffix(".html").name for path in sorted(DOCS.glob("*.md"))),
    *("rules.html", "contested.html", "coverage.html", "broken.html"),
    *(f"guarantees/{name}.html" for name in GUARANTEES),
]
SAMPLE = ("index.html", "journey.html", "guarantees/once_more.html", "guarantees/skew.html")
"""What everybody opens who runs the tests."""
ALL = [
    page if page in SAMPLE else pytest.param(page, marks=pytest.mark.thorough)
    for page in dict.fromkeys(PAGES)
]
WITH_A_STORY = "guarantees/once_more.html"

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def browser():
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
    """Opens an address, and keeps what went wrong on it in ``page.troubles``."""
    contexts = []

    def open_page(address, scheme="light", viewport=WIDE, **options):
        context = browser.new_context(
            color_scheme=scheme, viewport=viewport, reduced_motion="reduce", **options
        )
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


@pytest.mark.parametrize("name", ALL)
def test_a_page_is_whole(name, site, served, opened):
    """Nothing from elsewhere, no error, nothing to object to for who cannot see it; and its stories can be gone through.

    Every other page is looked at the other way round, so that each scheme is seen in each width.
    """
    turned = PAGES.index(name) % 2
    schemes = ("dark", "light") if turned else ("light", "dark")
    for address, scheme, viewport in zip(
        ((site / name).as_uri(), served + name), schemes, (WIDE, NARROW), strict=True
    ):
        page = opened(address, scheme, viewport)

        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        step_through(page)
        assert objections(page) == []
        assert page.troubles == []


THEIRS = {
    "aria-dialog-name": 'class="md-search"',
    "landmark-unique": 'class="md-code__nav"',
    "scrollable-region-focusable": 'class="md-typeset__scrollwrap"',  # Chromium lets the keyboard in all the same
}
"""What there is to object to in the theme: in what it makes by its script, which nobody can mend from here."""


def objections(page):
    """What axe finds, but for the theme's own."""
    return [
        (found["id"], node["html"][:200], node["failureSummary"])
        for found in axe.Axe().run(page, options={"preload": False}).response["violations"]
        for node in found["nodes"]
        if THEIRS.get(found["id"], "–") not in node["html"]
    ]


def step_through(page):
    for stepper in page.locator("stingy-stepper").all():
        trace = json.loads(stepper.get_attribute("data-trace"))
        for number in (*range(1, len(trace) + 1), len(trace)):  # there is nothing after the last step
            stepper.get_by_role("button", name="Next").click()
            assert seen(stepper) == told(trace, number)


def seen(stepper):
    """What it says, what is in the sets, and which parts of the picture and the table are marked."""
    return stepper.evaluate(
        """it => [
            it.querySelector("output").textContent,
            [...it.querySelectorAll("dd")].map((set) => [...set.children].map((item) => item.textContent)),
            [...new Set([...it.querySelectorAll(".now")].map((part) => Number(part.dataset.step)))],
        ]"""
    )


def told(trace, number):
    step = trace[number - 1]
    wrong = f" ✗ expected {step['expected']}" if "expected" in step else ""
    empty = [[], [], []] if any("held" in it for it in trace) else []
    return [f"Step {number} of {len(trace)} – {step['says']}{wrong}", step.get("held", empty), [number]]


def test_the_keys_go_through_a_story(site, opened):
    page = opened((site / WITH_A_STORY).as_uri())
    stepper = page.locator("stingy-stepper").first
    stepper.get_by_role("button", name="First").focus()
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "Escape"):
        page.keyboard.press(key)
        said.append(stepper.locator("output").inner_text().partition(" – ")[0])

    last = len(json.loads(stepper.get_attribute("data-trace")))
    assert [words.removeprefix("Step ").partition(" of")[0] for words in said[:5]] == [*"121", str(last), "1"]
    assert said[5].startswith(f"{last} steps.")


def test_without_a_script_a_story_is_a_picture_and_a_table(site, opened):
    page = opened((site / WITH_A_STORY).as_uri(), java_script_enabled=False)
    story = page.locator("stingy-stepper").first

    assert story.locator("svg").is_visible()
    assert story.locator("tbody tr").first.is_visible()
    assert story.locator("tbody tr").last.is_visible()
    assert story.locator("button").count() == 0


def test_in_print_the_table_is_open_and_nothing_is_faint(site, opened):
    page = opened((site / WITH_A_STORY).as_uri())
    story = page.locator("stingy-stepper").first
    story.get_by_role("button", name="Next").click()

    page.pdf()

    assert story.locator("tbody tr").last.is_visible()
    assert story.locator(".later").count() == 0


def test_the_figure_of_two_clocks_counts_as_the_reference_does(site, opened):
    page = opened((site / "journey.html").as_uri())
    figure = page.locator("stingy-clocks")
    known = json.loads(figure.get_attribute("data-known"))["table"]

    shown = figure.evaluate(
        "(it, known) => known.map((row) => it.observed(row.writer, row.node, row.took))", known
    )

    assert shown == [row["observed"] for row in known]
    assert len({row["observed"] for row in known}) > 50


def test_the_figure_of_two_clocks_says_what_is_observed(site, opened):
    page = opened((site / "journey.html").as_uri())
    says = page.locator(".stingy-sliders > output")
    node = page.get_by_label("Node's clock")

    node.fill("30")
    ahead = says.inner_text()
    node.fill("-30")
    behind = says.inner_text()

    assert ahead.startswith("Nothing is observed")
    assert behind == "-28 s is observed: less than nothing."


def test_without_a_script_the_two_clocks_are_a_table(site, opened):
    figure = opened((site / "journey.html").as_uri(), java_script_enabled=False).locator("stingy-clocks")

    assert figure.locator("tbody tr").count() == 4
    assert figure.locator("tbody tr").last.is_visible()
    assert figure.locator("input").count() == 0


@pytest.mark.parametrize("from_disk", [True, False], ids=["disk", "server"])
@pytest.mark.parametrize(("asked", "among"), [("once_more/no-add-is-lost", 1), ("no add is lost", 5)])
def test_the_search_finds_a_rule(asked, among, from_disk, site, served, opened):
    """By its id before all else, and by its words among the first."""
    page = opened((site / "index.html").as_uri() if from_disk else f"{served}index.html")
    page.locator(".md-search__input").click()
    page.keyboard.insert_text(asked)
    page.keyboard.press("End")  # what is half typed is no query

    first = page.locator(f".md-search-result__item:nth-child(-n + {among})")
    first.locator('a[href*="guarantees/once_more.html"][href$="#no-add-is-lost"]').wait_for(state="attached")

    assert page.troubles == []
