"""The annotation.

A trigger time travels as text, in the annotation `endpoints.kubernetes.io/last-change-trigger-time`,
written in RFC 3339 to the nanosecond. What cannot be read must not stop a slice from being programmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from stingy.contract import Nanoseconds
from stingy.guarantees.trigger_times import WEB, a_trigger_time_is_handed_over
from stingy.language import MILLISECOND, SECOND, Node, Row, between, rule
from stingy.sources import TRACKER

READING = TRACKER["getLastChangeTriggerTime"]


@rule(cites=READING, after=[a_trigger_time_is_handed_over])
def without_it_there_is_no_time(tracker: Node) -> None:
    """A slice without the annotation MUST be a change without a trigger time."""
    assert tracker.change("web")

    assert tracker.checkout().times == {}


@rule(
    cites=READING,
    after=[a_trigger_time_is_handed_over],
    for_all={"at": between(1, 10 * SECOND)},
)
def it_is_read_to_the_nanosecond(tracker: Node, at: Nanoseconds) -> None:
    """A trigger time MUST be kept to the nanosecond.

    Python's datetime ends at the microsecond: a time just after the start becomes one just before it.
    """
    tracker.change("web", at=at)

    assert tracker.checkout().times == {WEB: [at]}


@dataclass(frozen=True)
class Offset(Row):
    offset: str
    hours: int
    minutes: int = 0


@rule(
    cites=READING,
    after=[a_trigger_time_is_handed_over],
    each=[
        Offset("+02:00", 2),
        Offset("−05:00", -5),
        Offset("+05:30", 5, 30),
        Offset("+14:00", 14),
    ],
)
def an_offset_is_reckoned_with(tracker: Node, row: Offset) -> None:
    """A trigger time written with an offset MUST be taken as the instant that it means."""
    offset = timedelta(hours=row.hours, minutes=row.minutes)

    tracker.annotated(tracker.wrote(1500 * MILLISECOND, offset=offset))

    assert tracker.checkout().times == {WEB: [1500 * MILLISECOND]}


@dataclass(frozen=True)
class Unreadable(Row):
    what_is_wrong: str
    text: str


@rule(
    cites=READING,
    after=[a_trigger_time_is_handed_over],
    each=[
        Unreadable("empty", ""),
        Unreadable("no time at all", "yesterday"),
        Unreadable("seconds since 1970", "4102444801"),
        Unreadable("no seconds", "2100-01-01T00:00Z"),
        Unreadable("no offset", "2100-01-01T00:00:01"),
        Unreadable("the hour 24", "2100-01-01T24:00:00Z"),
        Unreadable("the 30th of February", "2100-02-30T00:00:01Z"),
        Unreadable("an offset without colon", "2100-01-01T00:00:01+0200"),
        Unreadable("a blank before", " 2100-01-01T00:00:01Z"),
        Unreadable("a blank behind", "2100-01-01T00:00:01Z "),
        Unreadable("a year of five digits", "10000-01-01T00:00:01Z"),
        Unreadable("a point without a fraction", "2100-01-01T00:00:01.Z"),
    ],
)
def what_cannot_be_read_is_no_time(tracker: Node, row: Unreadable) -> None:
    """A text that is no time of RFC 3339 MUST leave no trigger time, and the slice is programmed all the same.

    To raise here would take the service off the node for a wrong byte in a metric.
    """
    assert tracker.annotated(row.text)

    handed_over = tracker.checkout()

    assert handed_over.services == frozenset({WEB})
    assert handed_over.times == {}


@rule(cites=READING, after=[a_trigger_time_is_handed_over])
def the_zero_time_is_no_time(tracker: Node) -> None:
    """The year 1, Go's zero time, MUST leave no trigger time: it is how *unset* is written."""
    assert tracker.annotated("0001-01-01T00:00:00Z")

    assert tracker.checkout().times == {}


@dataclass(frozen=True)
class Lenient(Row):
    form: str
    text: str


@rule(
    cites=READING,
    after=[a_trigger_time_is_handed_over],
    each=[
        Lenient("small letters", "2100-01-01t00:00:01z"),
        Lenient("a blank between date and time", "2100-01-01 00:00:01Z"),
        Lenient("a comma before the fraction", "2100-01-01T00:00:01,5Z"),
        Lenient("an hour of one digit", "2100-01-01T0:00:01Z"),
        Lenient("a leap second", "2099-12-31T23:59:60Z"),
    ],
    contested=("it is read", "it is no time"),
)
def forms_on_which_readers_differ(tracker: Node, row: Lenient) -> str:
    """Forms that RFC 3339 and Go see differently MAY be read, or be no time.

    Go refuses small letters, the blank and leap seconds, which the RFC allows, and reads the comma and
    the hour of one digit, which it does not.
    """
    tracker.annotated(row.text)

    return "it is read" if tracker.checkout().times else "it is no time"
