"""Trigger times: as text (RFC 3339).

A trigger time travels in the annotation `endpoints.kubernetes.io/last-change-trigger-time`, as text of
RFC 3339. A controller writes it into the slices that it writes, and every kube-proxy reads it. A nanosecond
that is lost on the way can be the one that decides whether it is measured at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from stingy.contract import MILLISECOND, SECOND, Nanoseconds
from stingy.contract.sources import ANNOTATION_KEY, SLICE_TESTS, SLICE_WRITER, TRACKER
from stingy.language import Codec, Reader, Row, Writer, given, instants, rule
from stingy.language.rfc3339 import meant, write_rfc3339

FORM = ANNOTATION_KEY["EndpointsLastChangeTriggerTime"]
WRITING = SLICE_WRITER["addTriggerTimeAnnotation"]
READING = TRACKER["getLastChangeTriggerTime"]

A_MOMENT: Nanoseconds = 1_704_067_201 * SECOND
"""2024-01-01T00:00:01Z."""

ZERO_TIME = "0001-01-01T00:00:00Z"
"""How Go writes a time that was never set."""

LIVED = instants(1971, 2261)
"""Instants that 64 bits of nanoseconds can hold, and that nobody takes for unset."""
WRITABLE = instants(2, 9999)
"""Instants whose year has four digits, without the year that begins with Go's zero time."""


@dataclass(frozen=True)
class Moment(Row):
    what: str
    text: str

    @property
    def instant(self) -> Nanoseconds:
        instant = meant(self.text)
        assert instant is not None
        return instant


MOMENTS = (
    Moment("a whole second", "2024-01-01T00:00:01Z"),
    Moment("half a second more", "2024-01-01T00:00:01.5Z"),
    Moment("milliseconds", "2024-01-01T00:00:01.123Z"),
    Moment("microseconds", "2024-01-01T00:00:01.123456Z"),
    Moment("nanoseconds", "2024-01-01T00:00:01.123456789Z"),
    Moment("one nanosecond", "2024-01-01T00:00:01.000000001Z"),
    Moment("one nanosecond less than a second", "2024-01-01T00:00:00.999999999Z"),
    Moment("zeros before and behind", "2024-01-01T00:00:01.0123Z"),
    Moment("whole seconds ending in a zero", "2024-10-20T10:20:30Z"),
    Moment("the last second of a year", "2023-12-31T23:59:59Z"),
    Moment("the 29th of February", "2024-02-29T12:30:45.25Z"),
    Moment("the first second of 1970", "1970-01-01T00:00:01Z"),
    Moment("an hour that New York leaves out", "2024-03-10T02:30:00Z"),
    Moment("the second time that New York has half past one", "2024-11-03T06:30:00Z"),
)


@rule(cites=(FORM, WRITING), each=MOMENTS)
def a_time_is_written_in_rfc_3339(writing: Writer, row: Moment) -> None:
    """A trigger time MUST be written as a text of RFC 3339 that means that very instant, to the nanosecond.

    Wherever its writer stands: stingy judges candidates in Python in the time zone of New York, where local time is not UTC.
    """
    text = writing.write(row.instant)

    assert text is not None
    assert meant(text) == row.instant


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], SLICE_WRITER["addTriggerTimeAnnotation"]),
    after="codec/a-time-is-written-in-rfc-3339",
    for_all={"instant": LIVED},
)
def every_time_is_written_in_rfc_3339(writing: Writer, instant: Nanoseconds) -> None:
    """Every trigger time from 1971 to 2261 MUST be written as a text of RFC 3339 that means that very instant."""
    text = writing.write(instant)

    assert text is not None
    assert meant(text) == instant


@rule(
    cites=(SLICE_TESTS["TestReconcile1Pod"], SLICE_WRITER["addTriggerTimeAnnotation"]),
    after="codec/a-time-is-written-in-rfc-3339",
)
def a_time_is_written_in_utc(writing: Writer) -> None:
    """A trigger time MUST be written in UTC, and end in `Z`, wherever its writer stands.

    With another offset it means the same, and whoever looks at two slices takes it for another time.
    """
    text = writing.write(A_MOMENT + 123_450_000)

    assert text is not None
    assert re.fullmatch(r"2024-01-01T00:00:01\.123450{0,4}Z", text)


@rule(
    cites=SLICE_WRITER["addTriggerTimeAnnotation"].in_code,
    after="codec/a-time-is-written-in-rfc-3339",
    each=(
        Moment("just after Go's zero time", "0001-01-01T00:00:00.000000001Z"),
        Moment("a year of two digits", "0033-04-03T15:00:00Z"),
        Moment("the last second before 1970", "1969-12-31T23:59:59.5Z"),
        Moment("beyond 64 bits of nanoseconds", "2262-04-12T00:00:00Z"),
    ),
)
def times_out_of_range_are_written_in_rfc_3339(writing: Writer, row: Moment) -> None:
    """A trigger time long past, or far ahead, SHOULD be written as a text of RFC 3339 that means that very instant.

    Nothing was ever triggered then, but clocks are set wrong. Where times are nanoseconds in 64 bits, they end in 2262.
    """
    text = writing.write(row.instant)

    assert text is not None
    assert meant(text) == row.instant


@rule(
    cites=SLICE_WRITER["addTriggerTimeAnnotation"].in_code,
    after="codec/a-time-is-written-in-utc",
    each=MOMENTS,
)
def a_written_time_is_no_longer_than_it_must_be(writing: Writer, row: Moment) -> None:
    """The fraction of a written trigger time SHOULD end with its last digit that is no zero; a whole second has none.

    `.500Z` means the same.
    """
    assert writing.write(row.instant) == row.text


@rule(cites=SLICE_WRITER["no trigger time"], after="codec/a-time-is-written-in-rfc-3339")
def no_time_is_no_annotation(writing: Writer) -> None:
    """Where there is no trigger time, none MUST be written, and one that was written before not be left.

    A slice that keeps the time of a change before has the next one, of which nobody knows the time, measured
    from there. The constant of the annotation says otherwise: that it would be left as it is.
    """
    with given():
        assert writing.write(A_MOMENT) is not None

    assert writing.write(None) is None


@rule(
    cites=SLICE_WRITER["no trigger time"],
    after="codec/no-time-is-no-annotation",
    contested=("it is no time", "it is written"),
)
def the_zero_time_to_be_written(writing: Writer) -> str:
    """The first instant of the year 1, which is how Go says *unset*, MAY be taken for no time, or for a time."""
    instant = meant(ZERO_TIME)

    return "it is no time" if writing.write(instant) is None else "it is written"


@rule(cites=READING)
def without_an_annotation_there_is_no_time(reading: Reader) -> None:
    """Where there is no annotation, there MUST be no time, and no error either: most slices have none."""
    assert reading.read(None) is None


@rule(cites=(FORM, READING), each=MOMENTS)
def a_time_is_read_to_the_nanosecond(reading: Reader, row: Moment) -> None:
    """A text of RFC 3339 MUST be read as the instant that it means, to the nanosecond.

    Python's datetime ends at the microsecond. And whoever reads `Z` as local time is five hours off in New York, in whose time zone
    stingy judges candidates in Python.
    """
    assert reading.read(row.text) == row.instant


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], TRACKER["getLastChangeTriggerTime"]),
    after="codec/a-time-is-read-to-the-nanosecond",
    for_all={"instant": LIVED},
)
def every_time_is_read_to_the_nanosecond(reading: Reader, instant: Nanoseconds) -> None:
    """Every trigger time from 1971 to 2261 MUST be read as it is meant."""
    assert reading.read(write_rfc3339(instant)) == instant


@rule(
    cites=TRACKER["getLastChangeTriggerTime"].in_code,
    after="codec/a-time-is-read-to-the-nanosecond",
    each=(
        Moment("just after Go's zero time", "0001-01-01T00:00:00.000000001Z"),
        Moment("the last second before 1970", "1969-12-31T23:59:59.5Z"),
        Moment("beyond 64 bits of nanoseconds", "2262-04-12T00:00:00Z"),
        Moment("the last second of four digits", "9999-12-31T23:59:59Z"),
    ),
)
def times_out_of_range_are_read_as_they_are_meant(reading: Reader, row: Moment) -> None:
    """A trigger time long past, or far ahead, SHOULD be read as it is meant, and not come back as another."""
    assert reading.read(row.text) == row.instant


@dataclass(frozen=True)
class Offset(Row):
    offset: str
    hours: int
    minutes: int = 0

    def of(self, instant: Nanoseconds) -> str:
        """The instant as it is written there."""
        return write_rfc3339(instant, timedelta(hours=self.hours, minutes=self.minutes))


OFFSETS = (
    Offset("+02:00", 2),
    Offset("−05:00", -5),
    Offset("+05:30", 5, 30),
    Offset("+14:00", 14),
)


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], TRACKER["getLastChangeTriggerTime"]),
    after="codec/a-time-is-read-to-the-nanosecond",
    each=(*OFFSETS, Offset("−03:30", -3, -30), Offset("+23:59", 23, 59)),
)
def an_offset_is_reckoned_with(reading: Reader, row: Offset) -> None:
    """A trigger time written with an offset MUST be read as the instant that it means."""
    instant = A_MOMENT + 500 * MILLISECOND

    assert reading.read(row.of(instant)) == instant


@dataclass(frozen=True)
class Nought(Row):
    offset: str


@rule(
    cites=(ANNOTATION_KEY["EndpointsLastChangeTriggerTime"], TRACKER["getLastChangeTriggerTime"]),
    after="codec/an-offset-is-reckoned-with",
    each=[Nought("+00:00"), Nought("-00:00")],
)
def no_offset_may_be_written_in_digits(reading: Reader, row: Nought) -> None:
    """An offset of nought MUST be read as `Z` is, with either sign."""
    assert reading.read(f"2024-01-01T00:00:01{row.offset}") == A_MOMENT


@dataclass(frozen=True)
class Text(Row):
    what: str
    text: str


UNREADABLE = (
    Text("empty", ""),
    Text("no time at all", "yesterday"),
    Text("seconds since 1970", "4102444801"),
    Text("no seconds", "2100-01-01T00:00Z"),
    Text("no offset", "2100-01-01T00:00:01"),
    Text("the hour 24", "2100-01-01T24:00:00Z"),
    Text("the 30th of February", "2100-02-30T00:00:01Z"),
    Text("an offset without colon", "2100-01-01T00:00:01+0200"),
    Text("a blank before", " 2100-01-01T00:00:01Z"),
    Text("a blank behind", "2100-01-01T00:00:01Z "),
    Text("a year of five digits", "10000-01-01T00:00:01Z"),
    Text("a point without a fraction", "2100-01-01T00:00:01.Z"),
)
"""Texts that neither RFC 3339 nor Go accepts as a time."""


@rule(
    cites=READING,
    after="codec/a-time-is-read-to-the-nanosecond",
    each=(
        *UNREADABLE,
        Text("an offset of more than a day", "2100-01-01T00:00:01+25:00"),
        Text("a line end behind", "2100-01-01T00:00:01Z\n"),
        Text("the 13th month", "2100-13-01T00:00:01Z"),
        Text("a date alone", "2100-01-01"),
        Text("no dashes and colons", "21000101T000001Z"),
        Text("two of them", "2100-01-01T00:00:01Z2100-01-01T00:00:01Z"),
    ),
)
def what_cannot_be_read_is_no_time(reading: Reader, row: Text) -> None:
    """A text that is no time of RFC 3339 MUST be read as no time, without an error.

    What is raised here comes up where a slice is being programmed; and what is taken for 1970 is half a century late.
    """
    assert reading.read(row.text) is None


LENIENT = (
    Text("small letters", "2100-01-01t00:00:01z"),
    Text("a blank between date and time", "2100-01-01 00:00:01Z"),
    Text("a comma before the fraction", "2100-01-01T00:00:01,5Z"),
    Text("an hour of one digit", "2100-01-01T0:00:01Z"),
    Text("a leap second", "2099-12-31T23:59:60Z"),
)
"""Texts that only one of RFC 3339 and Go accepts as a time."""


@rule(
    cites=READING,
    after="codec/a-time-is-read-to-the-nanosecond",
    each=LENIENT,
    contested=("it is read", "it is no time"),
)
def forms_on_which_readers_differ(reading: Reader, row: Text) -> str:
    """Forms that RFC 3339 and Go see differently MAY be read, or be no time.

    Go refuses small letters, the blank and leap seconds, which the RFC allows, and reads the comma and
    the hour of one digit, which it does not.
    """
    return "it is no time" if reading.read(row.text) is None else "it is read"


@rule(
    cites=READING,
    after="codec/a-time-is-read-to-the-nanosecond",
    contested=("it is no time", "it is read"),
)
def the_zero_time_that_is_read(reading: Reader) -> str:
    """The first instant of the year 1 MAY be read as no time, or as the time that it is.

    What a tracker makes of it is not open: it measures nothing from there.
    """
    return "it is no time" if reading.read(ZERO_TIME) is None else "it is read"


@rule(
    cites=TRACKER["getLastChangeTriggerTime"].in_code,
    after="codec/a-time-is-read-to-the-nanosecond",
)
def digits_beyond_the_nanosecond_are_cut_off(reading: Reader) -> None:
    """Digits of the fraction beyond the ninth SHOULD be cut off, not rounded, and not be refused."""
    assert reading.read("2024-01-01T00:00:01.1234567899Z") == A_MOMENT + 123_456_789


@rule(
    cites=(SLICE_WRITER["addTriggerTimeAnnotation"].in_code, TRACKER["getLastChangeTriggerTime"].in_code),
    after=(
        "codec/every-time-is-written-in-rfc-3339",
        "codec/a-time-is-written-in-utc",
        "codec/times-out-of-range-are-written-in-rfc-3339",
        "codec/every-time-is-read-to-the-nanosecond",
        "codec/times-out-of-range-are-read-as-they-are-meant",
    ),
    for_all={"instant": WRITABLE},
)
def what_was_written_is_read_again(codec: Codec, instant: Nanoseconds) -> None:
    """What is written for any moment of the years 2 to 9999 SHOULD be read as that moment again, to the nanosecond."""
    assert codec.read(codec.write(instant)) == instant
