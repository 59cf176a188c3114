"""A TARGET in this process: ``module:object``, a module of factories, or an installed entry point."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, packages_distributions, version
from inspect import Parameter
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, Self, get_origin

from stingy.contract import PROFILES, Profile
from stingy.engine import scarcity
from stingy.engine.using import changed
from stingy.ops import OPS
from stingy.testimony import NAME, describe, in_a_line
from stingy.transport import TargetError

GROUP = "stingy.candidates"


def distributions_by_package() -> Mapping[str, Sequence[str]]:
    """Return the installed distributions that have each top-level package; read anew once something was installed.

    To read them takes longer than to import most candidates, so a process that forks may do it before.
    """
    return _distributions_on(tuple((place, changed(place or ".")) for place in sys.path))


@lru_cache(maxsize=1)
def _distributions_on(path: tuple[tuple[str, int], ...]) -> Mapping[str, Sequence[str]]:  # noqa: ARG001
    """``path``: each folder, and when it was changed, as an installation does."""
    return packages_distributions()


class Target:
    """What is to be judged: a class, a function that makes one, or a module that has several."""

    def __init__(self, thing: Any, module: ModuleType, called: str) -> None:
        """``thing`` stands in ``module``, and is ``called`` so there."""
        if not isinstance(thing, ModuleType) and not callable(thing):
            raise TargetError(
                f"{called or thing!r} is a {type(thing).__name__}, not something to call: "
                "name a class or a function that makes the candidate"
            )
        self.thing, self.module = thing, module
        self._called = called
        self.distribution = self._claim("distribution")
        """The package that it adapts, where it says so."""
        self.kubernetes = self._claim("kubernetes")
        """Whose ways it claims to have."""
        self.name = in_a_line(self.distribution or called.rpartition(":")[2], NAME)

    @classmethod
    def named(cls, target: str) -> Self:
        """What a text names, imported."""
        entry = None if ":" in target else _entry_point(target)
        name, _, attribute = (entry.value if entry else target).partition(":")
        module = _import(name, target)
        thing = _attribute(module, attribute) if attribute else module
        return cls(thing, module, f"{name}:{attribute}" if attribute else name)

    def again(self) -> Target:
        """The same, imported once more by its name."""
        module = importlib.import_module(self.module.__name__)
        path = self._called.partition(":")[2]
        return Target(_attribute(module, path) if path else module, module, self._called)

    @classmethod
    def of(cls, thing: object) -> Self:
        """A thing that is here already."""
        return cls(thing, _module_of(thing), name_of(thing))

    @cached_property
    def version(self) -> str:
        """The version of the package it came from, or adapts; empty where that is not known."""
        top = self.module.__name__.partition(".")[0]
        with contextlib.suppress(PackageNotFoundError, LookupError):
            return in_a_line(version(self.distribution or distributions_by_package()[top][0]), NAME)
        return in_a_line(str(getattr(self.module, "__version__", "")), NAME)

    def maker(self, profile: Profile) -> Callable[..., Any] | None:
        """What makes a candidate of this profile; None where it is plain that nothing does."""
        found = [self.thing]
        if isinstance(self.thing, ModuleType):
            found = [getattr(self.thing, name, None) for name in names(profile)]
        elif profile.named and not self._is_called(names(profile)):
            return None
        return next((each for each in found if callable(each) and _may_make(each, profile)), None)

    def beside(self, maker: Callable[..., Any], name: str) -> Any:
        """What is called so in the class of the candidate, its module, or the module that was named."""
        places = (maker, sys.modules.get(getattr(maker, "__module__", "")), self.module)
        return next((found for place in places if (found := getattr(place, name, None)) is not None), None)

    def _claim(self, name: str) -> str:
        """A text of that name in what was named, or in its module."""
        claims = (getattr(place, name, None) for place in (self.thing, self.module))
        return next((claim for claim in claims if isinstance(claim, str)), "")

    def _is_called(self, names: Iterable[str]) -> bool:
        """Whether what was named is called so; a class is also called what those are that it is made from."""
        things = self.thing.__mro__ if isinstance(self.thing, type) else (self.thing,)
        called = {getattr(thing, "__name__", "") for thing in things}
        return not called.isdisjoint(names) or self.name.rpartition(".")[2] in names


def name_of(thing: object) -> str:
    """As a TARGET would name it: ``module:object``, or a module."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    called = getattr(thing, "__qualname__", type(thing).__name__)
    return f"{getattr(thing, '__module__', '?')}:{called}"


def _module_of(thing: object) -> ModuleType:
    """Where it stands; an empty module for what stands nowhere."""
    if isinstance(thing, ModuleType):
        return thing
    name = getattr(thing, "__module__", "")
    return sys.modules.get(name) or ModuleType(name)


def names(profile: Profile) -> tuple[str, ...]:
    """What a module may call that which makes a candidate of this profile; a work queue may offer it as well."""
    queue = PROFILES["queue"]
    also = (queue.maker, queue.protocol) if profile.ops > queue.ops else ()
    return profile.maker, profile.protocol, *also


def _may_make(found: Any, profile: Profile) -> bool:
    """Return False for a class whose objects plainly lack some method of the profile."""
    return not (isinstance(found, type) and lacking_in(found, profile))


def lacking_in(kind: type, profile: Profile) -> list[str]:
    """Return the methods that plainly no object of the class has.

    ``__init__`` may set what is not in the class, and ``__getattr__`` may find it.
    """
    finds = inspect.getattr_static(kind, "__getattribute__")
    if hasattr(kind, "__getattr__") or finds is not object.__getattribute__:
        return []
    code = getattr(inspect.getattr_static(kind, "__init__"), "__code__", None)
    return [name for name in missing(kind, profile) if code is None or name not in code.co_names]


def not_taken(maker: Callable[..., Any], profile: Profile) -> list[str]:
    """The arguments that it must be possible to make it with, and is not."""
    return sorted(name for name in profile.takes if not takes(maker, name))


def takes(maker: Callable[..., Any], name: str) -> bool:
    return name in _parameters(maker)


def requires(maker: Callable[..., Any], name: str) -> bool:
    """Return whether nothing can be made without this argument."""
    parameter = _parameters(maker).get(name)
    return parameter is not None and parameter.default is Parameter.empty


def missing(thing: Any, profile: Profile) -> list[str]:
    """The methods of the profile that a class or an object has not, by the names that they are to have."""
    return [method(op) for op in sorted(profile.ops) if not _callable(getattr(thing, method(op), None), op)]


def _callable(called: Any, op: str) -> bool:
    """``len()`` is not waited for, so a ``__len__`` that is a coroutine function is none."""
    return callable(called) and not (op == "len" and inspect.iscoroutinefunction(called))


def lacking(who: str, ops: Sequence[str]) -> str:
    """``it has no get, done and 3 others``, which is enough to see what is meant: ``ops`` in the words of who has none."""
    named = ops if len(ops) <= 3 else [*ops[:2], f"{len(ops) - 2} others"]
    return f"{who} has no {' and '.join([', '.join(named[:-1]), named[-1]] if named[1:] else named)}"


def method(op: str) -> str:
    return OPS[op].method or op


def construct(maker: Callable[..., Any], **offered: Any) -> Any:
    """Make a candidate with those of the arguments that it names."""
    parameters = _parameters(maker)
    return maker(
        **{
            name: it
            for name, it in offered.items()
            if name in parameters and not _has_its_own(name, parameters)
        }
    )


def _has_its_own(name: str, parameters: Mapping[str, Parameter]) -> bool:
    """Whether its clock is a function, ``time.monotonic`` unless said, as is usual in Python: ours is none, and that one is ours already."""
    default = parameters[name].default if name in parameters else None
    return (
        name == "clock"
        and callable(default)
        and default is not Parameter.empty
        and not hasattr(default, "time_ns")
    )


@lru_cache(maxsize=64)
def _parameters(maker: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return what can be passed by name. ``**`` offers nothing by itself: a class that has it may pass all on to the next one."""
    kind = get_origin(maker) or maker
    bases = kind.__mro__ if isinstance(kind, type) else ()
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
        if isinstance(error, KeyboardInterrupt):
            raise
        raise TargetError(
            f"{name} cannot be imported: {scarcity.describe_want(error) or describe(error)}"
        ) from error


def _refuse_hidden(name: str, target: str) -> None:
    """Refuse a module of the current folder that has the name of one of the standard library, which is what would be imported."""
    top, here = name.partition(".")[0], Path.cwd()
    if top in sys.stdlib_module_names and (here / f"{top}.py").is_file():
        above = (
            f", or stand in {here.parent} and write {here.name}.{target}" if here.name.isidentifier() else ""
        )
        raise TargetError(f"{top}.py has the name of a module of the standard library: rename it{above}")


def _no_module(path: str, thing: str) -> str:
    """How the module is to be named instead."""
    if not path.endswith(".py") and Path(path).is_file():
        return f"{path!r} is a file, and no module of Python: if it is a driver, write cmd:{path}"
    *folders, file = PurePath(path.replace("\\", "/")).parts or ("",)
    module, outside = file.removesuffix(".py"), not all(map(str.isidentifier, folders))
    named = ".".join([module] if outside else [*folders, module]) + (f":{thing}" if thing else "")
    where = f", standing in {PurePath(*folders).as_posix()}" if outside else ""
    hint = (
        f"write {named}{where}"
        if module.isidentifier()
        else "write MODULE:OBJECT, as in mypkg.queue:WorkQueue"
    )
    return f"{path!r} is a path, and a module is imported by its name: {hint}"


def _attribute(module: ModuleType, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = difflib.get_close_matches(name, [it for it in dir(found) if not it.startswith("_")], 3)
            hint = f"; there is {', '.join(near)}" if near else ""
            raise TargetError(f"{module.__name__} has no {path!r}{hint}") from None
    return found
