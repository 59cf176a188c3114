"""Replays a failure in pdb, which stops at the step that goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Verdict
from stingy.transport import is_driver, stop
from stingy.transport.stop import Stop

KEYS = "n: next line, s: step into, p NAME: show, c: continue, q: quit"


def choose(verdicts: Sequence[Verdict], number: int) -> Verdict:
    """Return the verdict with this number, counted from 1; ClickException if it cannot be debugged."""
    if number > len(verdicts):
        raise click.ClickException(
            f"there is no failure {number}: the report has {len(verdicts)}; write --debug 1 for the first"
        )
    verdict = verdicts[number - 1]
    if not verdict.story:
        raise click.ClickException(f"the report has no story of {verdict.id}, so there is no step to stop at")
    rule = all_rules().get(verdict.rule)
    if verdict.evidence is Evidence.TIMED or (rule is not None and rule.races and not verdict.order):
        raise click.ClickException(
            f"{verdict.id} was judged in real time, in an order that cannot be repeated: "
            "call breakpoint() in your code, and add -s to stingy run"
        )
    return verdict


def refuse_driver(target: str) -> None:
    if is_driver(target):
        raise click.ClickException(
            "--debug stops in Python code in this process: start the driver in its own debugger, "
            "and name it as attach:HOST:PORT"
        )


@contextmanager
def stop_at_failure(verdict: Verdict) -> Iterator[None]:
    """In this block, stop in pdb as the wrong step of the verdict's story begins."""
    from stingy.engine.debugger import stop_at_next_call

    it = Stop(verdict.story, lambda: stop_at_next_call(lambda: _say(f"stopped {_describe(it)}\n{KEYS}")))
    stop.current = it
    _say(f"{verdict.id} is replayed; pdb will stop {_describe(it)}")
    try:
        yield
    finally:
        stop.current = None
    if not it.reached:
        _say("the replay did not reach that step, because its story was different this time")


def _describe(it: Stop) -> str:
    """Return where the replay stops, as in "as step 4 begins, Get() of worker 2", and what is wrong there."""
    line, wrong = it.lines[it.at], it.lines[it.wrong]
    said = f"as step {it.at + 1} begins: {line.did} of {line.lane}"
    if not wrong.expected:
        return f"{said}, the end of a story in which no step is marked as wrong"
    if it.at == it.wrong:
        return f"{said} (✗ expected {wrong.expected})"
    return f"{said}, the call before step {it.wrong + 1}: {wrong.did} of {wrong.lane} (✗ expected {wrong.expected})"


def _say(text: str) -> None:
    print(text, file=sys.__stderr__ or sys.stderr, flush=True)
