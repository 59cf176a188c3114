"""The workshop: each exercise does what it says, the command leads through them, and the screens say how."""

import ast
import builtins
import io
import json
import linecache
import os
import re
import shutil
import sys
from collections import Counter
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.language.account import Line
from stingy.language.rule import Level
from stingy.verdict import Exit, Finding, Verdict
from stingy_kata import EXERCISES, apart, aside, catching, keys, yardstick
from stingy_kata.board import Sharer, Status, read_shared
from stingy_kata.building import RECIPES, Malformed
from stingy_kata.catching import grade_rules, graders
from stingy_kata.cli import main
from stingy_kata.exercise import RUNGS, Exercise, exercises, find_exercise, load_exercise
from stingy_kata.feedback import feedback
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
from stingy_kata.watching import Watch
from stingy_kata.whereabouts import places
from stingy_kata.workshop import Workshop, make

READD = find_exercise("readd")


class Here:
    """A grader in this process, for attempts that are no danger to it."""

    def __init__(self, *, again=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    grade = staticmethod(grade)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Learners' rules are judged in this process: lab/tests/test_kata.py has them judged apart."""
    monkeypatch.setattr(aside, "CAN_FORK", False)


@pytest.fixture
def by_the_card(monkeypatch):
    """Who passes is not asked besides what ours keeps, which takes longest: that is asked of each solution in test_exercises."""
    monkeypatch.setattr("stingy_kata.grading.find_broken", lambda *_: [])


@pytest.fixture
def kata(monkeypatch, tmp_path, by_the_card):
    """The command, where there is a workshop."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(apart, "Grader", Here)
    make(tmp_path / "stingy-kata")
    return lambda *words, **more: CliRunner().invoke(main, words, **more)


@pytest.fixture
def attempt(tmp_path):
    """The learner's file of an exercise."""
    return lambda exercise: tmp_path / "stingy-kata" / exercise.label / f"{exercise.name}.py"


@pytest.fixture
def copied(tmp_path):
    """An exercise in a folder of its own, to be spoilt."""
    shutil.copytree(
        find_exercise("stingy").folder, tmp_path / "stingy", ignore=shutil.ignore_patterns("__pycache__")
    )
    return load_exercise("stingy", tmp_path)


def replaced(source, old, new):
    assert old in source
    return source.replace(old, new)


# The exercises.


TOO_MUCH = "X = 1\n"


def test_one_that_does_not_is_found_out(copied, by_the_card):
    """Spoilt in every way at once: each is told by itself."""
    start, solution, recipes = (
        find_exercise("stingy").start.text,
        find_exercise("stingy").solution.text,
        copied.folder / RECIPES,
    )
    given = "".join(f"# | {line}\n" for line in solution.splitlines())
    (copied.folder / "solution.py").write_text(
        f"# hole\n{given}{start}# sleep\n{16 * TOO_MUCH}# end of hole\n"
    )
    unchanged = re.sub(r"\n\[\[mistakes\.changes\]\]\nfind = (.|\n)*?(?=\n\[\[|\Z)", "", recipes.read_text())
    recipes.write_text(re.sub(r"(?m)^name = .*", '\\g<0>\nof = "start"\nchanges = []', unchanged))
    (copied.folder / "hints/4.md").write_text("```python\nif\n```")
    (copied.folder / "hints/2.md").write_text("")
    (copied.folder / "notes.txt").touch()
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
        "notes.txt belongs to no exercise",
    ):
        assert says in told


# What they are built of.


@pytest.mark.parametrize("exercise", exercises(), ids=EXERCISES)
def test_all_that_is_built_compiles_and_says_no_word_of_holes(exercise):
    for name, script in exercise.scripts.items():
        compile(script.data, name, "exec", dont_inherit=True)
        assert not re.search(r"# hole|# \||# end of hole", script.text)


def test_of_a_hole_the_start_has_what_is_given_and_the_solution_what_belongs_there():
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
    ids=["no end", "no begin", "twice", "late", "nowhere"],
)
def test_a_mark_that_belongs_to_no_hole_is_told_by_its_line(marked, line, mark):
    with pytest.raises(
        Astray, match=rf"^line {line}: this {re.escape(repr(mark))} belongs to no hole: write"
    ):
        split(marked)


MISTAKE = '[[mistakes]]\nname = "it"\nsays = ""\nbreaks = []\n'
RETURNS = '[[mistakes.changes]]\nfind = "return"\nreplace = "pass"\n'
DONE = '[[mistakes.changes]]\nfind = "def done(self"\nreplace = ""\n'


@pytest.mark.parametrize(
    ("recipes", "says"),
    [
        (
            MISTAKE + RETURNS,
            "mistakes.toml: it is made of solution, where it finds 'return' 4 times, not once",
        ),
        (
            MISTAKE + DONE.replace("done", "over"),
            "where it finds 'def over(self' 0 times, not once: shorten it",
        ),
        (
            MISTAKE + DONE + DONE.replace("def done", "done"),
            "'done(self' overlaps the text that the change before it",
        ),
        (
            f"{MISTAKE}of = 'starr'\nchanges = []",
            "it is made of starr, which is not one of the scripts before it: start,",
        ),
        (2 * (MISTAKE + DONE), "two scripts have the name wrong/it"),
        (MISTAKE, "mistakes.toml cannot be read: Object missing required field `changes`"),
    ],
    ids=["often", "never", "overlap", "of nothing", "two", "no changes"],
)
def test_a_mistake_that_cannot_be_built_is_told_by_its_name(copied, recipes, says):
    (copied.folder / RECIPES).write_text(recipes)
    with pytest.raises(Malformed, match=re.escape(says)):
        _ = copied.scripts
    (fault,) = faults(copied)
    assert says in fault


def test_changes_are_made_where_they_belong_in_whatever_order_they_stand(copied):
    """What one puts in is not found by another."""
    (copied.folder / RECIPES).write_text(
        MISTAKE
        + DONE.replace('""', '"def get(self"')
        + DONE.replace("done", "get").replace('""', '"def done(self"')
    )
    built = copied.scripts["wrong/it"].text
    assert built.index("def done(self") < built.index("def get(self")


def test_the_lines_of_what_lies_nowhere_are_told_while_it_is_imported(tmp_path):
    script = build(tmp_path / "nowhere.py", "X = 1\n")
    with module(script) as found:
        assert found.X == 1
        assert linecache.getline(script.path, 1) == "X = 1\n"
    assert linecache.getline(script.path, 1) == ""


def block_of_the_page(language, has):
    """Return the only block in this language, on the page about extending, that has this word."""
    page = (Path(__file__).parents[1] / "docs/extending.md").read_text(encoding="utf-8")
    (block,) = (it for it in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL) if has in it)
    return block


def test_what_the_page_says_of_holes_and_mistakes_is_so():
    marked = block_of_the_page("python", "# hole")
    recipes = block_of_the_page("toml", "[[mistakes]]")
    (mistake,) = msgspec.toml.decode(recipes, type=Mistakes).mistakes
    both = split(marked)
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


def test_dev_show_prints_what_is_built(kata):
    assert kata("dev", "show", "readd", "start").output == READD.start.text
    assert kata("dev", "show", "hunt", "mistakes/nobody_waits").output.startswith('"""Rules that find')
    assert kata("dev", "show", "readd").output.splitlines()[:3] == [
        "start",
        "solution",
        "wrong/always_comes_back",
    ]
    done = kata("dev", "show", "readd", "wakes_nobody")
    assert done.exit_code == 4
    assert "readd has no 'wakes_nobody'; did you mean wrong/wakes_nobody?" in done.output


def test_an_exercise_that_cannot_be_built_is_a_sentence_and_no_fault_of_the_suite(kata, monkeypatch):
    def broken(*_):
        raise Malformed("mistakes.toml: it is of nothing")

    monkeypatch.setattr(Exercise, "scripts", property(broken))
    done = kata("dev", "show", "readd")
    assert done.exit_code == 4
    assert done.output == "Error: mistakes.toml: it is of nothing\n"


def test_a_rule_that_nothing_breaks_is_found_out(copied, by_the_card):
    rules = (*copied.card.rules, "handing_out/an-empty-item-is-an-item")
    idle = Exercise("stingy", msgspec.structs.replace(copied.card, rules=rules), copied.folder)
    assert any(
        "an-empty-item-is-an-item is kept by the start and by every mistake" in it for it in faults(idle)
    )


# Grading.


def test_what_nobody_has_declared_looks_like_nothing(tmp_path):
    odd = tmp_path / "odd.py"
    odd.write_text(replaced(READD.solution.text, "return item, False", "return item"))
    found = grade(READD, read(odd))
    assert found.broken == ("handing_out/an-added-item-is-handed-out",)
    assert likeness(found) is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def done", "def finish", "WorkQueue has no done"),
        ("Condition()", "Conditio()", "NameError: name 'Conditio' is not defined"),
    ],
)
def test_what_cannot_be_judged_is_not_solved(tmp_path, old, new, says):
    odd = tmp_path / "odd.py"
    odd.write_text(replaced(READD.solution.text, old, new))
    found = grade(READD, read(odd))
    assert not found.kept
    assert says in found.first_broken.because


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("readd", "class WorkQueue", "class Mine", "Mine has all its methods: rename it to WorkQueue"),
        ("metric", "class Proxy", "class Mine", "Mine has all its methods: rename it to Proxy"),
        ("readd", "class WorkQueue", "class Mine: pass\n\nclass _Hidden", "_Hidden has all its methods"),
    ],
)
def test_a_class_that_goes_by_another_name_is_asked_for(tmp_path, name, old, new, says):
    exercise = find_exercise(name)
    found = grade(exercise, build(tmp_path / "renamed.py", replaced(exercise.solution.text, old, new)))
    assert says in found.unreadable


def test_a_class_that_is_gone_is_asked_for_and_one_that_is_only_bound_is_not(tmp_path, by_the_card):
    assert "there is no class WorkQueue in it" in grade(READD, build(tmp_path / "x.py", "")).unreadable
    bound = replaced(READD.solution.text, "class WorkQueue", "class Mine") + "\nWorkQueue = Mine\n"
    assert grade(READD, build(tmp_path / "x.py", bound)).kept


def test_what_ours_keeps_besides_is_asked_of_who_passes(tmp_path, monkeypatch):
    """The rules of the exercise say nothing of items that are added twice: an earlier one did."""
    stingy = find_exercise("stingy")
    besides = [all_rules()["stingy/added-many-times-is-handed-out-once"]]
    monkeypatch.setattr(yardstick, "all_rules", lambda: with_what_they_build_on(besides))
    forgetful = replaced(
        stingy.solution.text, "            if item in self._dirty:\n                return\n", ""
    )
    attempt = build(tmp_path / "stingy.py", forgetful)
    found = grade(stingy, attempt)
    assert not found.kept
    assert {it.rule for it in found.verdicts if it.verdict.value == "PASS"} == set(stingy.card.rules)
    assert "stingy/added-many-times-is-handed-out-once" in found.broken
    told = plain(feedback(found, attempt, "stingy.py"))
    assert re.search("added-many-times-is-handed-out-once +ours keeps it, too", told)


def test_a_get_that_returns_no_pair_is_told_so_in_the_names_of_its_story(tmp_path):
    alone = replaced(READD.solution.text, "return item, False", "return item")
    broken = grade(READD, build(tmp_path / "readd.py", alone)).first_broken
    assert broken.because.endswith("Get returned 'a', not a pair of an item and a flag")
    assert broken.story[-1].outcome == "'a', no item and a flag"


def test_none_is_not_the_name_of_an_item():
    fifo = find_exercise("fifo")
    told = plain(feedback(grade(fifo, fifo.start), fifo.start, "fifo.py"))
    assert "Get() → None" in told
    assert "None == 'a'" in told


def test_a_change_within_the_same_second_is_seen(tmp_path, by_the_card):
    """Nothing is cached: no bytecode beside the file, no module, no finder, and no scheduling points of old code."""
    finders, file, dedupe = list(sys.meta_path), tmp_path / "dedupe.py", find_exercise("dedupe")
    for _ in range(2):
        for source in (dedupe.scripts["wrong/looks_before_it_locks"], dedupe.solution):
            file.write_bytes(source.data)
            assert grade(dedupe, read(file)).kept == (source == dedupe.solution)
    assert [it.name for it in tmp_path.iterdir()] == ["dedupe.py"]
    assert MODULE not in sys.modules
    assert sys.meta_path == finders


def test_a_race_is_found_whatever_the_path_of_the_file(tmp_path, monkeypatch):
    """The engine looks for code by whole paths."""
    dedupe = find_exercise("dedupe")
    (tmp_path / "dedupe.py").write_bytes(dedupe.scripts["wrong/looks_before_it_locks"].data)
    monkeypatch.chdir(tmp_path)
    assert grade(dedupe, read(Path("dedupe.py"))).broken == ("workers/two-producers-at-once-add-it-once",)


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
def test_a_rule_that_counts_the_candidates_catches_nobody(tmp_path, monkeypatch, condition):
    """In one process they are judged in no order that could be known."""
    monkeypatch.setattr(builtins, "seen_by_a_cheat", [], raising=False)
    attempt = build(tmp_path / "counts.py", COUNTS.format(condition=condition))
    assert (
        "two different verdicts on the same candidate"
        in grade(find_exercise("catch_lost"), attempt).unreadable
    )


def diagnosed(exercise, broken, declared):
    """Which of these mistakes an attempt that breaks these rules looks like."""
    verdicts = tuple(
        Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, because="so it is") for rule in broken
    )
    return likeness(Grade(exercise.name, verdicts), declared)


def test_a_diagnosis_is_hardly_ever_wrong():
    """Of mistakes that nobody has declared, and of two at once; that each declared one is told is proven with its exercise."""
    scores = {"undeclared": Counter(), "two at once": Counter()}
    for exercise in exercises():
        for one in exercise.mistakes:
            others = [it for it in exercise.mistakes if it is not one]
            said = diagnosed(exercise, one.breaks, others)
            scores["undeclared"]["wrong" if said else "silent"] += 1
        for one, other in combinations(exercise.mistakes, 2):
            said = diagnosed(exercise, {*one.breaks, *other.breaks}, exercise.mistakes)
            scores["two at once"]["right" if said in (one, other) else "wrong" if said else "silent"] += 1
    print(scores)
    for score in scores.values():
        assert score["wrong"] <= score.total() * 0.02, scores


@pytest.mark.parametrize(
    ("name", "word"),
    [("catch_lost", "queue"), ("skew", "cluster"), ("catch_event", "controllers"), ("removal", "tracker")],
)
def test_a_rule_that_never_holds_is_no_misconception_but_one_that_accuses_everybody(tmp_path, name, word):
    exercise = find_exercise(name)
    attempt = build(tmp_path / "never.py", f"def holds({word}):\n    assert False\n")
    found = grade(exercise, attempt)
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
def test_a_rule_of_ones_own_that_will_not_do_is_told_by_its_line(tmp_path, source, says):
    file = tmp_path / "mine.py"
    file.write_text(source)
    found = grade(find_exercise("catch_lost"), read(file))
    assert not found.kept
    assert says in (found.unreadable or found.first_broken.because)


def test_no_more_rules_are_tried_than_there_may_be(tmp_path):
    """What they say of each candidate is said by any of them."""
    hunt, file = find_exercise("hunt"), tmp_path / "hunt.py"
    solved = hunt.solution.text
    more = "".join(f"\n\ndef idle_{n}(queue):\n    queue.add('a')\n" for n in range(3))
    file.write_text(solved + more)
    assert grade(hunt, read(file)).kept
    file.write_text(solved + more + more.replace("idle", "_idle"))
    assert grade(hunt, read(file)).kept
    file.write_text(solved + more + more.replace("idle", "lazy"))
    assert "there are 9 rules in it, but at most 6 are allowed" in grade(hunt, read(file)).unreadable


def test_what_runs_every_line_may_see_nothing(tmp_path, monkeypatch):
    """The hunt's rules as given reach each statement of the four wrong queues, and accuse none of them."""
    hunt = find_exercise("hunt")
    wrong = {id_: script for id_, script in graders(hunt) if id_.startswith("catches/")}
    assert len(wrong) == 4
    for id_, script in wrong.items():
        statements = Statements()
        spied = ast.unparse(ast.fix_missing_locations(statements.visit(ast.parse(script.data))))
        monkeypatch.setattr(catching, "graders", lambda _: [(id_, build(tmp_path / "spied.py", spied))])  # noqa: B023
        monkeypatch.setattr(catching, "judge_aside", lambda job: job())  # to hear of it here
        (verdict,) = grade_rules(hunt, hunt.start, lambda: None)
        assert verdict.because == "all that you assert holds of it"
        assert sorted(statements.all - RAN) == []
        RAN.clear()


RAN: set[int] = set()
"""The lines of the statements that were run."""


class Statements(ast.NodeTransformer):
    """Has each statement of a function note its line when it is run."""

    def __init__(self):
        self.all = set()

    def visit_FunctionDef(self, function):
        self._spy(function)
        return function

    def _spy(self, block):
        for name in ("body", "orelse"):
            statements = getattr(block, name, [])
            for statement in statements:
                self.all.add(statement.lineno)
                self._spy(statement)
            spies = [
                ast.parse(f"__import__('sys').modules['{__name__}'].RAN.add({it.lineno})").body[0]
                for it in statements
            ]
            if statements:
                setattr(block, name, [it for pair in zip(spies, statements, strict=True) for it in pair])


@pytest.mark.parametrize(
    ("order", "says"),
    [("['somebody']", "ORDER is ['somebody']"), ("7", "ORDER is 7"), ("None", "ORDER is None")],
)
def test_an_order_that_is_none_is_told(tmp_path, order, says):
    workers = find_exercise("workers")
    file = tmp_path / "workers.py"
    file.write_text(re.sub(r"ORDER = .*", f"ORDER = {order}", workers.solution.text))
    assert says in grade(workers, read(file)).unreadable


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\nclass WorkQueue\n    pass\n", "line 2: Python cannot read this: expected ':'"),
        ("import no_such_module\n", "line 1: importing it raises ModuleNotFoundError"),
        ("x = 0\ny = 1 / x\n", "line 2: importing it raises ZeroDivisionError"),
    ],
    ids=["syntax", "import", "raises"],
)
def test_a_file_that_cannot_be_imported_gets_its_line_and_a_sentence(tmp_path, source, says):
    file = tmp_path / "readd.py"
    file.write_text(source)
    found = grade(READD, read(file))
    assert says in found.unreadable
    assert f"readd.py, {says}" in plain(feedback(found, read(file), "readd.py"))


def test_where_no_model_says_which_step_is_wrong_the_last_call_is_shown(tmp_path):
    file = tmp_path / "queue.py"
    file.write_text("class Q:\n    def get(self): ...\n\n    def add_after(self): ...\n")
    told = [
        Line("producer", "AddAfter('a', 1 s)", op="add_after", item="a"),
        Line("worker 1", "Get()", "'a'", op="get"),
        Line("time", "1 s pass"),
    ]
    assert [(it.step, it.method, it.line) for it in places(told, read(file))] == [
        (1, "add_after", 4),
        (2, "get", 2),
    ]


def test_a_replay_has_a_screen_for_each_step():
    broken = grade(READD, READD.start).first_broken
    shown = [plain(parts) for parts in steps(broken)]
    assert len(shown) == len(broken.story)
    assert "Get() → waits" not in shown[3]
    assert "Now in queue a; dirty a. Wrong: expected" in shown[4]


@pytest.mark.parametrize(
    ("name", "changes", "exit_"),
    [
        ("readd", (), Exit.CONFORMS),
        ("readd", (("self._enqueue(item)\n\n    def __len__", "pass\n\n    def __len__"),), Exit.DOES_NOT),
        ("readd", (("def add(", "def add"),), Exit.DOES_NOT),
    ],
    ids=["right", "wrong", "unreadable"],
)
def test_the_exit_says_what_was_found(kata, attempt, name, changes, exit_):
    exercise = find_exercise(name)
    text = exercise.solution.text
    for old, new in changes:
        text = replaced(text, old, new)
    attempt(exercise).write_text(text)
    done = kata("check", name)
    assert done.exit_code == exit_
    assert done.output[0] == {Exit.CONFORMS: "✓", Exit.DOES_NOT: "✗"}[exit_]


def test_undecided_is_not_wrong(kata, monkeypatch):
    given_up = Grade("readd", unreadable="it does not come to an end", decided=False)
    monkeypatch.setattr(Here, "grade", staticmethod(lambda *_: given_up))
    done = kata("check", "readd")
    assert done.exit_code == Exit.INCONCLUSIVE
    assert done.output[0] == "?"


# The command.


def passes(exercise, attempt):
    """A grade of the solution, without judging it."""
    assert attempt.data == exercise.solution.data
    rules = exercise.card.rules
    return Grade(exercise.name, tuple(Verdict(rule, "", "queue", Level.MUST, Finding.PASS) for rule in rules))


def test_a_learner_gets_through_it_all(kata, attempt, monkeypatch):
    """A fresh folder, and for each exercise: it is solved, and passes; of the first ones, it fails before, and a mistake is named."""
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
        assert ("all are done" in gone.output) == (n == len(EXERCISES) - 1)
    lines = kata("list").output.splitlines()
    assert len(lines) == len(EXERCISES)
    assert all(line.endswith("  done") for line in lines)


def test_what_check_prints_of_the_start_is_the_golden_text(kata):
    printed = kata("check", "readd").output
    assert printed.replace("stingy-kata/", "").splitlines()[:20] == on_start(READD).splitlines()[:20]
    assert max(map(len, printed.splitlines())) <= 100
    assert [line for line in printed.splitlines() if line != line.rstrip()] == []


def test_init_writes_the_starts_and_the_tasks_and_no_solution(kata, tmp_path, attempt):
    there = sorted(it.name for it in (tmp_path / "stingy-kata").rglob("*") if it.is_file())
    assert there == sorted([FILE, *(["README.md"] * len(EXERCISES)), *(f"{name}.py" for name in EXERCISES)])
    attempt(READD).write_text("# an hour's work\n")
    done = kata("init")
    assert done.exit_code == 0
    assert done.output.endswith("  stingy-kata\n")
    assert attempt(READD).read_text() == "# an hour's work\n"


def test_a_hint_opens_the_next_rung_and_is_remembered(kata, tmp_path):
    for rung, word in enumerate(RUNGS, 1):
        assert f"hint {rung} of 4 · {word}" in kata("hint", "readd").output
    assert "hint 4 of 4" in kata("hint", "readd").output
    assert "hint 1 of 4" in kata("hint", "readd", "--rung", "1").output
    assert load(tmp_path / "stingy-kata" / FILE).rungs == {"readd": 4}
    assert "4 hints" in kata("list").output


def test_what_is_changed_after_it_was_done_is_said(kata, attempt):
    attempt(READD).write_bytes(READD.solution.data)
    kata("check", "readd")
    attempt(READD).write_text("# oh\n")
    assert "changed since done" in kata("list").output


def test_reset_keeps_what_was_there(kata, attempt):
    attempt(READD).write_text("# mine\n")
    assert "readd.py.bak" in kata("reset", "readd").output
    assert attempt(READD).read_bytes() == READD.start.data
    assert attempt(READD).with_name("readd.py.bak").read_text() == "# mine\n"
    attempt(READD).write_text("# mine again\n")
    assert kata("reset", "--all").exit_code == 0
    assert attempt(READD).read_bytes() == READD.start.data
    assert kata("reset").exit_code == 4


def test_a_solution_can_be_had_by_giving_up_which_is_noted(kata, attempt):
    assert kata("solution", "readd").exit_code == 4
    assert kata("solution", "readd", "--give-up").exit_code == 0
    assert attempt(READD).with_name("solution.py").read_bytes() == READD.solution.data
    assert attempt(READD).read_bytes() == READD.start.data
    assert "solution read first" in kata("list").output


def test_catch_up_skips_what_is_open_and_leaves_it_as_it_is(kata, attempt):
    attempt(find_exercise("fifo")).write_text("# half done\n")
    done = kata("catch-up", "readd")
    assert "Skipped: fifo, dedupe, after_get, stingy" in done.output
    assert "at readd" in kata("status").output
    assert attempt(find_exercise("fifo")).read_text() == "# half done\n"
    assert "skipped" in kata("list").output


def test_replay_tells_each_step_with_what_the_sets_hold(kata):
    told = kata("replay", "readd")
    assert told.exit_code == 1
    assert "3  producer: Add('a'). Now in dirty a; processing a" in told.output
    assert "Wrong: expected Get() of worker 1 to return 'a'" in " ".join(told.output.split())


def test_explain_is_about_the_first_rule_that_is_broken(kata):
    kata("go", "readd")
    assert kata("explain").output.startswith("once_more/added-while-processed-comes-back-after-done\nMUST")
    assert kata("explain", "fair/a-duplicate-keeps-its-place").output.startswith("fair/a-duplicate")


def test_a_report_is_one_page(kata, tmp_path):
    assert kata("report", "readd").exit_code == 0
    page = (tmp_path / "stingy-kata.html").read_text()
    assert "added-while-processed-comes-back-after-done" in page
    assert page.startswith("<!doctype html>")


def test_status_is_names_and_the_board_puts_them_together(kata, tmp_path):
    kata("hint")
    assert json.loads(kata("status", "--json", "--as", "Ada").output) == {
        "who": "Ada",
        "at": "fifo",
        "done": [],
        "skipped": [],
        "hints": {"fifo": 1},
        "gave_up": [],
    }
    share = tmp_path / "share"
    share.mkdir()
    assert kata("board", str(share)).exit_code == 4
    share.rmdir()
    for who in ("Ada", "../Bob"):
        kata("status", "--share", str(share), "--as", who)
    (share / "torn.stingy-kata.json").write_text("{")
    told = kata("board", str(share)).output
    assert "Ada (1), ../Bob (1)" in told or "../Bob (1), Ada (1)" in told
    assert "0 of 2" in told
    assert "torn.stingy-kata.json cannot be read" in told
    assert len(list(share.iterdir())) == 3


def test_a_learner_writes_through_no_link_that_a_classmate_has_put_there(kata, tmp_path):
    share, precious = tmp_path / "share", tmp_path / "precious.txt"
    share.mkdir()
    precious.write_text("mine")
    for name in ("Ada.stingy-kata.json", "Ada.stingy-kata.json.new"):
        (share / name).symlink_to(precious)
    assert kata("status", "--share", str(share), "--as", "Ada").exit_code == 0
    assert precious.read_text() == "mine"
    assert json.loads((share / "Ada.stingy-kata.json").read_text())["who"] == "Ada"


def test_no_file_of_one_breaks_the_board_of_all(kata, tmp_path):
    """Whatever it is, and whatever somebody calls themselves."""
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


OWNED = "\x1b]0;owned\x07\u202e\n::error::x"


def test_the_board_follows_who_is_watched(watched, tmp_path):
    watch, workshop = watched
    share = tmp_path / "share"
    share.write_text("it is away for a while")
    watch("h", lambda: share.unlink() or "h", share=Sharer(workshop, "Ada", share).share)
    ((ada,), _) = read_shared(share)
    assert ada.hints == {"fifo": 2}


def test_what_another_command_changes_is_shared_too(kata, tmp_path):
    sharer = Sharer(Workshop(tmp_path / "stingy-kata"), "Ada", tmp_path / "share")
    sharer.share()
    kata("go", "readd")
    sharer.share()
    ((ada,), _) = read_shared(tmp_path / "share")
    assert ada.at == "readd"


def test_who_has_it_shared_is_there_as_long_as_it_is_watched(kata, tmp_path):
    kata("watch", "--share", str(tmp_path / "share"), "--as", "Ada", input="h\nq\n")
    ((ada,), _) = read_shared(tmp_path / "share")
    assert (ada.who, ada.hints) == ("Ada", {"fifo": 1})


def test_who_cannot_share_is_told_before_the_watch_begins(kata, tmp_path):
    (tmp_path / "share").write_text("no folder")
    told = kata("watch", "--share", str(tmp_path / "share"))
    assert told.exit_code == 4
    assert "nothing can be written to" in told.output


def test_the_board_cannot_be_served_where_something_else_is(kata, tmp_path):
    with Projection(tmp_path, 0) as other:
        told = kata("board", str(tmp_path), "--serve", "--port", str(other.server_port))
    assert told.exit_code == 4
    assert "choose another port with --port" in told.output


def test_a_timetable_is_computed_from_the_minutes(kata):
    fifo = find_exercise("fifo").card
    told = kata("schedule", "--start", "13:00").output
    assert f"{fifo.minutes + fifo.review_minutes} min  01 fifo and its review" in told
    assert kata("schedule", "--plan", "fortnight").exit_code == 4
    for plan in plans().values():
        *slots, end = timetable(plan, next(timetable(plan, slots_begin())).begins)
        minutes = sum(slot.minutes for slot in slots)
        assert (end.begins.hour * 60 + end.begins.minute) - 9 * 60 == minutes


def slots_begin():
    from datetime import time as clock

    return clock(9, 0)


def test_the_doctor_finds_a_healthy_machine_healthy(kata):
    done = kata("doctor")
    assert done.exit_code == 0
    assert "✗" not in done.output


def test_the_doctor_says_what_is_missing(kata, attempt):
    attempt(READD).unlink()
    done = kata("doctor")
    assert done.exit_code == 1
    assert "✗ exercises  missing readd: run stingy-kata init" in done.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "read"), "there is no exercise 'read'; did you mean readd?"),
        (("check", "xyz"), "there is no exercise 'xyz'; stingy-kata list shows them"),
        (("-C", "elsewhere", "list"), "stingy-kata init elsewhere"),
        (("go",), "Missing argument"),
        (("chek",), "No such command"),
        (("init", "stingy-kata/01_fifo/fifo.py"), "no workshop can be made"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_with_4(kata, words, says):
    done = kata(*words)
    assert done.exit_code == 4
    assert says in done.output
    assert "Traceback" not in done.output


def test_a_file_that_is_gone_can_be_brought_back(kata, attempt):
    attempt(READD).unlink()
    done = kata("check", "readd")
    assert done.exit_code == 4
    assert "stingy-kata reset readd" in done.output
    assert kata("reset", "readd").exit_code == 0
    assert attempt(READD).is_file()


def test_a_workshop_is_found_from_within_and_by_name_whatever_the_number(kata, tmp_path, monkeypatch):
    (tmp_path / "stingy-kata" / READD.label).rename(tmp_path / "stingy-kata/42_readd")
    monkeypatch.chdir(tmp_path / "stingy-kata/42_readd")
    assert "step 4: done(), readd.py:" in kata("check", "readd").output


def test_dev_check_looks_at_one_and_finds_nothing(kata):
    done = kata("dev", "check", "after_get")
    assert done.exit_code == 0
    assert done.output == "1 checked, 0 faults\n"


def test_a_new_exercise_begins_as_a_folder_with_all_its_parts(tmp_path):
    from stingy_kata.template import Taken, write

    folder = write("lease", tmp_path)
    for file in (
        *("exercise.toml", "README.md", "solution.py", "mistakes.toml"),
        *(f"hints/{n}.md" for n in range(1, 5)),
    ):
        assert (folder / file).read_text()
    lease = load_exercise("lease", tmp_path).scripts
    assert list(lease) == ["start", "solution", "wrong/a_mistake"]
    assert "TODO" in lease["start"].text
    assert "TODO" not in lease["solution"].text
    for taken in ("lease", "no-name"):
        with pytest.raises(Taken):
            write(taken, tmp_path)


def test_colour_is_for_terminals(kata, monkeypatch):
    """What a pipeline says of colours makes it no terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in kata("check", "readd").output


# The state.


def test_the_state_is_a_text_of_names(tmp_path):
    state = State("readd", {"fifo": "3f"}, {"dedupe"}, {"readd": 2}, {"stingy"})
    save(state, tmp_path / FILE)
    text = (tmp_path / FILE).read_text()
    assert text.splitlines()[1:] == [
        "at readd",
        "done fifo 3f",
        "skipped dedupe",
        "hints readd 2",
        "gave-up stingy",
    ]
    assert load(tmp_path / FILE) == state


def test_a_state_of_another_version_or_by_hand_does_no_harm(tmp_path):
    make(tmp_path)
    (tmp_path / FILE).write_bytes(b"at fifo\nhints fifo " + 5000 * b"9" + b"\nskipped \xff\n")
    assert load(tmp_path / FILE).rungs == {}
    (tmp_path / FILE).write_text("at nowhere\ndone fifo\nhints fifo many\nwhat is this\n\n")
    state = load(tmp_path / FILE)
    assert (state.done, state.rungs) == ({"fifo": ""}, {})
    assert make(tmp_path).current.name == EXERCISES[0]


# Watching.


class Typed:
    """Keys typed one after the other; a callable is done in between."""

    def __init__(self, *typed):
        self._typed = list(typed)

    def read_key(self, within):
        now = self._typed.pop(0)
        return now() or "" if callable(now) else now


@pytest.fixture
def watched(tmp_path, by_the_card):
    """What is shown while these keys are typed."""
    workshop = make(tmp_path)

    def watched(*typed, **more):
        out = io.StringIO()
        Watch(workshop, Screen(out), Here(), Typed(*typed, "q"), **more).run()
        return out.getvalue()

    return watched, workshop


def test_a_save_is_graded_and_n_goes_on_only_when_it_is_done(watched):
    watch, workshop = watched
    fifo = find_exercise("fifo")
    told = watch("n", lambda: workshop.attempt(fifo).write_bytes(fifo.solution.data) and "", "n")
    first, _, then = told.partition("This exercise is not done yet")
    assert "✗ 01 fifo" in first
    assert "✓ 01 fifo" in then
    assert "n next" in then
    assert "✗ 02 dedupe" in then
    assert workshop.current.name == "dedupe"


def test_it_never_goes_on_by_itself(watched):
    watch, workshop = watched
    workshop.attempt(find_exercise("fifo")).write_bytes(find_exercise("fifo").solution.data)
    watch("", "", "")
    assert workshop.current.name == "fifo"


def test_keys_help(watched):
    watch, workshop = watched
    workshop.attempt(find_exercise("fifo")).write_text("# gone wrong\n")
    told = watch("h", "l", "x", "n", "x", "y", "?", "r")
    assert "hint 1 of 4" in told
    assert "▸  01  fifo" in told
    assert "Not reset." in told
    assert workshop.attempt(find_exercise("fifo")).read_bytes() == find_exercise("fifo").start.data


def test_a_file_that_vanishes_is_no_end(watched):
    watch, workshop = watched
    assert "is gone" in " ".join(watch(lambda: workshop.attempt(find_exercise("fifo")).unlink(), "").split())


def test_without_a_terminal_keys_are_typed_in_lines(kata):
    done = kata(input="h\nq\n")
    assert done.exit_code == 0
    assert "hint 1 of 4" in done.output
    assert kata(input="").exit_code == 0


def test_lines_end_with_the_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n\n"))
    with keys.keys() as typed:
        assert [typed.read_key(5) for _ in range(4)] == ["h", "\n", "q", "q"]


def test_the_package_holds_all_that_a_learner_needs():
    for name in EXERCISES:
        for file in (
            "exercise.toml",
            "README.md",
            "feedback.txt",
            "hints/4.md",
            "solution.py",
            "mistakes.toml",
        ):
            assert (files("stingy_kata") / name / file).is_file()


def test_a_status_of_a_class_says_no_more_than_names():
    assert set(Status.__struct_fields__) == {"who", "at", "done", "skipped", "hints", "gave_up"}
