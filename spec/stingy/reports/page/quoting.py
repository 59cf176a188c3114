"""A text as a literal of a language: it compiles, and says the same text, whatever that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def quote(text: str, language: str) -> str:
    """What is not plain ASCII is written by its number, so that no encoding of the file matters."""
    return f'"{remark(text, language)}"'


def remark(text: str, language: str) -> str:
    """The same, without the quotes: it ends no comment."""
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
    ):  # half a pair is no character of Go's, but bytes are a string
        return "".join(f"\\x{byte:02x}" for byte in char.encode(errors="surrogatepass"))
    return f"\\U{ord(char):08x}"


def _java(char: str) -> str:
    """In octal, where it can be: a compiler of Java takes the hexadecimal of a line's end for the end of the line."""
    if ord(char) <= 0o377:
        return f"\\{ord(char):03o}"
    units = char.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


def _rust(char: str) -> str:
    """Half a pair is no character of Rust's."""
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
