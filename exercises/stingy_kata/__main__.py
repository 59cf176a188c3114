"""Entry point of the command ``stingy-kata``, also for ``python -m stingy_kata``."""

from stingy.process import interrupt


def main() -> None:
    """Run the command ``stingy-kata``, and exit with its status."""
    interrupt.listen()
    from stingy_kata.cli import main as command

    command()


if __name__ == "__main__":
    main()
