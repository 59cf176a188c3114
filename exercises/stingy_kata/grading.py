"""How an attempt is judged: by the same rules and the same judge as every candidate, the same way each time."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.transport import Candidate, TargetError
from stingy.transport.calling import described
from stingy.transport.inprocess import InProcess
from stingy.verdict import Finding, Verdict
from stingy_kata.exercise import Exercise

SEED = 0
"""Always the same: a learner who changes nothing sees the same story again."""

MODULE = "stingy_kata_attempt"
"""What an attempt is imported as, so that its name shadows no other module and is shadowed by none."""


class Unreadable(Exception):  # noqa: N818 - the fault is the learner's
    """Python cannot import the attempt; the message says where and why."""


@dataclass(frozen=True)
class Grade:
    """What was found out about an attempt."""

    exercise: Exercise
    attempt: Path
    verdicts: tuple[Verdict, ...] = ()
    """One a rule: those of the exercise, and before them those that these build on, where broken."""
    unreadable: str = ""
    """Where and why Python cannot import it; there are no verdicts then."""

    @property
    def kept(self) -> bool:
        """Whether all is as it should be."""
        return not self.unreadable and all(verdict.verdict is Finding.PASS for verdict in self.verdicts)

    @property
    def first_broken(self) -> Verdict | None:
        """What to mend first. A blocked rule is never it: something it builds on is."""
        no_start = (Finding.PASS, Finding.BLOCKED)
        return next((verdict for verdict in self.verdicts if verdict.verdict not in no_start), None)


def grade(exercise: Exercise, attempt: Path) -> Grade:
    """Judge an attempt by the rules of its exercise."""
    try:
        with _located(attempt) as candidate:
            return Grade(exercise, attempt, _judged(exercise, Judge(candidate, SEED)))
    except Unreadable as why:
        return Grade(exercise, attempt, unreadable=str(why))


def _judged(exercise: Exercise, judge: Judge) -> tuple[Verdict, ...]:
    ground = [_of_rule(judge, id_) for id_ in _ground(exercise.rules)]
    lost = [verdict for verdict in ground if verdict.verdict in (Finding.FAIL, Finding.ERROR)]
    return (*lost, *(_of_rule(judge, id_) for id_ in exercise.rules))


def _of_rule(judge: Judge, id_: str) -> Verdict:
    """The verdict on a rule; of a table, on the first row that is not kept."""
    verdicts = judge.verdicts(all_rules()[id_])
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def _ground(ids: Sequence[str]) -> list[str]:
    """What the rules build on, and is none of them, in reading order."""
    found: set[str] = set()
    ahead = list(ids)
    while ahead:
        earlier = set(all_rules()[ahead.pop()].after) - found
        found |= earlier
        ahead += earlier
    return [id_ for id_ in all_rules() if id_ in found - set(ids)]


@contextmanager
def _located(attempt: Path) -> Iterator[Candidate]:
    finder = _Finder(attempt)
    sys.meta_path.insert(0, finder)
    try:
        candidate = _candidate(attempt)
        try:
            yield candidate
        finally:
            candidate.close()
    finally:
        sys.meta_path.remove(finder)
        sys.modules.pop(MODULE, None)


def _candidate(attempt: Path) -> Candidate:
    try:
        return _Controlled(MODULE, SEED)
    except TargetError as error:
        # Its message is about a module that the learner never heard of; what was raised is not.
        raise Unreadable(_told(error.__context__ or error, attempt)) from None


def _told(error: BaseException, attempt: Path) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        line = f"\n\n    {error.text.strip()}" if error.text else ""
        return f"{error.filename}, line {error.lineno}: Python cannot read this: {error.msg}{line}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(attempt)]
    where = f"{attempt}, line {frames[-1].lineno}" if frames else str(attempt)
    return f"{where}: importing it raises {described(error)}"


class _Controlled(InProcess):
    """Judged exactly or not at all: with real threads, a loop that spins would cost minutes, each time others."""

    def release_control(self) -> bool:
        return False


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as it is declared
        # Never from the bytecode cache: two versions saved in one second look alike to it.
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the attempt where it lies, whatever else goes by its name."""

    def __init__(self, attempt: Path) -> None:
        self._attempt = attempt

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        file = str(self._attempt)
        return spec_from_file_location(MODULE, file, loader=_Loader(MODULE, file))
