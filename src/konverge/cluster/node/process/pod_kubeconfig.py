"""A pod's kubeconfig: how its containers reach the API server as their service account.

A process has no fixed place for a mounted token, so `KUBECONFIG` says where the files of the pod's own token volume
are. The file names them and holds no secret itself, so a renewed token needs no new kubeconfig.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from konverge.cluster.node.process.path_mapping import PathMapping

ACCOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"


def kubeconfig(server: str, namespace: str, account: Path) -> bytes:
    """Return the kubeconfig of a pod whose service account's files are in a folder."""
    value = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "pod",
        "contexts": [{"name": "pod", "context": {"cluster": "konverge", "user": "pod", "namespace": namespace}}],
        "clusters": [
            {"name": "konverge", "cluster": {"server": server, "certificate-authority": str(account / "ca.crt")}}
        ],
        "users": [{"name": "pod", "user": {"tokenFile": str(account / "token")}}],
    }
    return msgspec.json.encode(value)


def account_folder(places: PathMapping) -> Path | None:
    """Return where a container's service account lies; None if it is not mounted."""
    found = places.place(ACCOUNT_PATH)
    return None if found is None else Path(found)
