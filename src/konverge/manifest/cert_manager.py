"""Cert-manager: what it takes for cert-manager to make the webhooks' certificate and tell the API server of it.

An Issuer that signs for itself, a Certificate whose Secret the Deployment mounts, and an annotation by which
cert-manager puts the authority into each webhook configuration and each CRD with a conversion. The operator reads the
files, again whenever they change.
"""

from __future__ import annotations

from typing import Any, Final

from konverge.manifest.operator import CertManaged, Operator

Json = dict[str, Any]
_VERSION: Final = "cert-manager.io/v1"
_INJECT: Final = "cert-manager.io/inject-ca-from"
_ISSUER: Final = "selfsigned-issuer"
_CERTIFICATE: Final = "serving-cert"
_VOLUME: Final = "webhook-certificate"


def issuer(operator: Operator) -> Json:
    """Return who signs: each certificate by its own key, so that the authority lives as long as the certificate."""
    made = operator.named("Issuer", _ISSUER, api_version=_VERSION, namespace=operator.namespace)
    made["spec"] = {"selfSigned": {}}
    return made


def certificate(operator: Operator, wanted: CertManaged) -> Json:
    """Return the certificate of the webhooks' Service."""
    made = operator.named("Certificate", _CERTIFICATE, api_version=_VERSION, namespace=operator.namespace)
    made["spec"] = {
        "dnsNames": list(wanted.names),
        "issuerRef": {"kind": "Issuer", "name": f"{operator.name}-{_ISSUER}"},
        "secretName": wanted.secret,
    }
    return made


def trusting(operator: Operator, manifest: Json) -> Json:
    """Return a manifest into which cert-manager puts the authority."""
    metadata = dict(manifest["metadata"])
    place = f"{operator.namespace}/{operator.name}-{_CERTIFICATE}"
    metadata["annotations"] = {**metadata.get("annotations", {}), _INJECT: place}
    return {**manifest, "metadata": metadata}


def mount(wanted: CertManaged) -> Json:
    """Return where the container finds the files."""
    return {"name": _VOLUME, "mountPath": wanted.folder, "readOnly": True}


def volume(wanted: CertManaged) -> Json:
    """Return the volume with the files of the Secret; a pod waits until cert-manager has made it."""
    return {"name": _VOLUME, "secret": {"secretName": wanted.secret}}
