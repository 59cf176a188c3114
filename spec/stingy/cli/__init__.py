"""The command ``stingy``. Its commands run pytest, write reports, and return an exit status.

Each command is a module of this package with an attribute ``command``. It is imported on use;
listing the commands imports none.
"""

from __future__ import annotations

from importlib import import_module

import click

from stingy.cli.group import Group

COMMANDS = {
    "run": "Judge a candidate, by all rules or by some.",
    "watch": "Judge a candidate each time it is saved.",
    "replay": "Judge again the rules that a report says are broken.",
    "diff": "Compare two reports: what got worse, and what got better.",
    "rules": "List the rules.",
    "explain": "Say what a rule demands, and why.",
    "doctor": "Check whether a candidate can be judged at all.",
    "init": "Write a starter for your own queue: a driver or a class.",
    "baseline": "Accept known failures until they are fixed.",
}
"""Names of the commands, with one line of help each, in the order in which users need them."""


class _Commands(Group):
    """The click group of the commands in ``COMMANDS``; a command's module is imported when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stingy", prog_name="stingy")
def main() -> None:
    """Is your queue stingy? Executable rules for work queues and kube-proxy's latency metric."""
