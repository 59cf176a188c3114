"""The table of ops matches the contract, which spells them out for authors of candidates."""

import inspect

from stingy import contract
from stingy.contract import PROFILES
from stingy.contract.ops import OPS, OPTIONAL, WITHIN, of
from stingy.transport.protocol import VALUES
from stingy.transport.target import method

PROTOCOLS = [it for it in vars(contract).values() if getattr(it, "_is_protocol", False)]


def spelt_out(op):
    """Yield the number of parameters and the names of the options of each method for this op."""
    name = method(op.name)
    for signature in (inspect.signature(vars(it)[name]) for it in PROTOCOLS if name in vars(it)):
        _, *parameters = signature.parameters.values()
        yield len(parameters), [it.name for it in parameters if it.kind is it.KEYWORD_ONLY]


def test_the_contract_has_the_arguments_of_each_op():
    wrong = []
    for op in OPS.values():
        due = len(op.arguments), [argument.option for argument in op.arguments if argument.option]
        found = list(spelt_out(op))
        if not op.told and (not found or any(it != due for it in found)):
            wrong.append(f"{op.name} goes with {due}, the contract spells out {found}")
    assert wrong == []


def test_everything_in_the_contract_has_a_docstring():
    """A dataclass without a docstring has its signature as ``__doc__``, which does not count."""
    kinds = [
        it for it in vars(contract).values() if isinstance(it, type) and it.__module__ == contract.__name__
    ]
    methods = [it for kind in kinds for name, it in vars(kind).items() if name == "__len__" or name[0] != "_"]
    promises = [it for it in methods if inspect.isfunction(it) or isinstance(it, property)]
    assert promises
    assert [it for it in promises if not it.__doc__] == []
    assert [it for it in kinds if not it.__doc__ or it.__doc__.startswith(f"{it.__name__}(")] == []


def test_every_op_belongs_to_a_profile():
    offered = {op for profile in PROFILES.values() for op in profile.ops | profile.tells}

    assert offered | OPTIONAL == OPS.keys()
    assert {profile for op in OPS.values() for profile in op.profiles} <= {
        it.name for it in PROFILES.values()
    }


def test_a_sample_has_the_keys_of_its_op():
    for op in OPS.values():
        if op.sample is not None:
            assert list(op.sample) == [argument.key for argument in op.arguments], op.name


def test_an_answer_with_an_item_begins_with_it_and_ends_with_the_shutdown():
    for op in OPS.values():
        if op.hands_out:
            first, *_, last = op.result.__struct_fields__
            assert (first, last) == ("item", "shutdown"), op.name


def test_only_ops_without_a_value_answer_null():
    assert {
        op.name for op in OPS.values() if not op.answer.startswith("`null`")
    } == VALUES.keys() & OPS.keys()
    assert OPS["get"].due == '{"item": "a", "shutdown": false}'
    assert OPS["update"].due == "true if the call changed something"


def test_each_part_belongs_to_a_profile():
    assert [op.name for op in of("limiter")] == ["forget", "num_requeues", "when"]
    assert {WITHIN[part] for part in WITHIN} <= PROFILES.keys()
