"""The command ``stingy-kata``: hands exercises out, and says how an attempt fares."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from stingy.verdict import Exit, Finding
from stingy_kata.exercise import Exercise, exercises

if TYPE_CHECKING:
    from stingy_kata.grading import Grade
    from stingy_kata.screen import Screen

# The judge is imported by the command that judges: the others answer at once.

FOLDER = Path("stingy-kata")
"""Where the learner's files are, unless another place is named."""


class _Command(click.Group):
    """A group whose usage errors are sentences, and exit with 4."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
            result = super().main(*args, **kwargs)
        except click.ClickException as error:
            error.show()
            sys.exit(Exit.USAGE)
        except click.exceptions.Abort:
            click.echo("interrupted", err=True)
            sys.exit(130)
        sys.exit(result if isinstance(result, int) else 0)


_folder = click.argument("folder", metavar="[DIR]", default=FOLDER, type=click.Path(path_type=Path))


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Mend a work queue, exercise by exercise, until it keeps the rules.

    Your files are in DIR, which is ./stingy-kata unless you say otherwise.
    """


@main.command("list")
@_folder
def list_(folder: Path) -> None:
    """Show the exercises in their order, and which you have started."""
    from stingy_kata.screen import Screen

    screen = Screen()
    screen.exercises((it, "started" if it.started(folder) else "not started") for it in exercises())
    ahead = [it for it in exercises() if not it.started(folder)]
    screen.say()
    if ahead:
        screen.say("Start with:" if len(ahead) == len(exercises()) else "Go on with:")
        screen.command(_line("start", ahead[0], folder))
    else:
        screen.say("See how the last one fares:")
        screen.command(_line("check", exercises()[-1], folder))


@main.command()
@click.argument("name")
@_folder
def start(name: str, folder: Path) -> None:
    """Put the exercise NAME into DIR, and say what there is to do."""
    from stingy_kata.screen import Screen

    exercise = _named(name)
    attempt = exercise.attempt(folder)
    _hand_out(exercise, folder)
    screen = Screen()
    screen.heading(exercise.title, str(attempt))
    screen.say(exercise.task)
    screen.say()
    screen.say("See how it fares as it is, then mend it and look again:")
    screen.command(_line("check", exercise, folder))


@main.command()
@click.argument("name", required=False)
@_folder
def check(name: str | None, folder: Path) -> int:
    """Judge your attempt at NAME, or at all you have started.

    Exit status: 0 all rules are kept, 1 they are not, 4 usage, 5 a fault of the suite.
    """
    from stingy_kata.grading import grade
    from stingy_kata.screen import Screen

    screen = Screen()
    grades = [grade(exercise, exercise.attempt(folder)) for exercise in _to_check(name, folder)]
    for found in grades:
        screen.grade(found)
    to_mend = next((found for found in grades if not found.kept), None)
    if to_mend is None:
        _say_where_to_go(grades[-1].exercise, folder, screen)
        return Exit.CONFORMS
    return _say_what_to_mend(to_mend, folder, screen)


def _say_what_to_mend(grade: Grade, folder: Path, screen: Screen) -> Exit:
    broken = grade.first_broken
    if broken:
        screen.broken(broken)
        if broken.fault:
            screen.say("This is a fault of stingy's and none of yours: please report the lines above.")
            return Exit.FAULT
    screen.say(f"Next: mend {grade.attempt} and look again:")
    screen.command(_line("check", grade.exercise, folder))
    if broken and broken.verdict is Finding.FAIL:
        screen.say("Why there is this rule, and how it is checked:")
        screen.command(f"stingy explain {broken.rule}")
    return Exit.DOES_NOT


def _say_where_to_go(exercise: Exercise, folder: Path, screen: Screen) -> None:
    screen.say("All rules are kept.", "bold green")
    later = exercises()[exercises().index(exercise) + 1 :]
    ahead = next((it for it in later if not it.started(folder)), None)
    if ahead:
        screen.say("Next:")
        screen.command(_line("start", ahead, folder))
    else:
        screen.say("Next: see how it fares by all the rules there are:")
        there = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
        screen.command(f"{there}stingy run {exercise.name}")


def _hand_out(exercise: Exercise, folder: Path) -> None:
    attempt = exercise.attempt(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with attempt.open("x", encoding="utf-8") as file:
            file.write(exercise.start)
    except FileExistsError:
        if folder.is_dir():
            raise click.ClickException(
                f"{attempt} is there already, and stays as it is: go on with\n"
                f"  {_line('check', exercise, folder)}\n"
                "or move it away to start anew"
            ) from None
        raise click.ClickException(f"{folder} is no folder: name another one") from None
    except OSError as error:
        raise click.ClickException(f"{attempt} cannot be written: {error.strerror}") from None


def _to_check(name: str | None, folder: Path) -> Sequence[Exercise]:
    wanted = [_named(name)] if name else exercises()
    started = [it for it in wanted if it.started(folder)]
    if started:
        return started
    raise click.ClickException(
        f"there is no {wanted[0].attempt(folder)} here: start it with\n"
        f"  {_line('start', wanted[0], folder)}\n"
        "or name the folder that it is in, behind the name of the exercise"
    )


def _named(name: str) -> Exercise:
    names = [it.name for it in exercises()]
    if name in names:
        return exercises()[names.index(name)]
    near = difflib.get_close_matches(name, names, 1, 0.4)
    hint = f"did you mean {near[0]}?" if near else "stingy-kata list shows them"
    raise click.ClickException(f"there is no exercise {name!r}; {hint}")


def _line(verb: str, exercise: Exercise, folder: Path) -> str:
    """What to type next."""
    return shlex.join(["stingy-kata", verb, exercise.name, *([] if folder == FOLDER else [str(folder)])])


if __name__ == "__main__":
    main()
