"""One run: pytest judges a candidate by the rules, and a plugin collects the verdicts."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from stingy.cli.notice import Notice
from stingy.cli.progress import Progress
from stingy.judging.isolation import LIMIT, Isolated
from stingy.judging.verdict import Exit, Status, Verdict, spell
from stingy.language.rule import Rule
from stingy.plugin import CANDIDATE, REQUEST, verdict_of
from stingy.process.interrupt import hold, is_heard, is_out_of_time, raise_what_was_lost
from stingy.request import Request
from stingy.transport import Candidate
from stingy.transport.watchdog import WATCHDOG

if TYPE_CHECKING:
    import execnet


@dataclass(frozen=True)
class Found:
    """The results of a run, and how the run ended."""

    verdicts: Sequence[Verdict]
    seconds: Mapping[str, float]
    """Seconds that each verdict took, by its id."""
    status: Status
    fault: str = ""
    """The error that the suite crashed with, and the rule judged then; empty if none."""
    unjudged: Sequence[str] = ()
    """Ids of the rules and rows that were requested but not judged; empty for a replay."""


def run_rules(
    candidate: Candidate | Isolated,
    request: Request,
    processes: int,
    notice: Notice,
    *,
    fail_fast: bool,
    plugins: Sequence[object] = (),
) -> Found:
    """Run the rules under pytest, without the configuration of the project in the current folder.

    ``plugins``: further pytest plugins.
    """
    until = f"--limit {candidate.limits.seconds:g}" if isinstance(candidate, Isolated) else ""
    several = processes > 1
    gather = _Gather(request, candidate, notice, until, several=several, fail_fast=fail_fast)
    if several:
        notice.of("judging, none done", until)
    else:
        notice.of("looking for its rules")
    words = [
        *("--pyargs", "stingy"),
        *("-c", os.devnull, "--rootdir", os.getcwd(), "--noconftest"),  # noqa: PTH109
        *("-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler", "-p", "no:doctest"),
        # print() and breakpoint() work in this process as in a script.
        *("-p", "no:debugging", "-s"),
        *("-p", "stingy.plugin", *(_told_to_xdist(processes) if several else ())),
    ]
    ended: int = pytest.ExitCode.INTERRUPTED
    try:
        with _only_ours():
            ended = pytest.main(words, plugins=[gather, *plugins])
        hold()
    except KeyboardInterrupt:  # before pytest began, or after it ended
        hold()
    gather.release_others()
    candidate.close()
    if ended is pytest.ExitCode.USAGE_ERROR:
        sys.exit(Exit.USAGE)  # pytest has printed the reason
    return conclude(
        request,
        gather.verdicts,
        gather.seconds,
        gather.fault,
        interrupted=ended == pytest.ExitCode.INTERRUPTED or is_heard(),
        stopped=gather.stopped,
    )


def conclude(
    request: Request,
    verdicts: Sequence[Verdict],
    seconds: Mapping[str, float],
    fault: str,
    *,
    interrupted: bool,
    stopped: bool,
) -> Found:
    """Return the results of a run, with the verdicts in the order in which rules are listed.

    ``seconds``: the time of each verdict, by id. ``fault``: as in ``Found``. ``stopped``: True if
    ``--fail-fast`` ended the run.
    """
    from stingy.guarantees import all_rules, chosen

    order = {id_: number for number, id_ in enumerate(_ids(all_rules()))}
    asked = () if request.replay else _ids(chosen(request.profile, request.rule))
    unjudged = [id_ for id_ in asked if id_ not in seconds]
    status = Status.LIMITED if any(verdict.limit for verdict in verdicts) else Status.COMPLETE
    if fault:
        status = Status.CRASHED
    elif unjudged and stopped and not interrupted:
        status = Status.STOPPED
    elif unjudged and is_out_of_time():
        status = Status.OUT_OF_TIME
    elif unjudged or (interrupted and request.replay):  # an incomplete run is never COMPLETE
        status = Status.INTERRUPTED
    return Found(sorted(verdicts, key=lambda it: order[it.id]), seconds, status, fault, unjudged)


def _ids(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield the ids of the rules and of the rows of their tables."""
    return (spell(id_, row.name if row else "") for id_, rule in rules.items() for row in rule.cases)


FOR_OTHERS = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables with options for the tests of the user's own project."""
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_NO_PLUGINS": "1"}


@contextmanager
def _only_ours() -> Iterator[None]:
    """Keep installed plugins out of pytest, Hypothesis, and the processes that pytest starts."""
    before = {name: os.environ.pop(name, None) for name in (*FOR_OTHERS, *NO_PLUGINS)}
    os.environ.update(NO_PLUGINS)
    try:
        yield
    finally:
        for name in NO_PLUGINS:
            del os.environ[name]
        os.environ.update({name: value for name, value in before.items() if value is not None})


def _told_to_xdist(processes: int) -> Sequence[str]:
    """Return the pytest options for judging in this many processes of xdist.

    ``-P``: when such a process starts, it must not import modules from the current folder.
    """
    python = f"{shlex.quote(sys.executable)} -P"
    return (
        "-p",
        "xdist",
        "-p",
        "stingy.process.standing",
        "--dist",
        "load",
        "--tx",
        f"{processes}*popen//python={python}",
    )


def _interrupt(process: int) -> None:
    """Interrupt a process as Ctrl-C would, so that it ends its candidate's processes as well."""
    with suppress(OSError):  # it may have ended, or the system may have no such signal
        os.kill(process, signal.SIGINT)


class _Gather:
    """The plugin of a run: passes the candidate to pytest, and collects the verdicts."""

    def __init__(
        self,
        request: Request,
        candidate: Candidate | Isolated,
        notice: Notice,
        until: str,
        *,
        several: bool,
        fail_fast: bool,
    ) -> None:
        """``several``: True if other processes judge. ``until``: the option that limits a rule."""
        self._request = request
        self._fail_fast = fail_fast
        self._candidate = candidate
        self._several = several
        self._notice = notice
        self._until = until
        self._progress = Progress()
        self.stopped = False
        self._others: list[int] = []
        self._session: pytest.Session
        self._in_hand = ""
        self.verdicts: list[Verdict] = []
        self.seconds: dict[str, float] = {}
        self.fault = ""

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[REQUEST] = self._request
        config.stash[CANDIDATE] = self._candidate

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_newgateway(self, gateway: execnet.Gateway) -> None:
        """Ask a new xdist worker for its process id, and guard that process by the watchdog.

        Once the worker runs its tests, it does not answer such a question any more.
        """
        process = gateway.remote_exec("import os; channel.send(os.getpid())").receive()
        self._others.append(process)
        WATCHDOG.guard(process)

    def release_others(self) -> None:
        """Stop guarding the workers by the watchdog: they have ended when pytest returns."""
        for process in self._others:
            WATCHDOG.release(process)

    def pytest_keyboard_interrupt(self) -> None:
        """Pass an interrupt on to the workers: the signal may have reached this process only."""
        for process in self._others:
            _interrupt(process)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._progress.of = len(session.items)

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        raise_what_was_lost()
        _, row, name = nodeid.rpartition("::")[2].partition("[")
        self._in_hand = f"{location[2]}{row}{name}"
        if not self._several:
            self._notice.of(f"judging {self._in_hand}", self._until)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        verdict = verdict_of(report)
        if report.failed and verdict is None:
            self._note_crash(report.longreprtext, report.location[2])
        if report.when == "call" and verdict is not None:
            self.verdicts.append(verdict)
            self.seconds[verdict.id] = report.duration
            self._progress.tell(verdict)
            if self._several:
                self._notice.of(f"judging, {len(self.verdicts):,} done", self._until)
            wanting = verdict.is_found_wanting(strict=self._request.strict) or verdict.limit == LIMIT
            if self._fail_fast and wanting:
                self._stop()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._note_crash(report.longreprtext, "")

    def pytest_internalerror(self, excrepr: object) -> bool:
        self._note_crash(str(excrepr), self._in_hand)
        return True  # reported at the end of the run, not by pytest

    def pytest_sessionfinish(self) -> None:
        self._progress.clear()

    def _stop(self) -> None:
        """Stop judging, here and in every worker."""
        self.stopped = True
        self._session.shouldfail = "--fail-fast"
        if self._several:
            for process in self._others:
                _interrupt(process)
            raise self._session.Failed(self._session.shouldfail)

    def _note_crash(self, told: str, in_hand: str) -> None:
        lines = [line for line in told.splitlines() if line.strip()]
        errors = [
            line.removeprefix("E").strip() for line in lines if line.startswith("E ")
        ]  # pytest marks errors with E
        said = (errors or lines or ["unknown error"])[-1]
        self.fault = self.fault or (f"{said} (while judging {in_hand})" if in_hand else said)
