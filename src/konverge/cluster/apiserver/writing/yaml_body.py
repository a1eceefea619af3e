"""YAML as Kubernetes reads it: what go-yaml makes of the text, and go-yaml's words for what it does not read.

Its rules are those of YAML 1.1 without times and without numbers of base sixty: both stay texts. A key of any type
becomes a text, as JSON needs it. A key that stands twice is reported with its line; the last one wins.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.go_json import go_kind, go_number

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one words its errors as go-yaml does
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_INT: Final = re.compile(r"[-+]?(?:0b[0-1_]+|0o?[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)")

_YES: Final = {"y", "yes", "true", "on"}


class InvalidYaml(ValueError):
    """A text that is not YAML, in go-yaml's words."""


class _Documents(_Loader):  # type: ignore[misc] # the base is chosen when the module is loaded
    """Builds plain JSON values, and notes the keys that stand twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[str] = []

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002, ARG002 - PyYAML's own signature
        self.flatten_mapping(node)
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = _key(self.construct_object(key_node, deep=True))
            value = self.construct_object(value_node, deep=True)
            if key in found:
                self.repeated.append(f'line {key_node.start_mark.line + 1}: key "{key}" already set in map')
            found[key] = value
        return found


def _mapping(loader: _Documents, node: Any) -> dict[str, Any]:
    return loader.construct_mapping(node, deep=True)


def _int(loader: _Documents, node: Any) -> int | float:
    text = loader.construct_scalar(node).replace("_", "")
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text.lstrip("+"))
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2].lower(), 8 if digits[0] == "0" and len(digits) > 1 else 10)
    return sign * int(digits.removeprefix("0o"), base) if base == 8 else sign * int(digits, base)  # noqa: PLR2004 - octal has two spellings


def _float(loader: _Documents, node: Any) -> int | float:
    text: str = loader.construct_scalar(node).replace("_", "")
    return float(text.replace(".", "", 1)) if text.lstrip("+-")[1:].lower() in {"inf", "nan"} else go_number(text)


def _bool(loader: _Documents, node: Any) -> bool:
    return loader.construct_scalar(node).lower() in _YES


def _set_up() -> None:
    kept = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"}
    _Documents.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag in kept]
        for first, found in _Loader.yaml_implicit_resolvers.items()
    }
    _Documents.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(f"(?:{_INT.pattern})$"), list("-+0123456789"))
    _Documents.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(f"(?:{_FLOAT.pattern})$"), list("-+0123456789.")
    )
    _Documents.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("[yYnN]$"), list("yYnN"))  # PyYAML has none
    _Documents.add_constructor("tag:yaml.org,2002:bool", _bool)
    _Documents.add_constructor("tag:yaml.org,2002:map", _mapping)
    _Documents.add_constructor("tag:yaml.org,2002:int", _int)
    _Documents.add_constructor("tag:yaml.org,2002:float", _float)
    _Documents.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_yaml_str)


_set_up()


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        return "null"
    return str(key)


def read_yaml(text: str) -> tuple[Any, list[str]]:
    """Return the first document as a JSON value, and the keys that stand twice."""
    loader = _Documents(text)
    try:
        value = loader.get_single_data() if not text.startswith("---") else _first(loader)
    except yaml.YAMLError as error:
        raise InvalidYaml(f"yaml: {_words(error)}") from error
    finally:
        loader.dispose()
    return value, loader.repeated


def _first(loader: _Documents) -> Any:
    return loader.get_data() if loader.check_data() else None


def _words(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error)
    mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = mark.line if mark is not None else 0
    if line and isinstance(error, yaml.scanner.ScannerError):
        line += 1
    line = line or (context.line if context is not None else 0)
    return f"line {line}: {problem}" if line else str(problem)


def as_object(value: Any) -> JsonObject:
    """Return a document that must be an object; an empty one is an empty object."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidYaml(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{go_kind(value)} into Go value of type map[string]interface {{}}"
        )
    return value
