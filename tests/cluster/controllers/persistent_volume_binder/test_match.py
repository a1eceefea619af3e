"""Which volume suits a claim."""

from __future__ import annotations

from typing import Any

import pytest

from konverge import ObjectMeta
from konverge.cluster.controllers.persistent_volume_binder.match import best, mismatch
from konverge.models import core_v1


def claim(*, size: str = "2Gi", **spec: Any) -> core_v1.PersistentVolumeClaim:
    """Return a claim of any class."""
    resources = core_v1.VolumeResourceRequirements(requests={"storage": size})
    wanted = {"access_modes": ["ReadWriteOnce"], "storage_class_name": "", "resources": resources, **spec}
    metadata = ObjectMeta(name="data", namespace="default", uid="1")
    return core_v1.PersistentVolumeClaim(metadata=metadata, spec=core_v1.PersistentVolumeClaimSpec(**wanted))


def volume(name: str, size: str = "2Gi", *, phase: str = "Available", **spec: Any) -> core_v1.PersistentVolume:
    """Return a volume without a class."""
    wanted = {"access_modes": ["ReadWriteOnce"], "capacity": {"storage": size}, **spec}
    status = core_v1.PersistentVolumeStatus(phase=phase)
    return core_v1.PersistentVolume(
        metadata=ObjectMeta(name=name), spec=core_v1.PersistentVolumeSpec(**wanted), status=status
    )


def test_the_smallest_that_is_large_enough() -> None:
    """Sizes are compared as quantities, not as texts."""
    found = best([volume("a", "10Gi"), volume("b", "3Gi"), volume("c", "1Gi"), volume("d", "3000Mi")], claim())
    assert found is not None
    assert found.metadata.name == "d"


def test_fewer_modes_go_before_a_smaller_size() -> None:
    """What can do more is kept for those who need it."""
    more = volume("a", "2Gi", access_modes=["ReadWriteOnce", "ReadWriteMany"])
    found = best([more, volume("b", "9Gi")], claim())
    assert found is not None
    assert found.metadata.name == "b"


@pytest.mark.parametrize(
    "other",
    [
        volume("a", phase="Released"),
        volume("a", storage_class_name="fast"),
        volume("a", volume_mode="Block"),
        volume("a", access_modes=["ReadOnlyMany"]),
        volume("a", claim_ref=core_v1.ObjectReference(namespace="default", name="another")),
        volume("a", claim_ref=core_v1.ObjectReference(namespace="default", name="data", uid="another")),
    ],
)
def test_what_does_not_suit(other: core_v1.PersistentVolume) -> None:
    """A phase, a class, a mode, or someone else's."""
    assert best([other], claim()) is None


def test_one_that_is_meant_for_the_claim_goes_before_all() -> None:
    """It is taken even where the class waits for a pod."""
    meant = volume("z", "9Gi", claim_ref=core_v1.ObjectReference(namespace="default", name="data"))
    assert best([volume("a"), meant], claim()) is meant
    assert best([volume("a"), meant], claim(), only_meant=True) is meant
    assert best([volume("a")], claim(), only_meant=True) is None


def test_a_volume_that_was_asked_for_by_name_says_why_it_does_not_suit() -> None:
    """The first reason counts; None where there is none."""
    assert mismatch(volume("a"), claim()) is None
    assert mismatch(volume("a", "1Gi"), claim()) == "requested PV is too small"
    assert mismatch(volume("a", storage_class_name="x"), claim()) == "storageClassName does not match"
    assert mismatch(volume("a", volume_mode="Block"), claim()) == "incompatible volumeMode"
    assert mismatch(volume("a", access_modes=[]), claim()) == "incompatible accessMode"
