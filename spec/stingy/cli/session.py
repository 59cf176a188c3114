"""One run: judge a candidate by the cases of a docket, show the progress, collect the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from stingy.cli.notice import Notice
from stingy.cli.progress import Progress
from stingy.judging.docket import Case, Docket, Result
from stingy.judging.isolation import Isolated
from stingy.judging.verdict import LIMIT, Status, Verdict
from stingy.judging.workers import judge_apart, judge_here
from stingy.process.interrupt import hold, is_heard, is_out_of_time, raise_what_was_lost
from stingy.transport import Candidate


@dataclass(frozen=True)
class Found:
    """The verdicts of a run, and how the run ended."""

    verdicts: Sequence[Verdict]
    seconds: Mapping[str, float]
    """Seconds that each verdict took, by its id."""
    status: Status
    fault: str = ""
    """The error that the suite crashed with, and the rule judged then; empty if none."""
    unjudged: Sequence[str] = ()
    """Ids of the rules and rows that were requested but not judged; empty for a replay."""


def run_rules(
    docket: Docket, candidate: Candidate | Isolated, processes: int, notice: Notice, *, fail_fast: bool
) -> Found:
    """Judge the docket's cases in ``processes`` processes, close the candidate, return the results.

    ``notice`` is told what the run does now. ``fail_fast``: stop at the first failure.
    """
    run = _Run(docket, candidate, notice, fail_fast=fail_fast)
    try:
        run.judge(processes)
        hold()
    except KeyboardInterrupt:
        run.interrupted = True
        hold()
    finally:
        candidate.close()
        run.progress.clear()
    return conclude(
        docket,
        run.verdicts,
        run.seconds,
        run.fault,
        interrupted=run.interrupted or is_heard(),
        stopped=run.stopped,
    )


class _Run:
    """A run on this machine, and its verdicts so far."""

    def __init__(
        self, docket: Docket, candidate: Candidate | Isolated, notice: Notice, *, fail_fast: bool
    ) -> None:
        self._docket = docket
        self._candidate = candidate
        self._notice = notice
        self._fail_fast = fail_fast
        self._until = f"--limit {candidate.limits.seconds:g}" if isinstance(candidate, Isolated) else ""
        self.progress = Progress(len(docket.cases))
        self.verdicts: list[Verdict] = []
        self.seconds: dict[str, float] = {}
        self.fault = ""
        self.interrupted = self.stopped = False

    def judge(self, processes: int) -> None:
        """Judge all cases of the docket, or until ``--fail-fast`` ends the run."""
        if processes > 1:
            self._announce_done()
            results = judge_apart(self._docket, self._candidate, processes)
        else:
            results = judge_here(self._docket, self._candidate, self._announce)
        with closing(results):
            for result in results:
                raise_what_was_lost()
                self._take(result)
                if processes > 1:
                    self._announce_done()
                if self.stopped:
                    return

    def _announce(self, case: Case) -> None:
        raise_what_was_lost()
        self._notice.of(f"judging {case.id}", self._until)

    def _announce_done(self) -> None:
        self._notice.of(f"judging, {len(self.verdicts) or 'none'} done", self._until)

    def _take(self, result: Result) -> None:
        self.fault = self.fault or result.fault
        if result.verdict is None:
            return
        verdict = self._docket.mark(result.verdict)
        self.verdicts.append(verdict)
        self.seconds[verdict.id] = result.seconds
        self.progress.tell(verdict)
        wanting = verdict.is_found_wanting(strict=self._docket.request.strict) or verdict.limit == LIMIT
        self.stopped = self._fail_fast and wanting


def conclude(
    docket: Docket,
    verdicts: Sequence[Verdict],
    seconds: Mapping[str, float],
    fault: str,
    *,
    interrupted: bool,
    stopped: bool,
) -> Found:
    """Return the results of a run, with the verdicts in the order in which rules are listed.

    ``seconds``: the time of each verdict, by id. ``fault``: the error that the suite crashed with;
    empty if none. ``stopped``: True if ``--fail-fast`` ended the run.
    """
    order = {case.id: number for number, case in enumerate(docket.cases)}
    unjudged = [id_ for id_ in order if id_ not in seconds]
    status = Status.LIMITED if any(verdict.limit for verdict in verdicts) else Status.COMPLETE
    if fault:
        status = Status.CRASHED
    elif unjudged and stopped and not interrupted:
        status = Status.STOPPED
    elif unjudged and is_out_of_time():
        status = Status.OUT_OF_TIME
    elif unjudged:  # an incomplete run is never COMPLETE
        status = Status.INTERRUPTED
    asked = [] if docket.request.replay else unjudged
    return Found(sorted(verdicts, key=lambda it: order[it.id]), seconds, status, fault, asked)
