"""The pages that explain: each example runs as it is printed, on both servers, and shows the real values."""

from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [
    *sorted(page for page in (DOCS / "concepts").glob("*.md") if page.name != "README.md"),
    DOCS / "coming-from-controller-runtime.md",
    DOCS / "coming-from-kopf.md",
]
RunPage = Callable[[Path], int]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_the_page_run(run_page: RunPage, page: Path) -> None:
    """With at least one of them on each page."""
    assert run_page(page) > 0


def test_every_concept_has_its_page() -> None:
    """And the overview links to each of them."""
    overview = (DOCS / "concepts" / "README.md").read_text(encoding="utf-8")
    for page in PAGES[:-2]:
        assert f"({page.name})" in overview
