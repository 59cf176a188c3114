"""The command ``stingy watch``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stingy.cli.options import choose_target, options
from stingy.cli.progress import Progress
from stingy.judging.isolation import CANNOT_FORK, Isolated, prepare, reach
from stingy.judging.verdict import Exit, Finding, Status, Verdict
from stingy.language.session import CandidateError
from stingy.process.interrupt import raise_what_was_lost
from stingy.process.standing import stand_here
from stingy.request import Request
from stingy.transport import Candidate, TargetError, is_driver

if TYPE_CHECKING:
    from stingy.judging.docket import Case
    from stingy.reports import Report

POLL = 0.1
"""Seconds between two checks whether a file has changed.

Files are few, and not every system can report such changes.
"""

Stamps = dict[Path, tuple[int, int]]


@click.command("watch")
@click.argument("target", required=False, callback=choose_target)
@options("profile", "rule", "edition", "strict", "seed", "kubernetes", "limit", "memory", "start")
@click.option("--fail-fast", is_flag=True, help="Stop until the next save as soon as a rule is broken.")
def command(request: Request, fail_fast: bool) -> int:
    """Judge TARGET each time one of its files is saved, beginning with the rules broken before.

    Ctrl-C ends the command. All rules stay loaded, and the candidate gets a new process each time,
    so the first answer comes at once.
    """
    from stingy.judging.rewriting import run_rewritten

    if CANNOT_FORK and not is_driver(request.target):
        raise click.ClickException("this system cannot fork a process for each save: use stingy run instead")

    def watch() -> None:
        watching = Watch(request.with_a_seed(), fail_fast=fail_fast)
        while True:
            watching.look()
            watching.wait()

    stand_here()
    run_rewritten(watch)
    return Exit.CONFORMS


class Watch:
    """Judges a candidate each time its files change; remembers which rules were broken last time."""

    def __init__(self, request: Request, *, fail_fast: bool) -> None:
        from stingy.judging.docket import Docket, DocketError

        try:
            self._docket = Docket(request)
        except DocketError as error:
            raise click.ClickException(str(error)) from None
        prepare(self._docket.rules.values())
        self._request = request
        self._fail_fast = fail_fast
        self._broken: frozenset[str] = frozenset()
        self._stamps: Stamps = {}
        self._progress = Progress()

    def wait(self) -> None:
        """Wait until one of the candidate's files has changed."""
        while not self._is_out_of_date():
            time.sleep(POLL)

    def look(self) -> None:
        """Judge the candidate as it is now; print the rules that are broken, or broken no longer."""
        from stingy.reports import Report

        click.clear()
        self._stamps = _stamp(self._stamps or _guess_files(self._request.target))
        try:
            candidate = reach(self._request)
        except (TargetError, CandidateError) as error:
            if not self._stamps:
                raise click.ClickException(str(error)) from None
            click.secho(str(error), fg="red")
            self._tell_that_it_waits()
            return
        # Files known before keep the stamp from before the import, so that a later save is noticed.
        self._stamps = _stamp(map(Path, candidate.files)) | self._stamps
        began = datetime.now(UTC)
        try:
            verdicts = list(self._judge(candidate))
        finally:
            candidate.close()
        self._broken -= {it.id for it in verdicts}
        self._broken |= {it.id for it in verdicts if it.verdict is Finding.FAIL}
        status = Status.COMPLETE if len(verdicts) == len(self._docket.cases) else Status.STOPPED
        self._tell_end(Report.of(candidate, self._request, verdicts, {}, status=status, began=began))

    def _judge(self, candidate: Candidate | Isolated) -> Iterator[Verdict]:
        judge, broken = self._docket.make_judge(candidate), 0
        self._progress = Progress(len(self._docket.cases))
        for case in self._in_order():
            verdict = self._docket.judge(judge, case)
            raise_what_was_lost()
            yield verdict
            if verdict.is_found_wanting(strict=self._request.strict):
                self._tell_broken(verdict, at_length=not broken)
                broken += 1
                if self._fail_fast:
                    return
            elif verdict.id in self._broken and verdict.verdict is Finding.PASS:
                self._say(f"✓ {verdict.id}, which was broken", "green")
            self._progress.tell(verdict)
            if self._is_out_of_date():
                return

    def _in_order(self) -> Sequence[Case]:
        """Return the cases (rules and rows of tables) in the order in which to judge them.

        Those that were broken the last time come first; in each group, races come last.
        """
        return sorted(
            self._docket.cases,
            key=lambda case: (case.id not in self._broken, case.rule.races, bool(case.rule.for_all)),
        )

    def _is_out_of_date(self) -> bool:
        return _stamp(self._stamps) != self._stamps

    def _tell_broken(self, verdict: Verdict, *, at_length: bool) -> None:
        from stingy.reports import verbose

        if at_length:
            self._say(verbose.failure(verdict))
        else:
            self._say(f"✗ {verdict.level}  {verdict.id}", "red")

    def _tell_end(self, report: Report) -> None:
        from stingy.reports import verbose

        left = len(self._docket.cases) - len(report.verdicts)
        more = f"; {left:,} more have not been judged" if left else ""
        self._say(f"\n{verbose.conclude(report)}{more}, in {report.lasted:.1f} s")
        self._tell_that_it_waits()

    def _say(self, text: str, colour: str | None = None) -> None:
        self._progress.clear()
        click.secho(text, fg=colour)

    def _tell_that_it_waits(self) -> None:
        files = "1 file" if len(self._stamps) == 1 else f"{len(self._stamps)} files"
        self._say(f"watching {files}; press Ctrl-C to stop", "bright_black")


def _stamp(files: Iterable[Path]) -> Stamps:
    """Return the modification time and size of each file; zeros for a file that does not exist."""
    return {file: (stat.st_mtime_ns, stat.st_size) if (stat := _stat(file)) else (0, 0) for file in files}


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


def _guess_files(target: str) -> Sequence[Path]:
    """Return the existing files that may contain a target's code, guessed from its name."""
    stem = Path.cwd().joinpath(*target.partition(":")[0].split("."))
    return [file for file in (stem.with_suffix(".py"), stem / "__init__.py") if file.exists()]
