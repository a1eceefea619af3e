"""Impersonation: who may be whom, by the old verb and by the constrained ones."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS
from cases.rbac_objects import (
    AUTHENTICATION,
    CLUSTER_ROLES,
    acting,
    bound,
    cluster_bind,
    role,
    until_allowed,
)

case = Cases("impersonation")

WHO: Final = f"{AUTHENTICATION}/selfsubjectreviews"
TOKENS: Final = "/api/v1/namespaces/{ns}/serviceaccounts/{account}/token"
ACCOUNT: Final = "system:serviceaccount:{ns}:"


def _allowed(s: Script, account: str, *rules: dict[str, Any], probe: dict[str, Any]) -> dict[str, Any]:
    """Make a service account that has these rules, and return the header by which it asks."""
    s.post("/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": account}})
    name = f"{account}-{{ns}}"
    s.post(CLUSTER_ROLES, bound("ClusterRole", name, rules=[*rules]))
    cluster_bind(s, name, name, account=account)
    until_allowed(s, f"{ACCOUNT}{account}", (), probe)
    token = s.post(TOKENS.replace("{account}", account), {})["status"]["token"]
    return {"Authorization": token.after("Bearer ")}


@case("by nobody who may")
def _(s: Script) -> None:
    for user in ("jane", "system:serviceaccount:{ns}:default", "system:node:n1", "system:anonymous", "a<b>&c"):
        s.get(CONFIG_MAPS, headers=acting(user), bare=True)
        s.get("/version", headers=acting(user), bare=True)
    s.get("/version", headers={"Impersonate-Group": "a"}, bare=True)
    s.get("/version", headers={"Impersonate-Group": ["a", "b"], "Impersonate-Uid": "7"})
    s.get("/version", headers={"Impersonate-Extra-Scope": "x"})
    s.get("/version", headers={"Impersonate-User": ""})


@case("by the administrator")
def _(s: Script) -> None:
    s.post(WHO, {}, headers=acting("jane", ["system:masters"]))
    s.post(WHO, {}, headers=acting("jane", ["system:unauthenticated"]))
    s.post(WHO, {}, headers=acting("jane", ["system:authenticated"]))
    s.post(WHO, {}, headers=acting("system:node:n1", ["a"]))
    s.post(WHO, {}, headers=acting("system:node:N_1"))
    s.post(WHO, {}, headers=acting("system:serviceaccount:a:b:c"))
    s.post(WHO, {}, headers=acting("system:anonymous", ["a"]))
    s.post(WHO, {}, headers={**acting("jane"), "Impersonate-Extra-Scope": "x"})


@case("of a user, by the old verb")
def _(s: Script) -> None:
    rules = [role(["users"], ["impersonate"], names=["jane"]), role(["groups"], ["impersonate"], names=["a", "b"])]
    probe = {"verb": "impersonate", "resource": "users", "name": "jane"}
    own = _allowed(s, "old", *rules, probe=probe)
    for headers in (
        acting("eve"),
        acting("jane"),
        acting("jane", ["a", "b"]),
        acting("jane", ["a", "c"]),
        acting("jane", ["system:masters"]),
        acting("eve"),
        {**acting("jane"), "Impersonate-Uid": "7"},
        {**acting("jane"), "Impersonate-Extra-example.com%2fscope": "x"},
        acting("system:serviceaccount:{ns}:default"),
    ):
        s.post(WHO, {}, headers={**own, **headers}, bare=True)


@case("of a service account and of everyone, by the old verb")
def _(s: Script) -> None:
    account = role(["serviceaccounts"], ["impersonate"], names=["default"])
    parts = role(["userextras/example.com/scope", "uids"], ["impersonate"], groups=["authentication.k8s.io"])
    users = role(["users"], ["impersonate"])
    own = _allowed(s, "all", account, parts, users, probe={"verb": "impersonate", "resource": "users"})
    for headers in (
        acting("system:serviceaccount:{ns}:default"),
        acting("system:serviceaccount:{ns}:other"),
        acting("system:serviceaccount:{ns}:default", ["a"]),
        {**acting("jane"), "Impersonate-Uid": "7", "Impersonate-Extra-example.com%2fscope": ["x", "y"]},
        {**acting("jane"), "Impersonate-Extra-other": "x"},
        acting("system:anonymous"),
        acting("system:node:n1"),
    ):
        s.post(WHO, {}, headers={**own, **headers}, bare=True)


@case("constrained to what is asked")
def _(s: Script) -> None:
    authentication = {"groups": ["authentication.k8s.io"]}
    rules = [
        role(["users"], ["impersonate:user-info"], **authentication, names=["jane"]),
        role(["groups"], ["impersonate:user-info"], **authentication, names=["a"]),
        role(["serviceaccounts"], ["impersonate:serviceaccount"], **authentication),
        role(["nodes"], ["impersonate:arbitrary-node"], **authentication),
        role(["configmaps"], ["impersonate-on:user-info:list"]),
        role(["selfsubjectreviews"], ["impersonate-on:serviceaccount:create"], **authentication),
        role(["selfsubjectreviews"], ["impersonate-on:arbitrary-node:create"], **authentication),
    ]
    probe = {"verb": "impersonate-on:user-info:list", "resource": "configmaps", "namespace": "{ns}"}
    own = _allowed(s, "new", *rules, probe=probe)
    for headers in (
        acting("jane"),
        acting("jane", ["a"]),
        acting("jane", ["b"]),
        acting("jane", ["system:masters"]),
        acting("jane", [""]),
        acting("eve"),
        acting("system:serviceaccount:{ns}:default"),
        acting("system:serviceaccount:{ns}:default", ["a"]),
        acting("system:node:n1"),
        {**acting("jane"), "Impersonate-Extra-scope": "x"},
        {**acting("jane"), "Impersonate-Extra-example.com%2fscope": "x"},
    ):
        s.post(WHO, {}, headers={**own, **headers}, bare=True)
        s.get(CONFIG_MAPS, headers={**own, **headers}, bare=True)
