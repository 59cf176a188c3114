"""Workflow commands of GitHub Actions: an annotation for each broken rule."""

from __future__ import annotations

from typing import TextIO

from stingy.contract.testimony import in_a_line, in_lines
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding, Verdict
from stingy.reports import Report


def write(outcome: Report, out: TextIO) -> None:
    out.writelines(f"{_command(verdict, outcome)}\n" for verdict in outcome.told)
    if outcome.cut_short:
        out.write(f"::notice title=stingy::{_escape(outcome.cut_short)}\n")


def _command(verdict: Verdict, outcome: Report) -> str:
    fatal = verdict.verdict is Finding.ERROR or verdict.fails(strict=outcome.request.strict)
    title = _escape(in_a_line(f"{verdict.level} {verdict.id}")).replace(":", "%3A").replace(",", "%2C")
    said = "\n".join((all_rules()[verdict.rule].sentence, *map(str, verdict.story), verdict.because))
    return f"::{'error' if fatal else 'warning'} title={title}::{_escape(in_lines(said))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
