"""Write `builtin/go_types.json`: what Go's types say of the built-in kinds beyond their OpenAPI schemas.

Some facts decide how a value comes back from the real server, and the schemas have none of them: whether a scalar is a
pointer (its zero is kept) or not (it is left out), whether an absent list, map, pointer or time is written as null or
another zero, whether a zero that the schema gives as default is left out, by which name an error calls a type, and
through which embedded types it leads to a field. Read from the sources of k8s.io/api, apimachinery,
apiextensions-apiserver and kube-aggregator; give the folder that holds these modules.

    python tools/capture_go_types.py ~/go/pkg/mod/k8s.io 0.36.3
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from konverge.cluster.apiserver.builtin.schemas import schemas

_TARGET: Final = Path(__file__).parent.parent / "src/konverge/cluster/apiserver/builtin/go_types.json"
_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(r'^\t(\w+)\s+(\S+(?:\s*interface\{\})?)\s+`[^`]*json:"([^"]*)"', re.MULTILINE)
_INLINE: Final = re.compile(r'^\t(?:\w+\.)?(\w+)\s+`json:",inline', re.MULTILINE)
_SCALARS: Final = {"string", "int32", "int64", "bool", "float64", "int", "uint32", "uint64"}
_NULLS: Final = {"metav1.Time", "metav1.MicroTime", "Time", "MicroTime", "runtime.RawExtension"}  # written where empty
_ZEROS: Final = {"intstr.IntOrString": 0, "resource.Quantity": "0"}  # structs: `omitempty` does not leave them out
# Where code of the real server tells an empty list from none: its defaults come only for none.
_TOLD: Final = {"io.k8s.api.autoscaling.v2.HPAScalingRules": ["policies"]}
_ROOTS: Final = {
    "api": "io.k8s.api",
    "apimachinery": "io.k8s.apimachinery",
    "apiextensions-apiserver": "io.k8s.apiextensions-apiserver",
    "kube-aggregator": "io.k8s.kube-aggregator",
}
_PACKAGES: Final = {
    **dict.fromkeys(("v1", "apiv1", "corev1"), "io.k8s.api.core.v1"),
    "metav1": "io.k8s.apimachinery.pkg.apis.meta.v1",
}
_ALIASES: Final = re.compile(r"^type (\w+) (map\[[^\]]*\]\S+|\[\]\S+|string|int32|int64)$", re.MULTILINE)


def _sources(folder: Path, version: str) -> Iterator[tuple[str, str]]:
    """Yield the OpenAPI package of each folder with types, and their text."""
    for module, root in _ROOTS.items():
        base = folder / f"{module}@v{version}"
        if not base.exists():
            continue
        for path in sorted(base.rglob("types*.go")):
            steps = ".".join(path.parent.relative_to(base).parts)
            yield f"{root}.{steps}" if steps else root, path.read_text()


def _full_name(kind: str, package: str) -> str:
    """Return the name of a type that a package mentions; the core group's go by several names."""
    begin, _, name = kind.rpartition(".")
    return f"{_PACKAGES.get(begin, package)}.{name}"


def _called(kind: str, package: str, named: dict[str, str]) -> str:
    """Return what an error calls a named type, or a list of named scalars; nothing where it says what the type is."""
    full = _full_name(kind.removeprefix("[]"), package)
    known, short = named.get(full, ""), ".".join(full.split(".")[-2:])
    if kind.startswith("[]"):
        return f"[]{short}" if known in _SCALARS else ""
    return short if known else kind if kind == "types.UID" else ""


def _facts(text: str, package: str, named: dict[str, str]) -> dict[str, Any]:
    facts: dict[str, Any] = {"pointers": [], "nulls": [], "omitted": [], "exact": [], "zeros": {}, "types": {}}
    for _, kind, tag in _FIELD.findall(text):
        name, *options = tag.split(",")
        if not name or name == "-":
            continue
        bare = kind.lstrip("*")
        local = named.get(_full_name(bare, package), "")
        if kind.startswith("*") and (bare in _SCALARS or local in _SCALARS or "." in bare):
            facts["pointers"].append(name)
        is_written = "omitempty" not in options and "omitzero" not in options
        if is_written and (kind.startswith(("[]", "map[", "*")) or local.startswith(("[]", "map["))):
            facts["nulls"].append(name)
        if kind in _NULLS and "omitzero" not in options:
            facts["nulls"].append(name)
        if kind in _ZEROS and "omitzero" not in options:
            facts["zeros"][name] = _ZEROS[kind]
        if not is_written and (kind in _SCALARS or local in _SCALARS):
            facts["omitted"].append(name)
        if local.startswith("map[") and "." in bare:
            facts["exact"].append(name)  # the defaults that round amounts are the core group's
        if called := _called(bare, package, named):
            facts["types"][name] = called
    return {key: value for key, value in facts.items() if value}


def main(folder: str, version: str) -> None:
    """Read the sources and write the file."""
    sources = list(_sources(Path(folder).expanduser(), version))
    named = {f"{package}.{name}": kind for package, text in sources for name, kind in _ALIASES.findall(text)}
    found: dict[str, Any] = {}
    inlined: dict[str, list[str]] = {}
    fields: dict[str, list[str]] = {}
    for package, text in sources:
        for name, body in _STRUCT.findall(text):
            if facts := _facts(body, package, named):
                found[f"{package}.{name}"] = facts
            fields[f"{package}.{name}"] = [tag.split(",")[0] for _, _, tag in _FIELD.findall(body)]
            inlined[f"{package}.{name}"] = [f"{package}.{inner}" for inner in _INLINE.findall(body)]
    for name in inlined:
        for other in _all_inlined(name, inlined):
            _join(found.setdefault(name, {}), found.get(other, {}))
        if inside := dict(_inside(name, inlined, fields)):
            found.setdefault(name, {})["inside"] = inside
    for name, told in _TOLD.items():
        found.setdefault(name, {})["told"] = told
    served = set(schemas())
    kept = {name: _needed(name, facts) for name, facts in sorted(found.items()) if name in served}
    kept = {name: facts for name, facts in kept.items() if facts}
    _TARGET.write_text(json.dumps(kept, separators=(",", ":"), sort_keys=True) + "\n")


def _all_inlined(name: str, inlined: dict[str, list[str]]) -> Iterator[str]:
    for other in inlined.get(name, ()):
        yield other
        yield from _all_inlined(other, inlined)


def _inside(name: str, inlined: dict[str, list[str]], fields: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield the fields of embedded types, and by which of these Go comes to them."""
    for other in inlined.get(name, ()):
        kind = other.rpartition(".")[2]
        yield from ((field, kind) for field in fields.get(other, ()) if field)
        yield from ((field, f"{kind}.{below}") for field, below in _inside(other, inlined, fields))


def _needed(name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts, of what is left out only that where the schema has a zero as default."""
    properties = schemas()[name].get("properties", {})
    omitted = [each for each in facts.get("omitted", ()) if properties.get(each, {}).get("default") in ("", 0, False)]
    return {
        **{key: value for key, value in facts.items() if key != "omitted"},
        **({"omitted": omitted} if omitted else {}),
    }


def _join(facts: dict[str, Any], more: dict[str, Any]) -> None:
    for key in ("pointers", "nulls", "omitted"):
        if key in more:
            facts[key] = list(dict.fromkeys(facts.get(key, []) + more[key]))
    for key in ("types", "zeros"):
        if key in more:
            facts[key] = {**more[key], **facts.get(key, {})}


if __name__ == "__main__":
    main(*sys.argv[1:])
