"""The pages that the rules write themselves: one a guarantee, the index of all, and what is known of them.

Nothing is said twice: what a page says is read off the very objects that the command runs.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from stingy.catalogue import PARTS
from stingy.guarantees import all_rules, guarantees, prose, rules_of, title
from stingy.kubernetes import when
from stingy.language.rule import EXAMPLES, Level, Row, Rule
from stingy.recorded import outcomes
from stingy.schemas import schemas
from stingy.sources import Source
from stingy_broken import broken_candidates

Lines = Iterator[str]

GUARANTEE_PAGES = "guarantees/*"
"""In ``nav``: one page a guarantee, in reading order."""
CONTENTS = "<!-- the guarantees -->"
"""On a page: the table of contents of the specification."""
A_RULE = re.compile(r"<!-- the rule (\S+) -->")
"""On a page: the source of that rule."""
A_SECTION = re.compile(r"<!-- (\S+\.md): (.+?) -->")
"""On a page: what stands under that heading of a file in the root of the project."""
HOSTILES = "<!-- the hostile candidates -->"
"""On a page: what each of them does, and what comes of it."""
AN_EXERCISE = re.compile(r"<!-- the exercise (\w+) -->")
"""On a page: what an exercise of the workshop says of itself, and the wrong answers that people give."""
ROOT = Path(__file__).parent.parent


# What MkDocs calls.


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = _with_guarantees(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, lines in _pages():
        files.append(File.generated(config, path, content="\n".join(lines)))
    for name, text in schemas().items():
        files.append(File.generated(config, f"schemas/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    if page.file.generated_by is None:
        markdown = _with_issues(markdown)
    markdown = markdown.replace(CONTENTS, "\n".join(_contents()))
    if HOSTILES in markdown:
        markdown = markdown.replace(HOSTILES, "\n".join(_hostiles()))
    markdown = A_RULE.sub(lambda asked: "\n".join(_source(all_rules()[asked[1]])), markdown)
    markdown = AN_EXERCISE.sub(lambda asked: "\n".join(_exercise(asked[1])), markdown)
    return A_SECTION.sub(lambda asked: _under(asked[2], ROOT / asked[1]), markdown)


def _with_guarantees(nav: Any) -> Any:
    """The same ``nav``, with a page for each guarantee where it asks for them."""
    if isinstance(nav, dict):
        return {title: _with_guarantees(entry) for title, entry in nav.items()}
    if not isinstance(nav, list):
        return nav
    entries: list[Any] = []
    for entry in nav:
        entries += _sections() if entry == GUARANTEE_PAGES else [_with_guarantees(entry)]
    return entries


SECTIONS: Mapping[str, Sequence[str]] = {
    "The work queue": ("queue", "cancel", "drain", "hook"),
    "Adding later": ("delay", "limit"),
    "Metrics": ("metrics",),
    "Controllers": ("controller",),
    "Priorities": ("priority",),
    "Trigger times": ("trigger", "tracker", "proxy"),
}
"""The guarantees by what they are about: the profiles of their rules."""


def _sections() -> list[Any]:
    return [
        {section: [_page_of(it) for it in guarantees() if rules_of(it)[0].profile.name in profiles]}
        for section, profiles in SECTIONS.items()
    ]


def _pages() -> Iterator[tuple[str, Lines]]:
    yield "rules.md", _index()
    yield "contested.md", _contested()
    yield "coverage.md", _coverage()
    yield "broken.md", _kill_matrix()
    for guarantee in guarantees():
        yield _page_of(guarantee), _guarantee(guarantee)


def _hostiles() -> Lines:
    """Read, and not imported: some of them end the process that does."""
    yield "| what it does | what you see | exit |\n|---|---|---|"
    for path in sorted((ROOT / "tests" / "hostile").glob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        said = {
            target.id: ast.literal_eval(statement.value)
            for statement in module.body
            if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name)
            if target.id in ("SAYS", "EXIT")
        }
        finding, _, because = said["SAYS"].partition(": ")
        seen = f"`{finding}`" + (f": {escape(because)}" if because else "")
        yield f"| {ast.get_docstring(module)} | {seen} | {said['EXIT']} |"


# The page of a guarantee.


def _guarantee(guarantee: ModuleType) -> Lines:
    rules = rules_of(guarantee)
    yield f"# {title(guarantee)}\n\n{prose(guarantee)}\n"
    yield f"{_tally(rules)}\n{{ .stingy-tally }}\n"
    for rule in rules:
        yield from _section(rule)


def _section(rule: Rule) -> Lines:
    yield f"## {_name(rule)} {{ #{_anchor(rule)} .stingy-rule }}\n"
    yield f"{_level(rule, '../')} {_profile(rule, '../')} `{rule.id}`\n{{ .stingy-meta }}\n"
    yield f"{_emphasised(rule.sentence)}\n{{ .stingy-sentence .stingy-{rule.level.lower()} }}\n"
    yield f"{_with_issues(rule.reason)}\n"
    yield from _table(rule.each)
    yield from _ranges(rule.for_all)
    yield from (f"This is so {when(*way)}.\n" for way in rule.where.items())
    yield from _accepted(rule)
    for source in rule.cites:
        yield from _upstream(source)
    yield from _footing(rule)
    yield from _folded("checked", "How it is checked", _source(rule))
    yield from _caught(rule)


def _table(rows: Sequence[Row]) -> Lines:
    if not rows:
        return
    columns = [column[0].upper() + column[1:] for column in rows[0].cells()]
    yield f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(_cell(value) for value in row.cells().values())} |"
    yield ""


def _cell(value: str) -> str:
    """A value as it is; quoted, and what cannot be seen spelled out, where a reader could not tell."""
    if value and value == value.strip() and unicodedata.is_normalized("NFC", value):
        return escape(value).replace("|", "&#124;")
    return f"`{value!a}`"


def _ranges(ranges: Mapping[str, Any]) -> Lines:
    if not ranges:
        return
    yield f"For every choice of the following, of which {EXAMPLES} are tried:\n"
    for name, values in ranges.items():
        yield f"- `{name}`: {values.words}"
    yield ""


def _accepted(rule: Rule) -> Lines:
    if rule.probe:
        yield "This is a probe: what happens is reported, and never held against the candidate.\n"
    if rule.contested:
        yield "Each of these outcomes is accepted; the report says which one was seen.\n"
        yield from (f"- {outcome}" for outcome in rule.contested)
        yield ""


def _upstream(source: Source) -> Lines:
    where = f"[{source}]({source.url}) in {source.upstream.module or source.upstream.repo}"
    if source.quote:
        yield f"> {_plain(source.quote)}\n>\n> — {where}\n"
    else:
        yield f"Upstream: {where}\n{{ .stingy-note }}\n"


def _footing(rule: Rule) -> Lines:
    """What is to be looked at before, and after, this rule."""
    if rule.races:
        yield "Run in many orders of its lanes: without pre-emption first, then with a few, by the seed.\n{ .stingy-note }\n"
    if rule.after:
        earlier = ", ".join(_link(all_rules()[it], "", _name(all_rules()[it]).lower()) for it in rule.after)
        yield f"Judged only if these are kept: {earlier}.\n{{ .stingy-note }}\n"
    for hint in rule.hints:
        yield f"If it fails, check: {hint}\n{{ .stingy-note }}\n"


def _source(rule: Rule) -> Lines:
    yield "```python"
    yield from inspect.getsource(rule.check).rstrip().splitlines()
    yield "```"


def _caught(rule: Rule) -> Lines:
    caught = _caught_by_rule()[rule.id]
    if not caught:
        return
    number = f"{len(caught)} broken candidate{'s' if caught[1:] else ''}"
    yield from _folded("caught", f"Caught by it: {number}", (f"- {_candidate(it, '../')}" for it in caught))


def _candidate(broken: type, up: str) -> str:
    return f"[{broken.__name__}]({up}broken.md#{_broken_anchor(broken)}): {_doc(broken)}"


# The index of all rules.


def _index() -> Lines:
    yield f"# All rules\n\n{_tally(all_rules().values())}\n{{ .stingy-tally }}\n"
    yield "*Catches* says how many of the [broken candidates](broken.md) the rule objects to.\n"
    for guarantee in guarantees():
        yield f"## [{title(guarantee)}]({_page_of(guarantee)})\n"
        yield '<div class="stingy-index" markdown>\n'
        yield "| Level | Rule | Profile | Catches |\n|---|---|---|--:|"
        for rule in rules_of(guarantee):
            caught = len(_caught_by_rule()[rule.id])
            yield (
                f"| {_level(rule, '')} "
                f"| {_link(rule, 'guarantees/', f'`{rule.id}`')}<br>{_emphasised(rule.sentence)} "
                f"| {_profile(rule, '')} | {caught} |"
            )
        yield "\n</div>\n"


def _contents() -> Lines:
    yield "| Guarantee | Rules | Profile |\n|---|--:|---|"
    for guarantee in guarantees():
        rules = rules_of(guarantee)
        profiles = " ".join(dict.fromkeys(_profile(rule, "") for rule in rules))
        yield f"| [{title(guarantee)}]({_page_of(guarantee)}) | {len(rules)} | {profiles} |"


# What upstream is not of one mind about.


def _contested() -> Lines:
    yield "# Contested\n"
    yield (
        "Where upstream's words and its code differ, where a change is proposed, or where nothing is promised at all, no "
        "candidate is accused. The rules here accept every outcome that somebody reasonable suggests, or only look; and the "
        "report says which one was seen. What real implementations do was found by running them.\n"
    )
    for rule in all_rules().values():
        if rule.contested or rule.probe:
            yield f"## {_name(rule)} {{ #{rule.guarantee}-{_anchor(rule)} }}\n"
            yield f"{_level(rule, '')} {_profile(rule, '')} {_link(rule, 'guarantees/', f'`{rule.id}`')}\n{{ .stingy-meta }}\n"
            yield f"{_emphasised(rule.sentence)} {_with_issues(rule.reason)}\n"
            yield from _outcomes(rule)


def _outcomes(rule: Rule) -> Lines:
    """What is accepted, and who does it; or what a probe has seen."""
    seen = outcomes(rule.id)
    if rule.contested and not rule.each:
        yield "| Accepted | Seen in |\n|---|---|"
        for outcome in rule.contested:
            yield f"| {outcome} | {', '.join(who for who, did in seen.items() if did == outcome) or '–'} |"
        yield ""
    elif seen:
        yield from (f"- {who}: {did}" for who, did in seen.items())
        yield ""


# Where the specification has what is known.


def _coverage() -> Lines:
    everything = [behaviour for part in PARTS for behaviour in part.behaviours]
    yield "# Coverage\n"
    yield (
        f"These {len(everything)} behaviours were found by reading upstream's code, its tests, its "
        "bugs and its open questions. Each is the matter of a rule, or there is a reason why it cannot be.\n"
    )
    for part in PARTS:
        yield f"## {part.title}\n\n| Behaviour | Upstream | Rules |\n|---|---|---|"
        for behaviour in part.behaviours:
            rules = [all_rules()[id_] for id_ in behaviour.rules]
            links = "<br>".join(
                f"{_link(rule, 'guarantees/', f'`{rule.id}`')} {_level(rule, '')}" for rule in rules
            )
            yield f"| `{behaviour.name}` | {behaviour.said} | {links or behaviour.why_not} |"
        yield ""


# The kill matrix.


def _kill_matrix() -> Lines:
    everybody = list(broken_candidates())
    yield "# Broken candidates\n"
    yield (
        f"Does each rule bite? These {len(everybody)} implementations are wrong in exactly one way each, and named "
        "for their fault. Each is caught by the rules below it and by no other: the tests of this project run "
        "every rule against every one of them, and fail if one gets through or another rule objects. A rule that "
        "builds on a broken one is not judged, so it is not listed.\n"
    )
    for name, candidates in groupby(everybody, key=lambda broken: broken.__module__):
        heading = inspect.cleandoc(import_module(name).__doc__ or "").partition("\n\n")[0].rstrip(".")
        yield f"## {heading} {{ #{name.rpartition('.')[2]} }}\n"
        for broken in candidates:
            yield from _entry(broken)
    yield from _toothless()


def _entry(broken: Any) -> Lines:
    rules = (rule for rule in all_rules().values() if rule.id in broken.caught_by)
    links = "".join(f"\n    - {_link(rule, 'guarantees/', f'`{rule.id}`')}" for rule in rules)
    yield f"`{broken.__name__}`{{ #{_broken_anchor(broken)} .stingy-broken }}\n:   {_doc(broken)}\n{links}\n"


def _toothless() -> Lines:
    rules = [rule for rule in all_rules().values() if not _caught_by_rule()[rule.id]]
    if not rules:
        return
    yield "## Rules that catch nobody here { #nobody }\n"
    yield "They accept every outcome that a candidate might reasonably have, or only report.\n"
    yield from (f"- {_link(rule, 'guarantees/', f'`{rule.id}`')} {_level(rule, '')}" for rule in rules)


@cache
def _caught_by_rule() -> Mapping[str, Sequence[type]]:
    """The broken candidates that a rule catches."""
    everybody = list(broken_candidates())
    return {rule: [broken for broken in everybody if rule in broken.caught_by] for rule in all_rules()}


# The workshop.


def _exercise(name: str) -> Lines:
    """What a trainer needs to know of it, from the very file that the workshop runs by."""
    file = ROOT / "exercises" / "stingy_kata" / name / "exercise.toml"
    card = tomllib.loads(file.read_text(encoding="utf-8"))
    minutes = f"{card['minutes']} min and {card['review_minutes']} min of review"
    yield f"*{card['title']}*: {minutes}, {card['difficulty']}, [the rules](guarantees/{card['docs']}.md).\n"
    yield f"It gets at: *{card['misconception']}*\n"
    replies = (f"- `{mistake['name']}`: {_with_issues(mistake['says'])}" for mistake in card["mistakes"])
    yield from _folded("failure", "Wrong answers that you will see, and what to reply", replies)
    yield f"When it passes, ask: *{_with_issues(card['after'])}*\n"


# Words.


def _under(heading: str, file: Path) -> str:
    """What stands under a heading of the second level."""
    _, found, rest = f"\n{file.read_text(encoding='utf-8')}".partition(f"\n## {heading}\n")
    if not found:
        raise PluginError(f"{file.name} has no heading {heading!r}, which a page asks for")
    return rest.partition("\n## ")[0].strip()


def _page_of(guarantee: ModuleType) -> str:
    return f"guarantees/{guarantee.__name__.rpartition('.')[2]}.md"


def _name(rule: Rule) -> str:
    """The claim that a rule's function is named for."""
    words = rule.check.__name__.replace("_", " ")
    return words[0].upper() + words[1:]


def _anchor(rule: Rule) -> str:
    return rule.id.partition("/")[2]


def _broken_anchor(broken: type) -> str:
    """Two modules may name a class alike."""
    return f"{broken.__module__.rpartition('.')[2]}-{broken.__name__}"


def _link(rule: Rule, guarantees_in: str, text: str) -> str:
    return f"[{text}]({guarantees_in}{rule.guarantee}.md#{_anchor(rule)})"


def _level(rule: Rule, up: str) -> str:
    return f"[{rule.level}]({up}verdicts.md#levels){{ .stingy-level .stingy-{rule.level.lower()} }}"


def _profile(rule: Rule, up: str) -> str:
    return f"[{rule.profile.name}]({up}candidates.md#profiles){{ .stingy-profile }}"


def _tally(rules: Iterable[Rule]) -> str:
    """``7 rules: 5 MUST, 2 SHOULD``."""
    number = Counter(rule.level for rule in rules)
    levels = [f"{number[level]} {level}" for level in Level if number[level]]
    return f"{number.total()} rules" + (
        f": {', '.join(levels)}" if levels[1:] else f", all {next(iter(number))}"
    )


def _emphasised(sentence: str) -> str:
    return re.sub(r"\b((MUST|SHOULD|MAY)( NOT)?)\b", r"**\1**", sentence)


def _with_issues(text: str) -> str:
    """``owner/repository#123`` as a link."""
    return re.sub(r"\b([\w-]+/[\w-]+)#(\d+)\b", r"[\1#\2](https://github.com/\1/issues/\2)", text)


def _plain(text: str) -> str:
    """Upstream's words, of which none is Markdown."""
    return re.sub(r"([\\`*_{}\[\]#])", r"\\\1", escape(text, quote=False))


def _doc(thing: type) -> str:
    return " ".join(inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].split())


def _folded(kind: str, title: str, lines: Iterable[str]) -> Lines:
    yield f'??? {kind} "{title}"\n'
    yield from (f"    {line}" if line else "" for line in lines)
    yield ""
