"""The command ``stingy``, as a process of its own."""

import sys


def main() -> None:
    """Do what the words of the command line say, and end the process."""
    from stingy import interrupt

    interrupt.listen()
    from stingy.cli import main as command

    command()


if __name__ == "__main__":
    # With ``python -m`` that is the folder where the user stands: what is imported from there is a candidate.
    if not sys.flags.safe_path:
        del sys.path[0]
    main()
