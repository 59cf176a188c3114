"""``stingy diff``: what got worse or better between two reports, and its exit status."""

import json
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import make_verdict
from stingy.judging.verdict import Evidence, Finding, Status
from stingy.reports.comparison import SHOWN, Comparison, as_markdown, as_text
from stingy.reports.json import Document, Judged, NotOffered, Suite

SAMPLES = Path(__file__).parent / "samples"
SCRIPT = all_rules()["stingy/one-worker-at-a-time"]
FIRST = all_rules()["fair/first-come-first-served"]
TABLE = all_rules()["handing_out/equal-values-are-one-item"]
RACES = all_rules()["shutdown/nothing-comes-in-once-a-shutdown-has-returned"]
STATES = ("", "unjudged", *Finding)
"""States of a rule in a report; the first is that of a rule that it does not mention."""


def verdict(finding, rule=SCRIPT, row=None, because="so it is"):
    return make_verdict(rule, row, finding, Evidence.DETERMINISTIC, because=because)


def document(*verdicts, **more):
    given = {"schema": 3, "candidate": Judged("it:It", "It"), "seed": 1, "status": Status.COMPLETE}
    return Document(**given | {"results": list(verdicts)} | more)


def in_state(state):
    match state:
        case "":
            return document()
        case "unjudged":
            return document(unjudged=[SCRIPT.id], status=Status.STOPPED)
        case Finding.NOT_OFFERED:
            lacking = NotOffered(SCRIPT.profile.name, "it has no get", 1, (SCRIPT.id,))
            return document(not_offered=[lacking])
    return document(verdict(state))


def text(old, new):
    return "\n".join(as_text(Comparison(old, new)))


WORSE = {
    *((was, Finding.FAIL) for was in (Finding.PASS, Finding.BLOCKED, Finding.INCONCLUSIVE, "unjudged")),
    *((was, Finding.ERROR) for was in (Finding.PASS, Finding.BLOCKED, Finding.INCONCLUSIVE, "unjudged")),
    *((Finding.PASS, is_) for is_ in (Finding.BLOCKED, Finding.INCONCLUSIVE, Finding.NOT_OFFERED, "unjudged")),
    *((Finding.NOT_OFFERED, is_) for is_ in (Finding.FAIL, Finding.ERROR)),
    (Finding.FAIL, Finding.ERROR),
}  # fmt: skip
"""All changes that make the exit status 1, without regard to a baseline."""


@pytest.mark.parametrize("was", STATES)
@pytest.mark.parametrize("is_", STATES)
def test_what_is_worse_is_as_listed(was, is_):
    """A baseline changes nothing: KNOWN-FAIL is a FAIL, and UNEXPECTED-PASS a PASS."""
    alike = {Finding.KNOWN_FAIL: Finding.FAIL, Finding.UNEXPECTED_PASS: Finding.PASS}
    expected = (alike.get(was, was), alike.get(is_, is_)) in WORSE
    assert Comparison(in_state(was), in_state(is_)).is_worse == expected


@pytest.mark.parametrize(
    ("was", "is_", "says"),
    [
        (Finding.PASS, Finding.FAIL, "1 rule newly broken"),
        (Finding.PASS, Finding.ERROR, "1 rule newly in error"),
        (Finding.PASS, Finding.BLOCKED, "1 rule not judged any more"),
        (Finding.PASS, "unjudged", "1 rule not judged any more"),
        (Finding.FAIL, Finding.INCONCLUSIVE, "1 rule not judged any more"),
        (Finding.PASS, Finding.NOT_OFFERED, "1 rule no longer offered"),
        (Finding.FAIL, Finding.NOT_OFFERED, "1 rule no longer offered"),
        (Finding.NOT_OFFERED, Finding.PASS, "1 rule newly offered"),
        (Finding.NOT_OFFERED, Finding.INCONCLUSIVE, "1 rule newly offered"),
        (Finding.FAIL, Finding.PASS, "1 rule mended"),
        (Finding.KNOWN_FAIL, Finding.UNEXPECTED_PASS, "1 rule mended"),
        (Finding.ERROR, Finding.PASS, "1 rule mended"),
        (Finding.ERROR, Finding.FAIL, "1 rule broken instead of in error"),
        (Finding.BLOCKED, Finding.PASS, "1 rule newly judged"),
        ("", Finding.FAIL, "1 rule only in the new report"),
        (Finding.FAIL, "", "1 rule only in the old report"),
        ("", Finding.NOT_OFFERED, "No rule has changed"),
        (Finding.NOT_OFFERED, "unjudged", "No rule has changed"),
        (Finding.BLOCKED, Finding.INCONCLUSIVE, "No rule has changed"),
        (Finding.PASS, Finding.PASS, "No rule has changed"),
    ],
)
def test_each_change_has_a_kind(was, is_, says):
    assert Comparison(in_state(was), in_state(is_)).headline == says


def test_the_headline_counts_rules_and_the_rows_of_one_table_are_one_line():
    old = document(*(verdict(Finding.PASS, TABLE, row) for row in TABLE.each), verdict(Finding.FAIL))
    new = document(
        *(verdict(Finding.FAIL, TABLE, row) for row in TABLE.each),
        verdict(Finding.FAIL, FIRST, because="it came last"),
        verdict(Finding.PASS),
    )
    assert text(old, new).splitlines() == [
        "1 rule newly broken, 1 mended, 1 only in the new report",
        "",
        "newly broken",
        f"  PASS → FAIL  {TABLE.id} ({', '.join(row.name for row in TABLE.each)})",
        "      so it is",
        "",
        "mended",
        f"  FAIL → PASS  {SCRIPT.id}",
        "",
        "only in the new report (new in the suite, or not requested before)",
        f"  FAIL  {FIRST.id}",
        "      it came last",
    ]


def test_all_races_of_a_rule_count_as_one_row():
    """Which of them fails depends on the seed."""
    first, second, *_ = RACES.each
    old, new = (
        document(verdict(broken, RACES, first), verdict(kept, RACES, second))
        for broken, kept in ((Finding.FAIL, Finding.PASS), (Finding.PASS, Finding.FAIL))
    )
    assert text(old, new) == "No rule has changed"
    kept = document(verdict(Finding.PASS, RACES, first), verdict(Finding.PASS, RACES, second))
    assert f"  PASS → FAIL  {RACES.id}\n" in text(kept, new)


def test_rows_that_were_listed_as_not_offered_are_those_that_are_counted_now():
    """Schemas 1 and 2 have a row for each of them."""
    old = document(*(verdict(Finding.NOT_OFFERED, TABLE, row) for row in TABLE.each), schema=2)
    new = document(not_offered=[NotOffered("queue", "it has no get", 3, (TABLE.id,))])
    assert text(old, new) == text(new, old) == "No rule has changed"
    kept = document(*(verdict(Finding.PASS, TABLE, row) for row in TABLE.each))
    assert "it has no get" in text(kept, new)


def test_what_may_explain_a_change_is_named():
    old = document(suite=Suite("2026.11.0"))
    new = document(suite=Suite("2026.12.0", "0123"), candidate=Judged("its:It", "It", "2"), seed=2)
    assert text(old, new).splitlines() == [
        "No rule has changed",
        "  target: it:It → its:It",
        "  candidate: It → It 2",
        "  suite: 2026.11.0 → 2026.12.0",
        "  seed: 1 → 2",
    ]
    assert "| suite | 2026\\.11\\.0 | 2026\\.12\\.0 |" in as_markdown(Comparison(old, new))


def test_a_summary_shows_only_the_first_rules_of_each_kind():
    rules = [rule for rule in all_rules().values() if not rule.each][: SHOWN + 3]
    lines = list(as_markdown(Comparison(document(), document(*(verdict(Finding.PASS, it) for it in rules)))))
    assert sum(line.startswith("- PASS") for line in lines) == SHOWN
    assert lines[-1] == "- and 3 more"


BROKEN = "stingy_broken.queues:DropsWhatIsHeld"
WORDS = ("--seed", "1", "--rule", "once_more/added-*")


def test_the_command_compares_two_reports(stingy):
    stingy("run", "stingy_reference", *WORDS, "--report", "json=old.json")
    stingy("run", BROKEN, *WORDS, "--report", "json=new.json")
    worse, better, same = (
        stingy("diff", *each)
        for each in (("old.json", "new.json"), ("new.json", "old.json"), ("old.json", "old.json"))
    )
    assert (worse.returncode, better.returncode, same.returncode) == (1, 0, 0)
    first, *lines = worse.stdout.splitlines()
    assert first.startswith("1 rule newly broken")
    assert f"  target: stingy_reference → {BROKEN}" in lines
    assert "  PASS → FAIL  once_more/added-while-processed-comes-back-after-done" in lines
    assert better.stdout.startswith("1 rule mended")
    assert same.stdout == "No rule has changed\n"
    marked = stingy("diff", "old.json", "new.json", "--markdown")
    assert (marked.returncode, marked.stdout.splitlines()[0]) == (1, f"### {first}")


def test_an_older_report_is_compared_with_a_new_one(stingy):
    stingy("run", BROKEN, "--seed", "1", "--rule", "once_more/added-while*", "--report", "json=new.json")
    for schema in (1, 2):
        done = stingy("diff", SAMPLES / f"report-{schema}.json", "new.json")
        assert (done.returncode, "→ FAIL" in done.stdout) == (0, False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": 4}, "this version of stingy reads 1, 2 and 3"),
        ({"status": "crashed"}, "an incomplete run"),
        ({"results": 1}, "is not a report"),
        ({"began": "yesterday"}, "is not a report"),
        ({"made": {"day": "2026-11-25"}}, "is a record"),
    ],
)
def test_a_file_that_cannot_be_compared_is_refused_in_a_sentence(stingy, tmp_path, change, says):
    stingy("run", "stingy_reference", *WORDS, "--report", "json=old.json")
    told = json.loads((tmp_path / "old.json").read_text())
    (tmp_path / "new.json").write_text(json.dumps(told | change))
    done = stingy("diff", "old.json", "new.json")
    assert (done.returncode, done.stdout) == (4, "")
    assert says in done.stderr
    assert stingy("diff", "old.json", "no-such.json").returncode == 4
