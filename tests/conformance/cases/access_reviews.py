"""Access reviews: what they answer, and what they refuse to be asked."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.rbac_objects import (
    ACCESS_REVIEWS,
    AUTHENTICATION,
    AUTHORIZATION,
    acting,
    bind,
    grant,
    reviewed,
    role,
    until_allowed,
)

case = Cases("access review")

SELF: Final = f"{AUTHORIZATION}/selfsubjectaccessreviews"
LOCAL: Final = f"{AUTHORIZATION}/namespaces/{{ns}}/localsubjectaccessreviews"
RULES: Final = f"{AUTHORIZATION}/selfsubjectrulesreviews"
WHO: Final = f"{AUTHENTICATION}/selfsubjectreviews"
PODS: Final = {"verb": "get", "resource": "pods", "namespace": "{ns}"}


def _of(**attributes: Any) -> dict[str, Any]:
    return {"spec": {"resourceAttributes": {**PODS, **attributes}}}


@case("of oneself")
def _(s: Script) -> None:
    s.post(SELF, _of())
    for user in ("jane", "system:anonymous"):
        headers = acting(user)
        s.post(SELF, _of(), headers=headers)
        s.post(SELF, {"spec": {"nonResourceAttributes": {"verb": "get", "path": "/api"}}}, headers=headers)
        s.post(SELF, {"spec": {"nonResourceAttributes": {"verb": "get"}}}, headers=headers, dryRun="All")


@case("with too little and too much")
def _(s: Script) -> None:
    path = {"verb": "get", "path": "/api"}
    for review in (SELF, ACCESS_REVIEWS, LOCAL):
        s.post(review, {})
        s.post(review, {"spec": {}})
        s.post(review, {"spec": {"user": "a", "nonResourceAttributes": path, "resourceAttributes": PODS}})
        s.post(review, {"spec": {"user": "a", "nonResourceAttributes": path}})
        s.post(review, {"spec": {"groups": ["a"], "resourceAttributes": {}}})
        s.post(
            review,
            {"metadata": {"name": "a", "labels": {"a": "<b>"}}, "spec": {"user": "a", "resourceAttributes": PODS}},
        )
        s.post(review, {"spec": {"user": "a", "resourceAttributes": PODS}, "status": {"allowed": True, "reason": "x"}})
        s.post(review, {"spec": {"user": "a", "resourceAttributes": {**PODS, "more": 1}}}, fieldValidation="Strict")
        s.post(review, {"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1"})
        s.get(review)


@case("in another namespace")
def _(s: Script) -> None:
    s.post(LOCAL, {"metadata": {"namespace": "other"}, "spec": {"user": "a", "resourceAttributes": PODS}})
    s.post(LOCAL, {"spec": {"user": "a", "resourceAttributes": {**PODS, "namespace": "other"}}})
    s.post(
        LOCAL.replace("{ns}", "absent"), {"spec": {"user": "a", "resourceAttributes": {**PODS, "namespace": "absent"}}}
    )


@case("with selectors")
def _(s: Script) -> None:
    texts = ("", "a=b", "a in (", "a in (b)", "=", "a=b,c!=d", "a~b")
    for name in ("fieldSelector", "labelSelector"):
        for text in texts:
            s.post(SELF, _of(**{name: {"rawSelector": text}}))
        for requirement in (
            {"key": "a", "operator": "In", "values": ["b"]},
            {"key": "a", "operator": "In", "values": ["b", "c"]},
            {"key": "a", "operator": "In"},
            {"key": "a", "operator": "Exists"},
            {"key": "a", "operator": "DoesNotExist", "values": ["b"]},
            {"key": "a", "operator": "Like", "values": ["b"]},
            {"operator": "NotIn", "values": ["-"]},
        ):
            s.post(SELF, _of(**{name: {"requirements": [requirement]}}))
        good = {"key": "a", "operator": "NotIn", "values": ["b"]}
        s.post(SELF, _of(**{name: {"requirements": [good, {"key": "a", "operator": "Like"}]}}))
        s.post(SELF, _of(**{name: {"requirements": [good], "rawSelector": "a=b"}}))


@case("of the rules of oneself")
def _(s: Script) -> None:
    user = "ruled-{ns}"
    rules = [role(["configmaps"], ["get"], names=["a"]), role(["pods", "pods/log"], ["*"])]
    grant(s, "some", rules, user=user)
    until_allowed(s, user, (), {"verb": "get", "resource": "pods", "namespace": "{ns}"})
    s.post(RULES, {"spec": {"namespace": "{ns}"}}, headers=acting(user))
    s.post(RULES, {"spec": {"namespace": "other"}}, headers=acting(user))
    s.post(RULES, {"spec": {"namespace": "{ns}"}}, headers=acting("system:anonymous"))
    s.post(RULES, {"spec": {}}, headers=acting(user))
    s.post(RULES, {"metadata": {"name": "a"}, "spec": {"namespace": "other"}}, headers=acting(user))
    bind(s, "absent", "Role", "absent", user=user)
    absent = reviewed(user, (), {"verb": "list", "resource": "nodes", "namespace": "{ns}"})
    s.until(ACCESS_REVIEWS, status=201, holding="not found", method="POST", body=absent)
    s.post(RULES, {"spec": {"namespace": "{ns}"}}, headers=acting(user))
    s.post(ACCESS_REVIEWS, absent)


@case("who am I")
def _(s: Script) -> None:
    s.post(WHO, {}, headers=acting("jane", ["a", "b"]))
    s.post(WHO, {"metadata": {"name": "a"}}, headers=acting("system:anonymous"))
    s.post(WHO, {}, headers=acting("system:serviceaccount:{ns}:default"))
    s.post(WHO, {}, headers=acting("system:serviceaccount:{ns}:default", ["other"]))
    s.post(WHO, {}, headers=acting("system:node:n1"))
    s.post(
        WHO, {}, headers={**acting("jane"), "Impersonate-Uid": "7", "Impersonate-Extra-example.com%2fscope": ["x", "y"]}
    )
    s.post(WHO, {}, bare=True)
    s.get(WHO)
