"""What a role or a binding of the first start gets back; `tests/conformance` compares it with the real server."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.access.bootstrap_reconciliation import reconcile, reconciled
from konverge.cluster.apiserver.exchange import Request, Response

GET = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
BOTH = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
LIST = {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}
USER = {"kind": "User", "name": "a"}


def role(*rules: Any, **more: Any) -> dict[str, Any]:
    """Return a role."""
    return {"metadata": {"name": "r", "uid": "u", **more.pop("metadata", {})}, "rules": list(rules), **more}


def binding(*subjects: Any, role: str = "r") -> dict[str, Any]:
    """Return a binding."""
    return {"metadata": {"name": "b", "uid": "u"}, "roleRef": {"name": role}, "subjects": list(subjects)}


@pytest.mark.parametrize(
    ("existing", "expected", "found"),
    [
        (role(GET), role(GET), None),
        (role(BOTH), role(GET), None),
        (role(GET), role(BOTH), role(GET, LIST)),
        (role(GET, metadata={"annotations": {"rbac.authorization.kubernetes.io/autoupdate": "false"}}), role(), None),
        (role(metadata={"labels": {"a": "own"}}), role(metadata={"labels": {"a": "1"}}), None),
        (role(), role(metadata={"labels": {"a": "1"}}), role(metadata={"labels": {"a": "1"}})),
        (role(aggregationRule={}), role(), role()),
        (binding(USER), binding(USER), None),
        (binding(), binding(USER), binding(USER)),
        (binding(USER, role="other"), binding(USER), binding(USER)),
    ],
)
def test_what_comes_back(existing: Any, expected: Any, found: Any) -> None:
    """What is lacking is added, what was added stays; a binding for another role is made anew."""
    assert reconciled(existing, expected) == found


async def test_a_refusal_does_not_keep_the_server_from_starting(caplog: pytest.LogCaptureFixture) -> None:
    """A webhook may refuse it; the log says so."""
    asked = []

    async def refuse(request: Request) -> Response:
        asked.append(f"{request.method} {request.path}")
        return Response(status=403)

    await reconcile(refuse, "clusterrolebindings", [(binding(role="other"), binding(USER))])
    path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    assert asked == [f"DELETE {path}/b", f"POST {path}"]
    assert "was not brought back: 403" in caplog.text
