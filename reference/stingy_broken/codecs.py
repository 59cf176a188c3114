"""Writers and readers of trigger times that lose some of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from stingy_broken import breaks
from stingy_reference import AnnotationCodec
from stingy_reference.annotation import parsed, written

SECOND = 1_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Writes(AnnotationCodec):
    """A codec that writes a time in a way of its own."""

    def format(self, instant):
        return None if instant is None else self._write(instant)

    def _write(self, instant):
        raise NotImplementedError


class _Reads(AnnotationCodec):
    """A codec that reads a text in a way of its own."""

    def parse(self, text):
        return None if text is None else self._read(text)

    def _read(self, text):
        raise NotImplementedError


@breaks("codec/a-time-is-written-in-utc")
class WritesAnOffset(_Writes):
    """Writes the time of its own zone."""

    def _write(self, instant):
        return written(instant + 7200 * SECOND).replace("Z", "+02:00")


@breaks("codec/a-time-is-written-in-utc")
class WritesNoughtInDigits(_Writes):
    """Writes UTC as `+00:00`, as Python's isoformat does."""

    def _write(self, instant):
        return written(instant).replace("Z", "+00:00")


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesLocalTime(_Writes):
    """Writes the time of its own zone, and `Z` behind it."""

    def _write(self, instant):
        return written(instant + 7200 * SECOND)


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesWholeSeconds(_Writes):
    """Writes no fraction."""

    def _write(self, instant):
        return written(instant // SECOND * SECOND)


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesMilliseconds(_Writes):
    """Writes three digits of the fraction."""

    def _write(self, instant):
        return written(instant // 1_000_000 * 1_000_000)


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesMicroseconds(_Writes):
    """Writes with datetime, and loses the nanoseconds."""

    def _write(self, instant):
        return written(instant // 1000 * 1000)


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesWithFloats(_Writes):
    """Divides by a billion first, and so knows no nanoseconds any more."""

    def _write(self, instant):
        return written(int(instant / SECOND * SECOND))


@breaks("codec/a-written-time-is-no-longer-than-it-must-be")
class WritesAllNineDigits(_Writes):
    """Writes nine digits of the fraction, whatever they are."""

    def _write(self, instant):
        return f"{written(instant // SECOND * SECOND)[:-1]}.{instant % SECOND:09}Z"


@breaks("codec/a-time-is-written-in-rfc-3339")
class TrimsTheSeconds(_Writes):
    """Trims the zeros at the end of the seconds, too."""

    def _write(self, instant):
        return written(instant)[:-1].rstrip("0") + "Z"


@breaks("codec/a-time-is-written-in-rfc-3339")
class LosesLeadingZeros(_Writes):
    """Writes the fraction without the zeros it begins with."""

    def _write(self, instant):
        whole = written(instant // SECOND * SECOND)
        fraction = instant % SECOND
        return f"{whole[:-1]}.{fraction}Z" if fraction else whole


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesABlank(_Writes):
    """Writes a blank between date and time, as Python's str does."""

    def _write(self, instant):
        return written(instant).replace("T", " ")


@breaks("codec/every-time-is-written-in-rfc-3339")
class WritesLeapYearsOfJulius(_Writes):
    """Takes every fourth year for a leap year, 2100 as well."""

    def _write(self, instant):
        text = written(instant)
        return written(instant - 86_400 * SECOND) if "2100-03" <= text < "2262" else text


@breaks("codec/what-was-written-is-read-again")
class WritesLaterLeapYearsOfJulius(_Writes):
    """Takes 2300 for a leap year, and is a day late from then on."""

    def _write(self, instant):
        text = written(instant)
        return written(instant - 86_400 * SECOND) if text >= "2300-03" else text


@breaks("codec/no-time-is-no-annotation")
class WritesTheZeroTime(AnnotationCodec):
    """Writes the year 1 where there is no time."""

    def format(self, instant):
        return "0001-01-01T00:00:00Z" if instant is None else written(instant)


@breaks("codec/no-time-is-no-annotation")
class LeavesWhatWasThere(AnnotationCodec):
    """Where there is no time, leaves the one that was written before."""

    _before = None

    def format(self, instant):
        self._before = self._before if instant is None else written(instant)
        return self._before


@breaks("codec/times-out-of-range-are-written-in-rfc-3339")
class WritesShortYears(_Writes):
    """Writes the year 33 with two digits, as strftime does."""

    def _write(self, instant):
        return written(instant).lstrip("0")


@breaks("codec/times-out-of-range-are-read-as-they-are-meant")
class Reckons64Bits(_Reads):
    """Reckons in 64 bits, and comes back as another time beyond the year 2262."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None else (instant + 2**63) % 2**64 - 2**63


@breaks("codec/times-out-of-range-are-read-as-they-are-meant")
class KnowsNothingBefore1970(_Reads):
    """Takes what is below 0 for unset."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None or instant < 0 else instant


@breaks("codec/without-an-annotation-there-is-no-time")
class StumblesOverNone(AnnotationCodec):
    """Raises where there is no annotation."""

    def parse(self, text):
        return parsed(text.strip() and text)


@breaks("codec/a-time-is-read-to-the-nanosecond")
class ReadsWholeSeconds(_Reads):
    """Passes over the fraction."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None else instant // SECOND * SECOND


@breaks("codec/a-time-is-read-to-the-nanosecond")
class ReadsMicroseconds(_Reads):
    """Reads with datetime, and loses the nanoseconds."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None else instant // 1000 * 1000


@breaks("codec/a-time-is-read-to-the-nanosecond")
class ReadsIntoFloats(_Reads):
    """Makes a float of the seconds."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None else int(instant / SECOND * SECOND)


@breaks("codec/a-time-is-read-to-the-nanosecond")
class TakesTheFractionForNanoseconds(_Reads):
    """Takes the fraction for a number of nanoseconds, so that `.5` is five of them."""

    def _read(self, text):
        instant, fraction = parsed(text), re.search(r"\.(\d+)", text)
        if instant is None or not fraction:
            return instant
        return instant // SECOND * SECOND + int(fraction[1][:9])


@breaks("codec/a-time-is-read-to-the-nanosecond")
class NeedsAFraction(_Reads):
    """Reads no whole second."""

    def _read(self, text):
        return parsed(text) if "." in text else None


@breaks("codec/every-time-is-read-to-the-nanosecond")
class ReadsLeapYearsOfJulius(_Reads):
    """Takes every fourth year for a leap year, 2100 as well."""

    def _read(self, text):
        instant = parsed(text)
        return instant + 86_400 * SECOND if instant and "2100-03" <= text < "2262" else instant


@breaks("codec/an-offset-is-reckoned-with")
class PassesOverTheOffset(_Reads):
    """Reads the hands of the clock and not its offset."""

    def _read(self, text):
        return parsed(re.sub(r"[+-]\d\d:\d\d$", "Z", text))


@breaks("codec/an-offset-is-reckoned-with")
class TurnsTheOffsetRound(_Reads):
    """Adds what is to be taken off."""

    def _read(self, text):
        return parsed(re.sub(r"[+-](?=\d\d:\d\d$)", lambda it: "-+"[it[0] == "-"], text))


@breaks("codec/an-offset-is-reckoned-with")
class ReadsWholeHoursOfAnOffset(_Reads):
    """Passes over the minutes of an offset."""

    def _read(self, text):
        return parsed(re.sub(r"(?<=[+-]\d\d:)\d\d$", "00", text))


@breaks("codec/no-offset-may-be-written-in-digits")
class KnowsNoNegativeNought(_Reads):
    """Refuses the offset `-00:00`, by which the RFC means that nobody knows it."""

    def _read(self, text):
        return None if text.endswith("-00:00") else parsed(text)


@breaks("codec/forms-on-which-readers-differ")
class StumblesOverNonsense(_Reads):
    """Raises at a text that is no time."""

    def _read(self, text):
        instant = parsed(text)
        if instant is None:
            raise ValueError(f"invalid time {text!r}")
        return instant


@breaks("codec/what-cannot-be-read-is-no-time")
class TakesNonsenseFor1970(_Reads):
    """Reads what it cannot read as the beginning of 1970."""

    def _read(self, text):
        return parsed(text) or 0


@breaks("codec/what-cannot-be-read-is-no-time")
class TrustsFromIsoFormat(_Reads):
    """Reads whatever datetime.fromisoformat reads, which is more than RFC 3339."""

    def _read(self, text):
        exact = parsed(text)
        if exact is not None:
            return exact
        try:
            lenient = datetime.fromisoformat(text)
        except ValueError:
            return None
        return (lenient.replace(tzinfo=lenient.tzinfo or UTC) - EPOCH) // timedelta(seconds=1) * SECOND


@breaks("codec/what-cannot-be-read-is-no-time")
class ReadsWhatStandsAround(_Reads):
    """Looks for a time anywhere in the text."""

    def _read(self, text):
        found = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text)
        return parsed(found[0]) if found else None


@breaks("codec/what-cannot-be-read-is-no-time")
class OverlooksALineEnd(_Reads):
    """Ends its expression with `$`, which stands before a line end, too."""

    def _read(self, text):
        return parsed(text.removesuffix("\n"))


@breaks("codec/what-cannot-be-read-is-no-time")
class TakesTheHour24(_Reads):
    """Takes the hour 24 for the beginning of the next day."""

    def _read(self, text):
        if "T24:00:00" in text:
            return parsed(text.replace("T24", "T23")) + 3600 * SECOND
        return parsed(text)


@breaks("codec/digits-beyond-the-nanosecond-are-cut-off")
class RoundsTheTenthDigit(_Reads):
    """Rounds what is beyond the nanosecond."""

    def _read(self, text):
        instant = parsed(text)
        tenth = re.search(r"\.\d{9}([5-9])", text)
        return instant + 1 if instant is not None and tenth else instant
