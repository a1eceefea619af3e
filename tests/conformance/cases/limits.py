"""Limits: what is too large, too deep or too many; and field validation far inside."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, SECRETS, config_map

case = Cases("limit")

A: Final = f"{CONFIG_MAPS}/a"
MEBI: Final = 1024 * 1024


def _deployment(**container: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "x", **container}]}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": pod}
    return {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"app": "x"}}, "template": template}}


@case("bodies")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    large = config_map("a", data={"a": "x" * (3 * MEBI)})
    s.post(CONFIG_MAPS, large)
    s.put(A, large)
    s.patch(A, large)
    s.delete(A, large)


@case("config maps and secrets")
def _(s: Script) -> None:
    s.post(
        CONFIG_MAPS,
        config_map("a", data={"a": "x" * MEBI}),
        dryRun="All",
        headers={"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
    )
    s.post(CONFIG_MAPS, config_map("a", data={"a": "x" * MEBI, "b": "y"}))
    s.post(SECRETS, {"metadata": {"name": "a"}, "stringData": {"a": "x" * (MEBI + 1)}})


@case("objects that are too large to store")
def _(s: Script) -> None:
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"
    rule = {"verbs": ["get"], "apiGroups": [""], "resources": ["x" * 1000]}
    s.post(path, {"metadata": {"name": "a"}, "rules": [rule] * 2000})
    s.get(f"{path}/a")


@case("depth")
def _(s: Script) -> None:
    for depth in (100, 20_000):
        deep = b'{"metadata":{"name":"a"},"x":' + b"[" * depth + b"]" * depth + b"}"
        s.post(CONFIG_MAPS, deep, dryRun="All")
        s.patch(f"{CONFIG_MAPS}/a", deep)


@case("numbers")
def _(s: Script) -> None:
    for number in (
        b"1e400",
        b"99999999999999999999",
        b"-9223372036854775808",
        b"9223372036854775807",
        b"1.5",
        b"1.0",
        b"1e2",
        b"01",
        b"-",
    ):
        s.post(DEPLOYMENTS, b'{"metadata":{"name":"a"},"spec":{"replicas":' + number + b"}}", dryRun="All")


@case("numbers of 64 bits")
def _(s: Script) -> None:
    for number in (b"9223372036854775807", b"9223372036854775808", b"1.5"):
        s.delete(A, b'{"gracePeriodSeconds":' + number + b"}")


@case("texts")
def _(s: Script) -> None:
    for index, text in enumerate(
        (b'"\\u0000"', b'"\\ud83d\\ude00"', b'"\\ud83d"', b'"\xff"', b'"a\\qb"', b'"tab\tin"', b'"\\/"')
    ):
        s.post(CONFIG_MAPS, b'{"metadata":{"name":"a%d"},"data":{"a":%s}}' % (index, text))


@case("bodies with more behind them")
def _(s: Script) -> None:
    for rest in (b" ", b"\n\n", b"x", b"{}", b","):
        s.post(CONFIG_MAPS, b'{"metadata":{"name":"a"}}' + rest, dryRun="All")
    s.post(CONFIG_MAPS, b'  {"metadata":{"name":"a"}}', dryRun="All")
    s.post(CONFIG_MAPS, b'\xef\xbb\xbf{"metadata":{"name":"a"}}', dryRun="All")


@case("unknown fields in lists and maps")
def _(s: Script) -> None:
    odd = _deployment(env=[{"name": "A", "valu": "x"}], ports=[{"containerPort": 1, "odd": {}}], livness={"x": 1})
    for validation in ("Strict", "Warn", "Ignore"):
        s.post(DEPLOYMENTS, odd, fieldValidation=validation, dryRun="All")


@case("unknown fields at several levels")
def _(s: Script) -> None:
    odd = _deployment()
    odd["extra"] = 1
    odd["spec"]["replica"] = 1
    odd["spec"]["template"]["spec"]["container"] = []
    s.post(DEPLOYMENTS, odd, fieldValidation="Strict", dryRun="All")
    s.post(DEPLOYMENTS, odd, dryRun="All")


@case("fields twice at several levels")
def _(s: Script) -> None:
    body = (
        b'{"metadata":{"name":"a","labels":{"x":"1","x":"2"}},"metadata":{"name":"b"},"data":{"k":"1","k":"2","k":"3"}}'
    )
    s.post(CONFIG_MAPS, body, fieldValidation="Strict", dryRun="All")
    s.post(CONFIG_MAPS, body, fieldValidation="Warn", dryRun="All")
    s.post(CONFIG_MAPS, body, fieldValidation="Ignore", dryRun="All")


@case("unknown fields and fields twice together")
def _(s: Script) -> None:
    body = b'{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"dat":1,"dat":2}'
    for validation in ("Strict", "Warn"):
        s.post(CONFIG_MAPS, body, fieldValidation=validation, dryRun="All")


@case("unknown fields in YAML")
def _(s: Script) -> None:
    yaml = {"Content-Type": "application/yaml"}
    s.post(CONFIG_MAPS, b"metadata: {name: a}\ndat: {x: 1}\n", headers=yaml, fieldValidation="Strict")
    s.post(CONFIG_MAPS, b"metadata: {name: a}\ndata:\n  x: '1'\n  x: '2'\n", headers=yaml, fieldValidation="Strict")
    s.post(CONFIG_MAPS, b"metadata: {name: a}\ndata:\n  x: '1'\n  x: '2'\n", headers=yaml)


@case("a wrong type and unknown fields together")
def _(s: Script) -> None:
    odd = _deployment(args="x", odd=1)
    s.post(DEPLOYMENTS, odd, fieldValidation="Strict")
    s.post(DEPLOYMENTS, {**odd, "spec": []}, fieldValidation="Strict")


@case("many unknown fields")
def _(s: Script) -> None:
    odd = {f"odd{index:03}": index for index in range(40)}
    s.post(CONFIG_MAPS, {"metadata": {"name": "a"}, **odd}, dryRun="All")
    s.post(CONFIG_MAPS, {"metadata": {"name": "a"}, **odd}, dryRun="All", fieldValidation="Strict")
