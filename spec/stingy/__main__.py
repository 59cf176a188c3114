"""Entry point of the command ``stingy``."""

import sys


def main() -> None:
    """Run the ``stingy`` command with the arguments of this process, and exit."""
    from stingy.process import interrupt

    interrupt.listen()
    from stingy.cli import main as command

    command()


if __name__ == "__main__":
    # ``python -m`` puts the current folder first: the suite's own imports must not come from it.
    if not sys.flags.safe_path:
        del sys.path[0]
    main()
