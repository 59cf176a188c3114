"""A candidate for asyncio: lanes are tasks, what is ready keeps its order, and none can hang the suite."""

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
from stingy.language.order import Budget, Order
from stingy.language.race import DONE, GET, add
from stingy.language.session import CandidateError, NotOffered
from stingy.transport import locate
from stingy.transport.coroutines import Dawdling, explore
from stingy.trial import Judge
from stingy.verdict import Evidence, Finding
from stingy_broken.coroutines import WaitsBeforeItAdds
from stingy_broken.limiters import CountsWithoutALock
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
WAITS = RULES["handing_out/get-waits-while-nothing-is-queued"]
RACE = RULES["stingy/no-item-is-with-two-workers"]
QUEUE, CANCEL = PROFILES["queue"], PROFILES["cancel"]


@pytest.fixture
def candidate_of(request):
    """A class, or any other thing, as a candidate from a module of its own."""

    def candidate_of(thing):
        module = ModuleType("somebodys")
        module.thing = thing
        sys.modules["somebodys"] = module
        request.addfinalizer(lambda: sys.modules.pop("somebodys", None))
        candidate = locate("somebodys:thing", 1)
        request.addfinalizer(candidate.close)
        return candidate

    return candidate_of


@pytest.fixture
def session_of(candidate_of, request):
    def session_of(thing, profile=QUEUE):
        session = candidate_of(thing).open(profile)
        request.addfinalizer(session.close)
        return session

    return session_of


def verdict(candidate, rule):
    return Judge(candidate, 1).verdict(rule)


def test_a_lane_that_pauses_goes_on_when_so_much_time_has_passed(session_of):
    session = session_of(AsyncWorkQueue)
    before = session.now_ns()
    calls = session.race({"w": [GET, DONE], "p": [("pause", 90 * SECOND), add("a")]}, Order(1))
    assert [call.end is None for call in calls] == [False] * len(calls)
    assert session.now_ns() - before == 90 * SECOND


def test_a_lane_that_pauses_until_something_is_due_goes_on_at_once_where_nothing_is(session_of):
    session = session_of(AsyncWorkQueue)
    before = session.now_ns()
    session.race({"p": [("pause", 0), add("a")]}, Order(1))
    assert session.now_ns() == before


def test_a_call_that_waits_is_known_to_wait_and_goes_on_when_it_can(session_of):
    session = session_of(AsyncWorkQueue)
    got = session.call("worker", "get")
    session.settle(got)
    assert not got.returned
    session.call("producer", "add", "a")
    session.settle()
    assert got.value == ("a", False)


def test_methods_may_be_coroutine_functions_or_not_each_for_itself(session_of):
    class Mixed(AsyncWorkQueue):
        async def add(self, item):
            await asyncio.sleep(0)
            super().add(item)

        async def shutting_down(self):
            return super().shutting_down()

    session = session_of(Mixed)
    calls = [session.call(lane, op, *args) for lane, op, *args in (("p", "add", "a"), ("o", "shutting_down"))]
    session.settle()
    length = session.call("p", "len")
    session.settle()
    assert [call.returned for call in calls] == [True, True]
    assert (calls[1].value, length.value) == (False, 1)


def test_a_length_that_has_to_be_awaited_is_none(candidate_of):
    class Awaited(AsyncWorkQueue):
        async def __len__(self):
            return 0

    with pytest.raises(NotOffered, match="it has no __len__"):
        candidate_of(Awaited).open(QUEUE)


def test_time_moves_when_it_is_told_to(session_of):
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


def test_a_cancelled_get_ends_and_leaves_the_item(session_of):
    session = session_of(AsyncWorkQueue, CANCEL)
    first, second = session.call("one", "get"), session.call("two", "get")
    session.settle()
    session.call("producer", "add", "a")
    session.cancel(first)
    session.settle()
    assert first.raised == "CancelledError"
    assert second.value == ("a", False)


def test_a_thread_cannot_be_cancelled(candidate_of):
    candidate = candidate_of(WorkQueue)
    with pytest.raises(NotOffered, match="its Get cannot be cancelled"):
        candidate.open(CANCEL)
    session = candidate.open(QUEUE)
    with pytest.raises(NotOffered, match="its Get cannot be cancelled"):
        session.cancel(session.call("worker", "get"))
    session.close()


def test_a_race_is_stamped_as_it_happened(session_of):
    calls = session_of(AsyncWorkQueue).race({"w": [GET, DONE], "p": [add("a")]}, Order(1))
    assert [(call.lane, call.op, call.start, call.end) for call in calls] == [
        ("w", "get", 1, 4),
        ("p", "add", 2, 3),
        ("w", "done", 5, 6),
    ]


def test_the_plain_way_is_tried_first_and_then_others_the_same_for_the_same_seed(candidate_of):
    def ways(seed):
        seen = []
        explore(lambda order: seen.append(order.turns), str(seed), Budget(100), None)
        return seen

    assert ways(7)[0] == Dawdling()
    assert ways(7) == ways(7)
    assert ways(7)[1:] != ways(8)[1:]
    assert {"".join(way.starts(dict.fromkeys("abc"))) for way in ways(7)} == {
        *("abc", "acb", "bac", "bca", "cab", "cba")
    }


def test_the_same_way_gives_the_same_history(candidate_of):
    candidate = candidate_of(AsyncWorkQueue)
    programs = {"w": [GET, DONE] * 2, "v": [GET, DONE], "p": [add("a"), add("b")], "q": [add("a")]}

    def history(way):
        session = candidate.open(QUEUE)
        calls = session.race(programs, Order(1, Dawdling(way)))
        session.close()
        return tuple(calls)

    ways = [str(n) for n in range(100)]
    assert [history(way) for way in ways] == [history(way) for way in ways]
    assert len({history(way) for way in ways}) > 20


def test_what_fails_is_made_short_and_fails_again_from_its_token(candidate_of):
    candidate = candidate_of(WaitsBeforeItAdds)
    judge = Judge(candidate, 1)
    rule = all_rules()["workers/two-producers-at-once-add-it-once"]
    found = judge.verdict(rule)
    assert found.verdict is Finding.FAIL
    assert {judge.again(rule, None, found.order) for _ in range(20)} == {judge.again(rule, None, found.order)}


@pytest.mark.parametrize(
    "made", [partial(AsyncWorkQueue), lambda: (asyncio.get_running_loop(), AsyncWorkQueue())[1]]
)
def test_a_factory_is_asked_what_it_makes(candidate_of, made):
    """Also where it can only be asked inside an event loop."""
    found = verdict(candidate_of(made), FIRST)
    assert (found.verdict, found.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)


def test_a_factory_that_wants_a_loop_for_threads_gets_a_sentence(candidate_of):
    found = verdict(candidate_of(lambda: (asyncio.get_running_loop(), WorkQueue())[1]), FIRST)
    assert found.verdict is Finding.ERROR
    assert "its get is not a coroutine function" in found.because


def test_evidence_is_never_timed(candidate_of):
    candidate = candidate_of(AsyncWorkQueue)
    assert verdict(candidate, WAITS).evidence is Evidence.DETERMINISTIC
    assert verdict(candidate, RACE).evidence is Evidence.SAMPLED


def test_who_goes_through_locks_without_end_breaks_the_rule(candidate_of):
    class Spins(AsyncWorkQueue):
        async def get(self):
            lock = threading.Lock()
            while not self._queue:
                with lock:
                    pass
            return await super().get()

    assert verdict(candidate_of(Spins), WAITS).verdict is Finding.FAIL


def test_who_blocks_the_loop_breaks_the_rule(candidate_of):
    class Blocks(AsyncWorkQueue):
        def __init__(self):
            super().__init__()
            self._news = threading.Semaphore(0)

        async def get(self):
            while not self._queue:
                self._news.acquire()
            return await super().get()

    found = verdict(candidate_of(Blocks), WAITS)
    assert (found.verdict, found.because) == (Finding.FAIL, "Add('a') does not return")


def test_a_candidate_may_leave_work_to_threads(candidate_of):
    class Threads(AsyncWorkQueue):
        async def add(self, item):
            super().add(await asyncio.to_thread(lambda: (time.sleep(0.01), item)[1]))

    candidate = candidate_of(Threads)
    for rule in (FIRST, WAITS, RACE):
        assert verdict(candidate, rule).verdict is Finding.PASS


def test_a_constructor_may_take_its_time(candidate_of):
    class Connects(AsyncWorkQueue):
        def __init__(self):
            time.sleep(60)
            super().__init__()

    assert Judge(candidate_of(Connects), 1).verdict(FIRST).verdict is Finding.PASS


def test_a_candidate_may_start_tasks_when_it_is_made(candidate_of):
    class Relays(AsyncWorkQueue):
        def __init__(self):
            super().__init__()
            self._inbox = asyncio.Queue()
            self._relay = asyncio.create_task(self._relays())

        async def _relays(self):
            while True:
                super().add(await self._inbox.get())

        async def add(self, item):
            await self._inbox.put(item)

    assert verdict(candidate_of(Relays), FIRST).verdict is Finding.PASS


def test_an_exception_that_nobody_is_told_of_is_an_error(candidate_of):
    class Fails(AsyncWorkQueue):
        def add(self, item):
            asyncio.get_running_loop().call_soon({}.__getitem__, item)

    found = verdict(candidate_of(Fails), FIRST)
    assert found.verdict is Finding.ERROR
    assert "KeyError" in found.because


def test_an_exception_of_a_method_breaks_the_rule(candidate_of):
    class Raises(AsyncWorkQueue):
        async def done(self, item):
            raise SystemExit(item)

    found = verdict(candidate_of(Raises), RULES["handing_out/a-finished-item-stays-away"])
    assert found.verdict is Finding.FAIL
    assert found.because.startswith("Done('a') raises SystemExit")


def test_a_socket_is_refused_in_a_sentence(candidate_of):
    class Connects(AsyncWorkQueue):
        async def add(self, item):
            await asyncio.open_connection("127.0.0.1", 1)

    found = verdict(candidate_of(Connects), FIRST)
    assert found.verdict is Finding.ERROR
    assert "create_connection" in found.because


@pytest.mark.parametrize("fault", ["none", "raises", "waits", "stubborn", "policy", "threads"])
def test_nothing_is_left_behind(candidate_of, capfd, fault):
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
        return (
            asyncio.events._event_loop_policy,
            asyncio._get_running_loop(),
            threading.Lock,
            time.sleep,
            sys.get_asyncgen_hooks(),
        )

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


def test_one_call_at_a_time_on_a_lane(session_of):
    session = session_of(AsyncWorkQueue)
    session.call("worker", "get")
    with pytest.raises(RuntimeError, match="worker has a call under way"):
        session.call("worker", "get")


def test_a_constructor_that_fails_is_told(candidate_of):
    class Raises(AsyncWorkQueue):
        def __init__(self):
            raise OSError("no space left")

    with pytest.raises(CandidateError, match="it cannot be made: OSError: no space left"):
        candidate_of(Raises).open(QUEUE)


@pytest.mark.parametrize(("queue", "found"), [(AsyncWorkQueue, Finding.PASS), (WorkQueue, Finding.FAIL)])
def test_a_rate_limiter_for_queues_of_asyncio_need_not_be_made_for_threads(candidate_of, queue, found):
    offered = ModuleType("offered")
    offered.work_queue, offered.exponential_rate_limiter = queue, CountsWithoutALock
    assert verdict(candidate_of(offered), RULES["backoff/failures-at-once-are-all-counted"]).verdict is found
