"""Judge the code that a reader has written in a page, by the same rules and the same engine."""

from __future__ import annotations

import gc
import importlib
import json
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import endless
from figure import figure

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Status, Verdict
from stingy.language.rule import Rule
from stingy.reports import Report, terminal
from stingy.reports import json as document
from stingy.reports.places import find_places
from stingy.request import Request
from stingy.transport import Reached, TargetError, locate

FOLDER = Path("/tried")
MODULE = "mine"
"""Name of the module with the reader's code, in reports."""

_numbers = count(1)
"""Numbers of the tries: each has its own folder, so that no cache takes its code for that of another."""

Tell = Callable[[str], object]


def answer(asked: str, tell: Tell) -> None:
    """Do what the page requests: call ``judge`` with the arguments in ``asked``, which is JSON."""
    judge(**json.loads(asked), tell=tell)


def judge(code: str, rules: str, seed: int, tell: Tell) -> None:
    """Judge Python code by the rules whose ids match a pattern, and send each verdict with ``tell``.

    Messages are JSON. Rules that are not offered are not sent. The last message has the report, as
    text and as JSON, or says why the code cannot be judged.
    """
    began = datetime.now(UTC)
    with _installed(code) as folder:
        endless.watch(str(folder), tell)
        try:
            candidate = locate(MODULE, seed)
        except TargetError as error:
            tell(json.dumps({"kind": "refused", "says": str(error)}))
            return
        judging = Judge(candidate, seed)
        asked = [rule for rule in all_rules().values() if fnmatchcase(rule.id, rules)]
        verdicts = []
        for done, rule in enumerate(asked):
            for row in rule.cases:
                verdict = judging.verdict(rule, row)
                verdicts.append(verdict)
                if verdict.verdict is not Finding.NOT_OFFERED:
                    told = {"kind": "verdict", "done": done, "of": len(asked), **describe(rule, verdict)}
                    tell(json.dumps(told))
            gc.collect()  # the automatic collection is off: see stingy.engine.stacks
        request = Request(MODULE, rule=() if rules == "*" else (rules,), seed=seed)
        tell(json.dumps({"kind": "over", **_report(candidate, request, verdicts, began)}))


@contextmanager
def _installed(code: str) -> Iterator[Path]:
    """In this block, the code can be imported as ``MODULE``; yield the folder of its file."""
    folder = FOLDER / str(next(_numbers))
    folder.mkdir(parents=True)
    (folder / f"{MODULE}.py").write_text(code, encoding="utf-8")
    importlib.invalidate_caches()
    linecache.clearcache()
    sys.path.insert(0, str(folder))
    try:
        yield folder
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(MODULE, None)


def _report(
    candidate: Reached, request: Request, verdicts: Sequence[Verdict], began: datetime
) -> dict[str, Any]:
    """Return the report as the terminal shows it, as JSON, and the failures of each cause by their ids."""
    found = Report.of(candidate, request, verdicts, {}, status=Status.COMPLETE, began=began)
    text, data = StringIO(), StringIO()
    terminal.write(found, text)
    document.write(found, data)
    causes = [
        {"ids": [it.id for it in cause.verdicts], "fault": cause.fault.says if cause.fault else ""}
        for cause in found.causes
    ]
    return {"report": text.getvalue(), "json": data.getvalue(), "causes": causes}


def describe(rule: Rule, verdict: Verdict) -> dict[str, Any]:
    """Return what the page shows of a verdict. ``lines``: those of the code in which its calls begin."""
    places = find_places(verdict.story, dict(verdict.code))
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
        "code": " · ".join(map(str, places)),
        "lines": [int(it.where.rpartition(":")[2]) for it in places],
        "figure": figure(verdict.story, verdict.id) if verdict.story else "",
    }
