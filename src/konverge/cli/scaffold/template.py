"""Template: a text of the scaffold, with `<<name>>` where a value goes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from typing import Final

_PLACE: Final = re.compile(r"<<([a-z_]+)>>")  # no language that a template is written in has it


def rendered(name: str, values: Mapping[str, str]) -> str:
    """Return a template with its values; one that has none is a KeyError, and a mistake of ours."""
    text = resources.files(__package__).joinpath("templates", f"{name}.tmpl").read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: values[found[1]], text)
