"""YAML documents: texts that hold Kubernetes objects, read as the JSON that they stand for."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

import yaml

from konverge.errors import ConfigError

try:
    from yaml import CSafeLoader as _SafeLoader  # a bundle of CRDs may have megabytes
except ImportError:  # a PyYAML that was built without libyaml
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]  # the same but for its speed


def yaml_documents(text: str, *, source: str) -> list[Any]:
    """Return the documents of a text; a ConfigError names its source, and where it cannot be read."""
    try:
        return list(yaml.load_all(text, _Loader))
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: is not YAML: {_position(error)}") from error
    except (ValueError, RecursionError) as error:  # what PyYAML lets through: a number that is none, endless nesting
        raise ConfigError(f"{source}: cannot be read as YAML: {type(error).__name__}: {error}") from error


def _position(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())


class _Loader(_SafeLoader):
    """A safe loader whose keys are strings, as JSON has them, and that takes a bare `=` or a date as the string it is.

    CRDs list `=` among the operators of a matcher, and a property may be called `on`.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        found = super().construct_mapping(node, deep=deep)
        return {key if isinstance(key, str) else json.dumps(key, default=str): value for key, value in found.items()}


for _tag in ("value", "timestamp"):  # JSON has no times: a date is the text it is, and 2020-13-45 is no error
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda _, node: node.value)
