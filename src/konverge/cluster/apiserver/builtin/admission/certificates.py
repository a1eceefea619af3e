"""Certificates: who may approve and sign the requests of which signer, and that nobody asks to be an administrator.

To change a request is one right; to decide for a signer is another one (`approve` and `sign` on `signers`), given for
one signer or for all of a domain (`example.com/*`).
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.user import MASTERS
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.go_text import quoted

_CLIENTS: Final = "kubernetes.io/kube-apiserver-client"
_SIGNED: Final = ("certificate", "conditions")  # what a signer writes of the status


def judge_approver(admission: Admission) -> None:
    """Refuse an approval by one who may not approve for the signer."""
    if admission.subresource == "approval" and admission.old is not None:
        _judge(admission, "approve", (admission.old.get("spec") or {}).get("signerName", ""))


def judge_signer(admission: Admission) -> None:
    """Refuse a certificate by one who may not sign for the signer."""
    if admission.subresource != "status" or admission.old is None:
        return
    before, after = admission.old.get("status") or {}, admission.value.get("status") or {}
    if any((before.get(name) or None) != (after.get(name) or None) for name in _SIGNED):
        _judge(admission, "sign", (admission.old.get("spec") or {}).get("signerName", ""))


def _judge(admission: Admission, verb: str, signer: str) -> None:
    domain = signer.partition("/")[0]
    for name in (signer, f"{domain}/*"):
        attempt = Attempt(verb=verb, group="certificates.k8s.io", resource="signers", name=name)
        if admission.authorization.decide(admission.user, attempt).is_allowed:
            return
    raise admission.forbidden(f"user not permitted to {verb} requests with signerName {quoted(signer)}")


def judge_subject(admission: Admission) -> None:
    """Refuse a client's certificate that would make its holder an administrator."""
    if not admission.is_create or admission.spec.get("signerName") != _CLIENTS:
        return
    from konverge.certificates import requested_organizations  # noqa: PLC0415 - brings cryptography with it

    try:
        asked = base64.b64decode(admission.spec.get("request") or "")
    except (binascii.Error, ValueError):
        return  # the kind's own rules have refused it
    if MASTERS in requested_organizations(asked):
        raise admission.forbidden(f"use of {_CLIENTS} signer with {MASTERS} group is not allowed")
