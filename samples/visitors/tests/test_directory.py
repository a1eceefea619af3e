"""The directory outside of the cluster."""

from pathlib import Path

import pytest

from visitors.directory import FolderDirectory
from visitors.main import directory_folder


async def test_an_entry_is_made_and_forgotten_any_number_of_times(tmp_path: Path) -> None:
    """A reconcile may run twice, and so may what it calls."""
    directory = FolderDirectory(tmp_path / "sites")
    for _ in range(2):
        await directory.enter("default/site")
    assert [file.name for file in (tmp_path / "sites").iterdir()] == ["default.site"]
    for _ in range(2):
        await directory.forget("default/site")
    assert not list((tmp_path / "sites").iterdir())


async def test_what_fails_is_told(tmp_path: Path) -> None:
    """The caller tries again later."""
    (tmp_path / "sites").touch()
    with pytest.raises(FileExistsError):
        await FolderDirectory(tmp_path / "sites").enter("default/site")


def test_it_does_not_depend_on_the_working_folder(tmp_path: Path) -> None:
    """That of an image is /, where nobody may write."""
    assert directory_folder({"DIRECTORY": str(tmp_path)}) == tmp_path
    assert directory_folder({}).is_absolute()
