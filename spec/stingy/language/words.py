"""What a rule may ask for: the annotation of one of its parameters says it; the name of the parameter is free.

A word is a type with something more to it. To an editor and to mypy, ``Draining`` is the queue that the rule is handed; the rule
reads in it what a candidate must offer, and what is set out. What only a few rules need is put together where they
need it: ``Annotated[Race, With("drain")]`` is a race on a queue that can drain.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from stingy.contract import PROFILES, Profile
from stingy.language import cluster as clusters
from stingy.language import codec, control_plane, controller, delaying, limiter, priority, queue, race
from stingy.language.node import Node
from stingy.language.session import Options
from stingy.language.stage import BACKOFF, Setting, Stage
from stingy.language.tracker_race import TrackerRace as RaceOfTracker

Besides = Literal[
    "cancel",
    "delay",
    "drain",
    "ending",
    "family",
    "hook",
    "limit",
    "memory",
    "metrics",
    "exponential",
    "fast_slow",
    "bucket",
    "max_of",
    "max_wait",
    "default_controller",
    "default_item",
    "several",
    "values",
]
"""What a word can be put together with: another profile, or the kind of a limiter."""

MADE_WITH: Mapping[str, Options] = {
    "hook": {"queue": {"hides": 0}},
    "limit": {"rate_limiter": BACKOFF},
    "memory": {"watched": True},
    "metrics": {"metrics": {}, "name": queue.NAME},
    "values": {"values": True},
}
"""What a candidate is made with for it, where a rule does not say anything else."""


class Word:
    """A word by itself: the profile that it is of, and how it is set out, with these options."""

    def __init__(self, profile: str, set_out: Callable[..., object], *, races: bool = False) -> None:
        self.profile = profile
        self.set_out = set_out
        self.races = races


class With:
    """What the candidate must offer besides, and what it is made with: by ``MADE_WITH``, or by these options instead."""

    def __init__(self, besides: Besides, **options: Any) -> None:
        self.profile = besides
        self.options = options or MADE_WITH.get(besides, {})


class AtOnce:
    """Called by many at once: the rule is tried in many orders."""


def _name_of(annotation: object) -> tuple[Any, ...]:
    """What an annotation says besides the type."""
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


Queue = Annotated[queue.Queue, Word("queue", Stage.queue)]
"""A work queue, with one call at a time on each lane."""

Cancellable = Annotated[Queue, With("cancel")]
"""A work queue whose Get can be cancelled while it waits."""

Draining = Annotated[Queue, With("drain")]
"""A work queue that can drain."""

Hooked = Annotated[Queue, With("hook")]
"""A work queue with a store of ours, which hands out what came last. Made with `queue={"hides": 1}`, it keeps the oldest item back."""

Valued = Annotated[Queue, With("values")]
"""A work queue whose items are what their names spell in Python, of any type."""

Watched = Annotated[Queue, With("memory")]
"""A work queue that is given items of which the suite can tell whether somebody still has them."""

Measured = Annotated[Queue, With("metrics")]
"""A work queue that has a name, and tells our metrics of itself."""

Race = Annotated[race.Race, Word("queue", Stage.race, races=True)]
"""Lanes that run their programs at once on a work queue."""

DelayingQueue = Annotated[delaying.DelayingQueue, Word("delay", Stage.delaying)]
"""A work queue that can add later."""

EndingQueue = Annotated[delaying.DelayingQueue, Word("ending", Stage.delaying)]
"""A delaying queue of which the suite can tell what it has running by itself."""

RateLimitingQueue = Annotated[delaying.RateLimitingQueue, Word("limit", Stage.limiting)]
"""A work queue with a rate limiter of ours: 1 min, 2 min, 4 min and so on for each item."""

Limiters = Annotated[limiter.Maker, Word("", lambda stage: stage.limiter)]
"""What makes a rate limiter, in the rule's own numbers. Of which kind is said besides, as in `With("bucket")`."""

Controllers = Annotated[
    Callable[..., controller.Controller], Word("controller", lambda stage: stage.controller)
]
"""What makes a controller, with so many workers, or with as many as it likes, and starts it unless it is told not to."""

PriorityQueue = Annotated[priority.PriorityQueue, Word("priority", Stage.priority)]
"""A priority queue."""

PriorityRace = Annotated[priority.PriorityRace, Word("priority", Stage.priority_race, races=True)]
"""Lanes that run their programs at once on a priority queue."""

ControlPlane = Annotated[control_plane.ControlPlane, Word("trigger", Stage.control_plane)]
"""A control plane whose controller asks a trigger-time tracker."""

Writer = Annotated[codec.Codec, Word("writing", Stage.codec)]
"""What writes the annotation."""

Reader = Annotated[codec.Codec, Word("reading", Stage.codec)]
"""What reads the annotation."""

Codec = Annotated[codec.Codec, Word("codec", Stage.codec)]
"""What writes the annotation and reads it."""

Tracker = Annotated[Node, Word("tracker", lambda stage: stage.node)]
"""A node with a change tracker on it."""

TrackerRace = Annotated[RaceOfTracker, Word("tracker", Stage.tracker_race, races=True)]
"""A node whose tracker is called by two at once."""

Proxy = Annotated[Node, Word("proxy", Stage.proxy)]
"""A node with a proxy on it, whose first lists are complete."""

StartingProxy = Annotated[Node, Word("proxy", lambda stage: stage.node)]
"""A node with a proxy on it, whose first lists are not yet there."""

Trackers = Annotated[Callable[[str], Node], Word("tracker", lambda stage: stage.tracker_of), With("family")]
"""What makes a node with a change tracker for an address family, such as IPv6."""

Proxies = Annotated[Callable[[str], Node], Word("proxy", lambda stage: stage.proxy_of), With("family")]
"""What makes a node with a proxy for an address family, such as IPv6."""

Cluster = Annotated[clusters.Cluster, Word("proxy", Stage.cluster)]
"""Hosts that stamp changes by clocks of their own, and a node with a proxy on it, which is yet to boot."""

Clusters = Annotated[Callable[[], clusters.Cluster], Word("proxy", lambda stage: stage.cluster)]
"""What makes one cluster after the other."""

WORDS: Mapping[str, Any] = {
    name: it for name, it in globals().items() if any(isinstance(said, Word) for said in _name_of(it))
}
"""All of them, by name."""


def read(annotation: object, said: str = "") -> Setting:
    """What an annotation asks for. TypeError, with a sentence, if there is no word in it, or nothing can be all that."""
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


def _nearest(name: str) -> str:
    """The word that is spelled most alike."""
    found = difflib.get_close_matches(name.lower(), [word.lower() for word in WORDS], 1, 0)
    return next(word for word in WORDS if word.lower() in found)


def _find_profile(names: Collection[str]) -> Profile:
    """Of what a word is of, and all that it is put together with."""
    wanted = set(names) - {"queue", ""} or set(names)
    found = [profile for key, profile in PROFILES.items() if set(key.split(", ")) == wanted]
    if not found:
        said = ", ".join(sorted(wanted)) or "a limiter of no kind"
        near = difflib.get_close_matches(said, PROFILES, 1, 0)
        raise TypeError(f"nobody can offer {said}; did you mean {near[0]}, which is said by With(…)?")
    return found[0]
