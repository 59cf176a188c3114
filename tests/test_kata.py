"""The workshop: an exercise is unsolved as it is given out, its solution solves it, and the screens say how."""

import re
import subprocess
import sys
import time
from importlib.resources import files

import pytest
from click.testing import CliRunner

from stingy.guarantees import all_rules
from stingy.verdict import Evidence, Finding
from stingy_kata import EXERCISES
from stingy_kata.cli import main
from stingy_kata.exercise import exercises
from stingy_kata.grading import MODULE, grade

ONCE_MORE = exercises()[0]
each_exercise = pytest.mark.parametrize("exercise", exercises(), ids=EXERCISES)


@pytest.fixture
def fares(tmp_path):
    def fares(exercise, source):
        attempt = exercise.attempt(tmp_path)
        attempt.write_text(source, encoding="utf-8")
        return grade(exercise, attempt)

    return fares


@pytest.fixture
def kata(monkeypatch, tmp_path):
    """The command, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(main, words)


def replaced(source, old, new):
    assert old in source
    return source.replace(old, new)


@each_exercise
def test_as_given_it_is_broken_at_its_own_rules_and_at_nothing_they_build_on(exercise, fares):
    given = fares(exercise, exercise.start)
    assert Finding.FAIL in {verdict.verdict for verdict in given.verdicts}
    assert {verdict.verdict for verdict in given.verdicts} <= {Finding.PASS, Finding.FAIL, Finding.BLOCKED}
    assert [verdict.rule for verdict in given.verdicts] == list(exercise.rules)
    assert given.first_broken.story


@each_exercise
def test_its_solution_keeps_all_rules(exercise, fares):
    solved = fares(exercise, exercise.solution)
    assert {verdict.verdict for verdict in solved.verdicts} == {Finding.PASS}
    assert Evidence.TIMED not in {verdict.evidence for verdict in solved.verdicts}
    assert solved.kept


@each_exercise
def test_it_has_a_title_a_task_and_something_to_do(exercise):
    assert exercise.title
    assert exercise.task
    assert exercise.rules
    assert set(exercise.rules) <= set(all_rules())
    assert 1 <= exercise.start.count("TODO:") <= 2
    assert "TODO" not in exercise.solution
    assert max(map(len, exercise.task.splitlines())) <= 80


def test_every_folder_with_a_start_is_an_exercise():
    folders = {
        it.name for it in files("stingy_kata").iterdir() if it.is_dir() and (it / "start.py").is_file()
    }
    assert folders == set(EXERCISES)


@pytest.mark.parametrize(
    ("old", "new", "first"),
    [
        (
            "            if item not in self._processing:\n",
            "            if True:\n",
            "stingy/one-worker-at-a-time",
        ),
        (
            "            self._processing.discard(item)\n",
            "",
            "handing_out/a-finished-item-can-come-again",
        ),
        (
            "            if item in self._dirty:\n                self._enqueue(item)\n",
            "            if item in self._dirty:\n                self._queue.append(item)\n",
            "stingy/one-worker-at-a-time",
        ),
        (
            "            if item in self._dirty:\n                self._enqueue(item)\n",
            "            self._enqueue(item)\n",
            "handing_out/a-finished-item-stays-away",
        ),
    ],
    ids=["queues at once", "never lets go", "wakes nobody", "always comes back"],
)
def test_a_wrong_way_to_do_it_is_told_from_the_right_one(fares, old, new, first):
    """What comes first is the rule that was broken, though the exercise may not have named it."""
    broken = fares(ONCE_MORE, replaced(ONCE_MORE.solution, old, new)).first_broken
    assert (broken.rule, broken.verdict) == (first, Finding.FAIL)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def done", "def finish", "WorkQueue has no done"),
        ("class WorkQueue", "class Queue", "WorkQueue"),
        ("Condition()", "Conditio()", "NameError: name 'Conditio' is not defined"),
    ],
)
def test_what_cannot_be_judged_is_not_solved(fares, old, new, says):
    found = fares(ONCE_MORE, replaced(ONCE_MORE.solution, old, new))
    assert not found.kept
    assert says in found.first_broken.because


def test_a_change_within_the_same_second_is_seen(fares, tmp_path):
    """Nothing is cached: no bytecode beside the file, no module, no finder."""
    finders = list(sys.meta_path)
    for _ in range(2):
        assert not fares(ONCE_MORE, ONCE_MORE.start).kept
        assert fares(ONCE_MORE, ONCE_MORE.solution).kept
    assert [it.name for it in tmp_path.iterdir()] == ["once_more.py"]
    assert MODULE not in sys.modules
    assert sys.meta_path == finders


def test_the_same_attempt_gets_the_same_story(fares):
    assert fares(ONCE_MORE, ONCE_MORE.start) == fares(ONCE_MORE, ONCE_MORE.start)


def test_list_shows_the_order_and_what_is_started(kata):
    assert "1  once_more  Once more  not started" in kata("list").output
    assert "stingy-kata start once_more" in kata("list").output
    kata("start", "once_more")
    assert "1  once_more  Once more  started" in kata("list").output
    assert "1  once_more  Once more  not started" in kata("list", "elsewhere").output


def test_start_hands_out_the_exercise_and_says_what_to_do(kata, tmp_path):
    done = kata("start", "once_more")
    assert done.exit_code == 0
    assert (tmp_path / "stingy-kata/once_more.py").read_text() == ONCE_MORE.start
    assert ONCE_MORE.task in done.output
    assert done.output.endswith("  stingy-kata check once_more\n")


def test_start_leaves_alone_what_is_there(kata, tmp_path):
    kata("start", "once_more")
    (tmp_path / "stingy-kata/once_more.py").write_text("# an hour's work\n")
    done = kata("start", "once_more")
    assert done.exit_code == 4
    assert "is there already" in done.output
    assert "stingy-kata check once_more" in done.output
    assert (tmp_path / "stingy-kata/once_more.py").read_text() == "# an hour's work\n"


def test_another_folder_is_named_in_what_to_type_next(kata, tmp_path):
    done = kata("start", "once_more", "my queues")
    assert done.output.endswith("  stingy-kata check once_more 'my queues'\n")
    assert (tmp_path / "my queues/once_more.py").is_file()
    assert kata("check", "once_more", "my queues").exit_code == 1


def test_check_tells_the_story_of_the_first_broken_rule(kata):
    kata("start", "once_more")
    done = kata("check", "once_more")
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert "  broken   once_more/added-while-processed-comes-back-after-done" in lines
    assert "  kept     once_more/it-does-not-hold-up-the-others" in lines
    assert all_rules()[ONCE_MORE.rules[0]].sentence in " ".join(done.output.split())
    assert any(line.split() == ["3", "Add('a')", "–", "a", "a"] for line in lines)
    assert 'because  expected queue.get() == "a"' in done.output
    assert "  stingy explain once_more/added-while-processed-comes-back-after-done" in lines
    assert max(map(len, lines)) <= 100
    assert [line for line in lines if line != line.rstrip()] == []


def test_check_without_a_name_looks_at_all_that_is_started(kata):
    kata("start", "once_more")
    assert kata("check").output == kata("check", "once_more").output


def test_check_is_content_with_the_solution(kata, tmp_path):
    kata("start", "once_more")
    (tmp_path / "stingy-kata/once_more.py").write_text(ONCE_MORE.solution)
    done = kata("check", "once_more")
    assert done.exit_code == 0
    assert "All rules are kept." in done.output
    assert "broken" not in done.output
    assert "Next:" in done.output


def test_colour_is_for_terminals(kata, monkeypatch):
    """What a pipeline says of colours makes it no terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    kata("start", "once_more")
    assert "\x1b" not in kata("check", "once_more").output


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\nclass WorkQueue\n    pass\n", "once_more.py, line 2: Python cannot read this: expected ':'"),
        ("import no_such_module\n", "once_more.py, line 1: importing it raises ModuleNotFoundError"),
        ("x = 0\ny = 1 / x\n", "once_more.py, line 2: importing it raises ZeroDivisionError"),
    ],
    ids=["syntax", "import", "raises"],
)
def test_a_file_that_cannot_be_imported_gets_its_line_and_a_sentence(kata, tmp_path, source, says):
    kata("start", "once_more")
    (tmp_path / "stingy-kata/once_more.py").write_text(source)
    done = kata("check", "once_more")
    assert done.exit_code == 1
    assert says in done.output
    assert "Traceback" not in done.output
    assert MODULE not in done.output


def test_a_loop_that_spins_is_found_where_it_stands(tmp_path):
    """In a process of its own: a thread that spins cannot be stopped."""
    spins = replaced(ONCE_MORE.solution, "self._changed.wait()", "pass")
    ONCE_MORE.attempt(tmp_path).write_text(spins)
    words = (sys.executable, "-m", "stingy_kata.cli", "check", "once_more", ".")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    line = int(re.search(r"once_more\.py:(\d+)", done.stdout)[1])
    assert spins.splitlines()[line - 1].strip() in (
        "while not self._queue and not self._shutting_down:",
        "pass",
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("start", "once_mor"), "there is no exercise 'once_mor'; did you mean once_more?"),
        (("check", "xyz"), "there is no exercise 'xyz'; stingy-kata list shows them"),
        (("check", "once_more"), "stingy-kata start once_more"),
        (("check",), "stingy-kata start once_more"),
        (("start",), "Missing argument"),
        (("chek",), "No such command"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_with_4(kata, words, says):
    done = kata(*words)
    assert done.exit_code == 4
    assert says in done.output
    assert "Traceback" not in done.output


def test_a_folder_that_cannot_be_made_gets_a_sentence(kata, tmp_path):
    (tmp_path / "stingy-kata").write_text("")
    done = kata("start", "once_more")
    assert done.exit_code == 4
    assert "stingy-kata is no folder" in done.output


@each_exercise
def test_the_whole_check_takes_no_two_seconds(exercise, kata, tmp_path):
    """Of processor time, which does not depend on who else is busy; nothing waits in real time."""
    exercise.attempt(tmp_path).write_text(exercise.solution, encoding="utf-8")
    since = time.process_time()
    assert kata("check", exercise.name, ".").exit_code == 0
    assert time.process_time() - since < 2
