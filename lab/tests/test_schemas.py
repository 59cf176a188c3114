"""Requests to a driver and its answers match the published schemas."""

import json
import shlex
import sys
from pathlib import Path

import jsonschema
import pytest

from lab.schemas import schemas
from stingy.contract.ops import PAUSE
from stingy.guarantees import all_rules, guarantees, rules_of
from stingy.judging.trial import Judge
from stingy.transport.driver import DriverCandidate
from stingy.transport.protocol import CALLS, VALUES
from stingy.transport.transcript import Transcript

PROTOCOL = json.loads(schemas()["protocol-1.json"])
SERVED = Path(__file__).parent / "drivers" / "served.py"
OF_EACH = 40
"""Maximum number of messages of each op to check; the others are like them."""


def validator(part=None):
    """Return the validator of a line, or of a part that the schema defines."""
    if part is None:
        return jsonschema.Draft202012Validator(PROTOCOL)
    schema = {"$schema": PROTOCOL["$schema"], "$ref": f"#/$defs/{part}", "$defs": PROTOCOL["$defs"]}
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def traffic():
    """Requests and answers, by op, recorded from a driver of the reference."""
    transcript = Transcript()
    command = shlex.join([sys.executable, str(SERVED), "stingy_reference"])
    candidate = DriverCandidate(f"cmd:{command}", transcript=transcript)
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
        "checkout/what-was-handed-over-stays-as-it-was",
    ):
        judge.verdict(all_rules()[id_])
    candidate.close()
    ops, asked, answered = {}, {}, {}
    for line in map(json.loads, transcript.lines):
        if "op" in line:
            ops[line["id"]] = line["op"]
            asked.setdefault(line["op"], []).append(line)
        else:
            answered.setdefault(ops[line["id"]], []).append(line)
    return asked, answered


@pytest.mark.budget(30)
def test_what_a_driver_is_asked_keeps_to_the_schema(traffic):
    asked, _ = traffic
    ops = {request.__struct_config__.tag for request in CALLS}
    assert ops - asked.keys() == {PAUSE}, "each op is asked at least once, but for that of a lane in a burst"
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
