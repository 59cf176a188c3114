"""Table of a trigger time's way from a Pod to the observed latency.

The values are computed with the reference while the page is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND, Condition, EndpointSlice, Pod, Service
from stingy_reference import AnnotationCodec, Proxy, TriggerTimeTracker

READY = 10_400_000_000
"""Time when the Pod becomes ready, in nanoseconds of true time."""
MIDNIGHT = 1_767_225_600 * SECOND
"""True time 0, in nanoseconds since the epoch: a midnight, so that clock times are easy to read."""


def table(ahead: str) -> str:
    """Return the Markdown table for a node's clock that is ``ahead`` seconds ahead of the kubelet's."""
    return "\n".join(_table(int(ahead) * SECOND))


@dataclass
class Clock:
    """A clock of one machine, which may differ from true time; all times are in nanoseconds."""

    ahead: int = 0
    """How far it is ahead of true time."""
    now: int = 0
    """True time."""

    def time_ns(self) -> int:
        return MIDNIGHT + self.now + self.ahead

    monotonic_ns = time_ns


@dataclass(frozen=True)
class Hop:
    """A row of the table: one step of a trigger time on its way to a node."""

    at: int
    """True time in nanoseconds."""
    who: str
    does: str
    value: str
    """Result of the step, such as an annotation or an observed latency."""


def _table(ahead: int) -> Iterator[str]:
    yield "| true time | who | does | and so there is |\n|---:|---|---|---|"
    for hop in _hops(ahead):
        yield f"| {hop.at / SECOND:g} s | {hop.who} | {hop.does} | {hop.value} |"


def _hops(ahead: int) -> Iterator[Hop]:
    """Yield the steps of one trigger time on its way to a node.

    The node's clock is ``ahead`` nanoseconds ahead of the kubelet's.
    """
    node = Clock(ahead)
    proxy = Proxy(node)
    proxy.services_synced()
    proxy.slices_synced()
    yield Hop(0, "kube-proxy", "is started", f"a start, {_clock(node.time_ns())} by its clock")

    web = Service("web", MIDNIGHT - 60 * SECOND)
    computing, codec = TriggerTimeTracker(), AnnotationCodec()
    computing.compute("shop", web, [])

    stamped = (MIDNIGHT + READY) // SECOND * SECOND
    yield Hop(READY, "kubelet", "finds the Pod ready", f"`lastTransitionTime: {codec.format(stamped)}`")
    ready = Pod("web-0", (Condition("Ready", "True", stamped),))
    triggered = computing.compute("shop", web, [ready])
    assert triggered is not None
    yield Hop(11 * SECOND, "controller", "looks at the Service", f"a trigger time, {_clock(triggered)}")
    text = codec.format(triggered) or ""
    annotations = {LAST_CHANGE_TRIGGER_TIME: text}
    yield Hop(11 * SECOND, "controller", "writes the slice", f"the annotation `{text}`")

    node.now = 12 * SECOND
    proxy.update(EndpointSlice("shop", "web-1", "web", annotations=annotations, endpoints=("10.0.0.1",)))
    yield Hop(12 * SECOND, "kube-proxy", "is told of the slice", "a change to be programmed")

    node.now = 13 * SECOND
    measured = proxy.sync(lambda: True)
    observed = ", ".join(f"{latency:g} s" for latency in measured)
    yield Hop(
        13 * SECOND,
        "kube-proxy",
        f"has written the rules; it is {_clock(node.time_ns())} by its clock",
        f"**{observed}** observed" if measured else "**nothing** observed",
    )


def _clock(instant: int) -> str:
    seconds = (instant // SECOND) % 86_400
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
