"""The contract says of everything that it has what it promises."""

import inspect

from stingy import contract

PROTOCOLS = [
    thing
    for thing in vars(contract).values()
    if inspect.isclass(thing) and thing.__module__ == contract.__name__
]
METHODS = {
    f"{thing.__name__}.{name}": method
    for thing in PROTOCOLS
    for name, method in vars(thing).items()
    if (name == "__len__" or not name.startswith("_"))
    and (inspect.isfunction(method) or isinstance(method, property))
}


def test_every_method_says_what_it_promises():
    assert METHODS
    assert [name for name, method in METHODS.items() if not method.__doc__] == []


def test_every_class_says_what_it_is_for():
    """A dataclass without a docstring gets its signature for one."""
    assert PROTOCOLS
    undocumented = [it for it in PROTOCOLS if not it.__doc__ or it.__doc__.startswith(f"{it.__name__}(")]
    assert undocumented == []
