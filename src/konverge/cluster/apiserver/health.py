"""Health: `/healthz`, `/livez` and `/readyz`, whole, by one check, and in detail."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.exchange import Request, Response

_TEXT: Final = "text/plain; charset=utf-8"
# What there is to check here: the names are the real server's, for those who ask for one by name.
_CHECKS: Final = ("ping", "log", "etcd", "informer-sync", "poststarthook/crd-informer-synced")
_NO_SNIFF: Final = (("X-Content-Type-Options", "nosniff"),)
ROOTS: Final = ("healthz", "livez", "readyz")


def answer(request: Request, *, is_serving: bool) -> Response | None:
    """Answer a request for a health path; None where there is no such check."""
    root, slash, check = request.path.removeprefix("/").partition("/")
    if slash:
        return _whole(is_serving=is_serving) if check in _CHECKS else None
    is_verbose = bool(request.parameters("verbose"))
    if is_serving and not is_verbose:
        return Response(status=200, body=b"ok", content_type=_TEXT, headers=_NO_SNIFF)
    return _in_detail(request, root, is_serving=is_serving)


def _whole(*, is_serving: bool) -> Response:
    if is_serving:
        return Response(status=200, body=b"ok", content_type=_TEXT)
    return Response(status=500, body=b"internal server error: the server is closing\n", content_type=_TEXT)


def _in_detail(request: Request, root: str, *, is_serving: bool) -> Response:
    excluded = set(request.parameters("exclude"))
    lines = [f"[+]{check} excluded: ok" if check in excluded else f"[+]{check} ok" for check in _CHECKS]
    if not is_serving:
        lines.append("[-]shutdown failed: reason withheld")
    lines.append(f"{root} check {'passed' if is_serving else 'failed'}")
    body = "".join(f"{line}\n" for line in lines).encode()
    return Response(status=200 if is_serving else 500, body=body, content_type=_TEXT, headers=_NO_SNIFF)
