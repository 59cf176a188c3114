"""Trigger times: the annotation.

A trigger time travels as text, in the annotation `endpoints.kubernetes.io/last-change-trigger-time`,
written in RFC 3339 to the nanosecond. What cannot be read must not stop a slice from being programmed.
"""

from __future__ import annotations

from datetime import timedelta

from stingy.contract import Nanoseconds
from stingy.contract.sources import ANNOTATION_KEY, TRACKER, TRACKER_TESTS
from stingy.guarantees.codec import LENIENT, OFFSETS, UNREADABLE, Offset, Text
from stingy.guarantees.trigger_times import WEB
from stingy.language import MILLISECOND, SECOND, Tracker, between, rule

READING = TRACKER["getLastChangeTriggerTime"]


@rule(
    cites=(TRACKER["getLastChangeTriggerTime"], TRACKER_TESTS["TestLastChangeTriggerTime"]),
    after=("trigger_times/a-trigger-time-is-handed-over", "trigger_times/a-new-slice-is-a-change"),
)
def without_an_annotation_there_is_no_time(tracker: Tracker) -> None:
    """A slice without the annotation MUST be a change without a trigger time."""
    assert tracker.change("web")

    assert tracker.checkout().times == {}


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], TRACKER["getLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    for_all={"at": between(1, 10 * SECOND)},
)
def an_annotation_is_read_to_the_nanosecond(tracker: Tracker, at: Nanoseconds) -> None:
    """A trigger time MUST be kept to the nanosecond.

    Python's datetime ends at the microsecond: a time just after the start becomes one just before it.
    """
    tracker.change("web", at=at)

    assert tracker.checkout().times == {WEB: [at]}


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], TRACKER["getLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    each=OFFSETS,
)
def an_offset_is_reckoned_with(tracker: Tracker, row: Offset) -> None:
    """A trigger time written with an offset MUST be taken as the instant that it means."""
    offset = timedelta(hours=row.hours, minutes=row.minutes)

    tracker.annotated(tracker.wrote(1500 * MILLISECOND, offset=offset))

    assert tracker.checkout().times == {WEB: [1500 * MILLISECOND]}


@rule(
    cites=READING,
    after=(
        "trigger_times/a-trigger-time-is-handed-over",
        "trigger_times/a-new-slice-is-a-change",
        "trigger_times/changed-services-are-named-without-a-time",
    ),
    each=UNREADABLE,
)
def what_cannot_be_read_is_no_time(tracker: Tracker, row: Text) -> None:
    """A text that is no time of RFC 3339 MUST leave no trigger time, and the slice is programmed all the same.

    To raise here would take the service off the node for a wrong byte in a metric.
    """
    assert tracker.annotated(row.text)

    handed_over = tracker.checkout()

    assert handed_over.services == frozenset({WEB})
    assert handed_over.times == {}


@rule(
    cites=(TRACKER["zero value"], TRACKER["getLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def the_zero_time_is_no_time(tracker: Tracker) -> None:
    """A slice with the year 1, Go's zero time, MUST be programmed, and leave no trigger time: this is how *unset* is written."""
    assert tracker.annotated("0001-01-01T00:00:00Z")

    assert tracker.checkout().times == {}


@rule(
    cites=READING,
    after="trigger_times/a-trigger-time-is-handed-over",
    each=LENIENT,
    contested=("it is read", "it is no time"),
)
def forms_on_which_readers_differ(tracker: Tracker, row: Text) -> str:
    """Forms that RFC 3339 and Go see differently MAY be read, or be no time.

    Go refuses small letters, the blank and leap seconds, which the RFC allows, and reads the comma and
    the hour of one digit, which it does not.
    """
    tracker.annotated(row.text)

    return "it is read" if tracker.checkout().times else "it is no time"
