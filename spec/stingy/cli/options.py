"""The options of ``stingy.request`` as options of click commands, and the target as an argument.

What the command line leaves open is taken from ``[tool.stingy]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from stingy.contract.testimony import in_a_line
from stingy.request import OPTIONS, Option, Request, seconds
from stingy.settings import FILE, KEYS, TABLE, Settings, SettingsError, anchor, load

DEFAULTS = Request(isolate=True)
"""The request of a command without options."""


def options(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds the options with these names to a command.

    The command's parameter ``request`` gets their values, and the argument ``target`` if there is
    one. An option that the command line does not have, and the parameter ``reports``, get their
    values from the settings.
    """

    def declare(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def collected(**said: Any) -> int:
            agreed = Settings() if said.get("reference") else settings()
            settled = {name for name in agreed.options if name in names and not is_said(name)}
            # A replay without TARGET, which has an empty one here, takes that of the report.
            if agreed.file and agreed.target and said.get("target") and not is_said("target"):
                place = os.path.relpath(agreed.file)
                click.echo(f"TARGET is {in_a_line(agreed.target)}, as {place} says", err=True)
                said = _go_to(agreed.file.parent, said)
                settled.add("target")
            said |= {name: value for name, value in agreed.options.items() if name in settled}
            if "reports" in said:
                said["reports"] = said["reports"] or agreed.reports
            asked = {name: said.pop(name) for name in names}
            target = {"target": said.pop("target")} if "target" in said else {}
            request = Request(**target, **{"isolate": DEFAULTS.isolate, **asked}, settled=frozenset(settled))
            return command(request=request, **said)

        declared: Callable[..., int] = collected
        for name in reversed(names):
            declared = _declare(name, OPTIONS[name])(declared)
        return declared

    return declare


def settings() -> Settings:
    """Return the settings of the current folder; the file is read once for each command.

    Raises UsageError if they cannot be used.
    """
    known = click.get_current_context().meta
    if TABLE not in known:
        try:
            known[TABLE] = load(Path.cwd())
        except SettingsError as error:
            raise click.UsageError(str(error)) from None
    found: Settings = known[TABLE]
    return found


class Number(click.FloatRange):
    """The click type of a numeric option; ``Option`` says which numbers are allowed."""

    def __init__(self, option: Option) -> None:
        super().__init__(option.least, min_open=option.more_than_least)
        self._option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        try:
            return self._option.approve(number)
        except ValueError as error:
            self.fail(str(error), param, ctx)


SECONDS = Number(seconds("A time."))
"""The click type of a time that is an option of one command only."""


def choose_target(_context: click.Context, _parameter: click.Parameter, named: str | None) -> str:
    """Return the target that is named, or else that of the settings.

    Raises UsageError if there is neither.
    """
    target = named if named is not None else find_agreed_target()
    if not target and named is None:
        raise click.UsageError(
            f'no TARGET is given: name one, or write target = "MODULE:OBJECT" below {TABLE} in {FILE}'
        )
    return target


def find_agreed_target() -> str:
    """Return the target of the settings; empty if they name none.

    Raises UsageError if that target must not run.
    """
    if settings().refusal:
        raise click.UsageError(settings().refusal)
    return settings().target


def is_said(name: str) -> bool:
    """Return True if the command line has this parameter."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def _go_to(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    """Make this folder the current one, because the target is named as seen from there.

    Returns the parameters ``said`` with absolute paths if the folder was another one.
    """
    here = Path.cwd()
    if folder == here:
        return said
    os.chdir(folder)
    paths = {name: here / value for name, value in said.items() if isinstance(value, Path)}
    return said | paths | {name: anchor(name, said[name], here) for name in said.keys() & KEYS.keys()}


def _declare(name: str, option: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    default = getattr(DEFAULTS, name)
    if option.kind is bool:
        return click.option(f"--{name}/--no-{name}", name, is_flag=True, default=default, help=option.help)
    many = isinstance(default, tuple)
    return click.option(
        f"--{name}",
        name,
        type=_type(option),
        multiple=many,
        default=default,
        metavar=option.metavar or None,
        help=option.help,
        callback=_make_check(option),
    )


def _type(option: Option) -> click.ParamType[Any]:
    if choices := option.choices():
        return click.Choice(choices, case_sensitive=False)
    if option.kind is int:
        return click.IntRange(None if option.least is None else int(option.least))
    if option.kind is float:
        return Number(option)
    return click.STRING


def _make_check(option: Option) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def check(_context: click.Context, _parameter: click.Parameter, said: Any) -> Any:
        if option.check is not None and said:
            try:
                option.check(said)
            except ValueError as error:
                raise click.BadParameter(str(error)) from None
        return said

    return check
