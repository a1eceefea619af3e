"""YAML as Kubernetes reads it: what go-yaml makes of the text, and go-yaml's words for what it does not read.

Its rules are those of YAML 1.1 without times and without numbers of base sixty: both stay texts. A key of any type
becomes a text, as JSON needs it. A key that stands twice is reported with its line; the last one wins.

A small text can stand for a huge or endless value: nesting is bounded (PyYAML's C code has no bound, and takes the
process with it), and so is what aliases repeat, by go-yaml's rule. What an alias repeats is made anew each time: two
places of an object that share a value would change together.
"""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any, Final

import yaml

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.go_json import go_kind, go_number

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one words its errors as go-yaml does
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_INT: Final = re.compile(r"[-+]?(?:0b[0-1_]+|0o?[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)")

_LONGEST_NUMBER: Final = 1000  # digits; Go's largest float has 309
_DEEPEST: Final = 1000  # levels; Go goes to ten thousand
_FREE_ALIASED: Final = 100  # values that aliases may repeat, whatever else there is
_FREE_MADE: Final = 1000  # values in all, below which nobody counts
_SMALL, _LARGE = 400_000, 4_000_000  # values in all, between which the share of repeated ones falls
_SMALL_SHARE, _LARGE_SHARE = 0.99, 0.1

_YES: Final = {"y", "yes", "true", "on"}


class InvalidYaml(ValueError):
    """A text that is not YAML, in go-yaml's words."""


class _Documents(_Loader):  # type: ignore[misc] # the base is chosen when the module is loaded
    """Builds plain JSON values, and notes the keys that stand twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[str] = []
        self._depth = 0
        self._made = 0  # values, those that aliases repeat each time
        self._aliased = 0  # those alone
        self._repeating = 0  # how many aliases the value that is being made stands in

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:  # noqa: ARG002 - PyYAML's own signature
        """Go one level down in the text."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InvalidYaml(f"yaml: exceeded max depth of {_DEEPEST}")

    def ascend_resolver(self) -> None:
        """Go one level up."""
        self._depth -= 1

    def construct_object(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 - PyYAML's own signature
        """Make a value, anew where an alias repeats it."""
        is_alias = self.constructed_objects.pop(node, None) is not None
        self._repeating += is_alias
        self._made += 1
        self._aliased += self._repeating > 0
        if _is_excessive(self._aliased, self._made):
            raise InvalidYaml("yaml: document contains excessive aliasing")
        try:
            return super().construct_object(node, deep=deep)
        finally:
            self._repeating -= is_alias

    def flatten_mapping(self, node: Any) -> None:
        """Take over what `<<` names."""
        super().flatten_mapping(node)
        if len(node.value) > _SMALL:
            raise InvalidYaml("yaml: document contains excessive aliasing")

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002, ARG002 - PyYAML's own signature
        if not isinstance(node, yaml.MappingNode):
            raise InvalidYaml(f"yaml: unmarshal errors: cannot decode a {node.id} as a !!map")
        self.flatten_mapping(node)
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = _key(self.construct_object(key_node, deep=True))
            value = self.construct_object(value_node, deep=True)
            if key in found:
                self.repeated.append(f'line {key_node.start_mark.line + 1}: key "{key}" already set in map')
            found[key] = value
        return found


def _is_excessive(aliased: int, made: int) -> bool:
    """Tell whether aliases repeat so much that the text is an attack: the larger the whole, the smaller their share."""
    if aliased <= _FREE_ALIASED or made <= _FREE_MADE:
        return False
    position = min(max(made - _SMALL, 0) / (_LARGE - _SMALL), 1.0)
    return aliased / made > _SMALL_SHARE - (_SMALL_SHARE - _LARGE_SHARE) * position


def _mapping(loader: _Documents, node: Any) -> dict[str, Any]:
    return loader.construct_mapping(node, deep=True)


def _int(loader: _Documents, node: Any) -> int | str:
    text: str = loader.construct_scalar(node).replace("_", "")
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text.lstrip("+"))
    if len(digits) > _LONGEST_NUMBER:
        return text  # as Go, to which it is no number
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2].lower(), 8 if digits[0] == "0" and len(digits) > 1 else 10)
    return sign * int(digits.removeprefix("0o"), base) if base == 8 else sign * int(digits, base)  # noqa: PLR2004 - octal has two spellings


def _float(loader: _Documents, node: Any) -> int | float:
    text: str = loader.construct_scalar(node).replace("_", "")
    return float(text.replace(".", "", 1)) if text.lstrip("+-")[1:].lower() in {"inf", "nan"} else go_number(text)


def _binary(loader: _Documents, node: Any) -> str:
    return b64decode(loader.construct_scalar(node)).decode("utf-8", "replace")


def _bool(loader: _Documents, node: Any) -> bool:
    return loader.construct_scalar(node).lower() in _YES


def _set_up() -> None:
    kept = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
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
    # The types that JSON has not: Go takes them for what they are written as.
    _Documents.add_constructor("tag:yaml.org,2002:binary", _binary)
    _Documents.add_constructor("tag:yaml.org,2002:set", _mapping)
    for ordered in ("omap", "pairs"):
        _Documents.add_constructor(f"tag:yaml.org,2002:{ordered}", _Loader.construct_yaml_seq)


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
    except RecursionError:
        raise InvalidYaml(f"yaml: exceeded max depth of {_DEEPEST}") from None
    except InvalidYaml:
        raise
    except (ValueError, IndexError) as error:  # a tag such as !!int before what is none
        raise InvalidYaml("yaml: unmarshal errors: a value is not what its tag says") from error
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
