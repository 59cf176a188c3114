"""Files that a page loads to judge code: none is missing, and none is there for nothing."""

import ast
from fnmatch import fnmatchcase
from io import BytesIO
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

from pages import tryout

DOCS = Path(__file__).parents[2] / "docs"
PACKAGES = {
    DOCS.parent / "spec" / "stingy": (*tryout.ABSENT, *tryout.OF_A_DRIVER),
    DOCS.parent / "exercises" / "stingy_kata": tryout.OF_A_TERMINAL,
}


@pytest.mark.parametrize(("package", "absent"), PACKAGES.items(), ids=lambda it: getattr(it, "name", ""))
def test_each_pattern_of_what_is_left_out_matches_a_file(package, absent):
    names = [path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()]

    assert [it for it in absent if not any(fnmatchcase(name, it) for name in names)] == []


def test_no_packed_module_imports_one_that_is_left_out():
    packed = {}
    for pack in (tryout._pack_judge, tryout._pack_kata):
        with ZipFile(BytesIO(pack(DOCS))) as archive:
            packed |= {name: archive.read(name) for name in archive.namelist() if name.endswith(".py")}
    left_out = {
        module(name)
        for package in PACKAGES
        for path in package.rglob("*.py")
        if (name := path.relative_to(package.parent).as_posix()) not in packed
    }
    imported = {(name, it) for name, text in packed.items() for it in imports(ast.parse(text).body)}

    assert "stingy.judging.isolation" in left_out
    assert {(name, it) for name, it in imported if it in left_out} == set()


def module(name):
    """Return the name of the module in this file of a package."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(body):
    """Yield what these statements of a module import as they run: modules, and names in modules."""
    for it in body:
        match it:
            case ast.Import():
                yield from (alias.name for alias in it.names)
            case ast.ImportFrom():
                yield from (it.module, *(f"{it.module}.{alias.name}" for alias in it.names))
            case ast.Try():
                yield from imports(chain(it.body, it.orelse, it.finalbody))
            case ast.If() if ast.unparse(it.test) != "TYPE_CHECKING":
                yield from imports(chain(it.body, it.orelse))
