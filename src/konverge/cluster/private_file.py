"""Files with keys in them: for their owner alone, and there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from konverge.errors import ConfigError


def write_private(path: Path, contents: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all. Raises `ConfigError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made with mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(contents)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
