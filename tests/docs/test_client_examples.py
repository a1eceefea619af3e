"""Every verb of the client has an example that runs, and the runner of examples notices when one is wrong."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from konverge.client.client import Client
from konverge.client.subresource import Subresource

DOCS = Path(__file__).resolve().parents[2] / "docs"
RunPage = Callable[[Path], int]


def test_the_examples_of_the_client_page_do_what_it_says(run_page: RunPage) -> None:
    """All blocks run, and every value the page shows is the real one."""
    assert run_page(DOCS / "client.md") > 20


def test_every_verb_has_an_example() -> None:
    """The client's page calls each public method of the client and of subresources."""
    text = (DOCS / "client.md").read_text(encoding="utf-8")
    examples = "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    verbs = {name for cls in (Client, Subresource) for name in vars(cls) if not name.startswith("_")}
    missing = [verb for verb in sorted(verbs) if not re.search(rf"\.{verb}\b", examples)]
    assert missing == []


@pytest.mark.parametrize(
    ("example", "problem"),
    [
        ("1 + 1  # -> 3", "page.md:3: expected 3, got 2"),
        ("x = 1  # -> 1", "page.md:3: `# ->` must stand behind an expression"),
        ("import asyncio\nawait asyncio.sleep(0, 'x')  # -> 'y'", "page.md:4: expected 'y', got 'x'"),
        ("for n in (1, 2):\n    n  # -> 1", "page.md:4: expected 1, got 2"),
    ],
)
def test_a_wrong_example_fails(run_page: RunPage, tmp_path: Path, example: str, problem: str) -> None:
    """An expectation that does not hold, or that would not be looked at, fails with its place on the page."""
    page = tmp_path / "page.md"
    page.write_text(f"text\n```python\n{example}\n```\n")
    with pytest.raises(pytest.fail.Exception, match=re.escape(problem)):
        run_page(page)


def test_blocks_share_their_names(run_page: RunPage, tmp_path: Path) -> None:
    """What a block defines, the next one sees; `...` stands for anything; a block may be left out with a reason."""
    page = tmp_path / "page.md"
    blocks = ["x = [1, 2, 3]", "async def f() -> int:\n    return x[0]", "await f()  # -> 1", "x  # -> [1...3]"]
    text = "\n".join(f"```python\n{block}\n```\n" for block in blocks)
    page.write_text(text + "<!-- not run: it would fail -->\n```python\n1 / 0\n```\n")
    assert run_page(page) == 4
