"""Code is edited in an editor after the first touch, and in a textarea if the editor is missing."""

from pathlib import Path

import pytest
from editor import Editor

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""
START = (ROOT / "docs/starts/queue.py").read_text(encoding="utf-8")


@pytest.fixture
def written(opened, served, site):
    """Return a function that opens a page with an editor, as the page and its editor."""
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to write code in a page with: python docs/provisions.py")

    def open_page(**options):
        page = opened(f"{served}guarantees/fair.html", **options)
        return page, Editor(page)

    return open_page


def test_nothing_is_fetched_for_it_before_it_is_touched(written):
    page, it = written()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.get_by_role("button", name="Start over").click()
    assert not {"editor.mjs", "codemirror-view.js"} & {*fetched}
    page.evaluate("document.querySelector('textarea').setSelectionRange(3, 3)")

    page.locator("textarea").focus()
    it.element.locator(".cm-content:focus").wait_for()
    page.keyboard.type("!")

    assert "editor.mjs" in fetched
    assert it.value == f"{START[:3]}!{START[3:]}"
    assert it.element.locator(".cm-lineNumbers").is_visible()
    assert it.element.locator(".tok-keyword", has_text="import").count() == 1
    assert page.troubles == []


def test_the_editor_is_entered_and_left_by_keys(written):
    page, it = written()
    page.clock.install()
    it.fill("")
    page.keyboard.type("def f():\nreturn 1\n")
    page.keyboard.press("Tab")
    assert it.value == "def f():\n    return 1\n    "

    page.keyboard.press("Escape")
    page.clock.fast_forward("01:00")  # a user of a screen reader needs a while to hear the position
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run these rules"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert it.value == "def f():\n    return 1\n"
    assert page.get_by_role("textbox", name="Your code").get_attribute("aria-describedby")


def test_undo_does_not_bring_back_another_text(written):
    """Otherwise undo would fill an exercise with the text of the exercise before it."""
    page, it = written()
    it.fill("another")
    page.get_by_role("button", name="Start over").click()
    it.touch()
    page.keyboard.press("Control+z")

    assert it.value == START


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_editor_is_accessible(scheme, written):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page, it = written(scheme=scheme)
    it.fill(f"{START}@decorated('text', 1)  # and a comment\n")

    assert axe.run(page, "stingy-try", {"preload": False}).response["violations"] == []


def test_without_the_editor_the_textarea_works(written):
    page, it = written()
    page.route("**/editor.mjs", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.locator("textarea").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("class A:")
    page.keyboard.press("Enter")

    assert it.value == "class A:\n    "


def test_a_server_may_forbid_all_that_comes_from_elsewhere(written):
    policy = "default-src 'self' 'unsafe-inline'; img-src 'self' data:"
    page, it = written()

    def forbid(route):
        found = route.fetch()
        route.fulfill(response=found, headers={**found.headers, "content-security-policy": policy})

    page.route("**/fair.html", forbid)
    page.reload()
    it.touch()

    assert it.element.locator(".cm-gutters").evaluate("it => getComputedStyle(it).display") == "flex"
    assert page.troubles == []


def test_a_name_that_no_package_has_is_an_error():
    from pages import Unsaid, editor

    known = {"@codemirror/view": "codemirror-view.js"}
    text = "import { a,\n  b } from '@codemirror/view';\nexport { c } from '{}';\nconst from = \"d\";\n"

    found = editor._find_beside("editor.mjs", text.replace("{}", "@codemirror/view"), known)

    assert found.count('from "./codemirror-view.js"') == 2
    assert 'const from = "d"' in found
    with pytest.raises(Unsaid, match=r"editor\.mjs imports another"):
        editor._find_beside("editor.mjs", text.replace("{}", "another"), known)
