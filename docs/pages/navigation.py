"""Navigation of the site: ``docs/nav.yml``, with the pages of the guarantees inserted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from pages import Lines, Unsaid
from pages.words import page_of
from stingy.guarantees import guarantees, rules_of

GUARANTEES = "guarantees/*"
"""Placeholder in ``nav.yml`` for the pages of all guarantees, in sections and in reading order."""

SECTIONS: Mapping[str, Sequence[str]] = {
    "The work queue": ("queue", "cancel", "drain", "hook", "memory", "ending"),
    "Delays and rate limits": ("delay", "limit"),
    "Metrics": ("metrics",),
    "Controllers": ("controller",),
    "Priorities": ("priority",),
    "Trigger times": ("trigger", "tracker", "proxy"),
}
"""Sections of the guarantees, and the profiles whose guarantees belong to each."""


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
