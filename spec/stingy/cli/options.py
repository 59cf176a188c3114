"""The options of ``stingy.request`` as options of click commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from stingy.request import OPTIONS, Option, Request

DEFAULTS = Request(isolate=True)
"""The request of a command without options."""


def options(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds the options with these names to a command.

    The command's parameter ``request`` gets their values, and the argument ``target`` if there is
    one.
    """

    def declare(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def collected(**said: Any) -> int:
            asked = {name: said.pop(name) for name in names}
            target = {"target": said.pop("target")} if "target" in said else {}
            return command(request=Request(**target, **{"isolate": DEFAULTS.isolate, **asked}), **said)

        declared: Callable[..., int] = collected
        for name in reversed(names):
            declared = _declare(name, OPTIONS[name])(declared)
        return declared

    return declare


def _declare(name: str, option: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    default = getattr(DEFAULTS, name)
    if option.kind is bool:
        spelt = f"--{name}/--no-{name}" if default else f"--{name}"
        return click.option(spelt, name, is_flag=True, default=default, help=option.help)
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
        return click.FloatRange(option.least, min_open=option.more_than_least)
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
