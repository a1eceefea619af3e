"""What a write is asked by its query: dry run, field manager, field validation, force; judged as Kubernetes does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.apply.manager_name import manager_errors, manager_name
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import invalid
from konverge.cluster.apiserver.field_error import FieldError

META_GROUP: Final = "meta.k8s.io"
_FALSE: Final = {"false", "0"}


class FieldValidation(StrEnum):
    """What becomes of fields that the kind does not have, or that are there twice."""

    IGNORE = "Ignore"
    WARN = "Warn"
    STRICT = "Strict"


_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """The options of a create, an update or a patch."""

    is_dry_run: bool = False
    manager: str = ""  # who writes, for managedFields: the parameter, or else the beginning of the User-Agent
    field_validation: FieldValidation = FieldValidation.WARN
    force: bool = False
    time: str = ""  # when the request came: one write has one time


def write_options(request: Request, kind: str, *, is_apply: bool = False) -> WriteOptions:
    """Read the options; `kind` is what an error calls them (`CreateOptions` …)."""
    if not request.query and not is_apply:
        return WriteOptions(manager=manager_name("", request.header("user-agent")), time=format_time(now()))
    dry_run, manager = request.parameters("dryRun"), request.parameter("fieldManager")
    validation, force = request.parameter("fieldValidation"), request.parameters("force")
    errors = _apply_errors(kind, manager, force, is_apply=is_apply)
    errors += manager_errors(manager, "fieldManager") + dry_run_errors(dry_run)
    if validation not in _VALIDATIONS:
        errors.append(field_error.not_supported("fieldValidation", validation, _VALIDATIONS, is_plain=True))
    if errors:
        raise invalid(kind, META_GROUP, "", errors)
    return WriteOptions(
        is_dry_run=bool(dry_run),
        manager=manager_name(manager, request.header("user-agent")),
        field_validation=FieldValidation(validation or "Warn"),
        force=truth(force[0]) if force else False,
        time=format_time(now()),
    )


def _apply_errors(kind: str, manager: str, force: Sequence[str], *, is_apply: bool) -> list[FieldError]:
    if is_apply and not manager:
        return [field_error.required("fieldManager", "is required for apply patch")]
    if kind == "PatchOptions" and force and not is_apply:
        return [field_error.forbidden("force", "may not be specified for non-apply patch")]
    return []


def truth(text: str) -> bool:
    """Read a boolean parameter: anything but a no is a yes, the bare name included."""
    return text.lower() not in _FALSE


def dry_run_errors(values: Sequence[str]) -> list[FieldError]:
    """Judge `dryRun`: All is the only value there is."""
    if all(value == "All" for value in values):
        return []
    return [field_error.not_supported("dryRun", list(values), ["All"])]
