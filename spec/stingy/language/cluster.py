"""Hosts that stamp changes, each by its own clock, and a node whose kube-proxy hears of them.

Everything happens on one true time line, which begins somewhere. A clock is so much *ahead* of it, or behind;
the *skew* between two is the node's lead minus the originator's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND, EndpointSlice, Nanoseconds
from stingy.language.ages import start_later
from stingy.language.node import NAMESPACE, Metric, Node, address, towards
from stingy.language.rfc3339 import write_rfc3339
from stingy.language.session import Session
from stingy.language.story import Story
from stingy.language.values import format_span

PARTS_PER_MILLION = 1_000_000


@dataclass(frozen=True)
class Change:
    """A change of a slice, as its originator has stamped and published it."""

    number: int
    slice_name: str
    service: str
    happened: Nanoseconds
    """In true time."""
    ahead: Nanoseconds
    """How far ahead of true time its originator's clock was."""
    cut: Nanoseconds
    """What the stamp lost when it was cut down to whole seconds."""

    @property
    def stamp(self) -> Nanoseconds:
        return self.happened + self.ahead - self.cut


class Host:
    """Somebody who stamps changes: the kubelet of another node, the API server, a controller."""

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        lead: Callable[[Nanoseconds], Nanoseconds],
        *,
        whole_seconds: bool,
    ) -> None:
        self.name = name
        self._cluster = cluster
        self._lead = lead
        self._whole_seconds = whole_seconds
        self._stepped: Nanoseconds = 0

    @property
    def ahead(self) -> Nanoseconds:
        """How far its clock is ahead of true time now."""
        return self._lead(self._cluster.now) + self._stepped

    def steps(self, span: Nanoseconds) -> None:
        """Its clock is set so much forward, or back."""
        self._stepped += span
        self._cluster.tell(self.name, f"its clock is set {towards(span)}")

    def changes(self, service: str = "web", slice_name: str | None = None) -> Change:
        """A slice changes, is stamped and published; no node has heard of it yet."""
        happened, ahead = self._cluster.now, self.ahead
        cut = (happened + ahead) % SECOND if self._whole_seconds else 0
        name = slice_name or f"{service}-1"
        change = Change(self._cluster.changes, name, service, happened, ahead, cut)
        self._cluster.tell(
            self.name,
            f"{name} of {service} changes at {format_span(happened)}",
            f"stamped {format_span(change.stamp)}",
        )
        self._cluster.publish(change)
        return change


class Cluster:
    """The hosts, the published slices, and the node; true time begins with the rule."""

    def __init__(self, session: Session, story: Story) -> None:
        self._session = session
        self._story = story
        self._ahead: Nanoseconds = 0
        # Begin on the second: whole seconds of true time are then whole seconds of the clocks.
        session.advance(-session.now_ns() % SECOND)
        self._origin: Nanoseconds = session.now_ns()
        self._node = Node(session, story)
        self._published: dict[str, Change] = {}
        self._unheard: list[Change] = []
        self.changes = 0
        """How many have been published."""
        self.started: Nanoseconds = 0
        """The true time at which the node's kube-proxy was made."""

    @property
    def now(self) -> Nanoseconds:
        """True time: how long it is since the rule began."""
        return self._session.now_ns() - self._origin - self._ahead

    @property
    def ahead(self) -> Nanoseconds:
        """How far the node's clock is ahead of true time."""
        return self._ahead

    @property
    def here(self) -> Host:
        """The kubelet of the node itself, which stamps by the clock that kube-proxy reads."""
        return Host(self, "kubelet here", lambda _: self._ahead, whole_seconds=True)

    @property
    def uptime(self) -> Nanoseconds:
        return self.now - self.started

    def host(
        self,
        name: str,
        *,
        ahead: Nanoseconds = 0,
        gains: int = 0,
        whole_seconds: bool = False,
    ) -> Host:
        """A host whose clock is so much ahead, and ``gains`` so many parts per million from now on.

        Its stamps are cut down to ``whole_seconds`` if they are as Kubernetes writes them.
        """
        since = self.now
        return Host(
            self,
            name,
            lambda now: ahead + (now - since) * gains // PARTS_PER_MILLION,
            whole_seconds=whole_seconds,
        )

    def elapse(self, span: Nanoseconds) -> None:
        """Let time pass, for everybody."""
        self._node.elapse(span)

    def until(self, instant: Nanoseconds) -> None:
        """Let time pass until this instant of true time, if it is not yet over."""
        self.elapse(max(0, instant - self.now))

    # What happens on the node.

    def starts_later(self, span: Nanoseconds) -> None:
        """All clocks show so much later when kube-proxy is started. NotOffered where they then begin anew."""
        self.elapse(span)
        start_later(self._session)

    def boots(self, *, ahead: Nanoseconds = 0) -> Sequence[Change]:
        """The node comes up with its clock so much ahead, and its kube-proxy is started; both lists are complete."""
        self._origin += self._ahead - ahead
        self._ahead = ahead
        self._story.tell("node", f"boots{f', its clock {_ahead(ahead)}' if ahead else ''}")
        return self.restarts()

    def restarts(self) -> Sequence[Change]:
        """kube-proxy is started anew; it is shown these, which are all slices there are, as they now are."""
        now = self.now
        self._session.restart()
        self._origin = self._session.now_ns() - self._ahead - now
        self.started = now
        self._story.tell("kube-proxy", f"starts at {format_span(now)}")
        self._node = Node(self._session, self._story)
        self._unheard.clear()
        for change in self._published.values():
            self._node.hears(self._slice(change))
        self._node.services_synced()
        self._node.slices_synced()
        return tuple(self._published.values())

    def hears(self) -> Sequence[Change]:
        """The node hears of all that was published since it last did, in that order."""
        heard, self._unheard = self._unheard, []
        for change in heard:
            self._node.hears(self._slice(change))
        return heard

    def sync(
        self, *, succeeds: bool = True, takes: Nanoseconds = 0, clock_steps: Nanoseconds = 0
    ) -> list[float]:
        """Program the rules; the latencies observed, least first."""
        latencies = self._node.sync(succeeds=succeeds, takes=takes, clock_steps=clock_steps)
        self._ahead += clock_steps
        return latencies

    def steps(self, span: Nanoseconds) -> None:
        """The node's clock is set so much forward, or back."""
        self._session.step(span)
        self._ahead += span
        self._story.tell("node", f"its clock is set {towards(span)}")

    def metric(self) -> Metric:
        return self._node.metric()

    # What the hosts need.

    def publish(self, change: Change) -> None:
        self.changes += 1
        self._published[change.slice_name] = change
        self._unheard.append(change)

    def tell(self, who: str, did: str, outcome: str = "") -> None:
        self._story.tell(who, did, outcome)

    def _slice(self, change: Change) -> EndpointSlice:
        return EndpointSlice(
            NAMESPACE,
            change.slice_name,
            change.service,
            annotations={LAST_CHANGE_TRIGGER_TIME: write_rfc3339(self._origin + change.stamp)},
            ports=(80,),
            endpoints=(address(change.number),),
            resource_version=str(change.number),
        )


def _ahead(span: Nanoseconds) -> str:
    return f"{format_span(abs(span))} {'ahead' if span > 0 else 'behind'}"
