"""Requests to a driver and its answers match the published schemas."""

import json
import shlex
import sys
from pathlib import Path

import jsonschema
import pytest

from stingy.guarantees import all_rules, guarantees, rules_of
from stingy.schemas import schemas
from stingy.transport import driver, locate
from stingy.transport.protocol import CALLS, VALUES
from stingy.trial import Judge

PROTOCOL = json.loads(schemas()["protocol-1.json"])
SERVED = Path(__file__).parent / "drivers" / "served.py"
OF_EACH = 40
"""Messages of each op that are looked at: the others are like them."""


def validator(part=None):
    """Return the validator of a line, or of a part that the schema defines."""
    if part is None:
        return jsonschema.Draft202012Validator(PROTOCOL)
    schema = {"$schema": PROTOCOL["$schema"], "$ref": f"#/$defs/{part}", "$defs": PROTOCOL["$defs"]}
    return jsonschema.Draft202012Validator(schema)


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
    request = validator("request")
    line = validator()
    for requests in asked.values():
        for each in requests[:OF_EACH]:
            request.validate(each)
        line.validate(requests[0])


def test_what_a_driver_answers_keeps_to_the_schema(traffic):
    _, answered = traffic
    for op, answers in answered.items():
        answer = validator("Answer")
        value = validator(f"val of {op}") if op in VALUES else None
        for each in answers[:OF_EACH]:
            answer.validate(each)
            if value is not None and each["ok"]:
                value.validate(each["val"])
