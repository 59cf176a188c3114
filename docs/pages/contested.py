"""The page *Contested*: rules for which upstream contradicts itself or promises nothing."""

from __future__ import annotations

from pages import Lines
from pages.words import anchor, claim, emphasise, level, link, profile, with_issues
from stingy.guarantees import all_rules
from stingy.language.rule import Rule
from stingy.reports.outcomes import outcomes


def page() -> Lines:
    yield "# Disputed: where upstream contradicts itself\n"
    yield (
        "Where upstream's words and its code differ, where a change is proposed, or where nothing is promised at all, no "
        "candidate is accused. The rules here accept every outcome that somebody reasonable suggests, or only look; and the "
        "report says which one was seen. What real implementations do was found by running them.\n"
    )
    for rule in all_rules().values():
        if rule.contested or rule.probe:
            yield f"## {claim(rule)} {{ #{rule.guarantee}-{anchor(rule)} data-search-exclude }}\n"
            yield f"{level(rule, '')} {profile(rule, '')} {link(rule, 'guarantees/', f'`{rule.id}`')}\n{{ .stingy-meta }}\n"
            yield f"{emphasise(rule.sentence)} {with_issues(rule.reason)}\n"
            yield from _outcomes(rule)


def _outcomes(rule: Rule) -> Lines:
    """Yield Markdown with the outcomes of a rule that accepts several.

    Each outcome has the names of the implementations in which it was observed.
    """
    seen = outcomes(rule.id)
    if rule.contested and not rule.each:
        yield "| Accepted | Seen in |\n|---|---|"
        for outcome in rule.contested:
            yield f"| {outcome} | {', '.join(who for who, did in seen.items() if did == outcome) or '–'} |"
        yield ""
    elif seen:
        yield from (f"- {who}: {did}" for who, did in seen.items())
        yield ""
