"""Finds what a TARGET in this process names: ``module:object``, a module, or an entry point."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import (
    Distribution,
    EntryPoint,
    PackageNotFoundError,
    distributions,
    entry_points,
    version,
)
from inspect import Parameter
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, Self, get_origin

from stingy.contract import PROFILES, Profile
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import NAME, describe, in_a_line
from stingy.engine import scarcity
from stingy.process.standing import is_reserved
from stingy.transport import TargetError

GROUP = "stingy.candidates"


def distribution_of(package: str) -> str:
    """Return the name of the first installed distribution with this top-level package; empty if none.

    The same as ``packages_distributions`` finds, which reads all files of all distributions. That
    takes longer than importing most candidates.
    """
    return next((found.metadata["Name"] for found in distributions() if _has(found, package)), "")


def _has(distribution: Distribution, package: str) -> bool:
    if declared := (distribution.read_text("top_level.txt") or "").split():
        return package in declared
    listed = distribution.read_text("RECORD")
    if listed is not None and package not in listed:
        return False
    return any(
        package in (file.parts[0], inspect.getmodulename(file.parts[0]))
        for file in distribution.files or ()
        if file.suffix == ".py"
    )


class Target:
    """The object under test: a maker of candidates, or a module with several makers.

    A maker is a class, or a function that returns a candidate.
    """

    def __init__(self, thing: Any, module: ModuleType, called: str) -> None:
        """Check that ``thing``, an object of ``module``, can be judged; else raise TargetError.

        ``called`` is the TARGET that names it, as in ``module:object``.
        """
        if not is_a(thing, ModuleType) and not callable(thing):
            raise TargetError(
                f"{called or thing!r} is a {type(thing).__name__}, not something to call: "
                "name a class or a function that makes the candidate"
            )
        self.thing, self.module = thing, module
        self._called = called
        self.distribution = self._claim("distribution")
        """Name of the installed package that it adapts, from its ``distribution``; or empty."""
        self.kubernetes = self._claim("kubernetes")
        """Kubernetes version whose behaviour it claims, from its ``kubernetes``; or empty."""
        self.name = in_a_line(self.distribution or called.rpartition(":")[2], NAME)

    @classmethod
    def named(cls, target: str) -> Self:
        """Import what a TARGET names. Raises TargetError if it cannot be imported."""
        entry = None if ":" in target else _entry_point(target)
        name, _, attribute = (entry.value if entry else target).partition(":")
        module = _import(name, target)
        thing = _attribute(module, attribute) if attribute else module
        return cls(thing, module, f"{name}:{attribute}" if attribute else name)

    def again(self) -> Target:
        """Import the target again by its name, and return it.

        It is a new object if its modules are executed anew.
        """
        module = importlib.import_module(self.module.__name__)
        path = self._called.partition(":")[2]
        return Target(_attribute(module, path) if path else module, module, self._called)

    @classmethod
    def of(cls, thing: object) -> Self:
        """Return the Target for an object that this process already has."""
        return cls(thing, _module_of(thing), name_of(thing))

    @cached_property
    def version(self) -> str:
        """Version of the package that the target is from, or adapts; empty if unknown."""
        with contextlib.suppress(PackageNotFoundError):
            if name := self.distribution or distribution_of(self.module.__name__.partition(".")[0]):
                return in_a_line(version(name), NAME)
        return in_a_line(str(getattr(self.module, "__version__", "")), NAME)

    def maker(self, profile: Profile) -> Callable[..., Any] | None:
        """Return the maker of candidates of this profile; None if there clearly is none."""
        found = [self.thing]
        if is_a(self.thing, ModuleType):
            found = [getattr(self.thing, name, None) for name in names(profile)]
        elif profile.named and not self._is_called(names(profile)):
            return None
        return next((each for each in found if callable(each) and _may_make(each, profile)), None)

    def beside(self, maker: Callable[..., Any], name: str) -> Any:
        """Return what the maker, its module or the target's module has as ``name``; None if none has."""
        places = (maker, sys.modules.get(getattr(maker, "__module__", "")), self.module)
        return next((found for place in places if (found := getattr(place, name, None)) is not None), None)

    def _claim(self, name: str) -> str:
        """Return the attribute ``name`` of the target or its module if that is a string; else empty."""
        claims = (getattr(place, name, None) for place in (self.thing, self.module))
        return next((claim for claim in claims if is_a(claim, str)), "")

    def _is_called(self, names: Iterable[str]) -> bool:
        """Return True if the target, or one of its base classes, has one of these names."""
        things = self.thing.__mro__ if is_a(self.thing, type) else (self.thing,)
        called = {getattr(thing, "__name__", "") for thing in things}
        return not called.isdisjoint(names) or self.name.rpartition(".")[2] in names


def name_of(thing: object) -> str:
    """Return the TARGET that names an object: ``module:object``, or the name of a module."""
    if is_a(thing, ModuleType):
        return thing.__name__
    called = getattr(thing, "__qualname__", type(thing).__name__)
    return f"{getattr(thing, '__module__', '?')}:{called}"


def _module_of(thing: object) -> ModuleType:
    """Return the module of an object; an empty module if it has none."""
    if is_a(thing, ModuleType):
        return thing
    name = getattr(thing, "__module__", "")
    return sys.modules.get(name) or ModuleType(name)


def names(profile: Profile) -> tuple[str, ...]:
    """Return the names under which a module may offer the maker for this profile.

    If the profile extends that of a work queue, the names for a work queue are accepted as well.
    """
    queue = PROFILES["queue"]
    also = (queue.maker, queue.protocol) if profile.ops > queue.ops else ()
    return profile.maker, profile.protocol, *also


def _may_make(found: Any, profile: Profile) -> bool:
    """Return False for a class whose instances clearly lack some method of the profile."""
    return not (is_a(found, type) and lacking_in(found, profile))


def lacking_in(kind: type, profile: Profile) -> list[str]:
    """Return the profile's methods that no instance of the class can have.

    Methods that ``__init__`` may set, or ``__getattr__`` may find, are left out.
    """
    finds = inspect.getattr_static(kind, "__getattribute__")
    if hasattr(kind, "__getattr__") or finds is not object.__getattribute__:
        return []
    code = getattr(inspect.getattr_static(kind, "__init__"), "__code__", None)
    return [name for name in missing(kind, profile) if code is None or name not in code.co_names]


def not_taken(maker: Callable[..., Any], profile: Profile) -> list[str]:
    """Return the arguments that the profile needs and the maker does not accept."""
    return sorted(name for name in profile.takes if not takes(maker, name))


def takes(maker: Callable[..., Any], name: str) -> bool:
    return name in _parameters(maker)


def requires(maker: Callable[..., Any], name: str) -> bool:
    """Return True if the maker of candidates cannot be called without this argument."""
    parameter = _parameters(maker).get(name)
    return parameter is not None and parameter.default is Parameter.empty


def missing(thing: Any, profile: Profile) -> list[str]:
    """Return the profile's methods that a class or an object lacks, by their Python names.

    A class does not lack a method that a property of it may return.
    """
    lacks = [method(op) for op in sorted(profile.ops) if not _callable(getattr(thing, method(op), None), op)]
    return [name for name in lacks if not _is_property(thing, name)] if is_a(thing, type) else lacks


def _is_property(kind: type, name: str) -> bool:
    """Return True if a property of the class, or another descriptor, finds this attribute of an instance."""
    there = inspect.getattr_static(kind, name, None)
    return not callable(there) and hasattr(type(there), "__get__")


def _callable(called: Any, op: str) -> bool:
    """Return True if an attribute can serve as the method of this op.

    ``len()`` is not awaited, so a coroutine function cannot be ``__len__``.
    """
    return callable(called) and not (op == "len" and inspect.iscoroutinefunction(called))


def lacking(who: str, ops: Sequence[str]) -> str:
    """Return a sentence on what is missing, as in ``it has no get, done and 3 others``.

    ``who`` is its subject; ``ops`` are the missing names, of which only a few are shown.
    """
    named = ops if len(ops) <= 3 else [*ops[:2], f"{len(ops) - 2} others"]
    return f"{who} has no {' and '.join([', '.join(named[:-1]), named[-1]] if named[1:] else named)}"


def method(op: str) -> str:
    return OPS[op].method or op


def construct(maker: Callable[..., Any], **offered: Any) -> Any:
    """Make a candidate: pass the maker those of the offered arguments that its signature names.

    ``clock`` is left out if its default in the signature is a function.
    """
    parameters = _parameters(maker)
    return maker(
        **{
            name: it
            for name, it in offered.items()
            if name in parameters and not _has_its_own(name, parameters)
        }
    )


def _has_its_own(name: str, parameters: Mapping[str, Parameter]) -> bool:
    """Return True for an argument ``clock`` whose default is a function, as ``time.monotonic`` is.

    The maker then calls its clock, but the clock that we offer is an object with methods. The
    functions of ``time`` show virtual time already, so the default can stay.
    """
    default = parameters[name].default if name in parameters else None
    return (
        name == "clock"
        and callable(default)
        and default is not Parameter.empty
        and not hasattr(default, "time_ns")
    )


@lru_cache(maxsize=64)
def _parameters(maker: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the maker's parameters that can be passed by name.

    An ``__init__`` with ``**kwargs`` may pass them on to the base class, so the parameters of its
    ``__init__`` count as well. ``**kwargs`` itself adds no name.
    """
    kind = get_origin(maker) or maker
    bases = kind.__mro__ if is_a(kind, type) else ()
    passed_on_to = [vars(base)["__init__"] for base in bases if "__init__" in vars(base)][1:]
    named: dict[str, Parameter] = {}
    for each in (kind, *passed_on_to):
        try:
            found = inspect.signature(each).parameters.values()
        except (TypeError, ValueError):
            return named
        named = {it.name: it for it in found if it.kind in _BY_NAME} | named
        if not any(it.kind is Parameter.VAR_KEYWORD for it in found):
            break
    return named


_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def _entry_point(target: str) -> EntryPoint | None:
    return next((entry for entry in entry_points(group=GROUP) if entry.name == target), None)


def _import(name: str, target: str) -> ModuleType:
    if not name:
        raise TargetError(f"{target!r} names no module: write MODULE:OBJECT, as in mypkg.queue:WorkQueue")
    if name.startswith(".") or "/" in name or "\\" in name or (name.endswith(".py") and Path(name).is_file()):
        raise TargetError(_no_module(name, target.partition(":")[2]))
    _refuse_hidden(name, target)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            package, _, last = name.rpartition(".")
            hint = (
                f"{package} has {last}: write {package}:{last}"
                if hasattr(sys.modules.get(package), last)
                else "install the package of the candidate, or run where it can be imported"
            )
            raise TargetError(f"there is no module {error.name!r} here: {hint}") from None
        raise TargetError(
            f"{name} cannot be imported: it needs {error.name!r}, which is not installed"
        ) from None
    except BaseException as error:
        if is_a(error, KeyboardInterrupt):
            raise
        raise TargetError(
            f"{name} cannot be imported: {scarcity.describe_want(error) or describe(error)}"
        ) from error


def _refuse_hidden(name: str, target: str) -> None:
    """Raise TargetError if Python imports another module in place of a file in this folder.

    It does so for names of the standard library, of the suite and of what the suite depends on.
    """
    top, here = name.partition(".")[0], Path.cwd()
    file = here / f"{top}.py"
    if not is_reserved(top) or not file.is_file() or _origin_of(top) == str(file):
        return
    whose = "of the standard library" if top in sys.stdlib_module_names else "that stingy needs"
    above = (
        f", or run this in {here.parent} and write {here.name}.{target}" if here.name.isidentifier() else ""
    )
    raise TargetError(f"{file.name} has the name of a module {whose}: rename it{above}")


def _origin_of(module: str) -> str | None:
    """Return the file from which Python imports a top-level module; None if it is not from a file."""
    with contextlib.suppress(ImportError, ValueError):
        found = importlib.util.find_spec(module)
        return found.origin if found else None
    return None


def _no_module(path: str, thing: str) -> str:
    """Return the error message for a path in place of a module: it says which name to write."""
    if not path.endswith(".py") and Path(path).is_file():
        return f"{path!r} is a file, but not a Python module: if it is a driver, write cmd:{path}"
    *folders, file = PurePath(path.replace("\\", "/")).parts or ("",)
    module, outside = file.removesuffix(".py"), not all(map(str.isidentifier, folders))
    named = ".".join([module] if outside else [*folders, module]) + (f":{thing}" if thing else "")
    where = f", and run this in {PurePath(*folders).as_posix()}" if outside else ""
    hint = (
        f"write {named}{where}"
        if module.isidentifier()
        else "write MODULE:OBJECT, as in mypkg.queue:WorkQueue"
    )
    return f"{path!r} is a path, but a module is imported by its name: {hint}"


def _attribute(module: ModuleType, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = difflib.get_close_matches(name, [it for it in dir(found) if not it.startswith("_")], 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise TargetError(f"{module.__name__} has no {path!r}{hint}") from None
    return found
