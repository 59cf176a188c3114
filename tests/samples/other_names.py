"""Queues of a reader with other method names than the contract's, for the adapters of docs/candidates.md."""

from stingy_reference import DelayingQueue


class Closed(Exception):
    pass


class GoQueue:
    def __init__(self):
        self._q = DelayingQueue()

    def Add(self, item):
        self._q.add(item)

    def Get(self):
        return self._q.get()

    def Done(self, item):
        self._q.done(item)

    def Len(self):
        return len(self._q)

    def ShutDown(self):
        self._q.shut_down()

    def ShuttingDown(self):
        return self._q.shutting_down()


class TaskQueue:
    def __init__(self):
        self._q = DelayingQueue()

    def put(self, item):
        self._q.add(item)

    def task_done(self, item):
        self._q.done(item)

    def qsize(self):
        return len(self._q)

    def close(self):
        self._q.shut_down()

    def enqueue(self, item, delay_ms):
        self._q.add_after(item, delay_ms / 1000)

    def take(self):
        item, shutdown = self._q.get()
        if shutdown:
            raise Closed
        return item

    @property
    def closed(self):
        return self._q.shutting_down()
