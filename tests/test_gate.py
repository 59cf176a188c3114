"""No test in tests/ reads the real clock, waits for it, or starts a process or a thread: such tests belong to lab/tests.

A module and its top-level functions run in real time. Classes, nested functions and lambdas are candidates and lanes,
which the engine runs in virtual time; so are the files in tests/candidates.
"""

import ast
from pathlib import Path

HERE = Path(__file__).parent
INSTEAD = "Assert scheduler points, turns or virtual time, or inject the clock (see tests/test_notice.py)."

ANYWHERE = {
    *("subprocess", "multiprocessing", "pty", "Popen", "runpytest_subprocess"),
    *("asyncio.run", "asyncio.Runner", "os.fork", "os.forkpty", "os.system", "os.popen", "os.kill"),
}
"""Processes and event loops: no candidate may use them either."""
IN_REAL_TIME = {"Thread", "Timer", "ThreadPoolExecutor", "start_new_thread"}
IN_REAL_TIME |= {f"time.{name}" for name in ("sleep", "time", "monotonic", "perf_counter", "thread_time")}
IN_REAL_TIME |= {f"time.{name}_ns" for name in ("time", "monotonic", "perf_counter", "thread_time")}


def offences(file):
    """Yield the line and the text of each offence in a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [it.name for it in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [ast.unparse(node), node.attr] if isinstance(node, ast.Attribute) else []
        yield from ((node.lineno, name) for name in ANYWHERE.intersection(names))
    for call in in_real_time(tree):
        name = ast.unparse(call.func)
        waits = [it for it in call.keywords if it.arg == "timeout"] or (call.args and name.endswith(".wait"))
        if waits or not IN_REAL_TIME.isdisjoint((name, name.rpartition(".")[2])):
            yield call.lineno, name


def in_real_time(block):
    """Yield the calls in a module or a function, but not those in nested functions, lambdas and candidates."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.Call):
            yield node
        own = isinstance(block, ast.Module) and isinstance(node, ast.FunctionDef)
        if own or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from in_real_time(node)


def test_no_test_needs_a_clock_a_process_or_a_thread():
    files = [file for file in sorted(HERE.rglob("*.py")) if file.parent.name != "candidates"]
    found = [f"{file.relative_to(HERE)}:{line}: {what}" for file in files for line, what in offences(file)]
    assert found == [], f"{len(found)} uses of real time, threads or processes. {INSTEAD}"
