"""Write any text as a string literal: it compiles, and its value is exactly this text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stingy.language.story import Value


def quote(text: str, language: str) -> str:
    """Return the text as a string literal of the language; a ``Value``, which is Python, as it is.

    Any character but printable ASCII is written as a number, so the file's encoding is irrelevant.
    """
    return repr(text) if isinstance(text, Value) else f'"{remark(text, language)}"'


def remark(text: str, language: str) -> str:
    """Return the text escaped like a string literal, without quotes, so that it cannot end a comment."""
    return "".join(_escape(char, NUMBERED[language]) for char in text)


def _escape(char: str, numbered: Callable[[str], str]) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isascii() and char.isprintable() else numbered(char)


def _python(char: str) -> str:
    return ascii(char)[1:-1]


def _go(char: str) -> str:
    if (
        char.isascii() or "\ud800" <= char <= "\udfff"
    ):  # Go cannot escape half of a surrogate pair, but any bytes can be in a string
        return "".join(f"\\x{byte:02x}" for byte in char.encode(errors="surrogatepass"))
    return f"\\U{ord(char):08x}"


def _java(char: str) -> str:
    """Return a character as an octal escape if possible, or as a Unicode escape.

    Java takes the Unicode escape of a line end as a line end.
    """
    if ord(char) <= 0o377:
        return f"\\{ord(char):03o}"
    units = char.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


def _rust(char: str) -> str:
    """Return a character as a Unicode escape; a lone surrogate, which Rust forbids, as U+FFFD."""
    return _javascript("\ufffd" if "\ud800" <= char <= "\udfff" else char)


def _javascript(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


NUMBERED: Mapping[str, Callable[[str], str]] = {
    "pytest": _python,
    "go": _go,
    "java": _java,
    "rust": _rust,
    "node": _javascript,
}
