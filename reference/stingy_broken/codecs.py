"""Writers and readers of trigger times that lose some of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from stingy_broken import breaks
from stingy_broken.edits import define
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


@breaks("codec/a-time-is-read-to-the-nanosecond")
class ReadsLocalTime(_Reads):
    """Takes each text for local time, which is UTC on most machines that run tests."""

    def _read(self, text):
        if (instant := parsed(text)) is None:
            return None
        whole = datetime.fromtimestamp(instant // SECOND, UTC).replace(tzinfo=None)
        return round(whole.timestamp()) * SECOND + instant % SECOND


@breaks("codec/a-time-is-written-in-rfc-3339")
class WritesLocalTime(_Writes):
    """Writes the local time, with the letter that stands for UTC."""

    def _write(self, instant):
        offset = datetime.fromtimestamp(instant // SECOND).astimezone().utcoffset()
        return written(instant + offset // timedelta(microseconds=1) * 1000)


@breaks("codec/no-time-is-no-annotation")
class LeavesWhatWasThere(AnnotationCodec):
    """Where there is no time, leaves the one that was written before."""

    _before = None

    def format(self, instant):
        self._before = self._before if instant is None else written(instant)
        return self._before


define(globals())
