"""Alter the answers of a driver on their way, and name the rules that none of these lies breaks.

``python -m lab.lies candidates/client-go`` judges the driver that was built in that folder, by each
rule that its record says it keeps: first with true answers, then once for each lie until one breaks
the rule. A rule that no lie breaks is named: it cannot fail through that driver, or only through a
lie that this tool does not know. Exit status: 0 no rule is named, 1 some are.
"""

from __future__ import annotations

import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from lab.kills import SEED
from lab.recorded import read
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.rule import Row, Rule
from stingy.transport import Candidate, locate, wire
from stingy.transport.protocol import REQUESTS, Answer

ENOUGH_S = 30.0
"""Seconds for all lies about one row; lies that are not tried by then are left out."""
NOT_OF_THE_CANDIDATE = {request.__struct_config__.tag for request in REQUESTS} - {"burst"}
HOME: dict[str, Any] = {"item": None, "shutdown": True}
STRANGER: dict[str, Any] = {"item": "never-added", "shutdown": False}
WITHHELD = "withheld"
CALLS = 6
"""Number of calls of a history that are altered, each by itself."""

Alter = Callable[[Any], Any]


@dataclass(frozen=True)
class Lie:
    """An alteration of a driver's answers to one op.

    ``nth`` is the number of the answer to alter, from 1 for the first one since the candidate was
    created; None alters all answers. ``how`` is the name of the alteration.
    """

    op: str
    nth: int | None
    how: str


@dataclass
class Relay:
    """Passes a driver's answers on to the judge, and alters those that ``lie`` selects."""

    lie: Lie | None = None
    heard: dict[tuple[str, str], int] = field(default_factory=dict)
    """By op and name of a lie, the highest number of an answer to which that lie applied."""
    _ops: dict[int, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def install(self) -> None:
        encode, decode = wire._encode, wire._decode

        def encoded(message: Mapping[str, Any]) -> bytes:
            self._ops[message["id"]] = message["op"]
            return encode(message)

        def decoded(line: bytes) -> Answer:
            return self._pass_on(decode(line))

        vars(wire).update(_encode=encoded, _decode=decoded, _decode_burst=decoded)

    def _pass_on(self, answer: Answer) -> Answer:
        op = self._ops.get(answer.id, "")
        if op == "new":
            self._counts.clear()
        if op in NOT_OF_THE_CANDIDATE or not answer.ok:
            return answer
        self._counts[op] += 1
        lies = dict(_lies(answer.val))
        for how in (WITHHELD, *lies):
            self.heard[op, how] = max(self.heard.get((op, how), 0), self._counts[op])
        lie = self.lie
        if lie is None or lie.op != op or lie.nth not in (None, self._counts[op]):
            return answer
        if lie.how == WITHHELD:
            return replace(answer, id=-1)
        return replace(answer, val=lies[lie.how](answer.val)) if lie.how in lies else answer


def _lies(val: Any) -> Iterator[tuple[str, Alter]]:
    match val:
        case bool():
            yield "negated", lambda told: not told
        case int() | float():
            yield from {
                "more": lambda told: told + 1,
                "less": lambda told: told - 1,
                "much": lambda told: told * 7 + 1_000_003,
            }.items()
        case str():
            yield "another text", lambda told: told + "0"
        case None:
            yield "something", lambda _: 1
        case list():
            yield from {
                "nothing": lambda _: [],
                "less": lambda told: told[1:],
                "twice": lambda told: told + told[-1:],
            }.items()
            yield "other numbers", _shift
        case {"calls": _}:
            yield from ((how, _in_each(alter)) for how, alter in _lies_about_calls())
        case {"shutdown": _}:
            yield "home", lambda told: told | HOME
            yield "a stranger", lambda told: told | STRANGER
        case dict():
            yield "other numbers", _shift
            yield (
                "nothing",
                lambda told: {
                    key: type(had)() if isinstance(had, list | dict) else had for key, had in told.items()
                },
            )


def _shift(told: Any) -> Any:
    """Return the value with 3 added to each number in it, at any depth."""
    match told:
        case bool() | str() | None:
            return told
        case int() | float():
            return told + 3
        case list():
            return [_shift(each) for each in told]
        case dict():
            return {key: _shift(had) for key, had in told.items()}
    return told


def _in_each(alter: Alter) -> Alter:
    """Return a function that applies ``alter`` to the calls of an answer and of each of its histories."""

    def altered(told: Any) -> Any:
        several = (
            {"histories": [altered(each) for each in told["histories"]]} if told.get("histories") else {}
        )
        return told | several | {"calls": alter([dict(call) for call in told["calls"]])}

    return altered


def _lies_about_calls() -> Iterator[tuple[str, Alter]]:
    yield "the last call is left out", lambda calls: calls[:-1]
    yield (
        "every hand-out is a shutdown",
        lambda calls: [call | {"val": HOME} if _hands_out(call) else call for call in calls],
    )
    yield "each hand-out is repeated", _again
    for n in range(CALLS):
        yield f"call {n} does not return", partial(_with, n, {"end": None, "val": None})
        yield f"call {n} raises", partial(_with, n, {"error": {"kind": "raised", "text": "a lie"}})
        yield f"answer {n} differs", partial(_answered, n)


def _with(n: int, told: dict[str, Any], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [call | told if number == n else call for number, call in enumerate(calls)]


def _hands_out(call: dict[str, Any]) -> bool:
    return isinstance(call.get("val"), dict) and "shutdown" in call["val"]


def _again(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls, followed by a later copy of each call that handed out an item."""
    late = max((call["end"] or call["start"] for call in calls), default=0)
    more = [call for call in calls if _hands_out(call) and call["end"] is not None]
    return calls + [call | {"start": call["start"] + late, "end": call["end"] + late} for call in more]


def _answered(n: int, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls with the n-th answer among them altered, counted from 0.

    A Get that returned an item reports the shutdown instead; any other answer gets other numbers.
    """
    answers = [number for number, call in enumerate(calls) if call.get("val") is not None]
    if n >= len(answers):
        return calls
    val = calls[answers[n]]["val"]
    other = val | HOME if _hands_out(calls[answers[n]]) else _shift(val)
    return _with(answers[n], {"val": other}, calls)


PLACES: tuple[Callable[[int], int | None], ...] = (
    lambda _: None,
    lambda last: last,
    lambda _: 1,
    lambda _: 2,
    lambda last: last // 2,
)
"""Functions that map the number of answers to the answer to alter, from 1; None for all."""


@dataclass
class Hearing:
    """Judges a driver while its answers are altered."""

    candidate: Candidate
    relay: Relay

    def is_blind(self, rule: Rule, rows: Collection[Row | None]) -> bool:
        """Return True if no known lie makes the driver fail one of these rows of the rule."""
        return not any(self._is_broken(rule, row) for row in rows for _ in self._lies_about(rule, row))

    def _lies_about(self, rule: Rule, row: Row | None) -> Iterator[Lie]:
        """Yield each lie about the answers in this row, after the relay was set to alter them accordingly.

        Exits the program if the row fails with true answers. Stops after ``ENOUGH_S``.
        """
        until = time.monotonic() + ENOUGH_S
        self.relay.lie = None
        self.relay.heard.clear()
        if self._is_broken(rule, row):
            sys.exit(f"{rule.id} is broken although no answer was altered: renew the record")
        heard = sorted(dict(self.relay.heard).items(), key=lambda it: it[0][1] == WITHHELD)
        for place in PLACES:
            for (op, how), last in heard:
                if time.monotonic() > until:
                    return
                self.relay.lie = Lie(op, place(last), how)
                yield self.relay.lie

    def _is_broken(self, rule: Rule, row: Row | None) -> bool:
        """Return True if the driver fails this row of the rule.

        Each call uses a new trial, because a trial reuses the recorded histories of races.
        """
        return Trial(self.candidate, SEED).judge(rule, row).verdict is Finding.FAIL


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("names", nargs=-1)
def main(folder: Path, names: tuple[str, ...]) -> None:
    os.chdir(folder)
    kept = {(it.rule, it.case) for it in read(Path("result.json")).results if it.verdict is Finding.PASS}
    relay = Relay()
    relay.install()
    candidate = locate(tomllib.loads(Path("candidate.toml").read_text())["target"], SEED)
    hearing = Hearing(candidate, relay)
    heard = blind = 0
    for rule in all_rules().values():
        rows = [row for row in rule.cases if (rule.id, row.name if row else "") in kept]
        if rows and (not names or rule.id in names):
            heard += 1
            if hearing.is_blind(rule, rows):
                blind += 1
                click.echo(f"{rule.level} {rule.id}")
    candidate.close()
    click.echo(f"{heard} rules; no lie breaks {blind} of them")
    sys.exit(1 if blind else 0)


if __name__ == "__main__":
    main()
