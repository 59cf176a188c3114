"""Broken candidates that are a class of the reference with a few words of one method changed.

The TOML file beside a module has a table for each, under its name: what it ``says`` of itself, the rule that it
``breaks``, the method ``of`` a class that the module imports (``WorkQueue.get``, ``Measured.Metrics.taken``), and
what to ``find`` there and to ``replace`` it with: a part of a line, or whole lines without their common indentation.
Several changes of one method are lists.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import textwrap
import tomllib
from operator import attrgetter
from pathlib import Path

from stingy_broken import breaks as marked


def define(namespace):
    """Define in a module the classes that the TOML file beside it describes.

    Each is a subclass that overrides the changed method. Raises ValueError if a text to find is not there once.
    """
    file = Path(namespace["__file__"]).with_suffix(".toml")
    for name, row in tomllib.loads(file.read_text(encoding="utf-8")).items():
        _define(name, f"<{file.name}: {name}>", namespace, **row)


def _define(name, file, namespace, *, says, breaks, of, find, replace):
    owner, *inner, method = of.split(".")
    original = attrgetter(".".join([*inner, method]))(namespace[owner])
    text = _change(textwrap.dedent(inspect.getsource(original)), find, replace, f"{file} in {of}")
    for within in inner:
        text = _within(f"class {within}({owner}.{within}):", text)
    text = _within(f"class {name}({owner}):", text)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    code = compile("from __future__ import annotations\n" + text, file, "exec", dont_inherit=True)
    # As if the module had imported what the method mentions: the engine looks at the names of a module.
    known = vars(sys.modules[original.__module__])
    for mentioned in _names(code) & known.keys() - namespace.keys():
        namespace[mentioned] = known[mentioned]
    exec(code, namespace)  # noqa: S102 - the text is the reference's own
    made = namespace[name]
    made.__doc__ = says
    marked(breaks)(made)


def _change(text, find, replace, where):
    for old, new in zip(_listed(find), _listed(replace), strict=True):
        depths = [" " * depth for depth in range(0, 24, 4)] if old.endswith("\n") else [""]
        found = [indent for indent in depths if _lines(old, indent) in f"\n{text}"]
        times = sum(f"\n{text}".count(_lines(old, indent)) for indent in found)
        if times != 1:
            raise ValueError(f"{where}: {old!r} stands there {times} times, not once")
        text = f"\n{text}".replace(_lines(old, found[0]), _lines(new, found[0]))[1:]
    return text


def _lines(text, indent):
    """Return whole lines as they stand at this indentation, after the end of another; a part of a line as it is."""
    return "\n" + textwrap.indent(text, indent) if text.endswith("\n") else text


def _listed(texts):
    return [texts] if isinstance(texts, str) else texts


def _within(head, body):
    return f"{head}\n{textwrap.indent(body, '    ')}"


def _names(code):
    """Return the names that a piece of code mentions, those of its functions and classes too."""
    inner = (it for it in code.co_consts if inspect.iscode(it))
    return {*code.co_names, *(name for it in inner for name in _names(it))}
