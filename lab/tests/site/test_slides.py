"""The slides: full screen, from a disk, with notes for the speaker, and on paper."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXERCISES = ROOT / "exercises" / "stingy_kata"
DECKS = ("slides", "slides-clocks")
pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""
SCREEN = {"width": 1280, "height": 720}
READY = ".reveal.ready"
"""Selector of slides that are ready; the page that a link leaves has none."""


@pytest.fixture
def docs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    yield ROOT / "docs"
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pages", "provisions")]:
        del sys.modules[name]


@pytest.fixture
def presented(opened, site):
    """Function that opens slides from a disk, as from a USB stick."""
    if not (site / "present").is_dir():
        pytest.skip("nothing is here to present slides with: python docs/provisions.py")

    def open_deck(name, asked=""):
        page = opened(f"{(site / 'present' / name).as_uri()}.html{asked}", viewport=SCREEN)
        page.locator(READY).wait_for(state="attached")
        return page

    return open_deck


def shown(page):
    return page.evaluate("Reveal.getCurrentSlide().firstElementChild.textContent")


def test_a_slide_says_what_its_page_says_and_its_speaker_has_a_word_for_each(docs):
    from pages import slides

    for name in DECKS:
        text = (docs / f"{name}.md").read_text(encoding="utf-8")
        found = slides.slides(docs / f"{name}.md")
        assert [it.shown.partition("\n")[0] for it in found] == re.findall(r"^##? .*", text, re.MULTILINE)
        assert all(it.said for it in found)


def test_a_slide_without_a_word_for_its_speaker_is_an_error(docs, tmp_path):
    from pages import Unsaid, slides

    (tmp_path / "slides.md").write_text("# Title\n\nA word.\n\n---\n\n## Alone\n\nIt stands here.\n")

    with pytest.raises(Unsaid, match="Alone"):
        slides.slides(tmp_path / "slides.md")


@pytest.mark.parametrize("name", ["skew", "restarted"])
def test_the_note_of_a_table_has_the_numbers_of_the_solution(name, docs):
    from pages import slides

    solution = ast.parse((EXERCISES / name / "solution.py").read_text(encoding="utf-8"))
    tables = (it.value for it in ast.walk(solution) if isinstance(it, ast.AnnAssign | ast.Assign))
    (table,) = (it for it in tables if isinstance(it, ast.Dict))
    measured = ["".join(map(str, row)) or "nothing at all" for row in ast.literal_eval(table).values()]
    (slide,) = (it for it in slides.slides(docs / "slides-clocks.md") if it.shown.startswith(f"## {name},"))

    assert f"Measured: {', '.join(measured)}." in slide.said.replace("−", "-").replace("\n", " ")


def test_without_what_presents_them_the_slides_are_pages(docs, monkeypatch):
    from pages import slides

    monkeypatch.setattr(slides, "is_provided", lambda _: False)

    assert list(slides.files(docs)) == []
    assert slides.invite("slides") == ""


def test_the_keys_go_through_the_slides_and_the_speakers_view_goes_with_them(presented):
    page = presented("slides")
    first = shown(page)
    page.keyboard.press("ArrowRight")
    second = shown(page)
    page.keyboard.press("End")
    last = shown(page)
    page.keyboard.press("Home")

    assert (first, second, last) == (
        "What a work queue promises",
        "Two workers, one object",
        "Three questions",
    )
    with page.expect_popup() as opening:
        page.keyboard.press("s")
    speaker = opening.value
    speaker.get_by_text("These are the slides for half a day").wait_for()
    page.keyboard.press("ArrowRight")
    speaker.get_by_text("Read it aloud, line by line").wait_for()
    assert page.troubles == []


@pytest.mark.parametrize("name", DECKS)
def test_no_slide_is_cut_off_and_each_is_a_sheet_of_paper(name, presented, site):
    page = presented(name)
    number = page.evaluate("Reveal.getTotalSlides()")
    too_large = page.evaluate(
        """() => Reveal.getSlides().filter((it, number) => {
            Reveal.slide(number);
            return it.scrollHeight > 700 || it.scrollWidth > 960;
        }).map((it) => it.firstElementChild.textContent)"""
    )

    assert too_large == []
    assert sheets(presented(name, "?print-pdf"), number) == number
    assert sheets(presented(name, "?print-pdf&showNotes=separate-page"), number) == 2 * number
    assert page.troubles == []


@pytest.mark.parametrize("name", DECKS)
def test_slides_and_notes_are_accessible(name, presented):
    """The slides are accessible on the screen one by one, and all at once as they are printed."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    screen, paper = presented(name), presented(name, "?print-pdf&showNotes=separate-page")
    sheets(paper, paper.evaluate("Reveal.getTotalSlides()"))

    for page in (screen, paper):
        found = axe.run(page, options={"preload": False}).response["violations"]
        assert [(it["id"], node["html"][:160]) for it in found for node in it["nodes"]] == []


def sheets(page, slides):
    page.locator(".pdf-page").nth(slides - 1).wait_for(state="attached")
    assert page.troubles == []
    return len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True)))


def test_the_page_of_the_slides_leads_to_them(opened, site, presented):
    page = opened((site / "slides.html").as_uri())
    page.get_by_role("link", name="Present", exact=True).click()
    page.locator(READY).wait_for(state="attached")

    assert shown(page) == "What a work queue promises"
    assert page.troubles == []


def test_at_an_exercise_its_speaker_says_what_the_trainers_guide_says(docs):
    from pages import slides

    (found,) = (it for it in slides.slides(docs / "slides.md") if it.shown.startswith("## readd"))

    assert "**Where time goes**: clearing `dirty` in `done`." in found.said
    assert "15 min and 5 min of review" in found.said
