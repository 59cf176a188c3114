"""A module may import modules of its own layer (floor) and of lower layers, never of higher ones."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

DESIGN = ROOT / "docs/design.md"
SECTION = DESIGN.read_text(encoding="utf-8").partition("\n## Floors\n")[2].partition("\n## ")[0]
FLOORS = [  # from the lowest to the highest
    re.findall(r"`([\w.]+)`", row.split("|")[1])
    for row in reversed(SECTION.splitlines())
    if row.startswith("| `")
]
OURS = ("stingy", "stingy_kata")
SPECIFICATION = "stingy.guarantees"  # imports no engine and no transport: it sees a stage
UNSHIPPED = ("stingy_sound", "stingy_broken", "lab")  # only the tests, the site and the lab import them
BESIDE = ("stingy_reference", *UNSHIPPED)


def floor_of(module):
    if module in OURS:
        return 0  # the package as a whole
    for n, names in enumerate(FLOORS):
        if any(module == name or module.startswith(name + ".") for name in names):
            return n
    return None


@cache
def imports(file):
    """Return the names of the modules that a file imports."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    whole = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return whole + [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


def modules(*tops):
    for top in tops:
        for file in sorted((ROOT / top).rglob("*.py")):
            yield ".".join(file.relative_to(ROOT / top).with_suffix("").parts).removesuffix(".__init__"), file


def is_ours(module):
    return module.partition(".")[0] in OURS


def looks_up(module, imported):
    """Return True if a module imports one from a higher floor.

    A module of ours without a floor may import nothing of ours, and may not be imported.
    """
    here, there = floor_of(module), floor_of(imported)
    return is_ours(imported) and (here is None or there is None or there > here)


def test_nobody_looks_up():
    """No module imports one from a higher floor; only the package ``stingy`` itself may."""
    for module, file in modules("spec", "exercises"):
        if module == "stingy":
            continue
        for imported in imports(file):
            assert not looks_up(module, imported), f"{module} imports {imported}"


def test_every_module_has_a_floor():
    assert [module for module, _ in modules("spec", "exercises") if floor_of(module) is None] == []


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("stingy.language.rule", "stingy.judging.trial"),
        ("stingy.nowhere", "stingy.contract"),
        ("stingy.judging.trial", "stingy.nowhere"),
        ("stingy.reports", "stingy.plugin"),
        ("stingy.cli", "stingy_kata.cli"),
    ],
)
def test_an_import_of_a_higher_floor_or_without_a_floor_is_found(module, imported):
    assert looks_up(module, imported)


def test_the_rules_know_neither_engine_nor_transport():
    for module, file in modules("spec"):
        if module.startswith(SPECIFICATION):
            for imported in imports(file):
                assert not imported.startswith(
                    ("stingy.engine", "stingy.transport", "threading", "time", "pytest")
                )


def test_the_specification_does_not_know_the_reference():
    for module, file in modules("spec"):
        assert not any(imported.startswith(BESIDE) for imported in imports(file)), module


def test_what_the_wheel_holds_knows_nothing_that_it_does_not_hold():
    for module, file in modules("spec", "exercises"):
        for imported in imports(file):
            assert imported.partition(".")[0] not in UNSHIPPED, f"{module} imports {imported}"


def test_the_reference_knows_the_standard_library_and_itself():
    """Only the reference's module for Prometheus imports another package, an optional one."""
    import sys

    for module, file in modules("reference"):
        for imported in imports(file):
            top = imported.partition(".")[0]
            known = {"stingy_reference"}
            known |= {"stingy_sound"} if module.startswith(("stingy_sound", "stingy_broken")) else set()
            known |= {"stingy_broken"} if module.startswith("stingy_broken") else set()
            known |= {"prometheus_client"} if module == "stingy_reference.prometheus" else set()
            assert top in known or top in sys.stdlib_module_names, f"{module} imports {imported}"
