"""The HTML report. lab/tests/reports/test_page.py steps through it in a browser."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from itertools import chain

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Line
from stingy.language.conflict import Access, Conflict
from stingy.language.rule import Level
from stingy.reports import Report, html
from stingy.reports.timeline import timeline
from stingy.request import Request
from stingy.transport import locate


class Parsed(HTMLParser):
    """The tags of an HTML page, each with its attributes, in the list ``tags``."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def page_of(target, *guarantees):
    judge = Judge(locate(target, 1), 1)
    rules = [rule for rule in all_rules().values() if rule.guarantee in guarantees and not rule.races]
    verdicts = list(chain.from_iterable(judge.verdicts(rule) for rule in rules))
    out = StringIO()
    html.write(Report("1", Request(target, seed=1), "Theirs", "2", "", verdicts), out)
    return out.getvalue(), verdicts


@pytest.fixture(scope="module")
def broken():
    return page_of("stingy_broken.queues:ForgetsWhatIsHeld", "stingy", "length", "limiters")


def test_a_page_loads_nothing(broken):
    page, _ = broken
    outside = [
        (tag, value)
        for tag, attributes in Parsed(page).tags
        for name, value in attributes.items()
        if name in ("src", "href") and tag != "a"
    ]
    assert outside == []
    assert "url(" not in page
    assert "@import" not in page


def hash_of(element):
    """Return the hash of an element's content, as the page's Content Security Policy names it."""
    inside = element.partition(">")[2].rpartition("<")[0]
    return f"'sha256-{b64encode(sha256(inside.encode()).digest()).decode()}'"


def test_the_policy_allows_only_the_style_and_script_of_the_page(broken):
    page, _ = broken
    metas = [attributes for tag, attributes in Parsed(page).tags if tag == "meta"]
    (policy,) = (it["content"] for it in metas if it.get("http-equiv") == "Content-Security-Policy")
    style, script = (re.search(f"<{tag}>.*</{tag}>", page, re.DOTALL) for tag in ("style", "script"))
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {hash_of(style[0])}",
        f"script-src {hash_of(script[0])}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not [attributes for _, attributes in Parsed(page).tags if "style" in attributes]


def test_every_verdict_and_every_broken_rule_is_on_the_page(broken):
    page, verdicts = broken
    tags = Parsed(page).tags
    assert sum("data-verdict" in attributes for _, attributes in tags) == len(verdicts)
    articles = [attributes["id"] for tag, attributes in tags if tag == "article"]
    failed = {verdict.rule for verdict in verdicts if verdict.verdict is Finding.FAIL}
    assert sorted(articles) == sorted(rule.replace("/", "-") for rule in failed)
    assert "✗ expected to wait: &#39;a&#39; is in processing" in page


def test_a_page_of_a_conforming_candidate_shows_nothing_broken():
    page, _ = page_of("stingy_reference", "length")
    assert "Broken rules" not in page
    assert "nothing broken among the" in page


def test_a_page_names_the_accesses_that_conflict():
    access = Access("lane 1", "reads", "self._items", "src/queue.py", 17, "get")
    rule = "workers/two-producers-at-once-add-it-once"
    broken = Verdict(
        rule, "", "queue", Level.MUST, Finding.FAIL, because="so", conflict=Conflict(access, access)
    )
    out = StringIO()
    html.write(Report("1", Request("own:Queue", seed=1), "Queue", "", "", [broken]), out)
    assert f"<dt>conflict</dt><dd>{broken.conflict}</dd>" in out.getvalue()


def bars_of(lines):
    return [(bar.lane, bar.first, bar.last, bar.text, bar.kind) for bar in timeline(lines).bars]


def test_a_bar_reaches_from_the_beginning_of_a_call_to_its_end():
    lines = (
        Line("worker 1", "Get()", "waits", "get"),
        Line("producer", "Add('a') begins"),
        Line("worker 2", "Get()", "waits", "get"),
        Line("producer", "Add('a') ends", "", "add", "a"),
        Line("worker 1", "Get()", "'a'", "get"),
    )
    assert bars_of(lines) == [
        (0, 0, 4, "Get() → 'a'", "call"),
        (1, 1, 3, "Add('a')", "call"),
        (2, 2, 4, "Get() → waits", "waits"),
    ]


def test_a_call_that_waits_forever_hides_no_other():
    lines = (Line("worker 1", "Get()", "waits", "get"), Line("producer", "Add('a')", "", "add", "a"))
    assert bars_of(lines) == [(0, 0, 1, "Get() → waits", "waits"), (1, 1, 1, "Add('a')", "call")]


def test_the_bar_of_the_call_that_should_have_returned_is_the_wrong_one():
    lines = (
        Line("worker 2", "Get()", "waits", "get"),
        Line("worker 1", "Done('a')", "", "done", "a", None, "to return 'a'", "worker 2"),
    )
    assert bars_of(lines) == [(0, 0, 1, "Get() → waits", "wrong"), (1, 1, 1, "Done('a')", "call")]
