"""Where persistent volumes come from, what may change of them, and what their status may say."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of volumes")

PATH: Final = "/api/v1/persistentvolumes"
ONE: Final = f"{PATH}/{{ns}}"
_IQN: Final = "iqn.2001-04.com.example:a"
_SOURCES: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "hostPath": ({}, {"path": "/a/../b"}, {"path": "/a", "type": "Odd"}),
    "gcePersistentDisk": ({}, {"pdName": "a", "partition": 256}, {"pdName": "a", "partition": -1}),
    "awsElasticBlockStore": ({}, {"volumeID": "a", "partition": 256}),
    "glusterfs": (
        {},
        {"endpoints": "a", "path": "b", "endpointsNamespace": ""},
        {"endpoints": "a", "path": "b", "endpointsNamespace": "A"},
    ),
    "flocker": ({}, {"datasetName": "a/b"}, {"datasetName": "a", "datasetUUID": "b"}),
    "nfs": ({}, {"server": "a", "path": "b"}),
    "rbd": ({}, {"monitors": ["a"], "image": ""}),
    "quobyte": ({}, {"registry": "a", "volume": "b"}, {"registry": "a:1", "tenant": "t" * 65, "volume": "b"}),
    "cephfs": ({}, {"monitors": []}),
    "iscsi": (
        {},
        {"targetPortal": "a", "iqn": "b", "lun": 256},
        {"targetPortal": "a", "iqn": "eui.1", "lun": 0, "chapAuthSession": True},
        {"targetPortal": "a", "iqn": _IQN, "lun": 0, "initiatorName": "c", "secretRef": {}},
        {"targetPortal": "a" * 64, "iqn": _IQN, "lun": 0, "initiatorName": _IQN},
        {"targetPortal": "a", "iqn": "naa.1", "lun": 0, "initiatorName": "naa.1"},
    ),
    "cinder": ({}, {"volumeID": "a", "secretRef": {}}, {"volumeID": "a", "secretRef": {"name": "a"}}),
    "fc": ({}, {"targetWWNs": ["a"], "wwids": ["b"]}, {"targetWWNs": ["a"], "lun": 256}),
    "flexVolume": ({}, {"driver": "a", "options": {"a.k8s.io/b": "c"}}),
    "azureFile": ({}, {"secretName": "a", "shareName": "b", "secretNamespace": ""}),
    "vsphereVolume": ({},),
    "photonPersistentDisk": ({},),
    "portworxVolume": ({},),
    "azureDisk": (
        {},
        {"diskName": "a", "diskURI": "b", "kind": "Odd", "cachingMode": "Odd"},
        {"diskName": "a", "diskURI": "b", "kind": "Managed"},
    ),
    "scaleIO": ({}, {"gateway": "a", "system": "", "volumeName": "b", "secretRef": {}}),
    "local": ({}, {"path": "a/.."}),
    "storageos": (
        {},
        {"volumeName": "A", "volumeNamespace": "B"},
        {"volumeName": "a", "secretRef": {}},
        {"volumeName": "a", "secretRef": {"name": "s"}},
    ),
    "csi": (
        {},
        {"driver": "A_", "volumeHandle": "h"},
        {"driver": "a", "volumeHandle": "h", "nodePublishSecretRef": {"name": "A", "namespace": "B"}},
        {"driver": "a", "volumeHandle": "h", "controllerExpandSecretRef": {}},
    ),
}


def _volume(*, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    kept = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    return {"metadata": {"name": "{ns}", "annotations": annotations}, "spec": {**kept, **spec}}


for kind, sources in _SOURCES.items():

    @case(f"sources of the kind {kind}")
    def _(s: Script, kind: str = kind, sources: tuple[dict[str, Any], ...] = sources) -> None:
        for source in sources:
            s.post(PATH, _volume(**{kind: source}))


@case("several sources, or none")
def _(s: Script) -> None:
    host, share = {"path": "/a"}, {"server": "a", "path": "/b"}
    s.post(PATH, _volume())
    s.post(PATH, _volume(hostPath=host, nfs={}, cephfs={}))
    s.post(PATH, _volume(hostPath=host, local={"path": "/a"}))
    s.post(PATH, _volume(nfs=share, flexVolume={}))
    s.post(PATH, _volume(local={"path": "/a"}, csi={}))


@case("sizes, policies and options")
def _(s: Script) -> None:
    host = {"path": "/a"}
    specs: tuple[dict[str, Any], ...] = (
        {"capacity": None},
        {"capacity": {"storage": "-1500m"}},
        {"capacity": {"storage": "0"}},
        {"capacity": {"cpu": "1"}},
        {"persistentVolumeReclaimPolicy": "Odd"},
        {"persistentVolumeReclaimPolicy": "Recycle", "hostPath": {"path": "//"}},
        {"persistentVolumeReclaimPolicy": "Recycle", "hostPath": {"path": "/./"}},
        {"volumeAttributesClassName": ""},
        {"volumeAttributesClassName": "gold"},
    )
    for spec in specs:
        s.post(PATH, _volume(**{"hostPath": host, **spec}))
    old = {"volume.beta.kubernetes.io/mount-options": "ro"}
    s.post(PATH, _volume(annotations=old, hostPath=host))
    s.post(PATH, _volume(annotations=old, nfs={"server": "a", "path": "/b"}))
    s.patch(ONE, {"metadata": {"labels": {"a b": "c"}}})
    s.delete(ONE)


@case("changes")
def _(s: Script) -> None:
    s.post(PATH, _volume(csi={"driver": "a", "volumeHandle": "h"}, volumeAttributesClassName="gold"))
    terms = [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
    affinity = {"required": {"nodeSelectorTerms": terms}}
    secret = {"name": "s", "namespace": "n"}
    for spec in (
        {"csi": {"volumeHandle": "other"}},
        {"csi": None, "nfs": {"server": "a", "path": "/b"}},
        {"csi": {"controllerExpandSecretRef": secret}},
        {"csi": {"controllerExpandSecretRef": {**secret, "name": "t"}}},
        {"volumeMode": "Block"},
        {"volumeAttributesClassName": None},
        {"capacity": {"storage": "-1"}},
        {"nodeAffinity": affinity},
        {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchFields": terms[0]["matchExpressions"]}]}}},
        {"nodeAffinity": None},
    ):
        s.patch(ONE, {"spec": spec})
    s.patch(ONE, {"metadata": {"labels": {"a b": "c"}}})
    s.delete(ONE)


@case("labels of nodes that have got other names")
def _(s: Script) -> None:
    def affinity(*keys: str) -> dict[str, Any]:
        wanted = [{"key": key, "operator": "In", "values": ["a"]} for key in keys]
        return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": wanted}]}}}

    old = ("failure-domain.beta.kubernetes.io/zone", "beta.kubernetes.io/os")
    s.post(PATH, _volume(hostPath={"path": "/a"}, **affinity(*old)))
    s.patch(ONE, {"spec": affinity("topology.kubernetes.io/region", old[1])})
    s.patch(ONE, {"spec": affinity("", old[1])})
    s.patch(ONE, {"spec": affinity("topology.kubernetes.io/zone", "kubernetes.io/os")})
    s.patch(ONE, {"spec": affinity(*old)})
    s.patch(ONE, {"spec": affinity("", "kubernetes.io/os")})
    s.delete(ONE)


@case("what the status says")
def _(s: Script) -> None:
    s.post(PATH, _volume(hostPath={"path": "/a"}))
    for status in ({"phase": "Odd"}, {"phase": "Bound", "lastPhaseTransitionTime": "2020-01-01T00:00:00Z"}):
        s.patch(f"{ONE}/status", {"status": status})
    s.patch(f"{ONE}/status", {"metadata": {"labels": {"a b": "c"}}})
    s.delete(ONE)
