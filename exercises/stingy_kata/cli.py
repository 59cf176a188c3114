"""The command ``stingy-kata``: hands out exercises, grades them, and gives hints."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stingy.cli.group import Group
from stingy.judging.verdict import Exit
from stingy_kata.building import Malformed
from stingy_kata.exercise import RUNGS, Exercise, exercises, find_exercise
from stingy_kata.workshop import DEFAULT, NoWorkshop, Workshop, find, make

if TYPE_CHECKING:
    from stingy_kata.grading import Grade
    from stingy_kata.schedule import Plan
    from stingy_kata.screen import Screen
    from stingy_kata.script import Script

# The judge takes long to import. So only the commands that need it do so, within their functions.


def _find_exercise(_context: click.Context, _parameter: click.Parameter, name: str | None) -> Exercise | None:
    names = [it.name for it in exercises()]
    if name is None or name in names:
        return find_exercise(name) if name else None
    near = difflib.get_close_matches(name, names, 1, 0.4)
    hint = f"did you mean {near[0]}?" if near else "stingy-kata list shows them"
    raise click.ClickException(f"there is no exercise {name!r}; {hint}")


def _find_plan(_context: click.Context, _parameter: click.Parameter, name: str | None) -> Plan | None:
    from stingy_kata.schedule import find_plan

    try:
        return find_plan(name) if name else None
    except ValueError as error:
        raise click.ClickException(str(error)) from None


_plan = partial(click.option, "--plan", metavar="PLAN", callback=_find_plan)
_one = click.argument("exercise", metavar="NAME", callback=_find_exercise)
_share = click.option(
    "--share",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write your status to DIR, for the class's board.",
)
_as = click.option("--as", "who", metavar="NAME", help="Your name on the board.  [default: your login name]")
_some = click.argument("exercise", metavar="[NAME]", required=False, callback=_find_exercise)


class _Kata(Group):
    """A group of commands that reports a malformed exercise as a usage error, not as a crash."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except Malformed as fault:
            raise click.ClickException(str(fault)) from None


@click.group(cls=_Kata, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-C", "place", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the workshop.")
@click.pass_context
def main(context: click.Context, place: Path | None) -> None:
    """Write a work queue, exercise by exercise, graded by the rules that judge real ones.

    Without a command: watch the current exercise, and grade it each time you save it. The workshop
    is found from the current folder. Without a NAME, a command is about the current exercise.
    """
    context.obj = place
    if context.invoked_subcommand is None:
        context.invoke(watch)


@main.command()
@click.argument("folder", metavar="[DIR]", default=DEFAULT, type=click.Path(path_type=Path))
@_plan(default=None, help="Only the exercises of this plan, in its order: a name, or a TOML file.")
def init(folder: Path, plan: Plan | None) -> None:
    """Make a workshop in DIR: a folder for each exercise. Work that is there already is kept."""
    try:
        workshop = make(folder, plan.exercises if plan else None)
    except OSError as error:
        raise click.ClickException(f"no workshop can be made in {folder}: {error.strerror}") from None
    screen = _screen()
    screen.say(
        f"{len(workshop.exercises)} exercises are in {folder}. You are at {workshop.shown_path(workshop.current)}"
    )
    screen.say("Read the README.md beside it, open the exercise in your editor, and start the watcher:")
    screen.command("stingy-kata" if folder == DEFAULT else f"stingy-kata -C {folder}")


@main.command()
@_share
@_as
@click.pass_obj
def watch(place: Path | None, share: Path | None, who: str | None) -> None:
    """Grade the current exercise each time you save it. Keys: n h l r x q.

    With --share, the class's board shows your progress: names of exercises and hints, none of your
    code.
    """
    workshop = _workshop(place)
    from stingy_kata.apart import Grader
    from stingy_kata.keys import keys
    from stingy_kata.watching import Watch

    follow = _share_now(workshop, who, share) if share is not None else lambda: None
    with Grader(again=True) as grader, keys() as typed:
        Watch(workshop, _screen(), grader, typed, follow).run()


def _share_now(workshop: Workshop, who: str | None, folder: Path) -> Callable[[], None]:
    """Write the learner's status to the shared folder, and return a function that updates it.

    The function writes only if the status has changed. ``who`` is the learner's name.
    """
    from stingy_kata.board import Sharer

    sharer = Sharer(workshop, who or _login(), folder)
    try:
        sharer.share()
    except OSError as error:
        raise _cannot_be_shared(folder, error) from None
    return sharer.share


def _cannot_be_shared(folder: Path, error: OSError) -> click.ClickException:
    return click.ClickException(f"nothing can be written to {folder}: {error.strerror}")


@main.command()
@_some
@click.pass_obj
def check(place: Path | None, exercise: Exercise | None) -> int:
    """Grade an exercise.

    Exit status: 0 all rules are kept, 1 a rule is broken, 2 undecided, 4 usage, 5 a fault of the
    suite.
    """
    workshop = _workshop(place)
    exercise = exercise or workshop.current
    attempt = _attempt(workshop, exercise)
    grade = _grade(exercise, attempt)
    from stingy_kata.feedback import feedback

    _screen().show(feedback(grade, attempt, workshop.shown_path(exercise)))
    if grade.kept:
        workshop.mark_solved(exercise)
    return grade.exit


@main.command("next")
@click.pass_obj
def next_(place: Path | None) -> None:
    """Go to the next exercise that is not done."""
    workshop = _workshop(place)
    if not workshop.is_solved(workshop.current):
        raise click.ClickException(
            f"{workshop.current.name} is not done yet: check it with\n  stingy-kata check\n"
            "or skip it with\n  stingy-kata go NAME"
        )
    following = workshop.following()
    if following is None:
        _screen().say("That was the last one: all are done.", "bold green")
        return
    _go(workshop, following)


@main.command()
@_one
@click.pass_obj
def go(place: Path | None, exercise: Exercise) -> None:
    """Go to an exercise, even if earlier ones are not done."""
    _go(_workshop(place), exercise)


@main.command()
@_some
@click.option("--rung", type=click.IntRange(1, len(RUNGS)), help="Open this rung instead of the next one.")
@click.pass_obj
def hint(place: Path | None, exercise: Exercise | None, rung: int | None) -> None:
    """Show the next hint. There are four: look, think, plan, code."""
    from stingy_kata import guiding

    workshop = _workshop(place)
    exercise = exercise or workshop.current
    rung = rung or workshop.next_rung(exercise)
    workshop.open_rung(exercise, rung)
    _screen().show(guiding.hint(exercise, rung))


@main.command("list")
@click.pass_obj
def list_(place: Path | None) -> None:
    """List the exercises, each with its state: to do, done, changed since done, or skipped."""
    from stingy_kata.guiding import list_exercises

    _screen().show(list_exercises(_workshop(place)))


@main.command()
@click.argument("exercise", metavar="[NAME]", required=False, callback=_find_exercise)
@click.option("--all", "everything", is_flag=True, help="Reset all exercises.")
@click.pass_obj
def reset(place: Path | None, exercise: Exercise | None, everything: bool) -> None:
    """Start an exercise again. Your file is kept beside the new one, with the suffix .bak."""
    if (exercise is None) != everything:
        raise click.ClickException("name the exercise to reset, or give --all")
    workshop = _workshop(place)
    for one in exercises() if exercise is None else (exercise,):
        kept = workshop.reset(one)
        if kept or exercise:
            _screen().say(
                f"{workshop.shown_path(one)} is reset"
                + (f"; your version is kept in {kept.name}" if kept else "")
            )


@main.command()
@_some
@click.option("--give-up", is_flag=True, help="Show the solution before your exercise is done.")
@click.pass_obj
def solution(place: Path | None, exercise: Exercise | None, give_up: bool) -> None:
    """Write our solution beside yours, once yours is done."""
    workshop = _workshop(place)
    exercise = exercise or workshop.current
    if not workshop.is_solved(exercise):
        if not give_up:
            raise click.ClickException(
                f"{exercise.name} is not done yet: open a hint with\n  stingy-kata hint {exercise.name}\n"
                f"or read the solution now with\n  stingy-kata solution {exercise.name} --give-up"
            )
        workshop.state.given_up.add(exercise.name)
        workshop.save()
    file = workshop.write_solution(exercise)
    screen = _screen()
    screen.say(f"Ours is in {file.name}, beside {workshop.shown_path(exercise)}")
    if give_up:
        screen.say(
            "The exercise is marked as given up, which is no shame. Read the solution, close it, and write your own."
        )


@main.command()
@_some
@click.pass_obj
def replay(place: Path | None, exercise: Exercise | None) -> int:
    """Replay the first failure step by step, with the queue's sets. Enter: next step, q: end."""
    workshop = _workshop(place)
    exercise = exercise or workshop.current
    broken = _grade(exercise, _attempt(workshop, exercise)).first_broken
    screen = _screen()
    if broken is None or not broken.story:
        screen.say("There is nothing to replay: no broken rule has a story.")
        return Exit.CONFORMS
    from stingy_kata.keys import keys
    from stingy_kata.replaying import steps, whole

    if not (screen.terminal and sys.stdin.isatty()):
        screen.say(broken.rule, "bold")
        screen.show(whole(broken))
        return Exit.DOES_NOT
    with keys() as typed:
        for shown in steps(broken):
            screen.clear()
            screen.say(broken.rule, "bold")
            screen.show(shown)
            screen.say("\nEnter for the next step, q to end", "dim")
            if _key(typed) == "q":
                break
    return Exit.DOES_NOT


@main.command()
@click.argument("rule", required=False)
@click.pass_obj
def explain(place: Path | None, rule: str | None) -> None:
    """Explain what a rule demands, why, and how it is checked.

    Without RULE: the first rule that the current exercise breaks.
    """
    from stingy.cli.explain import command as explained
    from stingy.guarantees import all_rules

    if rule is None:
        workshop = _workshop(place)
        broken = _grade(workshop.current, _attempt(workshop, workshop.current)).first_broken
        rule = broken.rule if broken and broken.rule in all_rules() else None
    if rule is None:
        raise click.ClickException(
            "no rule is broken: name the rule to explain, as in stingy/one-worker-at-a-time"
        )
    click.get_current_context().invoke(explained, rule_id=rule)


@main.command()
@_some
@click.option(
    "--to", "file", type=click.Path(path_type=Path), default=Path("stingy-kata.html"), metavar="FILE"
)
@click.pass_obj
def report(place: Path | None, exercise: Exercise | None, file: Path) -> None:
    """Write the verdicts on an exercise as an HTML page, with timelines to step through."""
    from importlib.metadata import version

    from stingy import reports
    from stingy.guarantees import all_rules
    from stingy.request import Request
    from stingy_kata import SEED

    workshop = _workshop(place)
    exercise = exercise or workshop.current
    grade = _grade(exercise, _attempt(workshop, exercise))
    verdicts = [verdict for verdict in grade.verdicts if verdict.rule in all_rules()]
    if not verdicts:
        raise click.ClickException(
            grade.unreadable
            or f"{exercise.name} has no report, as it is not judged by rules of stingy: run stingy-kata check"
        )
    outcome = reports.Report(
        version("stingy"),
        Request(workshop.shown_path(exercise), seed=SEED, strict=True),
        exercise.name,
        version="",
        kubernetes="",
        verdicts=verdicts,
    )
    try:
        reports.write(f"html={file}", outcome)
    except reports.ReportError as error:
        raise click.ClickException(str(error)) from None
    _screen().say(f"The report is in {file}")


@main.command("catch-up")
@_one
@click.pass_obj
def catch_up(place: Path | None, exercise: Exercise) -> None:
    """Go to an exercise, and skip those before it that are not done.

    Its file already contains the work of the earlier exercises.
    """
    workshop = _workshop(place)
    left = workshop.catch_up(exercise)
    _go(workshop, exercise)
    if left:
        _screen().say(f"Skipped: {', '.join(it.name for it in left)}. Your files there are unchanged.")


@main.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@_share
@_as
@click.pass_obj
def status(place: Path | None, as_json: bool, share: Path | None, who: str | None) -> None:
    """Show your progress. With --share, the class can see it, too.

    Only names of exercises and hints are shared, none of your code.
    """
    from stingy_kata import board

    workshop = _workshop(place)
    found = board.status(workshop, who or _login())
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
    else:
        _screen().say(f"{found.who} is at {found.at}; {len(found.done)} of {len(exercises())} are done")
    if share is not None:
        try:
            file = board.share(found, share)
        except OSError as error:
            raise _cannot_be_shared(share, error) from None
        _screen().say(f"written to {file}")


@main.command()
@click.argument("share", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--serve", is_flag=True, help="Serve the board as a web page that follows the class, until Ctrl-C."
)
@click.option(
    "--port", default=8000, show_default=True, metavar="PORT", help="Port for --serve; 0 chooses a free port."
)
@click.option(
    "--site",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --serve: serve the built site in DIR, too. Learners in its page can then be on the board.",
)
@click.option(
    "--host", metavar="ADDRESS", help="With --site: this machine's address in the network of the class."
)
def board(share: Path, serve: bool, port: int, site: Path | None, host: str | None) -> None:
    """Show the progress of a class.

    It is read from the files in SHARE that stingy-kata watch or status has written with --share, and
    that the workshop's page has sent.
    """
    from stingy_kata import board as boards

    if site and not serve:
        raise click.ClickException("--site needs --serve")
    if host is not None and not site:
        raise click.ClickException("--host needs --site: the board itself is shown on this machine only")
    if serve:
        _project(share, port, host, site)
        return
    found, unread = boards.read_shared(share)
    if not found:
        raise click.ClickException(
            f"there is no status in {share}: write one with\n  stingy-kata status --share {share}"
        )
    screen = _screen()
    screen.show(boards.board(found))
    for name in unread:
        screen.say(f"{name} cannot be read", "yellow")


def _project(share: Path, port: int, host: str | None, site: Path | None) -> None:
    """Serve the class's board as a web page on this machine, until Ctrl-C."""
    from stingy_kata.projection import HERE, SITE, WORKSHOP, Projection

    if site and not (site / WORKSHOP).is_file():
        raise click.ClickException(f"{site} has no {WORKSHOP}: name the folder of the built site")
    try:
        projection = Projection(share, port, HERE if host is None else host, site)
    except ValueError as error:
        raise click.ClickException(f"--host {host}: {error}") from None
    except (OSError, OverflowError) as error:
        raise click.ClickException(
            f"nothing can be served at {host or HERE}, port {port} ({error}): choose another port with --port"
            + (", or another address of this machine with --host" if host else "")
        ) from None
    screen = _screen()
    screen.say(f"The board is at {projection.address} until you press Ctrl-C.")
    if site and host is None:
        screen.say(
            f"The workshop is at {projection.address[:-1]}{SITE}/{WORKSHOP}?board, on this machine only."
        )
    elif site:
        screen.say("Learners open the same address on their machines: it leads them to the workshop.")
    with projection, suppress(KeyboardInterrupt):
        projection.serve_forever()


@main.command()
@click.option(
    "--start", type=click.DateTime(["%H:%M"]), default="09:30", show_default="09:30", metavar="HH:MM"
)
@_plan(default="half-day", show_default=True, help="ninety, half-day, full-day, kube-proxy, or a TOML file.")
def schedule(start: datetime, plan: Plan) -> None:
    """Print the timetable of a class, computed from the minutes of its exercises."""
    from stingy_kata.schedule import timetable

    screen = _screen()
    screen.say(plan.title, "bold")
    for slot in timetable(plan, start.time()):
        screen.say(f"{slot.begins:%H:%M}  {f'{slot.minutes} min' if slot.minutes else '':>7}  {slot.what}")


@main.command()
@click.pass_obj
def doctor(place: Path | None) -> int:
    """Check whether this machine is ready for the workshop."""
    from stingy_kata.doctor import examine

    screen, ill = _screen(), False
    for found in examine(place):
        ill |= not found.well
        screen.say(
            f"{'✓' if found.well else '✗'} {found.what:<10} {found.told}", "" if found.well else "bold red"
        )
    return Exit.DOES_NOT if ill else Exit.CONFORMS


@main.group()
def dev() -> None:
    """Commands for authors of exercises."""


@dev.command("check")
@_some
def dev_check(exercise: Exercise | None) -> int:
    """Check exercises: each start and each mistake fails as declared, and each solution passes."""
    from stingy.judging.rewriting import run_rewritten

    number = 0

    def look() -> None:
        nonlocal number
        for fault in _faults(exercise):
            number += 1
            screen.say(fault)

    screen = _screen()
    run_rewritten(look)
    looked = 1 if exercise else len(exercises())
    screen.say(f"{looked} checked, {number} fault{'' if number == 1 else 's'}", "bold")
    return Exit.DOES_NOT if number else Exit.CONFORMS


def _faults(exercise: Exercise | None) -> Iterator[str]:
    """Yield the faults in the folder of an exercise, or of all exercises for None, a sentence each.

    On a terminal, show the progress.
    """
    from stingy_kata.proof import faults

    chosen = (exercise,) if exercise else exercises()
    for n, one in enumerate(chosen, 1):
        _tell(f"{n} of {len(chosen)} · {one.name}")
        found = [f"{one.name}: {fault}" for fault in faults(one)]
        _tell("")
        yield from found


def _tell(progress: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{progress}", nl=False, err=True)


@dev.command()
@_one
@click.argument("name", metavar="[start|solution|wrong/…]", required=False)
def show(exercise: Exercise, name: str | None) -> None:
    """Print a script of an exercise as it is built. Without a name: list the scripts."""
    scripts = exercise.scripts
    if name is None:
        click.echo("\n".join(scripts))
    elif name in scripts:
        click.echo(scripts[name].data, nl=False)
    else:
        near = difflib.get_close_matches(name, scripts, 1, 0.4)
        hint = f"did you mean {near[0]}?" if near else f"stingy-kata dev show {exercise.name} lists them"
        raise click.ClickException(f"{exercise.name} has no {name!r}; {hint}")


@dev.command()
def golden() -> None:
    """Record again what check prints for each start, in the exercise's feedback.txt."""
    from stingy.judging.rewriting import run_rewritten
    from stingy_kata.proof import golden as kept
    from stingy_kata.proof import rewrite

    screen = _screen()
    changed: list[Exercise] = []
    run_rewritten(lambda: changed.extend(rewrite()))
    for one in changed:
        screen.say(f"{kept(one)} is rewritten")
    screen.say(f"{len(changed)} of {len(exercises())} have changed")


@dev.command()
@click.argument("name")
def new(name: str) -> None:
    """Create the folder of a new exercise, with templates to fill in."""
    from stingy_kata.template import Taken, write

    try:
        folder = write(name)
    except Taken as error:
        raise click.ClickException(str(error)) from None
    screen = _screen()
    screen.say(f"{folder} is created, as the last exercise. Fill it in, and run:")
    screen.command(f"stingy-kata dev golden && stingy-kata dev check {name}")


def _workshop(place: Path | None) -> Workshop:
    try:
        return find(place)
    except NoWorkshop as none:
        raise click.ClickException(str(none)) from None


def _attempt(workshop: Workshop, exercise: Exercise) -> Script:
    from stingy_kata.script import read

    try:
        return read(workshop.attempt(exercise))
    except OSError as error:
        raise click.ClickException(
            f"{workshop.shown_path(exercise)} cannot be read ({error.strerror}): restore it with\n"
            f"  stingy-kata reset {exercise.name}"
        ) from None


def _grade(exercise: Exercise, attempt: Script) -> Grade:
    from stingy_kata.apart import Grader
    from stingy_kata.feedback import mark_of

    with Grader() as grader:
        found = grader.grade(exercise, attempt, lambda so_far: _tell("".join(map(mark_of, so_far.verdicts))))
        _tell("")
        return found


def _go(workshop: Workshop, exercise: Exercise) -> None:
    workshop.go(exercise)
    card = exercise.card
    screen = _screen()
    screen.say(
        f"{exercise.number:02} {exercise.name} · {card.title} · {card.difficulty}, about {card.minutes} minutes",
        "bold",
    )
    screen.say(f"What to do is in README.md, beside {workshop.shown_path(exercise)}")


def _screen() -> Screen:
    from stingy_kata.screen import Screen

    return Screen()


def _key(typed: Any) -> str:
    while not (key := typed.read_key(within=60)):
        pass
    return str(key)


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return os.environ.get("USER", "somebody")
