"""Service account tokens: how they are given out, and which are good."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Reference, Script

from cases.objects import CONFIG_MAPS, PODS, SECRETS
from cases.rbac_objects import ACCOUNTS, AUTHENTICATION, grant, role, until_allowed

case = Cases("token")

REVIEWS: Final = f"{AUTHENTICATION}/tokenreviews"
WHO: Final = f"{AUTHENTICATION}/selfsubjectreviews"
ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
TOKENS: Final = f"{ACCOUNTS}/bot/token"


def _account(s: Script, name: str = "bot") -> Reference:
    return s.post(ACCOUNTS, {"metadata": {"name": name}})


def _shown(s: Script, token: Any, **review: Any) -> None:
    """Show a token as one's own, and for review."""
    headers = {"Authorization": token.after("Bearer ") if isinstance(token, Reference) else f"Bearer {token}"}
    s.post(WHO, {}, headers=headers, bare=True)
    s.get(CONFIG_MAPS, headers=headers, bare=True)
    s.post(REVIEWS, {"spec": {"token": token, **review}})


def _until_refused(s: Script, token: Reference, why: str) -> None:
    """Wait until the real server has heard of it: it follows its own watch, and trusts a good token for ten seconds."""
    s.until(REVIEWS, status=201, holding=why, method="POST", body={"spec": {"token": token}})


@case("of an account")
def _(s: Script) -> None:
    _account(s)
    made = s.post(TOKENS, {})
    _shown(s, made["status"]["token"])
    _shown(s, s.post(TOKENS, {"spec": {"expirationSeconds": 600}}, dryRun="All")["status"]["token"])
    s.post(TOKENS, {"metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}, "status": {"token": "x"}})


@case("that is asked for wrongly")
def _(s: Script) -> None:
    _account(s)
    s.post(f"{ACCOUNTS}/absent/token", {})
    s.post(TOKENS.replace("{ns}", "absent"), {})
    s.post(TOKENS, {"metadata": {"name": "other"}})
    s.post(TOKENS, {"metadata": {"namespace": "other"}})
    s.post(TOKENS, {"metadata": {"uid": "11111111-2222-4333-8444-555555555555"}})
    s.post(TOKENS, {"spec": {"expirationSeconds": 1}})
    s.post(TOKENS, {"spec": {"expirationSeconds": 599}})
    s.post(TOKENS, {"spec": {"expirationSeconds": 5_000_000_000}})
    s.post(TOKENS, {"spec": {"expirationSeconds": "x"}})
    s.post(TOKENS, {"spec": {"more": 1}}, fieldValidation="Strict")
    s.post(TOKENS, {"kind": "TokenReview", "apiVersion": f"{AUTHENTICATION.removeprefix('/apis/')}"})
    s.get(TOKENS)
    s.put(TOKENS, {})


@case("that is bound to an object")
def _(s: Script) -> None:
    _account(s)
    s.post(SECRETS, {"metadata": {"name": "a"}})
    pod = {"serviceAccountName": "bot", "nodeName": "n1", "containers": [{"name": "a", "image": "a"}]}
    s.post(PODS, {"metadata": {"name": "a"}, "spec": pod})
    s.post(PODS, {"metadata": {"name": "b"}, "spec": {**pod, "serviceAccountName": "default"}})
    tokens = [
        s.post(TOKENS, {"spec": {"boundObjectRef": {"kind": kind, "apiVersion": "v1", "name": "a"}, **more}})
        for kind, more in (
            ("Secret", {}),
            ("Pod", {}),
            ("Pod", {"expirationSeconds": 3607}),
            ("Pod", {"expirationSeconds": 3607, "audiences": ["a"]}),
        )
    ]
    for token in tokens:
        _shown(s, token["status"]["token"])
    for reference in (
        {},
        {"kind": "Job", "apiVersion": "batch/v1", "name": "a"},
        {"kind": "ConfigMap", "apiVersion": "v1", "name": "a"},
        {"kind": "Pod", "apiVersion": "v1", "name": "absent"},
        {"kind": "Pod", "apiVersion": "v1", "name": "b"},
        {"kind": "Secret", "apiVersion": "v1"},
        {"kind": "Secret", "apiVersion": "v1", "name": "a", "uid": "11111111-2222-4333-8444-555555555555"},
        {"kind": "Node", "apiVersion": "v1", "name": "absent"},
    ):
        s.post(TOKENS, {"spec": {"boundObjectRef": reference}})


@case("whose object is gone")
def _(s: Script) -> None:
    _account(s)
    s.post(SECRETS, {"metadata": {"name": "a"}})
    bound = {"spec": {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "a"}}}
    first, second, probe = (s.post(TOKENS, bound) for _ in range(3))
    s.delete(f"{SECRETS}/a")
    _until_refused(s, probe["status"]["token"], "invalidated")
    _shown(s, first["status"]["token"])
    s.post(SECRETS, {"metadata": {"name": "a"}})
    _shown(s, second["status"]["token"])


@case("whose account is gone, or another one")
def _(s: Script) -> None:
    _account(s)
    first, second, probe = (s.post(TOKENS, {}) for _ in range(3))
    s.delete(f"{ACCOUNTS}/bot")
    _until_refused(s, probe["status"]["token"], "not found")
    _shown(s, first["status"]["token"])
    _account(s)
    _shown(s, second["status"]["token"])


@case("for other audiences")
def _(s: Script) -> None:
    _account(s)
    other = s.post(TOKENS, {"spec": {"audiences": ["a", "b"]}})["status"]["token"]
    both = s.post(TOKENS, {"spec": {"audiences": ["a", ISSUER]}})["status"]["token"]
    for token in (other, both):
        _shown(s, token)
        _shown(s, token, audiences=["b", "c"])
        _shown(s, token, audiences=["b", "a"])
        _shown(s, token, audiences=["c"])


@case("that someone made up")
def _(s: Script) -> None:
    account = _account(s)
    own = {"namespace": "{ns}", "serviceaccount": {"name": "bot", "uid": account["metadata"]["uid"]}}
    claims = {"iss": ISSUER, "sub": "system:serviceaccount:{ns}:bot", "aud": [ISSUER], "kubernetes.io": own}
    _shown(s, s.sign(claims, iat=-100, nbf=-100, exp=100))
    _shown(s, s.sign(claims, iat=-500, nbf=-500, exp=-100))
    _shown(s, s.sign(claims, iat=-500, nbf=-500, exp=-30))
    _shown(s, s.sign(claims, iat=0, nbf=300, exp=600))
    _shown(s, s.sign(claims, iat=300, nbf=0, exp=600))
    _shown(s, s.sign({**claims, "iss": "https://example.com"}, iat=0, exp=600))
    _shown(s, s.sign({**claims, "aud": []}, iat=0, exp=600))
    _shown(s, s.sign({**claims, "aud": ISSUER, "jti": "x"}, iat=0, exp=600))
    _shown(s, s.sign({**claims, "kubernetes.io": {**own, "namespace": "absent"}}, iat=0, exp=600))


@case("that is none")
def _(s: Script) -> None:
    for token in ("x", "x.y.z", "a b", "..", "eyJh.e30.x"):
        _shown(s, token)
    for header in ("Bearer", "Bearer ", "Bearer  x", "bearer x", "Basic YTpi", "x"):
        s.get(CONFIG_MAPS, headers={"Authorization": header}, bare=True)
    s.post(REVIEWS, {})
    s.post(REVIEWS, {"spec": {}})
    s.post(
        REVIEWS, {"metadata": {"name": "a"}, "spec": {"token": "x"}, "status": {"authenticated": True}}, dryRun="All"
    )


@case("of an account that is granted something")
def _(s: Script) -> None:
    _account(s)
    grant(s, "reader", [role(["configmaps"], ["get", "list"])], account="bot")
    until_allowed(
        s, "system:serviceaccount:{ns}:bot", (), {"verb": "list", "resource": "configmaps", "namespace": "{ns}"}
    )
    token = s.post(TOKENS, {})["status"]["token"]
    _shown(s, token)
    s.get("/api/v1/namespaces/default/configmaps", headers={"Authorization": token.after("Bearer ")}, bare=True)
    s.delete(f"{CONFIG_MAPS}/a", headers={"Authorization": token.after("Bearer ")}, bare=True)


@case("nobody's")
def _(s: Script) -> None:
    for path in (
        "/",
        "/api",
        "/apis",
        "/apis/apps/v1",
        "/version",
        "/healthz",
        "/livez",
        "/readyz",
        "/openapi/v2",
        "/metrics",
    ):
        s.ask("HEAD", path, bare=True)
    s.get("/version", bare=True)
    s.get(CONFIG_MAPS, bare=True)
    s.post(WHO, {}, bare=True)
    s.get(CONFIG_MAPS, headers={"Accept": "application/yaml"}, bare=True)
