"""The process that does an errand, read from standard input; the result goes to standard output.

The process ends when its standard input is closed.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from stingy.cli.errands import Done, Errand, Judged
from stingy.cli.notice import Notice
from stingy.cli.session import run_rules
from stingy.judging.isolation import Isolated, reach
from stingy.judging.verdict import Status, Verdict
from stingy.language.rule import Row, Rule
from stingy.language.session import CandidateError
from stingy.plugin import CHOSEN, JUDGE, Clause
from stingy.process.standing import stand_here
from stingy.transport import Candidate, TargetError
from stingy.transport.part import in_part

if TYPE_CHECKING:
    from stingy.judging.trial import Judge

PATIENCE = 5.0
"""Seconds to clean up once standard input is closed; then the process is ended at once."""


def main() -> None:
    """Read the errand, do it, and write the result."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what is printed goes to standard error, not to the answer
    line = _take_line()
    errand = msgspec.json.decode(_read_errand(line), type=Errand)
    _thread.start_new_thread(_end_with, (line,))
    with _standing_by(errand.files):
        stand_here()
        done = do(errand)
    with os.fdopen(answers, "wb") as out:
        out.write(msgspec.json.encode(done))


def do(errand: Errand) -> Done:
    """Do an errand and return its result, which may be the reason why this worker cannot do it."""
    if (here := version("stingy")) != errand.suite:
        return Done(
            refused=f"stingy {here} is installed there, but {errand.suite} here: install the same version"
        )
    try:
        candidate = reach(errand.request)
    except (TargetError, CandidateError) as error:
        return Done(refused=str(error))
    if (candidate.name, candidate.version) != (errand.name, errand.version):
        candidate.close()
        there, here = (f"{it.name} {it.version}".strip() for it in (candidate, errand))
        return Done(refused=f"{there} is installed there, but {here} here: install the same version")
    candidate.kubernetes = errand.request.kubernetes or candidate.kubernetes
    only = _Only(candidate, errand)
    found = run_rules(candidate, errand.request, 1, Notice(""), fail_fast=errand.fail_fast, plugins=[only])
    judged = ((only.asked[it.rule, it.case], it) for it in found.verdicts)
    done = Done(tuple(Judged(asked, it, found.seconds[it.id]) for asked, it in judged), found.fault)
    if found.status is Status.INTERRUPTED and len(done.judged) < len(errand.asked):
        sys.exit("it was interrupted")  # a part of the result would be taken for all of it
    return done


class _Only:
    """A pytest plugin that judges only the rules, rows and parts of races of an errand.

    For parts, it also takes the place of the ``Judge``.
    """

    def __init__(self, candidate: Candidate | Isolated, errand: Errand) -> None:
        self._candidate = candidate
        self._seed = errand.request.seed or 0
        self.asked = {(asked.rule, asked.case): asked for asked in errand.asked}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        from stingy.guarantees import all_rules

        rules = {rule for rule, _ in self.asked}
        session.config.stash[CHOSEN] = {id_: rule for id_, rule in all_rules().items() if id_ in rules}
        if any(asked.part for asked in self.asked.values()):
            session.config.stash[JUDGE] = cast("Judge", self)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [it for it in items if isinstance(it, Clause) and _key(it.rule, it.row) in self.asked]

    @property
    def candidate(self) -> Candidate | Isolated:
        return self._candidate

    def verdict(self, rule: Rule, row: Row | None) -> Verdict:
        """Return the verdict on the part of the rule's orders that the errand asks for.

        The rules that this rule builds on were judged by earlier errands.
        """
        from stingy.judging.trial import Trial

        asked = self.asked[_key(rule, row)]
        self._candidate.share = asked.share
        if isinstance(self._candidate, Isolated):
            self._candidate.part = asked.part
            return self._candidate.judge(rule, row)
        return Trial(in_part(self._candidate, asked.part), self._seed).judge(rule, row)


def _key(rule: Rule, row: Row | None) -> tuple[str, str]:
    return rule.id, row.name if row else ""


@contextmanager
def _standing_by(files: Mapping[str, bytes]) -> Iterator[None]:
    """Run the block in a temporary folder with these files; in the current folder without files."""
    if not files:
        yield
        return
    with TemporaryDirectory(prefix="stingy-errand-") as folder, chdir(folder):
        for name, content in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        yield


def _take_line() -> int:
    """Duplicate standard input, put the null device in its place, and return the new descriptor.

    The process waits for the end of its input, and pytest replaces standard input.
    """
    line = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is what is wanted
        os.dup2(nothing.fileno(), 0)
    return line


def _read_errand(line: int) -> bytes:
    """Return the first line of the stream; afterwards, another thread waits for its end."""
    errand = bytearray()
    while not errand.endswith(b"\n"):
        if not (read := os.read(line, 1 << 16)):
            sys.exit("there was no errand")
        errand += read
    return bytes(errand)


def _end_with(line: int) -> None:
    """Wait until the stream ends, then interrupt this process as Ctrl-C would.

    The process then ends its candidate's processes. After ``PATIENCE`` seconds it is ended in any
    case.
    """
    while os.read(line, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE)
    os._exit(1)


if __name__ == "__main__":
    main()
