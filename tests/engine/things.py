# ruff: noqa: E731 - one line for each operation
"""Operations on all kinds of shared objects, for the tests of the search. All code of this file is traced."""

import copy
import heapq
import itertools
import json
import operator
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from functools import partial

told = 0


class Line(deque):
    """A subclass of a container of the standard library, as a candidate may define one."""

    push = deque.append

    def __contains__(self, name):
        return any(it == name for it in self)


class Slot:
    __slots__ = ("held", "times")

    def __init__(self):
        self.held = ""
        self.times = 0


@dataclass
class Note:
    text: str
    seen: list = field(default_factory=list)


class Guard:
    """A context manager that is no lock: it only counts how many threads are inside."""

    def __init__(self, things):
        self.things = things

    def __enter__(self):
        self.things.inside += 1
        return self.things.inside

    def __exit__(self, *_):
        self.things.inside -= 1


class Bag:
    """A container with its own ``__len__``, which is used as its truth value."""

    def __init__(self):
        self.content = []

    def __len__(self):
        return len(self.content)

    def __iter__(self):
        yield from self.content

    def __getitem__(self, number):
        return self.content[number]


class Things:
    """Objects of many types that the threads of a program share, and operations on them."""

    shared = 0

    def __init__(self):
        self.lock = threading.Lock()
        self.items = ["x", "y"]
        self.alias = self.items
        self.current = self.first = []
        self.names = {"x"}
        self.counts = {"x": 1, "y": 1}
        self.filled = defaultdict(list)
        self.tally = Counter()
        self.ordered = OrderedDict(x=1, y=2)
        self.heap = [2, 4]
        self.line = Line("x")
        self.slot = Slot()
        self.note = Note("x")
        self.bag = Bag()
        self.numbers = itertools.count()
        self.iterator = iter([1, 2, 3])
        self.flag = threading.Event()
        self.pair = [1, 2]
        self.pairs = [(1, "x"), (2, "y")]
        self.inside = 0
        self.number = 0
        self.taken = self.total = 0
        self.adds = self.items.append
        self.sees = partial(operator.contains, self.names)
        self.tell, self.ask = self.make()
        self.start()

    def start(self):
        global told  # noqa: PLW0603
        told = Things.shared = 0
        self.current = self.first
        self.number = self.taken = self.total = self.inside = 0

    def make(self):
        seen = 0
        kept = []

        def tell(name):
            nonlocal seen
            seen += 1
            kept.append(name)

        def ask():
            return seen, len(kept)

        return tell, ask

    # Lists.

    push = lambda self, name: self.items.append(name)
    push_by_alias = lambda self, name: self.alias.append(name)
    push_by_method = lambda self, name: self.adds(name)
    push_what_is_made = lambda self, name: self.current.append(self.made(name))

    def made(self, name):
        self.number += 1
        return f"{name}{self.number}"

    def swap(self, name):
        taken, self.current = self.current, []
        return len(taken)

    def swap_the_pair(self, name):
        self.pair[0], self.pair[1] = self.pair[1], self.pair[0]

    def unpack(self, name):
        one, other = self.pair
        return one, other

    def take_last(self, name):
        if self.items:
            return self.items.pop()
        return None

    go_over = lambda self, name: "".join(it for it in self.items)

    def go_over_slowly(self, name):
        said = ""
        for it in self.items:
            said += it
        return said

    def go_over_current(self, name):
        count = 0
        for _ in self.current:
            count += 1
            self.current = list(self.current)
        return count

    def extend(self, name):
        self.items += [name, name]

    sort = lambda self, name: sorted(self.items)
    slice = lambda self, name: self.items[1:]

    def delete(self, name):
        if len(self.items) > 1:
            del self.items[1]

    copy_all = lambda self, name: copy.copy(self.items)
    compare = lambda self, name: self.items == ["x", "y"]

    # Sets and mappings.

    add_name = lambda self, name: self.names.add(name)
    is_named = lambda self, name: "a" in self.names
    sees_by_others = lambda self, name: self.sees("a")

    def count(self, name):
        self.counts["x"] += 1

    def count_anew(self, name):
        self.counts["x"] = self.counts.get("x", 0) + 1

    write_down = lambda self, name: json.dumps(self.counts)

    def keys(self, name):
        keys = self.counts.keys()
        return list(keys)

    def go_over_values(self, name):
        total = 0
        for value in self.counts.values():
            total += value
        return total

    put_into = lambda self, name: self.filled["x"].append(name)
    is_filled = lambda self, name: "x" in self.filled

    def tally_up(self, name):
        self.tally["x"] += 1

    move = lambda self, name: self.ordered.move_to_end("x")
    first_ordered = lambda self, name: next(iter(self.ordered))

    # Heaps, iterators, counters.

    push_heap = lambda self, name: heapq.heappush(self.heap, 3 if name == "a" else 1)
    pop_heap = lambda self, name: heapq.heappop(self.heap) if self.heap else 0
    least = lambda self, name: self.heap[0] if self.heap else 0
    first_of_pairs = lambda self, name: self.pairs[0][1] if self.pairs[0][0] == 1 else ""
    put_a_pair_in_front = lambda self, name: self.pairs.insert(0, (1, name))
    draw = lambda self, name: next(self.numbers)
    next_of_all = lambda self, name: next(self.iterator, 0)

    # Classes of the candidate.

    push_line = lambda self, name: self.line.push(name)
    is_in_line = lambda self, name: "a" in self.line
    line_is_long = lambda self, name: len(self.line) > 1

    def hold(self, name):
        self.slot.held = name

    is_held = lambda self, name: self.slot.held

    def write_note(self, name):
        self.note.text = name

    read_note = lambda self, name: self.note.text

    def take_another_note(self, name):
        self.note = Note(name)

    see_note = lambda self, name: self.note.seen.append(name)
    put_in_bag = lambda self, name: self.bag.content.append(name)

    def is_bag_empty(self, name):
        if not self.bag:
            self.total += 1
            return True
        return False

    go_over_bag = lambda self, name: [it + "" for it in self.bag]

    def enter(self, name):
        with Guard(self) as inside:
            return inside

    # Attributes, variables, functions.

    def add_up(self, name):
        self.total += self.number

    def ask_and_act(self, name):
        if self.is_empty():
            self.items.append("last")

    is_empty = lambda self: len(self.items) > 2

    def of_the_class(self, name):
        Things.shared += 1

    read_of_the_class = lambda self, name: self.shared

    def set_own(self, name):
        self.shared = 5

    def tell_all(self, name):
        global told  # noqa: PLW0603
        told += 1

    hear = lambda self, name: told
    tell_within = lambda self, name: self.tell(name)
    ask_within = lambda self, name: self.ask()
    raise_flag = lambda self, name: self.flag.set()
    is_flagged = lambda self, name: self.flag.is_set()

    def count_locked(self, name):
        with self.lock:
            self.number += 1
        self.taken += 1

    read_both = lambda self, name: (self.number, self.taken)

    def put_locked(self, name):
        with self.lock:
            self.counts[name] = 1
            if len(self.counts) > 2:
                self.total += 1

    def size_locked(self, name):
        with self.lock:
            return len(self.counts)

    def try_the_lock(self, name):
        if not self.lock.acquire(blocking=False):
            return False
        self.number += 1
        self.lock.release()
        return True

    def try_the_lock_for_a_while(self, name):
        if self.lock.acquire(timeout=0):
            self.taken += 1
            self.lock.release()

    is_locked = lambda self, name: self.lock.locked()
    do_nothing = lambda self, name: name + "!"
