"""Steps of threads on shared state, for the tests of the search. All code of this file is traced."""

import threading
import time
from collections import deque


class World:
    """State that the threads of a program share: numbers, a list, a slot, two locks and a condition."""

    def __init__(self):
        self.first, self.second = threading.Lock(), threading.Lock()
        self.changed = threading.Condition(self.first)
        self.said = deque()
        self.start()

    def start(self):
        self.number = 0
        self.other = 0

    def count(self, name):
        self.number += 1

    def copy(self, name):
        self.other = self.number

    def say(self, name):
        self.said.append(name)

    def take(self, name):
        if self.said:
            self.said.popleft()

    def count_locked(self, name):
        with self.first:
            self.number += 1

    def say_locked(self, name):
        with self.second:
            self.said.append(name)

    def both(self, name):
        with self.first, self.second:
            self.number += 1

    def crosswise(self, name):
        with self.second, self.first:
            self.other += 1

    def wait_for_a_word(self, name):
        with self.changed:
            while not self.said:
                self.changed.wait()
            self.said.popleft()

    def say_aloud(self, name):
        with self.changed:
            self.said.append(name)
            self.changed.notify()

    def wait_carelessly(self, name):
        if not self.said:
            with self.changed:
                self.changed.wait()
        self.number += 1

    def start_another(self, name):
        threading.Thread(target=self.count, args=(name,)).start()

    def wait_a_while(self, name):
        with self.changed:
            if not self.said:
                self.changed.wait(0.1)
            self.other = self.number

    def doze(self, name):
        time.sleep(0.1)
        self.number += 1
