"""Judge a class from a test or at a prompt, without the command line or configuration."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from io import StringIO

from stingy.guarantees import all_rules, chosen
from stingy.judging.trial import Judge
from stingy.judging.verdict import Exit, Finding, Status, Verdict
from stingy.language.rule import Row, Rule
from stingy.reports import Report, terminal, verbose
from stingy.request import OPTIONS, Request
from stingy.transport import Candidate, locate
from stingy.transport.inprocess import InProcess
from stingy.transport.target import name_of


def judge(
    candidate: object,
    rules: str | Iterable[str] = "*",
    *,
    profiles: str | Iterable[str] = (),
    edition: str = "",
    seed: int | None = None,
    strict: bool = False,
    kubernetes: str = "",
) -> Report:
    """Judge a candidate by the rules that match, and by the rules that those build on.

    ``candidate``: a class, a function that makes an instance, a module with several of these, or a
    text as on the command line, such as ``"mypkg:WorkQueue"`` or ``"cmd:./driver"``. ``rules``:
    patterns of rule ids, such as ``"stingy/*"``. ``profiles``: judge only rules of these profiles;
    empty for all. ``edition``: judge only by the rules of this edition, as in ``"2026.11"``; empty
    for all. ``seed``: chooses the names, times and thread orders that rules use; if it is
    None, a random seed is drawn, which the report names. ``strict``: a broken SHOULD counts as a
    failure, too. ``kubernetes``: judge a kube-proxy by this version, as in ``"1.30"``; empty for
    the version that the candidate claims.

    The candidate is judged in this process, one rule after the other. Raises LookupError if no rule
    matches, ValueError if there is no such edition or Kubernetes version, and ``TargetError`` if there is
    nothing to judge; each message says what to write instead.
    """
    for option, said in (("edition", edition), ("kubernetes", kubernetes)):
        OPTIONS[option].read(said)
    target = candidate if isinstance(candidate, str) else name_of(candidate)
    request = Request(
        *(target, _texts(profiles), _texts(rules), edition), strict=strict, seed=seed, kubernetes=kubernetes
    ).with_a_seed()
    asked = chosen(request.profile, request.rule, edition)
    reached = _reach(candidate, request.seed or 0)
    began = datetime.now(UTC)
    try:
        reached.kubernetes = kubernetes or reached.kubernetes
        judging = Judge(reached, request.seed or 0)
        timed = [_time(judging, rule, row) for rule in asked.values() for row in rule.cases]
    finally:
        reached.close()
    return Report.of(
        reached,
        request,
        [verdict for verdict, _ in timed],
        {verdict.id: seconds for verdict, seconds in timed},
        status=Status.LIMITED if any(verdict.limit for verdict, _ in timed) else Status.COMPLETE,
        began=began,
    )


def assert_conforms(
    candidate: object,
    rules: str | Iterable[str] = "*",
    *,
    profiles: str | Iterable[str] = (),
    edition: str = "",
    seed: int | None = None,
    strict: bool = False,
    kubernetes: str = "",
) -> None:
    """Judge the candidate; raise AssertionError if it breaks a rule.

    The message is the report that ``stingy run`` prints. The arguments are those of ``judge``. An
    undecided rule counts as broken.
    """
    __tracebackhide__ = True
    report = judge(
        candidate,
        rules,
        profiles=profiles,
        edition=edition,
        seed=seed,
        strict=strict,
        kubernetes=kubernetes,
    )
    if report.exit is not Exit.CONFORMS:
        said = StringIO()
        terminal.write(report, said)
        raise AssertionError(said.getvalue())


def replay(
    candidate: object, rule: str, *, case: str = "", order: str = "", seed: int = 0, kubernetes: str = ""
) -> None:
    """Judge one rule again, a race only in the given order; raise AssertionError unless it passes.

    The arguments are those that ``stingy replay FILE --export pytest`` writes. ``case`` names a row
    of the rule's table, ``order`` is the token of an order in a report, ``seed`` is the seed of
    that run. Where the candidate has changed so that the order cannot be followed, its threads run
    on without preemption. Raises LookupError if there is no such rule or case.
    """
    __tracebackhide__ = True
    asked = all_rules().get(rule)
    if asked is None:
        raise LookupError(f"there is no rule {rule}: stingy rules lists them")
    rows = {row.name if row else "": row for row in asked.cases}
    if case not in rows:
        raise LookupError(f"{rule} has no case {case!r}: stingy explain {rule} lists them")
    reached = _reach(candidate, seed)
    try:
        reached.kubernetes = kubernetes or reached.kubernetes
        verdict = Judge(reached, seed).again(asked, rows[case], order)
    finally:
        reached.close()
    if verdict.verdict is not Finding.PASS:
        raise AssertionError(verbose.failure(verdict))


def _time(judging: Judge, rule: Rule, row: Row | None) -> tuple[Verdict, float]:
    """Judge a rule, or one row of its table; return the verdict and the seconds that it took."""
    began = time.perf_counter()
    return judging.verdict(rule, row), time.perf_counter() - began


def _reach(candidate: object, seed: int) -> Candidate:
    return locate(candidate, seed) if isinstance(candidate, str) else InProcess(candidate, seed)


def _texts(one_or_more: str | Iterable[str]) -> tuple[str, ...]:
    return (one_or_more,) if isinstance(one_or_more, str) else tuple(one_or_more)
