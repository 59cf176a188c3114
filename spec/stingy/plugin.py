"""pytest's door: rules are items of their own. Nothing is imported until one of them is collected.

No fixtures, no markers: this file is loaded into every pytest run of the environment it is installed in.
"""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from stingy.baseline import Baseline
    from stingy.isolation import Limits
    from stingy.judge import Elsewhere, Judge
    from stingy.language.rule import Row, Rule
    from stingy.transport import Candidate
    from stingy.verdict import Verdict

REWRITTEN = ("stingy.guarantees", "stingy.language")
"""Where an assertion that fails is told with what was found instead."""
pytest.register_assert_rewrite(*REWRITTEN)

GUARANTEES = Path(__file__).resolve().parent / "guarantees"
CANDIDATE: pytest.StashKey[Candidate | Elsewhere] = pytest.StashKey()
"""Where the command leaves a candidate that it has reached already."""
CHOSEN: pytest.StashKey[Mapping[str, Rule]] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
BASELINE: pytest.StashKey[Baseline] = pytest.StashKey()
REPLAYED: pytest.StashKey[Mapping[tuple[str, str], Verdict]] = pytest.StashKey()
RIDER = "stingy"
"""Under this name a verdict rides on a test report, also from one process to another: as JSON, which every process reads."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(
        "stingy", "rules of the Kubernetes workqueue and of kube-proxy (pytest --pyargs stingy)"
    )
    group.addoption(
        "--stingy-candidate", metavar="TARGET", help="judge this: module:object, module, or cmd:COMMAND LINE"
    )
    group.addoption("--stingy-profile", metavar="P", action="append", default=[], help="only this profile")
    group.addoption("--stingy-rule", metavar="GLOB", action="append", default=[], help="only rules like this")
    group.addoption("--stingy-strict", action="store_true", help="a broken SHOULD fails, too")
    group.addoption(
        "--stingy-seed", metavar="N", type=int, help="choose names, times and orders as in that run"
    )
    group.addoption(
        "--stingy-kubernetes", metavar="VERSION", help="judge it by the ways of this version of Kubernetes"
    )
    group.addoption("--stingy-baseline", metavar="FILE", type=Path, help="failures that are known")
    group.addoption(
        "--stingy-replay", metavar="FILE", type=Path, help="only what this JSON report says is broken"
    )
    group.addoption(
        "--stingy-isolate", action="store_true", help="judge the candidate in a process of its own"
    )
    group.addoption(
        "--stingy-limit", metavar="S", type=float, default=300.0, help="seconds for one rule, where isolated"
    )
    group.addoption(
        "--stingy-memory", metavar="MB", type=int, default=4096, help="megabytes resident, where isolated"
    )
    group.addoption("--stingy-start", metavar="S", type=float, help="seconds to be imported, or to say hello")
    group.addoption(
        "--stingy-budget", metavar="S", type=float, help="run races for so many seconds in all, not so often"
    )


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> None:
    """The option's older name is a plain word: it is ours only where no plugin and no conftest.py wants it."""
    with suppress(ValueError):
        parser.addoption("--candidate", dest="stingy_candidate", metavar="TARGET", help=SUPPRESS)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.stingy_seed is None:
        inherited = getattr(config, "workerinput", {}).get("stingy_seed")
        config.option.stingy_seed = inherited if inherited is not None else new_seed()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """One seed for all of xdist's workers."""
    node.workerinput["stingy_seed"] = node.config.option.stingy_seed


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.option.stingy_candidate is None:
        return None
    return f"stingy: judging {config.option.stingy_candidate}, seed {config.option.stingy_seed}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Every race gets an equal share of the time there is."""
    races = sum(isinstance(item, Clause) and item.rule.races for item in session.items)
    if races and session.config.option.stingy_budget is not None:
        _judge(session.config).candidate.share = session.config.option.stingy_budget / races


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """A candidate that cannot be reached is said at once, and once; so is a file that is of no use."""
    if session.config.option.stingy_candidate is not None:
        _baseline(session.config)
        _replayed(session.config)
        _judge(session.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Guarantee | None:
    if file_path.parent == GUARANTEES and file_path.name != "__init__.py" and file_path.suffix == ".py":
        return Guarantee.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rules in reading order, where they were collected as a block."""
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
    """A chapter of rules."""

    def collect(self) -> Iterator[pytest.Item]:
        _judge(self.config)
        replayed = _replayed(self.config)
        for rule in _chosen(self.config).values():
            if rule.guarantee != self.path.stem:
                continue
            for row in rule.cases:
                if replayed is not None and (rule.id, row.name if row else "") not in replayed:
                    continue
                name = rule.id.partition("/")[2] + (f"[{row.name}]" if row else "")
                yield Clause.from_parent(self, name=name, rule=rule, row=row)


def _chosen(config: pytest.Config) -> Mapping[str, Rule]:
    """The rules that are asked for, with those that they build on: what these have found out counts, too."""
    from stingy.guarantees import all_rules, with_what_they_build_on

    if CHOSEN not in config.stash:
        profiles, globs = config.option.stingy_profile, config.option.stingy_rule
        config.stash[CHOSEN] = with_what_they_build_on(
            rule
            for rule in all_rules().values()
            if (not profiles or rule.profile.name in profiles)
            and (not globs or any(fnmatchcase(rule.id, glob) for glob in globs))
        )
    return config.stash[CHOSEN]


class Clause(pytest.Item):
    """One rule, or one row of its table."""

    def __init__(self, *, rule: Rule, row: Row | None, **given: Any) -> None:
        super().__init__(**given)
        self.rule, self.row = rule, row
        self.verdict: Verdict | None = None
        self.extra_keyword_matches |= {rule.profile.name, rule.level.value}

    def runtest(self) -> None:
        from stingy.baseline import held
        from stingy.testimony import in_a_line
        from stingy.verdict import Finding

        self.verdict = None

        judge, replayed = _judge(self.config), _replayed(self.config)
        if replayed is None:
            verdict = judge.verdict(self.rule, self.row)
        else:
            before = replayed[self.rule.id, self.row.name if self.row else ""]
            verdict = judge.again(self.rule, self.row, before.order, before.allowing)
        if (baseline := _baseline(self.config)) is not None:
            verdict = held(verdict, baseline, date.today())  # noqa: DTZ011 - a day of the one who waits for it
        self.verdict = verdict
        self.user_properties += _properties(verdict)
        because = in_a_line(verdict.because)
        match verdict.verdict:
            case Finding.PASS:
                return
            case Finding.FAIL if not verdict.fails(strict=self.config.option.stingy_strict):
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
    """Carries a verdict to where pytest shows failures."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.because)
        self.verdict = verdict


def _properties(verdict: Verdict) -> Iterator[tuple[str, object]]:
    """What pytest's own reports tell of a rule, in words and numbers: ``--junitxml`` writes each as it is."""
    for name in ("rule", "case", "profile", "level", "verdict", "evidence", "runs", "source"):
        if value := getattr(verdict, name):
            yield f"{RIDER}.{name}", value if isinstance(value, int) else str(value)


def verdict_of(report: pytest.TestReport) -> Verdict | None:
    """The verdict that rides on a test report, if it is the report of a rule."""
    told = getattr(report, RIDER, None)
    if told is None:
        return None
    import msgspec

    from stingy.verdict import Verdict

    return msgspec.json.decode(told, type=Verdict)


def new_seed() -> int:
    return SystemRandom().randrange(1, 1_000_000)


def _replayed(config: pytest.Config) -> Mapping[tuple[str, str], Verdict] | None:
    """What is to be broken again, by rule and case; None for an ordinary run."""
    if config.option.stingy_replay is None:
        return None
    if REPLAYED not in config.stash:
        from stingy.guarantees import all_rules
        from stingy.reports import ReportError
        from stingy.reports.json import broken

        try:
            verdicts = broken(config.option.stingy_replay).by_case
        except ReportError as error:
            raise pytest.UsageError(str(error)) from None
        for rule, case in verdicts:
            known = all_rules().get(rule)
            if known is None or case not in {row.name if row else "" for row in known.cases}:
                raise pytest.UsageError(
                    f"{config.option.stingy_replay} is of another stingy: this one has no {rule}"
                    f"{f', {case}' if case else ''}"
                )
        config.stash[REPLAYED] = verdicts
    return config.stash[REPLAYED]


def _baseline(config: pytest.Config) -> Baseline | None:
    if config.option.stingy_baseline is None:
        return None
    if BASELINE not in config.stash:
        from stingy.baseline import BaselineError, load

        try:
            config.stash[BASELINE] = load(config.option.stingy_baseline)
        except BaselineError as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[BASELINE]


def _limits(config: pytest.Config) -> Limits | None:
    """What the candidate may use in a process of its own; None where it is to have none."""
    from stingy.isolation import CANNOT_FORK, Limits

    if not config.option.stingy_isolate:
        return None
    if CANNOT_FORK:
        raise pytest.UsageError(f"--stingy-isolate cannot be had: {CANNOT_FORK}")
    option = config.option
    return Limits(option.stingy_limit, option.stingy_memory, option.stingy_start or Limits.start)


def _judge(config: pytest.Config) -> Judge:
    if JUDGE not in config.stash:
        import sys

        from stingy.isolation import reach
        from stingy.judge import Judge
        from stingy.kubernetes import WaysError, ways
        from stingy.language.session import CandidateError
        from stingy.transport import DEFAULT_TARGET, TargetError

        here = str(config.invocation_params.dir)
        if here not in sys.path:
            sys.path.insert(0, here)
        candidate = config.stash.get(CANDIDATE, None)
        try:
            candidate = candidate or reach(
                config.option.stingy_candidate or DEFAULT_TARGET,
                config.option.stingy_seed,
                _limits(config),
                config.option.stingy_start,
            )
        except (TargetError, CandidateError) as error:
            raise pytest.UsageError(str(error)) from None
        if config.option.stingy_kubernetes:
            candidate.kubernetes = config.option.stingy_kubernetes
        try:
            ways(candidate.kubernetes)
        except WaysError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[JUDGE] = Judge(candidate, config.option.stingy_seed)
    return config.stash[JUDGE]
