"""How things are named and linked on every page."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable
from html import escape
from types import ModuleType

from pages import Lines
from stingy.language.rule import Level, Rule

LISTED = "---\nsearch:\n  boost: 0.5\n---\n"
"""Heads a page that lists what stands on others, and so is found after those."""


def page_of(guarantee: ModuleType) -> str:
    return f"guarantees/{name_of(guarantee)}.md"


def name_of(guarantee: ModuleType) -> str:
    return guarantee.__name__.rpartition(".")[2]


def claim(rule: Rule) -> str:
    """What a rule's function is named for."""
    words = rule.check.__name__.replace("_", " ")
    return words[0].upper() + words[1:]


def anchor(rule: Rule) -> str:
    return rule.id.partition("/")[2]


def broken_anchor(broken: type) -> str:
    """Two modules may name a class alike."""
    return f"{broken.__module__.rpartition('.')[2]}-{broken.__name__}"


def link(rule: Rule, guarantees_in: str, text: str) -> str:
    return f"[{text}]({guarantees_in}{rule.guarantee}.md#{anchor(rule)})"


def level(rule: Rule, up: str) -> str:
    return f"[{rule.level}]({up}verdicts.md#levels){{ .stingy-level .stingy-{rule.level.lower()} }}"


def profile(rule: Rule, up: str) -> str:
    return f"[{rule.profile.name}]({up}candidates.md#profiles){{ .stingy-profile }}"


def candidate(broken: type, up: str) -> str:
    return f"[{broken.__name__}]({up}broken.md#{broken_anchor(broken)}): {doc(broken)}"


def tally(rules: Iterable[Rule]) -> str:
    """``7 rules: 5 MUST, 2 SHOULD``."""
    number = Counter(rule.level for rule in rules)
    levels = [f"{number[it]} {it}" for it in Level if number[it]]
    said = f": {', '.join(levels)}" if levels[1:] else f", all {next(iter(number))}"
    return f"{number.total()} rules{said}"


def emphasise(sentence: str) -> str:
    return re.sub(r"\b((MUST|SHOULD|MAY)( NOT)?)\b", r"**\1**", sentence)


def with_issues(text: str) -> str:
    """``owner/repository#123`` as a link, where it is none."""
    return re.sub(
        r"(?<![\[`\w/.-])([\w-]+/[\w-]+)#(\d+)\b", r"[\1#\2](https://github.com/\1/issues/\2)", text
    )


def plain(text: str) -> str:
    """Words of others, of which none is Markdown."""
    return re.sub(r"([\\`*_{}\[\]#])", r"\\\1", escape(text, quote=False))


def doc(thing: type) -> str:
    return " ".join(inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].split())


def source(rule: Rule) -> Lines:
    yield "```python"
    yield from inspect.getsource(rule.check).rstrip().splitlines()
    yield "```"


def fold(kind: str, title: str, lines: Iterable[str]) -> Lines:
    yield f'??? {kind} "{title}"\n'
    yield from (f"    {line}" if line else "" for line in "\n".join(lines).splitlines())
    yield ""
