"""The specification: one module a guarantee, one function a rule, in reading order."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from types import ModuleType

from stingy.language.rule import Rule, rules_in

GUARANTEES = (
    "handing_out",
    "fair",
    "stingy",
    "once_more",
    "workers",
    "length",
    "shutdown",
    "drain",
    "interleavings",
    "cancellation",
    "hooks",
    "memory",
    "delays",
    "deadlines",
    "abandonment",
    "rate_limiting",
    "succession",
    "backoff",
    "bucket",
    "combination",
    "defaults",
    "metrics",
    "ending",
    "controller",
    "outcomes",
    "requeueing",
    "stopping",
    "priority",
    "readiness",
    "mixes",
    "priority_shutdown",
    "priority_races",
    "layers",
    "triggers",
    "codec",
    "trigger_times",
    "annotation",
    "changes",
    "checkout",
    "restart",
    "removal",
    "sequences",
    "latency",
    "arrivals",
    "skew",
    "clocks",
    "journey",
    "lasting",
)
"""The modules of this package, as somebody would read them who has never seen a work queue."""


def guarantees() -> Iterator[ModuleType]:
    for name in GUARANTEES:
        yield import_module(f"{__name__}.{name}")


def rules_of(guarantee: ModuleType) -> list[Rule]:
    """The rules of one guarantee, in the order in which they stand there."""
    return list(rules_in(vars(guarantee), guarantee.__name__))


def title(guarantee: ModuleType) -> str:
    return _doc(guarantee).partition("\n\n")[0].rstrip(".")


@cache
def titles() -> Mapping[str, str]:
    """The title of each guarantee, by the name that its rules' ids begin with."""
    return {guarantee.__name__.rpartition(".")[2]: title(guarantee) for guarantee in guarantees()}


def prose(guarantee: ModuleType) -> str:
    """Return the text of a guarantee before its first rule."""
    return _doc(guarantee).partition("\n\n")[2]


class _Rules(Mapping[str, Rule]):
    """The rules of some guarantees by their ids; a guarantee is imported when its rules are asked for."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def __getitem__(self, id_: str) -> Rule:
        name = id_.partition("/")[0]
        if name not in self._names:
            raise KeyError(id_)
        return rules_by_id(name)[id_]

    def __iter__(self) -> Iterator[str]:
        for name in self._names:
            yield from rules_by_id(name)

    def __len__(self) -> int:
        return sum(len(rules_by_id(name)) for name in self._names)


def all_rules() -> Mapping[str, Rule]:
    """Every rule by its id, in reading order."""
    return _Rules(GUARANTEES)


@cache
def rules_by_id(name: str) -> Mapping[str, Rule]:
    """The rules of the guarantee with this name; TypeError if one builds on what does not stand before it, or is newer."""
    before = _Rules(GUARANTEES[: GUARANTEES.index(name)])
    found: dict[str, Rule] = {}
    for rule in rules_of(import_module(f"{__name__}.{name}")):
        for id_ in rule.after:
            earlier = found.get(id_) or before.get(id_)
            if earlier is None:
                near = difflib.get_close_matches(id_, [*before, *found], 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise TypeError(f"{rule.id} builds on {id_}, and no rule before it is called so{hint}")
            if not earlier.is_in(rule.since):
                raise TypeError(
                    f"{rule.id}, {rule.dated}, builds on a rule that is newer, {id_}: an edition would have one without the other"
                )
        found[rule.id] = rule
    return found


def like(globs: Iterable[str]) -> list[Rule]:
    """The rules whose ids are like one of these patterns; LookupError, with a sentence, for one that none is like."""
    found: dict[str, Rule] = {}
    for glob in globs:
        guarantee = glob.partition("/")[0]
        asked = _Rules([guarantee]) if guarantee in GUARANTEES else all_rules()
        fitting = {id_: rule for id_, rule in asked.items() if fnmatchcase(id_, glob)}
        if not fitting:
            whole = [f"{name}/*" for name in GUARANTEES]
            near = difflib.get_close_matches(glob, whole, 1) or difflib.get_close_matches(
                glob, all_rules(), 1, 0.4
            )
            hint = f"; did you mean {near[0]}?" if near else "; stingy rules lists them"
            raise LookupError(f"there is no rule {glob!r}{hint}")
        found |= fitting
    return list(found.values())


def chosen(profiles: Collection[str], globs: Collection[str], edition: str = "") -> Mapping[str, Rule]:
    """The rules that are asked for, with those that they build on: what these have found out counts, too.

    ``edition``: only rules that it has; empty for all. LookupError, with a sentence, if there is none.
    """
    asked = [rule for rule in like(globs or ["*"]) if not profiles or rule.profile.name in profiles]
    if not asked:
        raise LookupError(f"no rule like {', '.join(globs)} belongs to {' or '.join(profiles)}")
    found = [rule for rule in asked if rule.is_in(edition)]
    if not found:
        raise LookupError(
            f"edition {edition} has none of these rules; the oldest is {min(asked, key=lambda rule: rule.since).dated}"
        )
    return with_what_they_build_on(found)


def with_what_they_build_on(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    """These rules and all that come before them, in reading order."""
    wanted: set[str] = set()
    open_ = [rule.id for rule in rules]
    while open_:
        if (id_ := open_.pop()) not in wanted:
            wanted.add(id_)
            open_ += all_rules()[id_].after
    names = {id_.partition("/")[0] for id_ in wanted}
    in_order = _Rules([name for name in GUARANTEES if name in names])
    return {id_: rule for id_, rule in in_order.items() if id_ in wanted}


def _doc(guarantee: ModuleType) -> str:
    return inspect.cleandoc(guarantee.__doc__ or "")
