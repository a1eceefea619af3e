"""Tokens that stand in secrets: which are good, and what the server notes of their use."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Reference, Script

from cases.access_tokens import REVIEWS, WHO
from cases.objects import SECRETS
from cases.rbac_objects import ACCOUNTS

case = Cases("legacy token")
CLAIM: Final = "kubernetes.io/serviceaccount"
NAME: Final = "kubernetes.io/service-account.name"
TYPE: Final = "kubernetes.io/service-account-token"


def _account(s: Script, **more: Any) -> Reference:
    return s.post(ACCOUNTS, {"metadata": {"name": "bot"}, **more})


def _claims(uid: Any, **other: Any) -> dict[str, Any]:
    return {
        "iss": "kubernetes/serviceaccount",
        f"{CLAIM}/namespace": "{ns}",
        f"{CLAIM}/secret.name": "s",
        f"{CLAIM}/service-account.name": "bot",
        f"{CLAIM}/service-account.uid": uid,
        "sub": "system:serviceaccount:{ns}:bot",
        **other,
    }


def _secret(s: Script, token: Any, **metadata: Any) -> Reference:
    own = {"name": "s", "annotations": {NAME: "bot"}, **metadata}
    return s.post(SECRETS, {"metadata": own, "type": TYPE, "stringData": {"token": token}})


def _shown(s: Script, token: Reference) -> None:
    headers = {"Authorization": token.after("Bearer ")}
    s.post(REVIEWS, {"spec": {"token": token}})
    s.post(WHO, {}, headers=headers, bare=True)
    s.get(f"{SECRETS}/s")


@case("of a secret that someone made")
def _(s: Script) -> None:
    token = s.sign(_claims(_account(s)["metadata"]["uid"]))
    _secret(s, token)
    _shown(s, token)
    s.post(REVIEWS, {"spec": {"token": token, "audiences": ["other"]}})


@case("of a secret that its account names")
def _(s: Script) -> None:
    token = s.sign(_claims(_account(s, secrets=[{"name": "s"}])["metadata"]["uid"]))
    _secret(s, token)
    _shown(s, token)


@case("that was marked as invalid")
def _(s: Script) -> None:
    token = s.sign(_claims(_account(s)["metadata"]["uid"]))
    _secret(s, token, labels={"kubernetes.io/legacy-token-invalid-since": "2020-01-01"})
    _shown(s, token)


@case("that was used before")
def _(s: Script) -> None:
    token = s.sign(_claims(_account(s)["metadata"]["uid"]))
    _secret(s, token, labels={"kubernetes.io/legacy-token-last-used": "2020-01-01"})
    _shown(s, token)


@case("that its secret does not hold")
def _(s: Script) -> None:
    token = s.sign(_claims(_account(s)["metadata"]["uid"]))
    s.post(REVIEWS, {"spec": {"token": token}})
    _secret(s, "another")
    s.post(REVIEWS, {"spec": {"token": token}})


@case("of an account that is another, or gone")
def _(s: Script) -> None:
    token = s.sign(_claims("11111111-2222-4333-8444-555555555555"))
    _secret(s, token)
    s.post(REVIEWS, {"spec": {"token": token}})
    _account(s)
    s.until(REVIEWS, status=201, holding="does not match claim", method="POST", body={"spec": {"token": token}})
    s.post(REVIEWS, {"spec": {"token": token}})


@case("that does not say all")
def _(s: Script) -> None:
    uid = _account(s)["metadata"]["uid"]
    for name in ("namespace", "secret.name", "service-account.name", "service-account.uid"):
        s.post(REVIEWS, {"spec": {"token": s.sign(_claims(uid, **{f"{CLAIM}/{name}": ""}))}})
    for subject in ("", "system:serviceaccount:{ns}:other", "someone"):
        s.post(REVIEWS, {"spec": {"token": s.sign(_claims(uid, sub=subject))}})


@case("a secret of this type without an account")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "s"}, "type": TYPE})
    s.post(SECRETS, {"metadata": {"name": "s", "annotations": {NAME: "absent"}}, "type": TYPE})
    s.put(f"{SECRETS}/s", {"metadata": {"name": "s"}, "type": TYPE, "stringData": {"token": "x"}})


@case("since when their use is noted")
def _(s: Script) -> None:
    s.get("/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking")
