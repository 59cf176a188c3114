"""The site in a browser: from disk and a server, light and dark, wide and narrow, with scripts and without."""

import json
from pathlib import Path

import pytest

from stingy.guarantees import GUARANTEES

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no Playwright here: pip install -e '.[browser]'"
)

DOCS = Path(__file__).parents[3] / "docs"
PAGES = [
    *(path.with_suffix(".html").name for path in sorted(DOCS.glob("*.md"))),
    *(
        "rules.html",
        "contested.html",
        "coverage.html",
        "broken.html",
        "matrix.html",
        "kata.html",
        "play.html",
    ),
    *(f"guarantees/{name}.html" for name in GUARANTEES),
]
WITH_A_STORY = "guarantees/once_more.html"
WITH_SCRIPTS = (WITH_A_STORY, "journey.html", "play.html", "kata.html", "index.html")
"""Pages of each kind: a story and code to try, sliders, a board, an editor, and a page with the theme only."""

pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.mark.budget(120)
def test_each_page_is_whole(site, opened):
    """Pages load nothing from elsewhere, show no error, fit the screen, and their stories can be stepped.

    One window shows all pages from disk: pages from a server have the same text and scripts.
    """
    page, wrong = opened("about:blank"), []
    for name in PAGES:
        page.goto((site / name).as_uri())
        for viewport in (NARROW, WIDE):
            page.set_viewport_size(viewport)
            if page.evaluate("document.documentElement.scrollWidth") > viewport["width"]:
                wrong.append((name, f"wider than {viewport['width']} px"))
        wrong += [(name, step) for step in missteps(page)]
        wrong += [(name, trouble) for trouble in page.troubles]
        page.troubles.clear()

    assert wrong == []


ADD_A_SCRIPT = """() => new Promise((ended) => {
    addEventListener("securitypolicyviolation", (it) => ended(`refused by ${it.effectiveDirective}`));
    addEventListener("it-ran", () => ended("it ran"));
    document.body.insertAdjacentHTML("beforeend", `<img src="data:," onerror="dispatchEvent(new Event('it-ran'))">`);
})"""


@pytest.mark.parametrize("from_disk", [True, False])
def test_a_page_runs_no_script_that_was_added_after_it_was_built(from_disk, site, served, opened):
    page = opened((site / "index.html").as_uri() if from_disk else f"{served}index.html")

    assert page.evaluate(ADD_A_SCRIPT) == "refused by script-src-attr"


@pytest.mark.budget(60)
def test_pages_with_scripts_are_accessible(served, opened):
    """One page of each kind is accessible after its scripts have run.

    test_people.py checks every page without its scripts.
    """
    wrong = []
    for scheme, viewport in (("light", WIDE), ("dark", NARROW)):
        page = opened("about:blank", scheme, viewport)
        for name in WITH_SCRIPTS:
            page.goto(served + name)
            wrong += [(name, scheme, *found) for found in objections(page)]
            wrong += [(name, scheme, trouble) for trouble in page.troubles]
            page.troubles.clear()

    assert wrong == []


THEIRS = {
    "aria-dialog-name": 'class="md-search"',
    "landmark-unique": 'class="md-code__nav"',
    "scrollable-region-focusable": 'class="md-typeset__scrollwrap"',  # Chromium lets the keyboard in all the same
}
"""Findings of axe in elements that the theme's script makes, which we cannot fix."""


def objections(page):
    """Return the findings of axe, without those of the theme."""
    return [
        (found["id"], node["html"][:200], node["failureSummary"])
        for found in axe.Axe().run(page, options={"preload": False}).response["violations"]
        for node in found["nodes"]
        if THEIRS.get(found["id"], "–") not in node["html"]
    ]


STEP_THROUGH = """() => [...document.querySelectorAll("stingy-stepper")].map((it) => {
    const next = [...it.querySelectorAll("button")].find((button) => button.textContent === "Next");
    return [...JSON.parse(it.dataset.trace), null].map(() => {
        next.click();
        return [
            it.querySelector("output").textContent,
            [...it.querySelectorAll("dd")].map((set) => [...set.children].map((item) => item.textContent)),
            [...new Set([...it.querySelectorAll(".now")].map((part) => Number(part.dataset.step)))],
        ];
    });
})"""
"""Script that returns, after each click, the text of the story, its sets, and the marked parts."""


def missteps(page):
    """Step through every story of the page; return differences from the expected states."""
    traces = [
        json.loads(stepper.get_attribute("data-trace")) for stepper in page.locator("stingy-stepper").all()
    ]
    for trace, shown in zip(traces, page.evaluate(STEP_THROUGH), strict=True):
        numbers = (*range(1, len(trace) + 1), len(trace))  # the last step has no next step
        due = [told(trace, number) for number in numbers]
        yield from (
            (are, "is shown, and due is", be) for are, be in zip(shown, due, strict=True) if are != be
        )


def told(trace, number):
    step = trace[number - 1]
    wrong = f" ✗ expected {step['expected']}" if "expected" in step else ""
    empty = [[], [], []] if any("held" in it for it in trace) else []
    held = next((it["held"] for it in reversed(trace[:number]) if "held" in it), empty)
    return [f"Step {number} of {len(trace)} – {step['says']}{wrong}", held, [number]]


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


A4 = {"index.html": 718, WITH_A_STORY: 718, "play.html": 718, "kata.html": 718, "matrix.html": 1047}
"""Width of a page on an A4 sheet, in pixels; the widest table turns the sheet to landscape."""
TO_PRESS = ":is(button, input, select, textarea, progress, .cm-editor)"
CUT_OFF = """() => [...document.querySelectorAll("article *")].filter((it) =>
    it.checkVisibility() && getComputedStyle(it).overflowX !== "visible" && it.scrollWidth > it.clientWidth + 1
).map((it) => it.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("name", A4)
def test_on_paper_there_is_nothing_to_press_and_nothing_is_cut_off(name, served, opened):
    page = opened(served + name, "dark", {"width": A4[name], "height": 1047})
    page.pdf()  # so all folds are open
    page.emulate_media(media="print", color_scheme="dark")

    assert page.evaluate(CUT_OFF) == []
    assert page.locator(f"article {TO_PRESS}:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--stingy-must')") == "#24426b"
    for code in page.locator("stingy-editor > pre").all():
        assert "def shutting_down(self):" in code.inner_text()
    assert page.troubles == []


def test_the_figure_of_two_clocks_counts_as_the_reference_does(site, opened):
    page = opened((site / "journey.html").as_uri())
    figure = page.locator("stingy-clocks")
    known = json.loads(figure.get_attribute("data-known"))["table"]

    shown = figure.evaluate(
        "(it, known) => known.map((row) => it.observed(row.writer, row.node, row.took))", known
    )

    assert shown == [row["observed"] for row in known]
    assert len({row["observed"] for row in known}) > 40


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
@pytest.mark.parametrize(
    ("asked", "among", "at"),
    [
        ("once_more/no-add-is-lost", 1, "once_more.html#no-add-is-lost"),
        ("no add is lost", 5, "once_more.html#no-add-is-lost"),
        ("MaxConcurrentReconciles", 1, "controller.html?h=maxconcurrentreconciles"),
    ],
)
def test_the_search_finds_a_rule_and_a_guarantee(asked, among, at, from_disk, site, served, opened):
    """A rule is the first result for its id, and among the first for its words, as a guarantee is."""
    page = opened((site / "index.html").as_uri() if from_disk else f"{served}index.html")
    page.locator(".md-search__input").click()
    page.keyboard.insert_text(asked)
    page.keyboard.press("End")  # a query that is only half typed finds nothing

    first = page.locator(f".md-search-result__item:nth-child(-n + {among})")
    file, _, rest = at.partition(".html")
    first.locator(f'a[href*="guarantees/{file}.html"][href$="{rest}"]').first.wait_for(state="attached")

    assert page.troubles == []
