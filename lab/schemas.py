"""JSON Schemas of the driver protocol, of reports and of baselines.

They are derived from the types by which the suite reads and writes these formats.

``python -m lab derive`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from inspect import cleandoc
from operator import or_
from pathlib import Path
from typing import Any

import msgspec

from stingy.judging.baseline import Baseline
from stingy.reports.json import Document
from stingy.transport.protocol import CALLS, REQUESTS, VALUES, Answer

HERE = Path(__file__).parents[1] / "spec" / "stingy" / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{name}"


def _protocol() -> Mapping[str, Any]:
    """Return the JSON Schema of one line of the driver protocol: a request or an answer.

    Its ``$defs`` also have the form of ``val``, the value in an answer, for each op.
    """
    asked = reduce(or_, (*REQUESTS, *CALLS))
    ops = list(VALUES)
    (request, answer, *values), defs = msgspec.json.schema_components(
        [asked, Answer, *(VALUES[op] for op in ops)], ref_template=REF
    )
    named = {f"val of {op}": value for op, value in zip(ops, values, strict=True)}
    return {
        "title": "Driver protocol 1",
        "description": "One line of the protocol, to a driver or from a driver.",
        "anyOf": [{"$ref": "#/$defs/request"}, answer],
        "$defs": {"request": request, **_plain(defs), **named},
    }


def _report() -> Mapping[str, Any]:
    return _of(Document, "Report 3", "Report written by stingy run --report json.")


def _baseline() -> Mapping[str, Any]:
    return _of(Baseline, "Baseline 1", "Baseline written by stingy baseline write.")


def _of(kind: type, title: str, description: str) -> Mapping[str, Any]:
    (whole,), defs = msgspec.json.schema_components([kind], ref_template=REF)
    return {"title": title, "description": description, **whole, "$defs": _plain(defs)}


def _plain(defs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definitions without the indentation of docstrings, which Python 3.13 and later remove."""
    described = {name: it for name, it in defs.items() if "description" in it}
    return {
        **defs,
        **{name: {**it, "description": cleandoc(it["description"])} for name, it in described.items()},
    }


MADE: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "protocol-1.json": _protocol,
    "report-3.json": _report,
    "baseline-1.json": _baseline,
}


def schemas() -> Mapping[str, str]:
    """Return the text of each JSON Schema, by its file name."""
    made = {name: {"$schema": DRAFT, **make()} for name, make in MADE.items()}
    return {
        name: msgspec.json.format(msgspec.json.encode(made[name]), indent=2).decode() + "\n" for name in made
    }
