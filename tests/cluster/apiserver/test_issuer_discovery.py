from __future__ import annotations

import base64
from typing import Any

import msgspec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from konverge.certificates import TokenSigner, signing_key
from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.issuer_discovery import CONFIGURATION, KEYS
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage


async def get(server: ApiServer, path: str) -> Response:
    """Ask as the administrator."""
    request = Request(method="GET", path=path, headers={"host": "example.com:6443"}, peer=Peer(is_trusted=True))
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    return answer


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text))


async def test_others_can_prove_a_token() -> None:
    """By what the two paths say, and nothing else."""
    signer = TokenSigner(signing_key())
    server = ApiServer(Storage.in_memory(), signer=lambda: signer)
    configuration: dict[str, Any] = msgspec.json.decode((await get(server, CONFIGURATION)).body)
    assert configuration["jwks_uri"] == f"https://example.com:6443{KEYS}"
    assert configuration["id_token_signing_alg_values_supported"] == ["ES256"]
    [key] = msgspec.json.decode((await get(server, KEYS)).body)["keys"]
    header, claims, signature = signer.token(b'{"sub":"me"}').split(".")
    assert msgspec.json.decode(_bytes(header)) == {"alg": key["alg"], "kid": key["kid"]}
    public = ec.EllipticCurvePublicNumbers(_number(key["x"]), _number(key["y"]), ec.SECP256R1()).public_key()
    halves = _bytes(signature)
    der = encode_dss_signature(int.from_bytes(halves[:32]), int.from_bytes(halves[32:]))
    public.verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))  # raises where it is wrong


async def test_a_server_without_a_key_has_nothing_to_tell() -> None:
    """It gives out no tokens, either."""
    server = ApiServer(Storage.in_memory())
    assert [(await get(server, path)).status for path in (CONFIGURATION, KEYS)] == [404, 404]
