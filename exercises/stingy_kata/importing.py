"""How an attempt is imported: from where it lies, afresh each time, under a name that is in nobody's way."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from stingy.engine.tracing import tracer
from stingy.testimony import described
from stingy.transport import TargetError
from stingy.transport.inprocess import InProcess
from stingy_kata import SEED

MODULE = "stingy_kata_attempt"
"""What an attempt is imported as, so that its name shadows no other module and is shadowed by none."""


class Unreadable(Exception):  # noqa: N818 - the fault is the learner's
    """Python cannot import the attempt; the message says where and why."""


class Controlled(InProcess):
    """Judged exactly or not at all: with real threads, a loop that spins would cost minutes, each time others."""

    def release_control(self) -> bool:
        return False


@contextmanager
def candidate(file: Path, made: type[Controlled] = Controlled) -> Iterator[Controlled]:
    """What the file holds, as a candidate; gone afterwards. Raises Unreadable."""
    with _found(file):
        try:
            found = made(MODULE, SEED)
        except TargetError as error:
            # Its message is about a module that the learner never heard of; what was raised is not.
            raise Unreadable(told(error.__context__ or error, file)) from None
        try:
            yield found
        finally:
            found.close()


@contextmanager
def module(file: Path, rewrite: ast.NodeTransformer | None = None) -> Iterator[ModuleType]:
    """The file as a module, perhaps rewritten on the way; gone afterwards. Raises Unreadable."""
    with _found(file, rewrite):
        try:
            yield import_module(MODULE)
        except (Exception, SystemExit) as error:
            if isinstance(error, Unreadable):
                raise
            raise Unreadable(told(error, file)) from None


@contextmanager
def _found(file: Path, rewrite: ast.NodeTransformer | None = None) -> Iterator[None]:
    file = file.resolve()  # Python gives a module its whole path, and the engine looks for code by that
    finder = _Finder(file, rewrite)
    sys.meta_path.insert(0, finder)
    before = sys.modules.pop(MODULE, None)
    # Both know a file by its name, and may have seen another text in it.
    tracer.cache_clear()
    linecache.checkcache(str(file))
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.modules.pop(MODULE, None)
        if before is not None:
            sys.modules[MODULE] = before


def told(error: BaseException, file: Path) -> str:
    """Where in the file, and what."""
    if isinstance(error, SyntaxError) and error.lineno:
        line = f"\n\n    {error.text.strip()}" if error.text else ""
        return f"line {error.lineno}: Python cannot read this: {error.msg}{line}"
    return f"{line_of(error, file)}: importing it raises {described(error)}"


def line_of(error: BaseException, file: Path) -> str:
    """The innermost line of the file that was under way: ``line 12``."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file.resolve())
    ]
    return f"line {lines[-1]}" if lines else file.name


class _Loader(SourceFileLoader):
    rewrite: ast.NodeTransformer | None = None

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as it is declared
        # Never from the bytecode cache: two versions saved in one second look alike to it.
        tree = ast.parse(self.get_data(self.path), self.path)
        if self.rewrite is not None:
            tree = ast.fix_missing_locations(self.rewrite.visit(tree))
        return compile(tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the attempt where it lies, whatever else goes by its name."""

    def __init__(self, file: Path, rewrite: ast.NodeTransformer | None) -> None:
        self._file = str(file)
        self._rewrite = rewrite

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        loader = _Loader(MODULE, self._file)
        loader.rewrite = self._rewrite
        return spec_from_file_location(MODULE, self._file, loader=loader)
