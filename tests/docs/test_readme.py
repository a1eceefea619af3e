"""The README is the first thing that is tried, so it is tried here."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from cases import ALL

_COUNTED = ("scripts of requests", "scenarios")
ROOT = Path(__file__).resolve().parents[2]
RunPage = Callable[[Path], int]


def test_the_examples_of_the_readme_run(run_page: RunPage) -> None:
    """Its code runs as it is printed."""
    assert run_page(ROOT / "README.md") > 0


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page of the repository, with its text but for blocks of code."""
    folders = (ROOT / name for name in ("docs", "bench", "samples", "tools"))
    for page in [*ROOT.glob("*.md"), *chain(*(folder.glob("**/*.md") for folder in folders))]:
        if not {".venv", "node_modules"} & {*page.parts}:
            yield page, re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return what a link to a part of a page may say: its headings, as forges and the site spell them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^-\w ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_in_the_documentation_leads_somewhere() -> None:
    """A link to a file of the repository names one that is there, and a heading that is in it; code is no link."""
    for page, text in pages():
        for target, anchor in re.findall(r"\]\(([^)#: ]*)(?:#([^)]*))?\)", text):
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name} links to {target}"
            assert not anchor or anchor in anchors(found), f"{page.name} links to {target}#{anchor}"


def test_every_row_of_a_table_has_the_cells_of_its_head() -> None:
    """A bar in a cell is a new cell on most forges, in code, too: write it as &#124;."""
    for page, text in pages():
        for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
            head, *rows = (len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines())
            assert all(row == head for row in rows), f"{page.name}: {table[:80]}"


def test_the_figures_of_the_readme_are_not_stale() -> None:
    """As many scripts are compared as it says, rounded down, and as many scenarios as the page about them counts."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    scripts, scenarios = (int(re.findall(rf"([\d,]+) {what}", readme)[0].replace(",", "")) for what in _COUNTED)
    assert scripts <= len(ALL) < scripts + 300
    page = (ROOT / "docs" / "built-in-controllers.md").read_text(encoding="utf-8")
    table = page.partition("| theme | scenarios |")[2].partition("\n\n")[0]
    assert scenarios == sum(int(each) for each in re.findall(r"\| (\d+) \|", table))


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    """Each `make x` that the documentation names is there."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert named <= targets, f"{page.name}: {named - targets}"
