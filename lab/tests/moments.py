"""Moments of a command at which it is interrupted: lines that are run in its process before it."""

import sys

BEGIN = """
import atexit, os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts us in the background has it ignored

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
    """The command line of a ``stingy`` that these lines have been run for."""
    (folder / "begun.py").write_text(BEGIN + lines + END)
    return [
        sys.executable,
        "-m",
        "begun",
        *words,
    ]  # only so Python dies in the end of what was raised in a text
