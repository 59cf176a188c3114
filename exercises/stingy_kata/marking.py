"""Find out, for stories without a model, which method each step called, and which step is wrong.

For a work queue, the model of the specification knows both. For a tracker, a proxy or a rate
limiter there is no model, so they are derived from the words of the steps and from the verdict's
reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from stingy.contract.ops import OPS
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Line, find_wrong
from stingy.language.values import format_span

CALLS: Sequence[tuple[str, str, str]] = (
    ("informer", r"the list of Services is complete", "services_synced"),
    ("informer", r"the list of EndpointSlices is complete", "slices_synced"),
    ("informer", r".* is (removed|deleted)", "remove"),
    ("informer", r".* (changed|comes)", "update"),
    ("proxy", r"Checkout\(\)|reads again what", "checkout"),
    ("proxy", r"(programs|fails to program|begins to program) the rules", "sync"),
    ("scrape", r"", "metric"),
    ("controller", r"syncs ", "compute"),
    ("controller", r".* is deleted", "delete"),
    ("reader", r"reads ", "parse"),
    ("writer", r"writes ", "format"),
    ("caller", r"When\(", "when"),
    ("caller", r"Forget\(", "forget"),
    ("caller", r"NumRequeues\(", "num_requeues"),
)
"""Rows of a lane, a regular expression for the beginning of a step, and the op of such steps."""

COMPARED = re.compile(r", but (?P<seen>.+) (==|is) (?P<wanted>.+)$", re.DOTALL)
"""Pattern of a verdict's reason that names the expected value, in the group ``wanted``."""

ANSWERS = {"to be programmed": "no change", "no change": "to be programmed"}
"""Expected outcome of a change, by the wrong outcome that the story has."""

LONGEST = 60
"""Maximum number of characters of an expected value: more do not fit below a step."""


def mark(verdict: Verdict) -> Sequence[Line]:
    """Return the story of a verdict, with the op of each call, and with the wrong step marked.

    If the verdict is FAIL and no step is marked, the last call counts as the wrong one.
    """
    story = [_name_call(line) for line in verdict.story]
    last = next((n for n in reversed(range(len(story))) if story[n].op), None)
    if verdict.verdict is Finding.FAIL and last is not None and find_wrong(story) is None:
        story[last] = replace(story[last], expected=_find_expected(story[last], verdict.because))
    return story


def _name_call(line: Line) -> Line:
    if line.op:
        return line
    named = line.did if line.did in OPS else ""  # the text of a step that raised is its op's name
    op = next((op for who, words, op in CALLS if who == line.lane and re.match(words, line.did)), named)
    return replace(line, op=op)


def _find_expected(line: Line, because: str) -> str:
    """Return the outcome that a rule expected of the call in this line, read from ``because``.

    Return an empty text if this reason names none, or one that is too long. Times in nanoseconds
    are converted to readable units.
    """
    compared = COMPARED.search(because)
    if compared is None:
        return ANSWERS.get(line.outcome, "")
    wanted = " ".join(compared["wanted"].split())
    wanted = re.sub(r"\(?(-?\d+) \* (1000000000)\)?", lambda it: format_span(int(it[1]) * int(it[2])), wanted)
    wanted = re.sub(r"-?\b\d{7,16}\b", lambda it: format_span(int(it[0])), wanted)
    wanted = re.sub(r"frozenset\(\{(.*)\}\)", r"[\1]", wanted)
    is_read_off = line.op != "metric" or re.fullmatch(r"[-\d.]+", wanted)
    return wanted if is_read_off and len(wanted) <= LONGEST else ""
