"""Interrupt a command at an exact moment, by lines of code that its process runs first."""

import re
import subprocess
import sys

from machine import patience

NOTICE = re.compile("^still .* so far.*\n", re.MULTILINE)
"""Beginning of the line that says what a command waits for.

On a busy machine it may appear, after five seconds.
"""
BEGIN = """
import atexit, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets a command in the background ignore it

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(3): pass  # Python looks for signals where it loops

def before(module, name, do=interrupt):
    real = getattr(module, name)
    def replaced(*given, **named):
        do()
        return real(*given, **named)
    setattr(module, name, replaced)

class AsImported:
    "Do it when this module is imported."
    def __init__(self, name, do=interrupt):
        self.name, self.do = name, do
        sys.meta_path.insert(0, self)
    def find_spec(self, name, *_):
        if name == self.name:
            sys.meta_path.remove(self)
            self.do()

class Finalised:
    "What is raised there is lost."
    def __del__(self, kill=os.kill, itself=os.getpid()):  # at the very end there are no modules any more
        kill(itself, 2)
        for _ in range(3): pass
"""
END = """
from stingy.__main__ import main
main()
"""


def begin(folder, lines, *words):
    """Return the command line of a ``stingy`` whose process runs these lines first."""
    (folder / "begun.py").write_text(BEGIN + lines + END)
    # with -m, because only then an interrupt raised in exec() ends Python itself
    return [sys.executable, "-m", "begun", *words]


def run(folder, cpu_s, lines, *words):
    """Run that ``stingy``; return its result, without the lines that say what it waits for."""
    command = begin(folder, lines, *words)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience(cpu_s))
    done.stderr = NOTICE.sub("", done.stderr)
    return done
