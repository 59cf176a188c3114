"""How a Get waits: woken by an Add, or looking again and again. No rule forbids the latter, for a slow queue keeps its promises, too."""

from __future__ import annotations

from stingy.guarantees import all_rules
from stingy.language.account import account
from stingy.language.rule import Level
from stingy.language.session import CandidateError, NotOffered, Uncontrolled
from stingy.language.story import Story
from stingy.verdict import Evidence, Finding, Verdict
from stingy_kata import SEED
from stingy_kata.importing import Controlled

GET_IS_WOKEN = "waiting/get-is-woken"
"""What an attempt is graded by whose task says that it is not to poll."""

WAITS = "handing_out/get-waits-while-nothing-is-queued"
"""In the course of this a Get waits long enough."""


def grade_waiting(found: Controlled) -> Verdict:
    rule, stories = all_rules()[WAITS], list[Story]()
    found.shortcuts.jumped = False
    try:
        done = rule.perform(found.open, None, SEED, stories.append, found.explorer(rule.profile, SEED))
    except (NotOffered, CandidateError, Uncontrolled):
        return _verdict(Finding.BLOCKED, f"{WAITS} comes first")
    if done.broken:
        return _verdict(Finding.BLOCKED, f"{WAITS} comes first")
    if not found.shortcuts.jumped:  # time is only let jump past somebody's looks
        return _verdict(Finding.PASS)
    because = "while it waits its time is up again and again, and it looks, finds nothing, and waits on"
    return _verdict(Finding.FAIL, because, stories[-1])


def _verdict(finding: Finding, because: str = "", story: Story | None = None) -> Verdict:
    return Verdict(
        rule=GET_IS_WOKEN,
        case="",
        profile=all_rules()[WAITS].profile.name,
        level=Level.MUST,
        verdict=finding,
        evidence=Evidence.DETERMINISTIC,
        because=because,
        story=tuple(account(story.steps)) if story else (),
    )
