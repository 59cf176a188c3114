"""The reference with real threads, in whatever order the machine runs them."""

import random
import threading

from machine import patience

from stingy_reference import WorkQueue


def test_real_workers_process_everything_and_nothing_twice_at_once():
    queue, busy, clashes, runs = WorkQueue(), set(), [], dict.fromkeys(range(20), 0)
    guard = threading.Lock()

    def work():
        while True:
            item, shutdown = queue.get()
            if shutdown:
                return
            with guard:
                if item in busy:
                    clashes.append(item)
                busy.add(item)
                runs[item] += 1
            with guard:
                busy.discard(item)
            queue.done(item)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    chance = random.Random(1)
    for _ in range(2000):
        queue.add(chance.randrange(20))
    queue.shut_down_with_drain()
    for worker in workers:
        worker.join(patience(1))
    assert not any(worker.is_alive() for worker in workers)
    assert clashes == []
    assert all(runs.values())
    assert len(queue) == 0
