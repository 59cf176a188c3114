"""The schemas that we publish are those of our types, and what we write keeps to them. What a driver is asked and answers: lab/tests/test_schemas.py."""

import json
from pathlib import Path

import jsonschema
import pytest

from lab.schemas import HERE, schemas
from stingy.baseline import write as write_baseline
from stingy.contract import PROFILES
from stingy.ops import OPTIONAL
from stingy.reports.json import read_broken
from stingy.transport.protocol import CALLS

SCHEMAS = {name: json.loads(text) for name, text in schemas().items()}
CANDIDATES = Path(__file__).parent.parent / "candidates"


def against(name, part=None):
    schema = SCHEMAS[name]
    if part is not None:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_shipped_is_what_the_types_say(name):
    """python -m lab derive writes them anew."""
    assert json.loads((HERE / name).read_text()) == SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


def test_every_op_of_the_contract_is_a_request():
    ops = {op for profile in PROFILES.values() for op in profile.ops | profile.tells}
    assert {call.__struct_config__.tag for call in CALLS} == ops | OPTIONAL


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 1, "op": "ad", "lane": "p1", "item": "a"},
        {"id": 1, "op": "add", "lane": "p1"},
        {"id": "1", "op": "get", "lane": "p1"},
        {"id": 1, "op": "advance", "ns": 1.5},
    ],
)
def test_what_is_no_request_does_not(wrong):
    assert not against("protocol-1.json", "request").is_valid(wrong)


def test_reports_that_were_recorded_keep_to_the_schema():
    report = against("report-2.json")
    for path in CANDIDATES.glob("*/result.json"):
        recorded = json.loads(path.read_text())
        rows = recorded["results"]
        told = [row for row in rows if "story" in row] + rows[::50]
        report.validate(recorded | {"results": told})
    assert not report.is_valid({"schema": 1, "results": []})


def test_a_baseline_keeps_to_the_schema(tmp_path):
    verdicts = read_broken(CANDIDATES / "controller-runtime" / "result.json").verdicts
    path = tmp_path / "baseline.json"
    assert write_baseline(path, verdicts, reason="as upstream", issue="", expires=None)
    against("baseline-1.json").validate(json.loads(path.read_text()))
