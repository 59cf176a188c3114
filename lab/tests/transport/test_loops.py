"""Queues for other event loops: judged on asyncio if possible, and not accused of what asyncio lacks."""

import asyncio
import textwrap

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Exit, Finding
from stingy.transport import locate

AWAITED = """
    from collections import deque

    import LOOP


    class WorkQueue:
        def __init__(self):
            self._queue, self._shutting_down = deque(), False
            self._changed = LOOP.Condition()

        async def add(self, item):
            async with self._changed:
                self._queue.append(item)
                self._changed.notify()

        async def get(self):
            async with self._changed:
                while not self._queue and not self._shutting_down:
                    await self._changed.wait()
                return (self._queue.popleft(), False) if self._queue else (None, True)

        async def done(self, item):
            pass

        async def shut_down(self):
            async with self._changed:
                self._shutting_down = True
                self._changed.notify_all()

        def shutting_down(self):
            return self._shutting_down

        def __len__(self):
            return len(self._queue)
"""
GREEN = """
    import gevent.queue
    from stingy_reference.workqueue import WorkQueue as Plain


    class WorkQueue(Plain):
        def __init__(self):
            super().__init__()
            self._items = gevent.queue.Queue()

        def get(self):
            return self._items.get(), False
"""
PATCHED = """
    from gevent import monkey

    monkey.patch_all()
"""
TAKEN, WAITS, COUNTED = (
    all_rules()[id_]
    for id_ in (
        "handing_out/an-added-item-is-handed-out",
        "handing_out/get-waits-while-nothing-is-queued",
        "shutdown/shutting-down-says-so",
    )
)


@pytest.fixture
def judge_of(tmp_path, monkeypatch, request):
    """Return a judge of a candidate given as source text."""

    def judge_of(source):
        name = f"for_a_loop_{request.node.name.translate({ord(sign): '_' for sign in '[]-'})}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        monkeypatch.syspath_prepend(tmp_path)
        candidate = locate(f"{name}:WorkQueue", 1)
        request.addfinalizer(candidate.close)
        return Judge(candidate, 1)

    return judge_of


def test_a_queue_for_anyio_is_judged_on_asyncio(judge_of):
    judge = judge_of(AWAITED.replace("LOOP", "anyio"))
    assert [judge.verdict(rule).verdict for rule in (TAKEN, WAITS)] == [Finding.PASS, Finding.PASS]


@pytest.mark.parametrize(
    ("loop", "source", "rule"),
    [
        ("trio", AWAITED.replace("LOOP", "trio"), TAKEN),
        ("trio", AWAITED.replace("LOOP", "trio"), COUNTED),
        ("gevent", GREEN, WAITS),
    ],
    ids=["trio", "trio in another call", "gevent"],
)
def test_a_queue_that_needs_another_event_loop_is_undecided_and_sent_to_a_driver(
    judge_of, loop, source, rule
):
    verdict = judge_of(source).verdict(rule)
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert f"it waits with {loop}, which has a loop of its own: judge it through a driver" in verdict.because


def test_a_module_that_patches_the_process_for_gevent_is_refused(stingy, tmp_path):
    (tmp_path / "patched.py").write_text(textwrap.dedent(PATCHED))
    done = stingy("run", "patched")
    assert done.returncode == Exit.USAGE
    assert "it waits with gevent, which has a loop of its own" in done.stderr


IN_A_THREAD = """
    import asyncio
    import threading
    from stingy_reference.workqueue import WorkQueue as Plain


    class WorkQueue(Plain):
        LATER = LATENESS

        def __init__(self):
            super().__init__()
            self._asked = []
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._live, daemon=True).start()

        def _live(self):
            self._loop.run_forever()

        def add_after(self, item, seconds):
            asyncio.run_coroutine_threadsafe(self._come_later(item, seconds), self._loop)

        async def _come_later(self, item, seconds):
            await asyncio.sleep(seconds + self.LATER)
            self.add(item)
"""
IN_TIME = all_rules()["delays/an-item-is-there-when-its-delay-is-over"]
NOT_BEFORE = all_rules()["delays/an-item-is-not-there-before-its-delay-is-over"]


@pytest.mark.parametrize(
    ("lateness", "found"),
    [("0", [Finding.PASS, Finding.PASS]), ("30", [Finding.FAIL, Finding.PASS])],
)
def test_a_loop_that_the_candidate_runs_in_a_thread_is_under_control(judge_of, lateness, found):
    judge = judge_of(IN_A_THREAD.replace("LATENESS", lateness))
    verdicts = [judge.again(rule, None, "") for rule in (IN_TIME, NOT_BEFORE)]
    assert [verdict.verdict for verdict in verdicts] == found
    assert {verdict.evidence for verdict in verdicts} == {Evidence.DETERMINISTIC}


def test_a_loop_in_a_thread_is_asyncios_own_where_nobody_is_judged():
    loop = asyncio.new_event_loop()
    assert type(loop).__module__.startswith("asyncio.")
    loop.close()
