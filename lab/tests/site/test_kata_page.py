"""The workshop in a page: clicks and keys, the feedback of a terminal, saved work, and export.

Four exercises are graded here. The same module grades the others in a terminal, and test_tryout.py
judges nearly every guarantee by Python in a page. All 26 exercises took 25 minutes and found
nothing more.
"""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import machine
import pytest
from editor import Editor

from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.workshop import Workshop

ROOT = Path(__file__).parents[3]
THREE = ("trigger_time", "min_trigger", "stamping")
"""Exercises to do, one after the other; each is graded within a second."""
ANSWER_CPU_S = 20
"""CPU-seconds for the start of Python, or for the grading of an exercise."""


class Kata:
    def __init__(self, page):
        self.page = page
        self.element = page.locator("stingy-kata")
        self.code = Editor(self.element)
        self.choice = self.element.get_by_label("Exercise")
        self.feedback = self.element.locator(".stingy-feedback")
        self.says = self.element.locator("> .stingy-panel > output")

    def press(self, name):
        """Click, and wait until the worker has answered."""
        with self.answered():
            self.click(name)

    def click(self, name):
        self.element.get_by_role("button", name=name, exact=True).click()

    def begin(self):
        self.element.evaluate(COUNTED, machine.patience(ANSWER_CPU_S) * 1000)
        self.press("Begin")

    def go(self, name):
        with self.answered():
            self.choice.select_option(name)

    def take(self, file):
        with self.answered():
            self.element.get_by_label("Import").set_input_files(file)

    @contextmanager
    def answered(self):
        before = self.element.evaluate("it => it.shown ?? 0")
        yield
        self.page.wait_for_function(
            "([it, before]) => (it.shown ?? 0) > before",
            arg=[self.element.element_handle(), before],
            timeout=machine.patience(ANSWER_CPU_S) * 1000,
        )

    def write(self, text):
        """Write a text into the editor; its last characters are typed at the end."""
        self.code.fill(text[:-8])
        self.page.keyboard.press("Control+End")
        self.page.keyboard.insert_text(text[-8:])

    def kept(self):
        return json.loads(self.page.evaluate("localStorage.getItem('stingy-kata')"))


COUNTED = """(it, patience) => {
    it.bench.patience = patience;
    const { show } = it;
    it.show = (data) => { show.call(it, data); it.shown = (it.shown ?? 0) + 1; };
}"""


@pytest.fixture
def kata(opened, served, site):
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to run Python in a page with: python docs/provisions.py")

    def open_page(**options):
        return Kata(opened(f"{served}kata.html", **options))

    return open_page


def native(files, tmp_path):
    """Return the feedback on the same folder from a separate Python."""
    ask = "import kata, sys\nkata.begin()\ntold = []\nkata.answer(sys.stdin.read(), told.append)\nprint(told[-1])\n"
    found_in = (ROOT / "docs" / "try", ROOT / "docs" / "pages", os.environ.get("PYTHONPATH", ""))
    done = subprocess.run(
        [sys.executable, "-c", ask],
        input=json.dumps({"do": "check", "files": files, "width": 80}),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, found_in)), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.budget(90)
def test_exercises_are_done_in_a_page_and_exported(kata, tmp_path):
    """Three exercises: a wrong attempt with its feedback, a right attempt, and the next exercise.

    The work is still there after a reload, and in the exported folder of the terminal.
    """
    it = kata()
    it.page.evaluate("customElements.get('stingy-kata').prototype.columns = () => 80")
    it.begin()
    it.go(THREE[0])
    for name in THREE:
        exercise = find_exercise(name)
        mistake = exercise.mistakes[0]
        it.write(exercise.mistake(mistake).text)
        it.press("Check")
        if name == THREE[0]:
            assert it.feedback.inner_text().rstrip() == native(it.kept(), tmp_path)["says"].rstrip()
        assert f"\n  {mistake.breaks[0]}\n" in it.feedback.inner_text()
        assert it.element.get_by_role("button", name="Next").is_disabled()
        it.write(exercise.solution.text)
        it.press("Check")
        assert it.feedback.inner_text().startswith("✓")
        it.press("Next")

    assert it.says.inner_text().startswith("3 of ")
    it.page.reload()
    it.begin()
    assert it.says.inner_text().startswith("3 of ")
    with it.page.expect_download() as taken:
        it.press("Export")
    ZipFile(taken.value.path()).extractall(tmp_path / "taken")
    workshop = Workshop(tmp_path / "taken" / "stingy-kata")
    assert [workshop.standing(find_exercise(name)) for name in THREE] == ["done"] * 3
    assert workshop.attempt(find_exercise(THREE[1])).read_text() == find_exercise(THREE[1]).solution.text
    assert all(workshop.attempt(each).with_name("README.md").exists() for each in exercises())

    kept = it.kept()
    it.page.evaluate("localStorage.clear()")
    it.press("Reset")
    assert it.says.inner_text().startswith("0 of ")
    it.take(taken.value.path())
    assert it.kept() == kept
    assert it.page.troubles == []


@pytest.mark.budget(60)
def test_a_page_helps_as_a_terminal_does(kata, tmp_path):
    """Hints come one by one, a story has steps, rules are judged, a loop is stopped, and no work is lost."""
    it = kata()
    it.page.set_viewport_size({"width": 360, "height": 740})
    it.page.evaluate("customElements.get('stingy-kata').prototype.columns = () => 80")
    it.begin()
    hints = it.element.locator("details.hint:visible")
    assert hints.count() == 0
    it.press("Hint")
    it.press("Hint")
    assert hints.count() == 2

    it.press("Check")
    it.click("Replay")
    it.click("First")
    it.page.keyboard.press("ArrowRight")
    assert it.element.locator("stingy-stepper output").inner_text().startswith("Step 2 of ")
    assert it.element.get_by_role("link", name="Explain").get_attribute("href").startswith("guarantees/")

    assert it.page.evaluate("document.documentElement.scrollWidth") <= 360

    is_told_the_same(it, "removal", tmp_path, find_exercise("removal").start.text)

    with ZipFile(tmp_path / "another.zip", "w") as archive:
        archive.writestr("readme.txt", "nothing")
    it.take(tmp_path / "another.zip")
    assert it.feedback.inner_text().startswith("That is no workshop")

    it.code.fill("while True: pass\n")
    it.click("Check")
    it.says.filter(has_text="Looking").wait_for()
    it.click("Stop")
    assert it.says.inner_text() == "Stopped."
    it.press("Hint")
    assert it.code.value == "while True: pass\n"
    assert it.page.troubles == []


def is_told_the_same(it, name, tmp_path, *attempts):
    it.go(name)
    for text in attempts:
        it.write(text)
        it.press("Check")
        told = native(it.kept(), tmp_path)
        assert it.feedback.inner_text().rstrip() == told["says"].rstrip()
        assert told["kept"] is (text == find_exercise(name).solution.text)


@pytest.mark.budget(40)
def test_without_a_script_every_exercise_is_there_to_be_read(kata):
    it = kata(java_script_enabled=False)

    assert it.page.locator("details.exercise").count() == len(exercises())
    assert it.page.locator("stingy-kata button").count() == 0
