"""What threads do to all kinds of things in the tests of the search: in a file of its own, for all of it is traced."""

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
    """A container of one's own."""

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
    """A context manager that is no lock."""

    def __init__(self, things):
        self.things = things

    def __enter__(self):
        self.things.inside += 1
        return self.things.inside

    def __exit__(self, *_):
        self.things.inside -= 1


class Bag:
    """Says how much is in it."""

    def __init__(self):
        self.content = []

    def __len__(self):
        return len(self.content)

    def __iter__(self):
        yield from self.content

    def __getitem__(self, number):
        return self.content[number]


class Things:
    """What the threads of a program share."""

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

    def push(self, name):
        self.items.append(name)

    def push_by_alias(self, name):
        self.alias.append(name)

    def push_by_method(self, name):
        self.adds(name)

    def push_what_is_made(self, name):
        self.current.append(self.made(name))

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

    def go_over(self, name):
        return "".join(it for it in self.items)

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

    def sort(self, name):
        return sorted(self.items)

    def slice(self, name):
        return self.items[1:]

    def delete(self, name):
        if len(self.items) > 1:
            del self.items[1]

    def copy_all(self, name):
        return copy.copy(self.items)

    def compare(self, name):
        return self.items == ["x", "y"]

    # Sets and mappings.

    def add_name(self, name):
        self.names.add(name)

    def is_named(self, name):
        return "a" in self.names

    def sees_by_others(self, name):
        return self.sees("a")

    def count(self, name):
        self.counts["x"] += 1

    def count_anew(self, name):
        self.counts["x"] = self.counts.get("x", 0) + 1

    def write_down(self, name):
        return json.dumps(self.counts)

    def keys(self, name):
        keys = self.counts.keys()
        return list(keys)

    def go_over_values(self, name):
        total = 0
        for value in self.counts.values():
            total += value
        return total

    def put_into(self, name):
        self.filled["x"].append(name)

    def is_filled(self, name):
        return "x" in self.filled

    def tally_up(self, name):
        self.tally["x"] += 1

    def move(self, name):
        self.ordered.move_to_end("x")

    def first_ordered(self, name):
        return next(iter(self.ordered))

    # Heaps, iterators, what counts.

    def push_heap(self, name):
        heapq.heappush(self.heap, 3 if name == "a" else 1)

    def pop_heap(self, name):
        return heapq.heappop(self.heap) if self.heap else 0

    def least(self, name):
        return self.heap[0] if self.heap else 0

    def first_of_pairs(self, name):
        return self.pairs[0][1] if self.pairs[0][0] == 1 else ""

    def put_a_pair_in_front(self, name):
        self.pairs.insert(0, (1, name))

    def draw(self, name):
        return next(self.numbers)

    def next_of_all(self, name):
        return next(self.iterator, 0)

    # Own kinds.

    def push_line(self, name):
        self.line.push(name)

    def is_in_line(self, name):
        return "a" in self.line

    def line_is_long(self, name):
        return len(self.line) > 1

    def hold(self, name):
        self.slot.held = name

    def is_held(self, name):
        return self.slot.held

    def write_note(self, name):
        self.note.text = name

    def read_note(self, name):
        return self.note.text

    def take_another_note(self, name):
        self.note = Note(name)

    def see_note(self, name):
        self.note.seen.append(name)

    def put_in_bag(self, name):
        self.bag.content.append(name)

    def is_bag_empty(self, name):
        if not self.bag:
            self.total += 1
            return True
        return False

    def go_over_bag(self, name):
        return [it + "" for it in self.bag]

    def enter(self, name):
        with Guard(self) as inside:
            return inside

    # Attributes, variables, functions.

    def add_up(self, name):
        self.total += self.number

    def ask_and_act(self, name):
        if self.is_empty():
            self.items.append("last")

    def is_empty(self):
        return len(self.items) > 2

    def of_the_class(self, name):
        Things.shared += 1

    def read_of_the_class(self, name):
        return self.shared

    def set_own(self, name):
        self.shared = 5

    def tell_all(self, name):
        global told  # noqa: PLW0603
        told += 1

    def hear(self, name):
        return told

    def tell_within(self, name):
        self.tell(name)

    def ask_within(self, name):
        return self.ask()

    def raise_flag(self, name):
        self.flag.set()

    def is_flagged(self, name):
        return self.flag.is_set()

    def count_locked(self, name):
        with self.lock:
            self.number += 1
        self.taken += 1

    def read_both(self, name):
        return self.number, self.taken

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

    def is_locked(self, name):
        return self.lock.locked()

    def do_nothing(self, name):
        return name + "!"
