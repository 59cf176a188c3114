"""Published schemas match the types, reports and baselines. Conversations with drivers: lab/tests/test_schemas.py."""

import json
from pathlib import Path

import jsonschema
import pytest

from lab.schemas import HERE, schemas
from stingy.judging.baseline import write as write_baseline
from stingy.reports.json import read_broken

SCHEMAS = {name: json.loads(text) for name, text in schemas().items()}
CANDIDATES = Path(__file__).parent.parent / "candidates"
SAMPLES = Path(__file__).parent / "samples"


def against(name, part=None):
    schema = SCHEMAS[name]
    if part is not None:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_shipped_schema_matches_the_types(name):
    """If this fails, ``python -m lab derive`` writes the schemas anew."""
    assert json.loads((HERE / name).read_text()) == SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 1, "op": "ad", "lane": "p1", "item": "a"},
        {"id": 1, "op": "add", "lane": "p1"},
        {"id": "1", "op": "get", "lane": "p1"},
        {"id": 1, "op": "advance", "ns": 1.5},
    ],
)
def test_a_malformed_request_is_invalid(wrong):
    assert not against("protocol-1.json", "request").is_valid(wrong)


def test_recorded_reports_are_valid():
    report = against("report-3.json")
    for path in CANDIDATES.glob("*/result.json"):
        recorded = json.loads(path.read_text())
        rows = recorded["results"]
        told = [row for row in rows if "story" in row] + rows[::50]
        report.validate(recorded | {"results": told})
    assert not report.is_valid({"schema": 1, "results": []})


def test_a_report_is_valid(stingy, tmp_path):
    """A report with broken rules and rules that are not offered, and those of older schemas."""
    broken = "stingy_broken.queues:CountsEveryEvent"
    stingy(
        "run", broken, "--rule", "length/*", "--rule", "restart/*", "--as", "acme", "--report", "json=3.json"
    )
    for path in (tmp_path / "3.json", *SAMPLES.glob("report-*.json")):
        against("report-3.json").validate(json.loads(path.read_text()))


def test_a_baseline_is_valid(tmp_path):
    verdicts = read_broken(CANDIDATES / "controller-runtime" / "result.json").verdicts
    path = tmp_path / "baseline.json"
    assert write_baseline(path, verdicts, reason="as upstream", issue="", expires=None)
    against("baseline-1.json").validate(json.loads(path.read_text()))
