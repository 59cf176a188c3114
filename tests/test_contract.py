"""The contract says of everything that it has what it promises."""

import inspect

import pytest

from stingy import contract

PROTOCOLS = [
    thing
    for thing in vars(contract).values()
    if inspect.isclass(thing) and thing.__module__ == contract.__name__
]
METHODS = [
    pytest.param(method, id=f"{thing.__name__}.{name}")
    for thing in PROTOCOLS
    for name, method in vars(thing).items()
    if (name == "__len__" or not name.startswith("_"))
    and (inspect.isfunction(method) or isinstance(method, property))
]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_what_it_promises(method):
    assert method.__doc__


@pytest.mark.parametrize("thing", PROTOCOLS, ids=lambda thing: thing.__name__)
def test_every_class_says_what_it_is_for(thing):
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{thing.__name__}(")
