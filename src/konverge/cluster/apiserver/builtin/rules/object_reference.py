"""References to objects by kind and name: both must be there, and could stand in a URL."""

from __future__ import annotations

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject


def reference_errors(reference: JsonObject, path: str) -> list[FieldError]:
    """Judge the kind and the name."""
    errors = []
    for part in ("kind", "name"):
        text = reference.get(part, "")
        if not text:
            errors.append(field_error.required(f"{path}.{part}"))
        errors += [field_error.invalid(f"{path}.{part}", text, wrong) for wrong in name_rules.path_segment(text)]
    return errors
