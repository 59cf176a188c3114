"""Where the specification has what is known of upstream."""

from __future__ import annotations

from pages import Lines
from pages.words import LISTED, level, link
from stingy.catalogue import find_uncovered, parts


def page() -> Lines:
    yield LISTED
    everything = [behaviour for part in parts() for behaviour in part.behaviours]
    yield "# Coverage\n"
    yield (
        f"These {len(everything)} behaviours were found by reading upstream's code, its tests, its "
        "bugs and its open questions. Each is the matter of a rule, or there is a reason why it cannot be.\n"
    )
    if open_ := [f"`{it.name}`" for it in find_uncovered()]:
        yield f"Nobody covers {', '.join(open_)} yet.\n"
    for part in parts():
        yield f"## {part.title}\n\n| Behaviour | Upstream | Rules |\n|---|---|---|"
        for behaviour in part.behaviours:
            links = "<br>".join(
                f"{link(rule, 'guarantees/', f'`{rule.id}`')} {level(rule, '')}" for rule in behaviour.rules
            )
            yield f"| `{behaviour.name}` | {behaviour.says} | {links or behaviour.why_not or '**nobody**'} |"
        yield ""
