"""Requirement: how a new project depends on konverge."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from konverge.errors import ConfigError
from konverge.version import __version__

_VERSION: Final = re.compile(r"[0-9]+(\.[0-9]+)*((a|b|rc|\.dev|\.post)[0-9]+)?")


def requirement(given: str | None) -> str:
    """Return the requirement for `--konverge`: a version, a folder, or by default what is installed here."""
    if given is None:
        place = installed_from()
        return f"konverge @ {place.as_uri()}" if place else f"konverge>={__version__}"
    if _VERSION.fullmatch(given):
        return f"konverge=={given}"
    folder = Path(given)
    if not (folder / "pyproject.toml").is_file():
        raise ConfigError(
            f"--konverge {given}: is neither a version, such as {__version__}, nor a checkout of konverge"
        )
    return f"konverge @ {folder.resolve().as_uri()}"


def installed_from() -> Path | None:
    """Return the folder that konverge was installed from; None if it came from a package index."""
    try:
        text = metadata.distribution("konverge").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    url = urlsplit(json.loads(text)["url"]) if text else None
    return Path(unquote(url.path)) if url and url.scheme == "file" else None
