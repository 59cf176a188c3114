"""The pytest plugin: each rule is a test item.

Every pytest run in the environment loads this file. So it defines no fixtures and no markers, and
imports most of the suite only when rules are collected.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentTypeError
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stingy.request import OPTIONS, Option, Request

if TYPE_CHECKING:
    from stingy.judging.baseline import Baseline
    from stingy.judging.trial import Elsewhere, Judge
    from stingy.judging.verdict import Verdict
    from stingy.language.rule import Row, Rule
    from stingy.transport import Candidate

PACKAGE = Path(__file__).resolve().parent
GUARANTEES = PACKAGE / "guarantees"
CANDIDATE: pytest.StashKey[Candidate | Elsewhere] = pytest.StashKey()
"""The candidate, if ``stingy run`` has imported or started it already; otherwise unset."""
REQUEST: pytest.StashKey[Request] = pytest.StashKey()
CHOSEN: pytest.StashKey[Mapping[str, Rule]] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
BASELINE: pytest.StashKey[Baseline] = pytest.StashKey()
REPLAYED: pytest.StashKey[Mapping[tuple[str, str], Verdict]] = pytest.StashKey()
FOLLOWED = "stingy-kubernetes"
"""Key in an xdist worker's input: the Kubernetes version that the candidate follows."""
RIDER = "stingy"
"""Attribute of a test report that holds the verdict as JSON, so that other processes can read it.

Also the key of the request in an xdist worker's input, and the prefix of the names of properties.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    # Not at import time: the command imports this module before pytest's rewriting is installed.
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
            group.addoption(spelt, action="store_true", help=option.help)
        else:
            action = "append" if isinstance(getattr(Request(), name), tuple) else "store"
            metavar = option.metavar or name[0].upper()
            group.addoption(
                spelt, action=action, metavar=metavar, type=_make_reader(option), help=option.help
            )


def _make_reader(option: Option) -> Callable[[str], Any]:
    """Return a function for argparse's ``type`` that converts and checks the option's text."""

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
    """Send the request, and the Kubernetes version the candidate follows, to an xdist worker."""
    import msgspec

    node.workerinput[RIDER] = msgspec.json.encode(_request(node.config)).decode()
    if (candidate := node.config.stash.get(CANDIDATE, None)) is not None:
        node.workerinput[FOLLOWED] = candidate.kubernetes


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.option.stingy_candidate is None:
        return None
    request = _request(config)
    return f"stingy: judging {request.target}, seed {request.seed}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set the seconds per share, so that all races together take ``--stingy-budget``.

    ``Rule.shares`` is the number of shares that each case of a rule gets.
    """
    rules = [item.rule for item in session.items if isinstance(item, Clause)]
    if not rules:
        return
    from stingy.judging.isolation import prepare

    prepare(rules)
    shares = sum(rule.shares for rule in rules)
    budget = _request(session.config).budget
    if shares and budget is not None:
        at_once = getattr(session.config, "workerinput", {}).get("workercount", 1)
        _judge(session.config).candidate.share = budget * at_once / shares


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Fail with one usage error, before rules are collected, if something cannot be used.

    This checks the candidate, the baseline, the report to replay, and the patterns of rules.
    """
    if session.config.option.stingy_candidate is not None or REQUEST in session.config.stash:
        _baseline(session.config)
        _read_replayed(session.config)
        _judge(session.config)
        _choose(session.config)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Return True to ignore a file of this package that is no module of rules; otherwise None.

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
    clauses.sort(key=lambda clause: ORDER.index(clause.rule.guarantee))
    for n, clause in zip(ours, clauses, strict=True):
        items[n] = clause


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if isinstance(item, Clause) and item.verdict is not None and call.when == "call":
        import msgspec

        setattr(report, RIDER, msgspec.json.encode(item.verdict).decode())
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    judge = config.stash.get(JUDGE, None)
    if judge is not None:
        judge.candidate.close()


class Guarantee(pytest.File):
    """One module of rules."""

    def collect(self) -> Iterator[pytest.Item]:
        _judge(self.config)
        replayed = _read_replayed(self.config)
        for rule in _choose(self.config).values():
            if rule.guarantee != self.path.stem:
                continue
            for row in rule.cases:
                if replayed is not None and (rule.id, row.name if row else "") not in replayed:
                    continue
                name = rule.id.partition("/")[2] + (f"[{_spell(row.name)}]" if row else "")
                yield Clause.from_parent(self, name=name, rule=rule, row=row)


def _spell(row: str) -> str:
    """Return the row's name, with escapes if the environment's encoding cannot represent it.

    pytest puts the name of the running test into an environment variable.
    """
    try:
        os.fsencode(row)
    except UnicodeEncodeError:
        return row.encode("ascii", "backslashreplace").decode()
    return row


def _choose(config: pytest.Config) -> Mapping[str, Rule]:
    """Return the requested rules and the rules that those build on, by id."""
    if CHOSEN not in config.stash:
        from stingy.guarantees import chosen

        request = _request(config)
        try:
            config.stash[CHOSEN] = chosen(request.profile, request.rule)
        except LookupError as error:
            raise pytest.UsageError(str(error.args[0])) from None
    return config.stash[CHOSEN]


class Clause(pytest.Item):
    """The test item of one rule, or of one row of a rule's table."""

    def __init__(self, *, rule: Rule, row: Row | None, **given: Any) -> None:
        super().__init__(**given)
        self.rule, self.row = rule, row
        self.verdict: Verdict | None = None
        self.extra_keyword_matches |= {rule.profile.name, rule.level.value}

    def runtest(self) -> None:
        from stingy.contract.testimony import in_a_line
        from stingy.judging.baseline import mark_known
        from stingy.judging.verdict import Finding

        self.verdict = None

        judge, replayed = _judge(self.config), _read_replayed(self.config)
        if replayed is None:
            verdict = judge.verdict(self.rule, self.row)
        else:
            before = replayed[self.rule.id, self.row.name if self.row else ""]
            verdict = judge.again(self.rule, self.row, before.order, before.allowing)
        if (baseline := _baseline(self.config)) is not None:
            verdict = mark_known(verdict, baseline, date.today())  # noqa: DTZ011 - the user's day
        self.verdict = verdict
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
            from stingy.reports.terminal import failure

            return failure(excinfo.value.verdict)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.rule.check.__code__.co_firstlineno - 1, self.rule.id


class NotKept(Exception):  # noqa: N818 - a verdict, not an error
    """Raised by a test item whose verdict fails the test; ``repr_failure`` shows the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.because)
        self.verdict = verdict


def _properties(verdict: Verdict) -> Iterator[tuple[str, object]]:
    """Yield the properties of a verdict for pytest's own reports, such as ``--junitxml``."""
    for name in ("rule", "case", "profile", "level", "verdict", "evidence", "runs", "source"):
        if value := getattr(verdict, name):
            yield f"{RIDER}.{name}", value if isinstance(value, int) else str(value)


def verdict_of(report: pytest.TestReport) -> Verdict | None:
    """Return the verdict that a test report holds; None if it holds none, as for other tests."""
    told = getattr(report, RIDER, None)
    if told is None:
        return None
    import msgspec

    from stingy.judging.verdict import Verdict

    return msgspec.json.decode(told, type=Verdict)


def _request(config: pytest.Config) -> Request:
    """Return the request: from the command, the parent process, or pytest's options."""
    if REQUEST not in config.stash:
        handed_over = getattr(config, "workerinput", {}).get(RIDER)
        config.stash[REQUEST] = _read(handed_over) if handed_over else _read_options(config).with_a_seed()
    return config.stash[REQUEST]


def _read(handed_over: str) -> Request:
    import msgspec

    return msgspec.json.decode(handed_over, type=Request)


def _read_options(config: pytest.Config) -> Request:
    said = {name: getattr(config.option, f"stingy_{name}") for name in OPTIONS}
    said["target"] = config.option.stingy_candidate
    asked: dict[str, Any] = {
        name: tuple(it) if isinstance(it, list) else it for name, it in said.items() if it is not None
    }
    return Request(**asked)


def _read_replayed(config: pytest.Config) -> Mapping[tuple[str, str], Verdict] | None:
    """Return the broken verdicts to replay, by rule and case; None for an ordinary run."""
    file = _request(config).replay
    if not file:
        return None
    if REPLAYED not in config.stash:
        from stingy.guarantees import all_rules
        from stingy.reports import ReportError
        from stingy.reports.json import read_broken

        try:
            verdicts = read_broken(Path(file)).by_case
        except ReportError as error:
            raise pytest.UsageError(str(error)) from None
        for rule, case in verdicts:
            known = all_rules().get(rule)
            if known is None or case not in {row.name if row else "" for row in known.cases}:
                raise pytest.UsageError(
                    f"{file} was written by another version of stingy: this one has no rule {rule}{f', {case}' if case else ''}"
                )
        config.stash[REPLAYED] = verdicts
    return config.stash[REPLAYED]


def _baseline(config: pytest.Config) -> Baseline | None:
    file = _request(config).baseline
    if not file:
        return None
    if BASELINE not in config.stash:
        from stingy.judging.baseline import BaselineError, load

        try:
            config.stash[BASELINE] = load(Path(file))
        except BaselineError as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[BASELINE]


def _judge(config: pytest.Config) -> Judge:
    if JUDGE not in config.stash:
        import sys

        from stingy.contract.kubernetes import WaysError, ways
        from stingy.judging.isolation import CANNOT_FORK, reach
        from stingy.judging.trial import Judge
        from stingy.language.session import CandidateError
        from stingy.transport import TargetError, is_driver

        here = str(config.invocation_params.dir)
        if here not in sys.path:
            sys.path.insert(0, here)
        request = _request(config)
        if request.isolate and CANNOT_FORK and not is_driver(request.target):
            raise pytest.UsageError(f"--stingy-isolate is not possible: {CANNOT_FORK}")
        try:
            known = getattr(config, "workerinput", {}).get(FOLLOWED)
            candidate = config.stash.get(CANDIDATE, None) or reach(request, known)
        except (TargetError, CandidateError) as error:
            raise pytest.UsageError(str(error)) from None
        if request.kubernetes:
            candidate.kubernetes = request.kubernetes
        try:
            ways(candidate.kubernetes)
        except WaysError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[JUDGE] = Judge(candidate, request.seed or 0)
    return config.stash[JUDGE]
