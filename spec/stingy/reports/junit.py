"""JUnit XML, which every CI reads: a test for each rule, skipped with the reason if it was not judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO
from xml.etree import ElementTree as ET

from stingy.contract.testimony import in_a_line, in_lines
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding, Verdict
from stingy.reports import Report, Standard
from stingy.reports.verbose import failure


def write(outcome: Report, out: TextIO) -> None:
    suites = ET.Element("testsuites", name=in_a_line(f"stingy {outcome.suite}: {outcome.request.target}"))
    cases: dict[str, list[ET.Element]] = {}
    for verdict in outcome.verdicts:
        cases.setdefault(verdict.rule.partition("/")[0], []).append(_case(verdict, outcome))
    for id_ in outcome.unjudged:
        cases.setdefault(id_.partition("/")[0], []).append(_unjudged(id_, outcome))
    suites.extend(_suite(guarantee, those, outcome) for guarantee, those in cases.items())
    ET.indent(suites)
    out.write(ET.tostring(suites, encoding="unicode", xml_declaration=True))
    out.write("\n")


def _suite(guarantee: str, cases: Sequence[ET.Element], outcome: Report) -> ET.Element:
    suite = ET.Element(
        "testsuite",
        name=guarantee,
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors=str(sum(case.find("error") is not None for case in cases)),
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        time=f"{sum(float(case.get('time', 0)) for case in cases):.3f}",
        timestamp=outcome.began.isoformat(timespec="seconds"),
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        *(("candidate", outcome.name), ("version", outcome.version), ("seed", outcome.request.seed)),
        *((standard, outcome.held_against(standard).name) for standard in Standard),
    ):
        ET.SubElement(properties, "property", name=name, value=in_a_line(str(value)))
    suite.extend(cases)
    return suite


def _case(verdict: Verdict, outcome: Report) -> ET.Element:
    case = _testcase(verdict.id, outcome.took(verdict))
    if verdict.fails(strict=outcome.request.strict):
        _add_failure(case, "failure", verdict, all_rules()[verdict.rule].sentence)
    elif verdict.verdict is Finding.ERROR:
        _add_failure(case, "error", verdict, verdict.because.partition("\n")[0])
    elif verdict.verdict is Finding.FAIL:
        _add_skipped(case, f"broken, but only a SHOULD: {verdict.because}")
    elif verdict.verdict is not Finding.PASS:
        _add_skipped(case, f"{verdict.verdict}: {verdict.because}")
    return case


def _unjudged(id_: str, outcome: Report) -> ET.Element:
    case = _testcase(id_, 0)
    _add_skipped(case, outcome.why_unjudged)
    return case


def _testcase(id_: str, seconds: float) -> ET.Element:
    guarantee, _, name = in_a_line(id_).partition("/")
    return ET.Element("testcase", classname=f"stingy.{guarantee}", name=name, time=f"{seconds:.3f}")


def _add_skipped(case: ET.Element, why: str) -> None:
    ET.SubElement(case, "skipped", message=in_lines(why))


def _add_failure(case: ET.Element, kind: str, verdict: Verdict, message: str) -> None:
    """Add a failure or error to an XML test case, without characters that XML cannot represent."""
    ET.SubElement(case, kind, message=in_lines(message), type=verdict.level.value).text = failure(verdict)
