"""What was captured from the real server, by file: read when it is asked for, and not kept.

The archive is opened for each file: that costs a millisecond, and nothing of it stays in memory.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Final

import msgspec

_ARCHIVE: Final = Path(__file__).with_name("captured.zip")


def read(name: str) -> bytes:
    """Return the content of a file."""
    with zipfile.ZipFile(_ARCHIVE) as archive:
        return archive.read(name)


def read_json(name: str) -> Any:
    """Return a file's content, decoded."""
    return msgspec.json.decode(read(name))
