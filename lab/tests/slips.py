"""Mutants with small slips in a module: another comparison, another sign, a number off by one.

The operators are the classic ones (Offutt et al., 1996) as far as they fit Python; ``mutants`` has
those of concurrent programming.
"""

import ast
import copy
import inspect

from mutants import is_docstring, text_of

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.LShift: ast.RShift}
CALLS = {
    "min": "max",
    "max": "min",
    "sum": "max",
    "inc": "dec",
    "dec": "inc",
    "notify": "notify_all",
    "notify_all": "notify",
}


def slips(module):
    """Return the source of each different mutant, by a name that describes the change and its place."""
    return slips_of(inspect.getsource(module))


def slips_of(text, only=None):
    """Return the mutants of a module; with ``only``, of these functions."""
    whole = ast.parse(text)
    for number, node in enumerate(ast.walk(whole)):
        node.number = number
    plain, found = ast.unparse(whole), {}
    for where, function in _functions(whole):
        if only is not None and where not in only:
            continue
        for node in ast.walk(function):
            for what, change in _changes(node):
                mutant = copy.deepcopy(whole)
                change(next(other for other in ast.walk(mutant) if other.number == node.number))
                source = ast.unparse(ast.fix_missing_locations(mutant))
                name = f"{where}: {what}"
                if source != plain and source not in found.values():
                    found[name + " " * sum(it.strip() == name for it in found)] = source
    return found


def _functions(whole):
    for node in whole.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not _is_protocol(node):
            yield from (
                (f"{node.name}.{it.name}", it)
                for it in node.body
                if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)
            )


def _is_protocol(node):
    return any(ast.unparse(base) == "Protocol" for base in node.bases)


def _changes(node):
    match node:
        case ast.Compare(ops=[op]):
            yield f"`{ast.unparse(node)}` compares otherwise", _set("ops", [COMPARISONS[type(op)]()])
        case ast.BinOp(op=op) if type(op) in SIGNS:
            yield f"`{ast.unparse(node)}` with another sign", _set("op", SIGNS[type(op)]())
        case ast.BoolOp(op=op):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"`{ast.unparse(node)}` with the other junction", _set("op", other)
            for part in node.values:
                yield f"`{ast.unparse(node)}` without `{ast.unparse(part)}`", _leave_out(ast.unparse(part))
        case ast.UnaryOp(op=ast.USub()):
            yield f"`{ast.unparse(node)}` without its sign", _set("op", ast.UAdd())
        case ast.Constant(value=bool(value)):
            yield f"`{value}` is the other one", _set("value", not value)
        case ast.Constant(value=int(value) | float(value)):
            yield f"`{value}` and one", _set("value", value + 1)
        case ast.Name(id=name) if name in CALLS:
            yield f"`{name}` is `{CALLS[name]}`", _set("id", CALLS[name])
        case ast.Attribute(attr=name) if name in CALLS:
            yield f"`{ast.unparse(node)}` is `{CALLS[name]}`", _set("attr", CALLS[name])
        case ast.If() | ast.While() | ast.IfExp():
            yield f"`{ast.unparse(node.test)}` is not so", _negated
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        for n, statement in enumerate(statements if isinstance(statements, list) else ()):
            if not is_docstring(statement) and not isinstance(statement, ast.Pass | ast.With):
                yield f"without `{text_of(statement)}`", _passed(field, n)


def _set(field, value):
    return lambda node: setattr(node, field, value)


def _leave_out(part):
    def change(node):
        node.values = [value for value in node.values if ast.unparse(value) != part] or node.values

    return change


def _negated(node):
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _passed(field, n):
    def change(node):
        getattr(node, field)[n] = ast.Pass()

    return change
