"""TARGET in this process: its kind, the profiles that it offers, and the creation of a candidate."""

import os
import sys
from functools import partial
from importlib.metadata import version
from typing import Generic, TypeVar

import pytest

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.judging.isolation import reach
from stingy.judging.verdict import Evidence, Finding
from stingy.language.session import NotOffered
from stingy.request import Request
from stingy.transport import TargetError, locate
from stingy.transport.target import Target, distribution_of
from stingy_reference import Controller, ExponentialRateLimiter, Result, WorkQueue

QUEUE, HOOK, DEFAULT = (PROFILES[name] for name in ("queue", "hook", "default_controller"))
HIDES = {"queue": {"hides": 0}}
"""Options for a queue of the profile hook."""


class MadeWithoutArguments(ExponentialRateLimiter):
    def __init__(self, base_delay=1, max_delay=60):
        super().__init__(base_delay, max_delay)


class DefaultControllerRateLimiter(MadeWithoutArguments):
    pass


class Subclass(DefaultControllerRateLimiter):
    pass


def some_rate_limiter():
    return MadeWithoutArguments()


def default_controller_rate_limiter():
    return MadeWithoutArguments()


class PassesAllOn(WorkQueue):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)


def any_argument(**options):
    return WorkQueue(**options)


class HasPropertiesForMethods(WorkQueue):
    get = property(lambda self: partial(WorkQueue.get, self))
    __len__ = property(lambda self: partial(WorkQueue.__len__, self))


class RaisesInAProperty(WorkQueue):
    @property
    def get(self):
        raise AttributeError


class Typed(WorkQueue, Generic[TypeVar("T")]):
    pass


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


class Uncounted:
    """A queue with all methods except ``__len__``."""

    add = get = done = shut_down = shutting_down = lambda *_: None


def make_uncounted():
    return Uncounted()


@pytest.mark.parametrize(
    ("thing", "profile", "options"),
    [
        (DefaultControllerRateLimiter, DEFAULT, {}),
        (Subclass, DEFAULT, {}),
        (default_controller_rate_limiter, DEFAULT, {}),
        (any_argument, QUEUE, {}),
        (PassesAllOn, HOOK, HIDES),
        (HasPropertiesForMethods, QUEUE, {}),
        (Typed[str], HOOK, HIDES),
        (SetsItsMethods, QUEUE, {}),
        (FindsItsMethods, QUEUE, {}),
        (RequiresALimiter, QUEUE, {}),
    ],
)
def test_a_profile_is_offered(candidate_of, thing, profile, options):
    candidate_of(thing).open(profile, options).close()


@pytest.mark.parametrize(
    ("thing", "profile", "why"),
    [
        (MadeWithoutArguments, DEFAULT, "it is not called DefaultControllerRateLimiter"),
        (some_rate_limiter, DEFAULT, "it is not called DefaultControllerRateLimiter"),
        (WorkQueue, DEFAULT, "it has no forget, num_requeues and when"),
        (any_argument, HOOK, "it cannot be made with queue"),
        (SetsItsMethods, PROFILES["delay"], "add_after"),
        (FindsItsMethods, PROFILES["delay"], "add_after"),
        (RaisesInAProperty, QUEUE, r"^it has no get$"),
        (Uncounted, QUEUE, r"^it has no __len__$"),
        (make_uncounted, QUEUE, r"^it has no __len__$"),
    ],
)
def test_a_profile_is_not_offered(candidate_of, thing, profile, why):
    """A function that takes any argument may pass it on to a class that does not know it."""
    with pytest.raises(NotOffered, match=why):
        candidate_of(thing).open(profile, HIDES if profile is HOOK else {})


class AdaptsAPackage(WorkQueue):
    distribution = "msgspec"


def test_an_adapter_has_the_name_and_version_of_its_package(candidate_of):
    candidate = candidate_of(AdaptsAPackage)
    assert (candidate.name, candidate.version) == ("msgspec", version("msgspec"))


class TakesNoOptions(Controller):
    Result = Result

    def __init__(self, reconcile):
        super().__init__(reconcile)


class TakesAnyOption(Controller):
    Result = Result

    def __init__(self, reconcile, **options):
        super().__init__(reconcile, **options)


class RequiresOptions(Controller):
    Result = Result

    def __init__(self, reconcile, max_concurrent_reconciles, rate_limiter):
        more = {"max_concurrent_reconciles": max_concurrent_reconciles, "rate_limiter": rate_limiter}
        super().__init__(reconcile, **more)


ASKED = {
    "controller/a-key-that-is-added-is-reconciled": Finding.PASS,
    "controller/no-more-at-once-than-it-may": Finding.NOT_OFFERED,
    "outcomes/a-failure-is-retried": Finding.NOT_OFFERED,
    "requeueing/requeue-after-brings-it-back": Finding.PASS,
}
"""Findings about a controller without options."""


@pytest.mark.parametrize("rule_id", ASKED)
@pytest.mark.parametrize("kind", [TakesNoOptions, TakesAnyOption, RequiresOptions])
def test_a_controller_is_asked_only_about_options_that_it_takes(judge_of, kind, rule_id):
    (first, *_) = judge_of(kind).verdicts(all_rules()[rule_id])
    assert first.verdict is (ASKED[rule_id] if kind is TakesNoOptions else Finding.PASS)


def install(folder, name, package, entry_points=""):
    """Write the metadata that an installation of a package leaves, into a folder of ``sys.path``."""
    info = folder / f"{name}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (info / "top_level.txt").write_text(f"{package}\n")
    (info / "entry_points.txt").write_text(entry_points)


def test_an_entry_point_is_a_target_by_its_name_alone(tmp_path, monkeypatch):
    entry_point = "[stingy.candidates]\nmine = my_queue_candidates:Queue\n"
    install(tmp_path, "my_queue", "my_queue_candidates", entry_point)
    (tmp_path / "my_queue_candidates.py").write_text("from stingy_reference import WorkQueue as Queue\n")
    monkeypatch.syspath_prepend(tmp_path)
    candidate = locate("mine")
    assert (candidate.name, candidate.version) == ("Queue", "1.5")
    candidate.open(QUEUE).close()
    candidate.close()
    del sys.modules["my_queue_candidates"]


def test_a_package_that_is_installed_later_is_found(tmp_path, monkeypatch):
    """The process, such as ``stingy watch``, may have begun before the installation."""
    monkeypatch.syspath_prepend(tmp_path)
    for number, package in enumerate(("installed_first", "installed_later"), 1):
        assert distribution_of(package) == ""
        install(tmp_path, package, package)
        # Two changes may come within one tick of the file system's clock.
        os.utime(tmp_path, ns=(number, number))
        assert distribution_of(package) == package


def test_a_package_is_found_by_the_files_of_its_distribution(tmp_path, monkeypatch):
    install(tmp_path, "installed", "installed")
    info = tmp_path / "installed-1.5.dist-info"
    (info / "top_level.txt").unlink()
    (info / "RECORD").write_text(
        'one_file.py,,\na_folder/file.py,,\n"a_folder/a, b.py",,\ndata/other.txt,,\n'
    )
    (tmp_path / "a_folder").mkdir()
    for file in ("one_file.py", "a_folder/file.py", "a_folder/a, b.py"):
        (tmp_path / file).touch()  # Python 3.13 looks whether they exist
    monkeypatch.syspath_prepend(tmp_path)
    names = ("one_file", "a_folder", "data", "other", "file", "a_fold")
    assert [distribution_of(name) for name in names] == ["installed", "installed", "", "", "", ""]


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
def test_a_path_is_refused_with_the_name_of_its_module(target, instead, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "camel.py").touch()
    path = target.partition(":")[0]
    with pytest.raises(TargetError) as refused:
        Target.named(target)
    says = f"{path!r} is a path, but a module is imported by its name: {instead}"
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("name", "whose"),
    [("queue", "of the standard library"), ("stingy", "that stingy needs"), ("click", "that stingy needs")],
)
def test_a_file_in_whose_place_another_module_is_imported_is_refused(name, whose, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / f"{name}.py").write_text("class Q: pass\n")
    monkeypatch.chdir(folder)
    with pytest.raises(TargetError) as refused:
        Target.named(f"{name}:Q")
    says = f"{name}.py has the name of a module {whose}: rename it, or run this in {tmp_path} and write mine.{name}:Q"
    assert str(refused.value) == says


def test_fetching_a_method_may_run_the_candidates_code(judge_of):
    judge = judge_of("stingy_sound.oddities.shapes:Forwarded")
    verdict = judge.verdict(all_rules()["handing_out/an-added-item-is-handed-out"])
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)


def test_a_driver_is_started_by_its_command_and_not_isolated():
    with pytest.raises(TargetError, match="there is no command"):
        reach(Request("cmd:no-such-command", isolate=True))
