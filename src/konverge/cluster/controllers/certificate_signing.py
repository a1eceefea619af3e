"""Signs CertificateSigningRequests that were approved, for clients of the API server.

It stands for kube-controller-manager's signer of `kubernetes.io/kube-apiserver-client`. It needs the key of the
authority that the server trusts, which a manager does not have: whoever has it adds the controller. The other signers
are for kubelets, of which there are none.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from konverge import clock
from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Request
from konverge.manager import Manager
from konverge.models import certificates_v1

if TYPE_CHECKING:
    from konverge.certificates import Authority

NAME: Final = "certificatesigningrequest-signing-controller"
SIGNER: Final = "kubernetes.io/kube-apiserver-client"
_OPTIONAL: Final = ("digital signature", "key encipherment")
_NEEDED: Final = "client auth"
_LONGEST: Final = timedelta(days=365)
_SHORTEST: Final = timedelta(minutes=10)


def add_to(manager: Manager, *, certificate: bytes, key: bytes) -> None:
    """Register the controller with the authority that it signs for, both PEM."""
    signer = SigningReconciler(certificate, key)
    new_controller(manager).named(NAME).for_(certificates_v1.CertificateSigningRequest).complete(signer)


class SigningReconciler:
    """Signs one request."""

    def __init__(self, certificate: bytes, key: bytes) -> None:
        self._pair = certificate, key
        self._authority: Authority | None = None  # with the first certificate: most clusters never sign one

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Sign a request that waits for it, or say why it is not signed."""
        asked = await ignore_not_found(ctx.client.get(certificates_v1.CertificateSigningRequest, request))
        if asked is None or not waits(asked):
            return
        spec = asked.spec
        if fault := usage_fault(spec.usages or ()):
            asked.status.conditions = [*(asked.status.conditions or ()), _failed(fault)]
        else:
            lasts = lifetime(spec.expiration_seconds)
            asked.status.certificate = self._signing().sign(spec.request, usages=spec.usages or (), lifetime=lasts)
        await ctx.client.status.update(asked)

    def _signing(self) -> Authority:
        if self._authority is None:
            from konverge.certificates import Authority, KeyPair  # noqa: PLC0415 - brings cryptography with it

            self._authority = Authority(KeyPair(*self._pair))
        return self._authority


def waits(request: certificates_v1.CertificateSigningRequest) -> bool:
    """Whether a request is approved, for this signer, and has no answer yet."""
    said = {each.type for each in request.status.conditions or () if each.status == "True"}
    is_answered = bool(request.status.certificate) or bool(said & {"Denied", "Failed"})
    return request.spec.signer_name == SIGNER and "Approved" in said and not is_answered


def usage_fault(usages: Iterable[str]) -> str:
    """Say why a certificate for these usages is not a client's; empty: it is."""
    asked = list(usages)
    for usage in asked:
        if usage not in (*_OPTIONAL, _NEEDED):
            return f"invalid usage for client certificate: {usage}"
    return "" if _NEEDED in asked else f"missing required usage for client certificate: {_NEEDED}"


def lifetime(seconds: int | None) -> timedelta:
    """Return how long a certificate lasts: as long as was asked for, within bounds."""
    if seconds is None:
        return _LONGEST
    return min(max(timedelta(seconds=seconds), _SHORTEST), _LONGEST)


def _failed(message: str) -> certificates_v1.CertificateSigningRequestCondition:
    return certificates_v1.CertificateSigningRequestCondition(
        type="Failed",
        status="True",
        reason="SignerValidationFailure",
        message=message,
        last_update_time=clock.now().replace(microsecond=0),
    )
