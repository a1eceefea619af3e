"""A server that is asked as its administrator, with what policies, limits and quotas need."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

GROUP = "/apis/admissionregistration.k8s.io/v1"
NS = "/api/v1/namespaces/default"


class Asked:
    """A server and how it is asked."""

    def __init__(self, server: ApiServer) -> None:
        self.server = server

    async def ask(self, method: str, path: str, body: Any = None, **query: str) -> tuple[int, dict[str, Any]]:
        """Return the status and the decoded body of an answer."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        answer = await self.server.handle(
            Request(
                method=method,
                path=path,
                query=tuple(query.items()),
                headers={"content-type": kind},
                body=b"" if body is None else json.dumps(body).encode(),
                peer=Peer(is_trusted=True),
            )
        )
        assert isinstance(answer, Response)
        return answer.status, json.loads(answer.body)

    async def make(self, path: str, name: str, **body: Any) -> dict[str, Any]:
        """Create something that must be accepted."""
        metadata = {"name": name, **body.pop("metadata", {})}
        status, value = await self.ask("POST", path, {"metadata": metadata, **body})
        assert status == 201, value
        return value

    async def bind(self, sort: str, spec: dict[str, Any], **binding: Any) -> None:
        """Put a policy to work on ConfigMaps; `sort` is `validating` or `mutating`."""
        rule = {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "resources": ["configmaps"],
            "operations": ["CREATE", "UPDATE"],
        }
        constraints = {"matchConstraints": {"resourceRules": [rule]}}
        await self.make(f"{GROUP}/{sort}admissionpolicies", "p", spec={**constraints, **spec})
        actions = {"validationActions": ["Deny"]} if sort == "validating" else {}
        await self.make(f"{GROUP}/{sort}admissionpolicybindings", "b", spec={"policyName": "p", **actions, **binding})


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    """A server that has started."""
    storage = Storage.in_memory()
    server = ApiServer(storage)
    await server.start()
    yield Asked(server)
    await server.close()
    await storage.close()
