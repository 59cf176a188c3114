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
from types import CodeType, ModuleType

from stingy.engine.tracing import forget_tracers
from stingy.testimony import describe
from stingy.transport import TargetError
from stingy.transport.inprocess import InProcess
from stingy_kata import SEED
from stingy_kata.script import Script

MODULE = "stingy_kata_attempt"
"""What an attempt is imported as, so that its name shadows no other module and is shadowed by none."""


class Unreadable(Exception):  # noqa: N818 - the fault is the learner's
    """Python cannot import the attempt; the message says where and why."""


class Controlled(InProcess):
    """Judged exactly or not at all: with real threads, a loop that spins would cost minutes, each time others."""

    def release_control(self) -> bool:
        return False


@contextmanager
def candidate(script: Script, made: type[Controlled] = Controlled) -> Iterator[Controlled]:
    """What the script holds, as a candidate; gone afterwards. Raises Unreadable."""
    with _make_importable(script):
        try:
            found = made(MODULE, SEED)
        except TargetError as error:
            # Its message is about a module that the learner never heard of; what was raised is not.
            raise Unreadable(tell_where(error.__context__ or error, script)) from None
        try:
            yield found
        finally:
            found.close()


@contextmanager
def module(script: Script, rewrite: ast.NodeTransformer | None = None) -> Iterator[ModuleType]:
    """The script as a module, perhaps rewritten on the way; gone afterwards. Raises Unreadable."""
    with _make_importable(script, rewrite):
        try:
            yield import_module(MODULE)
        except (Exception, SystemExit) as error:
            if isinstance(error, Unreadable):
                raise
            raise Unreadable(tell_where(error, script)) from None


@contextmanager
def _make_importable(script: Script, rewrite: ast.NodeTransformer | None = None) -> Iterator[None]:
    finder = _Finder(script, rewrite)
    sys.meta_path.insert(0, finder)
    before = sys.modules.pop(MODULE, None)
    forget_tracers()  # those of the texts that it had before
    linecache.cache[script.path] = len(script.data), None, script.text.splitlines(keepends=True), script.path
    try:
        yield
    finally:
        linecache.cache.pop(script.path, None)
        sys.meta_path.remove(finder)
        sys.modules.pop(MODULE, None)
        if before is not None:
            sys.modules[MODULE] = before


def tell_where(error: BaseException, script: Script) -> str:
    """Where in the script, and what."""
    if isinstance(error, SyntaxError) and error.lineno:
        line = f"\n\n    {error.text.strip()}" if error.text else ""
        return f"line {error.lineno}: Python cannot read this: {error.msg}{line}"
    return f"{line_of(error, script)}: importing it raises {describe(error)}"


def line_of(error: BaseException, script: Script) -> str:
    """The innermost line of the script that was under way: ``line 12``."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == script.path]
    return f"line {lines[-1]}" if lines else script.name


class _Loader(SourceFileLoader):
    def __init__(self, script: Script, rewrite: ast.NodeTransformer | None) -> None:
        super().__init__(MODULE, script.path)
        self._script = script
        self._rewrite = rewrite

    def get_data(self, path: str) -> bytes:  # noqa: ARG002 - there is no other
        return self._script.data

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as it is declared
        # Never from the bytecode cache: two versions saved in one second look alike to it.
        tree = ast.parse(self.get_data(self.path), self.path)
        if self._rewrite is not None:
            tree = ast.fix_missing_locations(self._rewrite.visit(tree))
        return compile(tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the attempt where it lies, whatever else goes by its name."""

    def __init__(self, script: Script, rewrite: ast.NodeTransformer | None) -> None:
        self._loader = _Loader(script, rewrite)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        return spec_from_file_location(MODULE, self._loader.path, loader=self._loader)
