"""What no webhook should answer, by name: of wrong types, too deep, too much, cut short, sent elsewhere."""

from __future__ import annotations

import base64
import json
from typing import Any

from harness.hook import Behaviour, Said, patch


def _said(**response: Any) -> Behaviour:
    return lambda _: Said({"allowed": True, **response})


def _denied(**status: Any) -> Behaviour:
    return lambda _: Said({"allowed": False, "status": status})


def _whole(response: Any) -> Behaviour:
    return lambda _: Said(review={"response": response})


def _raw(body: bytes, **more: Any) -> Behaviour:
    return lambda _: Said(body=body, **more)


def _patch(*operations: Any, **more: Any) -> Behaviour:
    return lambda _: Said(patch(*operations, **more))


def _bytes_patch(text: bytes) -> Behaviour:
    return _said(patchType="JSONPatch", patch=base64.b64encode(text).decode())


def _put(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


# Read as reviews, in both phases.
RESPONSES: dict[str, Behaviour] = {
    "text": _whole("text"),
    "number": _whole(5),
    "list": _whole([]),
    "nothing": _whole({}),
    "allowed-text": _said(allowed="yes"),
    "allowed-null": _said(allowed=None),
    "allowed-number": _said(allowed=1),
    "uid-number": _said(uid=5),
    "uid-list": _said(uid=[]),
    "warnings-number": _said(warnings=5),
    "warnings-text": _said(warnings="abc"),
    "warnings-mixed": _said(warnings=["a", 5, None, {}]),
    "warnings-many": _said(warnings=[f"{number} {'w' * 300}" for number in range(100)]),
    "warnings-odd": _said(warnings=["a\nb\r\nc: d", "\x00\x01", "", 'q"uoted\\']),
    "audit-list": _said(auditAnnotations=["a"]),
    "audit-number": _said(auditAnnotations={"a": 5}),
    "status-text": lambda _: Said({"allowed": False, "status": "no"}),
    "code-text": _denied(code="403"),
    "code-negative": _denied(code=-5, message="m"),
    "code-999": _denied(code=999, message="m"),
    "code-large": _denied(code=2**40),
    "code-fraction": _denied(code=403.5),
    "message-number": _denied(message=5),
    "reason-list": _denied(reason=[]),
    "details-text": _denied(details="x"),
    "details-retry-text": _denied(details={"retryAfterSeconds": "x"}),
    "details-retry-negative": _denied(code=429, details={"retryAfterSeconds": -5}),
    "details-causes-number": _denied(details={"causes": 5}),
    "request-number": lambda _: Said({"allowed": True}, review={"request": None, "unheard": 5}),
    "kind-number": _raw(b'{"kind":5,"apiVersion":6}'),
    "version-list": _raw(b'{"apiVersion":[],"kind":{}}'),
    "null": _raw(b"null"),
    "scalar": _raw(b"5"),
    "yaml": _raw(b"a: b"),
    "bytes": _raw(b"\xff\xfe{}"),
    "second-value": _raw(b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"} {}'),
    "deepest": _raw(b'{"a":' * 20_000),
    "ten-megabytes": _raw(json.dumps({"kind": "x" * 10, "a": "y" * 10_000_000}).encode()),
    "cut-short": _raw(b'{"kind":"AdmissionReview"', lacking=100),
    "cut-at-once": _raw(b"", lacking=100),
    "no-content": lambda _: Said(body=b"", status=204),
    "not-modified": lambda _: Said(body=b"", status=304),
}
# Patches, which only the first phase may send.
PATCHES: dict[str, Behaviour] = {
    "patch-number": _said(patchType="JSONPatch", patch=5),
    "patch-no-base64": _said(patchType="JSONPatch", patch="###"),
    "patch-type-number": _said(patchType=5, patch="W10="),
    "patch-object": _bytes_patch(b"{}"),
    "patch-numbers": _bytes_patch(b"[1,2]"),
    "patch-null": _bytes_patch(b"[null]"),
    "patch-nothing": _bytes_patch(b"null"),
    "patch-op-number": _patch({"op": 5, "path": "/data/a"}),
    "patch-op-object": _patch({"op": {}, "path": "/data/a"}),
    "patch-path-number": _patch({"op": "add", "path": 5, "value": "1"}),
    "patch-no-path": _patch({"op": "add", "value": "1"}),
    "patch-no-op": _patch({}),
    "patch-no-value": _patch({"op": "add", "path": "/data/x"}),
    "patch-root-list": _patch({"op": "replace", "path": "", "value": []}),
    "patch-root-number": _patch({"op": "replace", "path": "", "value": 5}),
    "patch-root-empty": _patch({"op": "replace", "path": "", "value": {}}),
    "patch-root-bare": _patch({"op": "replace", "path": "", "value": {"apiVersion": "v1", "kind": "ConfigMap"}}),
    "patch-root-secret": _patch(
        {"op": "replace", "path": "", "value": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}}
    ),
    "patch-no-kind": _patch({"op": "remove", "path": "/kind"}),
    "patch-no-version": _patch({"op": "remove", "path": "/apiVersion"}),
    "patch-kind-number": _patch({"op": "replace", "path": "/kind", "value": 5}),
    "patch-version-other": _patch({"op": "replace", "path": "/apiVersion", "value": "v9"}),
    "patch-no-metadata": _patch({"op": "remove", "path": "/metadata"}),
    "patch-metadata-number": _patch({"op": "replace", "path": "/metadata", "value": 5}),
    "patch-label-number": _patch(_put("/metadata/labels", {"a": 5})),
    "patch-no-name": _patch({"op": "remove", "path": "/metadata/name"}),
    "patch-namespace": _patch(_put("/metadata/namespace", "other")),
    "patch-uid": _patch(_put("/metadata/uid", "other")),
    "patch-version-text": _patch(_put("/metadata/resourceVersion", "x")),
    "patch-creation": _patch(_put("/metadata/creationTimestamp", "x")),
    "patch-deletion": _patch(_put("/metadata/deletionTimestamp", "2020-01-01T00:00:00Z")),
    "patch-generation": _patch(_put("/metadata/generation", -1)),
    "patch-finalizers": _patch(_put("/metadata/finalizers", ["bad"])),
    "patch-managed-number": _patch(_put("/metadata/managedFields", 5)),
    "patch-owner-number": _patch(_put("/metadata/ownerReferences", [5])),
    "patch-deep": _bytes_patch(b'[{"op":"add","path":"/data/x","value":' + b"[" * 20_000 + b"]" * 20_000 + b"}]"),
    "patch-copies": _patch(_put("/x", ["y" * 100]), *({"op": "copy", "from": "/x", "path": "/x/-"} for _ in range(40))),
    "patch-many": _patch(*(_put("/data/x", str(number)) for number in range(12_000))),
    "patch-twice": _bytes_patch(b'[{"op":"add","op":"remove","path":"/data/a","value":"1"}]'),
    "patch-test-nothing": _patch({"op": "test", "path": "/none", "value": None}),
    "patch-into-itself": _patch({"op": "move", "from": "/data", "path": "/data/a"}),
    "patch-index": _patch(_put("/metadata/finalizers/5", "a/b")),
    "patch-nan": _bytes_patch(b'[{"op":"add","path":"/data/x","value":NaN}]'),
    "patch-bytes": _bytes_patch(b'[{"op":"add","path":"/data/x","value":"\xff"}]'),
    "patch-second-value": _bytes_patch(b"[] []"),
}
ODD_ANSWERS: dict[str, Behaviour] = {f"/odd/{name}": said for name, said in (RESPONSES | PATCHES).items()}
