"""Judges what a reader of the site has written, in the page: the same rules, the same engine."""

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
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Line
from stingy.language.rule import Rule
from stingy.transport import TargetError, locate

FOLDER = Path("/tried")

_numbers = count(1)
"""Each try is a module of its own: what is known of the code of one says nothing of the next."""


def answer(asked: str, tell: Callable[[str], object]) -> None:
    """What the page asks for: ``judge``, by the names of what it takes."""
    judge(**json.loads(asked), tell=tell)


def judge(code: str, guarantee: str, seed: int, tell: Callable[[str], object]) -> None:
    """Tell of each verdict as it comes, as JSON; at last how many there were, or why there is none."""
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
        gc.collect()  # nobody else does: see stingy.engine.stacks
    sys.modules.pop(name, None)
    tell(json.dumps({"kind": "over", "of": of}))


def describe(rule: Rule, verdict: Verdict) -> dict[str, Any]:
    wrong = verdict.verdict not in (Finding.PASS, Finding.NOT_OFFERED)
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "level": verdict.level,
        "evidence": verdict.evidence,
        "runs": verdict.runs,
        "because": verdict.because,
        "order": verdict.order,
        "sentence": rule.sentence,
        "hints": list(rule.hints) if wrong else [],
        "story": list(tell_story(verdict.story)),
    }


def tell_story(story: Sequence[Line]) -> Iterator[dict[str, Any]]:
    """Each step as the stepper of the pages knows it, and as a row of its table."""
    for line in story:
        told: dict[str, Any] = {"says": str(line), "lane": line.lane, "call": line.did}
        if line.outcome:
            told["call"] += f" → {line.outcome}"
        if line.held:
            told["held"] = [list(items) for items in (line.held.queue, line.held.dirty, line.held.processing)]
        if line.expected:
            told["expected"] = line.expected
        yield told
