"""Requests for certificates: decisions last, and a certificate is written once."""

from __future__ import annotations

import base64
from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of certificates")

PATH: Final = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
ONE: Final = f"{PATH}/{{ns}}"
# `openssl req -newkey ed25519 -nodes -subj /CN=a`, and with -x509 -days 36500.
REQUEST: Final = """-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAAivvYbRUHPwSqOGmky4
PEPhw8dcrlpLxion3cvHhRcwoAAwBQYDK2VwA0EAKL9N+xB3ZJOn/NairJDEYita
RhfjGxLUDgu2CPRL0w+YdpxaGs2dv2uTonpFs+SctVegf4EKlOrT+8tupQDLBQ==
-----END CERTIFICATE REQUEST-----
"""
_ISSUED: Final = """-----BEGIN CERTIFICATE-----
MIIBLjCB4aADAgECAhRPO0U13ZjHy6uQ5HChbQcyhjuftDAFBgMrZXAwDDEKMAgG
A1UEAwwBYTAgFw0yNjExMTUxODIyNDJaGA8yMTI2MTAyMjE4MjI0MlowDDEKMAgG
A1UEAwwBYTAqMAUGAytlcAMhAEzQPY5i85dYKuqf7qb4Mq8ahYnU6f94HbfSTJs7
dY4Oo1MwUTAdBgNVHQ4EFgQU/qKRvplDRHTNaimuiY4Zwjcl7P4wHwYDVR0jBBgw
FoAU/qKRvplDRHTNaimuiY4Zwjcl7P4wDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
QQCHBdyA1U2svDFpW38F+GgR/qOASYe18KJpRvcVMOtfCQPv2r/qTCmfKS7lA5l/
deBvsOpvMoohXEZFOmiUS8gG
-----END CERTIFICATE-----
"""


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _requested(s: Script) -> None:
    spec = {"request": _encoded(REQUEST), "signerName": "example.com/s", "usages": ["client auth"]}
    asker = {"Impersonate-User": "jane", "Impersonate-Group": "system:masters"}  # who asks is part of the request
    s.post(PATH, {"metadata": {"name": "{ns}"}, "spec": spec}, headers=asker)


def _says(s: Script, *statuses: Any, at: str = "status") -> None:
    for status in statuses:
        s.patch(f"{ONE}/{at}", {"status": status})


def _true(*kinds: str) -> list[dict[str, str]]:
    return [{"type": kind, "status": "True", "reason": "r", "message": "m"} for kind in kinds]


@case("a certificate that is none")
def _(s: Script) -> None:
    _requested(s)
    block = "-----BEGIN {0}-----\n{1}-----END {0}-----\n"
    for text in (
        "nonsense",
        "\n",
        block.format("PRIVATE KEY", "AAAA\n"),
        block.format("CERTIFICATE", "AAAA\n"),
        block.format("CERTIFICATE", "a: b\n\nAAAA\n"),
        _ISSUED + block.format("X", "AAAA\n"),
    ):
        _says(s, {"certificate": _encoded(text)})
    s.delete(ONE)


@case("a certificate is written once")
def _(s: Script) -> None:
    _requested(s)
    _says(s, {"certificate": _encoded(_ISSUED)}, at="approval")
    _says(s, {"certificate": _encoded(f"a comment\n{_ISSUED}")})
    _says(s, {"certificate": _encoded(_ISSUED + _ISSUED)}, {"certificate": None}, {"certificate": "AAAA"})
    s.patch(ONE, {"status": {"certificate": None}, "metadata": {"labels": {"a": "b"}}})
    s.delete(ONE)


@case("conditions of requests")
def _(s: Script) -> None:
    _requested(s)
    _says(
        s,
        {"conditions": [{"type": "", "status": "True"}]},
        {"conditions": [{"type": "Other", "status": ""}]},
        {"conditions": [{"type": "Other", "status": "Perhaps"}]},
        {"conditions": [{"type": "Failed", "status": "False"}]},
        {"conditions": _true("Other", "Other")},
        {"conditions": _true("Approved")},
        {"conditions": _true("Failed")},
        {"conditions": []},
    )
    s.delete(ONE)


@case("decisions are made at their own place, and last")
def _(s: Script) -> None:
    _requested(s)
    _says(s, {"conditions": _true("Approved", "Denied")}, {"conditions": _true("Denied")}, at="approval")
    _says(s, {"conditions": _true("Approved", "Denied")}, {"conditions": []}, at="approval")
    _says(s, {"conditions": []}, {"conditions": _true("Denied", "Failed")}, {"conditions": _true("Denied", "Approved")})
    s.delete(ONE)


@case("faulty metadata")
def _(s: Script) -> None:
    _requested(s)
    for path in (ONE, f"{ONE}/status", f"{ONE}/approval"):
        s.patch(path, {"metadata": {"labels": {"a b": "c"}}})
    s.delete(ONE)
