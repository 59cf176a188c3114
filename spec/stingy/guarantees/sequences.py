"""Change tracker: sequences.

The rules before look at one thing at a time. Here changes, removals and checkouts come one after the other,
as they do on a node. The vectors are what kube-proxy itself has answered; they are written in a short hand:

| written | means |
|---|---|
| `a@3` | slice a has changed; its trigger time is 3 s after the start, or so many ns |
| `a` | slice a has changed, and has no trigger time |
| `=a` | slice a comes again, unchanged |
| `~a@3`, `~a` | only its trigger time, only its resourceVersion is different |
| `-a` | slice a is removed |
| `\\|` | a checkout |
| `no` behind one of them | the tracker is to say that it is no change; otherwise, that it is one |

All slices are of one service.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from stingy.contract import Nanoseconds
from stingy.contract.sources import SLICE_CACHE, TRACKER
from stingy.guarantees.trigger_times import WEB
from stingy.language import SECOND, Node, Row, Tracker, format_span, forms, rule, steps


@dataclass(frozen=True)
class Vector(Row):
    calls: str
    times_of_each_checkout: str


_SINCE_1_27 = (
    Vector("|", "none"),
    Vector("a@1 | |", "1 s; none"),
    Vector("a@0 |", "none"),
    Vector("a@1ns | |", "1 ns; none"),
    Vector("a@-1 b@1 |", "1 s"),
    Vector("a@3 b@3 a@1 |", "3 s, 3 s, 1 s"),
    Vector("a@1 b@2 =b no |", "1 s, 2 s"),
    Vector("a@1 -z no |", "1 s"),
    Vector("a@1 -a -a no =a |", "1 s"),
    Vector("a@1 -a =a | -a |", "1 s; none"),
    Vector("a@1 | -a b@4 |", "1 s; 4 s"),
    Vector("a@1 | a@5 -a |", "1 s; none"),
    Vector("a@1 | a@7 =a no |", "1 s; 7 s"),
    Vector("a@1 | -a | -a no =a |", "1 s; none; 1 s"),
    Vector("a@1 a b@2 |", "1 s, 2 s"),
)
"""Calls whose result has been the same since Kubernetes 1.27."""

_BUILDS_ON = (
    "trigger_times/a-change-without-a-time-takes-none",
    "trigger_times/every-change-adds-its-time",
    "trigger_times/equal-times-are-kept",
    "trigger_times/the-times-are-in-order-of-arrival",
    "trigger_times/a-checkout-empties-the-tracker",
    "restart/the-very-instant-of-the-start-is-left-out",
    "restart/what-was-after-the-start-is-measured",
    "restart/one-stale-slice-poisons-nothing",
    "restart/what-is-not-measured-is-programmed",
    "changes/a-slice-is-compared-with-what-came-last",
    "removal/what-is-unknown-cannot-be-removed",
    "removal/what-comes-after-a-removal-counts",
    "removal/a-removal-adds-not-even-a-new-time",
    "removal/a-second-removal-is-no-change",
    "removal/what-has-gone-cannot-be-removed",
    "removal/a-removed-slice-can-come-back-as-it-was",
    "removal/the-times-of-a-removed-slice-go-with-it",
)


@rule(
    cites=(TRACKER["EndpointSliceUpdate"].in_code, SLICE_CACHE["esDataChanged"].in_code),
    after=(*_BUILDS_ON, "changes/any-difference-is-a-change"),
    each=[
        *_SINCE_1_27,
        Vector("a@1 | ~a@5 |", "1 s; 5 s"),
        Vector("a@1 | ~a |", "1 s; 1 s"),
        Vector("a@1 ~a |", "1 s, 1 s"),
    ],
    where={"restart_filter": "strict-after", "removal": "drop-service", "change_detection": "object"},
)
def what_kube_proxy_has_answered(tracker: Tracker, row: Vector) -> None:
    """Calls of a tracker SHOULD have the answers that kube-proxy 1.36 has given."""
    assert perform(tracker, row.calls) == row.times_of_each_checkout


@rule(
    cites=(TRACKER["EndpointSliceUpdate"].in_code, SLICE_CACHE["esDataChanged"].in_code),
    after=(*_BUILDS_ON, "changes/metadata-is-no-change"),
    each=[
        *_SINCE_1_27,
        Vector("a@1 | ~a@5 no |", "1 s; none"),
        Vector("a@1 | ~a no |", "1 s; none"),
        Vector("a@1 ~a@2 no a@3 |", "1 s, 3 s"),
    ],
    where={"restart_filter": "strict-after", "removal": "drop-service", "change_detection": "content"},
)
def what_kube_proxy_1_30_has_answered(tracker: Tracker, row: Vector) -> None:
    """Until 1.30, calls of a tracker SHOULD have the answers that kube-proxy 1.30 has given."""
    assert perform(tracker, row.calls) == row.times_of_each_checkout


def perform(tracker: Node, calls: str) -> str:
    """Make these calls; the times that each checkout hands over."""
    handed_over = []
    for call in re.findall(r"\S+(?: no)?", calls):
        what, _, no = call.partition(" ")
        if what == "|":
            handed_over.append(", ".join(map(format_span, tracker.checkout().times.get(WEB, []))) or "none")
        else:
            assert _call(tracker, what) is not bool(no), f"{what} is {'a' if no else 'no'} change to it"
    return "; ".join(handed_over)


_CALL = re.compile(r"(?P<how>[=~-]?)(?P<name>[a-z])(@(?P<time>-?\d+)(?P<unit>ns)?)?")


def _call(tracker: Node, call: str) -> bool:
    read = _CALL.fullmatch(call)
    assert read, f"{call!r} is not written in this short hand"
    name, at = read["name"], None
    if read["time"]:
        at = int(read["time"]) * (1 if read["unit"] else SECOND)
    match read["how"]:
        case "=":
            return tracker.again(name)
        case "-":
            return tracker.remove(name)
        case "~":
            return tracker.rewrite(name, at=at) if at else tracker.rewrite(name, resource_version="4711")
    return tracker.change("web", at=at, slice_name=name)


@dataclass
class Gathered:
    """Expected content of a tracker of a few slices, as far as all versions of kube-proxy agree on it."""

    programmed: set[str] = field(default_factory=set)
    """The slices that were there at the last checkout."""
    there: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    """The slices that have changed, or gone, since then."""
    times: Counter[tuple[str, Nanoseconds]] = field(default_factory=Counter)
    """Times that have to be handed over, by service."""
    open: Counter[tuple[str, Nanoseconds]] = field(default_factory=Counter)
    """Times that may be handed over: they were pending when a slice of their service was removed."""

    def change(self, slice_: str, at: Nanoseconds) -> None:
        self.there.add(slice_)
        self.changed.add(slice_)
        self.times[_service(slice_), at] += 1

    def remove(self, slice_: str) -> None:
        self.there.remove(slice_)
        self.changed.add(slice_)
        theirs = Counter({key: n for key, n in self.times.items() if key[0] == _service(slice_)})
        self.times -= theirs
        self.open += theirs

    def checkout(self) -> Gathered:
        """Return the expected content after a checkout."""
        return Gathered(set(self.there), set(self.there))

    @property
    def services(self) -> set[str]:
        """Those to be named."""
        return {_service(slice_) for slice_ in self.changed & (self.programmed | self.there)}

    @property
    def services_at_most(self) -> set[str]:
        return {_service(slice_) for slice_ in self.changed}


def _service(slice_: str) -> str:
    return f"shop/{_name(slice_)}"


def _name(slice_: str) -> str:
    """That of its service, without the namespace."""
    return slice_.partition("-")[0]


SLICES = ("web-1", "web-2", "db-1")
STEPS = forms("SLICE changes", "SLICE again", "SLICE is removed", "checkout")


@rule(
    cites=(TRACKER["checkoutTriggerTimes"], TRACKER["EndpointSliceUpdate"]),
    after=(
        "trigger_times/a-checkout-empties-the-tracker",
        "checkout/where-nothing-has-changed-there-is-nothing",
        "checkout/a-checkout-covers-every-service",
        "removal/a-removal-adds-no-time",
        "removal/what-is-unknown-cannot-be-removed",
        "removal/what-has-gone-cannot-be-removed",
        "removal/what-comes-after-a-removal-counts",
        "removal/other-services-keep-their-times",
        "restart/the-start-is-fixed",
        "restart/the-start-is-when-the-tracker-was-made",
        "changes/a-slice-is-compared-with-what-came-last",
    ),
    for_all={
        "does": steps(
            *(f"{slice_} {what}" for slice_ in SLICES for what in ("changes", "again", "is removed")),
            *("checkout", "checkout"),
            least=12,
            most=40,
        )
    },
)
def whatever_comes_is_handed_over_once(tracker: Tracker, does: list[str]) -> None:
    """Whatever happens to its slices, in whatever order, a tracker MUST hand over what has gathered, and nothing else.

    What it is to hold is kept on a second, simpler account, which leaves open what the versions of kube-proxy do
    not agree on.
    """
    expected = Gathered()
    tracker.elapse(len(does) * SECOND)

    for n, step in enumerate(does, 1):
        match STEPS.read(step):
            case ["checkout"]:
                handed_over = tracker.checkout()
                times = Counter((name, at) for name, given in handed_over.times.items() for at in given)
                assert expected.times <= times <= expected.times + expected.open
                assert expected.services <= handed_over.services <= expected.services_at_most
                expected = expected.checkout()
            case ["changes", slice_]:
                assert tracker.change(_name(slice_), at=n * SECOND, slice_name=slice_)
                expected.change(slice_, n * SECOND)
            case ["again", slice_] if slice_ in expected.there:
                assert not tracker.again(slice_)
            case ["is removed", slice_] if slice_ in expected.there:
                assert tracker.remove(slice_, _name(slice_))
                expected.remove(slice_)
            case ["is removed", slice_] if slice_ not in expected.changed:
                assert not tracker.remove(slice_, _name(slice_))
