"""Which volume suits a claim; pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.controllers.selecting import selector_of
from konverge.models import core_v1

IS_COMPLETE: Final = "pv.kubernetes.io/bind-completed"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"

Claim = core_v1.PersistentVolumeClaim
Volume = core_v1.PersistentVolume


def class_of(claim: Claim) -> str | None:
    """Return the class that a claim asks for; empty: one without a class; None: it does not say."""
    return (claim.metadata.annotations or {}).get(_CLASS, claim.spec.storage_class_name)


def is_meant_for(volume: Volume, claim: Claim) -> bool:
    """Whether a volume names a claim: this one, or any of its name."""
    reference = volume.spec.claim_ref
    if reference is None or (reference.namespace, reference.name) != (claim.metadata.namespace, claim.metadata.name):
        return False
    return not reference.uid or reference.uid == claim.metadata.uid


def best(volumes: Iterable[Volume], claim: Claim, *, only_meant: bool = False) -> Volume | None:
    """Return the volume that names the claim, else the smallest that suits it and offers the fewest other modes.

    A claim whose class waits for a pod takes no volume by itself, but one that is meant for it.
    """
    fit = [each for each in volumes if _is_possible(each, claim)]
    ranked = sorted(fit, key=lambda each: (len(each.spec.access_modes or ()), _size(each), each.metadata.name))
    meant = next((each for each in ranked if is_meant_for(each, claim)), None)
    if meant is not None or only_meant:
        return meant
    return next((each for each in ranked if _is_free(each, claim)), None)


def _is_possible(volume: Volume, claim: Claim) -> bool:
    spec = volume.spec
    return (
        volume.metadata.deletion_timestamp is None
        and set(claim.spec.access_modes or ()) <= set(spec.access_modes or ())
        and _size(volume) >= requested(claim)
        and _mode(spec.volume_mode) == _mode(claim.spec.volume_mode)
        and (spec.volume_attributes_class_name or "") == (claim.spec.volume_attributes_class_name or "")
    )


def _is_free(volume: Volume, claim: Claim) -> bool:
    if volume.spec.claim_ref is not None or volume.status.phase != "Available":
        return False
    selector = claim.spec.selector
    is_selected = selector is None or selector_of(selector).matches(volume.metadata.labels or {})
    return is_selected and _class_of_volume(volume) == (class_of(claim) or "")


def mismatch(volume: Volume, claim: Claim) -> str | None:
    """Return why a volume that a claim asks for by its name does not suit it; the first reason counts."""
    wanted, offered = claim.spec, volume.spec
    attributes = wanted.volume_attributes_class_name or "", offered.volume_attributes_class_name or ""
    problems = (
        (volume.metadata.deletion_timestamp is not None, f'the volume is marked for deletion "{volume.metadata.name}"'),
        (_size(volume) < requested(claim), "requested PV is too small"),
        (_class_of_volume(volume) != (class_of(claim) or ""), "storageClassName does not match"),
        (attributes[0] != attributes[1], "volumeAttributesClassName does not match"),
        (_mode(offered.volume_mode) != _mode(wanted.volume_mode), "incompatible volumeMode"),
        (not set(wanted.access_modes or ()) <= set(offered.access_modes or ()), "incompatible accessMode"),
    )
    return next((text for is_so, text in problems if is_so), None)


def requested(claim: Claim) -> Quantity:
    """Return how much a claim asks for."""
    resources = claim.spec.resources
    return Quantity(str(((resources.requests if resources is not None else None) or {}).get("storage", "0")))


def _size(volume: Volume) -> Quantity:
    return Quantity(str((volume.spec.capacity or {}).get("storage", "0")))


def _mode(mode: str | None) -> str:
    return mode or "Filesystem"


def _class_of_volume(volume: Volume) -> str:
    return (volume.metadata.annotations or {}).get(_CLASS, volume.spec.storage_class_name) or ""
