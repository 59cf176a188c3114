"""The reference with one call that raises, named by RAISE_AT.

``python raising.py`` is a driver of it, and takes the name from raise_at. The environment holds the
name, because the environment stays as it is when a session imports this module again.
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
    """Return a class of the reference, guarded if it has calls; each is made once."""
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
