"""What stands where in the site: ``docs/nav.yml``, with the guarantees put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from pages import Lines, Unsaid
from pages.words import page_of
from stingy.guarantees import guarantees, rules_of

GUARANTEES = "guarantees/*"
"""In ``nav.yml``: one page a guarantee, in reading order and in sections."""

SECTIONS: Mapping[str, Sequence[str]] = {
    "The work queue": ("queue", "cancel", "drain", "hook", "memory", "ending"),
    "Delays and rate limits": ("delay", "limit"),
    "Metrics": ("metrics",),
    "Controllers": ("controller",),
    "Priorities": ("priority",),
    "Trigger times": ("trigger", "tracker", "proxy"),
}
"""The guarantees by what they are about: the profiles of their rules."""


def fill_in(nav: Path) -> str:
    text = nav.read_text(encoding="utf-8")
    if GUARANTEES not in text:
        raise Unsaid(f"{nav.name} has no line with {GUARANTEES}, and so no guarantee has a place in the site")
    return "".join(f"{line}\n" for given in text.splitlines() for line in _line(given))


def _line(given: str) -> Lines:
    indent, asked, _ = given.partition(f"- {GUARANTEES}")
    if not asked:
        yield given
        return
    for section, there in sections().items():
        yield f"{indent}- {section}:"
        yield from (f"{indent}    - {page_of(it)}" for it in there)


def sections() -> Mapping[str, Sequence[ModuleType]]:
    found: dict[str, list[ModuleType]] = {section: [] for section in SECTIONS}
    for it in guarantees():
        found[_section(rules_of(it)[0].profile.name, it)].append(it)
    if empty := [section for section, there in found.items() if not there]:
        raise Unsaid(f"SECTIONS of navigation.py: no guarantee belongs to {', '.join(empty)}")
    return found


def _section(profile: str, guarantee: ModuleType) -> str:
    for section, profiles in SECTIONS.items():
        if profile in profiles:
            return section
    raise Unsaid(
        f"{page_of(guarantee)} has no place in the site: name the profile {profile} in SECTIONS of navigation.py"
    )
