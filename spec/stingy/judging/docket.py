"""Docket of a request: the rules and rows to judge, and how each of them is judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from stingy.contract.testimony import describe
from stingy.guarantees import all_rules, chosen
from stingy.judging.baseline import Baseline, mark_known
from stingy.judging.isolation import Isolated
from stingy.judging.trial import Judge
from stingy.judging.verdict import Verdict, spell
from stingy.language.rule import Row, Rule
from stingy.request import Request
from stingy.transport import Candidate


class DocketError(Exception):
    """The rules that a request asks for cannot be found; the message says what to write instead."""


class Case(NamedTuple):
    """A rule, or one row of its table; each case gets a verdict."""

    rule: Rule
    row: Row | None

    @property
    def id(self) -> str:
        return spell(self.rule.id, self.row.name if self.row else "")


def cases_of(rules: Iterable[Rule]) -> list[Case]:
    """Return the cases of these rules: each rule without a table, and each row of a table, in order."""
    return [Case(rule, row) for rule in rules for row in rule.cases]


class Result(NamedTuple):
    """The verdict on one case, the seconds that judging took, and an error of the suite if any."""

    verdict: Verdict | None
    """None if the suite itself failed."""
    seconds: float
    fault: str = ""
    """The error of the suite, and the case that it was judging; empty if there was none."""


def judge_case(case: Case, judge: Callable[[Case], Verdict]) -> Result:
    """Judge a case by calling ``judge``; return the verdict, or the suite's error, and the seconds."""
    began = time.perf_counter()
    verdict, fault = None, ""
    try:
        verdict = judge(case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the other cases have to be judged all the same
        fault = f"{describe(error)} (while judging {case.id})"
    return Result(verdict, time.perf_counter() - began, fault)


class Docket:
    """The cases (rules, and rows of their tables) that a request asks to judge."""

    def __init__(
        self,
        request: Request,
        baseline: Baseline | None = None,
        replayed: Sequence[Verdict] | None = None,
    ) -> None:
        """Find the cases that the request asks for. Raises DocketError if it names unknown rules.

        ``replayed``: the verdicts to replay, instead of judging by all rules of the request.
        """
        self.request = request
        self.baseline = baseline
        self._replayed: Mapping[str, Verdict] | None = None
        try:
            self.rules = chosen(request.profile, request.rule, request.edition)
        except LookupError as error:
            raise DocketError(str(error.args[0])) from None
        self.cases: Sequence[Case] = cases_of(self.rules.values())
        if replayed is not None:
            self._replayed = {verdict.id: verdict for verdict in replayed}
            self.cases = [case for case in self.cases if case.id in self._replayed]
            if strange := self._replayed.keys() - {case.id for case in cases_of(all_rules().values())}:
                raise DocketError(
                    f"{request.replay} was written by another version of stingy: this one has no rule {min(strange)}"
                )

    def judge(self, judge: Judge, case: Case) -> Verdict:
        """Return the judge's verdict on a case; a replayed race runs only in the order that failed."""
        if self._replayed is None:
            return judge.verdict(case.rule, case.row)
        before = self._replayed[case.id]
        return judge.again(case.rule, case.row, before.order, before.allowing)

    def make_judge(self, candidate: Candidate | Isolated, processes: int = 1) -> Judge:
        """Return a judge of the candidate; set the candidate's Kubernetes version and time for races.

        ``processes``: how many processes judge at the same time; they multiply the time budget.
        """
        candidate.kubernetes = self.request.kubernetes or candidate.kubernetes
        candidate.share = self.share(self.cases, processes)
        return Judge(candidate, self.request.seed or 0)

    def share(self, cases: Iterable[Case], processes: int = 1) -> float | None:
        """Return the seconds of one share of a race, so that these cases use up ``--budget``.

        None without ``--budget``, or if no case is a race. ``processes``: as for ``make_judge``.
        """
        shares = sum(case.rule.shares for case in cases)
        budget = self.request.budget
        return budget * processes / shares if shares and budget is not None else None

    def mark(self, verdict: Verdict) -> Verdict:
        """Return the verdict, marked as known or unexpected if the baseline lists its rule as broken."""
        if self.baseline is None:
            return verdict
        return mark_known(verdict, self.baseline, date.today())  # noqa: DTZ011 - the user's day
