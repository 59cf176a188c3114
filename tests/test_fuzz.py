"""Damaged files and answers are read, or refused in a sentence. Drivers in a process: lab/tests/test_fuzz.py."""

import json
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from damage import changed, damaged, mutated
from lab.implementations import CardError, implementations
from stingy.guarantees import all_rules
from stingy.judging.baseline import Baseline, BaselineError, load
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.call import Call
from stingy.language.session import CandidateError
from stingy.reports import ReportError
from stingy.reports import json as json_report
from stingy.reports.comparison import COMPARED, Comparison, as_text
from stingy.reports.json import Document, read_broken
from stingy.transport import driver

CANDIDATES = Path(__file__).parent.parent / "candidates"
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
    "schema": 3,
    "began": "2026-01-01T12:30:05Z",
    "seconds": 61.0,
    "setting": {"python": "3.11.7", "processors": 2},
    "not_offered": [{"profile": "drain", "because": "it has none", "rows": 1, "rules": ["drain/it-ends"]}],
    "candidate": {"target": "stingy_reference", "kubernetes": "1.33"},
    "seed": 1,
    "results": [VERDICT, VERDICT | {"rule": FIRST.id, "order": ""}],
    "status": "complete",
    "signature": "5",
}
BASELINE = {"schema": 1, "known": [{"rule": FIRST.id, "reason": "later", "expires": "2027-03-31"}]}

few = settings(max_examples=40, suppress_health_check=list(HealthCheck))
"""Examples of each kind, the same in each run."""


def read_or_refuse(read, refusal, path, text):
    """Write this text to a file and read it with ``read``; return None if the text is refused.

    The message of the exception ``refusal`` must name the file.
    """
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text)
    try:
        return read(path)
    except refusal as refused:
        assert str(path) in str(refused)


@few
@given(text=mutated(REPORT))
@example(text=b'{"a":' * 100_000)
@example(text=b'{"schema":1,"candidate":{"target":"\xff"},"seed":1,"results":[],"complete":true}')
@example(text=b'{"schema":1,"candidate":{},"seed":1,"results":[],"complete":true}')
def test_a_report_is_read_or_refused(text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "report.json"
    read = read_or_refuse(read_broken, ReportError, path, text)
    if read is not None:
        assert isinstance(read.target, str)
        assert read.seed >= 0
        compared = Comparison(json_report.read(path, enough=COMPARED), msgspec.convert(REPORT, Document))
        assert all(it.isprintable() for it in as_text(compared))


@few
@given(text=mutated(BASELINE))
@example(text=b'{"known":' + b"[" * 100_000)
def test_a_baseline_is_read_or_refused(text, tmp_path_factory):
    read = read_or_refuse(load, BaselineError, tmp_path_factory.getbasetemp() / "baseline.json", text)
    assert read is None or isinstance(read, Baseline)


CARD = (CANDIDATES / "client-java" / "candidate.toml").read_bytes()


@few
@given(text=st.one_of(damaged(CARD), st.binary(max_size=40)))
@example(text=b"a = " + b"[" * 100_000)
def test_a_card_is_read_or_refused(text, tmp_path_factory):
    root = tmp_path_factory.getbasetemp()
    path = root / "somebody" / "candidate.toml"
    read = read_or_refuse(lambda _: implementations(root), CardError, path, text)
    assert read is None or [it.name for it in read] == ["somebody"]


WORDS = st.sampled_from(["lane 1", "lane-2", "before", "nobody", "", "thread-1"])
TURNS = st.builds("{}{}".format, WORDS, st.sampled_from(["", ":0", ":3", ":-1", ":9999999"]))
LEFT_OUT = st.builds("{}.{}".format, WORDS, st.integers(-2, 9))


def test_an_order_from_elsewhere_is_run_as_far_as_it_goes(candidate_of):
    trial = Trial(candidate_of("stingy_reference"), 1)

    @settings(few, max_examples=5)
    @given(out=st.lists(LEFT_OUT, max_size=3), turns=st.lists(TURNS, max_size=6))
    def run(out, turns):
        verdict = trial.judge(RACE, RACE.cases[0], f"{','.join(out)}/{','.join(turns)}")
        assert verdict.verdict is Finding.PASS, verdict

    run()


BURST = {
    "calls": [
        {"lane": "lane 1", "op": "add", "item": "a", "start": 1, "end": 2},
        {"lane": "lane 2", "op": "get", "start": 3, "end": 4, "val": {"item": "a", "shutdown": False}},
        {"lane": "lane 2", "op": "done", "item": "a", "start": 5},
        {"lane": "lane 1", "op": "len", "start": 6, "end": 7, "error": {"kind": "raised", "text": "no"}},
    ]
}


@few
@given(text=changed(BURST))
def test_any_history_of_a_burst_is_read_or_refused(text):
    try:
        calls = [driver._call(call) for call in driver.understand("burst", json.loads(text)).calls]
    except CandidateError as refused:
        assert "burst" in str(refused) or "get" in str(refused)
    else:
        assert all(isinstance(call, Call) and isinstance(call.start, int) for call in calls)
