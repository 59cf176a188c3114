"""A race of an informer that updates a tracker, and a proxy that checks it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stingy.contract import SECOND
from stingy.language.call import Call
from stingy.language.node import INFORMER, Checkout, News, Node
from stingy.language.notation import forms, parse_lanes
from stingy.language.order import Order
from stingy.language.session import Operation, Session
from stingy.language.story import Story

PROXY = "proxy"
CHECKOUT: Operation = ("checkout",)
CALLS = forms("change SERVICE", "checkout")


def services_changed(at_once: str) -> list[str]:
    """Return the service of each change in a program of ``TrackerRace.play``, in order."""
    changes, checkouts = ([CALLS.read(step) for step in lane] for lane in parse_lanes(at_once))
    assert checkouts == [CHECKOUT] * len(checkouts), (
        f"{at_once!r}: changes stand before the bar, checkouts behind it"
    )
    return [service for _, service in changes]


class TrackerRace(Node):
    """A node whose tracker is called by an informer and a proxy at once."""

    def __init__(self, session: Session, story: Story, order: Order) -> None:
        super().__init__(session, story)
        self._order = order

    def run(self, *news: News) -> Checkout:
        """Send the tracker events while it does one checkout, as a race; return that checkout.

        The checkout is copied at its return. Events that arrive later stay in the tracker.
        """
        (checkout,) = self._at_once(news, 1)
        return checkout

    def _at_once(self, news: Sequence[News], checkouts: int) -> Sequence[Checkout]:
        programs: dict[str, list[Operation]] = {
            INFORMER: [(each.op, self._salted(each.slice_)) for each in news],
            PROXY: [CHECKOUT] * checkouts,
        }
        told = {INFORMER: [each.did for each in news], PROXY: ["Checkout()"] * checkouts}
        calls = sorted(self._session.race(programs, self._order), key=lambda call: call.start)
        self._tell(calls, told)
        for call in calls:
            assert not call.fault, f"{call.op} {call.fault}"
        handed_over = [call for call in calls if call.op == "checkout"]
        self._handed_over += [call.result for call in handed_over]
        return [self._in_own_words(call.as_returned) for call in handed_over]

    def play(self, at_once: str) -> Sequence[Checkout]:
        """Run a program such as ``change a, change b | checkout``, and one more checkout after it.

        The changes happen 1 s, 2 s and so on after the start. Returns the checkouts in order.
        """
        _, checkouts = parse_lanes(at_once)
        changes = [
            self.a_change(service, n * SECOND) for n, service in enumerate(services_changed(at_once), 1)
        ]
        return [*self._at_once(changes, len(checkouts)), self.checkout()]

    def _tell(self, calls: Sequence[Call], told: Mapping[str, Sequence[str]]) -> None:
        ahead = {lane: iter(each) for lane, each in told.items()}
        lines = [(call.start, call.lane, next(ahead[call.lane]), self._outcome(call), None) for call in calls]
        self._story.tell_in_order(lines, self._order.asides)

    def _outcome(self, call: Call) -> str:
        if call.fault or call.op != "checkout":
            return call.fault
        return str(self._in_own_words(call.as_returned))
