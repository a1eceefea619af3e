"""Layout: manifests as YAML, byte for byte as controller-gen would write them.

Keys are sorted, lists are not indented, texts of several lines are literal blocks, and plain texts are folded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

_TEXT = "tag:yaml.org,2002:str"


def to_yaml(*manifests: Mapping[str, Any]) -> str:
    """Return manifests as YAML documents, each after its `---`."""
    return "".join(f"---\n{_dumped(manifest)}" for manifest in manifests)


def _dumped(manifest: Mapping[str, Any]) -> str:
    text: str = yaml.dump(
        dict(manifest), Dumper=_Dumper, default_flow_style=False, allow_unicode=True, width=80, indent=2
    )
    return text


class _Dumper(yaml.SafeDumper):
    """PyYAML's dumper with Go's choice of styles."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - a value that stands twice is written twice
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif dumper.resolve(yaml.ScalarNode, text, (True, False)) != _TEXT:  # type: ignore[no-untyped-call]  # PyYAML
        style = '"'  # it would be read as something else
    return dumper.represent_scalar(_TEXT, text, style)


_Dumper.add_representer(str, _text)
