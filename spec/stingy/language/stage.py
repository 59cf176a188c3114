"""The stage: the objects that are set up around a fresh candidate for each row and example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stingy.contract import MINUTE, Profile
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
from stingy.language.queue import Queue
from stingy.language.race import Race
from stingy.language.session import PATIENCE, Opener, Options, Session
from stingy.language.story import OfAnother, Story
from stingy.language.tracker_race import TrackerRace

BACKOFF = {"delays": [MINUTE << failures for failures in range(8)]}
"""Options of the suite's rate limiter.

Its delays for each item are 1 min, 2 min, 4 min and so on, and 128 min from the eighth failure on.
"""


class Stage:
    """Opens candidates of one profile, one after the other, and records them in one story.

    Each is closed when the next one is opened, or when the rule ends.
    """

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
        self._session: Session

    def open(self, **options: Any) -> Session:
        """Close the current candidate, and open a fresh one with these options."""
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

    def controller(self, workers: int | None = None, *, started: bool = True) -> Controller:
        """Return a controller to test with this many workers; None lets the candidate choose."""
        profile = self._profile
        options: dict[str, Any] = {"rate_limiter": BACKOFF}
        if workers is not None:
            profile = replace(profile, takes=profile.takes | {"max_concurrent_reconciles"})
            options |= {"max_concurrent_reconciles": workers}
        controller = Controller(self._open(profile, options), self.story, self._patience, self.order)
        if started:
            controller.start()
        return controller

    def race(self, **options: Any) -> Race:
        session = self.open(**options)
        crew = Queue(session, self.story, self._patience, crew="last worker")
        return Race(session, self.story, crew, self.order)

    def control_plane(self) -> ControlPlane:
        return ControlPlane(self.open(), self.story, self.order)

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

    def tracker_of(self, family: str) -> Node:
        return Node(self.open(ip_family=family), self.story)

    def proxy(self) -> Node:
        return self._running(self.node)

    def proxy_of(self, family: str) -> Node:
        return self._running(self.tracker_of(family))

    def cluster(self) -> Cluster:
        return Cluster(self.open(), self.story)

    def beside(self) -> Stage:
        """Return a stage whose candidate is another one of the same kind, in the same process.

        This stage has to open its candidate first, with the same options.
        """
        return _Beside(self)

    def _open(self, profile: Profile, options: Options) -> Session:
        self.struck.close()
        with self.story.making():
            session = self._session = self._open_session(profile, options)
        self.struck.callback(session.close)
        self.struck.callback(lambda: self.story.end_threads(session.deaths))
        self.struck.callback(self.story.stop_hearing)
        return session

    def _running(self, node: Node) -> Node:
        node.services_synced()
        node.slices_synced()
        self.story.cut_back(0)
        return node


class _Beside(Stage):
    def __init__(self, first: Stage) -> None:
        vars(self).update(vars(first))
        vars(self).pop("node", None)
        self._first = first
        self.story = OfAnother(first.story)

    def _open(self, profile: Profile, options: Options) -> Session:  # noqa: ARG002 - those of the first
        return self._first._session.another()


@dataclass(frozen=True)
class Setting:
    """Needs of a rule: a profile, options, and what is set up around the candidate."""

    profile: Profile
    """The profile that a candidate must offer."""
    set_out: Callable[..., object]
    """Function that sets up what the rule receives, from the stage and the options."""
    options: Options = field(default_factory=dict, hash=False)
    """Options that the candidate is made with."""
    races: bool = False
    """True if several lanes call the candidate at once, so that many orders are tried."""
    two: bool = False
    """True if the rule is handed two of one kind, in one process."""


@contextmanager
def stage(
    open_session: Opener, setting: Setting, story: Story, order: Order, allowance: Allowance = NOTHING
) -> Iterator[Any]:
    """Yield the object that a rule receives, such as a Queue, with a fresh candidate.

    The candidate is closed after the block.
    """
    around = Stage(open_session, setting.profile, story, order, allowance)
    with around.struck:
        yield setting.set_out(around, **setting.options)
