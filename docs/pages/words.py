"""Names, links and other pieces of Markdown that all pages use."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from html import escape
from types import ModuleType

from pages import Lines
from stingy.language.rule import Level, Rule

LISTED = "---\nsearch:\n  boost: 0.5\n---\n"
"""Front matter of a page that only lists what is on others: the search ranks it below them."""


def page_of(guarantee: ModuleType) -> str:
    return f"guarantees/{name_of(guarantee)}.md"


def name_of(guarantee: ModuleType) -> str:
    return guarantee.__name__.rpartition(".")[2]


def claim(rule: Rule) -> str:
    """Return a rule's name as a heading: the name of its function in words, with a capital letter."""
    return begin(say(rule))


def say(rule: Rule) -> str:
    """Return a rule's name as a part of a sentence: the name of its function in words."""
    words = rule.check.__name__.replace("_", " ")
    for written, spelled in SPELLED.items():
        words = re.sub(rf"\b{written}\b", spelled, words)
    return words


def begin(words: str) -> str:
    return words[0].upper() + words[1:]


SPELLED: Mapping[str, str | Callable[[re.Match[str]], str]] = {
    "addafter": "AddAfter",
    "addratelimited": "AddRateLimited",
    "numrequeues": "NumRequeues",
    "requeue after": "RequeueAfter",
    "law f the": "law F: the",
    "law l the": "law L: the",
    "utc": "UTC",
    "rfc 3339": "RFC 3339",
    "kube proxy": "kube-proxy",
    "controllers items": "controller's items",
    "from (add|get) to (get|done)": lambda it: f"from {it[1].title()} to {it[2].title()}",
    "(a|an|each|every|its|the|no|second|cancelled) (add|get|done|forget)": lambda it: (
        f"{it[1]} {it[2].title()}"
    ),
}
"""Words whose spelling differs from that in a function's name, as regular expressions."""


def anchor(rule: Rule) -> str:
    return rule.id.partition("/")[2]


def broken_anchor(broken: type) -> str:
    """Return the HTML anchor of a broken candidate: names of module and class, which is unique."""
    return f"{broken.__module__.rpartition('.')[2]}-{broken.__name__}"


def link(rule: Rule, guarantees_in: str, text: str) -> str:
    return f"[{text}]({guarantees_in}{rule.guarantee}.md#{anchor(rule)})"


def level(rule: Rule, up: str) -> str:
    return f"[{rule.level}]({up}verdicts.md#levels){{ .stingy-level .stingy-{rule.level.lower()} data-search-exclude }}"


def profile(rule: Rule, up: str) -> str:
    return f"[{rule.profile.name}]({up}candidates.md#profiles){{ .stingy-profile data-search-exclude }}"


def candidate(broken: type, up: str) -> str:
    return f"[{broken.__name__}]({up}broken.md#{broken_anchor(broken)})"


def tally(rules: Iterable[Rule]) -> str:
    """Return a phrase with the number of these rules by level, such as ``7 rules: 5 MUST, 2 SHOULD``."""
    number = Counter(rule.level for rule in rules)
    levels = [f"{number[it]} {it}" for it in Level if number[it]]
    said = f": {', '.join(levels)}" if levels[1:] else f", all {next(iter(number))}"
    return f"{number.total()} rules{said}"


def emphasise(sentence: str) -> str:
    return re.sub(r"\b((MUST|SHOULD|MAY)( NOT)?)\b", r"**\1**", sentence)


def with_issues(text: str) -> str:
    """Return the text with each ``owner/repository#123`` that is no link yet as a link to that issue."""
    return re.sub(
        r"(?<![\[`\w/.-])([\w-]+/[\w-]+)#(\d+)\b", r"[\1#\2](https://github.com/\1/issues/\2)", text
    )


def plain(text: str) -> str:
    """Escape a text so that no character of it is read as Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]#])", r"\\\1", escape(text, quote=False))


def doc(thing: type | ModuleType) -> str:
    """Return the first paragraph of a class's or a module's docstring, on one line."""
    return " ".join(inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].split())


def source(rule: Rule) -> Lines:
    yield "```python"
    yield from inspect.getsource(rule.check).rstrip().splitlines()
    yield "```"


def leave_unsearched(text: str) -> str:
    """Wrap Markdown so that the site's search skips it, because the text is also on another page."""
    return f"<div data-search-exclude markdown>\n\n{text}\n\n</div>"


def fold(kind: str, title: str, lines: Iterable[str]) -> Lines:
    """Yield a section that unfolds when a reader clicks on its title; the site's search skips it.

    ``kind`` is its CSS class.
    """
    yield f'<details class="{kind}" data-search-exclude markdown="1">'
    yield f"<summary>{escape(title)}</summary>\n"
    yield from lines
    yield "\n</details>\n"
