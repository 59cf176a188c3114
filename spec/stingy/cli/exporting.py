"""Export broken rules of a report as tests.

For a test that talks to a driver, the rule is run again, to record the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from stingy.contract.kubernetes import ways
from stingy.contract.testimony import in_a_line
from stingy.judging.trial import Judge
from stingy.judging.verdict import Exit, Finding, Verdict
from stingy.language.rule import Rule
from stingy.language.session import CandidateError
from stingy.reports.conversation import Message, NotRepeatable, retell
from stingy.reports.native import SCRIPTED, Again, NotNative, Told, as_test, find_rule, render_tests
from stingy.request import HELLO, Request
from stingy.transport import TargetError, is_driver
from stingy.transport.driver import DriverCandidate
from stingy.transport.transcript import Transcript


def export(verdicts: Sequence[Verdict], language: str, request: Request, refusal: str) -> int:
    """Write a test for each broken rule to standard output, and return exit status 0.

    A rule that cannot be written as a test is named on standard error. ``request``: the candidate,
    seed and limits of the replay. ``refusal``: why its target must not be run; empty if it may be.
    Raises ClickException if there is no test at all.
    """
    tests: list[Told] = []
    races: list[Again] = []
    for verdict in verdicts:
        try:
            rule = find_rule(verdict)
            if not rule.races:
                told = as_test(verdict, language)
            if rule.races or language not in SCRIPTED:
                races.append(_as_it_was(rule, verdict, language, request, refusal))
            else:
                tests.append(told)
        except (NotNative, NotRepeatable) as why:
            click.echo(in_a_line(f"left out: {verdict.id}: {why}"), err=True)
    if not tests and not races:
        raise click.ClickException("no broken rule of this report can be written as a test")
    older = request.kubernetes if ways(request.kubernetes) != ways("") else ""
    click.echo(render_tests(tests, language, request.target, races, older), nl=False)
    return Exit.CONFORMS


def _as_it_was(rule: Rule, verdict: Verdict, language: str, request: Request, refusal: str) -> Again:
    seed = request.seed or 0
    if rule.races and not verdict.order:
        raise NotNative("the run did not control the order of its threads, so a test cannot repeat it")
    if language == "pytest":
        return Again(rule, verdict, seed)
    if not is_driver(request.target):
        raise NotNative(f"{request.target} is judged in Python: use --export pytest")
    if refusal:
        raise click.ClickException(refusal)
    return Again(rule, verdict, seed, _converse(rule, verdict, request))


def _converse(rule: Rule, verdict: Verdict, request: Request) -> Sequence[Message]:
    """Judge the rule again with the driver; return the requests and answers exchanged with it.

    Raises NotNative if the rule is not broken again, or if a test cannot detect what is wrong;
    NotRepeatable if the conversation cannot be repeated exactly.
    """
    row = next((row for row in rule.cases if (row.name if row else "") == verdict.case), None)
    if row is None and verdict.case:
        raise NotNative("this version of stingy has no such case")
    transcript = Transcript()
    try:
        candidate = DriverCandidate(request.target, request.start or HELLO, transcript)
    except (TargetError, CandidateError) as error:
        raise click.ClickException(str(error)) from None
    try:
        candidate.kubernetes = request.kubernetes or candidate.kubernetes
        again = Judge(candidate, request.seed or 0).again(rule, row, verdict.order, verdict.allowing)
    finally:
        candidate.close()
    if again.verdict is not Finding.FAIL:
        raise NotNative(f"it is no longer broken: {again.verdict} {again.because}".rstrip())
    if transcript.data_race:
        raise NotNative(
            "a test cannot detect a data race: use stingy replay with a driver that is built with -race"
        )
    return retell(transcript.lines)
