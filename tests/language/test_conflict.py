"""The conflict that a report names, found in recorded accesses."""

import msgspec
from msgspec.json import decode, encode

from stingy.language.conflict import Access, Conflict, Cut, Touch, find_conflict

TURNS = ["worker 1", "worker 2", "worker 1"]
"""The threads of the turns: worker 1 is interrupted in turn 0, and goes on in turn 2."""


def touch(turn, does, what, line, *, step=1, call=1, place=None):
    access = Access(TURNS[turn], does, what, "queue.py", line, "get")
    return Touch(access, place or what, place or what, call, turn, step, ((line, 0),))


INTERRUPTION = Cut(1, 0, 9)


def found(*touches, cuts=(INTERRUPTION,)):
    return str(find_conflict(touches, cuts, TURNS))


CHECK = touch(0, "reads", "self._items", 17)
OTHERS_ACT = touch(1, "changes", "self._items", 18)
ACT = touch(2, "changes", "self._items", 18)


def test_a_check_and_an_act_with_a_change_between_them_conflict():
    assert found(CHECK, OTHERS_ACT, ACT) == (
        "worker 1 reads self._items at queue.py:17 (get), "
        "then worker 2 changes it at queue.py:18 (get), "
        "before worker 1 changes it at queue.py:18 (get)"
    )


def test_a_read_between_two_changes_sees_what_is_not_finished():
    half = [touch(0, "changes", "total", 1), touch(1, "reads", "total", 5), touch(2, "changes", "total", 2)]
    assert found(*half).startswith("worker 1 changes total at queue.py:1 (get), then worker 2 reads it")


def test_reads_do_not_conflict():
    assert found(CHECK, touch(1, "reads", "self._items", 18), ACT) == "None"


def test_places_of_the_same_name_are_not_the_same_place():
    """Two objects may have an attribute of the same name."""
    assert found(CHECK, touch(1, "changes", "self._items", 18, place="of another queue"), ACT) == "None"


def test_another_name_of_the_same_place_is_given():
    alias = touch(2, "changes", "items", 19, place="self._items")
    alias = msgspec.structs.replace(alias, variable="items of the function")
    assert found(CHECK, OTHERS_ACT, alias).endswith(
        "before worker 1 changes it as items at queue.py:19 (get)"
    )


def test_accesses_of_another_call_are_left_out():
    """Between two calls, a correct queue may be changed as well."""
    assert found(CHECK, OTHERS_ACT, touch(2, "changes", "self._items", 18, call=2)) == "None"
    assert found(touch(0, "reads", "self._items", 17, call=0), OTHERS_ACT, ACT) == "None"


def test_an_access_in_another_round_of_a_loop_is_left_out():
    assert found(CHECK, OTHERS_ACT, touch(2, "changes", "self._items", 16)) == "None"


def test_what_other_threads_do_after_the_thread_goes_on_is_left_out():
    turns = [*TURNS, "worker 2"]
    late = Touch(OTHERS_ACT.access, "self._items", "self._items", 1, 3, 1)
    assert find_conflict([CHECK, ACT, late], [INTERRUPTION], turns) is None


def test_without_an_interruption_nothing_is_said():
    assert found(CHECK, OTHERS_ACT, ACT, cuts=()) == "None"


def test_two_variables_conflict_if_each_is_used_on_either_side_of_the_other_call():
    """Worker 1 comes before worker 2 by the first variable, and after it by the other one."""
    flag = touch(0, "reads", "self._closed", 16), touch(1, "changes", "self._closed", 30)
    told = found(*flag, touch(1, "reads", "self._items", 31), ACT)
    assert told == (
        "worker 1 reads self._closed at queue.py:16 (get), "
        "then worker 2 changes it at queue.py:30 (get), "
        "before worker 1 changes self._items at queue.py:18 (get)"
    )
    assert found(*flag, ACT) == "None", "worker 2 has not used the other variable: it may as well come last"


def test_the_last_step_before_an_interruption_is_certain_by_itself():
    """The interruption comes as early as possible: one step earlier, and the rule is kept."""
    flag = touch(0, "reads", "self._closed", 16, step=9), touch(1, "changes", "self._closed", 30)
    assert found(*flag, ACT).endswith(
        "then worker 2 changes it at queue.py:30 (get), before worker 1 goes on"
    )


def test_the_access_nearest_to_the_interruption_is_named():
    flag = touch(0, "reads", "self._closed", 16), touch(1, "changes", "self._closed", 30)
    again = touch(2, "reads", "self._closed", 20)
    assert found(*flag, CHECK, OTHERS_ACT, ACT, again).startswith("worker 1 reads self._items")
    assert found(CHECK, *flag, OTHERS_ACT, ACT, again).startswith("worker 1 reads self._closed")


def test_of_several_variables_used_under_a_lock_none_is_named_if_any_may_matter():
    """The last step has released the lock, so all accesses under it came before the other thread's."""
    flag = touch(0, "reads", "self._closed", 16), touch(1, "changes", "self._closed", 30)
    count = touch(0, "reads", "self._count", 15), touch(1, "changes", "self._count", 29)
    looks = touch(1, "reads", "self._items", 31)
    assert found(*flag, looks, ACT).startswith("worker 1 reads self._closed")
    assert found(*count, *flag, looks, ACT) == "None"
    assert found(*count, *flag, looks, CHECK, OTHERS_ACT, ACT).startswith("worker 1 reads self._items")


def test_nothing_is_said_of_accesses_before_a_step_that_may_have_touched_anything():
    assert found(CHECK, OTHERS_ACT, ACT, cuts=[Cut(1, 0, 9, unknown=2)]) == "None"


def test_a_wait_for_a_lock_is_a_gap_as_well_but_an_interruption_explains_more():
    """By itself, the last step before a wait is not certain: no earlier wait was tried."""
    waits = Cut(1, 0, 9, waits=True)
    assert found(CHECK, OTHERS_ACT, ACT, cuts=[waits]).startswith("worker 1 reads self._items")
    last = touch(0, "reads", "self._closed", 16, step=9), touch(1, "changes", "self._closed", 30)
    assert found(*last, cuts=[waits]) == "None"
    assert "goes on" in found(*last, cuts=[INTERRUPTION, waits])


def test_of_several_interruptions_the_last_one_with_a_conflict_counts():
    last = Cut(1, 2, 12)
    assert found(CHECK, OTHERS_ACT, ACT, cuts=[INTERRUPTION, last]).startswith("worker 1 reads self._items")


def test_a_text_of_a_report_from_elsewhere_cannot_control_the_terminal():
    access = Access("\x1b[2J", "reads", "\x1b[2J", "\x1b[2J", 1, "\x1b[2J")
    read = decode(encode(Conflict(access, access, access)), type=Conflict)
    assert "\x1b" not in str(read)
