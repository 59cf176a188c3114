"""Markdown, for the summary of a CI job or a comment on a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import TextIO

from stingy.contract.testimony import in_a_line, in_lines
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding, Verdict
from stingy.reports import Report
from stingy.reports.verbose import failure

SHOWN = 20
"""Most stories in a summary: nobody reads more."""


def write(outcome: Report, out: TextIO) -> None:
    out.writelines(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: Report) -> Iterator[str]:
    yield f"### {code(outcome.who)}{outcome.meaning}"
    yield ""
    yield f"{code(outcome.request.target)}, judged by stingy {outcome.suite} with seed {outcome.request.seed}"
    yield ""
    if outcome.cut_short:
        by_profile = (f"{profile} {len(ids):,}" for profile, ids in outcome.unjudged_by_profile.items())
        yield f"**{escape_markdown(outcome.cut_short)}**: {', '.join(by_profile)}"
        yield ""
    yield f"| profile | {' | '.join(finding.value for finding in Finding)} |"
    yield f"|---|{'---:|' * len(Finding)}"
    for profile, by_guarantee in outcome.by_profile.items():
        counts = Counter(verdict.verdict for verdicts in by_guarantee.values() for verdict in verdicts)
        yield f"| {escape_markdown(profile)} | {' | '.join(str(counts[finding] or '') for finding in Finding)} |"
    broken = outcome.told
    for verdict in broken[:SHOWN]:
        yield ""
        yield from _render(verdict)
    if broken[SHOWN:]:
        yield ""
        yield f"And {len(broken) - SHOWN} more: see `--report terminal`."


def _render(verdict: Verdict) -> Iterator[str]:
    id_ = escape(in_a_line(verdict.id))
    yield f"<details><summary><b>{verdict.verdict} {verdict.level}</b> <code>{id_}</code></summary>"
    yield ""
    yield all_rules()[verdict.rule].sentence
    yield ""
    yield fence(failure(verdict))
    yield ""
    yield "</details>"


def code(text: str) -> str:
    """Return the text as inline code, so that mentions and links in it have no effect."""
    text = in_a_line(text)
    if not text.strip():
        return ""
    fence = "`" * (_longest_run(text) + 1)
    room = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{fence}{room}{text}{room}{fence}"


def fence(text: str) -> str:
    """Return the lines as a code block, fenced by more backticks than any line contains."""
    fence = "`" * max(_longest_run(text) + 1, 4)
    return f"{fence}text\n{in_lines(text)}\n{fence}"


def escape_markdown(text: str) -> str:
    """Return the text on one line, escaped so that Markdown shows it as plain text."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", in_a_line(text))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
