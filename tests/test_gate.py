"""Lint of tests/: no test waits for a real clock, starts a process, or leaves threads to the machine.

tests/ is the gate. It gives the same answer on a busy machine as on an idle one, so "at once" is asserted in scheduler
points, turns or virtual time, and whatever needs real time is in lab/tests.

The lint tells real time from virtual time by where a call stands:

- *The test's own code* runs in real time: the module, each of its functions, fixtures and helpers included, and Test classes.
  So does a nested function that the own code calls by its name, or that a fixture yields or returns.
- *Candidates and lanes* run under the engine, in virtual time: other classes, other nested functions and lambdas, and coroutines,
  because nothing else in the gate runs an event loop (``asyncio.run`` is an offence). So do the files in tests/candidates.

In own code clocks, waits with a time-out and real threads are offences; a process or an event loop of one's own is one anywhere.
"""

import ast
from pathlib import Path

HERE = Path(__file__).parent
CANDIDATES = HERE / "candidates"
INSTEAD = (
    "Assert scheduler points, turns or virtual time, or inject the clock (see tests/test_notice.py); "
    "a test that needs real time, threads or processes belongs to lab/tests."
)

CLOCKS = {"sleep", "time", "monotonic", "perf_counter", "process_time", "thread_time"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS - {"sleep"}}
PROCESSES = {"subprocess", "multiprocessing", "pty"}
STARTS = {
    *("subprocess.run", "subprocess.Popen", "runpytest_subprocess", "asyncio.run", "asyncio.Runner"),
    *("os.fork", "os.forkpty", "os.system", "os.popen", "os.posix_spawn", "os.kill"),
}
THREADS = {"Thread", "Timer", "ThreadPoolExecutor", "start_new_thread"}


class Lint(ast.NodeVisitor):
    """Collects the offences in the code of tests: pairs of a line's number and a description."""

    def __init__(self, tree):
        self.offences = []
        self._owns = True
        self._functions = {}
        self._visited = set()
        self.visit(tree)

    def _note(self, node, what):
        self.offences.append((node.lineno, what))

    def _visit_body(self, node, *, owns):
        before, self._owns = self._owns, owns
        self.generic_visit(node)
        self._owns = before

    def visit_Module(self, module):
        for node in module.body:
            self._visit_top(node)

    def _visit_top(self, node):
        if isinstance(node, ast.FunctionDef):
            self._visit_own(node)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for method in node.body:
                self._visit_top(method)
        else:
            self.visit(node)

    def _visit_own(self, function):
        """Visit the code of a test or fixture, then the nested functions that tests call."""
        inside = [it for node in function.body for it in ast.walk(node)]
        self._functions = {it.name: it for it in inside if isinstance(it, ast.FunctionDef)}
        self._visited = set()
        self._visit_body(function, owns=True)
        if any("fixture" in ast.unparse(it) for it in function.decorator_list):
            for node in ast.walk(function):
                if isinstance(node, ast.Yield | ast.Return) and isinstance(node.value, ast.Name):
                    self._adopt(node.value.id)

    def _adopt(self, name):
        """Visit the nested function with this name as code of the test itself, which calls it."""
        if name in self._functions and name not in self._visited:
            self._visited.add(name)
            self._visit_body(self._functions[name], owns=True)

    def visit_FunctionDef(self, function):
        for decorator in function.decorator_list:
            self.visit(decorator)
        self._visit_body(function, owns=False)

    def visit_AsyncFunctionDef(self, function):
        self._visit_body(function, owns=False)

    def visit_Lambda(self, function):
        self._visit_body(function, owns=False)

    def visit_ClassDef(self, class_):
        self._visit_body(class_, owns=False)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.partition(".")[0] in PROCESSES:
                self._note(node, f"import {alias.name} is for processes")

    def visit_ImportFrom(self, node):
        names = {alias.name for alias in node.names}
        if node.module in PROCESSES:
            self._note(node, f"from {node.module} import … is for processes")
        if node.module == "time" and names & CLOCKS:
            self._note(node, "from time import … hides a clock: write time.…")
        for name in sorted(names):
            if f"{node.module}.{name}" in STARTS:
                self._note(node, f"{node.module}.{name} starts a process or an event loop")

    def visit_Attribute(self, node):
        if ast.unparse(node) in STARTS or node.attr in ("Popen", "runpytest_subprocess"):
            self._note(node, f"{ast.unparse(node)} starts or ends a process, or runs an event loop")
        self.generic_visit(node)

    def visit_Call(self, call):
        if ast.unparse(call.func) == "shlex.join" and "sys.executable" in ast.unparse(call):
            self._note(call, "shlex.join([sys.executable, …]) is a driver in a process of its own")
        if self._owns:
            self._visit_own_call(call)
        self.generic_visit(call)

    def _visit_own_call(self, call):
        name = ast.unparse(call.func)
        last = name.rpartition(".")[2]
        if name.startswith("time.") and last in CLOCKS:
            self._note(call, f"{name}() reads or waits for the real clock")
        if last in THREADS:
            self._note(call, f"{name}(…) is a real thread")
        if any(it.arg == "timeout" for it in call.keywords):
            self._note(call, f"{name}(timeout=…) waits for the real clock")
        if call.args and (name.endswith(".wait") or (last == "join" and is_number(call.args[0]))):
            self._note(call, f"{name}({ast.unparse(call.args[0])}) waits for the real clock")
        if isinstance(call.func, ast.Name):
            self._adopt(name)


def is_number(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def offences(source):
    return sorted(set(Lint(ast.parse(source)).offences))


def test_no_test_of_the_gate_needs_a_clock_a_process_or_the_machine():
    found = [
        f"{file.relative_to(HERE.parent)}:{line}: {what}"
        for file in sorted(HERE.rglob("*.py"))
        if CANDIDATES not in file.parents
        for line, what in offences(file.read_text(encoding="utf-8"))
    ]
    assert found == [], "\n".join(
        [f"The gate has {len(found)} real clocks, threads or processes. {INSTEAD}", *found]
    )


PLANTED = """
import subprocess
import time, threading, os
from time import sleep

@pytest.fixture
def done(timeout=5):
    def done(process):
        return process.communicate(timeout=3)
    yield done

def test_it(pytester):
    def wait():
        return time.perf_counter()
    since = time.monotonic()
    time.sleep(1)
    assert wait() < 1
    event.wait(2)
    thread = threading.Thread(target=wait)
    thread.join(1.5)
    pytester.runpytest_subprocess()
    os.fork()
    asyncio.run(job())
    subprocess.Popen([])
    locate("cmd:" + shlex.join([sys.executable, "driver.py"]))

class TestThat:
    def test_it(self):
        time.sleep(1)

waits = queue.get(timeout=1)
"""


def test_each_planted_offence_is_found_in_its_line():
    assert {line for line, _ in offences(PLANTED)} == {
        2,
        4,
        9,
        14,
        15,
        16,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        29,
        31,
    }


VIRTUAL = """
import time, threading

class Queue:
    def get(self):
        time.sleep(0.1)

async def job():
    return time.monotonic()

def lock():
    return lambda: threading.Lock().acquire(timeout=0.1)

def test_it(world):
    def lane():
        thread = threading.Thread(target=print)
        thread.join(5)
        time.sleep(60)

    world.start("lane", lane)
    world.start("other", lambda: event.wait(1))
    assert ", ".join(["a"]) and thread.join() is None and event.wait() is None
    assert world.settle(patience=5) and time.sleep in patched
"""


def test_candidates_and_lanes_may_use_virtual_time():
    assert offences(VIRTUAL) == []
