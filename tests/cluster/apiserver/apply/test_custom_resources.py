"""Random sequences of writes by three managers to custom resources with every list and map type, in two versions."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from konverge.api import merge_patch
from konverge.cluster.apiserver.apply.custom import custom_field_managers
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.testing import RealCluster

SEQUENCES = 1000
STEPS = 9
MANAGERS = ("alice", "bob", "kubectl")
GROUP = "apply.konverge.dev"
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def struct(**fields: Any) -> dict[str, Any]:
    """Return the schema of an object."""
    return {"type": "object", "properties": fields}


def listed(items: Any, **more: Any) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **{f"x-kubernetes-{name}": value for name, value in more.items()}}


PORT = {**struct(port=WHOLE, protocol={**TEXT, "default": "TCP"}, host=TEXT), "required": ["port"]}
PORTS = listed(PORT, **{"list-type": "map", "list-map-keys": ["port", "protocol"]})
ITEM = {**struct(name=TEXT, value=TEXT, ports=PORTS, deep=struct(a=TEXT)), "required": ["name"]}
BY_NAME = {"list-type": "map", "list-map-keys": ["name"]}
SPEC = struct(
    text=TEXT,
    whole=WHOLE,
    ratio={"type": "number"},
    flag={"type": "boolean"},
    either={"x-kubernetes-int-or-string": True},
    atomicList=listed(TEXT),
    atomicItems=listed(struct(name=TEXT)),
    texts=listed(TEXT, **{"list-type": "set"}),
    wholes=listed(WHOLE, **{"list-type": "set"}),
    items=listed(ITEM, **BY_NAME),
    granular={"type": "object", "additionalProperties": TEXT},
    granularStructs={"type": "object", "additionalProperties": struct(a=TEXT, b=listed(TEXT, **{"list-type": "set"}))},
    atomicMap={"type": "object", "additionalProperties": TEXT, "x-kubernetes-map-type": "atomic"},
    struct=struct(a=TEXT, deep=struct(b=TEXT, c=WHOLE)),
    atomicStruct={**struct(a=TEXT, b=TEXT), "x-kubernetes-map-type": "atomic"},
    open={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    halfOpen={**struct(a=TEXT, b=struct(c=TEXT)), "x-kubernetes-preserve-unknown-fields": True},
    nullText={**TEXT, "nullable": True},
    nullMap={"type": "object", "additionalProperties": {**TEXT, "nullable": True}, "nullable": True},
    nullItems={**listed(ITEM, **BY_NAME), "nullable": True},
    nullStruct={**struct(a={**TEXT, "nullable": True}), "nullable": True},
    embedded={"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
)
CONDITION = {**struct(type=TEXT, status=TEXT), "required": ["type"]}
CONDITIONS = listed(CONDITION, **{"list-type": "map", "list-map-keys": ["type"]})
STATUS = struct(phase=TEXT, conditions=CONDITIONS)
SCHEMA = struct(spec=SPEC, status=STATUS)
# The same objects, with other list types: owners in one version meet owners in the other.
ATOMIC = {"x-kubernetes-map-type": "atomic"}
OTHERS = {
    "texts": listed(TEXT),
    "items": listed(ITEM),
    "granular": {**SPEC["properties"]["granular"], **ATOMIC},
    "struct": {**SPEC["properties"]["struct"], **ATOMIC},
    "atomicMap": {**SPEC["properties"]["atomicMap"], "x-kubernetes-map-type": "granular"},
}
OTHER_SPEC = {**SPEC, "properties": {**SPEC["properties"], **OTHERS}}
SCHEMAS = {"v1": SCHEMA, "v1beta1": struct(spec=OTHER_SPEC, status=STATUS)}


def word(rng: random.Random) -> str:
    """Return one of few texts, so that values meet again; some need escapes."""
    return rng.choice(["a", "b", "c", "a<b", "x y", 'q"', "é", ""])


def made(schema: dict[str, Any], rng: random.Random) -> Any:
    """Return a random value by a schema."""
    if schema.get("nullable") and rng.random() < 0.3:
        return None
    if schema.get("x-kubernetes-int-or-string"):
        return rng.choice([1, 2, "50%", "a"])
    if schema.get("x-kubernetes-embedded-resource"):
        metadata = (
            {"name": "e", "labels": {rng.choice("ab"): rng.choice("ab")}} if rng.random() < 0.7 else {"name": "f"}
        )
        return {"apiVersion": "v1", "kind": "K", "metadata": metadata, **made(OPEN, rng)}
    maker: Callable[[dict[str, Any], random.Random], Any] = MAKERS[schema["type"]]
    return maker(schema, rng)


OPEN: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def free(rng: random.Random, depth: int = 2) -> Any:
    """Return any JSON value."""
    kinds = [0, 1, True, False, "a", "b", 1.5, [], {}, ["a"], [{"name": "a"}]]
    if depth and rng.random() < 0.5:
        return {rng.choice("mno"): free(rng, depth - 1) for _ in range(rng.randint(0, 2))}
    return copy.deepcopy(rng.choice(kinds))


def made_object(schema: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a random object by a schema."""
    fields = schema.get("properties", {})
    chosen = [name for name in fields if name in schema.get("required", ()) or rng.random() < 0.4]
    value = {name: made(fields[name], rng) for name in chosen}
    more = schema.get("additionalProperties")
    if more:
        value |= {rng.choice("klm"): made(more, rng) for _ in range(rng.randint(0, 2))}
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        value |= {rng.choice("xyz"): free(rng) for _ in range(rng.randint(0, 2))}
    return value


def made_list(schema: dict[str, Any], rng: random.Random) -> list[Any]:
    """Return a random list by a schema, without duplicates where there may be none."""
    items = [made(schema["items"], rng) for _ in range(rng.randint(0, 3))]
    keys = schema.get("x-kubernetes-list-map-keys")
    if schema.get("x-kubernetes-list-type") == "set":
        return list(dict.fromkeys(items))
    if keys:
        fields = schema["items"]["properties"]
        for item in items:
            for key in keys:
                if "default" not in fields[key]:
                    item.setdefault(key, made(fields[key], rng))
        return list(
            {json.dumps([item.get(k, fields[k].get("default")) for k in keys]): item for item in items}.values()
        )
    return items


MAKERS: dict[str, Callable[[dict[str, Any], random.Random], Any]] = {
    "string": lambda schema, rng: rng.choice(["TCP", "UDP"]) if "default" in schema else word(rng),
    "integer": lambda _, rng: rng.randint(0, 12),
    "number": lambda _, rng: rng.choice([0.5, 1, 2.0, 1e-7]),
    "boolean": lambda _, rng: rng.random() < 0.5,
    "array": made_list,
    "object": made_object,
}


def defaulted(schema: dict[str, Any], value: Any) -> Any:
    """Fill in the schema's defaults: ours to do here, since the real server does it after an apply."""
    if isinstance(value, list):
        return [defaulted(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = schema.get("properties", {})
    more = schema.get("additionalProperties", {})
    if schema.get("x-kubernetes-embedded-resource") and "metadata" in value:
        return value | {"metadata": {name: part for name, part in (value["metadata"] or {}).items() if part}}
    done = {name: defaulted(fields.get(name, more), part) for name, part in value.items()}
    return {name: part["default"] for name, part in fields.items() if "default" in part and name not in done} | done


def decoded(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as the real server reads it: defaulted, and without empty parts of the metadata."""
    done: dict[str, Any] = defaulted(SCHEMA, copy.deepcopy(value))
    done["metadata"] = {name: part for name, part in done["metadata"].items() if part}
    return done


CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"samples.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "samples", "singular": "sample", "kind": "Sample"},
        "versions": [
            {
                "name": version,
                "served": True,
                "storage": version == "v1",
                "schema": {"openAPIV3Schema": schema},
                "subresources": {"status": {}},
            }
            for version, schema in SCHEMAS.items()
        ],
    },
}


class Writer:
    """Writes one custom resource, in random ways."""

    managers = custom_field_managers(CRD)

    def __init__(self, life: Any) -> None:
        self.life = life

    def step(self) -> None:
        """Do one random thing."""
        manager = self.life.rng.choice(MANAGERS)
        version = "v1beta1" if self.life.rng.random() < 0.15 else "v1"
        self.life.path = f"/apis/{GROUP}/{version}/{self.life.path.split('/', 4)[4]}"
        if self.life.live:
            self.life.live["apiVersion"] = f"{GROUP}/{version}"
        sub = "status" if self.life.live and self.life.rng.random() < 0.2 else ""
        doing = self.life.rng.choice([self.apply, self.apply, self.apply, self.replace, self.merge])
        doing = self.create if self.life.live is None and doing != self.apply else doing
        doing(self.managers[version], manager, version, sub)

    def body(self, version: str) -> dict[str, Any]:
        """Return a random object."""
        spec, status = made(SPEC, self.life.rng), made(STATUS, self.life.rng)
        whole = {"apiVersion": f"{GROUP}/{version}", "kind": "Sample", "metadata": self.life.metadata()}
        parts = {"spec": spec, "status": status}
        return whole | {name: part for name, part in parts.items() if self.life.rng.random() < 0.9}

    def create(self, fields: FieldManager, manager: str, version: str, sub: str) -> None:
        """Create the object."""
        new = self.body(version)
        reply = self.life.send("POST", f"fieldManager={manager}", new, sub=sub)
        assert reply.code == 201, self.life.last()
        self.life.check_update(fields, reply.body, decoded(new), manager=manager)
        self.life.live = reply.body

    def replace(self, fields: FieldManager, manager: str, version: str, sub: str) -> None:
        """Replace the object by one that has much of it."""
        assert self.life.live is not None
        new, other = copy.deepcopy(self.life.live), self.body(version)
        for part in ("spec", "status"):
            old = new.get(part, {})
            new[part] = {name: value for name, value in old.items() if self.life.rng.random() < 0.8} | {
                name: value for name, value in other.get(part, {}).items() if self.life.rng.random() < 0.4
            }
        new["metadata"] |= {name: other["metadata"][name] for name in ("labels",) if name in other["metadata"]}
        chance = self.life.rng.random()
        if chance < 0.2:
            new["metadata"].pop("managedFields", None)
        elif chance < 0.25:
            new["metadata"]["managedFields"] = self.life.rng.choice([[], [{}]])
        elif chance < 0.35 and new["metadata"].get("managedFields"):
            new["metadata"]["managedFields"].pop()
        self.put_or_patch(
            fields, self.life.send("PUT", f"fieldManager={manager}", new, sub=slash(sub)), new, manager, sub
        )

    def merge(self, fields: FieldManager, manager: str, version: str, sub: str) -> None:
        """Patch the object, and remove something."""
        patch = self.body(version)
        for name in self.life.rng.sample(sorted(SPEC["properties"]), 2):
            patch.setdefault("spec", {})[name] = None
        assert self.life.live is not None
        media = "application/merge-patch+json"
        reply = self.life.send("PATCH", f"fieldManager={manager}", patch, media, slash(sub))
        self.put_or_patch(fields, reply, merge_patch.apply(self.life.live, patch), manager, sub)

    def put_or_patch(self, fields: FieldManager, reply: Any, new: Any, manager: str, sub: str) -> None:
        """Compare an update, where the real server took it."""
        if reply.code != 200:
            assert reply.code == 422, self.life.last()
            return
        self.life.check_update(fields, reply.body, decoded(new), manager=manager, subresource=sub)
        self.life.live = reply.body

    def apply(self, fields: FieldManager, manager: str, version: str, sub: str) -> None:
        """Apply a part of the object."""
        patch = self.body(version)
        force = self.life.rng.random() < 0.5
        query = f"fieldManager={manager}&force={str(force).lower()}"
        reply = self.life.send("PATCH", query, patch, "application/apply-patch+yaml", slash(sub))
        ours = self.life.check_apply(fields, reply, patch, manager=manager, force=force, subresource=sub)
        if not ours:
            return
        kept = ("spec", "metadata") if sub else ("status",)
        for part in kept:
            ours.pop(part, None)
            if part in (self.life.live or {}):
                ours[part] = self.life.live[part]
        assert defaulted(SCHEMA, self.life.bare(ours)) == self.life.bare(reply.body), self.life.last()
        self.life.live = reply.body


def slash(subresource: str) -> str:
    """Return a subresource's end of the path."""
    return f"/{subresource}" if subresource else ""


@pytest.fixture
def samples(real_cluster: RealCluster, real: Any) -> str:
    """Define the custom resource, and return the path to its objects."""
    real_cluster.kubectl("apply", "--server-side", "-f", "-", input=json.dumps(CRD))
    real_cluster.kubectl("wait", "--for=condition=Established", f"crd/samples.{GROUP}")
    path = f"/apis/{GROUP}/v1/namespaces/default/samples"
    assert any(real.send("GET", path, None).code == 200 for _ in range(1000))  # served a moment after it is established
    return path


def test_custom_resources(life: Callable[..., Any], samples: str, share: float) -> None:
    """Three managers write custom resources with every list and map type, in two versions."""
    for seed in range(int(SEQUENCES * share)):
        writer = Writer(life(seed, path=samples, name=f"s-{seed}"))
        for _ in range(STEPS):
            writer.step()
