"""Which candidates a TARGET in this process is taken for, and how they are made."""

import os
import sys
from importlib.metadata import version
from types import ModuleType
from typing import Generic, TypeVar

import pytest

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.language.session import NotOffered
from stingy.transport import TargetError, locate
from stingy.transport.target import Target, distributions_by_package
from stingy.trial import Judge
from stingy.verdict import Evidence, Finding
from stingy_reference import Controller, ExponentialRateLimiter, Result, WorkQueue

DEFAULT = PROFILES["default_controller"]


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


class MadeWithoutArguments(ExponentialRateLimiter):
    def __init__(self, base_delay=1, max_delay=60):
        super().__init__(base_delay, max_delay)


class DefaultControllerRateLimiter(MadeWithoutArguments):
    pass


class ItsHeir(DefaultControllerRateLimiter):
    pass


def some_rate_limiter():
    return MadeWithoutArguments()


def default_controller_rate_limiter():
    return MadeWithoutArguments()


@pytest.mark.parametrize("thing", [MadeWithoutArguments, some_rate_limiter])
def test_what_happens_to_need_no_arguments_is_no_default_rate_limiter(candidate_of, thing):
    with pytest.raises(NotOffered, match="it is not called DefaultControllerRateLimiter"):
        candidate_of(thing).open(DEFAULT)


@pytest.mark.parametrize("thing", [DefaultControllerRateLimiter, ItsHeir, default_controller_rate_limiter])
def test_what_is_called_so_is_one(candidate_of, thing):
    candidate_of(thing).open(DEFAULT).close()


def test_what_is_no_rate_limiter_at_all_is_told_what_it_lacks(candidate_of):
    with pytest.raises(NotOffered, match="it has no forget, num_requeues and when"):
        candidate_of(WorkQueue).open(DEFAULT)


def any_argument(**options):
    return WorkQueue(**options)


class PassesAllOn(WorkQueue):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)


def test_a_function_that_takes_any_argument_offers_none(candidate_of):
    """It may hand them to nobody who knows them."""
    candidate_of(any_argument).open(PROFILES["queue"]).close()
    with pytest.raises(NotOffered, match="it cannot be made with queue"):
        candidate_of(any_argument).open(PROFILES["hook"], {"queue": {"hides": 0}})


def test_a_class_that_takes_any_argument_offers_what_it_can_pass_on(candidate_of):
    candidate_of(PassesAllOn).open(PROFILES["hook"], {"queue": {"hides": 0}}).close()


def test_a_class_with_its_type_parameters_filled_in_is_made_as_it_is_without(candidate_of):
    class Typed(WorkQueue, Generic[TypeVar("T")]):
        pass

    candidate_of(Typed[str]).open(PROFILES["hook"], {"queue": {"hides": 0}}).close()


class SetsItsMethods:
    def __init__(self):
        queue = WorkQueue()
        self.add, self.get, self.done = queue.add, queue.get, queue.done
        self.shut_down, self.shutting_down, self.length = queue.shut_down, queue.shutting_down, queue.__len__

    def __len__(self):
        return self.length()


class FindsItsMethods:
    def __init__(self):
        self.behind = WorkQueue()

    def __getattr__(self, name):
        return getattr(self.behind, name)

    def __len__(self):
        return len(self.behind)


class RequiresALimiter(WorkQueue):
    def __init__(self, rate_limiter):
        super().__init__()
        self.limiter = rate_limiter


@pytest.mark.parametrize("kind", [SetsItsMethods, FindsItsMethods, RequiresALimiter])
def test_what_the_object_offers_is_judged_whatever_its_class_has(candidate_of, kind):
    candidate_of(kind).open(PROFILES["queue"]).close()


def test_what_neither_the_class_nor_the_object_has_is_not_offered(candidate_of):
    for kind in (SetsItsMethods, FindsItsMethods):
        with pytest.raises(NotOffered, match="add_after"):
            candidate_of(kind).open(PROFILES["delay"])


class AdaptsSomebodysPackage(WorkQueue):
    distribution = "msgspec"


def test_what_adapts_a_package_has_its_name_and_version(candidate_of):
    candidate = candidate_of(AdaptsSomebodysPackage)
    assert (candidate.name, candidate.version) == ("msgspec", version("msgspec"))


class HasItsOwnIdeas(Controller):
    Result = Result

    def __init__(self, reconcile):
        super().__init__(reconcile)


class TakesWhatever(Controller):
    Result = Result

    def __init__(self, reconcile, **options):
        super().__init__(reconcile, **options)


ASKED = {
    "controller/a-key-that-is-added-is-reconciled": "PASS",
    "controller/no-more-at-once-than-it-may": "NOT-OFFERED",
    "outcomes/a-failure-is-retried": "NOT-OFFERED",
    "requeueing/requeue-after-brings-it-back": "PASS",
}


@pytest.mark.parametrize("rule_id", ASKED)
def test_a_controller_is_not_asked_about_what_it_does_not_take(candidate_of, rule_id):
    assert verdict_on(candidate_of(HasItsOwnIdeas), rule_id) == ASKED[rule_id]


@pytest.mark.parametrize("rule_id", ASKED)
def test_a_controller_that_takes_whatever_it_is_given_is_asked_about_it(candidate_of, rule_id):
    assert verdict_on(candidate_of(TakesWhatever), rule_id) == "PASS"


class HasToBeToldHowMany(Controller):
    Result = Result

    def __init__(self, reconcile, max_concurrent_reconciles, rate_limiter):
        super().__init__(
            reconcile, max_concurrent_reconciles=max_concurrent_reconciles, rate_limiter=rate_limiter
        )


@pytest.mark.parametrize("rule_id", ASKED)
def test_a_controller_that_has_to_be_told_how_many_workers_is_told(candidate_of, rule_id):
    assert verdict_on(candidate_of(HasToBeToldHowMany), rule_id) == "PASS"


def verdict_on(candidate, rule_id):
    (first, *_) = Judge(candidate, 1).verdicts(all_rules()[rule_id])
    return first.verdict


def test_an_entry_point_is_a_target_by_its_name_alone(tmp_path, monkeypatch):
    info = tmp_path / "my_queue-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-queue\nVersion: 1.5\n")
    (info / "top_level.txt").write_text("my_queue_candidates\n")
    (info / "entry_points.txt").write_text("[stingy.candidates]\nmine = my_queue_candidates:Queue\n")
    (tmp_path / "my_queue_candidates.py").write_text("from stingy_reference import WorkQueue as Queue\n")
    monkeypatch.syspath_prepend(tmp_path)
    candidate = locate("mine")
    assert (candidate.name, candidate.version) == ("Queue", "1.5")
    candidate.open(PROFILES["queue"]).close()
    candidate.close()
    del sys.modules["my_queue_candidates"]


class _Uncounted:
    """Has all that a queue has, but for a length."""

    def add(self, item): ...
    def get(self): ...
    def done(self, item): ...
    def shut_down(self): ...
    def shutting_down(self): ...


def _makes_one_uncounted():
    return _Uncounted()


@pytest.mark.parametrize("thing", [_Uncounted, _makes_one_uncounted])
def test_what_is_missing_is_named_as_it_is_to_be_written(candidate_of, thing):
    with pytest.raises(NotOffered, match=r"^it has no __len__$"):
        candidate_of(thing).open(PROFILES["queue"])


@pytest.mark.parametrize(
    ("target", "instead"),
    [
        ("./camel.py:Q", "write camel:Q"),
        ("camel.py:Q", "write camel:Q"),
        ("pkg/camel.py:Q", "write pkg.camel:Q"),
        ("pkg\\camel.py:Q", "write pkg.camel:Q"),
        (".camel:Q", "write MODULE:OBJECT"),
        ("../other/camel.py", "write camel, and run this in ../other"),
        ("/some/where/camel.py:Q", "write camel:Q, and run this in /some/where"),
        ("./", "write MODULE:OBJECT"),
    ],
)
def test_who_names_a_path_is_told_the_name_of_the_module(target, instead, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "camel.py").touch()
    path = target.partition(":")[0]
    with pytest.raises(TargetError) as refused:
        Target.named(target)
    assert str(refused.value).startswith(
        f"{path!r} is a path, but a module is imported by its name: {instead}"
    )


def test_to_fetch_a_method_is_a_call_of_the_candidates_own_code(request):
    candidate = locate("stingy_sound.oddities.shapes:Forwarded", 1)
    request.addfinalizer(candidate.close)
    (verdict,) = Judge(candidate, 1).verdicts(all_rules()["handing_out/an-added-item-is-handed-out"])
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)


def test_a_package_that_is_installed_later_is_seen(tmp_path, monkeypatch):
    """On another path, and on the same one: a notebook or ``stingy watch`` lives through an installation."""
    monkeypatch.syspath_prepend(tmp_path)
    for number, package in enumerate(("installed_first", "installed_later"), 1):
        assert package not in distributions_by_package()
        installed = tmp_path / f"{package}-1.0.dist-info"
        installed.mkdir()
        (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (installed / "top_level.txt").write_text(f"{package}\n")
        os.utime(
            tmp_path, ns=(number, number)
        )  # two changes may come within one tick of the file system's clock
        assert distributions_by_package()[package] == [package]
