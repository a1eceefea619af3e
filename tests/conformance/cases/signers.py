"""Signers: who may approve and sign whose requests for certificates, and for what nobody may ask.

What is shown here is what test/integration/certificates of Kubernetes is about.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from harness.script import Cases, Script

from cases.rbac_objects import CLUSTER_ROLES, acting, bound, cluster_bind, role, until_allowed
from cases.status_certificates import REQUEST

case = Cases("signers")

GROUP: Final = "certificates.k8s.io"
PATH: Final = f"/apis/{GROUP}/v1/certificatesigningrequests"
ONE: Final = f"{PATH}/{{ns}}"
CLIENTS: Final = "kubernetes.io/kube-apiserver-client"
# `openssl req -newkey ed25519 -nodes -subj /O=system:masters/CN=a`
_OF_MASTERS: Final = """-----BEGIN CERTIFICATE REQUEST-----
MIGkMFgCAQAwJTEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxCjAIBgNVBAMMAWEw
KjAFBgMrZXADIQCqKRBQxRrbbQtHX7qwMFxbOVl6iVsuQr8C8rcu9KR5tqAAMAUG
AytlcANBAIq/Ab27CUEs9B8S5hhJ3XpMsCnQPh09vemXtD+W89fldP+V9FglbIZG
qFggMQH+yQP+t8lZPMAZHpIQMxT2eAQ=
-----END CERTIFICATE REQUEST-----
"""
_ASKER: Final = {"Impersonate-User": "jane", "Impersonate-Group": "system:masters"}  # who asks is part of a request
_TRUE: Final = {"status": "True", "reason": "r", "message": "m"}


def _spec(request: str, signer: str) -> dict[str, Any]:
    text = base64.b64encode(request.encode()).decode()
    return {"request": text, "signerName": signer, "usages": ["client auth"]}


def _requested(s: Script, signer: str) -> None:
    s.post(PATH, {"metadata": {"name": "{ns}"}, "spec": _spec(REQUEST, signer)}, headers=_ASKER)


def _decider(s: Script, *rules: dict[str, Any]) -> dict[str, Any]:
    """Make someone who may change requests, and who has these rules; return the headers by which they ask."""
    user = "decider-{ns}"
    parts = [f"certificatesigningrequests{part}" for part in ("", "/approval", "/status")]
    own = [role(parts, ["*"], groups=[GROUP]), *rules]
    s.post(CLUSTER_ROLES, bound("ClusterRole", user, rules=own))
    cluster_bind(s, user, user, user=user)
    until_allowed(s, user, (), {"verb": "update", "group": GROUP, "resource": "certificatesigningrequests"})
    return {"headers": acting(user, ["staff"])}


def _decide(s: Script, own: dict[str, Any]) -> None:
    s.patch(f"{ONE}/approval", {"status": {"conditions": [{"type": "Approved", **_TRUE}]}}, **own)
    s.patch(f"{ONE}/status", {"metadata": {"labels": {"a": "b"}}}, **own)
    s.patch(f"{ONE}/status", {"status": {"conditions": [{"type": "Failed", **_TRUE}]}}, **own)


def _signing(*names: str, verbs: list[str]) -> dict[str, Any]:
    return role(["signers"], verbs, groups=[GROUP], names=list(names))


@case("one who may change requests and decide for nobody")
def _(s: Script) -> None:
    _requested(s, "example.com/s")
    _decide(s, _decider(s))


@case("one who may decide for this signer")
def _(s: Script) -> None:
    _requested(s, "example.com/s")
    _decide(s, _decider(s, _signing("example.com/s", verbs=["approve", "sign"])))


@case("one who may decide for another signer")
def _(s: Script) -> None:
    _requested(s, "example.com/s")
    _decide(s, _decider(s, _signing("example.com/other", "example.org/*", verbs=["approve", "sign"])))


@case("one who may decide for a whole domain")
def _(s: Script) -> None:
    _requested(s, "example.com/s")
    _decide(s, _decider(s, _signing("example.com/*", verbs=["approve", "sign"])))


@case("one who may approve and not sign")
def _(s: Script) -> None:
    _requested(s, "example.com/s")
    _decide(s, _decider(s, _signing("example.com/s", verbs=["approve"])))


@case("a certificate that would make an administrator")
def _(s: Script) -> None:
    for signer in (CLIENTS, "example.com/s"):
        asked = {"metadata": {"name": "{ns}"}, "spec": _spec(_OF_MASTERS, signer)}
        s.post(PATH, asked, dryRun="All", headers=_ASKER)
    s.post(PATH, {"metadata": {"name": "{ns}"}, "spec": _spec(_OF_MASTERS, CLIENTS)}, headers=_ASKER)
    s.post(PATH, {"metadata": {"name": "{ns}"}, "spec": _spec("nonsense", CLIENTS)}, headers=_ASKER)


@case("requests by their signer")
def _(s: Script) -> None:
    _requested(s, "{ns}.example.com/s")
    for signer in ("{ns}.example.com/s", "{ns}.example.com/t"):
        s.get(PATH, fieldSelector=f"spec.signerName={signer}")
