"""JUnit's XML, which every CI reads: failed is failed, and what was not judged is skipped, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TextIO
from xml.etree import ElementTree as ET

from stingy.guarantees import all_rules
from stingy.reports import Outcome
from stingy.reports.terminal import failure
from stingy.verdict import Finding, Verdict


def write(outcome: Outcome, out: TextIO) -> None:
    suites = ET.Element("testsuites", name=f"stingy {outcome.suite}: {outcome.target}")
    for guarantee, group in groupby(outcome.verdicts, key=lambda verdict: verdict.rule.partition("/")[0]):
        suites.append(_suite(guarantee, list(group), outcome))
    ET.indent(suites)
    out.write(ET.tostring(suites, encoding="unicode", xml_declaration=True))
    out.write("\n")


def _suite(guarantee: str, verdicts: Sequence[Verdict], outcome: Outcome) -> ET.Element:
    cases = [_case(verdict, outcome) for verdict in verdicts]
    suite = ET.Element(
        "testsuite",
        name=guarantee,
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors=str(sum(case.find("error") is not None for case in cases)),
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        time=f"{sum(outcome.took(verdict) for verdict in verdicts):.3f}",
        timestamp=outcome.began.isoformat(timespec="seconds"),
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("candidate", outcome.name), ("version", outcome.version), ("seed", outcome.seed)):
        ET.SubElement(properties, "property", name=name, value=str(value))
    suite.extend(cases)
    return suite


def _case(verdict: Verdict, outcome: Outcome) -> ET.Element:
    guarantee, _, name = verdict.id.partition("/")
    took = f"{outcome.took(verdict):.3f}"
    case = ET.Element("testcase", classname=f"stingy.{guarantee}", name=name, time=took)
    if verdict.fails(strict=outcome.strict):
        _told(case, "failure", verdict, all_rules()[verdict.rule].sentence)
    elif verdict.verdict is Finding.ERROR:
        _told(case, "error", verdict, verdict.because.partition("\n")[0])
    elif verdict.verdict is Finding.FAIL:
        ET.SubElement(case, "skipped", message=f"a SHOULD that is not kept: {verdict.because}")
    elif verdict.verdict is not Finding.PASS:
        ET.SubElement(case, "skipped", message=f"{verdict.verdict}: {verdict.because}")
    return case


def _told(case: ET.Element, kind: str, verdict: Verdict, message: str) -> None:
    ET.SubElement(case, kind, message=_printable(message), type=verdict.level.value).text = _printable(
        failure(verdict)
    )


def _printable(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(
        char if char in "\t\n" or (char.isprintable()) else "\N{REPLACEMENT CHARACTER}" for char in text
    )
