"""Which candidates get a process from the judge; what hostile ones do to it is tried in the lab."""

import pytest

from stingy.isolation import reach
from stingy.request import Request
from stingy.transport import TargetError


def test_a_driver_is_started_by_its_command_and_needs_no_other_process():
    with pytest.raises(TargetError, match="there is no command"):
        reach(Request("cmd:no-such-command", isolate=True))
