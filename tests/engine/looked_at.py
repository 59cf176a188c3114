"""Code that an onlooker watches, for its tests. All code of this file is traced."""

import json
import threading
from collections import deque

count = 0


class Looked:
    """Data of different kinds, and methods that touch it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.items = deque()
        self.number = 0
        self.again = 0

    def local_name(self):
        items = self.items
        items.append(1)

    def attribute(self):
        self.number = self.number + 1

    def locked(self):
        with self.lock:
            self.items.append(1)

    def of_the_module(self):
        global count  # noqa: PLW0603 - this is what is looked at
        count = 1

    def first_assignment(self):
        self.made = 1

    def of_a_result(self):
        self.copied().append(1)

    def copied(self):
        return list(self.items)

    def in_rounds(self):
        while self.again < 2:
            self.again = self.again + 1

    def runs_unknown_code(self):
        self.items.append(1)
        json.dumps(1)
        self.number = 1

    def waits(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            self.items.pop()

    def notifies(self):
        with self.changed:
            self.items.append(1)
            self.changed.notify()
            self.number = 1
