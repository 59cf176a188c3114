"""A stream of bytes is split into lines, however it comes, and a long line into pieces."""

import pytest

from stingy.transport.lines import Lines


@pytest.mark.parametrize(
    ("reads", "lines"),
    [
        ([b"a\nb\n"], [b"a\n", b"b\n"]),
        ([b"a", b"b\nc", b"\n"], [b"ab\n", b"c\n"]),
        ([b"\n\n"], [b"\n", b"\n"]),
        ([b"abcdefg\nh\n"], [b"abcd", b"efg\n", b"h\n"]),
        ([b"abc", b"d", b"\n"], [b"abcd", b"\n"]),
        ([b"abcdefghi", b"j", b""], [b"abcd", b"efgh", b"ij"]),
        ([b"abcd", b""], [b"abcd"]),
        ([b""], []),
    ],
)
def test_lines_and_pieces_are_the_same_however_they_come(reads, lines):
    splits = Lines(4)
    assert [line for read in reads for line in splits.split(read)] == lines


def test_a_line_without_end_is_not_copied_at_each_read():
    """Each byte is written into the rest once, and taken out once."""

    class Counted(bytearray):
        copied = 0

        def __getitem__(self, key):
            got = super().__getitem__(key)
            Counted.copied += len(got)
            return got

    splits = Lines(1000)
    splits._rest = Counted()
    pieces = [piece for _ in range(10_000) for piece in splits.split(b"x")]
    assert (len(pieces), Counted.copied) == (10, 10_000)
    assert isinstance(splits._rest, Counted)


def test_no_more_than_a_piece_is_kept():
    splits = Lines(1000)
    for read in (b"x" * 999, b"x" * 5000, b"x\n" * 3000 + b"y" * 100):
        list(splits.split(read))
        assert len(splits._rest) < 1000
