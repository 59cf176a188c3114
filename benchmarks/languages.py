"""The queues that ``stingy init`` writes, each judged by every rule through its driver, beside the one in Python, which has none.

``python languages.py go node`` builds those of some languages; without, all of them.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from stingy.starters import LANGUAGES, write

Verdicts = Mapping[tuple[str, str], str]


@click.command()
@click.argument("languages", nargs=-1, type=click.Choice(sorted(LANGUAGES)))
def main(languages: tuple[str, ...]) -> None:
    """Tell how many verdicts differ from those of the queue in Python."""
    here = _verdicts("python")
    for language in languages or [name for name in LANGUAGES if name != "python"]:
        there = _verdicts(language)
        differ = [f"{rule}[{case}]" for rule, case in there if there[rule, case] != here.get((rule, case))]
        click.echo(f"| {LANGUAGES[language].title} | {len(there)} | {len(differ)} |")
        click.echo("".join(f"{row}\n" for row in differ), nl=False, err=True)


def _verdicts(language: str) -> Verdicts:
    """Those of what is offered."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "mine"
        write(folder, language)
        for command in LANGUAGES[language].build:
            subprocess.run(shlex.split(command), cwd=folder, check=True, stdout=sys.stderr)
        run = [sys.executable, "-m", "stingy", "run", LANGUAGES[language].target, "--seed", "1", "--report"]
        subprocess.run([*run, "json=out.json"], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        rows = json.loads((folder / "out.json").read_text())["results"]
    return {(row["rule"], row["case"]): row["verdict"] for row in rows if row["verdict"] != "NOT-OFFERED"}


if __name__ == "__main__":
    main()
