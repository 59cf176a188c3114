"""What the usual slips of concurrent programming make of a class with one lock, derived from its source.

The operators are those of ConMAn (Bradbury, Cordy and Dingel, 2006), as far as they fit Python: a critical
region is split, shrunk, or left out; a notify is dropped, weakened or strengthened; a while becomes an if; a
test is made before the lock is taken; a statement is dropped, or changes places with the next.
"""

import ast
import copy
import inspect


def mutants(cls):
    """By what has been done to it: the source of each different mutant."""
    whole = ast.parse(inspect.getsource(inspect.getmodule(cls)))
    place = next(
        n for n, node in enumerate(whole.body) if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    )
    found, seen = {}, {ast.unparse(whole)}
    for n, method in enumerate(whole.body[place].body):
        if not isinstance(method, ast.FunctionDef) or method.name == "__init__":
            continue
        for what, changed in _changed(method):
            mutant = copy.deepcopy(whole)
            mutant.body[place].body[n] = changed
            source = ast.unparse(ast.fix_missing_locations(mutant))
            if source not in seen:
                seen.add(source)
                found[f"{method.name}: {what}"] = source
    return found


def _changed(method):
    for operator in (_split, _shrunk, _tested_early, _without, _swapped, _notified, _looked_once):
        for path, node in list(_blocks(method)):
            yield from _applied(operator, method, path, node)


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


def _needs_lock(statements):
    calls = (
        node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Attribute)
    )
    return any(node.attr in ("wait", "notify", "notify_all", "_enqueue", "_stop") for node in calls)


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

            if not _needs_lock(region.body[:at]):
                yield f"no lock up to `{_text(region.body[at - 1])}`", head
            if at < len(region.body) and not _needs_lock(region.body[-at:]):
                yield f"no lock from `{_text(region.body[-at])}`", tail


def _tested_early(node):
    """A test is made before the lock is taken."""
    for n, region in enumerate(node.body):
        for at, test in enumerate(region.body) if _locks(region) else ():
            if isinstance(test, ast.If):

                def change(node, n=n, at=at):
                    test = node.body[n].body[at]
                    node.body.insert(n, ast.Assign([ast.Name("early", ast.Store())], test.test))
                    test.test = ast.Name("early", ast.Load())

                yield f"`{_text(test)}` is asked before the lock is taken", change


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
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("notify", "notify_all"):

            def change(node, n=n):
                called = node.body[n].value.func
                called.attr = "notify" if called.attr == "notify_all" else "notify_all"

            yield f"`{_text(statement)}` the other way", change


def _looked_once(node):
    for n, loop in enumerate(node.body):
        if isinstance(loop, ast.While):

            def change(node, n=n):
                node.body[n] = ast.If(node.body[n].test, node.body[n].body, [])

            yield f"`{_text(loop)}` but once", change


def _is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
