"""Check the exercises themselves, for ``stingy-kata dev check``.

Each start fails for the declared reasons, and each solution passes. Each rule is broken by the
start or by a mistake, each mistake is recognised by its own feedback, and no file or text is
missing.
"""

from __future__ import annotations

import ast
import difflib
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from stingy.guarantees import GUARANTEES, all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.language.rule import Level
from stingy.process.file import put
from stingy.process.snapshot import now
from stingy_kata import SEED
from stingy_kata.building import RECIPES, Malformed
from stingy_kata.catching import graders
from stingy_kata.exercise import ASKED, RUNGS, Exercise, exercises
from stingy_kata.feedback import feedback
from stingy_kata.grading import Grade, grade
from stingy_kata.importing import candidate
from stingy_kata.likeness import likeness
from stingy_kata.mistakes import Mistake
from stingy_kata.scheduling import ORDER_BREAKS_IT, ORDER_HOLDS
from stingy_kata.screen import plain
from stingy_kata.script import Script
from stingy_kata.waiting import GET_IS_WOKEN

SECONDS = 2.0
"""Limit for grading a start, in seconds of CPU time, which hardly depends on the machine's load."""

SECONDS_TO_PASS = 10.0
"""Limit for grading a solution, in seconds of CPU time.

It is longer than ``SECONDS``, because an attempt that passes is also judged by all other MUSTs.
"""

TO_WRITE = 15
"""Maximum number of lines that a learner has to write."""

README_LINES = 40
"""Maximum number of lines of an exercise's README."""


def shown_name(exercise: Exercise) -> str:
    """Return the path of a learner's file for the exercise, as feedback shows it."""
    return f"{exercise.label}/{exercise.name}.py"


def golden(exercise: Exercise) -> Path:
    return exercise.folder / "feedback.txt"


def on_start(exercise: Exercise, given: Grade | None = None) -> str:
    """Return what ``stingy-kata check`` prints for the code that a learner begins with.

    ``given`` is the grade of this code; if it is None, the code is graded now.
    """
    found = given or grade(exercise, exercise.start)
    return plain(feedback(found, exercise.start, shown_name(exercise)))


def faults(exercise: Exercise) -> Iterator[str]:
    """Yield the faults in an exercise's folder, a sentence each."""
    try:
        scripts = exercise.scripts
    except Malformed as fault:
        yield str(fault)
        return
    for name, script in scripts.items():
        yield from _of_script(name, script)
    given, spent = _timed(exercise, exercise.start, SECONDS)
    yield from _slow("the start", spent, SECONDS)
    yield from _of_text(exercise)
    yield from _of_start(exercise, given)
    yield from _of_solution(exercise)
    yield from _of_mistakes(exercise, given)
    yield from _of_graders(exercise)
    yield from _of_hints(exercise)
    yield from _of_files(exercise)


def _of_script(name: str, script: Script) -> Iterator[str]:
    try:
        compile(script.data, script.path, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield f"{name} does not compile: line {error.lineno}: {error.msg}; stingy-kata dev show prints it"
    if re.search(r"\bsleep\b", script.text):
        yield f"{name} sleeps"


def _of_text(exercise: Exercise) -> Iterator[str]:
    card = exercise.card
    earlier = [it.name for it in exercises() if it.card.place < card.place]
    for name in card.needs:
        if name not in earlier:
            yield f"needs names {name!r}, which is no exercise before it"
    if card.docs not in GUARANTEES:
        yield f"docs names {card.docs!r}, which is no guarantee"
    for name in card.promised:
        if name not in GUARANTEES:
            yield f"promised names {name!r}, which is no guarantee"
    for id_ in set(card.rules) - set(_list_known(exercise)):
        yield f"rules names {id_!r}, which is none"
    lines = exercise.task.splitlines()
    if len(lines) > README_LINES:
        yield f"README.md has {len(lines)} lines, more than {README_LINES}"
    start, solution = exercise.start.text, exercise.solution.text
    if not 1 <= start.count("TODO") <= 3:
        yield f"the start has {start.count('TODO')} TODO, not one to three"
    if "TODO" in solution:
        yield "the solution still has a TODO"
    written = [
        it for it in difflib.ndiff(start.splitlines(), solution.splitlines()) if re.match(r"\+ +\S|\+ \S", it)
    ]
    if len(written) > TO_WRITE:
        yield f"{len(written)} lines are to be written, more than {TO_WRITE}"


def _list_known(exercise: Exercise) -> Sequence[str]:
    if exercise.card.kind == "catch":
        return [id_ for id_, _ in graders(exercise)]
    return [
        *([ORDER_BREAKS_IT, ORDER_HOLDS] if exercise.card.kind == "order" else []),
        GET_IS_WOKEN,
        *all_rules(),
    ]


def _of_start(exercise: Exercise, given: Grade) -> Iterator[str]:
    yield from _find_undecided("the start", given)
    yield from _find_unlike("the start", exercise.card.fails_on_start, given)
    if not given.broken:
        yield "the start breaks nothing: there is nothing to do"


def _of_solution(exercise: Exercise) -> Iterator[str]:
    solved, spent = _timed(exercise, exercise.solution, SECONDS_TO_PASS)
    yield from _slow("the solution", spent, SECONDS_TO_PASS)
    yield from _find_undecided("the solution", solved)
    for id_ in solved.broken:
        yield f"the solution breaks {id_}"
    if Evidence.TIMED in {verdict.evidence for verdict in solved.verdicts}:
        yield "the solution is not judged exactly"
    if missing := set(exercise.card.rules) - {verdict.rule for verdict in solved.verdicts}:
        yield f"the solution is not judged by {', '.join(sorted(missing))}"


def _of_mistakes(exercise: Exercise, given: Grade) -> Iterator[str]:
    ever = set(given.broken)
    seen: dict[tuple[frozenset[str], str], str] = {}
    for mistake in exercise.mistakes:
        found = grade(exercise, exercise.mistake(mistake))
        yield from _find_undecided(mistake.name, found)
        yield from _find_unlike(mistake.name, mistake.breaks, found)
        if likeness(found) != mistake:
            yield f"{mistake.name} does not get its own sentence"
        ever |= set(found.broken)
        other = seen.setdefault((frozenset(mistake.breaks), mistake.because), mistake.name)
        if other != mistake.name:
            yield f"{mistake.name} breaks the same as {other}: they cannot be told apart"
        if _is_met_by_any_false_rule(exercise, mistake):
            yield f"{mistake.name} breaks the same as a rule that never holds: give it a because"
    if len(exercise.mistakes) < 2:
        yield "it has fewer than two mistakes"
    rules = exercise.card.rules or _list_known(exercise)
    for id_ in rules:
        if id_ not in ever:
            yield f"{id_} is kept by the start and by every mistake: it shows nothing"


def _is_met_by_any_false_rule(exercise: Exercise, mistake: Mistake) -> bool:
    right = {id_ for id_, _ in graders(exercise) if id_.startswith("accepts/")}
    return exercise.card.kind == "catch" and set(mistake.breaks) == right and not mistake.because


def _of_graders(exercise: Exercise) -> Iterator[str]:
    """Yield a sentence for each candidate of an exercise that is wrongly declared right or wrong.

    A right candidate must keep all MUSTs of the guarantee, and a wrong one must break at least one.
    """
    guarantees = exercise.card.promised or (exercise.card.docs,)
    promised = [
        rule for rule in all_rules().values() if rule.guarantee in guarantees and rule.level is Level.MUST
    ]
    for id_, script in graders(exercise) if exercise.card.kind == "catch" else ():
        with candidate(script) as found:
            judge = Judge(found, SEED, goes_on=False)
            broken = (it.id for rule in promised for it in judge.verdicts(rule) if it.verdict is Finding.FAIL)
            if id_.startswith("catches/"):
                if next(broken, None) is None:
                    yield f"{id_} is not wrong: it keeps all of {', '.join(guarantees)}"
            elif accused := list(broken):
                yield f"{id_} is not right: it breaks {', '.join(accused)}"


def _find_undecided(name: str, found: Grade) -> Iterator[str]:
    if found.unreadable:
        yield f"{name}: {found.unreadable}"
    for verdict in found.verdicts:
        if verdict.verdict not in (Finding.PASS, Finding.FAIL, Finding.BLOCKED):
            yield f"{name}: {verdict.id} is {verdict.verdict}: {verdict.because}"


def _find_unlike(name: str, declared: Sequence[str], found: Grade) -> Iterator[str]:
    if set(found.broken) != set(declared):
        more, less = set(found.broken) - set(declared), set(declared) - set(found.broken)
        said = [
            *(f"it also breaks {id_}" for id_ in sorted(more)),
            *(f"it keeps {id_}" for id_ in sorted(less)),
        ]
        yield f"{name} does not break what is declared: {'; '.join(said)}"


def _of_hints(exercise: Exercise) -> Iterator[str]:
    try:
        hints = exercise.hints
    except OSError as error:
        yield f"a hint is missing: {error.filename}"
        return
    for rung, text in zip(RUNGS, hints, strict=True):
        if not text:
            yield f"the hint {rung!r} is empty"
    code = re.search(r"```python\n(.*?)```", hints[-1], re.DOTALL)
    if code is None:
        yield "the last hint has no ```python"
        return
    try:
        ast.parse(_whole(code[1]))
    except SyntaxError as error:
        yield f"the code of the last hint does not compile: {error}"


def _whole(fragment: str) -> str:
    """Return a fragment of code in a function and a loop, so that its ``return`` and ``break`` compile."""
    return (
        "def f(self):\n while True:\n  if True:\n"
        + "".join(f"   {line}\n" for line in fragment.splitlines())
        + "   pass\n"
    )


def _of_files(exercise: Exercise) -> Iterator[str]:
    expected = {"exercise.toml", "README.md", "trainer.md", "solution.py", RECIPES, "feedback.txt"}
    expected |= {f"hints/{n}.md" for n, _ in enumerate(RUNGS, 1)}
    if exercise.card.kind == "catch":
        expected |= {f"{name}.py" for name in exercise.scripts if name.startswith("right/")}
    there = {
        file.relative_to(exercise.folder).as_posix()
        for file in exercise.folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    if "trainer.md" not in there:
        yield "trainer.md is missing: write what a trainer says and asks"
    elif missing := [f"**{it}**" for it in ASKED if not exercise.note(it)]:
        yield f"trainer.md lacks {', '.join(missing)}, for the answer sheet"
    for name in sorted(there - expected):
        yield f"{name} belongs to no exercise"


def _timed(exercise: Exercise, script: Script, most: float) -> tuple[Grade, float]:
    """Return the grade of a script, and how long grading takes in CPU-s.

    If it takes more than ``most``, it is timed once more: the first in a process also imports the rules.
    """
    for _ in range(2):
        since = time.process_time()
        given = grade(exercise, script)
        spent = time.process_time() - since
        if spent <= most:
            break
    return given, spent


def _slow(name: str, spent: float, most: float) -> Iterator[str]:
    if spent > most:
        yield f"{name} takes {spent:.1f} s to grade, more than {most:.0f}"


def rewrite() -> Iterator[Exercise]:
    """Rewrite the ``feedback.txt`` of each exercise whose text has changed, and yield the exercise.

    The file has the day and the commit on top, and then what ``check`` prints for the start.
    """
    made = now()
    for exercise in exercises():
        text, file = on_start(exercise), golden(exercise)
        if not file.is_file() or file.read_text().partition("\n\n")[2] != text:
            put(file, f"{made}\n\n{text}")
            yield exercise
