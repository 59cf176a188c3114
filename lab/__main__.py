"""Commands for maintainers, in a checkout of stingy."""

from __future__ import annotations

from lab import derived, kills, matrix, museum
from stingy.cli.group import Group
from stingy.process import interrupt

main = Group(
    commands=[kills.command, matrix.command, museum.command, derived.command],
    help=__doc__,
    context_settings={"help_option_names": ["-h", "--help"]},
)

if __name__ == "__main__":
    interrupt.listen()
    main(prog_name="python -m lab")
