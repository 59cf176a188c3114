"""Pages for people: none is too long, each is accessible, and the search finds what readers look for."""

import json

import pytest

from stingy.guarantees import all_rules

pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""
LONGEST = 18_500
"""Maximum height in pixels, in a window 1,280 wide, with closed folds."""
SEARCHED = 625_000
"""Maximum bytes of the search index, which each reader who searches loads."""


def test_the_search_index_is_small(site):
    assert (site / "search" / "search_index.json").stat().st_size <= SEARCHED


def test_a_rule_is_searched_for_by_its_id_and_its_sentence(site):
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    texts = {it["location"]: it["text"] for it in found}
    missing = [
        rule.id
        for rule in all_rules().values()
        if rule.id not in texts.get(f"guarantees/{rule.id.replace('/', '.html#', 1)}", "")
    ]

    assert missing == []


@pytest.fixture(scope="module")
def looked_at(site, pages, browser):
    """Return the height of each page in pixels, and the findings of axe on each.

    Each page is opened once, in one window, without its scripts: test_browser.py checks what the
    scripts make. Axe reads every page that is made from Markdown, including folds. It checks the
    colours of each kind of element on the first page that has it.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    reader = context.new_page()
    reader.route("**/*.js", lambda route: route.abort())
    heights, objections, known = {}, [], set()

    def object_to(name, options):
        for found in axe.run(reader, "article", options).response["violations"]:
            objections.extend((name, found["id"], it["html"][:160]) for it in found["nodes"])

    for name, it in pages.items():
        reader.goto((site / name).as_uri())
        heights[name] = reader.evaluate("document.documentElement.scrollHeight")
        if "md-typeset" not in it.classes:
            continue  # a deck of slides
        reader.add_style_tag(content=STILL)
        reader.evaluate(UNFOLD)
        shown = set(reader.evaluate(ALIKE, [[], 2, False]))
        object_to(name, STRUCTURE)
        if shown - known:
            reader.evaluate(ALIKE, [list(known), 1, True])
            for scheme in ("default", "slate"):
                reader.evaluate("(it) => { document.body.dataset.mdColorScheme = it; }", scheme)
                object_to(f"{name}, {scheme}", COLOURS)
        known |= shown
    context.close()
    return heights, objections


@pytest.mark.budget(120)
def test_no_page_is_too_long(looked_at):
    heights, _ = looked_at

    assert {name: pixels for name, pixels in heights.items() if pixels > LONGEST} == {}


@pytest.mark.budget(120)
def test_pages_are_accessible_in_both_schemes(looked_at):
    _, objections = looked_at

    assert [it for it in objections if it[1] not in THEIRS] == []


ALIKE = """([known, number, leaves]) => {
    const article = document.querySelector("article"), met = Object.fromEntries(known.map((kind) => [kind, number]));
    const path = (it) => it === article ? "" : `${path(it.parentElement)} ${it.tagName}.${it.classList}`;
    for (const it of article.querySelectorAll("*")) {
        if (!article.contains(it) || it.closest("svg")?.contains(it.parentElement)) continue;
        const kind = path(it);
        met[kind] = (met[kind] ?? 0) + 1;
        if (met[kind] > number && !(leaves && it.querySelector("*"))) it.remove();
    }
    document.body.replaceChildren(article);
    return Object.keys(met);
}"""
"""Script that keeps a few elements of each kind; the frame around the article is the same on all pages."""
STILL = "*, ::before, ::after { transition: none !important; }"
UNFOLD = "document.querySelectorAll('details').forEach((it) => { it.open = true; })"
COLOURS = {"preload": False, "runOnly": ["color-contrast"]}
STRUCTURE = {"preload": False, "rules": {"color-contrast": {"enabled": False}}}


THEIRS = ("scrollable-region-focusable",)
"""Rules of axe that Material's frame of a table breaks; Chromium lets the keyboard in all the same."""
