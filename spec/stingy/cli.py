"""The command ``stingy``: words in, pytest run, reports and one exit code out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from stingy.baseline import Baseline, BaselineError, complaints, load
from stingy.baseline import write as write_baseline
from stingy.contract import PROFILES
from stingy.doctor import PATIENCE, examine, told
from stingy.isolation import CANNOT_FORK, Limits, reach
from stingy.kubernetes import WaysError, ways
from stingy.language.session import CandidateError
from stingy.reports import FORMATS, Outcome, ReportError, wanted, write
from stingy.starters import LANGUAGES
from stingy.transport import DEFAULT_TARGET, TargetError
from stingy.verdict import Exit, Finding, Verdict

if TYPE_CHECKING:
    from stingy.implementations import Implementation
    from stingy.language.rule import Rule

# The rules are imported where they are needed, and for a run by pytest: it rewrites their asserts, so
# that a report can say what was found instead of what was expected. pytest itself takes longer to import
# than all the rest, which --help has no use for.

ISOLATED = None if CANNOT_FORK else Limits()


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


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stingy", prog_name="stingy")
def main() -> None:
    """Is your queue stingy? Executable rules for work queues and kube-proxy's latency metric."""


@main.command()
@click.argument("target", default=DEFAULT_TARGET)
@click.option(
    "--profile", "profiles", multiple=True, type=click.Choice(list(PROFILES)), help="Only this profile."
)
@click.option("--rule", "globs", multiple=True, metavar="GLOB", help="Only rules like this, as in 'fair/*'.")
@click.option("--strict", is_flag=True, help="A broken SHOULD fails the candidate, too.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Names, times and orders as in that run.")
@click.option(
    "--kubernetes",
    metavar="VERSION",
    callback=lambda _context, _parameter, claimed: _known(claimed or ""),
    help="Judge kube-proxies as of this version, as in 1.30 or 1.33,removal=keep, instead of what they claim.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Run races for so many seconds in all, instead of in a fixed number of orders each.",
)
@click.option("-n", "workers", type=click.IntRange(0), default=0, metavar="WORKERS", help="Processes to use.")
@click.option(
    "--isolate/--no-isolate",
    default=hasattr(os, "fork"),
    help="Judge a candidate in Python in a process of its own, which it may end or spoil; as is done where it can be.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    metavar="S",
    help="Seconds that one rule may take in that process, 300 unless said.",
)
@click.option(
    "--memory",
    type=click.IntRange(64),
    default=4096,
    metavar="MB",
    help="Address space that it may use, 4096 unless said.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Failures that are known, as written by: stingy baseline write.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help=f"{', '.join(FORMATS)}; terminal if none is asked for; may be repeated.",
)
def run(
    target: str,
    profiles: tuple[str, ...],
    globs: tuple[str, ...],
    strict: bool,
    seed: int | None,
    kubernetes: str,
    budget: float | None,
    workers: int,
    isolate: bool,
    limit: float,
    memory: int,
    baseline: Path | None,
    reports: tuple[str, ...],
) -> int:
    """Judge TARGET: module:object, a module, an entry point, "cmd:COMMAND LINE" of a driver, attach:HOST:PORT.

    Without TARGET the embedded reference is judged. Exit status: 0 conforms, 1 does not, 2 undecided,
    3 the candidate or its driver fell over, 4 usage, 5 a fault of the suite.
    """
    options = [
        *([f"--stingy-kubernetes={kubernetes}"] if kubernetes else []),
        *(f"--stingy-profile={profile}" for profile in profiles),
        *(f"--stingy-rule={glob}" for glob in globs),
        *(["--stingy-strict"] if strict else []),
        *([f"--stingy-budget={budget}"] if budget else []),
        *(["-n", str(workers)] if workers else []),
        *([f"--stingy-baseline={baseline}"] if baseline else []),
    ]
    known = None if baseline is None else _loaded(baseline)
    outcome = _outcome(
        target,
        seed,
        options,
        reports,
        strict=strict,
        globs=globs,
        limits=Limits(limit, memory) if isolate else None,
    )
    if known is not None:
        whole = outcome.complete and not profiles and not globs
        found = complaints(known, outcome.verdicts, date.today(), whole=whole)  # noqa: DTZ011
        outcome = replace(outcome, complaints=found)
    return _reported(outcome, reports)


@main.command()
@click.argument("target")
@click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=PATIENCE,
    show_default=True,
    metavar="S",
    help="Seconds that an answer may take.",
)
def doctor(target: str, patience: float) -> int:
    """Look whether TARGET can be judged at all, before any rule.

    Of a driver, whether it keeps to the protocol; of a candidate in this process, what it offers and what
    escapes control. Exit status: 0 all is well, 3 something is wrong, 4 usage.
    """
    _stand_here()
    try:
        examination = examine(target, patience)
    except TargetError as error:
        raise click.ClickException(str(error)) from None
    for line in told(examination):
        click.echo(line)
    return Exit.CANDIDATE_ERROR if examination.ill else Exit.CONFORMS


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--language", type=click.Choice(list(LANGUAGES)), default="python", show_default=True)
def init(folder: Path, language: str) -> int:
    """Write into DIR what it takes to have a queue of yours judged, in this language.

    It runs as it stands, around a small right queue; the few calls to put yours in its place are marked.
    """
    from stingy.starters import StarterError
    from stingy.starters import write as start

    try:
        commands = start(folder, language)
    except StarterError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{folder} is written; it runs as it stands:\n")
    for command in commands:
        click.echo(f"    {command}")
    click.echo(f"\nThen put your queue into {LANGUAGES[language].calls.strip('`')}.")
    return Exit.CONFORMS


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--record", is_flag=True, help="Put what is found into the place of what is recorded.")
@click.option("--table", is_flag=True, help="Judge nobody: only write the table of what is recorded.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("candidates"),
    show_default=True,
    help="The folder of the implementations.",
)
def matrix(names: tuple[str, ...], record: bool, table: bool, root: Path) -> int:
    """Build and judge the real implementations again, or those named, and say what is not as it was recorded.

    What this machine lacks the toolchain for is left out, and said. Exit status: 0 all is as recorded,
    1 something differs, 2 nobody could be judged, 3 something could not be built or judged, 4 usage.
    """
    from stingy.implementations import CardError, implementations
    from stingy.reports.matrix import markdown

    try:
        everybody = implementations(root)
    except CardError as error:
        raise click.ClickException(str(error)) from None
    if unknown := set(names) - {it.name for it in everybody}:
        there = ", ".join(it.name for it in everybody)
        raise click.ClickException(f"there is no {', '.join(sorted(unknown))} in {root}; there is {there}")
    asked = [it for it in everybody if it.name in names] if names else everybody
    status = Exit.CONFORMS if table else _held_against_the_record(asked, record=record)
    if record or table:
        page = root / "README.md"
        page.write_text(markdown(everybody), encoding="utf-8")
        click.echo(f"{page} is written")
    return status


def _held_against_the_record(asked: Sequence[Implementation], *, record: bool) -> Exit:
    from tempfile import TemporaryDirectory

    from stingy.matrix import MatrixError, differences, judged
    from stingy.matrix import record as put_down
    from stingy.reports.json import read

    ends: set[Exit] = set()
    for it in asked:
        if it.card.missing:
            click.echo(f"{it.name}: left out, for it needs {' and '.join(it.card.missing)}")
            continue
        click.echo(f"{it.name}: built and judged …", err=True)
        with TemporaryDirectory() as folder:
            try:
                path = judged(it, Path(folder))
            except MatrixError as error:
                click.echo(f"{error}")
                ends.add(Exit.CANDIDATE_ERROR)
                continue
            found = read(path)
            differ = list(differences(read(it.result), found)) if it.result.exists() else ["never recorded"]
            if record:
                put_down(it, path)
        offered = sum(row.verdict is not Finding.NOT_OFFERED for row in found.results)
        click.echo(
            f"{it.name} {found.candidate.version}: "
            + ("differs" if differ else f"as recorded, {offered} verdicts")
        )
        for difference in differ:
            click.echo(f"  {difference}")
        ends.add(Exit.DOES_NOT if differ and not record else Exit.CONFORMS)
    return max(ends, default=Exit.INCONCLUSIVE)


@main.group()
def baseline() -> None:
    """Failures that are known, and accepted for a while."""


@baseline.command("write")
@click.argument("target", default=DEFAULT_TARGET)
@click.option(
    "--to", "path", type=click.Path(path_type=Path), default=Path("stingy-baseline.json"), metavar="FILE"
)
@click.option("--reason", required=True, help="Why what is broken now is left as it is.")
@click.option("--issue", default="", metavar="URL", help="Where that is talked about.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Until when.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Names, times and orders as in that run.")
def baseline_write(
    target: str, path: Path, reason: str, issue: str, expires: datetime | None, seed: int | None
) -> int:
    """Judge TARGET, and write down what is broken.

    What is listed in FILE already keeps its reason; what is no longer broken is taken off.
    """
    until = expires.date() if expires else None
    if path.exists():
        _loaded(path)
    outcome = _outcome(target, seed, [], strict=True)
    if not outcome.complete:
        raise click.ClickException("the run was cut short, and nothing is written")
    number = write_baseline(path, outcome.verdicts, reason=reason, issue=issue, expires=until)
    click.echo(f"{path} lists {number} known failure{'s' if number != 1 else ''}")
    return Exit.CONFORMS


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("target", required=False)
@click.option(
    "--export",
    "language",
    type=click.Choice(["pytest", "go", "java"]),
    help="Write tests to standard output instead, which need no stingy.",
)
def replay(file: Path, target: str | None, language: str | None) -> int:
    """Break again what a JSON report in FILE says is broken, each race in the order that broke it.

    For the candidate of the report, or for TARGET. Exit status as of run.
    """
    from stingy.reports.json import broken

    try:
        report = broken(file)
    except ReportError as error:
        raise click.ClickException(str(error)) from None
    if not report.orders:
        click.echo(f"{file} says that nothing is broken")
        return Exit.CONFORMS
    if language:
        return _exported(report.verdicts, language, target or report.target)
    options = [f"--stingy-replay={file}", f"--stingy-kubernetes={report.kubernetes}"]
    return _reported(_outcome(target or report.target, report.seed, options, strict=True), ())


def _exported(verdicts: Sequence[Verdict], language: str, target: str) -> int:
    from stingy.reports.native import NotNative, Told, as_test, written

    tests: list[Told] = []
    for verdict in verdicts:
        try:
            tests.append(as_test(verdict))
        except NotNative as why:
            click.echo(f"left out: {verdict.id}: {why}", err=True)
    if not tests:
        raise click.ClickException("there is nothing in this report that an ordinary test could tell")
    click.echo(written(tests, language, target), nl=False)
    return Exit.CONFORMS


@main.command()
@click.argument("glob", default="*")
@click.option("--json", "as_json", is_flag=True, help="Everything there is to say about each, for programs.")
def rules(glob: str, as_json: bool) -> None:
    """List the rules, or those like GLOB."""
    found = _like([glob])
    if as_json:
        import msgspec

        described = [_described(rule) for rule in found]
        click.echo(msgspec.json.format(msgspec.json.encode(described), indent=1).decode())
        return
    width = max(len(rule.id) for rule in found)
    for rule in found:
        click.echo(f"{rule.level:<9}  {rule.profile.name:<7}  {rule.id:<{width}}  {rule.sentence}")


@main.command()
@click.argument("rule_id", metavar="RULE")
def explain(rule_id: str) -> None:
    """Say what a rule demands, why, where upstream says so, and how it is checked."""
    import inspect

    from stingy.kubernetes import when
    from stingy.recorded import outcomes

    (rule, *others) = _like([rule_id])
    if others:
        raise click.ClickException(f"{rule_id} fits {1 + len(others)} rules: say which, as in {rule.id}")
    click.echo(f"{rule.id}\n{rule.level}, profile {rule.profile.name}\n\n{rule.sentence}\n")
    if rule.reason:
        click.echo(f"{rule.reason}\n")
    for way, value in rule.where.items():
        click.echo(f"  only {when(way, value)}")
    for outcome in rule.contested:
        click.echo(f"  accepted: {outcome}")
    for who, seen in outcomes(rule.id).items():
        click.echo(f"  {who}: {seen}")
    for row in rule.each:
        click.echo("  " + ", ".join(f"{column}: {value}" for column, value in row.cells().items()))
    for name, values in rule.for_all.items():
        click.echo(f"  for every {name}: {values.words}")
    for source in rule.cites:
        click.echo(
            f"\nupstream: {source}\n  {source.url}" + (f'\n  "{source.quote}"' if source.quote else "")
        )
    click.echo(f"\n{inspect.getsource(rule.check)}")


def _outcome(
    target: str,
    seed: int | None,
    options: Sequence[str],
    reports: Sequence[str] = (),
    *,
    strict: bool,
    globs: Sequence[str] = ("*",),
    limits: Limits | None = ISOLATED,
) -> Outcome:
    """Judge the target, once it is sure that these reports can be written."""
    from importlib.metadata import version

    from stingy.plugin import new_seed
    from stingy.run import judged

    _look_at(reports)
    seed = new_seed() if seed is None else seed
    _stand_here()
    try:
        candidate = reach(target, seed, limits)
    except TargetError as error:
        raise click.ClickException(str(error)) from None
    except CandidateError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(Exit.CANDIDATE_ERROR)
    began = datetime.now(UTC)
    if limits is not None:
        options = [
            *options,
            "--stingy-isolate",
            f"--stingy-limit={limits.seconds}",
            f"--stingy-memory={limits.megabytes}",
        ]
    verdicts, complete, seconds = judged(candidate, seed, options)
    if not verdicts and complete:
        _like(globs)
        raise click.ClickException(f"no rule like {', '.join(globs)} belongs to those profiles")
    suite = version("stingy")
    return Outcome(
        suite,
        target,
        candidate.name,
        candidate.version,
        candidate.kubernetes,
        seed,
        strict,
        verdicts,
        complete,
        began,
        seconds=seconds,
    )


def _reported(outcome: Outcome, reports: Sequence[str]) -> int:
    """Write the reports, and say how it ended."""
    for report in reports or ("terminal",):
        try:
            write(report, outcome)
        except ReportError as error:
            raise click.ClickException(str(error)) from None
    return outcome.exit if outcome.complete else max(outcome.exit, Exit.CANDIDATE_ERROR)


def _loaded(path: Path) -> Baseline:
    try:
        return load(path)
    except BaselineError as error:
        raise click.ClickException(str(error)) from None


def _stand_here() -> None:
    """Let the candidate be imported from where the user stands."""
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - sys.path takes strings


def _known(kubernetes: str) -> str:
    try:
        ways(kubernetes)
    except WaysError as error:
        raise click.BadParameter(str(error)) from None
    return kubernetes


def _look_at(reports: Iterable[str]) -> None:
    """Refuse what cannot be written before anything is done."""
    for report in reports:
        try:
            _, path = wanted(report)
        except ReportError as error:
            raise click.ClickException(str(error)) from None
        if path is not None and not path.parent.is_dir():
            raise click.ClickException(
                f"the report cannot be written to {path}: there is no folder {path.parent}"
            )


def _like(globs: Iterable[str]) -> list[Rule]:
    from stingy.guarantees import all_rules

    found: dict[str, Rule] = {}
    for glob in globs:
        fitting = {id_: rule for id_, rule in all_rules().items() if fnmatchcase(id_, glob)}
        if not fitting:
            import difflib

            near = difflib.get_close_matches(glob, list(all_rules()), 1, 0.4)
            hint = f"; did you mean {near[0]}?" if near else "; stingy rules lists them"
            raise click.ClickException(f"there is no rule {glob!r}{hint}")
        found |= fitting
    return list(found.values())


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "guarantee": rule.guarantee,
        "profile": rule.profile.name,
        "level": rule.level,
        "sentence": rule.sentence,
        "reason": rule.reason,
        "cases": [row.name for row in rule.each],
        "for_all": {name: values.words for name, values in rule.for_all.items()},
        "after": list(rule.after),
        "hints": list(rule.hints),
        "accepted": list(rule.contested),
        "where": dict(rule.where),
        "source": [{"symbol": str(it), "url": it.url, "quote": it.quote} for it in rule.cites],
    }
