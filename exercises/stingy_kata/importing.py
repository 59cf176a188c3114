"""Import an attempt: anew each time, and under a module name that no other module has."""

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

from stingy.contract import Profile
from stingy.contract.testimony import describe
from stingy.engine.tracing import forget_tracers
from stingy.language.order import Attempt, Explored, Explorer
from stingy.language.session import CandidateError
from stingy.transport import TargetError
from stingy.transport.inprocess import InProcess
from stingy_kata import SEED
from stingy_kata.script import Script

MODULE = "stingy_kata_attempt"
"""Module name of every attempt; a learner's file name could be that of another module."""

ORDERS_OF_TASKS = 60
"""Maximum number of orders of a race of asyncio tasks.

Tasks switch only where they await, so a race has far fewer orders than one of threads.
"""


class Unreadable(Exception):  # noqa: N818 - the fault is the learner's
    """A learner's attempt cannot be imported or graded. The message says where and why."""


class Controlled(InProcess):
    """A candidate whose threads the engine always controls.

    It never falls back to real threads: a busy loop would then take minutes, and the verdict could
    differ from run to run.
    """

    def release_control(self) -> bool:
        return False

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        explore = super().explorer(profile, seed, order)

        def explore_tasks(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
            most = ORDERS_OF_TASKS if self._is_awaited(profile) and not small else runs
            return explore(attempt, min(runs, most), small=small)

        return explore_tasks


@contextmanager
def candidate(script: Script, made: type[Controlled] = Controlled) -> Iterator[Controlled]:
    """Import the script as a candidate, and remove it after the block.

    ``made`` is the class of the candidate. Raises Unreadable if the script cannot be imported.
    """
    with _make_importable(script):
        try:
            found = made(MODULE, SEED)
        except TargetError as error:
            # A TargetError's message names MODULE, which learners do not know; its cause does not.
            raise Unreadable(tell_where(error.__context__ or error, script)) from None
        except CandidateError as error:
            raise Unreadable(str(error).removeprefix(f"{MODULE} cannot be judged: ")) from None
        try:
            yield found
        finally:
            found.close()


@contextmanager
def module(script: Script, rewrite: ast.NodeTransformer | None = None) -> Iterator[ModuleType]:
    """Import the script as a module, and remove it after the block.

    ``rewrite``, if any, transforms the script's syntax tree first. Raises Unreadable if the import
    or the block raises an exception.
    """
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
    forget_tracers()  # they were made for the previous attempt, which had the same module name
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
    """Return a description of an error at import: the line of the script, and the exception."""
    if isinstance(error, SyntaxError) and error.lineno:
        line = f"\n\n    {error.text.strip()}" if error.text else ""
        return f"line {error.lineno}: Python cannot read this: {error.msg}{line}"
    return f"{line_of(error, script)}: importing it raises {describe(error)}"


def line_of(error: BaseException, script: Script) -> str:
    """Return the innermost line of the script in the traceback, such as ``line 12``.

    Returns the script's name if the traceback has no line of it.
    """
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
        # Do not use the bytecode cache: it confuses two versions saved in the same second.
        tree = ast.parse(self.get_data(self.path), self.path)
        if self._rewrite is not None:
            tree = ast.fix_missing_locations(self._rewrite.visit(tree))
        return compile(tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the attempt when the module ``MODULE`` is imported, before any other finder is asked."""

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
