"""What a rule may ask for by the names of its parameters; set out anew for every row and example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from stingy.contract import MINUTE, PROFILES, Profile
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.cluster import Cluster
from stingy.language.codec import Codec
from stingy.language.control_plane import ControlPlane
from stingy.language.controller import Controller
from stingy.language.delaying import DelayingQueue, RateLimitingQueue
from stingy.language.limiter import Limiter
from stingy.language.node import Node
from stingy.language.order import Order
from stingy.language.priority import PriorityQueue, PriorityRace
from stingy.language.queue import NAME, Queue
from stingy.language.race import Race
from stingy.language.session import PATIENCE, Opener, Options, Session
from stingy.language.story import Story
from stingy.language.tracker_race import TrackerRace

ROW = "row"

BACKOFF = {"delays": [MINUTE << failures for failures in range(12)]}
"""How a rate limiter of ours answers: 1 min, 2 min, 4 min and so on for each item."""


class Stage:
    """Candidates of one profile, all told in one story, and gone when the rule is over."""

    def __init__(
        self, open_session: Opener, profile: Profile, story: Story, order: Order, allowance: Allowance
    ) -> None:
        self.story = story
        self.order = order
        self._allowance = allowance
        self._patience = PATIENCE + allowance.late
        self.struck = ExitStack()
        self._open_session = open_session
        self._profile = profile

    def open(self, **options: Any) -> Session:
        """A fresh candidate, made with these options; the one before is gone."""
        return self._open(self._profile, options)

    def queue(self, **options: Any) -> Queue:
        return Queue(self.open(**options), self.story, self._patience)

    def delaying(self, **options: Any) -> DelayingQueue:
        return DelayingQueue(self.open(**options), self.story, self._patience)

    def limiting(self) -> RateLimitingQueue:
        session = self.open(rate_limiter=BACKOFF)
        return RateLimitingQueue(session, self.story, self._patience, self._allowance.counted)

    def priority(self, **options: Any) -> PriorityQueue:
        return PriorityQueue(self.open(**options), self.story, self._patience)

    def limiter(self, **options: Any) -> Limiter:
        counted = self._allowance.counted
        return Limiter(self.open(**options), self.story, self._patience, self.order, options, counted)

    def controller(self, workers: int | None = None) -> Controller:
        """With so many workers; with as many as it likes where that makes no difference."""
        profile = self._profile
        options: dict[str, Any] = {"rate_limiter": BACKOFF}
        if workers is not None:
            profile = replace(profile, takes=profile.takes | {"max_concurrent_reconciles"})
            options |= {"max_concurrent_reconciles": workers}
        return Controller(self._open(profile, options), self.story, self._patience)

    def race(self, **options: Any) -> Race:
        session = self.open(**options)
        crew = Queue(session, self.story, self._patience, crew="last worker")
        return Race(session, self.story, crew, self.order)

    def control_plane(self) -> ControlPlane:
        return ControlPlane(self.open, self.story, self.order)

    def codec(self) -> Codec:
        return Codec(self.open(), self.story)

    def priority_race(self) -> PriorityRace:
        session = self.open()
        crew = PriorityQueue(session, self.story, self._patience, crew="last worker")
        return PriorityRace(session, self.story, crew, self.order)

    def tracker_race(self) -> TrackerRace:
        return TrackerRace(self.open(), self.story, self.order)

    @cached_property
    def node(self) -> Node:
        return Node(self.open(), self.story)

    def proxy(self) -> Node:
        return self._running(self.node)

    def proxy_of(self, family: str) -> Node:
        return self._running(Node(self.open(ip_family=family), self.story))

    def cluster(self) -> Cluster:
        return Cluster(self.open(), self.story)

    def _open(self, profile: Profile, options: Options) -> Session:
        self.struck.close()
        session = self._open_session(profile, options)
        self.struck.callback(session.close)
        return session

    def _running(self, node: Node) -> Node:
        node.services_synced()
        node.slices_synced()
        self.story.steps.clear()
        return node


@dataclass(frozen=True)
class Word:
    """What may be asked for: the profile that a candidate must offer for it, and how it is set out."""

    profile: str
    set_out: Callable[[Stage], object]


def _maker(word: str) -> Word:
    """Not one thing but what makes it, in the rule's own numbers."""
    return Word(word, lambda stage: stage.limiter)


WORDS: Mapping[str, Word] = {
    "queue": Word("queue", Stage.queue),
    "cancellable": Word("cancel", Stage.queue),
    "draining": Word("drain", Stage.queue),
    "race": Word("queue", Stage.race),
    "drain_race": Word("drain", Stage.race),
    "hooked": Word("hook", lambda stage: stage.queue(queue={"hides": 0})),
    "hiding": Word("hook", lambda stage: stage.queue(queue={"hides": 1})),
    "hooked_race": Word("hook", lambda stage: stage.race(queue={"hides": 0})),
    "watched": Word("memory", lambda stage: stage.queue(watched=True)),
    "ending": Word("ending", Stage.delaying),
    "ending_draining": Word("ending, drain", Stage.delaying),
    "ending_measured": Word("ending, metrics", lambda stage: stage.queue(metrics={}, name=NAME)),
    "delaying": Word("delay", Stage.delaying),
    "delaying_race": Word("delay", Stage.race),
    "delaying_draining": Word("delay, drain", Stage.delaying),
    "limiting": Word("limit", Stage.limiting),
    "limiting_delaying": Word("limit, delay", Stage.limiting),
    **{
        word: _maker(word)
        for word in (
            *("exponential", "fast_slow", "bucket", "max_of", "max_wait"),
            *("default_controller", "default_item"),
        )
    },
    **{f"{word}_race": _maker(word) for word in ("exponential", "fast_slow", "bucket")},
    "measured": Word("metrics", lambda stage: stage.queue(metrics={}, name=NAME)),
    "unnamed": Word("metrics", lambda stage: stage.queue(metrics={}, name="")),
    "unmeasured": Word("metrics", lambda stage: stage.queue(name=NAME)),
    "measured_draining": Word("metrics, drain", lambda stage: stage.queue(metrics={}, name=NAME)),
    "measured_delaying": Word("metrics, delay", lambda stage: stage.delaying(metrics={}, name=NAME)),
    "unnamed_delaying": Word("metrics, delay", lambda stage: stage.delaying(metrics={}, name="")),
    "unmeasured_delaying": Word("metrics, delay", lambda stage: stage.delaying(name=NAME)),
    "controllers": Word("controller", lambda stage: stage.controller),
    "prioritized": Word("priority", Stage.priority),
    "prioritized_limiting": Word("priority, limit", lambda stage: stage.priority(rate_limiter=BACKOFF)),
    **{word: Word("trigger", Stage.control_plane) for word in ("control_plane", "control_plane_race")},
    **{word: Word(word, Stage.codec) for word in ("writing", "reading", "codec")},
    "prioritized_race": Word("priority", Stage.priority_race),
    "tracker": Word("tracker", lambda stage: stage.node),
    "tracker_race": Word("tracker", Stage.tracker_race),
    "proxy": Word("proxy", Stage.proxy),
    "starting": Word("proxy", lambda stage: stage.node),
    "proxy_of": Word("proxy, family", lambda stage: stage.proxy_of),
    "cluster": Word("proxy", Stage.cluster),
    "clusters": Word("proxy", lambda stage: stage.cluster),
}
"""What a rule may ask for.

``queue``, ``cancellable``, ``draining``: a work queue (and one whose Get can be cancelled, and one that can drain).
``race``, ``drain_race``, ``delaying_race``: lanes that run programs on one. ``hooked``: one with a store of ours, which hands out
what came last; ``hiding``: with one that keeps the oldest item back; ``hooked_race``: lanes on the first. ``watched``: one that is given items
of which the suite can tell whether they are still there. ``ending``, ``ending_draining``, ``ending_measured``: one of which
the suite can tell what it has running by itself. ``delaying``, ``limiting`` and both with
what more a few rules need: queues that add later. ``exponential`` … ``default_item``: what makes such a limiter;
``exponential_race`` …: the same, for callers that ask it at once.
``measured``, ``measured_draining``, ``measured_delaying``: a queue that has a name and our metrics, ``unnamed``: one that has no name;
``unmeasured``: one that has nothing but that; ``unnamed_delaying``, ``unmeasured_delaying``: the same with delays.
``controllers``: what makes a controller with so many workers. ``prioritized``, ``prioritized_limiting``: a
priority queue, ``prioritized_race``: lanes on one. ``control_plane``: one whose controller asks a trigger-time tracker;
``control_plane_race``: the same, for controllers that ask it at once. ``writing``, ``reading``,
``codec``: what writes the annotation, reads it, or does both. ``tracker``, ``proxy``: a node with one on it;
``tracker_race``: one that is called by two at once; ``starting`` is a proxy whose first lists are
not yet there; ``proxy_of``: what makes one for an address family. ``cluster``: hosts that stamp changes by clocks of
their own, and such a node, which is yet to boot; ``clusters``: what makes one after the other.
"""


def profile_of(needs: Sequence[str]) -> Profile:
    """The profile that a rule with these parameters belongs to."""
    profiles = [PROFILES[WORDS[word].profile] for word in needs if word in WORDS]
    if not profiles:
        raise TypeError(f"a rule asks for one of {', '.join(WORDS)}; this one asks for {', '.join(needs)}")
    return max(profiles, key=lambda profile: len(profile.ops))


@contextmanager
def stage(
    open_session: Opener, needs: Sequence[str], story: Story, order: Order, allowance: Allowance = NOTHING
) -> Iterator[dict[str, object]]:
    """A fresh candidate with all that the rule asks for around it; struck afterwards."""
    around = Stage(open_session, profile_of(needs), story, order, allowance)
    with around.struck:
        yield {word: WORDS[word].set_out(around) for word in needs if word in WORDS}
