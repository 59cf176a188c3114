"""Words of the language: annotations that say what a rule needs.

A rule has one parameter, of any name, whose annotation is a word. An editor and mypy see a type:
``Draining`` is the type of queue that the rule receives. The word also says what a
candidate must offer, and what has to be set up. A rule can add needs to a word:
``Annotated[Race, With("drain")]`` is a race on a queue that can drain.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_origin

from stingy.contract import PROFILES, Profile
from stingy.contract.ops import Part
from stingy.language import cluster as clusters
from stingy.language import codec, control_plane, controller, delaying, limiter, priority, queue, race
from stingy.language.node import Node
from stingy.language.session import Options
from stingy.language.stage import BACKOFF, Setting, Stage
from stingy.language.tracker_race import TrackerRace as RaceOfTracker

Besides = Literal[
    Part,
    "cancel",
    "family",
    "exponential",
    "fast_slow",
    "bucket",
    "max_of",
    "max_wait",
    "default_controller",
    "default_item",
    "values",
]
"""Names that a word can be combined with: another profile, or a kind of limiter."""

MADE_WITH: Mapping[str, Options] = {
    "hook": {"queue": {"hides": 0}},
    "limit": {"rate_limiter": BACKOFF},
    "memory": {"watched": True},
    "metrics": {"metrics": {}, "name": queue.NAME},
}
"""By name, the options that the candidate is made with, unless the rule gives others."""


class Word:
    """Meaning of a word of the language, such as ``Queue``, as the annotation of a rule.

    It has the profile, and the function that sets up the object that the rule receives.
    """

    def __init__(self, profile: str, set_out: Callable[..., object], *, races: bool = False) -> None:
        self.profile = profile
        self.set_out = set_out
        self.races = races


class With:
    """Annotation metadata for something that the candidate must offer besides the word's profile.

    The candidate is made with the options of ``MADE_WITH``, or with these options instead.
    """

    def __init__(self, besides: Besides, **options: Any) -> None:
        self.profile = besides
        self.options = options or MADE_WITH.get(besides, {})


class AtOnce:
    """Annotation metadata that marks a rule as a race: several lanes call the candidate at once.

    Such a rule is run in many orders.
    """


def _name_of(annotation: object) -> tuple[Any, ...]:
    """Return the metadata of an ``Annotated`` type; empty for any other annotation."""
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


Queue = Annotated[queue.Queue, Word("queue", Stage.queue)]
"""A work queue, with one call at a time on each lane."""

Cancellable = Annotated[Queue, With("cancel")]
"""A work queue whose Get can be cancelled while it waits."""

Draining = Annotated[Queue, With("drain")]
"""A work queue that can drain (ShutDownWithDrain)."""

Hooked = Annotated[Queue, With("hook")]
"""A work queue with the suite's store, which is last in, first out.

Made with `queue={"hides": 1}`, the store keeps the oldest item back.
"""

Valued = Annotated[Queue, With("values")]
"""A work queue whose items are Python values of any type; each is named by a ``Value``."""

Watched = Annotated[Queue, With("memory")]
"""A work queue with items for which the suite can tell whether something still references them."""

Measured = Annotated[Queue, With("metrics")]
"""A work queue with a name, which reports to the suite's metrics."""

Race = Annotated[race.Race, Word("queue", Stage.race, races=True)]
"""Lanes that run their programs at once on a work queue."""

DelayingQueue = Annotated[delaying.DelayingQueue, Word("delay", Stage.delaying)]
"""A work queue that can add an item later (AddAfter)."""

EndingQueue = Annotated[delaying.DelayingQueue, Word("ending", Stage.delaying)]
"""A delaying queue whose own threads or tasks the suite can count."""

RateLimitingQueue = Annotated[delaying.RateLimitingQueue, Word("limit", Stage.limiting)]
"""A work queue with the suite's rate limiter: 1 min, 2 min, 4 min and so on for each item."""

Limiters = Annotated[limiter.Maker, Word("", lambda stage: stage.limiter)]
"""A constructor of rate limiters, with the rule's own options. Needs a kind: `With("bucket")`."""

Controllers = Annotated[
    Callable[..., controller.Controller], Word("controller", lambda stage: stage.controller)
]
"""A constructor of controllers, which also starts them unless `started=False`.

Without a number of workers, the candidate chooses it.
"""

PriorityQueue = Annotated[priority.PriorityQueue, Word("priority", Stage.priority)]
"""A priority queue."""

PriorityRace = Annotated[priority.PriorityRace, Word("priority", Stage.priority_race, races=True)]
"""Lanes that run their programs at once on a priority queue."""

ControlPlane = Annotated[control_plane.ControlPlane, Word("trigger", Stage.control_plane)]
"""A control plane whose controller asks a trigger-time tracker."""

Writer = Annotated[codec.Codec, Word("writing", Stage.codec)]
"""A writer of the trigger-time annotation."""

Reader = Annotated[codec.Codec, Word("reading", Stage.codec)]
"""A reader of the trigger-time annotation."""

Codec = Annotated[codec.Codec, Word("codec", Stage.codec)]
"""A writer and reader of the trigger-time annotation."""

Tracker = Annotated[Node, Word("tracker", lambda stage: stage.node)]
"""A node with a change tracker."""

TrackerRace = Annotated[RaceOfTracker, Word("tracker", Stage.tracker_race, races=True)]
"""A node whose change tracker is called by an informer and a proxy at once."""

Proxy = Annotated[Node, Word("proxy", Stage.proxy)]
"""A node with a proxy whose first lists are complete."""

StartingProxy = Annotated[Node, Word("proxy", lambda stage: stage.node)]
"""A node with a proxy whose first lists are not yet complete."""

Trackers = Annotated[Callable[[str], Node], Word("tracker", lambda stage: stage.tracker_of), With("family")]
"""A constructor of nodes with a change tracker for an address family, such as IPv6."""

Proxies = Annotated[Callable[[str], Node], Word("proxy", lambda stage: stage.proxy_of), With("family")]
"""A constructor of nodes with a proxy for an address family, such as IPv6."""

Cluster = Annotated[clusters.Cluster, Word("proxy", Stage.cluster)]
"""Hosts that stamp changes by their own clocks, and a node with a proxy that is yet to boot."""

Clusters = Annotated[Callable[[], clusters.Cluster], Word("proxy", lambda stage: stage.cluster)]
"""A constructor of clusters."""

WORDS: Mapping[str, Any] = {
    name: it for name, it in globals().items() if any(isinstance(said, Word) for said in _name_of(it))
}
"""All words, by name."""


def read(annotation: object, said: str = "") -> Setting:
    """Return the setting that an annotation asks for.

    Raises TypeError with a message for rule authors if it holds no word, or if no profile combines
    all it asks for.
    """
    if get_origin(annotation) is tuple:
        one, *others = get_args(annotation)
        if others != [one]:
            raise TypeError(
                "a rule asks for one thing, or for two of one kind, such as tuple[Tracker, Tracker]"
            )
        setting = read(one, said)
        return replace(setting, set_out=partial(_set_out_two, setting.set_out), two=True)
    words = [it for it in _name_of(annotation) if isinstance(it, Word)]
    if not words:
        raise TypeError(f"that is no word of the language; did you mean {_nearest(said or str(annotation))}?")
    besides = [it for it in _name_of(annotation) if isinstance(it, With)]
    options = {key: value for it in besides for key, value in it.options.items()}
    return Setting(
        _find_profile([words[0].profile, *(it.profile for it in besides)]),
        words[0].set_out,
        options,
        words[0].races or AtOnce in _name_of(annotation),
    )


def _set_out_two(set_out: Callable[..., object], stage: Stage, **options: Any) -> tuple[object, object]:
    """Set up two of one kind: the second is another candidate, beside the first."""
    return set_out(stage, **options), set_out(stage.beside(), **options)


def _nearest(name: str) -> str:
    """Return the word of the language with the spelling most similar to ``name``."""
    found = difflib.get_close_matches(name.lower(), [word.lower() for word in WORDS], 1, 0)
    return next(word for word in WORDS if word.lower() in found)


def _find_profile(names: Collection[str]) -> Profile:
    """Return the profile that combines all these names.

    Raises TypeError with a message for rule authors if there is none.
    """
    wanted = set(names) - {"queue", ""} or set(names)
    found = [profile for key, profile in PROFILES.items() if set(key.split(", ")) == wanted]
    if not found:
        said = ", ".join(sorted(wanted)) or "a limiter of no kind"
        near = difflib.get_close_matches(said, PROFILES, 1, 0)
        raise TypeError(f"nobody can offer {said}; did you mean {near[0]}, which is said by With(…)?")
    return found[0]
