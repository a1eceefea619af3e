"""Random scripts: creates, updates, patches, applies by three managers, deletes, lists and watches on one object kind.

Each is a plain list of steps, so that the shortest one that fails can be printed and played again.
"""

from __future__ import annotations

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


@st.composite
def _write(draw: st.DrawFn, kind: _Kind, script: Script) -> None:
    """Add one request that may change something."""
    name, manager = draw(st.sampled_from(NAMES)), draw(st.sampled_from(MANAGERS))
    path, meta, body = f"{kind.path}/{name}", draw(metadata()), draw(kind.bodies)
    extra = {"dryRun": "All"} if draw(st.integers(0, 9)) == 0 else {}
    verb = draw(st.sampled_from(("post", "put", "merge", "json", "apply", "apply", "force", "status", "delete")))
    match verb:
        case "post":
            script.post(kind.path, kind.of(name, meta, body), fieldManager=manager, **extra)
        case "put":
            version = script.get(path)["metadata"]["resourceVersion"]
            value = kind.of(name, {**meta, "resourceVersion": version}, body)
            script.put(path, value, fieldManager=manager, **extra)
        case "merge":
            nulls = dict.fromkeys(draw(st.lists(st.sampled_from(("a", "map", "keyed", "free")), max_size=2)))
            change = {"metadata": {"finalizers": None, **meta}, kind.part: {**body, **nulls}}
            script.patch(path, change, fieldManager=manager, **extra)
        case "json":
            field, value = draw(st.sampled_from(sorted(body.items()) or [("none", None)]))
            operation = draw(st.sampled_from(("add", "replace", "remove", "test")))
            step = {"op": operation, "path": f"/{kind.part}/{field}", "value": value}
            script.patch(path, [step], kind="json", fieldManager=manager, **extra)
        case "apply":
            script.apply(path, kind.of(name, meta, body), manager=manager, **extra)
        case "force":
            script.apply(path, kind.of(name, meta, body), manager=manager, force="true", **extra)
        case "status":
            change = {"status": {"phase": draw(_words)}}
            script.patch(f"{path}/status", change, fieldManager=manager, **extra)
        case "delete":
            script.delete(path, **extra)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Step, ...]:
    """Return the steps of a random script, all of it seen by a watch."""
    kind = draw(st.sampled_from(KINDS))
    script = Script()
    if kind.path == CUSTOM_PATH:
        script.given(CRD)
    version = script.get(kind.path)["metadata"]["resourceVersion"]
    with script.watch(kind.path, events=None, last='"name":"end"', resourceVersion=version) as during:
        for _ in range(draw(st.integers(1, 12))):
            draw(_write(kind, during))
            if draw(st.integers(0, 4)) == 0:
                during.get(kind.path, **draw(st.sampled_from(({}, {"labelSelector": "l=1"}, {"limit": "1"}))))
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
