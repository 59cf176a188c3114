"""Split a stream of bytes into lines, in time that is linear in its length."""

from __future__ import annotations

from collections.abc import Iterator


class Lines:
    """Splitter of a stream into lines. A line with more than ``longest`` bytes comes in pieces.

    It never keeps more than ``longest`` bytes from one call of ``split`` to the next.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = bytearray()  # bytes would be copied as a whole at each read

    def split(self, read: bytes) -> Iterator[bytes]:
        """Yield each line that these bytes end; the rest, too, if they are empty: the stream has ended."""
        *ended, rest = read.split(b"\n")
        for end in ended:
            self._rest += end
            self._rest += b"\n"
            yield from self._pieces(1)
        self._rest += rest
        yield from self._pieces(self._longest if read else 1)

    def _pieces(self, least: int) -> Iterator[bytes]:
        """Take off and yield pieces, as long as the rest has this many bytes."""
        while len(self._rest) >= least:
            piece = bytes(self._rest[: self._longest])
            del self._rest[: self._longest]
            yield piece
