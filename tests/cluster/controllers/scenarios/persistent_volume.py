"""Volumes and claims. All scenarios share the volumes of the real cluster, so each has a class of its own."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

import konverge as kv
from konverge.api.request import MERGE_PATCH
from konverge.models import core_v1

CLAIM, VOLUME, CLASS = "v1 PersistentVolumeClaim", "v1 PersistentVolume", "storage.k8s.io/v1 StorageClass"
SHOWN = (CLAIM, "v1 Event")


def claim(stage: Stage, name: str = "data", *, size: str = "1Gi", **spec: Any) -> dict[str, Any]:
    """Return a claim of the scenario's class."""
    resources = {"requests": {"storage": size}}
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": resources, "storageClassName": stage.namespace, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}


def volume(stage: Stage, name: str, *, size: str = "1Gi", **spec: Any) -> dict[str, Any]:
    """Return a volume of the scenario's class."""
    wanted = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": size},
        "storageClassName": stage.namespace,
        "csi": {"driver": "example.com", "volumeHandle": name},
        **spec,
    }
    metadata = {"name": f"{stage.namespace}-{name}", "namespace": ""}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": wanted}


def storage_class(stage: Stage, **more: Any) -> dict[str, Any]:
    """Return the scenario's class."""
    metadata = {"name": stage.namespace, "namespace": ""}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata, **more}


async def in_phase(stage: Stage, name: str, phase: str) -> None:
    """Wait until a volume is in a phase."""
    await stage.until(VOLUME, f"{stage.namespace}-{name}", lambda found: found["status"]["phase"] == phase)


async def bound(stage: Stage, name: str = "data") -> None:
    """Wait until a claim is bound."""
    await stage.until(CLAIM, name, lambda found: found["status"]["phase"] == "Bound")


@scenario(shows=SHOWN)
async def nothing_there(stage: Stage) -> None:
    """Neither a volume nor a class: it waits, and says so."""
    await stage.create(claim(stage, storageClassName=""))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def an_unknown_class(stage: Stage) -> None:
    """It is told which."""
    await stage.create(claim(stage))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def the_smallest_that_suits(stage: Stage) -> None:
    """Of three volumes, one too small and one too large."""
    await stage.create(volume(stage, "a", size="1Gi"), volume(stage, "b", size="5Gi"), volume(stage, "c", size="3Gi"))
    for name in ("a", "b", "c"):
        await in_phase(stage, name, "Available")
    await stage.create(claim(stage, size="2Gi"))
    await bound(stage)
    await in_phase(stage, "c", "Bound")


@scenario(shows=SHOWN)
async def a_volume_that_comes_later(stage: Stage) -> None:
    """The claim waits for it."""
    await stage.create(storage_class(stage, provisioner="kubernetes.io/no-provisioner"))
    await stage.create(claim(stage))
    await stage.until_listed("v1 Event", lambda all_: all_)
    await stage.create(volume(stage, "late"))
    await bound(stage)


@scenario(shows=SHOWN)
async def a_volume_by_name(stage: Stage) -> None:
    """The author of the claim chose it."""
    await stage.create(volume(stage, "a"), volume(stage, "b", size="9Gi"))
    await in_phase(stage, "b", "Available")
    await stage.create(claim(stage, volumeName=f"{stage.namespace}-b"))
    await bound(stage)


@scenario(shows=SHOWN)
async def a_volume_that_does_not_suit(stage: Stage) -> None:
    """Chosen by name, and too small."""
    await stage.create(volume(stage, "a"))
    await in_phase(stage, "a", "Available")
    await stage.create(claim(stage, size="2Gi", volumeName=f"{stage.namespace}-a"))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def a_claim_by_name(stage: Stage) -> None:
    """The author of the volume chose the claim; others wait."""
    reference = {"namespace": stage.namespace, "name": "data"}
    await stage.create(volume(stage, "a", claimRef=reference))
    await in_phase(stage, "a", "Available")
    await stage.create(claim(stage, "other"), claim(stage))
    await bound(stage)
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def by_labels_and_modes(stage: Stage) -> None:
    """A selector, a mode of access and a mode of volume."""
    labelled = volume(stage, "fast", accessModes=["ReadWriteOnce", "ReadOnlyMany"])
    labelled["metadata"]["labels"] = {"disk": "fast"}
    await stage.create(labelled, volume(stage, "plain"), volume(stage, "raw", volumeMode="Block"))
    for name in ("fast", "plain", "raw"):
        await in_phase(stage, name, "Available")
    await stage.create(claim(stage, "raw", volumeMode="Block"))
    await stage.create(claim(stage, "fast", selector={"matchLabels": {"disk": "fast"}}))
    await stage.create(claim(stage, "plain"))
    for name in ("raw", "fast", "plain"):
        await bound(stage, name)


@scenario(shows=SHOWN)
async def a_claim_that_goes(stage: Stage) -> None:
    """Its volume is released, and no other claim gets it."""
    await stage.create(volume(stage, "a"))
    await in_phase(stage, "a", "Available")
    await stage.create(claim(stage))
    await bound(stage)
    await stage.delete(CLAIM, "data")
    await stage.gone(CLAIM, "data")
    await in_phase(stage, "a", "Released")
    await stage.create(claim(stage, "next"))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def a_volume_that_goes(stage: Stage) -> None:
    """Someone took the finalizer off it: its claim is lost."""
    await stage.create(volume(stage, "a"))
    await in_phase(stage, "a", "Available")
    await stage.create(claim(stage))
    await bound(stage)
    await stage.delete(VOLUME, f"{stage.namespace}-a")
    await stage.client.patch(
        core_v1.PersistentVolume(metadata=kv.ObjectMeta(name=f"{stage.namespace}-a")),
        kv.RawPatch(MERGE_PATCH, b'{"metadata": {"finalizers": null}}'),
    )
    await stage.until(CLAIM, "data", lambda found: found["status"]["phase"] == "Lost")


@scenario(shows=SHOWN)
async def waits_for_a_pod(stage: Stage) -> None:
    """A class that binds when a pod needs it."""
    made = storage_class(stage, provisioner="example.com/none", volumeBindingMode="WaitForFirstConsumer")
    await stage.create(made, volume(stage, "a"))
    await in_phase(stage, "a", "Available")
    await stage.create(claim(stage))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def asks_a_provisioner(stage: Stage) -> None:
    """One that is not there: the claim says for whom it waits."""
    await stage.create(storage_class(stage, provisioner="example.com/none"))
    await stage.create(claim(stage))
    await stage.until_listed("v1 Event", lambda all_: all_)


@scenario(shows=SHOWN)
async def is_provided(stage: Stage) -> None:
    """By the simulated storage."""
    await stage.create(storage_class(stage, provisioner="simulated.konverge.dev"))
    await stage.create(claim(stage))
    await bound(stage)
