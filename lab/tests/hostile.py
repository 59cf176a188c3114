"""The hostile candidates of ``hostile.toml``, written as modules; each has a class ``Queue``."""

import re
import tomllib
from pathlib import Path
from textwrap import indent

HOSTILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
IMPORTS = {
    "suppress": "from contextlib import suppress",
    "Path": "from pathlib import Path",
    "SharedMemory": "from multiprocessing.shared_memory import SharedMemory",
    **{
        name: f"import {name}"
        for name in (
            *("_thread", "atexit", "builtins", "ctypes", "locale", "multiprocessing", "os", "pytest"),
            *("resource", "select", "signal", "subprocess", "sys", "threading", "time", "types", "unittest"),
        )
    },
}
"""Import statement of each name that the code of a candidate may use."""


def write(folder, *names):
    """Write these candidates, or all, into a folder; return the folder.

    They are not imported here, because some of them end the process.
    """
    for name in names or HOSTILE:
        (folder / f"{name}.py").write_text(source(HOSTILE[name]))
    return folder


def source(told):
    """Return the source of the module of one candidate."""
    code = "\n".join(told.get(part, "") for part in ("imported", "made", "call", "body"))
    imports = [line for name, line in IMPORTS.items() if re.search(rf"\b{name}\b", code)]
    methods = [told.get("body", "pass")]
    if "made" in told:
        methods.append(f"def __init__(self):\n{indent(told['made'], '    ')}")
    if "call" in told:
        body = indent(f"{told['call'].strip()}\nreturn super().shutting_down()", "    ")
        methods.append(f"def shutting_down(self):\n{body}")
    lines = [
        *imports,
        "from stingy_reference import WorkQueue",
        told.get("import", ""),
        told.get("imported", ""),
    ]
    lines += ["class Queue(WorkQueue):", *(indent(method, "    ") for method in methods)]
    return "\n".join(lines) + "\n"
