"""Replays a failure in a debugger, which stops at the step that goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from types import FrameType, ModuleType
from typing import Any

import click

from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Verdict
from stingy.transport import is_driver, stop
from stingy.transport.stop import Stop

PDB, DEBUGPY = "pdb", "debugpy"

ADDRESS = ("127.0.0.1", 5678)
"""Address at which debugpy waits for an editor: its default port, on this machine only."""

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


def stop_at_failure(verdict: Verdict, module: str) -> Stop:
    """Arrange that the replay of this verdict stops at the step that goes wrong, and say so."""
    debugger = None if module == PDB else _load(module)
    it = Stop(verdict.story, lambda frame: _enter(frame, it, debugger))
    stop.current = it
    _say(f"{verdict.id} is replayed; {PDB if debugger is None else module} will stop {_describe(it)}")
    if module == DEBUGPY:
        assert debugger is not None
        debugger.listen(ADDRESS)
        _say(f"debugpy waits at {ADDRESS[0]}:{ADDRESS[1]}: attach your editor now")
        debugger.wait_for_client()
    return it


def report_unreached(it: Stop) -> None:
    if not it.reached:
        _say("the replay did not come to that step: the candidate, or its story, is another one now")


def _describe(it: Stop) -> str:
    """Return where the replay stops, as in "as step 4 begins, Get() of worker 2", and what is wrong there."""
    line, wrong = it._lines[it.at], it._lines[it.wrong]
    said = f"as step {it.at + 1} begins: {line.did} of {line.lane}"
    if not wrong.expected:
        return f"{said}, the last call of the story, in which no step is marked as wrong"
    if it.at == it.wrong:
        return f"{said} (✗ expected {wrong.expected})"
    return f"{said}, the call before step {it.wrong + 1}: {wrong.did} of {wrong.lane} (✗ expected {wrong.expected})"


def _enter(frame: FrameType, it: Stop, debugger: ModuleType | None) -> Any:
    _say(f"stopped {_describe(it)}")
    if debugger is None:
        from stingy.engine.debugger import Debugger

        _say(KEYS)
        pdb = Debugger()
        pdb.set_trace(frame)
        return pdb.trace_dispatch
    if debugger.__name__ == DEBUGPY:
        import_module("pydevd").settrace(stop_at_frame=frame, suspend=True, trace_only_current_thread=True)
    else:
        debugger.set_trace(frame=frame)
    return frame.f_trace


def _load(module: str) -> ModuleType:
    try:
        debugger = import_module(module)
    except ImportError as error:
        raise click.ClickException(
            f"{module} is not installed ({error}): install it beside stingy, or leave out --debug-with to use pdb"
        ) from None
    if module != DEBUGPY and "frame" not in signature(getattr(debugger, "set_trace", len)).parameters:
        raise click.ClickException(
            f"{module} has no set_trace(frame=…), with which to stop in a frame: use pdb, ipdb or debugpy"
        )
    return debugger


def _say(text: str) -> None:
    print(text, file=sys.__stderr__ or sys.stderr, flush=True)  # noqa: T201
