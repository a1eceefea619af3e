"""Objects that Hypothesis makes from a kind's schema: mostly such as people write, now and then odd ones.

A schema says little of what a server takes, so known values (`kind_hints`) stand at half of the paths that have some (a
whole spec is known less often), and texts are such as their field's name suggests. How many odd values an object has is
drawn first: without any, most objects are nearly in order, and a shrunk example has only the odd value that matters.
"""

from __future__ import annotations

import copy
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from kind_hints import BY_PATH, BY_SCHEMA, FULL_BY_PATH, FULL_BY_SCHEMA, TEXTS_BY_NAME, THEN
from kind_objects import NOT_MADE, Kind

from konverge.cluster.apiserver.builtin.schemas import JsonSchema

_DEEPEST: Final = 7
_MOST_ITEMS: Final = 3
_CHANCES: Final = (0, 0, 3, 15)  # of a hundred values so many are odd
_TEXTS: Final = ("a", "b", "example.com", "example.com/a", "/a", "10.0.0.1", "a.b")
_ODD_TEXTS: Final = (
    *("", "A", "a b", "-a", "a/b/c", "/a/../b", "..", "x" * 64, "x" * 300, "é", "a\n", "0", "-1", "*", "None", "true"),
    *("10.0.0.1/33", "10.0.0.0/24", "010.0.0.1", "2001:db8::1", "::ffff:1.2.3.4", "1Gi", "1e3", "150%", "<&>"),
    *("https://example.com", "http://[::1", "2020-01-01T00:00:00Z", "Always", "TCP", "system:a", "metadata.name"),
)
_NUMBERS: Final = (1, 2, 0, 5, 10, 80, 100, 1000)
_ODD_NUMBERS: Final = (-1, 65536, 99999, 2**31 - 1, -(2**31))
_QUANTITIES: Final = ("1", "2Gi", "100m", "0", "1.5", "1e3", 1)
_BY_FORMAT: Final[dict[str, tuple[Any, ...]]] = {
    "date-time": (THEN, "2021-02-03T04:05:06.700000Z"),
    "byte": ("YQ==", "", "YWJj"),
    "int-or-string": (1, 80, 0, "10%", "a", "50%"),
}
_KEYS: Final = ("a", "b", "example.com/a", "A_b.c")
_RESOURCES: Final = (
    *("cpu", "memory", "storage", "pods", "example.com/a", "ephemeral-storage", "hugepages-2Mi", "requests.cpu"),
)
_OTHER_TYPES: Final[tuple[Any, ...]] = ("", [], {}, 0, True, "a", {"unheard": 1}, [None])

# What the real server refuses even where it is empty, which here is the same as none (docs/embedded-differences.md).
_TELLS_EMPTY: Final = ("spec.resources.claims", "spec.overhead")
T = TypeVar("T")


class _Making:
    """One object while it is made."""

    def __init__(self, kind: Kind, draw: DrawFn) -> None:
        self._kind, self._draw, self._schema = kind, draw, kind.schema
        self._odd = draw(st.sampled_from(_CHANCES))
        self._least = draw(st.sampled_from((0, 1, 2, 3)))  # optional fields of each object; more at the top

    def object(self, name: str) -> dict[str, Any]:
        made = self._members(self._schema.root, self._kind.resource.kind, 0)
        begin = {"apiVersion": self._kind.api_version, "kind": self._kind.resource.kind}
        return {**begin, "metadata": {"name": name, **self._metadata()}, **made}

    def _metadata(self) -> dict[str, Any]:
        if not self._is_odd():
            return {}
        names = self._some(("labels", "annotations"))
        return {each: {self._key(_KEYS): self._text("")} for each in names}

    def _is_odd(self) -> bool:
        return self._odd > 0 and self._draw(st.integers(0, 99)) >= 100 - self._odd

    def _one(self, values: tuple[T, ...]) -> T:
        return self._draw(st.sampled_from(values))

    def _some(self, names: tuple[str, ...], most: int = _MOST_ITEMS) -> list[str]:
        if not names:
            return []
        least = self._least if most <= _MOST_ITEMS else 2 * self._least
        count = self._draw(st.integers(min(least, len(names)), min(most, len(names))))
        return self._draw(st.lists(st.sampled_from(names), min_size=count, max_size=count, unique=True))

    def _members(self, schema: JsonSchema, path: str, depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        names = tuple(name for name in properties if depth or name not in NOT_MADE)
        always = [name for name in names if name in (*required, "spec")]
        optional = () if depth > _DEEPEST else tuple(name for name in names if name not in always)
        # What is above all else in a kind (its spec) is drawn from more freely than the rest.
        chosen = self._some(optional, 8 if depth <= 1 else _MOST_ITEMS)
        made = {name: self.value(properties[name], f"{path}.{name}", depth + 1) for name in (*always, *chosen)}
        return made | self._odd_member(names) if self._is_odd() else made

    def _odd_member(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return a field that is unknown, null, or of another type; the last is refused before all else."""
        sort = self._draw(st.integers(0, 5))
        if sort <= 1:
            return {"unheard": 1}
        return {self._one(names): None if sort <= 4 else self._one(_OTHER_TYPES)} if names else {}

    def value(self, schema: JsonSchema, path: str, depth: int) -> Any:
        """Return a value of a schema at a path."""
        known = self._known(schema, path)
        schema = self._schema.resolve(schema)
        must_know = depth > _DEEPEST or not {"type", "oneOf"} & schema.keys()
        if known and (must_know or self._draw(st.integers(0, 3)) > (2 if depth == 1 else 1)):
            return copy.deepcopy(self._one(known))
        if "enum" in schema:
            return self._text("") if self._is_odd() else self._one(tuple(schema["enum"]))
        if (fitting := _BY_FORMAT.get(schema.get("format", ""))) is not None:
            return self._one(_ODD_TEXTS) if self._is_odd() else self._one(fitting)
        return self._of_type(schema, path, depth)

    def _known(self, schema: JsonSchema, path: str) -> tuple[Any, ...]:
        reference = schema.get("$ref") or (schema.get("allOf") or [{}])[0].get("$ref", "")
        name = ".".join(reference.split(".")[-2:])
        found = (BY_PATH.get(path), FULL_BY_PATH.get(path), BY_SCHEMA.get(name), FULL_BY_SCHEMA.get(name))
        is_list = schema.get("type") == "array"  # which has the same path as its items
        return tuple(each for each in found if each is not None and isinstance(each, list) == is_list)

    def _of_type(self, schema: JsonSchema, path: str, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                made = self._members if "properties" in schema else self._map
                return made(schema, path, depth)
            case "array":
                return self._list(schema["items"], path, depth)
            case "integer" | "number":
                return self._one(_ODD_NUMBERS if self._is_odd() else _NUMBERS)
            case "boolean":
                return self._draw(st.booleans())
        if "oneOf" in schema:
            return self._one(_ODD_TEXTS if self._is_odd() else _QUANTITIES)
        return self._text(path)

    def _list(self, items: JsonSchema, path: str, depth: int) -> list[Any]:
        least = 1 if path.endswith(_TELLS_EMPTY) else min(1, self._least)
        count = 0 if depth > _DEEPEST else self._draw(st.integers(least, _MOST_ITEMS))
        made = [self.value(items, path, depth + 1) for _ in range(count)]
        return [*made, *copy.deepcopy(made[:1])] if self._is_odd() else made

    def _map(self, schema: JsonSchema, path: str, depth: int) -> dict[str, Any]:
        below = schema.get("additionalProperties")
        if not isinstance(below, dict):
            return {}
        keys = _RESOURCES if "oneOf" in self._schema.resolve(below) else _KEYS
        count = self._draw(st.integers(1 if path.endswith(_TELLS_EMPTY) else min(1, self._least), _MOST_ITEMS))
        return {self._key(keys): self.value(below, path, depth + 1) for _ in range(count)}

    def _key(self, keys: tuple[str, ...]) -> str:
        return self._one(_ODD_TEXTS if self._is_odd() else keys)

    def _text(self, path: str) -> str:
        if self._is_odd():
            return self._one(_ODD_TEXTS)
        fitting = next((texts for end, texts in TEXTS_BY_NAME.items() if path.lower().endswith(end)), _TEXTS)
        return self._one(fitting)


@st.composite
def schema_objects(draw: DrawFn, kind: Kind, base: dict[str, Any]) -> dict[str, Any]:
    """Make objects of a kind with the name of another; some have all that the other has, but for some parts."""
    made = _Making(kind, draw).object(base["metadata"]["name"])
    return _with_parts(base, made) if draw(st.booleans()) else made


def _with_parts(base: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    spec = base.get("spec")
    if not isinstance(spec, dict) or not isinstance(made.get("spec"), dict):
        return copy.deepcopy(base) | made
    return copy.deepcopy(base) | made | {"spec": copy.deepcopy(spec) | made["spec"]}
