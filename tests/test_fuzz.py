"""What comes from outside may be anything: it is taken as what it is, or refused in a sentence."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stingy.baseline import Baseline, BaselineError, load
from stingy.guarantees import all_rules
from stingy.implementations import CardError, implementations
from stingy.language.call import Call
from stingy.language.session import CandidateError
from stingy.reports import ReportError
from stingy.reports.json import read_broken
from stingy.transport import driver, locate, wire
from stingy.trial import Judge, Trial
from stingy.verdict import Finding

CANDIDATES = Path(__file__).parent.parent / "candidates"
DRIVER = Path(__file__).parent / "drivers" / "mutated.py"
FIRST = all_rules()["handing_out/an-added-item-is-handed-out"]
RACE = all_rules()["interleavings/work-ends-in-every-order"]

VERDICT = {
    "rule": RACE.id,
    "case": "",
    "profile": "queue",
    "level": "MUST",
    "verdict": "FAIL",
    "evidence": "sampled",
    "because": "expected it",
    "story": [{"lane": "producer", "did": "Add('a')", "outcome": "", "op": "add", "item": "a"}],
    "order": "lane-1.0,before.1/lane-1:3,lane-2",
}
REPORT = {
    "schema": 2,
    "candidate": {"target": "stingy_reference", "kubernetes": "1.33"},
    "seed": 1,
    "results": [VERDICT, VERDICT | {"rule": FIRST.id, "order": ""}],
    "status": "complete",
    "signature": "5",
}
BASELINE = {"schema": 1, "known": [{"rule": FIRST.id, "reason": "later", "expires": "2027-03-31"}]}

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["", "1.33", "2099-99-99", "FAIL", "#/", "7#/lane-1:x", "/", "a/b", "\ud800", 10**400]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


def few(number):
    """So many examples, the same ones each time; a fifth of them without CI, and nightly many more, and others."""
    number = number if "CI" in os.environ else number // 5
    return settings(
        max_examples=number * 100 if NIGHTLY else number,
        derandomize=not NIGHTLY,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def changed(draw, document):
    """The document with one of its values changed, taken away, or doubled."""
    places = list(_places(document))
    *way, last = draw(st.sampled_from(places))
    document = json.loads(json.dumps(document))
    holder = document
    for step in way:
        holder = holder[step]
    match draw(st.sampled_from(["other", "none", "nested"])):
        case "other":
            holder[last] = draw(JUNK)
        case "none":
            del holder[last]
        case "nested":
            holder[last] = [holder[last]]
    return json.dumps(document).encode()


def _places(document, way=()):
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in inside:
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*way, key))


@st.composite
def damaged(draw, text):
    """The bytes with some cut out, put in, or written over."""
    at = draw(st.integers(0, len(text)))
    cut = draw(st.integers(0, 8))
    return text[:at] + draw(st.binary(max_size=4)) + text[at + cut :]


def mutated(document):
    return st.one_of(changed(document), damaged(json.dumps(document).encode()), st.binary(max_size=40))


@few(300)
@given(text=mutated(REPORT))
@example(text=b'{"a":' * 100_000)
@example(text=b'{"schema":1,"candidate":{"target":"\xff"},"seed":1,"results":[],"complete":true}')
@example(text=b'{"schema":1,"candidate":{},"seed":1,"results":[],"complete":true}')
def test_a_report_is_read_or_refused(text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "report.json"
    path.write_bytes(text)
    try:
        read = read_broken(path)
    except ReportError as refused:
        assert str(path) in str(refused)
    else:
        assert isinstance(read.target, str)
        assert read.seed >= 0
        assert set(read.by_case.values()) <= set(read.verdicts)


@few(200)
@given(text=mutated(BASELINE))
@example(text=b'{"known":' + b"[" * 100_000)
def test_a_baseline_is_read_or_refused(text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "baseline.json"
    path.write_bytes(text)
    try:
        assert isinstance(load(path), Baseline)
    except BaselineError as refused:
        assert str(path) in str(refused)


CARD = (CANDIDATES / "client-java" / "candidate.toml").read_bytes()


@few(200)
@given(text=st.one_of(damaged(CARD), st.binary(max_size=40)))
@example(text=b"a = " + b"[" * 100_000)
def test_a_card_is_read_or_refused(text, tmp_path_factory):
    root = tmp_path_factory.getbasetemp()
    path = root / "somebody" / "candidate.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text)
    try:
        assert [it.name for it in implementations(root)] == ["somebody"]
    except CardError as refused:
        assert str(path) in str(refused)


WORDS = st.sampled_from(["lane 1", "lane-2", "before", "nobody", "", "thread-1"])
TURNS = st.builds("{}{}".format, WORDS, st.sampled_from(["", ":0", ":3", ":-1", ":9999999"]))
LEFT_OUT = st.builds("{}.{}".format, WORDS, st.integers(-2, 9))


def test_an_order_of_somewhere_else_is_run_as_far_as_it_goes():
    candidate = locate("stingy_reference", 1)
    trial = Trial(candidate, 1)

    @few(25)
    @given(out=st.lists(LEFT_OUT, max_size=3), turns=st.lists(TURNS, max_size=6))
    def run(out, turns):
        verdict = trial.judge(RACE, RACE.cases[0], f"{','.join(out)}/{','.join(turns)}")
        assert verdict.verdict is Finding.PASS, verdict

    run()
    candidate.close()


ANSWERS = [
    {"id": 1, "ok": True, "val": {"protocol": 1, "ops": ["add", "get", "done"], "capabilities": {}}},
    {"id": 2, "ok": True, "val": {"now_ns": 1}},
    {"id": 3, "ok": True, "val": None},
    {"id": 4, "ok": True, "val": {"now_ns": 1}},
    {"id": 5, "ok": True, "val": {"item": "a", "shutdown": False}},
    {"id": 6, "ok": False, "error": {"kind": "unsupported", "text": "no"}},
]


@st.composite
def answers(draw):
    number = draw(st.integers(0, len(ANSWERS) - 1))
    return number, draw(mutated(ANSWERS[number]))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_driver_may_answer_whatever_it_likes(monkeypatch):
    """It keeps the rule only by the right answer; whatever it says is no fault of the suite."""
    monkeypatch.setattr(wire, "SILENCE", 0.4)

    @few(40)
    @given(answers())
    def judge(answer):
        number, line = answer
        if b"\n" in line or b"\0" in line:
            return
        command = shlex.join([sys.executable, "-IS", str(DRIVER), str(number), repr(line)])
        try:
            candidate = locate(f"cmd:{command}", 1)
        except CandidateError:
            return
        try:
            verdict = Judge(candidate, 1).verdict(FIRST)
        finally:
            candidate.close()
        assert not verdict.fault, verdict
        if not _is_an_answer(line):
            assert verdict.verdict is not Finding.FAIL

    judge()


BURST = {
    "calls": [
        {"lane": "lane 1", "op": "add", "item": "a", "start": 1, "end": 2},
        {"lane": "lane 2", "op": "get", "start": 3, "end": 4, "val": {"item": "a", "shutdown": False}},
        {"lane": "lane 2", "op": "done", "item": "a", "start": 5},
        {"lane": "lane 1", "op": "len", "start": 6, "end": 7, "error": {"kind": "raised", "text": "no"}},
    ]
}


@few(200)
@given(text=changed(BURST))
def test_a_driver_may_tell_whatever_it_likes_of_a_burst(text):
    try:
        calls = [driver._call(call) for call in driver.understand("burst", json.loads(text)).calls]
    except CandidateError as refused:
        assert "burst" in str(refused) or "get" in str(refused)
    else:
        assert all(isinstance(call, Call) and isinstance(call.start, int) for call in calls)


def _is_an_answer(line):
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and isinstance(answer.get("id"), int)
