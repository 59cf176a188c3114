"""Hosts that stamp changes, each by its own clock, and a node whose kube-proxy receives them.

Everything happens on one true time line. ``ahead`` is a clock's reading minus true time, and
negative if the clock is behind. The *skew* between two clocks is ``ahead`` of the node's clock
minus ``ahead`` of the originator's.
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
    """A change of an EndpointSlice, as its originator stamped and published it."""

    number: int
    slice_name: str
    service: str
    happened: Nanoseconds
    """True time of the change: nanoseconds since the rule started."""
    ahead: Nanoseconds
    """How far the originator's clock was ahead of true time then, in nanoseconds."""
    cut: Nanoseconds
    """Nanoseconds truncated from the stamp; 0 if it has the full resolution."""

    @property
    def stamp(self) -> Nanoseconds:
        return self.happened + self.ahead - self.cut


class Host:
    """A machine or component with its own clock that changes slices: a kubelet, the API server, …"""

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
        """How far this host's clock is ahead of true time now, in nanoseconds."""
        return self._lead(self._cluster.now) + self._stepped

    def steps(self, span: Nanoseconds) -> None:
        """Step this host's clock forward, or back if the span is negative."""
        self._stepped += span
        self._cluster.tell(self.name, f"its clock is set {towards(span)}")

    def changes(self, service: str = "web", slice_name: str | None = None) -> Change:
        """Change a slice, stamp it and publish it; the node does not receive it yet."""
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
    """A simulated cluster: hosts that publish EndpointSlices, and the node with the candidate.

    True time starts at 0 when the rule starts.
    """

    def __init__(self, session: Session, story: Story) -> None:
        self._session = session
        self._story = story
        self._ahead: Nanoseconds = 0
        # Start on a full second, so that whole seconds of true time are whole seconds of the clocks.
        session.advance(-session.now_ns() % SECOND)
        self._origin: Nanoseconds = session.now_ns()
        self._node = Node(session, story)
        self._published: dict[str, Change] = {}
        self._unheard: list[Change] = []
        self.changes = 0
        """Number of changes published so far."""
        self.started: Nanoseconds = 0
        """True time at which the node's kube-proxy was started."""

    @property
    def now(self) -> Nanoseconds:
        """True time: nanoseconds since the rule started."""
        return self._session.now_ns() - self._origin - self._ahead

    @property
    def ahead(self) -> Nanoseconds:
        """How far the node's clock is ahead of true time, in nanoseconds."""
        return self._ahead

    @property
    def here(self) -> Host:
        """The node's own kubelet, which stamps by the clock that kube-proxy reads."""
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
        """Return a host with a clock that is ``ahead`` of true time by this many nanoseconds now.

        ``gains``: parts per million by which the clock is too fast. ``whole_seconds``: its stamps
        are truncated to seconds, as Kubernetes writes them.
        """
        since = self.now
        return Host(
            self,
            name,
            lambda now: ahead + (now - since) * gains // PARTS_PER_MILLION,
            whole_seconds=whole_seconds,
        )

    def elapse(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds pass on all hosts."""
        self._node.elapse(span)

    def until(self, instant: Nanoseconds) -> None:
        """Let time pass until this instant of true time, in nanoseconds; do nothing if it is past."""
        self.elapse(max(0, instant - self.now))

    # Events on the node.

    def starts_later(self, span: Nanoseconds) -> None:
        """Let time pass before kube-proxy starts, so that all clocks then show a later time.

        Raises NotOffered if each candidate has a clock of its own, which starts anew with it.
        """
        self.elapse(span)
        start_later(self._session)

    def boots(self, *, ahead: Nanoseconds = 0) -> Sequence[Change]:
        """Boot the node with its clock this far ahead, and start kube-proxy on it.

        Kube-proxy receives the complete lists of Services and slices. Returns the last change of
        each slice.
        """
        self._origin += self._ahead - ahead
        self._ahead = ahead
        self._story.tell("node", f"boots{f', its clock {_ahead(ahead)}' if ahead else ''}")
        return self.restarts()

    def restarts(self) -> Sequence[Change]:
        """Restart kube-proxy and send it every published slice; return the last change of each slice."""
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
        """Send the node, in order, all changes that it has not received yet, and return them."""
        heard, self._unheard = self._unheard, []
        for change in heard:
            self._node.hears(self._slice(change))
        return heard

    def sync(
        self, *, succeeds: bool = True, takes: Nanoseconds = 0, clock_steps: Nanoseconds = 0
    ) -> list[float]:
        """Run one sync of kube-proxy; return the observed latencies in seconds, ascending."""
        latencies = self._node.sync(succeeds=succeeds, takes=takes, clock_steps=clock_steps)
        self._ahead += clock_steps
        return latencies

    def steps(self, span: Nanoseconds) -> None:
        """Step the node's clock forward, or back if the span is negative."""
        self._session.step(span)
        self._ahead += span
        self._story.tell("node", f"its clock is set {towards(span)}")

    def metric(self) -> Metric:
        return self._node.metric()

    # Used by the hosts.

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
