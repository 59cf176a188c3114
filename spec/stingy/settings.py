"""The settings of a project, in ``[tool.stingy]`` of its pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stingy.process.file import follow_links
from stingy.process.reading import read_whole
from stingy.request import OPTIONS, STANDARD_OUTPUT, Option, Request

FILE = "pyproject.toml"
TABLE = "[tool.stingy]"

KEYS: Mapping[str, Option] = {
    "target": Option("The candidate to judge if none is named.", "MODULE:OBJECT"),
    **{name: option for name, option in OPTIONS.items() if name != "replay"},  # a report is not a setting
    "reports": Option("What stingy run writes.", "FORMAT=PATH"),
}
"""Keys of the table."""

LISTS = frozenset(("reports", *(name for name in OPTIONS if isinstance(getattr(Request(), name), tuple))))
"""Keys with a list of texts."""

FORMS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number without quotes"),
    float: ((int, float), "a number without quotes"),
    str: ((str,), "a text in quotes"),
}
"""Types of a value in TOML, and how a user writes it, by the ``kind`` of the option."""


class SettingsError(Exception):
    """The settings cannot be used; the message says what to write instead."""


@dataclass(frozen=True)
class Settings:
    """The contents of the table; empty if there is none."""

    file: Path | None = None
    """The pyproject.toml; None if neither the folder nor one above it has any."""
    target: str = ""
    """The candidate to judge if none is named; empty if the table names none, or must not."""
    refusal: str = ""
    """Why the target that the table names must not run, and what to do; empty if it may."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values of options, by the names of fields of ``Request``."""
    reports: tuple[str, ...] = ()
    """Reports that ``stingy run`` writes; each is ``FORMAT`` or ``FORMAT=PATH``."""


def find_file(folder: Path) -> Path | None:
    """Return the pyproject.toml of this folder, or of the nearest one above; None if there is none.

    The search goes no higher than the root of the repository that the folder is in.
    """
    for place in (folder, *folder.parents):
        if os.path.isfile(place / FILE):  # noqa: PTH113 - never raises
            return place / FILE
        if os.path.lexists(place / ".git"):  # a folder; a file in a submodule
            break
    return None


def is_trusted(file: Path, folder: Path) -> bool:
    """Return True if the settings in ``file`` may say what is run and written by a user in ``folder``.

    A file in the folder itself may, because the user has chosen the folder. A file in a folder above
    may if this user or root owns the file, its folder, and the link if the file is one: in a place
    such as /tmp, anybody can leave a file for others.
    """
    if file.parent == folder or not hasattr(os, "geteuid"):
        return True
    try:
        return find_owners(file) <= _trusted_users()
    except OSError:
        return False


def find_owners(file: Path) -> frozenset[int]:
    """Return the users who own this file, its folder, and the link if it is one. Raises OSError."""
    return frozenset((file.lstat().st_uid, file.stat().st_uid, file.parent.stat().st_uid))


def _trusted_users() -> frozenset[int]:
    """Return the users whose settings may name code: this one, the one who called sudo, and root."""
    this, caller = os.geteuid(), os.environ.get("SUDO_UID", "")
    # The variable counts for root alone, who may run code as anybody. Other users could set it themselves.
    called = {int(caller)} if this == 0 and caller.isdecimal() else set()
    return frozenset((0, this, *called))


def load(folder: Path) -> Settings:
    """Return the settings for a command that is run in this folder.

    Paths are relative to this folder, or absolute if the file is in a folder above. If
    another user may have written the file, its target does not count, and ``refusal`` says so.
    Raises SettingsError if the file cannot be read, for an unknown key or a wrong value, and for a
    report that must not be written.
    """
    file = find_file(folder)
    if file is None:
        return Settings()
    found = {name: _read(name, value, file) for name, value in _load_table(file).items()}
    if file.parent != folder:
        found = {name: anchor(name, value, file.parent) for name, value in found.items()}
    target, reports = found.pop("target", ""), found.pop("reports", ())
    _refuse_outside(reports, file)
    if (target or reports) and not is_trusted(file, folder):
        whose = "but the file or its folder belongs to another user"
        if reports:
            raise SettingsError(f"{file} names reports, {whose}: to write them, go to {file.parent}")
        refusal = (
            f"{file} names the target {target!r}, {whose}: "
            f"to judge it, name the target yourself, or go to {file.parent}"
        )
        return Settings(file, refusal=refusal, options=found)
    return Settings(file, target, options=found, reports=reports)


def anchor(name: str, value: Any, folder: Path) -> Any:
    """Return the value of the option ``name`` with absolute paths, if it has any: they are in ``folder``."""
    if name == "reports":
        return tuple(
            report if path in ("", STANDARD_OUTPUT) else f"{kind}={folder / path}"
            for report in value
            for kind, _, path in [report.partition("=")]
        )
    return str(folder / value) if KEYS[name].is_path and value else value


def is_below(path: Path, folder: Path) -> bool:
    """Return True if the path is in this folder once all links are followed."""
    try:
        return follow_links(path).is_relative_to(folder.resolve())
    except OSError:  # a loop of links leads nowhere
        return False


def _refuse_outside(reports: Sequence[str], file: Path) -> None:
    """Raise SettingsError if one of the reports would be written outside of the file's folder."""
    for report in reports:
        path = report.partition("=")[2]
        if path not in ("", STANDARD_OUTPUT) and not is_below(file.parent / path, file.parent):
            raise SettingsError(
                f"reports in {TABLE} of {file} would be written to {path}, outside of the folder of that "
                f"file: name a file in the folder, or write --report {report} on the command line"
            )


def _load_table(file: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        found = tomllib.loads(read_whole(file).decode())
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{file} is not TOML: {error}") from None
    except RecursionError:  # of tomllib
        raise SettingsError(f"{file} cannot be read: its lists or tables are nested too deeply") from None
    for name in ("tool", "stingy"):
        found = found.get(name, {})
        if not isinstance(found, dict):
            raise SettingsError(f"{name} in {file} is not a table: write {TABLE}, and the settings below it")
    return found


def _read(name: str, value: object, file: Path) -> Any:
    """Return the value of a key. Raises SettingsError if it is unknown, or its value is not allowed."""
    if name not in KEYS:
        from difflib import get_close_matches  # imported late: every command loads this module

        near = get_close_matches(name, KEYS, 1)
        hint = f"did you mean {near[0]}?" if near else f"it can have {', '.join(KEYS)}"
        raise SettingsError(f"{TABLE} of {file} has an unknown key {name}; {hint}")
    values: list[Any] = value if isinstance(value, list) else [value]
    option = KEYS[name]
    types, form = FORMS[option.kind]
    if isinstance(value, list) != (name in LISTS) or not all(_is_one(types, it) for it in values):
        example = next(iter(option.choices()), option.metavar)
        wanted = f'a list of texts in quotes, as in ["{example}"]' if name in LISTS else form
        raise SettingsError(f"{name} in {TABLE} of {file} has a value of a wrong type: write {wanted}")
    if any("\0" in it for it in values if isinstance(it, str)):
        raise SettingsError(f"{name} in {TABLE} of {file} has a NUL character: remove it")
    try:
        approved = [option.read(it) for it in values]
    except ValueError as error:
        raise SettingsError(f"{name} in {TABLE} of {file}: {error}") from None
    return tuple(approved) if name in LISTS else approved[0]


def _is_one(types: tuple[type, ...], value: object) -> bool:
    """Return True if the value is of one of these types; a truth value is not taken for a number."""
    return isinstance(value, types) and isinstance(value, bool) == (bool in types)
