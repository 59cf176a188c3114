"""The page: complete without a script, and with one a story can be stepped through, as a browser shows in lab/tests/reports/test_page.py."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from itertools import chain

import pytest

from stingy.guarantees import all_rules
from stingy.language.account import Line
from stingy.reports import Report, html
from stingy.reports.timeline import timeline
from stingy.transport import locate
from stingy.trial import Judge
from stingy.verdict import Finding


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def page_of(target, *guarantees):
    judge = Judge(locate(target, 1), 1)
    rules = [rule for rule in all_rules().values() if rule.guarantee in guarantees and not rule.races]
    verdicts = list(chain.from_iterable(judge.verdicts(rule) for rule in rules))
    out = StringIO()
    html.write(Report("1", target, "Theirs", "2", "", 1, False, verdicts), out)
    return out.getvalue(), verdicts


@pytest.fixture(scope="module")
def broken():
    return page_of("stingy_broken.queues:ForgetsWhatIsHeld", "stingy", "length", "limiters")


def test_it_asks_for_nothing_from_elsewhere(broken):
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
    """Of the script or the style in it, as the policy of a page names it."""
    inside = element.partition(">")[2].rpartition("<")[0]
    return f"'sha256-{b64encode(sha256(inside.encode()).digest()).decode()}'"


def test_its_policy_allows_its_own_style_and_script_and_nothing_else(broken):
    page, _ = broken
    (policy,) = (
        attributes["content"]
        for tag, attributes in Parsed(page).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    style, script = (
        re.search("<style>.*</style>", page, re.DOTALL),
        re.search("<script>.*</script>", page, re.DOTALL),
    )
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {hash_of(style[0])}",
        f"script-src {hash_of(script[0])}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not [attributes for _, attributes in Parsed(page).tags if "style" in attributes]


def test_every_verdict_and_every_broken_rule_is_on_it(broken):
    page, verdicts = broken
    tags = Parsed(page).tags
    assert sum("data-verdict" in attributes for _, attributes in tags) == len(verdicts)
    articles = [attributes["id"] for tag, attributes in tags if tag == "article"]
    failed = {verdict.rule for verdict in verdicts if verdict.verdict is Finding.FAIL}
    assert sorted(articles) == sorted(rule.replace("/", "-") for rule in failed)
    assert "✗ expected to wait: &#39;a&#39; is in processing" in page


def test_what_a_candidate_says_is_text():
    page, _ = page_of(f"{__name__}:Nasty", "handing_out")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


class Nasty:
    """Raises what would be a script if anybody took it for one."""

    def add(self, item):
        raise ValueError("<script>alert(1)</script>")

    def get(self):
        return None, True

    def done(self, item): ...

    def __len__(self):
        return 0

    def shut_down(self): ...

    def shutting_down(self):
        return True


def test_a_candidate_that_conforms_has_nothing_broken_on_its_page():
    page, _ = page_of("stingy_reference", "length")
    assert "Broken rules" not in page
    assert "nothing broken among the" in page


def test_a_bar_reaches_from_where_a_call_begins_to_where_it_ends():
    lines = (
        Line("worker 1", "Get()", "waits", "get"),
        Line("producer", "Add('a') begins"),
        Line("worker 2", "Get()", "waits", "get"),
        Line("producer", "Add('a') ends", "", "add", "a"),
        Line("worker 1", "Get()", "'a'", "get"),
    )
    bars = [(bar.lane, bar.first, bar.last, bar.text, bar.kind) for bar in timeline(lines).bars]
    assert bars == [
        (0, 0, 4, "Get() → 'a'", "call"),
        (1, 1, 3, "Add('a')", "call"),
        (2, 2, 4, "Get() → waits", "waits"),
    ]


def test_a_call_that_waits_for_good_hides_no_other():
    lines = (Line("worker 1", "Get()", "waits", "get"), Line("producer", "Add('a')", "", "add", "a"))
    bars = [(bar.lane, bar.first, bar.last, bar.text, bar.kind) for bar in timeline(lines).bars]
    assert bars == [(0, 0, 1, "Get() → waits", "waits"), (1, 1, 1, "Add('a')", "call")]
