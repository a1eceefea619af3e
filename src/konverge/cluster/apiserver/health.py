"""Health: `/healthz`, `/livez` and `/readyz`, whole, by one check, and in detail.

The checks have the names of the real server's, for those who ask for one by its name or look for it in the list. Here
they stand or fall together: a server is in order from when it serves until it closes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.exchange import Request, Response
from konverge.cluster.apiserver.go_text import quoted

_TEXT: Final = "text/plain; charset=utf-8"
_NO_SNIFF: Final = (("X-Content-Type-Options", "nosniff"),)
_STARTED: Final = tuple(
    check if check.startswith("autoregister") else f"poststarthook/{check}"
    for check in (
        "start-apiserver-admission-initializer",
        "generic-apiserver-start-informers",
        "priority-and-fairness-config-consumer",
        "priority-and-fairness-filter",
        "storage-object-count-tracker-hook",
        "start-apiextensions-informers",
        "start-apiextensions-controllers",
        "crd-informer-synced",
        "start-system-namespaces-controller",
        "peer-endpoint-reconciler-controller",
        "start-cluster-authentication-info-controller",
        "start-kube-apiserver-identity-lease-controller",
        "start-kube-apiserver-identity-lease-garbage-collector",
        "storage-readiness",
        "start-legacy-token-tracking-controller",
        "start-service-ip-repair-controllers",
        "rbac/bootstrap-roles",
        "scheduling/bootstrap-system-priority-classes",
        "priority-and-fairness-config-producer",
        "bootstrap-controller",
        "start-kubernetes-service-cidr-controller",
        "start-kube-aggregator-informers",
        "apiservice-status-local-available-controller",
        "apiservice-status-remote-available-controller",
        "apiservice-registration-controller",
        "apiservice-discovery-controller",
        "kube-apiserver-autoregistration",
        "autoregister-completion",
        "apiservice-openapi-controller",
        "apiservice-openapiv3-controller",
    )
)
_ALIVE: Final = ("ping", "log", "loopback-serving-certificate", "etcd", *_STARTED)
_SHUTDOWN: Final = "shutdown"
CHECKS: Final[Mapping[str, tuple[str, ...]]] = {
    "healthz": _ALIVE,
    "livez": _ALIVE,
    "readyz": ("ping", "log", "etcd", "etcd-readiness", "informer-sync", *_STARTED, _SHUTDOWN),
}

ROOTS: Final = tuple(CHECKS)


def answer(request: Request, *, is_serving: bool) -> Response | None:
    """Answer a request for a health path; None where there is no such check."""
    root, slash, check = request.path.removeprefix("/").partition("/")
    if slash:
        return _whole(is_serving=is_serving) if check in CHECKS[root] else None
    is_verbose = bool(request.parameters("verbose"))
    if is_serving and not is_verbose:
        return Response(status=200, body=b"ok", content_type=_TEXT, headers=_NO_SNIFF)
    return _in_detail(request, root, is_serving=is_serving)


def _whole(*, is_serving: bool) -> Response:
    if is_serving:
        return Response(status=200, body=b"ok", content_type=_TEXT)
    return Response(status=500, body=b"internal server error: the server is closing\n", content_type=_TEXT)


def _in_detail(request: Request, root: str, *, is_serving: bool) -> Response:
    checks, excluded = CHECKS[root], dict.fromkeys(request.parameters("exclude"))
    broken = "" if is_serving else _SHUTDOWN if _SHUTDOWN in checks else "ping"
    lines = [_line(check, is_excluded=check in excluded, is_broken=check == broken) for check in checks]
    if unknown := [name for name in excluded if name not in checks]:
        shown = ", ".join(map(quoted, sorted(unknown)))
        lines.append(f"warn: some health checks cannot be excluded: no matches for {shown}")
    lines.append(f"{root} check {'passed' if is_serving else 'failed'}")
    body = "".join(f"{line}\n" for line in lines).encode()
    return Response(status=200 if is_serving else 500, body=body, content_type=_TEXT, headers=_NO_SNIFF)


def _line(check: str, *, is_excluded: bool, is_broken: bool) -> str:
    if is_excluded:
        return f"[+]{check} excluded: ok"
    return f"[-]{check} failed: reason withheld" if is_broken else f"[+]{check} ok"
