"""Exercises, grading, the command and the watch of the workshop. What needs processes: lab/tests/test_kata.py."""

import builtins
import io
import json
import linecache
import os
import re
import shutil
import sys
from collections import Counter
from datetime import time as clock
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from stingy import settings
from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.judging.trial import Trial
from stingy.judging.verdict import Exit, Finding, Verdict
from stingy.language.account import Line
from stingy.language.rule import Level
from stingy_kata import apart, aside, catching, keys, yardstick
from stingy_kata.board import (
    LEARNERS,
    OF_ONE_MACHINE,
    Reception,
    Refused,
    Sharer,
    Status,
    read_shared,
    share,
)
from stingy_kata.building import RECIPES, Malformed
from stingy_kata.catching import grade_rules, graders
from stingy_kata.cli import main
from stingy_kata.exercise import RUNGS, Exercise, exercises, find_exercise, load_exercise
from stingy_kata.feedback import feedback, progress
from stingy_kata.grading import Grade, grade
from stingy_kata.holes import Astray, split
from stingy_kata.importing import MODULE, module
from stingy_kata.likeness import likeness
from stingy_kata.mistakes import Mistakes, apply_changes
from stingy_kata.projection import Projection
from stingy_kata.proof import faults, on_start
from stingy_kata.replaying import steps
from stingy_kata.schedule import plans, timetable
from stingy_kata.screen import Screen, plain
from stingy_kata.script import build, read
from stingy_kata.state import FILE, State, load, save
from stingy_kata.template import Taken
from stingy_kata.template import write as write_template
from stingy_kata.watching import Watch
from stingy_kata.whereabouts import places
from stingy_kata.workshop import Workshop, find, make

READD = find_exercise("readd")
NAMES = [it.name for it in exercises()]


class Here:
    """A grader that grades in this process, for attempts that cannot damage it."""

    def __init__(self, *, again=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def grade(self, exercise, attempt, tell=None, failed=""):
        return grade(exercise, attempt, failed=failed)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Judge learners' rules in this process; lab/tests/test_kata.py judges them in forked processes."""
    monkeypatch.setattr(aside, "CAN_FORK", False)


@pytest.fixture
def by_the_card(monkeypatch):
    """Grade by the rules of the exercise only, to save time; tests in lab grade by all rules."""
    monkeypatch.setattr("stingy_kata.grading.find_broken", lambda *_: [])


@pytest.fixture
def kata(monkeypatch, tmp_path, by_the_card):
    """Return a function that runs ``stingy-kata WORDS`` in a folder with a new workshop."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(apart, "Grader", Here)
    make(tmp_path / "stingy-kata")
    return lambda *words, **more: CliRunner().invoke(main, words, **more)


@pytest.fixture
def attempt(tmp_path):
    """Return a function from an exercise to the path of the learner's file."""
    return lambda exercise: tmp_path / "stingy-kata" / exercise.label / f"{exercise.name}.py"


@pytest.fixture
def copied(tmp_path):
    """Copy the exercise ``stingy`` into a temporary folder, where the test can damage it; return the copy."""
    shutil.copytree(
        find_exercise("stingy").folder, tmp_path / "stingy", ignore=shutil.ignore_patterns("__pycache__")
    )
    return load_exercise("stingy", tmp_path)


def replaced(source, old, new):
    assert old in source
    return source.replace(old, new)


# Exercises and their files.


def test_notes_without_an_answer_are_a_fault(copied, by_the_card):
    notes = copied.folder / "trainer.md"
    notes.write_text(notes.read_text().replace("- **Answer**:", "- **Reply**:"))
    assert "trainer.md lacks **Answer**, for the answer sheet" in list(faults(copied))


def test_what_the_first_grading_imports_makes_no_exercise_slow(copied, by_the_card, monkeypatch):
    spent = iter([0, 30, 30])  # the first grading takes 30 CPU-s, all others none
    monkeypatch.setattr("stingy_kata.proof.time.process_time", lambda: next(spent, 30))
    assert not [it for it in faults(copied) if "to grade" in it]


def test_each_fault_of_an_exercise_is_reported(copied, by_the_card):
    """One copy of an exercise has all these faults at once."""
    start, solution = find_exercise("stingy").start.text, find_exercise("stingy").solution.text
    recipes, too_much = copied.folder / RECIPES, 16 * "X = 1\n"
    given = "".join(f"# | {line}\n" for line in solution.splitlines())
    (copied.folder / "solution.py").write_text(f"# hole\n{given}{start}# sleep\n{too_much}# end of hole\n")
    unchanged = re.sub(r"\n\[\[mistakes\.changes\]\]\nfind = (.|\n)*?(?=\n\[\[|\Z)", "", recipes.read_text())
    recipes.write_text(re.sub(r"(?m)^name = .*", '\\g<0>\nof = "start"\nchanges = []', unchanged))
    (copied.folder / "hints/4.md").write_text("```python\nif\n```")
    (copied.folder / "hints/2.md").write_text("")
    (copied.folder / "trainer.md").rename(copied.folder / "notes.txt")
    (copied.folder / "README.md").write_text(41 * "more\n")
    told = "\n".join(faults(copied))
    for says in (
        "README.md has 41 lines",
        "the start has 0 TODO",
        "the solution still has a TODO",
        "lines are to be written, more than 15",
        "solution sleeps",
        "the start does not break what is declared",
        "the start breaks nothing",
        "the solution breaks stingy/one-worker-at-a-time",
        "turns_a_deaf_ear does not break what is declared",
        "the hint 'Think' is empty",
        "the code of the last hint does not compile",
        "trainer.md is missing",
        "notes.txt belongs to no exercise",
    ):
        assert says in told


@pytest.mark.parametrize("exercise", exercises(), ids=NAMES)
def test_built_scripts_compile_and_have_no_marks_of_holes(exercise):
    for name, script in exercise.scripts.items():
        compile(script.data, name, "exec", dont_inherit=True)
        assert not re.search(r"# hole|# \||# end of hole", script.text)


def test_the_start_has_the_given_lines_of_a_hole_and_the_solution_the_others():
    marked = (
        "if a:\n    # hole\n    # | b()  # TODO\n    # |\n    # |     c\n\n    d()\n\n\n# end of hole\ne\n"
    )
    both = split(marked)
    assert both.start == "if a:\n    b()  # TODO\n\n        c\ne\n"
    assert both.solution == "if a:\n\n    d()\ne\n"
    assert split("a\n# hole\n# end of hole\n").start == split("# hole\na\n# end of hole\n").solution == "a\n"


@pytest.mark.parametrize(
    ("marked", "line", "mark"),
    [
        ("a\n# hole\nb\n", 2, "# hole"),
        ("# hole\nb\n# end of hole\n  # end of hole\n", 4, "# end of hole"),
        ("# hole\n# hole\nb\n# end of hole\n", 2, "# hole"),
        ("# hole\nb\n# | too late\n# end of hole\n", 3, "# |"),
        ("# | nowhere\n", 1, "# |"),
    ],
)
def test_a_stray_mark_is_reported_with_its_line(marked, line, mark):
    with pytest.raises(Astray, match=f"^line {line}: this {re.escape(repr(mark))} belongs to no hole: write"):
        split(marked)


MISTAKE = '[[mistakes]]\nname = "it"\nsays = ""\nbreaks = []\n'
RETURNS = '[[mistakes.changes]]\nfind = "return"\nreplace = "pass"\n'
DONE = '[[mistakes.changes]]\nfind = "def done(self"\nreplace = ""\n'


@pytest.mark.parametrize(
    ("recipes", "says"),
    [
        (MISTAKE + RETURNS, "toml: it is made of solution, where it finds 'return' 4 times, not once"),
        (MISTAKE + DONE.replace("done", "over"), "it finds 'def over(self' 0 times, not once: shorten it"),
        (
            MISTAKE + DONE + DONE.replace("def done", "done"),
            "'done(self' overlaps the text that the change before",
        ),
        (
            f"{MISTAKE}of = 'starr'\nchanges = []",
            "is made of starr, which is not one of the scripts before it: start,",
        ),
        (2 * (MISTAKE + DONE), "two scripts have the name wrong/it"),
        (MISTAKE, "mistakes.toml cannot be read: Object missing required field `changes`"),
    ],
    ids=["often", "never", "overlap", "of nothing", "two", "no changes"],
)
def test_a_mistake_that_cannot_be_built_is_reported_by_its_name(copied, recipes, says):
    (copied.folder / RECIPES).write_text(recipes)
    with pytest.raises(Malformed, match=re.escape(says)):
        _ = copied.scripts
    (fault,) = faults(copied)
    assert says in fault


def test_a_change_does_not_find_the_text_of_another(copied):
    swapped = DONE.replace("done", "get").replace('""', '"def done(self"')
    (copied.folder / RECIPES).write_text(MISTAKE + DONE.replace('""', '"def get(self"') + swapped)
    built = copied.scripts["wrong/it"].text
    assert built.index("def done(self") < built.index("def get(self")


def test_source_lines_of_a_script_without_a_file_are_known_while_it_is_imported(tmp_path):
    script = build(tmp_path / "nowhere.py", "X = 1\n")
    with module(script) as found:
        assert found.X == 1
        assert linecache.getline(script.path, 1) == "X = 1\n"
    assert linecache.getline(script.path, 1) == ""


def test_the_page_about_holes_and_mistakes_shows_code_that_works():
    page = (Path(__file__).parents[1] / "docs/extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\w+\n(.*?)```", page, re.DOTALL)
    (marked,), (recipes,) = ([it for it in blocks if has in it] for has in ("# hole\n", "[[mistakes]]"))
    both, (mistake,) = split(marked), msgspec.toml.decode(recipes, type=Mistakes).mistakes
    for text, queue in (
        (both.start, ["a", "b", "a"]),
        (both.solution, ["a", "b"]),
        (apply_changes(both.solution, mistake.changes), ["b", "a"]),
    ):
        names = {}
        exec(text, names)
        waiting = names["Waiting"]()
        for item in "aba":
            waiting.add(item)
        assert waiting.queue == queue


def test_dev_show_prints_a_script(kata):
    assert kata("dev", "show", "readd", "start").output == READD.start.text
    assert kata("dev", "show", "hunt", "mistakes/nobody_waits").output.startswith('"""Rules that find')
    assert kata("dev", "show", "readd").output.startswith("start\nsolution\nwrong/always_comes_back\n")


def test_an_exercise_that_cannot_be_built_is_a_usage_error(kata, monkeypatch):
    def broken(*_):
        raise Malformed("mistakes.toml: it is of nothing")

    monkeypatch.setattr(Exercise, "scripts", property(broken))
    done = kata("dev", "show", "readd")
    assert (done.exit_code, done.output) == (4, "Error: mistakes.toml: it is of nothing\n")


def test_a_rule_that_no_mistake_breaks_is_a_fault_of_the_exercise(copied, by_the_card):
    rules = (*copied.card.rules, "handing_out/an-empty-item-is-an-item")
    idle = Exercise("stingy", msgspec.structs.replace(copied.card, rules=rules), copied.folder)
    assert any(
        "an-empty-item-is-an-item is kept by the start and by every mistake" in it for it in faults(idle)
    )


# Grading.


@pytest.fixture
def graded(tmp_path):
    """Return a function that grades a text as an attempt at the exercise with this name."""

    def graded(name, source):
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        return grade(find_exercise(name), read(file))

    return graded


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def done", "def finish", "WorkQueue has no done"),
        ("Condition()", "Conditio()", "NameError: name 'Conditio' is not defined"),
        ("return item, False", "return item", "Get returned 'a', not a pair of an item and a flag"),
    ],
)
def test_an_attempt_that_cannot_be_judged_is_not_solved(graded, old, new, says):
    found = graded("readd", replaced(READD.solution.text, old, new))
    assert not found.kept
    assert says in found.first_broken.because
    assert likeness(found) is None, "it looks like no mistake that anybody has declared"
    if "pair" in says:
        assert found.first_broken.story[-1].outcome == "'a', no item and a flag"


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("readd", "class WorkQueue", "class Mine", "Mine has all its methods: rename it to WorkQueue"),
        ("metric", "class Proxy", "class Mine", "Mine has all its methods: rename it to Proxy"),
        ("readd", "class WorkQueue", "class Mine: pass\n\nclass _Hidden", "_Hidden has all its methods"),
    ],
)
def test_a_class_of_another_name_is_recognised(graded, name, old, new, says):
    assert says in graded(name, replaced(find_exercise(name).solution.text, old, new)).unreadable


def test_a_coroutine_in_an_exercise_of_threads_is_named(graded):
    fifo = find_exercise("fifo").solution.text
    told = graded("fifo", replaced(fifo, "def get(", "async def get(")).unreadable
    assert re.match(r"line \d+: get is an async def, and its callers here are threads", told)


def test_a_rule_that_accuses_everybody_catches_nobody():
    skew = find_exercise("skew")
    verdicts = grade(skew, skew.start).verdicts
    assert {it.verdict for it in verdicts} == {Finding.FAIL, Finding.BLOCKED}
    assert not [it for it in verdicts if it.story], "a story would show what is measured"


def test_a_class_may_be_bound_to_its_name_but_not_be_missing(graded, by_the_card):
    assert "there is no class WorkQueue in it" in graded("readd", "").unreadable
    bound = replaced(READD.solution.text, "class WorkQueue", "class Mine") + "\nWorkQueue = Mine\n"
    assert graded("readd", bound).kept


def test_an_attempt_must_keep_what_earlier_exercises_taught(tmp_path, monkeypatch):
    """The attempt breaks a rule of an earlier exercise only. lab/tests/test_kata.py judges by all rules."""
    stingy = find_exercise("stingy")
    besides = [all_rules()["stingy/added-many-times-is-handed-out-once"]]
    monkeypatch.setattr(yardstick, "all_rules", lambda: with_what_they_build_on(besides))
    returns = "            if item in self._dirty:\n                return\n"
    attempt = build(tmp_path / "stingy.py", replaced(stingy.solution.text, returns, ""))
    found = grade(stingy, attempt)
    assert {it.rule for it in found.verdicts if it.verdict.value == "PASS"} == set(stingy.card.rules)
    told = plain(feedback(found, attempt, "stingy.py"))
    assert re.search("added-many-times-is-handed-out-once +ours keeps it, too", told)


def test_a_get_of_nothing_is_shown_as_none():
    fifo = find_exercise("fifo")
    told = plain(feedback(grade(fifo, fifo.start), fifo.start, "fifo.py"))
    assert "Get() → None" in told
    assert "None == 'a'" in told


def test_a_change_within_the_same_second_is_graded(tmp_path, by_the_card, monkeypatch):
    """No bytecode, module, finder or scheduling point of the old code is reused. The path may be relative."""
    monkeypatch.chdir(tmp_path)
    finders, file, dedupe = list(sys.meta_path), Path("dedupe.py"), find_exercise("dedupe")
    for _ in range(2):
        for source in (dedupe.scripts["wrong/looks_before_it_locks"], dedupe.solution):
            file.write_bytes(source.data)
            broken = grade(dedupe, read(file)).broken
            assert broken == (
                () if source == dedupe.solution else ("workers/two-producers-at-once-add-it-once",)
            )
    assert [it.name for it in tmp_path.iterdir()] == ["dedupe.py"]
    assert MODULE not in sys.modules
    assert sys.meta_path == finders


COUNTS = """
import builtins

def comes_back(queue):
    seen = builtins.__dict__.setdefault("seen_by_a_cheat", [])
    seen.append(queue)
    queue.add("a")
    queue.get()
    assert {condition}
"""


@pytest.mark.parametrize("condition", ["len(seen) <= 3", "len(seen) > 3", "len(seen) % 2"])
def test_a_rule_that_counts_the_candidates_catches_none(graded, monkeypatch, condition):
    """Candidates are judged in random order, and each a second time, which reveals such a rule."""
    monkeypatch.setattr(builtins, "seen_by_a_cheat", [], raising=False)
    assert (
        "two different verdicts on the same candidate"
        in graded("catch_lost", COUNTS.format(condition=condition)).unreadable
    )


def diagnosed(broken, declared):
    """Return the mistake among ``declared`` that is named for an attempt that breaks these rules."""
    verdicts = (Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, because="so") for rule in broken)
    return likeness(Grade("", tuple(verdicts)), declared)


def test_at_most_one_diagnosis_in_fifty_is_wrong():
    """The attempts have an undeclared mistake, or two at once; a test in lab covers declared ones."""
    undeclared, two = Counter(), Counter()
    for mistakes in (exercise.mistakes for exercise in exercises()):
        for one in mistakes:
            others = [it for it in mistakes if it is not one]
            undeclared[bool(diagnosed(one.breaks, others))] += 1
        for one, other in combinations(mistakes, 2):
            said = diagnosed({*one.breaks, *other.breaks}, mistakes)
            two[bool(said) and said not in (one, other)] += 1
    for wrong in (undeclared, two):
        assert wrong[True] <= wrong.total() * 0.02


@pytest.mark.parametrize(
    ("name", "word"),
    [("catch_lost", "queue"), ("skew", "cluster"), ("catch_event", "controllers"), ("removal", "tracker")],
)
def test_a_rule_that_never_holds_accuses_every_candidate(tmp_path, name, word):
    attempt = build(tmp_path / "never.py", f"def holds({word}):\n    assert False\n")
    found = grade(find_exercise(name), attempt)
    assert likeness(found) is None
    assert "accused every candidate" in plain(feedback(found, attempt, "never.py"))


RULE = "from stingy.language import Queue\n\ndef comes_back(queue):\n"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = 1\n", "there is no rule in it"),
        ("def comes_back(line):\n    pass\n", "line 1: comes_back(line) is not a rule"),
        (f"{RULE}    queue.push('a')\n", "line 4 of your rule raises AttributeError"),
        (f"{RULE}    queue.done('a')\n", "line 4: queue.done('a'): 'a' was not handed out to anybody"),
        (
            f"{RULE}    queue.add('a')\n    assert queue.get() == 'b'\n",
            "line 5: assert queue.get() == 'b': it was 'a'",
        ),
    ],
    ids=["none", "no words", "raises", "illegal", "too strict"],
)
def test_a_learners_rule_that_will_not_do_is_refused_with_its_line(graded, source, says):
    found = graded("catch_lost", source)
    assert not found.kept
    assert says in (found.unreadable or found.first_broken.because)


def test_only_so_many_rules_are_tried(graded):
    """Functions of a learner's file count as rules, except private ones."""
    solved = find_exercise("hunt").solution.text
    more = "".join(f"\n\ndef idle_{n}(queue):\n    queue.add('a')\n" for n in range(3))
    assert graded("hunt", solved + more + more.replace("idle", "_idle")).kept
    found = graded("hunt", solved + more + more.replace("idle", "lazy"))
    assert "there are 9 rules in it, but at most 6 are allowed" in found.unreadable


RAN: set[int] = set()
"""Lines of the statements that were run."""


SIMPLE = re.compile(r"^( {8,})(?=\w)(?!(if|while|with|for|else|elif|try|def)\b)")
"""Indent of a simple statement in a method."""


def test_rules_that_run_every_line_may_find_nothing(tmp_path, monkeypatch):
    """The hunt's start code runs each statement of its four wrong queues, but accuses none of them."""
    hunt = find_exercise("hunt")
    wrong = {id_: script for id_, script in graders(hunt) if id_.startswith("catches/")}
    assert len(wrong) == 4
    monkeypatch.setattr(catching, "judge_aside", lambda job: job())  # in this process, which has RAN
    for id_, script in wrong.items():
        numbered = list(enumerate(script.text.splitlines(), 1))
        spy = rf"\1__import__('sys').modules['{__name__}'].RAN.add"
        spied = "\n".join(SIMPLE.sub(f"{spy}({n}); ", line) for n, line in numbered)
        one = [(id_, build(tmp_path / "spied.py", spied))]
        monkeypatch.setattr(catching, "graders", lambda _, one=one: one)
        RAN.clear()
        (verdict,) = grade_rules(hunt, hunt.start, lambda: None)
        assert verdict.because == "all that you assert holds of it"
        assert {n for n, line in numbered if SIMPLE.match(line)} == RAN != set()


@pytest.mark.parametrize("order", ["['somebody']", "7", "None"])
def test_an_invalid_order_is_refused(graded, order):
    source = re.sub(r"ORDER = .*", f"ORDER = {order}", find_exercise("workers").solution.text)
    assert f"ORDER is {order}" in graded("workers", source).unreadable


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\nclass WorkQueue\n    pass\n", "line 2: Python cannot read this: expected ':'"),
        ("import no_such_module\n", "line 1: importing it raises ModuleNotFoundError"),
        ("x = 0\ny = 1 / x\n", "line 2: importing it raises ZeroDivisionError"),
    ],
    ids=["syntax", "import", "raises"],
)
def test_a_file_that_cannot_be_imported_is_refused_with_its_line(graded, tmp_path, source, says):
    found = graded("readd", source)
    assert says in found.unreadable
    assert f"readd.py, {says}" in plain(feedback(found, read(tmp_path / "readd.py"), "readd.py"))


def test_the_last_call_is_shown_where_no_model_says_which_step_is_wrong(tmp_path):
    script = build(
        tmp_path / "queue.py", "class Q:\n    def get(self): ...\n\n    def add_after(self): ...\n"
    )
    told = [
        Line("producer", "AddAfter('a', 1 s)", op="add_after", item="a"),
        Line("worker 1", "Get()", "'a'", op="get"),
        Line("time", "1 s pass"),
    ]
    found = [(it.step, it.method, int(it.where.partition(":")[2])) for it in places(told, script, "it.py")]
    assert found == [(1, "add_after", 4), (2, "get", 2)]


# The command.


@pytest.mark.parametrize(
    ("decided", "exit_", "mark"), [(True, Exit.DOES_NOT, "✗"), (False, Exit.INCONCLUSIVE, "?")]
)
def test_an_undecided_attempt_is_not_wrong(kata, monkeypatch, decided, exit_, mark):
    found = Grade("readd", unreadable="it does not come to an end", decided=decided)
    monkeypatch.setattr(Here, "grade", staticmethod(lambda *_: found))
    done = kata("check", "readd")
    assert (done.exit_code, done.output[0]) == (exit_, mark)


def passes(exercise, attempt, *_):
    """Return a grade with a PASS for each rule, without judging; the attempt must be the solution."""
    assert attempt.data == exercise.solution.data
    rules = exercise.card.rules
    return Grade(exercise.name, tuple(Verdict(rule, "", "queue", Level.MUST, Finding.PASS) for rule in rules))


def test_a_learner_gets_through_all_exercises(kata, attempt, monkeypatch):
    """Each solution passes. For three exercises, the start code fails first, and a mistake is named."""
    for n, exercise in enumerate(exercises()):
        assert f"at {exercise.name}" in kata("status").output
        if n == 3:  # lab/tests/test_exercises.py judges the others, and all mistakes
            monkeypatch.setattr(Here, "grade", staticmethod(passes))
        if n < 3:
            failed = kata("check")
            assert failed.exit_code == 1
            told = failed.output.replace("stingy-kata/", "", 2).splitlines()
            assert told[0] == on_start(exercise).splitlines()[0]
            assert kata("next").exit_code == 4
            assert "is not done yet" in kata("solution").output
            mistake = exercise.mistakes[-1]
            attempt(exercise).write_bytes(exercise.mistake(mistake).data)
            assert " ".join(mistake.says.split()) in " ".join(kata("check").output.split())
        attempt(exercise).write_bytes(exercise.solution.data)
        passed = kata("check")
        assert passed.exit_code == 0
        assert " ".join(exercise.card.after.split()) in " ".join(passed.output.split())
        gone = kata("next")
        assert gone.exit_code == 0
        assert ("all are done" in gone.output) == (n == len(NAMES) - 1)
    assert re.fullmatch(f"(.*  done\n){{{len(NAMES)}}}", kata("list").output)


def test_check_prints_the_recorded_feedback(kata, monkeypatch):
    """The output has no colours: FORCE_COLOR does not turn a pipe into a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    printed = kata("check", "readd").output
    assert printed.replace("stingy-kata/", "").splitlines()[:20] == on_start(READD).splitlines()[:20]
    assert "\x1b" not in printed
    assert max(map(len, printed.splitlines())) <= 100
    assert [line for line in printed.splitlines() if line != line.rstrip()] == []


def test_init_writes_starts_and_tasks_and_keeps_what_is_there(kata, tmp_path, attempt):
    there = sorted(it.name for it in (tmp_path / "stingy-kata").rglob("*") if it.is_file())
    assert there == sorted([FILE, *(["README.md"] * len(NAMES)), *(f"{name}.py" for name in NAMES)])
    attempt(READD).write_text("# an hour's work\n")
    done = kata("init")
    assert done.exit_code == 0
    assert done.output.endswith("  stingy-kata\n")
    assert attempt(READD).read_text() == "# an hour's work\n"


def test_each_hint_says_more_and_is_remembered(kata, tmp_path):
    for rung, word in enumerate(RUNGS, 1):
        assert f"hint {rung} of 4 · {word}" in kata("hint", "readd").output
    assert "hint 4 of 4" in kata("hint", "readd").output
    assert "hint 1 of 4" in kata("hint", "readd", "--rung", "1").output
    assert load(tmp_path / "stingy-kata" / FILE).rungs == {"readd": 4}
    assert "4 hints" in kata("list").output


def test_reset_keeps_a_copy(kata, attempt):
    file, copy = attempt(READD), attempt(READD).with_name("readd.py.bak")
    file.write_text("# mine\n")
    assert "readd.py.bak" in kata("reset", "readd").output
    assert (file.read_bytes(), copy.read_text()) == (READD.start.data, "# mine\n")
    for spoil in (lambda: file.write_text("# mine again\n"), file.unlink):
        spoil()
        assert kata("reset", "--all").exit_code == 0
        assert file.read_bytes() == READD.start.data
    assert kata("reset").exit_code == 4


def test_the_solution_is_shown_after_giving_up_and_that_is_noted(kata, attempt):
    file = attempt(READD)
    assert [kata("solution", "readd", *words).exit_code for words in ((), ("--give-up",))] == [4, 0]
    assert file.with_name("solution.py").read_bytes() == READD.solution.data
    assert file.read_bytes() == READD.start.data
    assert "solution read first" in kata("list").output
    file.write_bytes(READD.solution.data)
    kata("check", "readd")
    file.write_text("# oh\n")
    assert "changed since done" in kata("list").output


def test_catch_up_skips_open_exercises_and_keeps_their_files(kata, attempt):
    attempt(find_exercise("fifo")).write_text("# half done\n")
    done = kata("catch-up", "readd")
    assert f"Skipped: {', '.join(NAMES[: NAMES.index('readd')])}." in done.output
    assert "at readd" in kata("status").output
    assert attempt(find_exercise("fifo")).read_text() == "# half done\n"
    assert "skipped" in kata("list").output


def test_replay_shows_the_sets_after_each_step(kata):
    broken = grade(READD, READD.start).first_broken
    shown = [plain(parts) for parts in steps(broken)]
    assert len(shown) == len(broken.story)
    assert "Get() → waits" not in shown[3]
    assert "Now in queue a; dirty a. Wrong: expected" in shown[4]
    told = kata("replay", "readd")
    assert told.exit_code == 1
    assert "3  producer: Add('a'). Now in dirty a; processing a" in told.output
    assert "Wrong: expected to return 'a'" in " ".join(told.output.split())


def test_explain_is_about_the_first_broken_rule(kata):
    kata("go", "readd")
    assert kata("explain").output.startswith("once_more/added-while-processed-comes-back-after-done\nMUST")
    assert kata("explain", "fair/a-duplicate-keeps-its-place").output.startswith("fair/a-duplicate")


def test_a_report_is_one_page(kata, tmp_path):
    assert kata("report", "readd").exit_code == 0
    page = (tmp_path / "stingy-kata.html").read_text()
    assert "added-while-processed-comes-back-after-done" in page
    assert page.startswith("<!doctype html>")


def test_the_board_shows_what_learners_share(kata, tmp_path):
    kata("hint")
    status = {"who": "Ada", "at": "fifo", "done": [], "skipped": [], "hints": {"fifo": 1}, "gave_up": []}
    assert json.loads(kata("status", "--json", "--as", "Ada").output) == status
    share = tmp_path / "share"
    share.mkdir()
    assert kata("board", str(share)).exit_code == 4, "nobody shares anything"
    share.rmdir()
    for who in ("Ada", "../Bob"):
        kata("status", "--share", str(share), "--as", who)
    (share / "torn.stingy-kata.json").write_text("{")
    told = kata("board", str(share)).output
    assert "Ada (1), ../Bob (1)" in told or "../Bob (1), Ada (1)" in told
    assert "0 of 2" in told
    assert "torn.stingy-kata.json cannot be read" in told
    assert len(list(share.iterdir())) == 3


def test_sharing_writes_through_no_link_of_a_classmate(kata, tmp_path):
    share, precious = tmp_path / "share", tmp_path / "precious.txt"
    share.mkdir()
    precious.write_text("mine")
    for name in ("Ada.stingy-kata.json", "Ada.stingy-kata.json.new"):
        (share / name).symlink_to(precious)
    assert kata("status", "--share", str(share), "--as", "Ada").exit_code == 0
    assert precious.read_text() == "mine"
    assert json.loads((share / "Ada.stingy-kata.json").read_text())["who"] == "Ada"


OWNED = "\x1b]0;owned\x07\u202e\n::error::x"


def test_no_shared_file_breaks_the_board(kata, tmp_path):
    share = tmp_path / "share"
    kata("status", "--share", str(share), "--as", "Ada")
    there = json.loads((share / "Ada.stingy-kata.json").read_text())
    for name, changed in {
        "Bob": {"who": OWNED},
        "hints": {"hints": {"fifo": 10**400}},
        "rung": {"hints": {"fifo": 99}},
        "long": {"who": "x" * 10_000},
        "large": {"done": ["x" * (1 << 17)]},
    }.items():
        (share / f"{name}.stingy-kata.json").write_text(json.dumps(there | changed))
    (share / "deep.stingy-kata.json").write_text("[" * 50_000)
    (share / f"{OWNED.replace('/', '')}.stingy-kata.json").write_text("{")
    os.mkfifo(share / "pipe.stingy-kata.json")
    (share / "zero.stingy-kata.json").symlink_to("/dev/zero")
    found, unread = read_shared(share)
    assert [it.who for it in found] == ["Ada", OWNED]
    assert len(unread) == 8
    told = kata("board", str(share)).output
    assert "Ada" in told
    assert told.replace("\n", "").isprintable()
    assert not any(line.startswith("::") for line in told.splitlines())


def test_a_watch_shares_once_the_folder_can_be_written_to(watched, tmp_path):
    watch, workshop = watched
    share = tmp_path / "share"
    share.write_text("it is away for a while")
    watch("h", lambda: share.unlink() or "h", share=Sharer(workshop, "Ada", share).share)
    assert [ada.hints for ada in read_shared(share)[0]] == [{"fifo": 2}]


def test_changes_by_other_commands_are_shared(kata, tmp_path):
    share = tmp_path / "share"
    sharer = Sharer(Workshop(tmp_path / "stingy-kata"), "Ada", share)
    sharer.share()
    kata("go", "readd")
    sharer.share()
    assert [ada.at for ada in read_shared(share)[0]] == ["readd"]
    kata("watch", "--share", str(share), "--as", "Bob", input="h\nq\n")
    assert [(it.who, it.hints) for it in read_shared(share)[0]] == [("Ada", {}), ("Bob", {"readd": 1})]


STATUS = {"who": "Ada", "at": "fifo", "done": [], "skipped": [], "hints": {"fifo": 2}, "gave_up": []}


def test_a_status_that_a_page_sends_is_on_the_board(tmp_path):
    reception = Reception(tmp_path / "share")
    reception.receive(json.dumps(STATUS).encode(), "10.0.0.1")
    reception.receive(json.dumps(STATUS | {"at": "readd", "done": ["fifo"]}).encode(), "10.0.0.1")
    assert read_shared(tmp_path / "share") == ([Status("Ada", "readd", ("fifo",), (), {"fifo": 2})], [])


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 50_000,
        b"[]",
        json.dumps(STATUS | {"code": "import os"}).encode(),
        json.dumps({"who": "Ada"}).encode(),
        json.dumps(STATUS | {"who": 1}).encode(),
        json.dumps(STATUS | {"who": "x" * 10_000}).encode(),
        json.dumps(STATUS | {"hints": {"fifo": 99}}).encode(),
    ],
    ids=["nothing", "torn", "no text", "deep", "a list", "more", "less", "a number", "a long name", "a rung"],
)
def test_what_is_no_status_is_refused_and_nothing_is_written(tmp_path, sent):
    with pytest.raises(Refused, match="no status"):
        Reception(tmp_path / "share").receive(sent, "10.0.0.1")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("who", ["../../up", "/etc/passwd", "C:\\up", "..", "", "\0", OWNED])
def test_no_name_that_a_page_sends_leads_out_of_the_shared_folder(tmp_path, who):
    Reception(tmp_path / "share").receive(json.dumps(STATUS | {"who": who}).encode(), "10.0.0.1")
    assert [it.name for it in tmp_path.iterdir()] == ["share"]
    assert [it.who for it in read_shared(tmp_path / "share")[0]] == [who]


def test_pages_can_make_no_more_statuses_than_a_class_needs(tmp_path):
    for n in range(LEARNERS):
        share(Status(f"learner {n}", "fifo", ()), tmp_path)
    reception = Reception(tmp_path)
    with pytest.raises(Refused, match="200 learners already"):
        reception.receive(json.dumps(STATUS).encode(), "10.0.0.1")
    reception.receive(json.dumps(STATUS | {"who": "learner 7", "at": "readd"}).encode(), "10.0.0.1")
    assert [it.who for it in read_shared(tmp_path)[0] if it.at == "readd"] == ["learner 7"]


def test_one_machine_leaves_names_for_the_others(tmp_path):
    reception = Reception(tmp_path)
    for n in range(OF_ONE_MACHINE):
        reception.receive(json.dumps(STATUS | {"who": f"learner {n}"}).encode(), "10.0.0.1")
    with pytest.raises(Refused, match="40 names already"):
        reception.receive(json.dumps(STATUS).encode(), "10.0.0.1")
    reception.receive(json.dumps(STATUS | {"who": "learner 7", "at": "readd"}).encode(), "10.0.0.1")
    reception.receive(json.dumps(STATUS).encode(), "10.0.0.2")
    assert [it.who for it in read_shared(tmp_path)[0] if it.at == "readd"] == ["learner 7"]


def test_a_name_belongs_to_the_first_machine_that_sends_it(tmp_path):
    reception = Reception(tmp_path)
    reception.receive(json.dumps(STATUS).encode(), "10.0.0.1")
    with pytest.raises(Refused, match="another machine has this name"):
        reception.receive(json.dumps(STATUS | {"at": "readd"}).encode(), "10.0.0.2")
    assert [it.at for it in read_shared(tmp_path)[0]] == ["fifo"]


def test_output_of_an_attempt_commands_no_terminal():
    grade = Grade("readd", unreadable="\x1b[2J", printed="one\n\x1b]0;two\x07")
    assert (grade.unreadable, grade.printed) == (r"\x1b[2J", "one\n\\x1b]0;two\\x07")
    assert msgspec.json.decode(msgspec.json.encode(grade), type=Grade) == grade


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--site", "."), "--site needs --serve"),
        (("--serve", "--host", "10.0.0.5"), "--host needs --site"),
        (("--serve", "--site", "stingy-kata"), "name the folder of the built site"),
        (("--serve", "--site", ".", "--host", "0.0.0.0"), "name the one address"),
        (("--serve", "--site", ".", "--host", ""), "name the one address"),
        (("--serve", "--site", ".", "--host", "192.0.2.1"), "another address of this machine with --host"),
    ],
)
def test_a_site_that_cannot_be_served_is_refused_in_a_sentence(kata, tmp_path, words, says):
    (tmp_path / "kata.html").touch()
    told = kata("board", "share", *words)
    assert told.exit_code == 4
    assert says in " ".join(told.output.split())


def test_the_board_needs_a_free_port(kata, tmp_path):
    with Projection(tmp_path, 0) as other:
        told = kata("board", str(tmp_path), "--serve", "--port", str(other.server_port))
    assert told.exit_code == 4
    assert "choose another port with --port" in told.output


def test_a_timetable_adds_up_the_minutes(kata):
    fifo = find_exercise("fifo").card
    told = kata("schedule", "--start", "13:00").output
    assert f"{fifo.minutes + fifo.review_minutes} min  01 fifo and its review" in told
    assert kata("schedule", "--plan", "fortnight").exit_code == 4
    for plan in plans().values():
        *slots, end = timetable(plan, clock(9))
        assert end.begins.hour * 60 + end.begins.minute == 9 * 60 + sum(slot.minutes for slot in slots)


def test_the_plan_of_ninety_minutes_takes_ninety_minutes():
    *_, end = timetable(plans()["ninety"], clock(9))
    assert end.begins == clock(10, 30)


def test_a_workshop_has_the_exercises_of_its_plan_in_their_order(kata, tmp_path):
    (tmp_path / "mine.toml").write_text(
        'title = "Mine"\nparts = [{ kind = "exercise", name = "readd" }, { kind = "exercise", name = "fifo" }]\n'
    )
    told = kata("init", "--plan", str(tmp_path / "mine.toml"), str(tmp_path / "kata")).output
    assert "2 exercises are in" in told
    workshop = find(tmp_path / "kata")
    assert workshop.current.name == "readd"
    assert workshop.following().name == "fifo"
    assert {it.name for it in workshop.root.iterdir() if it.is_dir()} == {"01_fifo", "05_readd"}
    workshop.go(find_exercise("workers"))
    assert workshop.following() is not None, "an exercise beside the plan leads back to it"
    assert find(make(workshop.root).root).state.plan == ("readd", "fifo"), "it is kept"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("title = 1", "is no plan"),
        (
            'title = "Mine"\nparts = [{ kind = "exercise", name = "lunch" }]',
            "names exercises that do not exist: lunch",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused_in_a_sentence(kata, tmp_path, text, says):
    if text is not None:
        (tmp_path / "mine.toml").write_text(text)
    done = kata("schedule", "--plan", str(tmp_path / "mine.toml"))
    assert done.exit_code == 4
    assert says in done.output


def test_the_doctor_reports_a_missing_file(kata, attempt):
    done = kata("doctor")
    assert (done.exit_code, "✗" in done.output) == (0, False)
    attempt(READD).unlink()
    done = kata("doctor")
    assert done.exit_code == 1
    assert "✗ exercises  missing readd: run stingy-kata init" in done.output


def test_a_workshop_of_another_user_is_used_only_if_it_is_named(kata, monkeypatch, tmp_path):
    monkeypatch.setattr(settings, "find_owners", lambda file: {4711})
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    for folder in (tmp_path, tmp_path / "stingy-kata" / "01_fifo"):
        monkeypatch.chdir(folder)
        done = kata("list")
        assert done.exit_code == 4
        assert f"stingy-kata -C {tmp_path / 'stingy-kata'}\n" in done.stderr
    assert kata("-C", tmp_path / "stingy-kata", "list").exit_code == 0
    monkeypatch.chdir(tmp_path / "stingy-kata")
    assert kata("list").exit_code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "read"), "there is no exercise 'read'; did you mean readd?"),
        (("check", "xyz"), "there is no exercise 'xyz'; stingy-kata list shows them"),
        (("-C", "elsewhere", "list"), "stingy-kata init elsewhere"),
        (("go",), "Missing argument"),
        (("chek",), "No such command"),
        (("init", "stingy-kata/01_fifo/fifo.py"), "no workshop can be made"),
        (("dev", "show", "readd", "wakes_nobody"), "no 'wakes_nobody'; did you mean wrong/wakes_nobody?"),
        (("watch", "--share", "stingy-kata/01_fifo/fifo.py"), "nothing can be written to"),
        (("check", "fifo"), "stingy-kata reset fifo"),
    ],
)
def test_a_usage_error_is_one_sentence_and_exit_4(kata, attempt, words, says):
    if words == ("check", "fifo"):
        attempt(find_exercise("fifo")).unlink()
    done = kata(*words)
    assert done.exit_code == 4
    assert says in done.output
    assert "Traceback" not in done.output


def test_a_workshop_is_found_from_a_folder_in_it_whatever_its_number(kata, tmp_path, monkeypatch):
    (tmp_path / "stingy-kata" / READD.label).rename(tmp_path / "stingy-kata/42_readd")
    monkeypatch.chdir(tmp_path / "stingy-kata/42_readd")
    assert "step 4: done(), readd.py:" in kata("check", "readd").output


def test_a_new_exercise_is_a_folder_with_all_its_parts(tmp_path):
    folder = write_template("lease", tmp_path)
    for file in ("exercise.toml", "README.md", "trainer.md", *(f"hints/{n}.md" for n in range(1, 5))):
        assert (folder / file).read_text()
    lease = load_exercise("lease", tmp_path).scripts
    assert list(lease) == ["start", "solution", "wrong/a_mistake"]
    assert ("TODO" in lease["start"].text, "TODO" in lease["solution"].text) == (True, False)
    for taken in ("lease", "no-name"):
        with pytest.raises(Taken):
            write_template(taken, tmp_path)


# Verdicts while a grading goes on.


def test_every_verdict_of_a_grade_is_told_as_it_is_judged(by_the_card):
    for exercise in (READD, find_exercise("workers")):
        told = []
        grade_ = grade(exercise, exercise.solution, told.append)
        assert tuple(filter(None, told)) == grade_.verdicts


def test_the_rule_that_failed_last_is_told_first_and_the_grade_is_the_same(by_the_card):
    workers = find_exercise("workers")
    late, told = workers.card.rules[-1], []
    wrong = workers.scripts["wrong/if_for_while"]
    found = grade(workers, wrong, told.append, late)
    assert next(it.rule for it in told if it.rule in all_rules()) == late
    assert found == grade(workers, wrong)
    assert {(it.rule, it.verdict) for it in told} == {(it.rule, it.verdict) for it in found.verdicts}


def test_the_rule_that_failed_last_is_judged_once_if_it_passes(by_the_card, monkeypatch):
    judged, last, judge = [], READD.card.rules[-1], Trial.judge
    monkeypatch.setattr(
        Trial, "judge", lambda self, rule, *given: judged.append(rule.id) or judge(self, rule, *given)
    )
    assert grade(READD, READD.solution, failed=last).kept
    assert judged.count(last) == len(all_rules()[last].cases)


def test_a_screen_shows_verdicts_before_the_grading_is_over():
    rules = READD.card.rules
    verdicts = grade(READD, READD.start).verdicts
    some = plain(progress(Grade("readd", verdicts[:1], whole=False)))
    assert (rules[0] in some, rules[-1] in some) == (True, False)
    kept = [msgspec.structs.replace(it, verdict=Finding.PASS, story=()) for it in verdicts]
    assert "Now come the others" not in plain(progress(Grade("readd", tuple(kept[:1]), whole=False)))
    assert "Now come the others" in plain(progress(Grade("readd", tuple(kept), whole=False)))


# The state.


def test_the_state_is_saved_as_a_text_of_names(tmp_path):
    state = State("readd", ("fifo", "readd"), {"fifo": "3f"}, {"dedupe"}, {"readd": 2}, {"stingy"})
    save(state, tmp_path / FILE)
    lines = (tmp_path / FILE).read_text().splitlines()[1:]
    assert lines == [
        "at readd",
        "plan fifo readd",
        "done fifo 3f",
        "skipped dedupe",
        "hints readd 2",
        "gave-up stingy",
    ]
    assert load(tmp_path / FILE) == state


def test_a_damaged_state_is_read_as_far_as_it_goes(tmp_path):
    make(tmp_path)
    (tmp_path / FILE).write_bytes(b"at fifo\nhints fifo " + 5000 * b"9" + b"\nskipped \xff\n")
    assert load(tmp_path / FILE).rungs == {}
    (tmp_path / FILE).write_text("at nowhere\ndone fifo\nhints fifo many\nwhat is this\n\n")
    state = load(tmp_path / FILE)
    assert (state.done, state.rungs) == ({"fifo": ""}, {})
    assert make(tmp_path).current.name == NAMES[0]


# Watching.


class Typed:
    """A fake source of keys: returns given keys one by one, and calls those that are functions."""

    def __init__(self, *typed):
        self._typed = list(typed)

    def read_key(self, within):
        now = self._typed.pop(0)
        return now() or "" if callable(now) else now


@pytest.fixture
def watched(tmp_path, by_the_card):
    """Return a function that types keys in watch mode and returns the output, and the workshop."""
    workshop = make(tmp_path)

    def watched(*typed, **more):
        out = io.StringIO()
        Watch(workshop, Screen(out), Here(), Typed(*typed, "q"), **more).run()
        return out.getvalue()

    return watched, workshop


def test_a_save_is_graded_and_only_n_goes_to_the_next_exercise(watched):
    watch, workshop = watched
    fifo = find_exercise("fifo")
    told = watch("n", lambda: workshop.attempt(fifo).write_bytes(fifo.solution.data) and "", "")
    first, _, then = told.partition("This exercise is not done yet")
    assert "✗ 01 fifo" in first
    assert "✓ 01 fifo" in then
    assert "n next" in then
    assert workshop.current.name == "fifo"
    assert "✗ 02 dedupe" in watch("n")
    assert workshop.current.name == "dedupe"


def test_keys_show_hints_and_the_list_and_reset_the_file(watched):
    watch, workshop = watched
    fifo = find_exercise("fifo")
    workshop.attempt(fifo).write_text("# gone wrong\n")
    told = watch("h", "l", "x", "n", "x", "y", "?", "r")
    assert [it for it in ("hint 1 of 4", "▸  01  fifo", "Not reset.") if it not in told] == []
    assert workshop.attempt(fifo).read_bytes() == fifo.start.data


def test_a_watch_goes_on_without_its_file(watched):
    watch, workshop = watched
    told = watch(lambda: workshop.attempt(find_exercise("fifo")).unlink(), "")
    assert "is gone" in " ".join(told.split())


def test_without_a_terminal_keys_are_lines(kata):
    assert "hint 1 of 4" in kata(input="h\nq\n").output
    assert kata(input="").exit_code == 0


def test_the_end_of_the_input_is_the_key_q(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n\n"))
    with keys.keys() as typed:
        assert [typed.read_key(5) for _ in range(4)] == ["h", "\n", "q", "q"]
