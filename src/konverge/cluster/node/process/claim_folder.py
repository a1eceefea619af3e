"""Where a claim's data is: the path that its volume names, else a folder of the node's own while the claim is there.

A claim need not be bound for that: the node has the one disk there is, whatever its size or class.
"""

from __future__ import annotations

from pathlib import Path

from konverge.models import core_v1


def claim_folder(claim: core_v1.PersistentVolumeClaim, volume: core_v1.PersistentVolume | None, own: Path) -> Path:
    """Return where a claim's data is; `own` is the node's folder of claims."""
    spec = volume.spec if volume is not None else core_v1.PersistentVolumeSpec()
    if spec.host_path is not None:
        return Path(spec.host_path.path)
    if spec.local is not None:
        return Path(spec.local.path)
    return own / (claim.metadata.uid or "")


def claims_of(pod: core_v1.Pod) -> list[str]:
    """Return the claims that a pod's volumes name."""
    volumes = pod.spec.volumes or ()
    return [each.persistent_volume_claim.claim_name for each in volumes if each.persistent_volume_claim]
