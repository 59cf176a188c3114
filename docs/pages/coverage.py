"""Where the specification has what is known of upstream."""

from __future__ import annotations

from pages import Lines
from pages.words import LISTED, level, link
from stingy.catalogue import PARTS
from stingy.guarantees import all_rules


def page() -> Lines:
    yield LISTED
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
                f"{link(rule, 'guarantees/', f'`{rule.id}`')} {level(rule, '')}" for rule in rules
            )
            yield f"| `{behaviour.name}` | {behaviour.said} | {links or behaviour.why_not} |"
        yield ""
