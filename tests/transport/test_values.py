"""Items that are no texts: a name is given as what it spells, and comes back as a name."""

from typing import ClassVar

import pytest

from stingy.contract import PROFILES
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue


class Noting(WorkQueue):
    """Notes what it is given."""

    given: ClassVar = []

    def __init__(self):
        super().__init__()

    def add(self, item):
        self.given.append(item)
        super().add(item)


@pytest.mark.parametrize("queue", [Noting, AsyncWorkQueue])
@pytest.mark.parametrize("name", ["7", "7.0", "'7'", "True", "None", "b'web'", "('shop', 'web')"])
def test_a_name_comes_back_as_it_went(queue, name):
    candidate = InProcess(queue, 1)
    session = candidate.open(PROFILES["values"], {"values": True})
    session.settle(session.call("producer", "add", f"salt-{name}"))
    got = session.call("worker", "get")
    session.settle(got)
    assert got.value == (name, False)
    session.settle(session.call("worker", "done", f"salt-{name}"))
    length = session.call("producer", "len")
    session.settle(length)
    assert length.value == 0
    session.close()
    candidate.close()


def test_the_candidate_is_given_what_the_name_spells():
    Noting.given.clear()
    candidate = InProcess(Noting, 1)
    session = candidate.open(PROFILES["values"], {"values": True})
    session.settle(session.call("producer", "add", "salt-('shop', 7)"))
    session.close()
    candidate.close()
    assert Noting.given == [("shop", 7)]
