"""A candidate for asyncio: lanes are tasks, ready tasks keep their order, and none can block the suite."""

import asyncio
import gc
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from types import ModuleType

import pytest

from stingy.contract import PROFILES, SECOND
from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding
from stingy.language.order import Budget, Order
from stingy.language.race import DONE, GET, add
from stingy.language.session import NotOffered
from stingy.transport.coroutines import Dawdling, explore
from stingy_broken.coroutines import WaitsBeforeItAdds
from stingy_broken.limiters import CountsWithoutALock
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
WAITS = RULES["handing_out/get-waits-while-nothing-is-queued"]
AWAY = RULES["handing_out/a-finished-item-stays-away"]
RACE = RULES["stingy/no-item-is-with-two-workers"]
QUEUE, CANCEL = PROFILES["queue"], PROFILES["cancel"]


@pytest.fixture
def session_of(candidate_of, request):
    def session_of(thing, profile=QUEUE):
        session = candidate_of(thing).open(profile)
        request.addfinalizer(session.close)
        return session

    return session_of


@pytest.mark.parametrize(
    ("programs", "passes"),
    [
        ({"w": [GET, DONE], "p": [("pause", 90 * SECOND), add("a")]}, 90 * SECOND),
        ({"p": [("pause", 0), add("a")]}, 0),
    ],
    ids=["a span", "until something is due, and nothing is"],
)
def test_a_lane_pauses_in_virtual_time(session_of, programs, passes):
    session = session_of(AsyncWorkQueue)
    before = session.now_ns()
    calls = session.race(programs, Order(1))
    assert None not in [call.end for call in calls]
    assert session.now_ns() - before == passes


def test_a_get_waits_until_an_item_is_added(session_of):
    session = session_of(AsyncWorkQueue)
    got = session.call("worker", "get")
    session.settle(got)
    assert not got.returned
    session.call("producer", "add", "a")
    session.settle()
    assert got.value == ("a", False)


def test_each_method_may_be_a_coroutine_function_or_not(session_of):
    class Mixed(AsyncWorkQueue):
        async def add(self, item):
            await asyncio.sleep(0)
            super().add(item)

        async def shutting_down(self):
            return super().shutting_down()

    session = session_of(Mixed)
    calls = [session.call("p", "add", "a"), session.call("o", "shutting_down")]
    session.settle()
    calls.append(session.call("p", "len"))
    session.settle()
    assert [call.returned for call in calls] == [True, True, True]
    assert (calls[1].value, calls[2].value) == (False, 1)


def test_a_length_must_not_be_awaited(candidate_of):
    class Awaited(AsyncWorkQueue):
        async def __len__(self):
            return 0

    with pytest.raises(NotOffered, match="it has no __len__"):
        candidate_of(Awaited).open(QUEUE)


def test_time_moves_only_as_the_session_advances(session_of):
    class Late(AsyncWorkQueue):
        async def add(self, item):
            await asyncio.sleep(5)
            super().add(item)

    session = session_of(Late)
    before = session.now_ns()
    call = session.call("producer", "add", "a")
    session.settle(call, patience=SECOND)
    assert not call.returned
    session.advance(5 * SECOND)
    assert call.returned
    assert session.now_ns() - before <= 6 * SECOND


def test_a_cancelled_get_leaves_the_item(session_of):
    session = session_of(AsyncWorkQueue, CANCEL)
    first, second = session.call("one", "get"), session.call("two", "get")
    session.settle()
    session.call("producer", "add", "a")
    session.cancel(first)
    session.settle()
    assert first.raised == "CancelledError"
    assert second.value == ("a", False)


@pytest.mark.parametrize(("turns", "raised"), [(0, "CancelledError"), (1, None)])
def test_a_get_is_cancelled_just_after_the_timers_of_that_instant(session_of, turns, raised):
    class Timed(AsyncWorkQueue):
        def add(self, item):
            asyncio.get_running_loop().call_later(60, super().add, item)

    session = session_of(Timed, CANCEL)
    got = session.call("worker", "get")
    session.call("producer", "add", "a")
    session.settle()
    session.cancel(got, turns, 60 * SECOND)
    session.settle()
    assert not got.returned
    session.advance(60 * SECOND)
    assert got.raised == raised


def test_the_get_of_a_thread_cannot_be_cancelled(candidate_of, session_of):
    with pytest.raises(NotOffered, match="its Get cannot be cancelled"):
        candidate_of(WorkQueue).open(CANCEL)
    session = session_of(WorkQueue)
    with pytest.raises(NotOffered, match="its Get cannot be cancelled"):
        session.cancel(session.call("worker", "get"))


def test_calls_of_a_race_are_stamped_in_their_order(session_of):
    calls = session_of(AsyncWorkQueue).race({"w": [GET, DONE], "p": [add("a")]}, Order(1))
    assert [(call.lane, call.op, call.start, call.end) for call in calls] == [
        ("w", "get", 1, 4),
        ("p", "add", 2, 3),
        ("w", "done", 5, 6),
    ]


def test_a_seed_chooses_the_orders_after_the_plain_one():
    def ways(seed):
        seen = []
        explore(lambda order: seen.append(order.turns), str(seed), Budget(100), None)
        return seen

    assert ways(7)[0] == Dawdling()
    assert ways(7) == ways(7)
    assert ways(7)[1:] != ways(8)[1:]
    starts = {"".join(way.starts(dict.fromkeys("abc"))) for way in ways(7)}
    assert starts == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_the_same_order_gives_the_same_history(candidate_of):
    candidate = candidate_of(AsyncWorkQueue)
    programs = {"w": [GET, DONE] * 2, "v": [GET, DONE], "p": [add("a"), add("b")], "q": [add("a")]}

    def history(way):
        session = candidate.open(QUEUE)
        calls = session.race(programs, Order(1, Dawdling(way)))
        session.close()
        return tuple(calls)

    ways = [str(n) for n in range(50)]
    assert [history(way) for way in ways] == [history(way) for way in ways]
    assert len({history(way) for way in ways}) > 20


def test_a_failure_is_found_again_by_its_token(judge_of):
    judge, rule = judge_of(WaitsBeforeItAdds), RULES["workers/two-producers-at-once-add-it-once"]
    found = judge.verdict(rule)
    assert found.verdict is Finding.FAIL
    assert len({judge.again(rule, None, found.order) for _ in range(20)}) == 1


def test_evidence_is_never_timed(judge_of):
    judge = judge_of(AsyncWorkQueue)
    assert judge.verdict(WAITS).evidence is Evidence.DETERMINISTIC
    assert judge.verdict(RACE).evidence is Evidence.SAMPLED


class LeavesWorkToThreads(AsyncWorkQueue):
    async def add(self, item):
        super().add(await asyncio.to_thread(lambda: (time.sleep(0.01), item)[1]))


class TakesAMinuteToBeMade(AsyncWorkQueue):
    def __init__(self):
        time.sleep(60)
        super().__init__()


class StartsATaskWhenItIsMade(AsyncWorkQueue):
    def __init__(self):
        super().__init__()
        self._inbox = asyncio.Queue()
        self._relay = asyncio.create_task(self._relays())

    async def _relays(self):
        while True:
            super().add(await self._inbox.get())

    async def add(self, item):
        await self._inbox.put(item)


def made_in_a_loop():
    asyncio.get_running_loop()
    return AsyncWorkQueue()


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (LeavesWorkToThreads, (FIRST, WAITS, RACE)),
        (TakesAMinuteToBeMade, (FIRST,)),
        (StartsATaskWhenItIsMade, (FIRST,)),
        (partial(AsyncWorkQueue), (FIRST,)),
        (made_in_a_loop, (FIRST,)),
    ],
)
def test_an_unusual_candidate_is_sound(judge_of, kind, rules):
    judge = judge_of(kind)
    verdicts = [judge.verdict(rule) for rule in rules]
    assert {it.verdict for it in verdicts} == {Finding.PASS}
    assert {it.evidence for it in verdicts if it.rule != RACE.id} == {Evidence.DETERMINISTIC}


class SpinsThroughLocks(AsyncWorkQueue):
    async def get(self):
        lock = threading.Lock()
        while not self._queue:
            with lock:
                pass
        return await super().get()


class BlocksTheLoop(AsyncWorkQueue):
    def __init__(self):
        super().__init__()
        self._news = threading.Semaphore(0)

    async def get(self):
        while not self._queue:
            self._news.acquire()
        return await super().get()


class RaisesWhenMade(AsyncWorkQueue):
    def __init__(self):
        raise OSError("no space left")


class RaisesInDone(AsyncWorkQueue):
    async def done(self, item):
        raise SystemExit(item)


class RaisesInACallback(AsyncWorkQueue):
    def add(self, item):
        asyncio.get_running_loop().call_soon({}.__getitem__, item)


class OpensASocket(AsyncWorkQueue):
    async def add(self, item):
        await asyncio.open_connection("127.0.0.1", 1)


def needs_a_loop_for_threads():
    asyncio.get_running_loop()
    return WorkQueue()


@pytest.mark.parametrize(
    ("kind", "rule", "finding", "says"),
    [
        (SpinsThroughLocks, WAITS, Finding.FAIL, ""),
        (BlocksTheLoop, WAITS, Finding.FAIL, "Add('a') does not return"),
        (RaisesWhenMade, FIRST, Finding.ERROR, "it cannot be made: OSError: no space left"),
        (RaisesInDone, AWAY, Finding.FAIL, "Done('a') raises SystemExit"),
        (RaisesInACallback, FIRST, Finding.ERROR, "KeyError"),
        (OpensASocket, FIRST, Finding.ERROR, "create_connection"),
        (needs_a_loop_for_threads, FIRST, Finding.ERROR, "its get is not a coroutine function"),
    ],
)
def test_a_faulty_candidate_is_told_why(judge_of, kind, rule, finding, says):
    found = judge_of(kind).verdict(rule)
    assert found.verdict is finding
    assert says in found.because


@pytest.mark.parametrize("fault", ["none", "raises", "waits", "stubborn", "policy", "threads"])
def test_no_thread_hook_or_loop_is_left_behind(candidate_of, capfd, fault):
    class Faulty(AsyncWorkQueue):
        async def get(self):
            match fault:
                case "raises":
                    raise KeyError
                case "waits":
                    async with asyncio.Lock():
                        await asyncio.Event().wait()
                case "stubborn":
                    while True:
                        with suppress(asyncio.CancelledError):
                            await asyncio.Event().wait()
                case "policy":
                    asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy())
                case "threads":
                    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
            return await super().get()

    def traces():
        policy, loop = asyncio.events._event_loop_policy, asyncio._get_running_loop()
        return policy, loop, threading.Lock, time.sleep, sys.get_asyncgen_hooks()

    before, threads = traces(), set(threading.enumerate())
    candidate = candidate_of(Faulty)
    session = candidate.open(QUEUE)
    session.call("worker", "get")
    session.settle()
    session.close()
    candidate.close()
    gc.collect()
    assert traces() == before
    for thread in set(threading.enumerate()) - threads:
        thread.join()
    assert capfd.readouterr().err == ""


def test_a_lane_has_one_call_at_a_time(session_of):
    session = session_of(AsyncWorkQueue)
    session.call("worker", "get")
    with pytest.raises(RuntimeError, match="worker has a call under way"):
        session.call("worker", "get")


@pytest.mark.parametrize(("queue", "found"), [(AsyncWorkQueue, Finding.PASS), (WorkQueue, Finding.FAIL)])
def test_only_a_rate_limiter_for_queues_of_threads_needs_a_lock(judge_of, queue, found):
    offered = ModuleType("offered")
    offered.work_queue, offered.exponential_rate_limiter = queue, CountsWithoutALock
    assert judge_of(offered).verdict(RULES["backoff/failures-at-once-are-all-counted"]).verdict is found
