"""Build the scripts of an exercise from its folder: start, solution, mistakes and candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from stingy_kata.holes import Astray, split
from stingy_kata.mistakes import Mistakes, Unfound, Variant, apply_changes
from stingy_kata.script import Script, build, read

RECIPES = "mistakes.toml"

Said = TypeVar("Said")


class Malformed(Exception):  # noqa: N818 - the fault is the author's
    """Something in an exercise's folder cannot be read or built. The message says what is wrong."""


def scripts(folder: Path, wrong: str) -> Mapping[str, Script]:
    """Return all scripts of an exercise by name: ``start``, ``solution``, ``right/three_sets`` …

    The names of learners' mistakes get the prefix ``wrong``, as in ``wrong/if_for_while``. Raises
    Malformed if the exercise's folder cannot be read, or if a script cannot be built.
    """
    found, known = _read_given(folder), recipes(folder)
    for variant in known.right:
        _add(found, folder, f"right/{variant.name}", _describe_first(variant, _text(folder, variant, found)))
    for variant in known.wrong:
        _add(found, folder, f"wrong/{variant.name}", _describe_first(variant, _text(folder, variant, found)))
    for mistake in known.mistakes:
        _add(found, folder, f"{wrong}/{mistake.name}", _text(folder, mistake, found))
    return found


def recipes(folder: Path) -> Mistakes:
    return decode(folder / RECIPES, Mistakes)


def decode(file: Path, kind: type[Said]) -> Said:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise Malformed(f"{file} cannot be read: {error}") from None


def _read_given(folder: Path) -> dict[str, Script]:
    """Return the scripts of an exercise that its folder has as files: no changes have to be applied.

    These are the start code, the solution, and those in the folder ``right``. Raises Malformed if
    the solution cannot be read.
    """
    file = folder / "solution.py"
    try:
        both = split(file.read_text(encoding="utf-8"))
    except (OSError, Astray) as fault:
        raise Malformed(f"{file} cannot be read: {fault}") from None
    right = {f"right/{it.stem}": read(it) for it in sorted((folder / "right").glob("*.py"))}
    return {"start": build(folder / "start.py", both.start), "solution": build(file, both.solution)} | right


def _describe_first(variant: Variant, text: str) -> str:
    """Return a script's text with the variant's description as its docstring.

    The first line of ``text`` must be a one-line docstring, which is replaced.
    """
    _, _, rest = text.partition("\n")
    return f'"""{variant.says}"""\n{rest}'


def _text(folder: Path, variant: Variant, found: Mapping[str, Script]) -> str:
    who = f"{folder / RECIPES}: {variant.name} is made of {variant.of}"
    lent = folder.parent / f"{variant.of}.py"  # ``of`` may name a file of another exercise
    if variant.of not in found and not lent.is_file():
        raise Malformed(f"{who}, which is not one of the scripts before it: {', '.join(found)}")
    of = found[variant.of].text if variant.of in found else lent.read_text(encoding="utf-8")
    try:
        return apply_changes(of, variant.changes)
    except Unfound as unfound:
        raise Malformed(f"{who}, where {unfound}") from None


def _add(found: dict[str, Script], folder: Path, name: str, text: str) -> None:
    if name in found:
        raise Malformed(f"{folder / RECIPES}: two scripts have the name {name}: rename one of them")
    found[name] = build(folder / f"{name}.py", text)
