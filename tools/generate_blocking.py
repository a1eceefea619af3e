"""Write the blocking client from the async one, so that no method is written twice by hand.

Signatures and docstrings are the async ones; the body hands the call to a `Waiter`. What a method becomes follows
from what it returns: see `_method`. Run it after each change of a signature; a test runs it too, and compares.
"""

from __future__ import annotations

import ast
import copy
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

CLIENT = Path(__file__).parent.parent / "src" / "konverge" / "client"
Function = ast.FunctionDef | ast.AsyncFunctionDef

HEAD = '''"""The client for threads and scripts: the methods of `Client` without the `await`.

One event loop on one thread stands behind a client and all its views; any number of threads may use it at once. The
functions that go with a client (`create_or_update` …) are here too, and call the author's function in the thread they
are called in.

GENERATED
"""
'''

SUBRESOURCE_HEAD = '''"""Subresources for the blocking client: the methods of `Subresource` without the `await`.

GENERATED
"""
'''

GENERATED = "Written by tools/generate_blocking.py from the async client; changes made by hand are lost."

# What the blocking modules need of their own; the imports of the async modules are added where a signature needs them.
IMPORTS = """
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from konverge.client import ignore, upsert
from konverge.client.blocking_iterator import BlockingIterator
from konverge.client.blocking_subresource import BlockingSubresource
from konverge.client.client import Client
from konverge.client.listing import ObjectList
from konverge.client.loop_thread import LoopThread
from konverge.client.stepping import awaitable, deferred, finish, plain
from konverge.client.subresource import Subresource
from konverge.client.upsert import OperationResult
from konverge.client.waiter import Waiter
"""

CLIENT_CLASS = '''
class BlockingClient:
    """Talks to one API server as one user; safe to share between threads.

    Options and defaults are those of `Client`. Close it, or use it as `with BlockingClient.connect() as client`.
    """

    def __init__(self, client: Client, waiter: Waiter | None = None) -> None:
        self._client = client
        self._wait = waiter or Waiter(LoopThread(client.close))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and end the thread, for every view of this client too.

        Calls that other threads wait for raise `ConnectionFailed`; watches end.
        """
        self._wait.thread.close()

    def with_timeout(self, seconds: float) -> BlockingClient:
        """Return a client that gives a call up after this time, retries included, with `ConnectionFailed`.

        Each page of `iterate` counts as a call; a watch waits as long as it takes.
        """
        return BlockingClient(self._client, Waiter(self._wait.thread, seconds))
'''

SUBRESOURCE_CLASS = '''
class BlockingSubresource:
    """The verbs on one subresource."""

    def __init__(self, subresource: Subresource, waiter: Waiter) -> None:
        self._subresource = subresource
        self._wait = waiter
        self.name = subresource.name
'''

OWN = {"close"}  # public methods that are written out above

DOCSTRINGS = {
    "list": "Return the objects of a namespace, or of all, fetching page after page.\n\n"
    "`limit` bounds the number of objects over all pages. To hold one page at a time, use `iterate`.\n",
    "iterate": "Yield the objects that `list` would return, fetching pages as they are needed.\n\n"
    "Raises `Expired` when the server has forgotten the version of the first page.\n",
    "ignore_not_found": "Make a call and return its result, or None if the object is not there.",
    "ignore_already_exists": "Make a call and return its result, or None if the object was there before.",
}
WORDS = {
    "async with Client.connect() as client": "with BlockingClient.connect() as client",
    "async with contextlib.aclosing(client.watch(…)) as events": "with client.watch(…) as events",
}
TYPES = {
    "ReaderWriter": "BlockingClient",
    "Mutate[T]": "Callable[[T], None]",
    "Awaitable[T]": "Callable[[], R]",
    "T | None": "R | None",
}


def main() -> int:
    """Write the files."""
    for name, source in generate().items():
        (CLIENT / name).write_text(source, encoding="utf-8")
        print(f"wrote {CLIENT / name}")
    return 0


def generate() -> dict[str, str]:
    """Return the files as they should be, by their names."""
    client, subresource, upsert, ignore = map(_module, ("client", "subresource", "upsert", "ignore"))
    client_body = [
        *ast.parse('R = TypeVar("R")').body,
        _class(client, "Client", CLIENT_CLASS),
        *(_function(node, "upsert") for node in _public(upsert)),
        *(_function(node, "ignore") for node in _public(ignore)),
    ]
    subresource_body = [
        *(node for node in subresource.body if isinstance(node, ast.Assign)),  # its type variables
        _class(subresource, "Subresource", SUBRESOURCE_CLASS),
    ]
    return {
        "blocking.py": _file(HEAD, client_body, [client]),
        "blocking_subresource.py": _file(SUBRESOURCE_HEAD, subresource_body, [subresource]),
    }


def _module(name: str) -> ast.Module:
    return ast.parse((CLIENT / f"{name}.py").read_text(encoding="utf-8"))


def _public(node: ast.Module | ast.ClassDef) -> list[Function]:
    """The functions of a module, or the methods of a class, that a user may call."""
    return [item for item in node.body if isinstance(item, Function) and not item.name.startswith("_")]


def _class(module: ast.Module, name: str, own: str) -> ast.ClassDef:
    """Return the blocking class: its own methods, and one or two for each public method of the async class."""
    source = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == name)
    result = next(node for node in ast.parse(own).body if isinstance(node, ast.ClassDef))
    for node in _public(source):
        if node.name not in OWN:
            result.body += _method(node, source)
    return result


def _method(node: Function, source: ast.ClassDef) -> Iterator[ast.stmt]:
    """Yield what a method becomes, by what it returns."""
    returns = ast.unparse(node.returns) if node.returns else ""
    outer, _, item = returns.removesuffix("]").partition("[")
    inner = f"self._{source.name.lower()}"
    call = f"{inner}.{node.name}" + ("" if _has(node, "property") else _arguments(node))
    if _has(node, "overload"):
        yield _def(node, returns, "...")
    elif _has(node, "classmethod"):
        yield _def(node, returns, f"return cls({source.name}.{node.name}{_arguments(node)})")
    elif outer == "Listing":
        yield _def(node, f"ObjectList[{item}]", f"return self._wait.all({call})")
        yield _def(node, f"Iterator[{item}]", f"return self._wait.each({call})", name="iterate")
    elif outer == "AsyncGenerator":
        yield _def(node, f"BlockingIterator[{item}]", f"return self._wait.stream({call})")
    elif outer in ("Client", "Subresource"):
        yield _def(node, f"Blocking{outer}", f"return Blocking{outer}({call}, self._wait)")
    elif _is_overloaded(node, source):
        # The caller chooses an overload; the implementation's own signature fits none of them.
        body = f"untyped: Any = {inner}\nanswer: {returns} = self._wait.call({call.replace(inner, 'untyped')})"
        yield _def(node, returns, f"{body}\nreturn answer")
    elif isinstance(node, ast.AsyncFunctionDef):
        yield _def(node, returns, f"{'' if returns == 'None' else 'return '}self._wait.call({call})")
    elif _has(node, "property"):
        yield _def(node, returns, f"return {call}")
    else:
        raise SystemExit(f"{source.name}.{node.name} returns {returns}: teach tools/generate_blocking.py about it")


def _is_overloaded(node: Function, source: ast.ClassDef) -> bool:
    return any(other.name == node.name and _has(other, "overload") for other in _public(source))


def _function(node: Function, module: str) -> ast.stmt:
    """Return the blocking form of a function that takes a client, or a call to make."""
    wrap = {"ReaderWriter": "awaitable({})", "Awaitable[T]": "deferred({})", "Mutate[T]": "plain({})"}
    types = [ast.unparse(arg.annotation) if arg.annotation else "" for arg in node.args.args]
    passed = [wrap.get(kind, "{}").format(arg.arg) for kind, arg in zip(types, node.args.args, strict=True)]
    result = copy.deepcopy(node)
    result.decorator_list = []  # those of the async form check what cannot happen here
    for arg in result.args.args:
        if arg.annotation is not None:
            arg.annotation = _translated(arg.annotation)
    returns = ast.unparse(_translated(node.returns)) if node.returns else ""
    return _def(result, returns, f"return finish({module}.{node.name}({', '.join(passed)}))")


def _translated(annotation: ast.expr) -> ast.expr:
    text = ast.unparse(annotation)
    return ast.parse(TYPES.get(text, text), mode="eval").body


def _def(node: Function, returns: str, body: str, *, name: str | None = None) -> ast.FunctionDef:
    """Return a plain function with the signature and docstring of another, and a body of one line."""
    name = name or node.name
    result = ast.FunctionDef(
        name=name,
        args=node.args,
        body=ast.parse(body).body,
        decorator_list=node.decorator_list,
        returns=ast.parse(returns, mode="eval").body,
    )
    docstring = DOCSTRINGS.get(name, ast.get_docstring(node))
    if docstring:
        result.body.insert(0, ast.Expr(ast.Constant(_blocking_words(docstring, name))))
    return result


def _blocking_words(docstring: str, name: str) -> str:
    for old, new in WORDS.items():
        docstring = docstring.replace(old, new)
    if re.search(r"\b(async|await)\b", docstring):
        raise SystemExit(f"the docstring of {name} speaks of async: give tools/generate_blocking.py another one")
    first, *rest = docstring.strip().splitlines()
    return "\n".join([first, *(f"        {line}" if line else "" for line in rest), *(["        "] if rest else [])])


def _has(node: Function, decorator: str) -> bool:
    return any(isinstance(item, ast.Name) and item.id == decorator for item in node.decorator_list)


def _arguments(node: Function) -> str:
    """The arguments that pass on a function's parameters, in brackets."""
    parameters = node.args
    passed = [arg.arg for arg in parameters.args if arg.arg not in ("self", "cls")]
    passed += [f"{arg.arg}={arg.arg}" for arg in parameters.kwonlyargs]
    passed += [f"**{parameters.kwarg.arg}"] if parameters.kwarg else []
    return f"({', '.join(passed)})"


# --- imports and layout ---


def _file(head: str, body: list[ast.stmt], modules: list[ast.Module]) -> str:
    """Return a whole file, formatted."""
    imports = _imports([ast.parse(IMPORTS), *modules], used=set(_names(body)) - {_defined(node) for node in body})
    parts = [head.replace("GENERATED", GENERATED), "from __future__ import annotations"]
    parts += [ast.unparse(ast.fix_missing_locations(node)) for node in [*imports, *body]]
    return _formatted("\n".join(parts) + "\n")


def _defined(node: ast.stmt) -> str:
    return node.name if isinstance(node, ast.ClassDef) else ""


def _imports(modules: Iterable[ast.Module], *, used: set[str]) -> list[ast.stmt]:
    """Return the imports of the modules that bring in a used name, each name once."""
    found: list[ast.stmt] = []
    for node in (node for module in modules for node in module.body if isinstance(node, ast.ImportFrom)):
        names = [alias for alias in node.names if (alias.asname or alias.name) in used]
        used -= {alias.asname or alias.name for alias in names}
        if names and node.module != "__future__":
            found.append(ast.ImportFrom(module=node.module, names=names, level=0))
    return found


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _formatted(source: str) -> str:
    """Sort the imports and lay the code out as everything else here is."""
    for command in (["check", "--quiet", "--select=I", "--fix"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, f"--stdin-filename={CLIENT / 'blocking.py'}", "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True).stdout
    return source


if __name__ == "__main__":
    sys.exit(main())
