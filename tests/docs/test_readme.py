"""The README is the first thing that is tried, so it is tried here."""

import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RunPage = Callable[[Path], int]


def test_the_examples_of_the_readme_run(run_page: RunPage) -> None:
    """Its code runs as it is printed."""
    assert run_page(ROOT / "README.md") > 0


def test_every_link_in_the_documentation_leads_somewhere() -> None:
    """A link to a file of the repository names one that is there; code is no link."""
    folders = (ROOT / "docs").glob("**/*.md"), (ROOT / "bench").glob("**/README.md"), (ROOT / "samples").glob("*/*.md")
    for page in [*ROOT.glob("*.md"), *chain(*folders)]:
        if ".venv" in page.parts:
            continue
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    """Each `make x` that the documentation names is there."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert named <= targets, f"{page.name}: {named - targets}"
