"""The types of reviews as Go has them: a webhook's answer is read as one, and what is not of its type is refused.

Reviews are in no published schema, as no one stores them; what a webhook is sent back with its answer is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_scalar import GoType, Scalar, Special
from konverge.cluster.apiserver.builtin.go_type import Listing, Map, Member, Struct, type_of
from konverge.cluster.apiserver.builtin.go_value import bytes_text
from konverge.cluster.apiserver.strategy import JsonObject

_STATUS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.Status"
_ANY: Final = GoType()
_TEXT: Final = Scalar(str, "string", "")
_UID: Final = Scalar(str, "types.UID", "")


class _Declared(Struct):
    """A struct whose fields are given here; what is empty in it is kept, as an answer may mean it."""

    def __init__(self, package: str, name: str, fields: Mapping[str, GoType]) -> None:
        super().__init__(f"{package}.{name}", {})
        self.fields = {each: Member(kind, None, keeps_empty=True) for each, kind in fields.items()}


def review_fault(api_version: str, kind: str, review: JsonObject) -> str:
    """Say why an answer is no review, in Go's words; empty: it is one. What a response has not by type is dropped."""
    group, _, version = api_version.rpartition("/")
    found, response = Found(), review.get("response")
    if response is not None:
        _response(group, version, kind).read(response, Place(kind, "response", "response"), found)
    return found.error


@cache
def _response(group: str, version: str, kind: str) -> Struct:
    package = f"{group}.{version}"
    return _conversion(package) if kind == "ConversionReview" else _admission(package, version)


def _admission(package: str, version: str) -> Struct:
    fields = {
        "uid": _UID,
        "allowed": Scalar(bool, "bool", zero=False),
        "status": type_of(_STATUS),
        "patch": Special(bytes_text, go_name="[]uint8", zero=""),
        "patchType": Scalar(str, f"{version}.PatchType", ""),
        "auditAnnotations": Map(_TEXT),
        "warnings": Listing(_TEXT),
    }
    return _Declared(package, "AdmissionResponse", fields)


def _conversion(package: str) -> Struct:
    fields = {"uid": _UID, "convertedObjects": Listing(_ANY), "result": type_of(_STATUS)}
    return _Declared(package, "ConversionResponse", fields)
