"""Judge whether a waiting Get is woken by the Add, or polls.

No rule of the specification forbids polling, because a slow queue may keep its promises. So this is
a demand of the workshop only.
"""

from __future__ import annotations

from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language.account import account
from stingy.language.rule import Level
from stingy.language.session import CandidateError, NotOffered, Uncontrolled
from stingy.language.story import Story
from stingy_kata import SEED
from stingy_kata.importing import Controlled

GET_IS_WOKEN = "waiting/get-is-woken"
"""Id of the demand that a waiting Get does not poll, for exercises whose task says so."""

WAITS = "handing_out/get-waits-while-nothing-is-queued"
"""A rule during which a Get waits long enough to show whether it polls."""


def grade_waiting(found: Controlled) -> Verdict:
    rule, stories = all_rules()[WAITS], list[Story]()
    found.shortcuts.jumped = False
    try:
        done = rule.perform(found.open, None, SEED, stories.append, found.explorer(rule.profile, SEED))
    except (NotOffered, CandidateError, Uncontrolled):
        return _verdict(Finding.BLOCKED, f"{WAITS} comes first")
    if done.broken:
        return _verdict(Finding.BLOCKED, f"{WAITS} comes first")
    if not found.shortcuts.jumped:  # the virtual clock skips time only if a thread polls
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
