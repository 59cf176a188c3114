"""Rules that run in the reader's browser: their verdicts, and the controls of the page."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import machine
import pytest
from editor import Editor

ROOT = Path(__file__).parents[3]
STARTS = ROOT / "docs" / "starts"
MODULES = ("metrics", "workqueue")
"""Modules of the reference that make up a work queue."""

HOME = "index.html"
JUDGING_CPU_S = 20
"""CPU-seconds for the start of Python and the slowest guarantee."""
pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""


@pytest.fixture
def tried(opened, served, site):
    """Function that opens the page of a guarantee, or the home page; it returns the page and its form for code."""
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to run Python in a page with: python docs/provisions.py")

    def open_page(guarantee, fragment="", **options):
        address = HOME if guarantee == HOME else f"guarantees/{guarantee}.html"
        page = opened(f"{served}{address}{fragment}", **options)
        it = Tried(page.locator("stingy-try"))
        if options.get("java_script_enabled", True):
            it.element.evaluate(
                "(it, ms) => { it.bench.patience = ms; }", machine.patience(JUDGING_CPU_S) * 1000
            )
        return page, it

    return open_page


class Tried:
    def __init__(self, element):
        self.element = element
        self.code = Editor(element)
        self.seed = element.get_by_label("Seed")
        self.says = element.locator("> .stingy-panel > output")

    def press(self, name):
        self.element.get_by_role("button", name=name).click()

    def run(self, button="Run these rules"):
        """Press the button; return all messages of the worker until it is done."""
        self.element.evaluate(HEARD)
        self.press(button)
        return self.all()

    def ask(self, guarantee, code):
        """Judge a guarantee by the worker of this page; return all messages."""
        self.element.evaluate(HEARD)
        self.element.evaluate(ASK, [guarantee, code])
        return self.all()

    def all(self):
        self.element.page.wait_for_function(
            OVER, arg=self.element.element_handle(), timeout=machine.patience(JUDGING_CPU_S) * 1000
        )
        return self.element.evaluate("it => it.all")

    def start(self, guarantee):
        """Return the code that the page of a guarantee starts with."""
        return self.element.page.evaluate(START, guarantee)


HEARD = """it => {
    it.all = [];
    it.heard ??= it.told;
    it.told = (data) => { it.all.push(data); it.heard(data); };
}"""
ASK = """(it, [guarantee, code]) => {
    it.found.replaceChildren();
    it.counts = {};
    it.items = new Map();
    it.bench.ask(it, { code, rules: `${guarantee}/*`, seed: 0 });
}"""
START = """async (name) => {
    const text = await (await fetch(`${name}.html`)).text();
    return new DOMParser().parseFromString(text, "text/html").querySelector("stingy-try code").textContent;
}"""
OVER = """it => it.all.some(({ kind }) => ["over", "refused", "failed", "endless"].includes(kind)) || it.bench.worker === null"""


def native(asked, tmp_path):
    """Judge each pair of rules and code in one fresh CPython process.

    Return the messages of each pair, in the form that a page gets.
    """
    ask = (
        "import json, pathlib, sys, tryout\n"
        "asked, folder = json.load(sys.stdin)\n"
        "sys.path.insert(0, folder)\n"
        "tryout.FOLDER = pathlib.Path(folder)\n"
        "for rules, code in asked:\n"
        "    tryout.judge(code, rules, 0, print)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        input=json.dumps([asked, str(tmp_path)]),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, MODULES_OF_A_PAGE)), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = iter([json.loads(line) for line in done.stdout.splitlines()])
    return [until_over(told) for _ in asked]


MODULES_OF_A_PAGE = (ROOT / "docs" / "try", ROOT / "docs" / "pages")


def until_over(told):
    found = []
    for data in told:
        found.append(data)
        if data["kind"] == "over":
            break
    return found


def judged(told):
    return [data for data in told if data["kind"] == "verdict"]


def verdicts(told):
    return {data["verdict"] for data in told}


def start(name):
    return (STARTS / f"{name}.py").read_text(encoding="utf-8")


def reference():
    """Return the reference as one file."""
    texts = [(ROOT / f"reference/stingy_reference/{name}.py").read_text(encoding="utf-8") for name in MODULES]
    future = "from __future__ import annotations\n"
    text = re.sub(r"^from stingy_reference.*\n", "", "\n".join(texts), flags=re.MULTILINE)
    return future + text.replace(future, "")


TRIED = (
    *("workers", "drain", "hooks", "memory", "delays", "bucket", "ending", "controller"),
    *("priority_shutdown", "codec", "trigger_times", "arrivals", "cancellation"),
)
"""Guarantees of each profile, including races and limiters.

All 46 would take Python in a page 240 CPU-s. ``metrics`` is left out, because it takes 20 CPU-s.
"""
BY_VERSION = frozenset(("codec", "controller"))
"""Guarantees whose texts depend on the version of Python; only their verdicts are compared.

Python 3.14, which a page has, has other error texts and other steps than 3.11.
"""
HOUR_24 = "[the hour 24]"
"""Row with a text that Python 3.14 reads, and older versions do not."""
OWN_LOCALS = (
    "    def get(self):",
    (
        "    mine = threading.local()\n\n    def get(self):\n        assert not hasattr(self.mine, 'waits')\n"
        "        self.mine.waits = True\n        try:\n            return self.take()\n        finally:\n"
        "            del self.mine.waits\n\n    def take(self):"
    ),
)
"""Code in which each lane has thread-locals of its own."""


@pytest.mark.budget(80)
def test_verdicts_in_a_page_are_those_of_a_native_python(tried, tmp_path):
    """Verdicts, evidence, numbers of runs, stories and orders are the same.

    One Python in one page judges all, because its start takes 6 CPU-s.
    """
    page, it = tried("workers")
    starts = [(name, it.start(name)) for name in TRIED]
    right = [(name, reference()) for name in ("stingy", "once_more", "shutdown")]
    locals_ = [("workers", start("queue").replace(*OWN_LOCALS))]
    race = ("workers", it.code.value)
    asked = [*starts, *right, *locals_, race]

    found = [judged(it.ask(*each)) for each in asked]

    due = map(judged, native([(f"{name}/*", code) for name, code in asked], tmp_path))
    pairs = zip([name for name, _ in asked], found, due, strict=True)
    assert [name for name, one, other in pairs if compared(name, one) != compared(name, other)] == []
    for (name, _), told in zip(starts, found[: len(starts)], strict=True):
        assert not verdicts(told) & {"ERROR", "INCONCLUSIVE"}, name
        assert verdicts(told) & {"PASS", "FAIL"}, name
    assert [verdicts(told) for told in found[len(starts) : -2]] == [{"PASS"}] * len(right)
    assert any(it["verdict"] == "FAIL" and it["figure"] and it["order"] for it in found[-1])
    first = it.element.locator("> ul > li").first
    assert first.locator("> strong").inner_text() == "FAIL"
    said = first.locator("stingy-stepper output")
    assert "✗ expected" in said.inner_text(), "it opens where it goes wrong"
    first.get_by_role("button", name="First").click()
    assert said.inner_text().startswith("Step 1 of ")
    assert page.troubles == []


def compared(guarantee, told):
    if guarantee not in BY_VERSION:
        return told
    return [(it["id"], it["verdict"]) for it in told if not it["id"].endswith(HOUR_24)]


BEYOND = {
    "it does something that cannot be controlled": (
        "    def add(self, item):\n",
        (
            "    def add(self, item):\n        import subprocess\n\n        try:\n            subprocess.Popen(['true'])\n"
            "        except OSError:\n            pass\n"
        ),
    ),
}


def test_a_queue_is_mended_in_the_page_and_judged_again(tried):
    """A reader edits the code by keys.

    Code that cannot be read is refused, and code that a browser cannot follow is not accused.
    """
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

    it.code.fill("class WorkQueue:\n    def add(self, item:\n")
    assert it.run()[-1]["kind"] == "refused"
    assert "was never closed" in it.says.inner_text()

    for why, slip in BEYOND.items():
        found = judged(it.ask("handing_out", start("queue").replace(*slip)))
        assert verdicts(found) <= {"INCONCLUSIVE", "NOT-OFFERED", "BLOCKED"}
        assert why in found[0]["because"]


def test_an_endless_loop_is_stopped_and_another_queue_can_be_judged(tried):
    _, it = tried("fair")
    endless = start("queue").replace("            self._dirty.add(item)\n", "            while True: pass\n")
    it.code.fill(endless)
    it.press("Run these rules")
    it.says.filter(has_text="Judging").wait_for()
    it.press("Stop")
    assert it.says.inner_text() == "Stopped. No verdict."

    it.press("Start over")
    assert it.run()[-1]["kind"] == "over"

    it.code.fill(endless)
    it.run()
    assert it.says.inner_text().startswith("Ended: line 16, in WorkQueue.add, has gone round for 10 seconds.")
    assert "while True: pass" in it.element.locator(".stingy-marked").inner_text()

    it.code.fill(endless.replace("while True: pass", "sum(iter(int, 1))"))
    it.element.evaluate("(it, ms) => { it.bench.patience = ms; }", machine.patience(0.5) * 1000)
    it.run()
    assert it.says.inner_text().startswith("Ended: nothing has come of the next rule for a minute.")


def test_the_home_page_judges_by_all_rules_and_reports_as_the_command_does(tried, tmp_path):
    page, it = tried(HOME)
    it.code.fill(start("exponential").replace("**", "*"))
    *_, over = it.run("Judge it")
    (due,) = (told[-1] for told in native([("*", it.code.value)], tmp_path))
    assert over["report"] == due["report"]
    assert it.element.locator("pre.stingy-feedback").inner_text() == over["report"]
    with page.expect_download() as download:
        it.element.get_by_role("link", name="The report as JSON").click()
    results = json.loads(download.value.path().read_text(encoding="utf-8"))["results"]
    assert {row["profile"] for row in results} == {"limit"}
    assert "FAIL" in verdicts(results)
    assert page.troubles == []


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


def test_a_browser_without_promise_integration_is_told_so(tried):
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


@pytest.mark.parametrize(("use", "most"), [("tryout", 8_300_000), ("play", 8_500_000), ("kata", 10_250_000)])
def test_few_megabytes_are_fetched(use, most, tried, site):
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
