"""Mutants with common mistakes in concurrent code, made from the source of a class with one lock.

The operators are those of ConMAn (Bradbury, Cordy and Dingel, 2006), as far as they fit Python. A
critical region is split, shrunk, left out, or guarded by a lock that no other thread uses. A notify
is dropped, weakened, strengthened, or sent to another condition. A wait gets a time-out; a while
becomes an if; a test is moved before the lock, or loses a part; a statement is dropped, or swapped
with the next.
"""

import ast
import copy
import inspect


def mutants(cls):
    """Return the source of each different mutant, by a name that describes the change."""
    return mutants_of(inspect.getsource(inspect.getmodule(cls)), cls.__name__)


def mutants_of(text, name, only=None):
    """Return the mutants of a class; with ``only``, of these methods."""
    whole = ast.parse(text)
    place = next(
        n for n, node in enumerate(whole.body) if isinstance(node, ast.ClassDef) and node.name == name
    )
    methods = [
        (n, node)
        for n, node in enumerate(whole.body[place].body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    conditions = [name for _, method in methods if method.name == "__init__" for name in _conditions(method)]
    found, seen = {}, {ast.unparse(whole)}
    for n, method in methods:
        if only is not None and method.name not in only:
            continue
        operators = _IN_INIT if method.name == "__init__" else _IN_METHODS
        for what, changed in _changed(method, operators, conditions):
            mutant = copy.deepcopy(whole)
            mutant.body[place].body[n] = changed
            source = ast.unparse(ast.fix_missing_locations(mutant))
            if source not in seen:
                seen.add(source)
                found[f"{method.name}: {what}"] = source
    return found


def _changed(method, operators, conditions):
    for operator in operators:
        for path, node in list(_blocks(method)):
            yield from _applied(operator, method, path, node)
    yield from _for_others(method, conditions)


def _applied(operator, method, path, node):
    for what, change in operator(node):
        changed = copy.deepcopy(method)
        change(_at(changed, path))
        yield what, changed


def _blocks(node, path=()):
    """Yield each list of statements within others, and the path to it."""
    yield path, node
    for name in ("body", "orelse"):
        for n, child in enumerate(getattr(node, name, ())):
            if hasattr(child, "body"):
                yield from _blocks(child, (*path, (name, n)))


def _at(node, path):
    for name, n in path:
        node = getattr(node, name)[n]
    return node


def text_of(statement):
    return ast.unparse(statement).splitlines()[0]


def _locks(statement):
    return isinstance(statement, ast.With)


def _split(node):
    """Split a critical region in two."""
    for n, region in enumerate(node.body):
        for at in range(1, len(region.body)) if _locks(region) else ():

            def change(node, n=n, at=at):
                first = node.body[n]
                second = copy.deepcopy(first)
                first.body, second.body = first.body[:at], second.body[at:]
                node.body.insert(n + 1, second)

            yield f"the lock is let go before `{text_of(region.body[at])}`", change


def _shrunk(node):
    """Move the first or the last statement of a critical region out of it."""
    for n, region in enumerate(node.body):
        if not _locks(region):
            continue
        for at in range(1, len(region.body) + 1):

            def head(node, n=n, at=at):
                region = node.body[n]
                node.body[n : n + 1] = [*region.body[:at], *([region] if region.body[at:] else [])]
                region.body = region.body[at:]

            def tail(node, n=n, at=at):
                region = node.body[n]
                node.body[n : n + 1] = [*([region] if region.body[:-at] else []), *region.body[-at:]]
                region.body = region.body[:-at]

            yield f"no lock up to `{text_of(region.body[at - 1])}`", head
            if at < len(region.body):
                yield f"no lock from `{text_of(region.body[-at])}`", tail


def _kept(node):
    """Release the lock at the end of the region only, so that an early return keeps it."""
    for n, region in enumerate(node.body):
        last = _locks(region) and isinstance(region.body[-1], ast.Return)
        if _locks(region) and sum(isinstance(it, ast.Return) for it in ast.walk(region)) > last:

            def change(node, n=n, last=last):
                region = node.body[n]
                lock = ast.unparse(region.items[0].context_expr)
                region.body.insert(len(region.body) - last, *ast.parse(f"{lock}.release()").body)
                node.body[n : n + 1] = [*ast.parse(f"{lock}.acquire()").body, *region.body]

            yield "the lock is kept by whoever returns early", change


def _tested_early(node):
    """Move a test before the lock is taken."""
    for n, region in enumerate(node.body):
        for at, test in enumerate(region.body) if _locks(region) else ():
            if isinstance(test, ast.If | ast.While):

                def change(node, n=n, at=at):
                    test = node.body[n].body[at]
                    node.body.insert(n, ast.Assign([ast.Name("early", ast.Store())], test.test))
                    node.body[n + 1].body[at] = ast.If(ast.Name("early", ast.Load()), test.body, [])

                yield f"`{text_of(test)}` is asked before the lock is taken", change


def _halved(node):
    """Drop a part of a test."""
    for n, test in enumerate(node.body):
        parts = test.test.values if isinstance(getattr(test, "test", None), ast.BoolOp) else ()
        for part in range(len(parts)):

            def change(node, n=n, part=part):
                node.body[n].test = node.body[n].test.values[part]

            yield f"`{text_of(test)}` asks only for `{ast.unparse(parts[part])}`", change


def _each(matches, says, change):
    """Return an operator that changes each statement that matches.

    ``change`` gets the body and the number of the statement in it.
    """

    def operator(node):
        for n, statement in enumerate(node.body):
            if matches(node.body, n):
                following = node.body[n + 1] if n + 1 < len(node.body) else statement
                what = says.format(text_of(statement), text_of(following))
                yield what, lambda node, n=n: change(node.body, n)

    return operator


def _calls(*names):
    return lambda body, n: _called(body[n]) in names


def _own_lock(body, n):
    body[n].items[0].context_expr = ast.Call(ast.Name("Lock", ast.Load()), [], [])


def _drop(body, n):
    body[n] = ast.Pass()


def _swap(body, n):
    body[n], body[n + 1] = body[n + 1], body[n]


def _notify_otherwise(body, n):
    called = body[n].value.func
    called.attr = "notify" if called.attr == "notify_all" else "notify_all"


def _time_out(body, n):
    body[n].value.args = [ast.Constant(1)]


def _look_once(body, n):
    body[n] = ast.If(body[n].test, body[n].body, [])


def _for_others(method, conditions):
    """Use one condition in place of another."""
    named = [n for n, node in enumerate(ast.walk(method)) if getattr(node, "attr", "") in conditions]
    for n in named if method.name != "__init__" else ():
        for other in conditions:
            changed = copy.deepcopy(method)
            attribute = list(ast.walk(changed))[n]
            said = f"`self.{attribute.attr}` is taken for `self.{other}`"
            attribute.attr = other
            yield said, changed


def _shared(node):
    """Merge two conditions into one."""
    made = _conditions(node)
    for n, statement in enumerate(node.body):
        if isinstance(statement, ast.Assign) and statement.targets[0].attr in made[1:]:

            def change(node, n=n):
                node.body[n].value = ast.parse(f"self.{made[0]}", mode="eval").body

            yield f"`{text_of(statement)}` is `self.{made[0]}`", change


def _is_plain(body, n):
    return not _locks(body[n]) and not is_docstring(body[n])


def _has_next(body, n):
    return n + 1 < len(body) and not is_docstring(body[n])


_IN_METHODS = (
    _split,
    _shrunk,
    _each(lambda body, n: _locks(body[n]), "a lock of its own", _own_lock),
    _kept,
    _tested_early,
    _halved,
    _each(_is_plain, "without `{}`", _drop),
    _each(_has_next, "`{}` after `{}`", _swap),
    _each(_calls("notify", "notify_all"), "`{}` the other way", _notify_otherwise),
    _each(_calls("wait"), "`{}` for a second at most", _time_out),
    _each(lambda body, n: isinstance(body[n], ast.While), "`{}` but once", _look_once),
)
_IN_INIT = (_shared,)


def _conditions(init):
    """Return the names of attributes that are conditions."""
    return [
        node.targets[0].attr
        for node in init.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "Condition"
    ]


def _called(statement):
    """Return the method that a statement calls, if it does nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
