"""Items other than texts, and answers that misbehave."""

from typing import ClassVar

import msgspec
import pytest

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.queue import Queue
from stingy.language.session import PATIENCE, CandidateError, NotOffered
from stingy.language.story import Story, Value
from stingy_reference import EndpointsChangeTracker, Proxy, WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue


class Noting(WorkQueue):
    """A queue that keeps each added item, as it was given, in ``given``."""

    given: ClassVar = []

    def __init__(self):
        super().__init__()

    def add(self, item):
        self.given.append(item)
        super().add(item)


@pytest.fixture
def queue_of(candidate_of, request):
    def queue_of(kind, story):
        session = candidate_of(kind).open(PROFILES["values"])
        request.addfinalizer(session.close)
        return Queue(session, story, PATIENCE)

    return queue_of


@pytest.mark.parametrize("kind", [Noting, AsyncWorkQueue])
@pytest.mark.parametrize("value", [7, 7.0, -1, "7", True, None, "None", b"web", ("shop", "web")])
def test_an_item_comes_back_by_its_name_and_the_story_shows_it_as_it_is(queue_of, kind, value):
    story = Story("salt", of_values=True)
    queue = queue_of(kind, story)
    queue.add(Value.of(value))
    queue.done(queue.get())
    assert queue.ask().waiting
    shown = f"producer: Add({value!r})", f"worker 1: Get() → {value!r}", f"worker 1: Done({value!r})"
    assert tuple(map(str, story.steps[:3])) == shown


def test_the_candidate_is_given_the_value_that_the_name_spells(queue_of):
    Noting.given.clear()
    queue_of(Noting, Story("salt", of_values=True)).add(Value("('shop', 7)"))
    assert Noting.given == [("shop", 7)]


@pytest.mark.parametrize("answer", [None, 7, b"a"])
def test_an_answer_that_is_no_text_is_shown_without_quotes(queue_of, answer):
    class Answers(WorkQueue):
        def get(self):
            super().get()
            return answer, False

    story = Story("salt")
    queue = queue_of(Answers, story)
    queue.add("a")
    assert queue.get() not in ("a", str(answer))
    assert str(story.steps[-1]) == f"worker 1: Get() → {answer!r}"


def test_names_of_values_are_equal_as_the_values_are():
    seven, text = Value.of(7), Value.of("7")
    assert seven == Value.of(7.0)
    assert len({seven, Value.of(7.0)}) == 1
    assert seven != text
    assert "7" not in (seven, text)
    assert Value("<an object>") == Value("<an object>") != Value("<another>")
    assert Value("[1]") == Value("[1]") != Value("[2]")


class KnowsItByItsText(WorkQueue):
    def add(self, item):
        super().add(str(item))

    def get(self):
        item, shutdown = super().get()
        return (int(item) if item == "7" else item), shutdown

    def done(self, item):
        super().done(str(item))


class KnowsItByItsSpelling(KnowsItByItsText):
    def add(self, item):
        WorkQueue.add(self, repr(item))

    def get(self):
        item, shutdown = WorkQueue.get(self)
        return float(item), shutdown


@pytest.mark.parametrize(
    ("kind", "rule", "marked"),
    [
        (KnowsItByItsText, "values-that-are-written-alike-are-different", "Get() → waits to return '7'"),
        (KnowsItByItsSpelling, "equal-values-are-one-item", "Get() → 7.0 to wait: 7.0 is in processing"),
    ],
)
def test_a_verdict_on_values_shows_them_as_they_are(candidate_of, kind, rule, marked):
    """Equal values are one item for the model as well, and no quotes turn a number into a text."""
    (verdict,) = judged(candidate_of(kind), [f"handing_out/{rule}"])
    assert [line.did for line in verdict.story[:2]] == [
        "Add(7)",
        "Add('7')" if kind is KnowsItByItsText else "Add(7.0)",
    ]
    assert [f"{it.did} → {it.outcome} {it.expected}" for it in verdict.story if it.expected] == [marked]
    msgspec.json.encode(verdict)


class Bad:
    """An object whose methods fail in C code, so that the exception has no stack frame of its own."""

    def __repr__(self):
        return None

    __str__ = __repr__

    def __bool__(self):
        return "yes"  # noqa: PLE0304

    def __eq__(self, other):
        return Bad()

    def __hash__(self):
        return "hash"  # noqa: PLE0309


class BadTuple(tuple):  # noqa: SLOT001
    def __len__(self):
        return 2**70


class Claims:
    """An object that claims another type, and has none of its methods."""

    def __init__(self, kind):
        self.kind = kind

    @property
    def __class__(self):
        if self.kind is None:
            raise RuntimeError("no class")
        return self.kind


class StandsFor(Claims):
    """A proxy as libraries have it, which can be converted to what it stands for."""

    def __init__(self, value):
        super().__init__(type(value))
        self.value = value

    def __str__(self):
        return self.value

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __iter__(self):
        return iter(self.value)


KINDS = str, int, float, bool, list, tuple, dict, bytes, BaseException, NotOffered, type(None), None
"""Types to claim; None to raise an error in place of a claim."""


def hand_out(answer):
    """Return the method Get of a queue that returns ``answer(item)`` in place of the item it takes."""

    def get(queue):
        return answer(WorkQueue.get(queue)[0])

    return {"get": get}


RULES = (
    *(
        "handing_out/an-added-item-is-handed-out",
        "length/len-counts-what-is-queued",
        "shutdown/shutting-down-says-so",
    ),
    *("workers/all-that-is-added-gets-done", "interleavings/work-is-done-in-every-order"),
    "interleavings/some-order-of-the-calls-explains-every-answer",
)
FEW = (*RULES[:3], RULES[-1])


def judged(candidate, ids):
    """Judge the candidate by the first row of each of these rules."""
    trial = Trial(candidate, 1)
    rules = [all_rules()[id_] for id_ in ids]
    return [trial.judge(rule, row) for rule in rules for row in [*rule.cases][:1]]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__ if kind else "no class")
@pytest.mark.parametrize(
    "methods_of",
    [
        lambda answer: hand_out(lambda _: answer),
        lambda answer: hand_out(lambda _: (answer, False)),
        lambda answer: hand_out(lambda item: (item, answer)),
        lambda answer: {"__len__": lambda _: answer},
        lambda answer: {"shutting_down": lambda _: answer},
        lambda answer: {"add": lambda *_: answer},
        lambda answer: {"done": raising(lambda: ValueError(answer))},
        lambda answer: {"done": raising(type("Lies", (Exception,), {"__class__": answer.kind}))},
        lambda answer: {"__init__": raising(type("Lies", (Exception,), {"__class__": answer.kind}))},
    ],
    ids=["get", "item", "flag", "len", "bool", "nothing", "argument", "error", "made"],
)
def test_a_value_that_claims_another_type_is_a_fault_of_the_candidate_alone(candidate_of, methods_of, kind):
    """Also if its class raises, as it is asked for: only ``type`` is to be believed."""
    candidate = candidate_of(type("Theirs", (WorkQueue,), methods_of(Claims(kind))))
    try:
        verdicts = judged(candidate, FEW)
    except CandidateError as refused:
        assert str(refused).startswith("it cannot be made: Lies")
        return
    assert [it.because for it in verdicts if it.fault] == []
    msgspec.json.encode(verdicts)


def raising(error):
    def method(*_, **__):
        raise error()

    return method


def test_an_error_that_claims_no_type_is_described_as_the_one_that_was_raised(candidate_of):
    odd = type("Odd", (Exception,), {"__class__": property(raising(RuntimeError))})
    candidate = candidate_of(type("Theirs", (WorkQueue,), {"done": raising(odd)}))
    (verdict,) = judged(candidate, ["handing_out/a-finished-item-stays-away"])
    assert verdict.verdict is Finding.FAIL
    assert "raises Odd" in verdict.because


@pytest.mark.parametrize(
    "methods",
    [
        hand_out(lambda item: (StandsFor(item), False)),
        hand_out(lambda item: (item, StandsFor(False))),
        hand_out(lambda item: StandsFor((item, False))),
        {"__len__": lambda queue: StandsFor(WorkQueue.__len__(queue))},
        {"shutting_down": lambda queue: StandsFor(WorkQueue.shutting_down(queue))},
    ],
    ids=["item", "flag", "tuple", "len", "bool"],
)
def test_a_proxy_is_taken_for_what_it_stands_for(candidate_of, methods):
    verdicts = judged(candidate_of(type("Theirs", (WorkQueue,), methods)), FEW)
    assert {it.verdict for it in verdicts} == {Finding.PASS}, verdicts


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__ if kind else "no class")
def test_an_awaited_value_that_claims_another_type_is_a_fault_of_the_candidate_alone(candidate_of, kind):
    class Theirs(AsyncWorkQueue):
        async def get(self):
            return (Claims(kind), (await super().get())[1])

    verdicts = judged(candidate_of(Theirs), FEW[::3])
    assert [it.because for it in verdicts if it.fault] == []
    assert [it.verdict for it in verdicts] == [Finding.FAIL] * 2


@pytest.mark.parametrize(
    ("methods", "broken"),
    [
        (hand_out(lambda _: (Bad(), False)), RULES[:1]),
        (hand_out(lambda item: (item, Bad())), RULES[:1]),
        (hand_out(lambda item: BadTuple((item, False))), ()),
        (hand_out(lambda _: (None, False)), RULES[:1]),
        ({"__len__": lambda _: 10**30}, RULES[1:2]),
        ({"shutting_down": lambda _: Bad()}, RULES[2:3]),
    ],
    ids=["item", "flag", "tuple", "none", "length", "answer"],
)
def test_a_value_that_misbehaves_is_a_fault_of_the_candidate_alone(candidate_of, methods, broken):
    candidate = candidate_of(type("Theirs", (WorkQueue,), methods))
    verdicts = judged(candidate, RULES)
    assert [it.because for it in verdicts if it.fault or it.verdict is Finding.ERROR] == []
    assert set(broken) <= {it.rule for it in verdicts if it.verdict is Finding.FAIL}
    msgspec.json.encode(verdicts)


@pytest.mark.parametrize("answer", [None, 1, "text", ["text"], {"text": 1}, Claims(dict)])
@pytest.mark.parametrize(
    ("kind", "method", "rule"),
    [
        (EndpointsChangeTracker, "checkout", "trigger_times/a-trigger-time-is-handed-over"),
        (Proxy, "sync", "latency/the-latency-is-the-time-from-trigger-to-programmed"),
        (Proxy, "metric", "latency/of-many-times-each-is-observed"),
    ],
    ids=["checkout", "sync", "metric"],
)
def test_an_answer_that_cannot_be_read_breaks_the_rule(candidate_of, kind, method, rule, answer):
    candidate = candidate_of(type(kind.__name__, (kind,), {method: lambda *_: answer}))
    (verdict,) = judged(candidate, [rule])
    assert (verdict.verdict, verdict.fault) == (Finding.FAIL, False)
    assert f"{method} returned" in verdict.because
