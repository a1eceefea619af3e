"""What others need to prove the server's tokens: who issues them, and the key."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Script

case = Cases("issuer")
CONFIGURATION: Final = "/.well-known/openid-configuration"
KEYS: Final = "/openid/v1/jwks"


@case("its configuration and its keys")
def _(s: Script) -> None:
    for path in (CONFIGURATION, KEYS):
        s.get(path, headers={"Accept": "*/*"})
        s.get(f"{path}/", headers={"Accept": "*/*"})
        s.get(f"{path}/more", headers={"Accept": "*/*"})
        s.get(f"{path}more", headers={"Accept": "*/*"})


@case("in other forms")
def _(s: Script) -> None:
    for accept in ("application/json", "application/yaml", "application/jwk-set+json", "text/plain"):
        s.get(CONFIGURATION, headers={"Accept": accept})
        s.get(KEYS, headers={"Accept": accept})


@case("paths and methods that it does not have")
def _(s: Script) -> None:
    for path in ("/openid", "/openid/v1", "/.well-known"):
        s.get(path)
    for path in (CONFIGURATION, KEYS):
        s.post(path, {})
        s.ask("HEAD", path)


@case("who may ask")
def _(s: Script) -> None:
    everyone = {"Accept": "*/*", "Impersonate-User": "someone"}
    account = {**everyone, "Impersonate-User": "system:serviceaccount:{ns}:default"}
    for path in (CONFIGURATION, KEYS):
        s.get(path, headers={"Accept": "*/*"}, bare=True)
        s.get(path, headers=everyone)
        s.get(path, headers=account)
