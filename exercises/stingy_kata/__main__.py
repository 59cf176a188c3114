"""The command ``stingy-kata``, as a process of its own."""

from stingy import interrupt


def main() -> None:
    """Do what the words of the command line say, and end the process."""
    interrupt.listen()
    from stingy_kata.cli import main as command

    command()


if __name__ == "__main__":
    main()
