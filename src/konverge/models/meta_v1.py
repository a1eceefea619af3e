"""What kinds of every group are made of: the selector in a spec, the metadata, an owner, a condition.

Go has these in `metav1`, and this module has them by the same names. `meta_v1.LabelSelector` is what a Deployment holds
(`match_labels`, `match_expressions`); `konverge.LabelSelector` is what a list is asked by. The classes live in
`konverge.api.meta`; this file is written by hand.
"""

from __future__ import annotations

from konverge.api.meta import (
    Condition,
    DeleteOptions,
    FieldSelectorRequirement,
    GroupResource,
    LabelSelector,
    LabelSelectorRequirement,
    ManagedFieldsEntry,
    ObjectMeta,
    OwnerReference,
    Preconditions,
)

__all__ = [
    "Condition",
    "DeleteOptions",
    "FieldSelectorRequirement",
    "GroupResource",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Preconditions",
]
