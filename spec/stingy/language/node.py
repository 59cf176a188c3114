"""A control plane that stamps changes, and a node whose candidate receives them.

Each of the two has a clock. Rules use times *after the start* of the candidate, on the true time
line. ``skew`` is the node's clock minus the originator's, as in ``N(t) = O(t) + skew``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND, EndpointSlice, Nanoseconds
from stingy.contract.forms import Arrival, Program
from stingy.contract.ops import READ_AGAIN
from stingy.contract.testimony import cut_short
from stingy.language.ages import let_pass, set_wall_clock, start_later
from stingy.language.answer import answer, reading
from stingy.language.rfc3339 import write_rfc3339
from stingy.language.session import OWN_COPIES, PATIENCE, NotOffered, Session
from stingy.language.story import TIME, Story
from stingy.language.values import format_span

INFORMER = "informer"
NAMESPACE = "shop"


@dataclass(frozen=True)
class Checkout:
    """Result of a checkout: the changed services, and their trigger times after the start."""

    services: frozenset[str]
    times: Mapping[str, list[Nanoseconds]]

    def __str__(self) -> str:
        return f"{sorted(self.services)}, times {_times(self.times)}"


@dataclass(frozen=True)
class Metric:
    """The latency histogram as the candidate exposes it; ``le`` maps a bound to its cumulative count."""

    name: str
    bounds: tuple[float, ...]
    le: Mapping[float, int]
    count: int
    sum: float
    told: Mapping[str, Any]
    """Optional fields that this candidate exposes: ``kind`` and ``labels``."""

    @property
    def kind(self) -> str:
        return str(self._told("kind", "no type"))

    @property
    def labels(self) -> Mapping[str, str]:
        return dict(self._told("labels", "no labels"))

    def _told(self, name: str, nothing: str) -> Any:
        if name not in self.told:
            raise NotOffered(f"its histogram tells {nothing}")
        return self.told[name]


@dataclass(frozen=True)
class News:
    """An informer's event about an EndpointSlice, to be delivered to a node."""

    op: Literal["update", "remove"]
    slice_: EndpointSlice
    did: str


class Node:
    """A node whose candidate is a change tracker or a whole kube-proxy."""

    def __init__(self, session: Session, story: Story) -> None:
        self._session = session
        self._story = story
        self._started = session.now_ns()
        self._slices: dict[tuple[str, str], EndpointSlice] = {}
        self._changes = 0
        self._handed_over: list[Any] = []
        """The result of each checkout."""
        self._altered: list[str] = []
        """Events whose slice the candidate altered, as text: "as web-1 is removed"."""

    @property
    def uptime(self) -> Nanoseconds:
        """Nanoseconds since the candidate was started."""
        return self._session.now_ns() - self._started

    def restarts(self) -> None:
        """Replace the candidate by a fresh one that starts now and has received no slices."""
        start_later(self._session)
        self._started = self._session.now_ns()
        self._slices.clear()
        self._handed_over.clear()
        self._story.tell("kube-proxy", "is started anew")

    def elapse(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds pass on all clocks."""
        if span:
            self._session.advance(span)
            self._story.tell(TIME, f"{format_span(span)} pass")

    def set_clock(self, span: Nanoseconds) -> None:
        """Step the node's clock forward by ``span``, or back if negative; no time passes meanwhile."""
        set_wall_clock(self._session, self._story, span)

    def leave_alone(self, span: Nanoseconds) -> None:
        """Let a long time pass in growing steps. Raises NotOffered if that is impossible."""
        let_pass(self._session, self._story, span)

    def until(self, after_start: Nanoseconds) -> None:
        """Let time pass until ``after_start`` nanoseconds after the start; do nothing if that is past."""
        self.elapse(max(0, after_start - self.uptime))

    def change(
        self,
        service: str = "web",
        at: Nanoseconds | None = None,
        *,
        slice_name: str | None = None,
        namespace: str = NAMESPACE,
        skew: Nanoseconds = 0,
        labelled: bool = True,
        **fields: Any,
    ) -> bool:
        """Change a slice of the service and send it to the node; return the candidate's answer.

        That is True if there is a change to program. ``at``: the trigger time, after the start;
        None for none. ``skew``: how far the clock that stamps it is behind the node's.
        ``labelled=False``: the slice belongs to no service.
        """
        news = self.a_change(
            service, at, slice_name=slice_name, namespace=namespace, skew=skew, labelled=labelled, **fields
        )
        return self._hears(news)

    def a_change(
        self,
        service: str = "web",
        at: Nanoseconds | None = None,
        *,
        slice_name: str | None = None,
        namespace: str = NAMESPACE,
        skew: Nanoseconds = 0,
        labelled: bool = True,
        **fields: Any,
    ) -> News:
        """Change a slice, and return that as an event that the node receives during a sync.

        The arguments are those of ``change``.
        """
        named = f"{slice_name or f'{service}-1'} of {service if labelled else 'no service'}"
        named += "" if namespace == NAMESPACE else f" in {namespace}"
        when = "" if at is None else f" {_after_start(at)}" + (f" by a clock {_ahead(skew)}" if skew else "")
        changed = self._changed(service, None if at is None else at - skew, slice_name, namespace)
        fields = fields if labelled else {"service": None, **fields}
        return self._updated(replace(changed, **fields), f"{named} changed{when}")

    def annotated(self, text: str, service: str = "web") -> bool:
        """Send the node a slice whose annotation is exactly this text; return the candidate's answer."""
        changed = replace(self._changed(service), annotations={LAST_CHANGE_TRIGGER_TIME: text})
        return self._hears(self._updated(changed, f"{changed.name} of {service} changed, annotated {text!r}"))

    def wrote(self, at: Nanoseconds, **offset: Any) -> str:
        """Return the annotation text that a control plane writes for a time after the start."""
        return write_rfc3339(self._started + at, **offset)

    def again(self, slice_name: str = "web-1") -> bool:
        """Send the node the same slice once more, unchanged; return the candidate's answer."""
        return self._hears(self.an_echo(slice_name))

    def an_echo(self, slice_name: str = "web-1") -> News:
        """Return an event with the unchanged slice, which the node receives during a sync."""
        return self._updated(self._slices[NAMESPACE, slice_name], f"{slice_name} comes again, unchanged")

    def rewrite(self, slice_name: str = "web-1", *, at: Nanoseconds | None = None, **fields: Any) -> bool:
        """Send the node the slice again, with another trigger time or changed fields.

        Returns True if the candidate says that there is a change to program.
        """
        different = ", ".join(name.replace("_", " ") for name in fields) or "trigger time"
        rewritten = self._restamped(self._slice(NAMESPACE, slice_name, "web"), at, fields)
        return self._hears(
            self._updated(rewritten, f"{slice_name} comes with other {different}{_stamp_of(at)}")
        )

    def remove(
        self, slice_name: str = "web-1", service: str = "web", *, at: Nanoseconds | None = None, **fields: Any
    ) -> bool:
        """Delete a slice; return True if the candidate says that there is a change to program.

        If the node never received the slice, an empty one is deleted. The event carries the slice's
        last state, possibly with a trigger time or fields that the node has not received before.
        """
        return self._hears(self.a_removal(slice_name, service, at=at, **fields))

    def a_removal(
        self, slice_name: str = "web-1", service: str = "web", *, at: Nanoseconds | None = None, **fields: Any
    ) -> News:
        """Return an event that deletes a slice, which the node receives during a sync.

        The arguments are those of ``remove``.
        """
        gone = self._restamped(self._slice(NAMESPACE, slice_name, service), at, fields)
        return News("remove", gone, f"{slice_name} of {service} is removed{_stamp_of(at)}")

    # Offered by a tracker.

    def checkout(self) -> Checkout:
        self._handed_over.append(self._call("checkout"))
        return self._read("Checkout()", self._handed_over[-1])

    def read_again(self) -> Checkout:
        """Read the object that the last checkout returned once more, in its present state."""
        return self._read_again("reads again what it was handed", len(self._handed_over) - 1)

    def read_first_again(self) -> Checkout:
        """Read the object that the first checkout returned once more, in its present state."""
        return self._read_again("reads again what it was handed first", 0)

    def altered(self) -> list[str]:
        """Return the events whose slice object the candidate altered, as text; empty if none.

        Raises NotOffered if the candidate receives copies.
        """
        if not self._session.shares:
            raise NotOffered(OWN_COPIES)
        return self._altered

    # Offered by a proxy.

    def services_synced(self) -> None:
        self._call("services_synced")
        self._story.tell(INFORMER, "the list of Services is complete")

    def slices_synced(self) -> None:
        self._call("slices_synced")
        self._story.tell(INFORMER, "the list of EndpointSlices is complete")

    def sync(
        self,
        *,
        succeeds: bool = True,
        takes: Nanoseconds = 0,
        clock_steps: Nanoseconds = 0,
        meanwhile: Sequence[News] = (),
    ) -> list[float]:
        """Run one sync, which programs the rules; return the observed latencies in seconds, ascending.

        ``succeeds``: False if programming fails. ``takes``: how long it takes. ``clock_steps``: by
        how much the node's clock is stepped during it. ``meanwhile``: events that the node receives
        after that time has passed and before the rules are written.
        """
        if meanwhile:
            self._story.tell("proxy", "begins to program the rules")
        for news in meanwhile:
            self._story.tell(INFORMER, news.did)
        program = Program(succeeds, takes, clock_steps, [self._arrival(news) for news in meanwhile])
        patience = takes + PATIENCE if meanwhile else 0  # the informer may have to wait for the sync
        observed = answer(self._session, self._story, "node", "sync", program, patience=patience)
        with reading("sync", observed):
            latencies = sorted(float(latency) for latency in observed)
        how = "programs the rules" if succeeds else "fails to program the rules"
        took = f" in {format_span(takes)}" if takes else ""
        took += f" while the clock is set {towards(clock_steps)}" if clock_steps else ""
        self._story.tell("proxy", f"{how}{took}", f"observes {[float(f'{it:.9g}') for it in latencies]}")
        return latencies

    def metric(self) -> Metric:
        histogram = self._call("metric")
        with reading("metric", histogram):
            le = {float(bound): int(count) for bound, count in histogram.buckets}
            told = {
                key: value
                for key in ("kind", "labels")
                if (value := getattr(histogram, key, None)) is not None
            }
            metric = Metric(
                cut_short(str(histogram.name)),
                tuple(le),
                le,
                int(histogram.count),
                float(histogram.sum),
                told,
            )
        self._story.tell("scrape", metric.name, f"count {metric.count}, sum {metric.sum:.9g}")
        return metric

    def hears(self, slice_: EndpointSlice) -> bool:
        """Send the node exactly this slice; return True if the candidate has a change to program."""
        return self._hears(self._updated(slice_, f"{slice_.name} of {slice_.service} changed"))

    def _read_again(self, did: str, number: int) -> Checkout:
        shared = self._session.shares
        return self._read(did, self._handed_over[number] if shared else self._call(READ_AGAIN, number))

    def _read(self, did: str, handed_over: Any) -> Checkout:
        read = self._in_own_words(handed_over)
        self._story.tell("proxy", did, str(read))
        return read

    def _in_own_words(self, handed_over: Any) -> Checkout:
        with reading("checkout", handed_over):
            times = {
                self._plain(service): [int(time) - self._started for time in given]
                for service, given in handed_over.trigger_times.items()
                if given
            }
            return Checkout(frozenset(self._plain(service) for service in handed_over.services), times)

    def _changed(
        self,
        service: str,
        at: Nanoseconds | None = None,
        slice_name: str | None = None,
        namespace: str = NAMESPACE,
    ) -> EndpointSlice:
        """Return a slice with new content, so that it has to be programmed."""
        self._changes += 1
        return replace(
            self._slice(namespace, slice_name or f"{service}-1", service),
            service=service,
            annotations={} if at is None else self._stamp(at),
            endpoints=(address(self._changes),),
            resource_version=str(self._changes),
        )

    def _stamp(self, at: Nanoseconds) -> Mapping[str, str]:
        return {LAST_CHANGE_TRIGGER_TIME: write_rfc3339(self._started + at)}

    def _restamped(
        self, slice_: EndpointSlice, at: Nanoseconds | None, fields: Mapping[str, Any]
    ) -> EndpointSlice:
        stamp = {} if at is None else {"annotations": {**slice_.annotations, **self._stamp(at)}}
        return replace(slice_, **{**stamp, **fields})

    def _updated(self, slice_: EndpointSlice, did: str) -> News:
        self._slices[slice_.namespace, slice_.name] = slice_
        return News("update", slice_, did)

    def _arrival(self, news: News) -> Arrival:
        salted: Any = self._salted(news.slice_)  # a driver gets the same salted names
        return Arrival(news.op, salted)

    def _hears(self, news: News) -> bool:
        handed_in = self._salted(news.slice_)
        changed = bool(self._call(news.op, handed_in))
        if handed_in != self._salted(news.slice_):
            self._altered.append(f"as {news.did}")
        self._story.tell(INFORMER, news.did, _yes(changed))
        return changed

    def _slice(self, namespace: str, name: str, service: str) -> EndpointSlice:
        known = self._slices.get((namespace, name))
        return known or EndpointSlice(namespace, name, service, ports=(80,))

    def _salted(self, slice_: EndpointSlice) -> EndpointSlice:
        salted = self._story.salt_name
        service = None if slice_.service is None else salted(slice_.service)
        return replace(
            slice_,
            namespace=salted(slice_.namespace),
            name=salted(slice_.name),
            service=service,
            annotations=dict(slice_.annotations),
            labels=dict(slice_.labels),
        )

    def _plain(self, service: str) -> str:
        return "/".join(self._story.plain(part) for part in service.split("/"))

    def _call(self, op: str, *args: Any) -> Any:
        return answer(self._session, self._story, "node", op, *args)


def address(number: int) -> str:
    """Return a distinct Pod address for each number."""
    return f"10.0.{number // 250}.{number % 250 + 1}"


def _after_start(at: Nanoseconds) -> str:
    return f"{format_span(at)} after the start" if at >= 0 else f"{format_span(-at)} before the start"


def _stamp_of(at: Nanoseconds | None) -> str:
    return "" if at is None else f", stamped {_after_start(at)}"


def _ahead(skew: Nanoseconds) -> str:
    return f"{format_span(abs(skew))} {'behind' if skew > 0 else 'ahead of'} the node's"


def towards(stepped: Nanoseconds) -> str:
    """Return the amount and direction of a clock step as text."""
    return f"{format_span(abs(stepped))} {'forward' if stepped > 0 else 'back'}"


def _yes(changed: bool) -> str:
    return "to be programmed" if changed else "no change"


def _times(times: Mapping[str, list[Nanoseconds]]) -> str:
    spelled = (f"{service} {', '.join(format_span(at) for at in given)}" for service, given in times.items())
    return "; ".join(spelled) or "none"


__all__ = ["SECOND", "Checkout", "Metric", "Node"]
