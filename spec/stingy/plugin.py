"""The pytest plugin: each rule is a test item.

Every pytest run in the environment loads this file. So it defines no fixtures and no markers, and
imports most of the suite only when rules are collected.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stingy.request import OPTIONS, Option, Request

if TYPE_CHECKING:
    from stingy.judging.docket import Case, Docket
    from stingy.judging.trial import Judge
    from stingy.judging.verdict import Verdict

PACKAGE = Path(__file__).resolve().parent
GUARANTEES = PACKAGE / "guarantees"
REQUEST: pytest.StashKey[Request] = pytest.StashKey()
DOCKET: pytest.StashKey[Docket] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
NAME = "stingy"
"""Name of the package, key of the request in an xdist worker's input, prefix of names of properties."""


def pytest_addoption(parser: pytest.Parser) -> None:
    # Not at import time: pytest's rewriting has to be installed before.
    pytest.register_assert_rewrite("stingy.guarantees", "stingy.language")
    group = parser.getgroup(
        "stingy", "rules of the Kubernetes workqueue and of kube-proxy (pytest --pyargs stingy)"
    )
    group.addoption(
        "--stingy-candidate",
        metavar="TARGET",
        help="Judge this candidate: module:object, module, or cmd:COMMAND LINE.",
    )
    for name, option in OPTIONS.items():
        spelt = f"--stingy-{name}"
        if option.kind is bool:
            group.addoption(spelt, action=BooleanOptionalAction, default=None, help=option.help)
        else:
            action = "append" if isinstance(getattr(Request(), name), tuple) else "store"
            metavar = option.metavar or name[0].upper()
            group.addoption(
                spelt, action=action, metavar=metavar, type=_make_reader(option), help=option.help
            )


def _make_reader(option: Option) -> Callable[[str], Any]:
    """Return a function that converts and checks the option's text, for the ``type`` of argparse."""

    def typed(said: str) -> Any:
        try:
            return option.read(said)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return typed


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> None:
    """Register the older name ``--candidate``, unless another plugin or a conftest.py uses it."""
    with suppress(ValueError):
        parser.addoption("--candidate", dest="stingy_candidate", metavar="TARGET", help=SUPPRESS)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Send the request to an xdist worker (``node``), so that all workers use the same seed.

    Settings that cannot be used fail only a worker that collects rules.
    """
    import msgspec

    with suppress(pytest.UsageError):
        node.workerinput[NAME] = msgspec.json.encode(_request(node.config)).decode()


def pytest_report_header(config: pytest.Config) -> str | None:
    if not _is_asked(config):
        return None
    request = _request(config)
    edition = f", edition {request.edition}" if request.edition else ""
    return f"stingy: judging {request.target}, seed {request.seed}{edition}"


def _is_asked(config: pytest.Config) -> bool:
    """Return True if the command line names a candidate, or rules as in ``--pyargs stingy``."""
    packages = (word.partition(":")[0].partition(".")[0] for word in config.args)
    return config.option.stingy_candidate is not None or (config.option.pyargs and NAME in packages)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Raise one UsageError, before rules are collected, if an option's value cannot be used.

    This checks the settings, the baseline, the report to replay, and the patterns of rules; and the
    candidate, unless rules are only collected: a list of rules runs none of its code.
    """
    if _is_asked(session.config):
        _docket(session.config)
        if not session.config.option.collectonly:
            _judge(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Import what the collected rules need, and share out ``--stingy-budget`` among them."""
    cases = [item.case for item in session.items if isinstance(item, Clause)]
    if cases and not session.config.option.collectonly:
        from stingy.judging.isolation import prepare

        prepare(case.rule for case in cases)
        processes = getattr(session.config, "workerinput", {}).get("workercount", 1)
        _judge(session.config).candidate.share = _docket(session.config).share(cases, processes)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Return True to ignore a file of stingy that does not contain rules; otherwise None.

    A project may make pytest collect every file, and some files here need optional packages.
    """
    if collection_path in (PACKAGE, GUARANTEES) or not collection_path.is_relative_to(PACKAGE):
        return None
    return None if _has_rules(collection_path) else True


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Guarantee | None:
    return Guarantee.from_parent(parent, path=file_path) if _has_rules(file_path) else None


def _has_rules(path: Path) -> bool:
    return path.parent == GUARANTEES and path.name != "__init__.py" and path.suffix == ".py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the items that are rules by the order of ``GUARANTEES``; other items stay in place."""
    ours = [n for n, item in enumerate(items) if isinstance(item, Clause)]
    if not ours:
        return
    from stingy.guarantees import GUARANTEES as ORDER

    clauses = [item for item in items if isinstance(item, Clause)]
    clauses.sort(key=lambda clause: ORDER.index(clause.case.rule.guarantee))
    for n, clause in zip(ours, clauses, strict=True):
        items[n] = clause


def pytest_unconfigure(config: pytest.Config) -> None:
    judge = config.stash.get(JUDGE, None)
    if judge is not None:
        from stingy.process.ending import GUARD

        judge.candidate.close()
        GUARD.end()


class Guarantee(pytest.File):
    """The pytest collector for one module of rules."""

    def collect(self) -> Iterator[pytest.Item]:
        for case in _docket(self.config).cases:
            if case.rule.guarantee == self.path.stem:
                name = case.id.partition("/")[2]
                yield Clause.from_parent(self, name=_spell(name), case=case)


def _spell(name: str) -> str:
    """Return the test's name, with escapes if the environment's encoding cannot represent it.

    pytest puts the name of the running test into an environment variable.
    """
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return name.encode("ascii", "backslashreplace").decode()
    return name


class Clause(pytest.Item):
    """The pytest item that judges one rule, or one row of a rule's table."""

    def __init__(self, *, case: Case, **given: Any) -> None:
        super().__init__(**given)
        self.case = case
        self.extra_keyword_matches |= {case.rule.profile.name, case.rule.level.value}

    def runtest(self) -> None:
        from stingy.contract.testimony import in_a_line
        from stingy.judging.verdict import Finding

        docket = _docket(self.config)
        verdict = docket.mark(docket.judge(_judge(self.config), self.case))
        self.user_properties += _properties(verdict)
        because = in_a_line(verdict.because)
        match verdict.verdict:
            case Finding.PASS:
                return
            case Finding.FAIL if not verdict.fails(strict=_request(self.config).strict):
                pytest.xfail(f"{verdict.level}: {because}")
            case Finding.KNOWN_FAIL:
                pytest.xfail(f"known: {because}")
            case Finding.FAIL | Finding.UNEXPECTED_PASS | Finding.ERROR:
                raise NotKept(verdict)
        pytest.skip(f"{verdict.verdict}: {because}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotKept):
            from stingy.reports.verbose import failure

            return failure(excinfo.value.verdict)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.rule.check.__code__.co_firstlineno - 1, self.case.rule.id


class NotKept(Exception):  # noqa: N818 - a verdict, not an error
    """Raised by a test item whose verdict fails the test; ``repr_failure`` shows the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.because)
        self.verdict = verdict


def _properties(verdict: Verdict) -> Iterator[tuple[str, object]]:
    """Yield names and values that pytest writes about a verdict into reports such as ``--junitxml``."""
    for name in ("rule", "case", "profile", "level", "verdict", "evidence", "runs", "source"):
        if value := getattr(verdict, name):
            yield f"{NAME}.{name}", value if isinstance(value, int) else str(value)


def _request(config: pytest.Config) -> Request:
    """Return the request, built from pytest's options; in an xdist worker, the one it was sent."""
    if REQUEST not in config.stash:
        handed_over = getattr(config, "workerinput", {}).get(NAME)
        config.stash[REQUEST] = _read(handed_over) if handed_over else _read_options(config).with_a_seed()
    return config.stash[REQUEST]


def _read(handed_over: str) -> Request:
    import msgspec

    return msgspec.json.decode(handed_over, type=Request)


def _read_options(config: pytest.Config) -> Request:
    """Return the request that pytest's options make; the rest is taken from the settings.

    Raises UsageError if these cannot be used.
    """
    from stingy.settings import SettingsError, load

    here = config.invocation_params.dir
    try:
        agreed = load(here)
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None
    said = {name: getattr(config.option, f"stingy_{name}") for name in OPTIONS}
    said["target"] = config.option.stingy_candidate
    asked: dict[str, Any] = {
        name: tuple(it) if isinstance(it, list) else it for name, it in said.items() if it is not None
    }
    target = {"target": agreed.target} if agreed.target else {}
    request = Request(**{**target, **agreed.options, **asked})
    if "target" not in asked and agreed.refusal:
        raise pytest.UsageError(agreed.refusal)
    if (
        "target" not in asked
        and agreed.file
        and agreed.file.parent != here
        and request.target.startswith("cmd:")
    ):
        raise pytest.UsageError(
            f"{agreed.file} names a command as target, which is run in the folder of that file: start pytest there"
        )
    return request


def _docket(config: pytest.Config) -> Docket:
    """Return the cases to judge, as pytest's options request them.

    Raises UsageError if a baseline or report cannot be read, if no rule matches, or under ``python -O``.
    """
    if DOCKET not in config.stash:
        from stingy.judging.baseline import BaselineError, load
        from stingy.judging.docket import Docket, DocketError
        from stingy.process.intact import NotIntactError

        request = _request(config)
        try:
            baseline = load(Path(request.baseline)) if request.baseline else None
            replayed = _read_broken(Path(request.replay)) if request.replay else None
            config.stash[DOCKET] = Docket(request, baseline, replayed)
        except (BaselineError, DocketError, NotIntactError) as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[DOCKET]


def _read_broken(report: Path) -> Sequence[Verdict]:
    from stingy.reports import ReportError
    from stingy.reports.json import read_broken

    try:
        return read_broken(report).verdicts
    except ReportError as error:
        raise pytest.UsageError(str(error)) from None


def _folders(config: pytest.Config) -> Sequence[str]:
    """Return the folders to import the candidate from; the last one, which is searched first, is the current."""
    from stingy.settings import find_file, is_trusted

    here = config.invocation_params.dir
    file = find_file(here)
    return [*([str(file.parent)] if file and is_trusted(file, here) else []), str(here)]


def _judge(config: pytest.Config) -> Judge:
    """Return the judge of the candidate; the first call imports the candidate or starts its driver."""
    if JUDGE not in config.stash:
        import sys

        from stingy.contract.kubernetes import WaysError, ways
        from stingy.judging.isolation import CANNOT_FORK, reach
        from stingy.language.session import CandidateError
        from stingy.process.ending import GUARD
        from stingy.transport import TargetError, is_driver

        for folder in _folders(config):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        docket = _docket(config)
        request = docket.request
        if request.isolate and CANNOT_FORK and not is_driver(request.target):
            raise pytest.UsageError(f"--stingy-isolate is not possible: {CANNOT_FORK}")
        if capture := config.pluginmanager.getplugin("capturemanager"):
            GUARD.uncover = capture.suspend_global_capture
        try:
            candidate = reach(request)
            ways(request.kubernetes or candidate.kubernetes)
        except (TargetError, CandidateError, WaysError) as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[JUDGE] = docket.make_judge(candidate)
    return config.stash[JUDGE]
