"""Annotations that say something of a pod: what they may be, which never change, which fields must agree with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import LARGEST_INT32
from konverge.cluster.apiserver.builtin.rules.pod.app_armor import (
    APP_ARMOR_PREFIX,
    app_armor_annotation_errors,
    app_armor_mismatch_errors,
)
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import descending_path_errors
from konverge.cluster.apiserver.builtin.rules.pod.each_container import each_container
from konverge.cluster.apiserver.builtin.rules.pod.noted_tolerations import noted_toleration_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

NOWHERE: Final = "[]"  # how an empty path is shown: what is wrong with a static pod is at none
MIRROR: Final = "kubernetes.io/config.mirror"  # a pod that a kubelet runs by itself, as the API shows it
SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_PREFIX: Final = "container.seccomp.security.alpha.kubernetes.io/"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_COST: Final = re.compile("-[0-9]+|0|[1-9][0-9]*")
_MOST_DIGITS: Final = 20  # Python reads no number of many digits
_LOCAL: Final = "localhost/"
_DEFAULTS: Final = ("runtime/default", "docker/default")
_UNCONFINED: Final = "unconfined"


def annotation_rule_errors(annotations: JsonObject, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    """Judge what the annotations of a pod or a template say."""
    if MIRROR in annotations and not spec.get("nodeName"):
        wrong = "must set spec.nodeName if mirror pod annotation is set"
        yield field_error.invalid(f"{path}[{MIRROR}]", annotations[MIRROR], wrong)
    if noted := annotations.get(_TOLERATIONS):
        yield from noted_toleration_errors(noted, path, key=_TOLERATIONS)
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not _is_cost(cost):
        yield field_error.invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer")
    for key, text in annotations.items():
        if key == SECCOMP or key.startswith(SECCOMP_PREFIX):
            yield from _seccomp_errors(text, f"{path}.{key}")
    yield from app_armor_annotation_errors(annotations, spec, path=path)


def _is_cost(text: str) -> bool:
    if not _COST.fullmatch(text) or len(text.lstrip("-0")) > _MOST_DIGITS:
        return False
    return -LARGEST_INT32 - 1 <= int(text) <= LARGEST_INT32


def _seccomp_errors(text: str, path: str) -> Iterator[FieldError]:
    if text.startswith(_LOCAL):
        yield from descending_path_errors(text.removeprefix(_LOCAL), path)
    elif text not in (*_DEFAULTS, _UNCONFINED):
        yield field_error.invalid(path, text, "must be a valid seccomp profile")


def profile_mismatch_errors(annotations: JsonObject, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    """Judge security contexts that say something else than the annotations."""
    holders = [(spec, path, SECCOMP)]
    holders += [(each, where, SECCOMP_PREFIX + each.get("name", "")) for each, where in each_container(spec, path)]
    for holder, where, key in holders:
        profile = (holder.get("securityContext") or {}).get("seccompProfile")
        if profile is not None and key in annotations:
            yield from _seccomp_mismatch(profile, annotations[key], path=f"{where}.securityContext.seccompProfile")
    yield from app_armor_mismatch_errors(annotations, spec, path=path)


def _seccomp_mismatch(profile: JsonObject, text: str, *, path: str) -> Iterator[FieldError]:
    kind = profile.get("type", "")
    words = {"Unconfined": (_UNCONFINED,), "RuntimeDefault": _DEFAULTS}
    if text not in words.get(kind, (text,)) or (kind == "Localhost" and not text.startswith(_LOCAL)):
        yield field_error.forbidden(f"{path}.type", "seccomp type in annotation and field must match")
    elif kind == "Localhost" and text.removeprefix(_LOCAL) != profile.get("localhostProfile"):
        yield field_error.forbidden(f"{path}.localhostProfile", "seccomp profile in annotation and field must match")


def annotation_change_errors(annotations: JsonObject, old: JsonObject, *, spec: JsonObject) -> Iterator[FieldError]:
    """Judge the annotations that a pod keeps as it was made; what they say is told once more, as by the real server."""
    for key in (*old, *(key for key in annotations if key not in old)):
        if annotations.get(key) == old.get(key):
            continue
        done = "remove or update" if key in old else "add"
        if key.startswith(APP_ARMOR_PREFIX):
            yield field_error.forbidden(f"metadata.annotations[{key}]", f"may not {done} AppArmor annotations")
        elif key == MIRROR:
            yield field_error.forbidden(f"metadata.annotations[{key}]", f"may not {done} mirror pod annotation")
    yield from annotation_rule_errors(annotations, spec, path="metadata.annotations")
