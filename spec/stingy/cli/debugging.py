"""Replays a failure in a debugger, which stops at the step that goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Verdict
from stingy.transport import is_driver, stop
from stingy.transport.stop import Stop

if TYPE_CHECKING:
    from stingy.engine.debugger import Stepper

KEYS = "n: next line, s: step into, p NAME: show, c: continue, q: quit"
PORT = 5678  # that of debugpy's own examples


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


def find_port(debugger: str) -> int | None:
    """Return the port that debugpy listens on, for ``debugpy`` or ``debugpy:PORT``; None for ``pdb``."""
    name, colon, port = debugger.partition(":")
    if debugger == "pdb":
        return None
    if name != "debugpy" or (colon and not (port.isascii() and port.isdecimal() and int(port) < 1 << 16)):
        raise click.ClickException(f"--debug-with {debugger}: write pdb, debugpy or debugpy:PORT")
    return int(port) if colon else PORT


@contextmanager
def stop_at_failure(verdict: Verdict, port: int | None) -> Iterator[None]:
    """In this block, stop in a debugger as the wrong step of the verdict's story begins.

    It is pdb, or the editor that attaches to ``port`` before the block begins.
    """
    from stingy.engine.debugger import Debugger, stop_at_next_call

    enter: Callable[[], Stepper] = Debugger if port is None else _attach(port)

    def stopping() -> Stepper:
        _say(f"stopped {_describe(it)}" + (f"\n{KEYS}" if port is None else ""))
        return enter()

    it = Stop(verdict.story, lambda: stop_at_next_call(stopping))
    stop.current = it
    _say(f"{verdict.id} is replayed; {'pdb' if port is None else 'the editor'} will stop {_describe(it)}")
    try:
        yield
    finally:
        stop.current = None
    if not it.reached:
        _say("the replay did not reach that step, because its story was different this time")


def _attach(port: int) -> Callable[[], Stepper]:
    """Wait until an editor is attached; return a function that returns the debugger it commands."""
    from stingy.engine.editor import Editor, Server

    try:
        server = Server(port)
    except ImportError:
        raise click.ClickException(
            "--debug-with debugpy needs debugpy, which is not installed: pip install debugpy"
        ) from None
    except RuntimeError as error:
        raise click.ClickException(
            f"debugpy cannot listen on port {port} ({error}): write --debug-with debugpy:PORT for another"
        ) from None
    _say(f"listening on {server.address}; attach your editor")
    server.wait()
    return lambda: Editor(server)


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
