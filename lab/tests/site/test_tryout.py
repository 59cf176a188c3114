"""Rules that are run in the reader's own browser: what comes of them there, and how one gets on with it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from editor import Editor
from stingy.guarantees import GUARANTEES

ROOT = Path(__file__).parents[3]
STARTS = ROOT / "docs" / "starts"
MODULES = ("metrics", "workqueue")
"""Of the reference, what a work queue is made of."""



@pytest.fixture
def tried(opened, served, site):
    """Opens the page of a guarantee, and gives it with what one tries it by."""
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to run Python in a page with: python docs/provisions.py")

    def open_page(guarantee, fragment="", **options):
        page = opened(f"{served}guarantees/{guarantee}.html{fragment}", **options)
        return page, Tried(page.locator("stingy-try"))

    return open_page


class Tried:
    def __init__(self, element):
        self.element = element
        self.code = Editor(element)
        self.seed = element.get_by_label("Seed")
        self.says = element.locator("> .stingy-panel > output")

    def press(self, name):
        self.element.get_by_role("button", name=name).click()

    def run(self, patience=120):
        """All that the page is told, at the end."""
        self.element.evaluate(
            """it => {
                it.all = [];
                const told = it.told;
                it.told = (data) => { it.all.push(data); told.call(it, data); };
            }"""
        )
        self.press("Run these rules")
        self.element.page.wait_for_function(
            "it => it.all.some((data) => ['over', 'refused', 'failed'].includes(data.kind)) || it.bench.worker === null",
            arg=self.element.element_handle(),
            timeout=patience * 1000,
        )
        return self.element.evaluate("it => it.all")


def native(code, guarantee, tmp_path):
    """What the same code is told natively: the first try of a Python of its own."""
    ask = (
        "import json, pathlib, sys, tryout\n"
        "code, guarantee, folder = json.load(sys.stdin)\n"
        "sys.path.insert(0, folder)\n"
        "tryout.FOLDER = pathlib.Path(folder)\n"
        "tryout.judge(code, guarantee, 0, print)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        input=json.dumps([code, guarantee, str(tmp_path)]),
        env=os.environ | {"PYTHONPATH": str(ROOT / "docs" / "try"), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def judged(told):
    return [data for data in told if data["kind"] in ("verdict", "over")]


def verdicts(told):
    return {data["verdict"] for data in told if data["kind"] == "verdict"}


def start(name):
    return (STARTS / f"{name}.py").read_text(encoding="utf-8")


def reference():
    """As one file."""
    texts = [(ROOT / f"reference/stingy_reference/{name}.py").read_text(encoding="utf-8") for name in MODULES]
    future = "from __future__ import annotations\n"
    text = re.sub(r"^from stingy_reference.*\n", "", "\n".join(texts), flags=re.MULTILINE)
    return future + text.replace(future, "")


@pytest.mark.parametrize("guarantee", ["stingy", "once_more", "shutdown"])
def test_the_reference_is_found_in_a_page_to_be_what_it_is(guarantee, tried, tmp_path):
    """Word by word: verdicts, evidence, runs, orders."""
    page, it = tried(guarantee)
    it.code.fill(reference())

    found = judged(it.run())

    assert found == native(reference(), guarantee, tmp_path)
    assert verdicts(found) == {"PASS"}
    assert page.troubles == []


ELSEWHERE = ("workers", "interleavings", "cancellation")
"""A race that is looked at more closely, twice, and what a page cannot try."""


@pytest.mark.budget(900)
@pytest.mark.parametrize(
    "guarantee",
    [name for name in GUARANTEES if name not in ELSEWHERE],
)
def test_what_a_page_starts_with_is_found_there_to_be_what_it_is(guarantee, tried, tmp_path):
    """By the whole page, word by word; and that it is wrong somewhere, or at least right, and no fault of ours."""
    page, it = tried(guarantee)

    found = judged(it.run(600))

    assert found == native(it.code.value, guarantee, tmp_path)
    assert not verdicts(found) & {"ERROR", "INCONCLUSIVE"}
    assert verdicts(found) & {"PASS", "FAIL"}
    assert page.troubles == []


@pytest.mark.budget(600)
@pytest.mark.parametrize("guarantee", ["workers", "interleavings"])
def test_a_race_is_found_in_a_page_in_the_same_order_with_the_same_story(guarantee, tried, tmp_path):
    page, it = tried(guarantee)

    found = judged(it.run(300))

    assert found == native(it.code.value, guarantee, tmp_path)
    assert any(it["verdict"] == "FAIL" and it["story"] and it["order"] for it in found[:-1])
    first = it.element.locator("> ul > li").first
    assert first.locator("> strong").inner_text() == "FAIL"
    first.get_by_role("button", name="Next").click()
    assert first.locator("stingy-stepper output").inner_text().startswith("Step 1 of ")
    assert page.troubles == []


def test_each_lane_has_thread_locals_of_its_own_in_a_page(tried, tmp_path):
    code = start("queue").replace(
        "    def get(self):",
        "    mine = threading.local()\n\n    def get(self):\n        assert not hasattr(self.mine, 'waits')\n"
        "        self.mine.waits = True\n        try:\n            return self.take()\n        finally:\n"
        "            del self.mine.waits\n\n    def take(self):",
    )
    _, it = tried("workers")
    it.code.fill(code)

    assert judged(it.run()) == native(code, "workers", tmp_path)


def test_a_queue_is_mended_in_the_page_and_judged_again(tried):
    """By keys, as a reader would."""
    page, it = tried("fair")
    it.code.fill(start("queue").replace("self._queue.pop(0)", "self._queue.pop()"))
    wrong = judged(it.run())
    it.code.touch()
    it.code.go_behind(".pop(")
    page.keyboard.type("0")
    mended = it.code.value
    right = judged(it.run())

    assert "FAIL" in verdicts(wrong)
    assert verdicts(right) == {"PASS"}, mended


def test_what_does_not_end_is_stopped_and_another_can_be_judged(tried):
    _, it = tried("fair")
    it.code.fill(
        start("queue").replace("            self._dirty.add(item)\n", "            while True: pass\n")
    )
    it.press("Run these rules")
    it.says.filter(has_text="Judging").wait_for(timeout=60_000)
    it.press("Stop")
    assert it.says.inner_text() == "Stopped."

    it.press("Start over")
    assert it.run()[-1]["kind"] == "over"


def test_a_page_ends_what_does_not_end_by_itself(tried):
    _, it = tried("fair")
    it.code.fill(
        start("queue").replace("            self._dirty.add(item)\n", "            while True: pass\n")
    )
    it.element.evaluate("it => { it.bench.patience = 5000; }")
    it.run(60)

    assert it.says.inner_text().startswith("Ended: nothing has come of the next rule for a minute.")


def test_code_that_cannot_be_read_is_refused_in_a_sentence(tried):
    _, it = tried("fair")
    it.code.fill("class WorkQueue:\n    def add(self, item:\n")

    assert it.run()[-1]["kind"] == "refused"
    assert "was never closed" in it.says.inner_text()


BEYOND = {
    "it does what cannot be followed": (
        "    def add(self, item):\n",
        (
            "    def add(self, item):\n        import subprocess\n\n        try:\n            subprocess.Popen(['true'])\n"
            "        except OSError:\n            pass\n"
        ),
    ),
    "it is for asyncio": ("    def get(self):\n", "    async def get(self):\n"),
}


@pytest.mark.parametrize("why", BEYOND)
def test_nobody_is_accused_for_what_a_browser_cannot_follow(why, tried):
    _, it = tried("handing_out")
    it.code.fill(start("queue").replace(*BEYOND[why]))

    found = judged(it.run())

    assert verdicts(found) <= {"INCONCLUSIVE", "NOT-OFFERED", "BLOCKED"}
    assert why in found[0]["because"]


def test_a_link_opens_the_queue_and_the_seed_as_they_were(tried):
    page, it = tried("fair")
    it.code.fill("# né ✓\nclass WorkQueue: ...\n")
    it.seed.fill("7")
    it.press("Link to this")
    it.says.filter(has_text="it holds your queue and the seed").wait_for()
    fragment = "#" + page.url.partition("#")[2]

    _, other = tried("fair", fragment)
    other.says.filter(has_text="Opened from a link").wait_for()

    assert other.code.value == "# né ✓\nclass WorkQueue: ...\n"
    assert other.seed.input_value() == "7"


def test_where_stacks_cannot_be_parked_the_page_says_what_it_takes(tried):
    page, _ = tried("fair")
    page.add_init_script("delete WebAssembly.Suspending")
    page.reload()

    assert "JavaScript Promise Integration" in page.locator("stingy-try output").inner_text()
    assert page.get_by_role("button", name="Run these rules").is_disabled()


def test_without_a_script_the_queue_is_there_to_be_read(tried):
    page, _ = tried("fair", java_script_enabled=False)

    assert "class WorkQueue:" in page.locator("stingy-try code").inner_text()


def test_from_disk_the_page_says_that_it_takes_a_server(tried, opened, site):
    page = opened((site / "guarantees/fair.html").as_uri())

    assert "python3 -m http.server" in page.locator("stingy-try output").inner_text()


@pytest.mark.parametrize(("use", "most"), [("tryout", 8_000_000), ("play", 8_500_000), ("kata", 10_250_000)])
def test_what_is_fetched_is_so_little_packed(use, most, tried, site):
    import gzip

    sizes = json.loads((site / "try/files.json").read_text())[use]
    names = {*sizes, "pyodide.mjs", "pyodide.asm.mjs", "worker.mjs"}
    if use != "play":
        names |= {
            path.name
            for path in (site / "try").iterdir()
            if path.name == "editor.mjs" or path.suffix == ".js"
        }

    assert sum(len(gzip.compress((site / "try" / name).read_bytes())) for name in names) < most
