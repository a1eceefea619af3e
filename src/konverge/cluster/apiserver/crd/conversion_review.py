"""ConversionReview: what a conversion webhook is sent, and what it may send back.

Of an object's metadata it may change labels and annotations alone; the rest is what it was, whatever comes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import annotation_errors, label_errors

_GROUP: Final = "apiextensions.k8s.io"
_KNOWN: Final = ("v1", "v1beta1")
_SAME: Final = (("name", "name"), ("namespace", "namespace"), ("uid", "UID"))


class BadConversion(Exception):
    """An answer that converts nothing; the message goes on from the name of the webhook."""


def conversion_review(
    values: Sequence[JsonObject], api_version: str, *, versions: Sequence[str], uid: str
) -> JsonObject:
    """Return the review to send, in the first version that both sides know."""
    version = next((each for each in versions if each in _KNOWN), "")
    if not version:
        raise BadConversion("failed: no supported conversion review versions")
    return {
        "kind": "ConversionReview",
        "apiVersion": f"{_GROUP}/{version}",
        "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": list(values)},
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }


def read_converted(
    review: JsonObject, values: Sequence[JsonObject], *, asked: JsonObject, api_version: str
) -> list[JsonObject]:
    """Return the converted objects of an answer; raises `BadConversion`."""
    response = review.get("response")
    if asked["apiVersion"] == f"{_GROUP}/v1":
        _check_v1(review, response, asked["request"]["uid"])
    if response is None:
        raise BadConversion("failed: no response provided")
    result = response.get("result") or {}
    if result.get("status") != "Success":
        said = f"response.result.status was '{result.get('status') or ''}', not 'Success'"
        raise BadConversion(f"failed: {result.get('message') or said}")
    found = response.get("convertedObjects") or []
    if len(found) != len(values):
        raise BadConversion(f"returned {len(found)} objects, expected {len(values)}")
    return [_checked(value, one, api_version) for value, one in zip(values, found, strict=True)]


def _check_v1(review: JsonObject, response: JsonObject | None, uid: str) -> None:
    api_version, kind = review.get("apiVersion") or "", review.get("kind") or ""
    if (api_version, kind) != (f"{_GROUP}/v1", "ConversionReview"):
        group, _, version = api_version.rpartition("/")
        shown = f"{group}/{version}, Kind={kind}"
        raise BadConversion(f"failed: expected webhook response of {_GROUP}/v1, Kind=ConversionReview, got {shown}")
    if response is not None and (response.get("uid") or "") != uid:
        found = response.get("uid") or ""
        raise BadConversion(f"failed: expected response.uid={quoted(uid)}, got {quoted(found)}")


def _checked(value: JsonObject, converted: Any, api_version: str) -> JsonObject:
    if not isinstance(converted, dict):
        raise BadConversion("returned invalid object at index 0: it is no object")
    where = "returned invalid object at index 0"
    if (found := converted.get("apiVersion") or "") != api_version:
        raise BadConversion(f"{where}: invalid groupVersion (expected {api_version}, received {found})")
    if (found := converted.get("kind") or "") != value["kind"]:
        raise BadConversion(f"{where}: invalid kind (expected {value['kind']}, received {found})")
    own, metadata = value.get("metadata") or {}, converted.get("metadata")
    for name, title in _SAME:
        expected, found = own.get(name) or "", (metadata if isinstance(metadata, dict) else {}).get(name) or ""
        if expected != found:
            raise BadConversion(f"returned invalid object: must have the same {title}: {expected} != {found}")
    if not isinstance(metadata, dict):
        raise BadConversion(f"returned invalid metadata: invalid metadata of type {_go(metadata)} in converted object")
    return {**converted, "metadata": _restored(own, metadata)}


def _restored(own: JsonObject, said: JsonObject) -> JsonObject:
    """Return the metadata that an object had, with the labels and annotations that the webhook gave it."""
    metadata: JsonObject = json_copy(own)
    for name in ("labels", "annotations"):
        given = said.get(name)
        if given is None:
            metadata.pop(name, None)
            continue
        if not isinstance(given, dict):
            text = f"invalid metadata.{name} of type {_go(given)} in converted object"
            raise BadConversion(f"returned invalid metadata: {text}")
        _check_texts(name, given)
        if given != metadata.get(name):
            _check_rules(name, given)
        metadata[name] = given
    return metadata


def _check_texts(name: str, given: JsonObject) -> None:
    for key, text in given.items():
        if not isinstance(text, str):
            why = f"metadata.{name}[{key}] must be a string, but is {_go(text)} in converted object"
            raise BadConversion(f"returned invalid metadata: {why}")


def _check_rules(name: str, given: JsonObject) -> None:
    errors = label_errors(given, "metadata.labels") if name == "labels" else annotation_errors(given)
    if errors:
        shown = ", ".join(dict.fromkeys(str(error) for error in errors))
        raise BadConversion(f"returned invalid metadata: {shown if len(errors) == 1 else f'[{shown}]'}")


def _go(value: Any) -> str:
    """Return what Go calls the type of a decoded value."""
    kinds: dict[type, str] = {
        dict: "map[string]interface {}",
        list: "[]interface {}",
        str: "string",
        bool: "bool",
        int: "int64",
        float: "float64",
    }
    return kinds.get(type(value), "<nil>")
