"""What the usual slips of concurrent programming make of a class with one lock, derived from its source.

The operators are those of ConMAn (Bradbury, Cordy and Dingel, 2006), as far as they fit Python: a critical
region is split, shrunk, left out, or guarded by a lock that nobody shares; a notify is dropped, weakened or
strengthened, or goes to those who wait for something else; a wait gets a time-out; a while becomes an if; a
test is made before the lock is taken, or by half; a statement is dropped, or changes places with the next.
"""

import ast
import copy
import inspect


def mutants(cls):
    """By what has been done to it: the source of each different mutant."""
    return mutants_of(inspect.getsource(inspect.getmodule(cls)), cls.__name__)


def mutants_of(text, name, only=None):
    """``only``: of these methods alone."""
    whole = ast.parse(text)
    place = next(
        n for n, node in enumerate(whole.body) if isinstance(node, ast.ClassDef) and node.name == name
    )
    methods = [
        (n, node) for n, node in enumerate(whole.body[place].body) if isinstance(node, ast.FunctionDef)
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
    """Every statement that holds others, and the way to it."""
    yield path, node
    for name in ("body", "orelse"):
        for n, child in enumerate(getattr(node, name, ())):
            if hasattr(child, "body"):
                yield from _blocks(child, (*path, (name, n)))


def _at(node, path):
    for name, n in path:
        node = getattr(node, name)[n]
    return node


def _text(statement):
    return ast.unparse(statement).splitlines()[0]


def _locks(statement):
    return isinstance(statement, ast.With)


def _split(node):
    """The critical region becomes two."""
    for n, region in enumerate(node.body):
        for at in range(1, len(region.body)) if _locks(region) else ():

            def change(node, n=n, at=at):
                first = node.body[n]
                second = copy.deepcopy(first)
                first.body, second.body = first.body[:at], second.body[at:]
                node.body.insert(n + 1, second)

            yield f"the lock is let go before `{_text(region.body[at])}`", change


def _shrunk(node):
    """What comes first, or last, is done without the lock."""
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

            yield f"no lock up to `{_text(region.body[at - 1])}`", head
            if at < len(region.body):
                yield f"no lock from `{_text(region.body[-at])}`", tail


def _private(node):
    """The lock is made for this call alone, and keeps nobody out."""
    for n, region in enumerate(node.body):
        if _locks(region):

            def change(node, n=n):
                node.body[n].items[0].context_expr = ast.Call(ast.Name("Lock", ast.Load()), [], [])

            yield "a lock of its own", change


def _kept(node):
    """The lock is let go at the end alone, and kept by whoever returns before."""
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
    """A test is made before the lock is taken."""
    for n, region in enumerate(node.body):
        for at, test in enumerate(region.body) if _locks(region) else ():
            if isinstance(test, ast.If | ast.While):

                def change(node, n=n, at=at):
                    test = node.body[n].body[at]
                    node.body.insert(n, ast.Assign([ast.Name("early", ast.Store())], test.test))
                    node.body[n + 1].body[at] = ast.If(ast.Name("early", ast.Load()), test.body, [])

                yield f"`{_text(test)}` is asked before the lock is taken", change


def _halved(node):
    """A part of a test is forgotten."""
    for n, test in enumerate(node.body):
        parts = test.test.values if isinstance(getattr(test, "test", None), ast.BoolOp) else ()
        for part in range(len(parts)):

            def change(node, n=n, part=part):
                node.body[n].test = node.body[n].test.values[part]

            yield f"`{_text(test)}` asks only for `{ast.unparse(parts[part])}`", change


def _without(node):
    for n, statement in enumerate(node.body):
        if not _locks(statement) and not _is_docstring(statement):

            def change(node, n=n):
                node.body[n] = ast.Pass()

            yield f"without `{_text(statement)}`", change


def _swapped(node):
    for n in range(len(node.body) - 1):
        if not _is_docstring(node.body[n]):

            def change(node, n=n):
                node.body[n], node.body[n + 1] = node.body[n + 1], node.body[n]

            yield f"`{_text(node.body[n])}` after `{_text(node.body[n + 1])}`", change


def _notified(node):
    for n, statement in enumerate(node.body):
        if _called(statement) in ("notify", "notify_all"):

            def change(node, n=n):
                called = node.body[n].value.func
                called.attr = "notify" if called.attr == "notify_all" else "notify_all"

            yield f"`{_text(statement)}` the other way", change


def _timed(node):
    """A wait has a time-out."""
    for n, statement in enumerate(node.body):
        if _called(statement) == "wait":

            def change(node, n=n):
                node.body[n].value.args = [ast.Constant(1)]

            yield f"`{_text(statement)}` for a second at most", change


def _looked_once(node):
    for n, loop in enumerate(node.body):
        if isinstance(loop, ast.While):

            def change(node, n=n):
                node.body[n] = ast.If(node.body[n].test, node.body[n].body, [])

            yield f"`{_text(loop)}` but once", change


def _for_others(method, conditions):
    """A condition is taken for another one."""
    named = [n for n, node in enumerate(ast.walk(method)) if getattr(node, "attr", "") in conditions]
    for n in named if method.name != "__init__" else ():
        for other in conditions:
            changed = copy.deepcopy(method)
            attribute = list(ast.walk(changed))[n]
            said = f"`self.{attribute.attr}` is taken for `self.{other}`"
            attribute.attr = other
            yield said, changed


def _shared(node):
    """Two conditions are made one."""
    made = _conditions(node)
    for n, statement in enumerate(node.body):
        if isinstance(statement, ast.Assign) and statement.targets[0].attr in made[1:]:

            def change(node, n=n):
                node.body[n].value = ast.parse(f"self.{made[0]}", mode="eval").body

            yield f"`{_text(statement)}` is `self.{made[0]}`", change


_IN_METHODS = (
    _split,
    _shrunk,
    _private,
    _kept,
    _tested_early,
    _halved,
    _without,
    _swapped,
    _notified,
    _timed,
    _looked_once,
)
_IN_INIT = (_shared,)


def _conditions(init):
    """What is made a condition."""
    return [
        node.targets[0].attr
        for node in init.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "Condition"
    ]


def _called(statement):
    """The method that a statement calls, and does nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def _is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
