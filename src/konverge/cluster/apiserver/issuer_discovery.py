"""Who issues service account tokens, and with which key: `/.well-known/openid-configuration` and `/openid/v1/jwks`.

Others than this server prove tokens by it (OpenID Connect). Both answers say that they may be kept for an hour.
"""

from __future__ import annotations

from typing import Final

import msgspec

from konverge.cluster.apiserver.access.signer import TokenSigner
from konverge.cluster.apiserver.access.tokens import ISSUER
from konverge.cluster.apiserver.discovery import page_not_found
from konverge.cluster.apiserver.endpoint import method_not_allowed
from konverge.cluster.apiserver.exchange import JSON, Request, Response
from konverge.cluster.apiserver.failure import path_not_found
from konverge.cluster.apiserver.negotiate import check_route
from konverge.cluster.apiserver.strategy import JsonObject

ROOTS: Final = (".well-known", "openid")
CONFIGURATION: Final = "/.well-known/openid-configuration"
KEYS: Final = "/openid/v1/jwks"
_TYPES: Final = {CONFIGURATION: JSON, KEYS: "application/jwk-set+json"}
_HEADERS: Final = (("Cache-Control", "public, max-age=3600"),)


def answer(request: Request, signer: TokenSigner | None) -> Response:
    """Answer a path below one of the roots; without a key for tokens there is nothing to tell."""
    path = next((path for path in _TYPES if f"{request.path}/".startswith(f"{path}/")), "")
    if not path or signer is None:
        return page_not_found()
    if request.path.removesuffix("/") != path:
        raise path_not_found()
    if request.method != "GET":
        raise method_not_allowed()
    check_route(request, (_TYPES[path],))
    value = _configuration(request.header("host"), signer) if path == CONFIGURATION else {"keys": [signer.jwk()]}
    return Response(status=200, body=msgspec.json.encode(value), content_type=_TYPES[path], headers=_HEADERS)


def _configuration(host: str, signer: TokenSigner) -> JsonObject:
    return {
        "issuer": ISSUER,
        "jwks_uri": f"https://{host}{KEYS}",  # at the address that the client knows
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [signer.algorithm],
    }
