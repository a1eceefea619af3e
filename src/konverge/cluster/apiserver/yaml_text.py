"""Values as YAML, in the style of the real server: people read it, and compare it."""

from __future__ import annotations

import re
from typing import Final

import yaml

from konverge.cluster.apiserver.strategy import JsonObject

# What others take for a truth value or a number, and PyYAML for a text.
_OLD_TRUTHS: Final = {"y", "Y", "n", "N"}
_NUMBER: Final = re.compile(r"[-+]?(?:0o[0-7_]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)", re.ASCII)
_STRING: Final = "tag:yaml.org,2002:str"


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # the one in C where it was built
    """Writes each value where it stands, even one that stands in two places."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the same for all
        """Give no value a name."""
        return True


def _string(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """Quote a text twice where it would be read as something else, and once where it has to be."""
    style = None
    if "\n" in text:
        style = "|"
    elif (
        text in _OLD_TRUTHS
        or _NUMBER.fullmatch(text)
        or dumper.resolve(yaml.ScalarNode, text, (True, False)) != _STRING
    ):
        style = '"'
    node: yaml.ScalarNode = dumper.represent_scalar(_STRING, text, style=style)
    return node


_Dumper.add_representer(str, _string)


def yaml_bytes(value: JsonObject) -> bytes:
    """Return a value as YAML, its keys in order."""
    return yaml.dump(value, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, sort_keys=True).encode()
