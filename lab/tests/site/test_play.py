"""Puzzles in a page: the reader acts as the scheduler, by clicks and keys, and produces the bad state."""

import machine
import pytest

from stingy_kata.puzzle import find_puzzle, puzzles

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no Playwright here: pip install -e '.[browser]'"
)

START_CPU_S = 20
"""CPU-seconds: Python in a page starts within 6, and judges an order within one."""
pytestmark = pytest.mark.budget(50)
"""The first test of the first process also builds the site."""


class Board:
    def __init__(self, page, name):
        self.page = page
        self.puzzle = find_puzzle(name)
        self.element = page.locator(f'stingy-play[data-puzzle="{name}"]')
        self.says = self.element.locator("> .stingy-panel > output")
        self.sets = self.element.locator("> .stingy-panel dd")
        self.lanes = self.element.locator(".stingy-lanes > li")

    def click(self, name):
        self.element.get_by_role("button", name=name, exact=True).click()

    def begin(self):
        self.click("Play")
        self.lanes.first.wait_for(timeout=machine.patience(START_CPU_S) * 1000)

    def opens_from_a_link(self, order):
        fragment = self.page.evaluate("pack", {"puzzle": self.puzzle.name, "order": order})
        self.page.evaluate("(fragment) => { location.hash = `#play=${fragment}`; }", fragment)
        self.page.reload()
        self.says.filter(has_text="Opened from a link").wait_for()

    def go(self, lane):
        self.lanes.get_by_role("button", name=lane).click()

    def has_come_to(self, order):
        self.page.wait_for_function(
            "([it, order]) => JSON.stringify(it.position?.order) === JSON.stringify(order)",
            arg=[self.element.element_handle(), list(order)],
        )

    def take(self, order, taken=0):
        for n, lane in enumerate(order[taken:], taken + 1):
            self.go(lane)
            self.has_come_to(order[:n])

    def objections(self):
        """Return the findings of axe on the page."""
        selector = f'stingy-play[data-puzzle="{self.puzzle.name}"]'
        found = axe.Axe().run(self.page, selector, {"preload": False}).response["violations"]
        return [
            (it["id"], node["html"][:200], node["failureSummary"]) for it in found for node in it["nodes"]
        ]

    def held(self):
        return [dd.locator("span").all_inner_texts() for dd in self.sets.all()]

    def told(self, n):
        return self.lanes.nth(n).locator("span").inner_text()


@pytest.fixture
def board(opened, served, site):
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to run Python in a page with: python docs/provisions.py")

    def open_page(name, **options):
        return Board(opened(f"{served}play.html", **options), name)

    return open_page


def test_a_puzzle_is_solved_a_turn_taken_back_and_the_order_shared(board):
    """The sets and the lanes follow each turn, and the last turn is reported as wrong.

    A link opens the order as it was.
    """
    it = board("workers", scheme="dark")
    it.begin()
    assert it.told(0) == "has not begun"

    it.take(it.puzzle.order[:3])
    assert it.held() == [["a"], ["a"], []]
    assert it.told(1).startswith("in get; stands before line 45: with self._changed:")
    assert it.element.locator('[data-line="45"] > mark').inner_text() == "worker 1"
    assert it.lanes.nth(0).get_by_role("button").get_attribute("aria-disabled") == "true"
    it.page.keyboard.press("1")
    assert it.says.inner_text() == "producer cannot go next: it is through"

    it.click("Take back")
    it.has_come_to(it.puzzle.order[:2])
    assert it.held() == [[], [], []]

    for n, lane in enumerate(it.puzzle.order[2:], 3):
        it.page.keyboard.press(str(1 + list(it.puzzle.lanes).index(lane)))
        it.has_come_to(it.puzzle.order[:n])
    assert it.says.inner_text().startswith("You have done it, in 6 turns. ✗ worker 2: Get() ends → 'a'")
    assert it.puzzle.moral in it.element.inner_text()
    assert [it.told(n) for n in (1, 2)] == ["has a; is through"] * 2
    assert "expected to wait" in it.element.locator("stingy-stepper output").inner_text()

    assert it.objections() == []

    it.click("Link to this")
    it.says.filter(has_text="it holds the puzzle and your order").wait_for()
    it.page.reload()
    it.says.filter(has_text="Opened from a link: 6 turns.").wait_for()
    assert tuple(it.element.evaluate("it => it.order")) == it.puzzle.order
    assert it.page.troubles == []


def test_a_drain_is_brought_to_sleep_for_ever_and_another_to_return_too_early(board):
    """On a narrow screen, in one page whose Python plays all puzzles; the first puzzle continues from a link."""
    it = board("asleep", viewport={"width": 360, "height": 740})
    it.opens_from_a_link(it.puzzle.order[:2])
    it.begin()
    it.has_come_to(it.puzzle.order[:2])
    it.take(it.puzzle.order, taken=2)
    assert "expected to return" in it.says.inner_text()
    assert it.told(2).startswith("in shut_down_with_drain; waits to be woken in line")
    assert it.held() == [[], [], []]

    it.click("Start over")
    it.has_come_to([])
    sound = ["drainer", "worker", "producer"]
    it.take(sound)
    assert (
        it.says.inner_text() == "Nobody can go on, and no promise is broken. Take turns back, or start over."
    )

    early = Board(it.page, "early")
    early.begin()
    early.take(early.puzzle.order[:-1])
    assert early.objections() == []
    early.take(early.puzzle.order, taken=6)
    assert (
        "✗ drainer: ShutDownWithDrain() ends; expected to wait: 'b' is in processing"
        in early.says.inner_text()
    )
    assert it.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert it.page.troubles == []


def test_a_browser_without_promise_integration_is_told_so_and_shown_the_story(board):
    it = board("asleep")
    it.page.add_init_script("delete WebAssembly.Suspending")
    it.page.reload()

    assert "JavaScript Promise Integration" in it.says.inner_text()
    assert it.element.get_by_role("button", name="Play").is_disabled()
    assert it.page.locator("details.answer stingy-stepper").count() == len(puzzles())


def test_without_a_script_the_code_and_an_order_are_there_to_be_read(board):
    it = board("early", java_script_enabled=False)

    assert "class WorkQueue:" in it.element.locator("pre").inner_text()
    assert it.element.locator("li").all_inner_texts()[0] == "producer: add a, add b"
    it.page.locator("details.answer > summary").nth(1).click()
    assert it.page.locator("details.answer tbody tr").nth(0).text_content()
