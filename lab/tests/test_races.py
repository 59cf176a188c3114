"""Each fault that only some orders show is found, reported the same each time, and reproduced by its token."""

import pytest

from racing import MODULES, family, faults, what_is_wrong


@pytest.mark.budget(40)
@pytest.mark.parametrize("module", MODULES)
def test_a_fault_is_told_the_same_way_each_time_and_found_again_by_its_token(module):
    broken = [cls for cls in faults().values() if family(cls) == module]
    assert broken
    wrong = {cls.__name__: what_is_wrong(cls) for cls in broken}
    assert {name: why for name, why in wrong.items() if why} == {}
