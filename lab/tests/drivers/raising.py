"""The reference, one of whose calls raises: which, says RAISE_AT. As a driver, python raising.py, it is told by raise_at.

It is said in the environment, which stays as it is when a session begins with this module anew.
"""

import os
import sys

from served import Served, answer, serve

import stingy_reference
from stingy.contract import PROFILES
from stingy.transport.target import method

OPS = {op for profile in PROFILES.values() for op in profile.ops}
AT = "RAISE_AT"


def may_raise(op, does):
    def call(self, *args, **opts):
        if op == os.environ.get(AT):
            raise LookupError("not today")
        return does(self, *args, **opts)

    return call


def guarded(kind):
    calls = {method(op): op for op in OPS if callable(getattr(kind, method(op), None))}
    does = {name: may_raise(op, getattr(kind, name)) for name, op in calls.items()}
    return type(kind.__name__, (kind,), {"__module__": __name__} | does)


def __getattr__(name):
    """As in the reference; made when it is first asked for, and the same from then on."""
    thing = getattr(stingy_reference, name)
    calls = isinstance(thing, type) and not OPS.isdisjoint(dir(thing))
    globals()[name] = made = guarded(thing) if calls else thing
    return made


class Raising(Served):
    def on_raise_at(self, id_, request):
        os.environ[AT] = request["at"]
        answer(id_)

    def call(self, id_, request):
        if request["op"] == os.environ.get(AT) and request["op"] not in OPS:
            answer(id_, error={"kind": "raised", "text": "not today"})
        else:
            super().call(id_, request)


if __name__ == "__main__":
    sys.modules["raising"] = sys.modules["__main__"]
    serve(Raising("raising"))
