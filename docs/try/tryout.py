"""Judge the code that a reader has written in a page, by the same rules and the same engine."""

from __future__ import annotations

import gc
import importlib
import json
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Verdict
from stingy.language.account import Line
from stingy.language.rule import Rule
from stingy.transport import TargetError, locate

FOLDER = Path("/tried")

_numbers = count(1)
"""Numbers of the tries: each is a module with a new name, so that no cache confuses them."""


def answer(asked: str, tell: Callable[[str], object]) -> None:
    """Do what the page requests: call ``judge`` with the arguments in ``asked``, which is JSON."""
    judge(**json.loads(asked), tell=tell)


def judge(code: str, guarantee: str, seed: int, tell: Callable[[str], object]) -> None:
    """Judge Python code by the rules of a guarantee, and send each verdict with ``tell``, as JSON.

    The last message has the number of verdicts, or says why the code cannot be judged.
    """
    name = f"tried_{next(_numbers)}"
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.py").write_text(code, encoding="utf-8")
    importlib.invalidate_caches()
    linecache.clearcache()
    try:
        judge = Judge(locate(name, seed), seed)
    except TargetError as error:
        tell(json.dumps({"kind": "refused", "says": str(error)}))
        return
    rules = [rule for rule in all_rules().values() if rule.guarantee == guarantee]
    of = sum(len(rule.cases) for rule in rules)
    done = 0
    for rule in rules:
        for row in rule.cases:
            verdict = judge.verdict(rule, row)
            done += 1
            tell(json.dumps({"kind": "verdict", "done": done, "of": of, **describe(rule, verdict)}))
        gc.collect()  # the automatic collection is off: see stingy.engine.stacks
    sys.modules.pop(name, None)
    tell(json.dumps({"kind": "over", "of": of}))


def describe(rule: Rule, verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "level": verdict.level,
        "evidence": verdict.evidence,
        "runs": verdict.runs,
        "because": verdict.because,
        "order": verdict.order,
        "sentence": rule.sentence,
        "hint": verdict.hint,
        "story": list(tell_story(verdict.story)),
    }


def tell_story(story: Sequence[Line]) -> Iterator[dict[str, Any]]:
    """Yield a dict for each line of a story, from which the page shows the steps and a table."""
    for line in story:
        told: dict[str, Any] = {"says": str(line), "lane": line.lane, "call": line.did}
        if line.outcome:
            told["call"] += f" → {line.outcome}"
        if line.held:
            told["held"] = [list(items) for items in (line.held.queue, line.held.dirty, line.held.processing)]
        if line.expected:
            told["expected"] = line.wanted
        yield told
