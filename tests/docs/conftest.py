"""Runs the examples of a documentation page, so that what the page says is what happens.

All python blocks of a page run in order in one namespace of names; `await` works at the top level. A comment
`# -> text` behind an expression holds its expected value: its repr or str, where `...` stands for anything. A block
after the line `<!-- not run: why -->` is left out. Examples find a cluster through KUBECONFIG, as a reader's
would, with an empty namespace `shop` in it that is the page's own if only one page uses it: name objects accordingly.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from konverge.client.client import Client
from konverge.errors import AlreadyExists
from konverge.testing import Cluster
from konverge.testing.binaries import find

_BLOCK = re.compile(r"(?P<skip><!-- not run: .+ -->\n+)?^ *```python\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)
_EXPECTED = re.compile(r"# -> (?P<text>.+)$")

RunPage = Callable[[Path], int]


@pytest.fixture
def user_environment(tmp_path: Path) -> dict[str, str]:
    """A user's, with konverge and kubectl in PATH, and with places of its own for everything that is kept."""
    programs = find("kubectl")["kubectl"].parent
    return {
        **{name: value for name, value in os.environ.items() if name != "KUBECONFIG"},
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), str(programs), os.environ["PATH"])),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "HOME": str(tmp_path / "home"),
        "KUBECACHEDIR": str(tmp_path / "kubectl"),
        "KONVERGE_KUBE_ASSETS": str(programs),
        "NO_COLOR": "1",
    }


@pytest.fixture
def run_page(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> RunPage:
    """A function that runs a page's examples against a cluster and returns how many blocks there were."""
    with suppress(AlreadyExists):
        cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
        cluster.call("POST", "/api/v1/namespaces/shop/serviceaccounts", {"metadata": {"name": "default"}})
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    return run


def run(page: Path) -> int:
    """Run a page's blocks."""
    names: dict[str, Any] = {"__name__": page.stem, "_expect": _expect}
    blocks = list(_blocks(page))
    # Code without `await` runs outside of the loop, as in a script of its own; the loop keeps its connections.
    with asyncio.Runner() as runner:
        try:
            for block in blocks:
                pending = eval(block.compiled(), names)
                if inspect.iscoroutine(pending):
                    runner.run(pending)
        finally:
            for client in (value for value in names.values() if isinstance(value, Client)):
                runner.run(client.close())  # an example that failed did not come to it
    return len(blocks)


@dataclass(frozen=True, slots=True)
class Block:
    """One example."""

    page: Path
    line: int  # of its first line, in the page
    code: str

    def compiled(self) -> Any:
        """Compile it so that tracebacks name the page and its lines."""
        tree = _Checks(self).visit(ast.parse(self.code, str(self.page)))
        ast.increment_lineno(ast.fix_missing_locations(tree), self.line - 1)
        return compile(tree, str(self.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        if not match["skip"]:
            line = text.count("\n", 0, match.start("code")) + 1
            yield Block(page, line, textwrap.dedent(match["code"]))


class _Checks(ast.NodeTransformer):
    """Turns each expression with an expected value into a check of it."""

    def __init__(self, block: Block) -> None:
        self._where = block
        self._lines = block.code.splitlines()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Check, after all expressions are done, that none of the expectations was left over."""
        result = self.generic_visit(node)
        for number, line in enumerate(self._lines):
            if _EXPECTED.search(line):
                place = f"{self._where.page.name}:{self._where.line + number}"
                pytest.fail(f"{place}: `# ->` must stand behind an expression: {line}", pytrace=False)
        return result

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Wrap the expression."""
        last = (node.end_lineno or node.lineno) - 1
        match = _EXPECTED.search(self._lines[last])
        if match is None:
            return node
        self._lines[last] = ""
        place = f"{self._where.page.name}:{self._where.line + last}"
        arguments = [node.value, ast.Constant(match["text"]), ast.Constant(place)]
        call = ast.Call(ast.Name("_expect", ast.Load()), arguments, [])
        return ast.copy_location(ast.Expr(call), node)


def _expect(value: object, text: str, place: str) -> None:
    pattern = ".*".join(map(re.escape, text.strip().split("...")))
    if not any(re.fullmatch(pattern, shown, re.DOTALL) for shown in (repr(value), str(value))):
        pytest.fail(f"{place}: expected {text}, got {value!r}", pytrace=False)
