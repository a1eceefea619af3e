"""Random scripts: creates, updates, patches, applies by three managers, deletes, lists and watches on one object kind.

Each is a plain list of steps, so that the shortest one that fails can be printed and played again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from cases.objects import CONFIG_MAPS, crd, custom, custom_path
from harness.script import Ask, Case, Script, Step, Watch
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

TEXT: Final = {"type": "string"}
_ENTRY: Final = {"type": "object", "properties": {"k": TEXT, "v": TEXT}, "required": ["k"]}
_KEYED: Final = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "string", "maxLength": 3},
                "n": {"type": "integer", "minimum": 0},
                "d": {"type": "string", "default": "made"},
                "map": {"type": "object", "additionalProperties": TEXT},
                "atom": {"type": "object", "additionalProperties": TEXT, "x-kubernetes-map-type": "atomic"},
                "list": {"type": "array", "items": TEXT},
                "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
                "keyed": {"type": "array", "items": _ENTRY, **_KEYED},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
            "x-kubernetes-validations": [{"rule": "!has(self.n) || self.n < 3", "message": "n is too large"}],
        },
        "status": {"type": "object", "properties": {"phase": TEXT}},
    },
}
CRD: Final = crd("randoms", SCHEMA, subresources={"status": {}})
CUSTOM_PATH: Final = custom_path("randoms")
NAMES: Final = ("a", "b")
MANAGERS: Final = ("one", "two", "three")

_words = st.sampled_from(("x", "y", "long"))
_texts = st.dictionaries(st.sampled_from(("a", "b", "c")), _words, max_size=2)
_lists = st.lists(st.sampled_from(("a", "b", "c")), max_size=2)
_entries = st.lists(st.fixed_dictionaries({"k": st.sampled_from("ab")}, optional={"v": _words}), max_size=2)
# One field at a time: of two faults the real server tells now the one first, now the other.
_faulty = st.one_of(
    st.fixed_dictionaries({"a": _words}),
    st.fixed_dictionaries({"n": st.integers(-1, 3)}),
    st.fixed_dictionaries({"set": _lists}),
    st.fixed_dictionaries({"keyed": _entries}),
)
_sound = st.fixed_dictionaries(
    {},
    optional={"d": _words, "map": _texts, "atom": _texts, "list": _lists, "free": _texts},
)
specs: Final = st.tuples(_faulty | st.just({}), _sound).map(lambda parts: {**parts[0], **parts[1]})
_labels = st.dictionaries(st.sampled_from(("l", "m")), st.sampled_from(("1", "2")), max_size=1)
_finalizers = st.sampled_from(((), (), (), ("example.com/hold",)))


@st.composite
def metadata(draw: st.DrawFn) -> dict[str, Any]:
    """Labels and finalizers, or nothing."""
    labels, finalizers = draw(_labels), draw(_finalizers)
    return {**({"labels": labels} if labels else {}), **({"finalizers": list(finalizers)} if finalizers else {})}


class _Kind:
    """How objects of one kind are made."""

    def __init__(self, path: str, bodies: SearchStrategy[dict[str, Any]], head: dict[str, Any], part: str) -> None:
        self.path, self.bodies, self.part = path, bodies, part
        self._head = head

    def of(self, name: str, meta: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return {**self._head, "metadata": {"name": name, **meta}, self.part: body}


_HEAD: Final = {key: value for key, value in custom("randoms", "").items() if key != "metadata"}
KINDS: Final = (
    _Kind(CUSTOM_PATH, specs, _HEAD, "spec"),
    _Kind(CONFIG_MAPS, _texts, {"apiVersion": "v1", "kind": "ConfigMap"}, "data"),
)


@dataclass(frozen=True, slots=True)
class Move:
    """One request that may change something, and whether a list is asked for after it."""

    verb: str
    name: str
    manager: str
    meta: dict[str, Any]
    body: dict[str, Any]
    nulls: list[str]  # what a merge patch removes
    operation: str  # of a JSON patch
    query: dict[str, str]
    listing: dict[str, str] | None


def _moves(kind: _Kind) -> SearchStrategy[Move]:
    return st.builds(
        Move,
        verb=st.sampled_from(("post", "apply", "force", "merge", "put", "json", "status", "delete")),
        name=st.sampled_from(NAMES),
        manager=st.sampled_from(MANAGERS),
        meta=metadata(),
        body=kind.bodies,
        nulls=st.lists(st.sampled_from(("a", "map", "keyed", "free")), max_size=2),
        operation=st.sampled_from(("add", "replace", "remove", "test")),
        query=st.sampled_from((*[{}] * 9, {"dryRun": "All"})),
        listing=st.sampled_from((*[None] * 9, {}, {"labelSelector": "l=1"}, {"limit": "1"})),
    )


def _add(script: Script, kind: _Kind, move: Move) -> None:
    """Add the request of a move to a script."""
    path, value = f"{kind.path}/{move.name}", kind.of(move.name, move.meta, move.body)
    query = {"fieldManager": move.manager, **move.query}
    match move.verb:
        case "post":
            script.post(kind.path, value, **query)
        case "put":
            value["metadata"]["resourceVersion"] = script.get(path)["metadata"]["resourceVersion"]
            script.put(path, value, **query)
        case "merge":
            part = {**move.body, **dict.fromkeys(move.nulls)}
            script.patch(path, {"metadata": {"finalizers": None, **move.meta}, kind.part: part}, **query)
        case "json":
            field, item = next(iter(sorted(move.body.items())), ("none", None))
            step = {"op": move.operation, "path": f"/{kind.part}/{field}", "value": item}
            script.patch(path, [step], kind="json", **query)
        case "apply" | "force":
            forced = {"force": "true"} if move.verb == "force" else {}
            script.patch(path, value, kind="apply", **query, **forced)
        case "status":
            script.patch(f"{path}/status", {"status": {"phase": move.manager}}, **query)
        case "delete":
            script.delete(path, **query)
    if move.listing is not None:
        script.get(kind.path, **move.listing)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Step, ...]:
    """Return the steps of a random script, all of it seen by a watch."""
    kind = draw(st.sampled_from(KINDS))
    moves = draw(st.lists(_moves(kind), min_size=1, max_size=12))
    script = Script()
    if kind.path == CUSTOM_PATH:
        script.given(CRD)
    version = script.get(kind.path)["metadata"]["resourceVersion"]
    with script.watch(kind.path, events=None, last='"name":"end"', resourceVersion=version) as during:
        for move in moves:
            _add(during, kind, move)
        during.get(kind.path)
        during.post(kind.path, kind.of("end", {}, {}))
    return tuple(script.steps)


def as_text(case: Case) -> str:
    """Return a script as a person would write it, a line a request."""
    return "\n".join(_lines(case.steps, ""))


def _lines(steps: tuple[Step, ...], indent: str) -> list[str]:
    found = []
    for step in steps:
        if isinstance(step, Watch):
            found += [f"{indent}WATCH {step.path}", *_lines(step.during, f"{indent}    ")]
        elif isinstance(step, Ask):
            found.append(f"{indent}{step.method} {step.path} {dict(step.query)} {step.body}")
    return found
