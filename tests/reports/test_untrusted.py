"""For any text of a candidate, a real parser reads the same structure in a report as for the text ``x``."""

import json
import re
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from itertools import chain, product
from xml.etree import ElementTree as ET

import html5lib
import junitparser
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import structs

from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language.account import Held, Line
from stingy.reports import Report, badge, ctrf, github, html, junit, markdown, terminal, verbose
from stingy.reports import json as json_
from stingy.reports.comparison import Comparison, as_markdown, as_text
from stingy.request import Request

FIELDS = (
    *("name", "version", "target", "case", "because", "seen"),
    *("lane", "did", "outcome", "item", "expected", "complaint"),
)
KINDS = (
    ("\x1b[2J\x1b]0;owned\x07", "\x1b]8;;https://evil\x1b\\", "\0", "\r", "\r\n", "\x85", "\u2028", "\u2029", "\x0b", "\x9b"),
    ("\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\udfff", "\uffff", "\ue000", "\U000e0041", "\U0010ffff"),
    ("\n::error::x", "  ::add-mask::x", "\n##[add-path]/x", "::stop-commands::x", "%0A::error::x", "##vso[task]x"),
    ("````", "\n````\n# conforms", "~~~", "`", "|", "\n| a | b |", "</details>", "<img src=x onerror=y>", "@maintainer", "---"),
    ("\\", "[bold]", "[/]", ":warning:", "<script>alert(1)</script>", "]]>", "<!--", "-->", "&#0;", "'", '"', "{{ 7 }}"),
    ("FAIL  MUST  x", "\nx conforms: 1 kept", "a" * 300, "a b " * 300, " ", "\t", "漢" * 60, "e\u0301\u0301"),
)  # fmt: skip
"""Texts that a terminal, a runner of jobs, Markdown, HTML or XML might obey, by kind."""
TEXTS = st.lists(
    st.sampled_from([*chain(*KINDS)]) | st.text(st.characters(exclude_categories=()), max_size=8), max_size=5
).map("".join)
DRAWN = 12
"""Drawn examples of each test, besides one of each kind in every field."""
RULE, *OTHERS = (
    all_rules()[id_]
    for id_ in (
        "stingy/other-items-do-not-let-a-held-item-out",
        "fair/first-come-first-served",
        "length/len-counts-what-is-queued",
        "drain/it-waits-for-what-is-in-processing",
        "shutdown/shutting-down-says-so",
    )
)


def outcome_of(said):
    lines = (
        Line(said["lane"], said["did"], said["outcome"], "add", said["item"], Held((said["item"],), (), ())),
        Line(said["lane"], "Get()", "waits", "get", None, Held((), (), (said["item"],)), said["expected"]),
    )

    def verdict(rule, finding, because, story=(), case=""):
        return Verdict(
            *(rule.id, case, rule.profile.name, rule.level, finding, Evidence.DETERMINISTIC),
            because=because,
            story=story,
        )

    findings = (Finding.PASS, Finding.NOT_OFFERED, Finding.INCONCLUSIVE, Finding.ERROR)
    others = (verdict(rule, finding, said["seen"]) for rule, finding in zip(OTHERS, findings, strict=True))
    broken = verdict(RULE, Finding.FAIL, said["because"], lines, said["case"])
    return Report(
        *("1", Request(said["target"], seed=1), said["name"], said["version"], "", [broken, *others]),
        began=datetime(2026, 1, 1, tzinfo=UTC),
        complaints=[said["complaint"]],
    )


def told(format_, said):
    out = StringIO()
    format_.write(outcome_of(said), out)
    out.getvalue().encode()
    return out.getvalue()


def harmless(format_, said):
    """Return a report in this format with ``x``, a blank or nothing for each text of ``said``."""
    return _harmless(format_, tuple("x" if text.strip(" ") else text[:1] for text in map(said.get, FIELDS)))


@cache
def _harmless(format_, texts):
    return told(format_, dict(zip(FIELDS, texts, strict=True)))


def anything(check):
    said = st.fixed_dictionaries(dict.fromkeys(FIELDS, TEXTS))
    for kind, between in product(KINDS, ("", "\n")):
        check = example(dict.fromkeys(FIELDS, between.join(kind)))(check)
    return settings(max_examples=DRAWN, suppress_health_check=list(HealthCheck))(given(said)(check))


def commands(log):
    """Yield the commands that the runner of GitHub's jobs obeys in a log.

    The log is parsed as in the runner's source, ``src/Runner.Common/ActionCommand.cs``.
    """
    for line in re.split("\r\n|\r|\n", log):
        told = line.lstrip()
        if told.startswith("::") and "::" in told[2:]:
            command, _, data = told[2:].partition("::")
            name, _, properties = command.partition(" ")
            yield name, [each.partition("=")[0] for each in properties.split(",") if each], data
        elif old := re.search(r"##\[([^\]]*)\]", line):
            yield old[1], [], ""


def at_the_margin(screen):
    return [line for line in screen.split("\n") if line[:1].strip()]


@pytest.mark.parametrize(
    ("report", "named"), [(terminal, (0, 1)), (verbose, (0, -1))], ids=["short", "verbose"]
)
@anything
def test_a_terminal_report_has_no_escapes_and_no_new_lines_at_its_margin(report, named, said):
    """``named``: the lines at the margin that begin with the candidate's name."""
    screen = told(report, said)
    assert screen.replace("\n", "").isprintable()
    assert list(commands(screen)) == []
    margin, expected = at_the_margin(screen), at_the_margin(harmless(report, said))
    assert len(margin) == len(expected)
    for lines in (margin, expected):
        del lines[named[1]], lines[named[0]]
    assert [line.split()[0] for line in margin] == [line.split()[0] for line in expected]


@anything
def test_the_only_escapes_on_a_terminal_are_our_colours(said):
    class Terminal(StringIO):
        def isatty(self):
            return True

    out = Terminal()
    terminal.write(outcome_of(said), out)
    screen = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert screen.replace("\n", "").isprintable()


@anything
def test_a_runner_of_jobs_obeys_our_annotations_alone(said):
    obeyed = list(commands(told(github, said)))
    assert [(name, properties) for name, properties, _ in obeyed] == [
        ("error", ["title"]),
        ("error", ["title"]),
    ]
    assert told(github, said).count("\n") == 2


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))


def read_as_markdown(text):
    """Yield the structure of a Markdown text: its blocks and what is in them, but not the words."""
    parser = MarkdownIt("commonmark", {"linkify": False}).enable("table")
    for token in parser.parse(text):
        yield token.type, token.tag, token.level, token.markup if token.type != "fence" else "", token.info
        yield [child.type for child in token.children or ()]
        yield Tags(token.content).tags if token.type == "html_block" else ()


@anything
def test_markdown_has_the_same_blocks(said):
    text = told(markdown, said)
    assert list(read_as_markdown(text)) == list(read_as_markdown(harmless(markdown, said)))
    assert list(commands(text)) == []


def compared(said):
    """Return the comparison of a report with another one, which has these texts in ids as well."""
    old, new = outcome_of(dict.fromkeys(FIELDS, "old")), outcome_of(said)
    odd = [structs.replace(it, rule=f"{it.rule}{said['case']}") for it in new.verdicts]
    gone = json_.NotOffered("drain", said["because"], 2, (said["item"], new.verdicts[1].rule))
    candidate = json_.Judged(new.request.target, new.name, new.version)
    return Comparison(
        json_.Document(3, json_.Judged("old", "old"), 1, [*old.verdicts], suite=json_.Suite("old")),
        json_.Document(3, candidate, 1, [*odd, *new.verdicts[2:]], [gone], json_.Suite(said["seen"])),
    )


def compared_harmless(said):
    return compared({name: "x" if text.strip(" ") else text[:1] for name, text in said.items()})


@anything
def test_a_comparison_has_no_escapes_and_no_new_lines_at_its_margin(said):
    lines = list(as_text(compared(said)))
    assert all(line.isprintable() for line in lines)
    assert list(commands("\n".join(lines))) == []
    expected = list(as_text(compared_harmless(said)))
    assert len(lines) == len(expected)
    assert at_the_margin("\n".join(lines)) == at_the_margin("\n".join(expected))


@anything
def test_a_comparison_in_markdown_has_the_same_blocks(said):
    text = "\n".join(as_markdown(compared(said)))
    plain = "\n".join(as_markdown(compared_harmless(said)))
    assert list(read_as_markdown(text)) == list(read_as_markdown(plain))
    assert list(commands(text)) == []


@anything
def test_junit_has_the_same_cases(said):
    text = told(junit, said)
    assert _shape(ET.fromstring(text)) == _shape(ET.fromstring(harmless(junit, said)))
    suites = junitparser.JUnitXml.fromstring(text.encode())
    assert [(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) for suite in suites] == [
        ("stingy", 1, 1, 0, 0),
        ("fair", 1, 0, 0, 0),
        ("length", 1, 0, 0, 1),
        ("drain", 1, 0, 0, 1),
        ("shutdown", 1, 0, 1, 0),
    ]


def _shape(element):
    return element.tag, sorted(element.attrib), [_shape(child) for child in element]


@anything
def test_a_page_has_the_same_elements(said):
    page = told(html, said)
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(page)
    assert [why for _, why, _ in parser.errors] == []
    assert _shape(tree) == _shape(html5lib.parse(harmless(html, said), namespaceHTMLElements=False))


@anything
@pytest.mark.parametrize("format_", [json_, ctrf, badge], ids=["json", "ctrf", "badge"])
def test_programs_read_the_same_keys(format_, said):
    found, expected = json.loads(told(format_, said)), json.loads(harmless(format_, said))
    assert _kinds(found) == _kinds(expected)


def _kinds(document):
    match document:
        case dict():
            return {key: _kinds(value) for key, value in document.items()}
        case list():
            return [_kinds(each) for each in document]
    return type(document)
