"""The schemas that we publish are those of our types, and what really crosses our borders keeps to them."""

import json
import shlex
import sys
from pathlib import Path

import jsonschema
import pytest

from stingy.baseline import write as write_baseline
from stingy.contract import PROFILES
from stingy.guarantees import all_rules, guarantees, rules_of
from stingy.reports.json import read_broken
from stingy.schemas import HERE, schemas
from stingy.transport import driver, locate
from stingy.transport.protocol import CALLS, VALUES
from stingy.trial import Judge

SCHEMAS = {name: json.loads(text) for name, text in schemas().items()}
SERVED = Path(__file__).parent / "drivers" / "served.py"
CANDIDATES = Path(__file__).parent.parent / "candidates"
OF_EACH = 40
"""So many messages of each op are looked at: the others are like them."""


def against(name, part=None):
    schema = SCHEMAS[name]
    if part is not None:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_shipped_is_what_the_types_say(name):
    """python -m stingy.schemas writes them anew."""
    assert json.loads((HERE / name).read_text()) == SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


def test_every_op_of_the_contract_is_a_request():
    ops = {op for profile in PROFILES.values() for op in profile.ops | profile.tells}
    assert {call.__struct_config__.tag for call in CALLS} == ops


class Overheard:
    """A connection on which everything is written down."""

    def __init__(self, connection):
        self._connection = connection
        self.asked, self.answered = [], []

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def say(self, line):
        self.asked.append(json.loads(line))
        self._connection.say(line)

    @property
    def answers(self):
        return self

    def readline(self, longest):
        line = self._connection.answers.readline(longest)
        if line:
            self.answered.append(json.loads(line))
        return line

    def close(self):
        self._connection.answers.close()


@pytest.fixture(scope="module")
def traffic():
    """Requests and answers, by op, as they went to and fro over a driver of the reference."""
    overheard = []

    def connect(target):
        overheard.append(Overheard(really(target)))
        return overheard[-1]

    really, driver.connect = driver.connect, connect
    try:
        command = shlex.join([sys.executable, str(SERVED), "stingy_reference"])
        candidate = locate(f"cmd:{command}", 1)
        judge = Judge(candidate, 1)
        for guarantee in guarantees():
            rules = [rule for rule in rules_of(guarantee) if not (rule.for_all or rule.races)]
            for rule in (*rules[:3], *rules[-1:]):
                judge.verdict(rule, rule.cases[0])
        for id_ in (
            "triggers/a-deleted-service-is-forgotten",
            "once_more/no-add-is-lost",
            "ending/nothing-runs-on-after-a-shutdown",
            "readiness/items-of-one-call-each-wait-for-themselves",
        ):
            judge.verdict(all_rules()[id_])
        candidate.close()
    finally:
        driver.connect = really
    asked, answered = {}, {}
    for connection in overheard:
        ops = {request["id"]: request["op"] for request in connection.asked}
        for request in connection.asked:
            asked.setdefault(request["op"], []).append(request)
        for answer in connection.answered:
            answered.setdefault(ops[answer["id"]], []).append(answer)
    return asked, answered


def test_what_a_driver_is_asked_keeps_to_the_schema(traffic):
    asked, _ = traffic
    ops = {request.__struct_config__.tag for request in CALLS}
    assert ops - asked.keys() == set(), "each op is asked at least once"
    request = against("protocol-1.json", "request")
    line = against("protocol-1.json")
    for requests in asked.values():
        for each in requests[:OF_EACH]:
            request.validate(each)
        line.validate(requests[0])


def test_what_a_driver_answers_keeps_to_the_schema(traffic):
    _, answered = traffic
    for op, answers in answered.items():
        answer = against("protocol-1.json", "Answer")
        value = against("protocol-1.json", f"val of {op}") if op in VALUES else None
        for each in answers[:OF_EACH]:
            answer.validate(each)
            if value is not None and each["ok"]:
                value.validate(each["val"])


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
