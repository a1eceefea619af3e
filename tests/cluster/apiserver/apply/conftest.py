"""One object's life on the real server, with every write compared to what ours makes of it.

Each write goes to the real server. What the real server had before it is given to ours as the live object; ours must
come to the same managedFields, and make the same object of an apply.
"""

from __future__ import annotations

import base64
import http.client
import json
import random
import ssl
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import yaml

from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.timestamps import keep_times
from konverge.cluster.apiserver.failure import Failure
from konverge.testing import RealCluster


class Reply(NamedTuple):
    """What the real server answered."""

    code: int
    body: dict[str, Any]


class Real:
    """Requests to the real server on one connection."""

    def __init__(self, real_cluster: RealCluster) -> None:
        config = yaml.safe_load(real_cluster.kubeconfig.read_text())
        context = ssl.create_default_context(
            cadata=base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        )
        user = config["users"][0]["user"]
        folder = real_cluster.folder
        for name in ("certificate", "key"):
            (folder / f"apply-test.{name}").write_bytes(base64.b64decode(user[f"client-{name}-data"]))
        context.load_cert_chain(folder / "apply-test.certificate", folder / "apply-test.key")
        host = config["clusters"][0]["cluster"]["server"].removeprefix("https://")
        self._connection = http.client.HTTPSConnection(host, context=context, timeout=60)

    def send(self, method: str, path: str, body: Any, media: str = "application/json") -> Reply:
        """Send a request and return the answer."""
        headers = {"Content-Type": media, "Accept": "application/json"}
        self._connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"  # the 404 of a path is plain text
        return Reply(answer.status, json.loads(text) if is_json else {})

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


@pytest.fixture(scope="module")
def real(real_cluster: RealCluster) -> Iterator[Real]:
    """Return a connection to the real server."""
    connection = Real(real_cluster)
    yield connection
    connection.close()


def entries(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an object's managedFields."""
    found: list[dict[str, Any]] = value["metadata"].get("managedFields", [])
    return found


def timeless(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return managedFields with only whether there is a time: the real server may cross a second within one write."""
    found = [{**entry, "time": bool(entry.get("time"))} for entry in entries(value)]
    return sorted(found, key=lambda entry: json.dumps(entry, sort_keys=True))


def newest(value: dict[str, Any]) -> str:
    """Return the last time in an object's managedFields."""
    return max((entry.get("time", "") for entry in entries(value)), default="") or "2026-01-01T00:00:00Z"


def in_order(status: dict[str, Any]) -> dict[str, Any]:
    """Return a Status with its causes in order: the real server's come in any."""
    causes = status.get("details", {}).get("causes", [])
    return {**status, "details": {"causes": sorted(causes, key=json.dumps)}}


def at(value: Any, field: str) -> Any:
    """Return the part of a value that a cause names, or None."""
    for step in field.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, list):
            value = value[int(step)] if step.isdigit() else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


class Life:
    """One object's life on both servers."""

    def __init__(self, real: Real, seed: int, *, path: str, name: str) -> None:
        self.real = real
        self.rng = random.Random(seed)
        self.path = path
        self.name = name
        self.live: dict[str, Any] | None = None
        self.said: list[str] = []

    def check_update(self, fields: FieldManager, answer: dict[str, Any], new: dict[str, Any], **options: Any) -> None:
        """Compare the managedFields of an update, given the object as it was before the server took its own parts."""
        before = json.dumps(self.live)
        ours = fields.update(self.live, new, time=newest(answer), **options)
        if self.live:
            keep_times(ours, self.live)
        assert timeless(ours) == timeless(answer), self.last()
        assert json.dumps(self.live) == before

    def check_apply(self, fields: FieldManager, reply: Reply, patch: dict[str, Any], **options: Any) -> dict[str, Any]:
        """Compare what becomes of an apply, and return our object."""
        before = json.dumps([self.live, patch])
        try:
            ours = fields.apply(self.live, patch, time=newest(reply.body) if reply.code < 300 else "", **options)
        except Failure as failure:
            return self.check_failure(reply, failure)
        if reply.code == 422:  # what an apply removed was required, or it left null of a map that is empty now
            assert all(at(ours, cause["field"]) is None for cause in reply.body["details"]["causes"]), self.last()
            return {}
        assert reply.code < 300, self.last()
        if self.live:
            keep_times(ours, self.live)
        assert timeless(ours) == timeless(reply.body), self.last()
        assert json.dumps([self.live, patch]) == before
        return ours

    def check_failure(self, reply: Reply, failure: Failure) -> dict[str, Any]:
        """Compare what the two servers say of an apply that fails."""
        assert in_order(reply.body) == in_order(failure.status()), self.last()
        return {}

    def bare(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return an object without what the server counts and fills in, and without empty parts of the metadata."""
        hidden = ("resourceVersion", "generation", "uid", "creationTimestamp", "managedFields")
        metadata = {name: part for name, part in value["metadata"].items() if part and name not in hidden}
        return {**value, "metadata": metadata}

    def last(self) -> str:
        """Return what was said last, for the message of a failure."""
        return "\n".join(self.said[-2:])

    def send(self, method: str, query: str, body: Any, media: str = "application/json", sub: str = "") -> Reply:
        """Send a request for the object and remember it."""
        target = self.path if method == "POST" else f"{self.path}/{self.name}{sub}"
        reply = self.real.send(method, f"{target}?{query}", body, media)
        self.said.append(f"{method} {sub} {query} {json.dumps(body)} -> {json.dumps(reply.body)}")
        return reply

    def word(self) -> str:
        """Return one of few texts, so that values meet again; some need escapes."""
        return self.rng.choice(["a", "b", "c", "a<b", "x y", 'q"', "é", ""])

    def metadata(self) -> dict[str, Any]:
        """Return labels, annotations, owners and finalizers, beside the name."""
        rng = self.rng
        metadata: dict[str, Any] = {"name": self.name, "namespace": "default"}
        if rng.random() < 0.5:
            metadata["labels"] = {rng.choice("lm"): rng.choice("ab") for _ in range(rng.randint(0, 2))}
        if rng.random() < 0.3:
            metadata["annotations"] = {rng.choice("no"): self.word()}
        if rng.random() < 0.2:
            owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": rng.choice(["u-1", "u-2"])}
            metadata["ownerReferences"] = [owner]
        if rng.random() < 0.2:
            metadata["finalizers"] = rng.sample(["a.b/c", "d.e/f"], rng.randint(0, 2))
        return metadata


@pytest.fixture
def life(real: Real) -> Callable[..., Life]:
    """Return what begins an object's life, given a seed, the path to its kind and its name."""

    def begin(seed: int, *, path: str, name: str) -> Life:
        return Life(real, seed, path=path, name=name)

    return begin
