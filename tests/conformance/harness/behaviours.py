"""What the webhooks of cases do, by the path of their URL."""

from __future__ import annotations

from typing import Any

from harness.hook import Behaviour, Said, patch


def _always(said: Said) -> Behaviour:
    return lambda _: said


def _allowed(**more: Any) -> Behaviour:
    return _always(Said({"allowed": True, **more}))


def _denied(**status: Any) -> Behaviour:
    return _always(Said({"allowed": False, **({"status": status} if status else {})}))


def _add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def _count(review: dict[str, Any]) -> Said:
    """Count in a label how often it was asked."""
    labels = review["request"]["object"]["metadata"].get("labels", {})
    times = int(labels.get("times", "0")) + 1
    return Said(patch(_add("/metadata/labels", {**labels, "times": str(times)})))


def _label(name: str) -> Behaviour:
    def run(review: dict[str, Any]) -> Said:
        labels = review["request"]["object"]["metadata"].get("labels", {})
        return Said(patch(_add("/metadata/labels", {**labels, name: "yes"})))

    return run


def _converts(**changes: Any) -> Behaviour:
    """Convert `spec.size` of v1 and `spec.sizes` of v2; then change every object, or the answer (`response`)."""

    def run(review: dict[str, Any]) -> Said:
        request = review["request"]
        made = [_converted(each, request["desiredAPIVersion"], changes) for each in request["objects"]]
        if "metadata" in changes and changes["metadata"] is None:
            for each in made:
                del each["metadata"]
        answer = {"convertedObjects": made, "result": {"status": "Success"}, **changes.get("response", {})}
        return Said(answer, review=changes.get("review", {}))

    return run


def _converted(value: dict[str, Any], api_version: str, changes: dict[str, Any]) -> dict[str, Any]:
    spec = dict(value.get("spec") or {})
    if api_version.endswith("v2") and "size" in spec:
        spec["sizes"] = [spec.pop("size")]
    elif api_version.endswith("v1") and spec.get("sizes"):
        spec["size"] = spec.pop("sizes")[0]
    metadata = {**value.get("metadata", {}), **(changes.get("metadata") or {})}
    made = {**value, "apiVersion": api_version, "metadata": metadata, **changes.get("object", {})}
    return {**made, "spec": spec} if "spec" in value else made


BEHAVIOURS: dict[str, Behaviour] = {
    "/probe": _denied(message="the configuration is known", code=403),
    "/allow": _allowed(),
    "/allow-and-warn": _allowed(warnings=["mind the gap", "and the other"], auditAnnotations={"a": "b"}),
    "/deny": _denied(),
    "/deny-message": _denied(message="no"),
    "/deny-reason": _denied(reason="TooBad"),
    "/deny-code": _denied(message="go away", code=418, reason="Teapot", details={"name": "x", "retryAfterSeconds": 3}),
    "/deny-low-code": _denied(message="fine", code=200, status="Success"),
    "/deny-invalid": _denied(
        message="it is bad",
        code=422,
        reason="Invalid",
        details={"kind": "Thing", "causes": [{"reason": "FieldValueInvalid", "message": "no", "field": "data.a"}]},
    ),
    "/deny-warn": _always(Said({"allowed": False, "warnings": ["it is so"], "status": {"message": "no"}})),
    "/absent": _always(Said(review={"response": None})),
    "/other-uid": _allowed(uid="another"),
    "/other-kind": _always(Said({"allowed": True}, review={"kind": "ConversionReview"})),
    "/other-version": _always(Said({"allowed": True}, review={"apiVersion": "admission.k8s.io/v9"})),
    "/no-kind": _always(Said({"allowed": True}, review={"kind": None, "apiVersion": None})),
    "/patch-in-validation": _always(Said(patch(_add("/data", {})))),
    "/type-without-patch": _allowed(patchType="JSONPatch"),
    "/patch-without-type": _allowed(patch="W10="),
    "/patch-of-no-type": _allowed(patch="W10=", patchType=""),
    "/patch-of-other-type": _always(Said(patch(_add("/data", {}), patchType="Merge"))),
    "/patch-garbage": _allowed(patch="bm90IGpzb24=", patchType="JSONPatch"),
    "/patch-empty": _always(Said(patch())),
    "/patch-missing": _always(Said(patch({"op": "replace", "path": "/data/none/of", "value": 1}))),
    "/patch-remove-missing": _always(Said(patch({"op": "remove", "path": "/data/none"}))),
    "/patch-test": _always(Said(patch({"op": "test", "path": "/data/a", "value": "never"}))),
    "/patch-op": _always(Said(patch({"op": "invent", "path": "/data/a", "value": "never"}))),
    "/patch-wrong-type": _always(Said(patch(_add("/data", {"a": 1})))),
    "/patch-unknown": _always(Said(patch(_add("/unheard", {"a": 1})))),
    "/patch-name": _always(Said(patch(_add("/metadata/name", "other")))),
    "/patch-data": _always(Said(patch(_add("/data", {"b": "from the hook"})))),
    "/patch-one": _always(Said(patch(_add("/data/b", "from the hook"), allowed=True))),
    "/patch-labels": _label("first"),
    "/patch-more-labels": _label("second"),
    "/patch-owners": _always(
        Said(
            patch(
                _add(
                    "/metadata/ownerReferences",
                    [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"}] * 2,
                )
            )
        )
    ),
    "/patch-managed": _always(
        Said(patch(_add("/metadata/managedFields", [{"manager": "x", "operation": "Nonsense"}])))
    ),
    "/patch-spec": _always(Said(patch(_add("/spec", {"size": 7, "unheard": True})))),
    "/patch-replicas": _always(Said(patch(_add("/spec/replicas", 3)))),
    "/count": _count,
    "/slow": _always(Said({"allowed": True}, seconds=1.5)),
    "/empty": _always(Said(body=b"")),
    "/garbage": _always(Said(body=b"not json at all")),
    "/list": _always(Said(body=b"[]")),
    "/half": _always(Said(body=b'{"kind": "AdmissionReview"')),
    "/huge": _always(Said(body=b"x" * (7 << 20))),
    "/text": _always(Said(body=b"hello", content_type="text/plain")),
    "/400": _always(Said(body=b"hello", status=400, content_type="text/plain")),
    "/403": _always(Said(body=b"hello", status=403, content_type="text/plain")),
    "/404": _always(Said(body=b"hello", status=404, content_type="text/plain")),
    "/418": _always(Said(body=b"hello", status=418, content_type="text/plain")),
    "/500": _always(Said(body=b"hello\n", status=500, content_type="text/plain")),
    "/500-json": _always(Said(body=b"{}", status=500)),
    "/500-status": _always(
        Said(
            body=b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"my own words","code":500}',
            status=500,
        )
    ),
    "/503": _always(Said(body=b"hello", status=503, content_type="text/plain")),
    "/convert": _converts(),
    "/convert-by-color": lambda review: _FAULTS[review["request"]["objects"][0]["spec"]["color"]](review),
    "/convert-failed": _converts(response={"result": {"status": "Failed", "message": "I cannot"}}),
}
# What may go wrong, by the color of the first object: one kind of objects is enough for all of it.
_FAULTS: dict[str, Behaviour] = {
    "labels": _converts(metadata={"labels": {"from": "hook"}, "annotations": {"a": "b"}, "finalizers": ["x/y"]}),
    "bad-label": _converts(metadata={"labels": {"not a label!": "x"}}),
    "number-label": _converts(metadata={"labels": {"a": 1}}),
    "list-label": _converts(metadata={"labels": ["a"]}),
    "name": _converts(metadata={"name": "other"}),
    "uid": _converts(metadata={"uid": "other"}),
    "no-metadata": _converts(metadata=None),
    "kind": _converts(object={"kind": "Other"}),
    "version": _converts(object={"apiVersion": "x.io/v9"}),
    "unknown-field": _converts(object={"unheard": 1}),
    "fewer": _converts(response={"convertedObjects": []}),
    "failed": BEHAVIOURS["/convert-failed"],
    "failed-silently": _converts(response={"result": {}}),
    "other-uid": _converts(response={"uid": "x"}),
    "no-response": _converts(review={"response": None}),
    "other-review": _converts(review={"kind": "AdmissionReview"}),
    "garbage": BEHAVIOURS["/garbage"],
    "500": BEHAVIOURS["/500"],
    "empty": BEHAVIOURS["/empty"],
}
