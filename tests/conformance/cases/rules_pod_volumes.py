"""Rules of a pod's volumes of all sources, of vendors and retired ones too, and of what is made of their names."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import POD

case = Cases("pod-volumes")
PATH: Final = "/api/v1/namespaces/{ns}/pods"
_CLAIM: Final = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def _pod(volumes: list[dict[str, Any]], name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {**POD, "volumes": volumes}}


def _volumes(s: Script, source: str, *given: dict[str, Any]) -> None:
    """Send a pod with a volume for each, on trial."""
    for each in given:
        s.post(PATH, _pod([{"name": "v", source: each}]), dryRun="All")


@case("disks of vendors")
def _(s: Script) -> None:
    _volumes(s, "gcePersistentDisk", {}, {"pdName": "d"}, {"pdName": "d", "partition": 256}, {"partition": -1})
    _volumes(s, "awsElasticBlockStore", {}, {"volumeID": "d"}, {"volumeID": "d", "partition": 256})
    _volumes(s, "cinder", {}, {"volumeID": "d"}, {"volumeID": "d", "secretRef": {}})
    _volumes(s, "vsphereVolume", {}, {"volumePath": "p"})
    _volumes(s, "photonPersistentDisk", {}, {"pdID": "p"})
    _volumes(s, "portworxVolume", {}, {"volumeID": "p"})


@case("disks of one cloud")
def _(s: Script) -> None:
    managed = {"diskName": "d", "kind": "Managed"}
    _volumes(
        s,
        "azureDisk",
        {},
        {"diskName": "d", "diskURI": "https://d"},
        {"diskName": "d", "diskURI": "http://d", "kind": "Dedicated"},
        {"diskName": "d", "diskURI": "https://d", "cachingMode": "x"},
        {"diskName": "d", "diskURI": "https://d", "kind": "x"},
        {**managed, "diskURI": "https://d"},
        {**managed, "diskURI": "/subscriptions/d"},
    )
    _volumes(s, "azureFile", {}, {"secretName": "s"}, {"secretName": "s", "shareName": "n"})


@case("networks of disks")
def _(s: Script) -> None:
    _volumes(
        s,
        "fc",
        {},
        {"wwids": ["w"]},
        {"targetWWNs": ["t"]},
        {"targetWWNs": ["t", "u"], "wwids": ["w"], "lun": 1},
        {"targetWWNs": ["t"], "lun": 256},
        {"targetWWNs": ["t"], "lun": 0},
    )
    long = {"targetPortal": "p" * 70, "iqn": "iqn.2015-02.example.com:test", "lun": 0}
    _volumes(s, "iscsi", long, {**long, "initiatorName": "iqn.2015-02.example.com:init"})
    _volumes(s, "rbd", {}, {"monitors": []}, {"monitors": ["m"], "image": "i"})
    _volumes(s, "cephfs", {}, {"monitors": ["m"]})


@case("retired sources")
def _(s: Script) -> None:
    _volumes(s, "gitRepo", {}, {"repository": "r"}, {"repository": "r", "directory": "../d"}, {"directory": "/d"})
    _volumes(s, "glusterfs", {}, {"endpoints": "e", "path": "p"})
    _volumes(s, "flocker", {}, {"datasetName": "a/b"}, {"datasetName": "a", "datasetUUID": "u"}, {"datasetUUID": "u"})
    _volumes(s, "scaleIO", {}, {"gateway": "g", "system": "s", "volumeName": "v", "secretRef": {}})
    _volumes(
        s,
        "storageos",
        {},
        {"volumeName": "A_"},
        {"volumeName": "a", "volumeNamespace": "B_", "secretRef": {}},
        {"volumeName": "a", "volumeNamespace": "b", "secretRef": {"name": "s"}},
    )
    _volumes(
        s,
        "flexVolume",
        {},
        {"driver": "d", "options": {"x.kubernetes.io/y": "z"}},
        {"driver": "d", "options": {"K8s.io": "z"}},
        {"driver": "d", "options": {"akubernetes.io": "z"}},
    )


@case("registries")
def _(s: Script) -> None:
    names = ("h:1", "h", "h:1,i", "[::1]:1", "::1", "[::1]", "[:1", ":", "a[b:1", "[a]b:1", "", "h:1,,i:2")
    _volumes(s, "quobyte", {}, *({"registry": name, "volume": "v"} for name in names))
    _volumes(s, "quobyte", {"registry": "h", "tenant": "t" * 65, "volume": "v"}, {"registry": "h:1"})


@case("images")
def _(s: Script) -> None:
    _volumes(s, "image", {}, {"reference": "r"}, {"reference": "r:1", "pullPolicy": "x"}, {"pullPolicy": "Never"})
    template = {"metadata": {}, "spec": {**POD, "volumes": [{"name": "v", "image": {}}]}}
    templates = "/api/v1/namespaces/{ns}/podtemplates"
    s.post(templates, {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a"}, "template": template})


@case("claims that a pod makes")
def _(s: Script) -> None:
    own = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM}}}
    s.post(PATH, _pod([own, {"name": "w", "persistentVolumeClaim": {"claimName": "a-v"}}]), dryRun="All")
    s.post(PATH, _pod([own, {"name": "w", "persistentVolumeClaim": {"claimName": "b-v"}}]), dryRun="All")
    s.post(PATH, _pod([own], name="a" * 252), dryRun="All")
    for metadata in (
        {"name": "n"},
        {"labels": {"a": "b"}, "annotations": {"c": "d"}},
        {"labels": {"a b": "-"}, "annotations": {"c d": "d"}},
        {"namespace": "n", "generateName": "g", "finalizers": ["a/b"], "uid": "u", "resourceVersion": "1"},
        {"creationTimestamp": None},
        {"creationTimestamp": "2020-01-01T00:00:00Z", "generation": 1, "deletionGracePeriodSeconds": 0},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "n", "uid": "u"}]},
    ):
        _volumes(s, "ephemeral", {"volumeClaimTemplate": {"metadata": metadata, "spec": _CLAIM}})
    _volumes(s, "ephemeral", {"volumeClaimTemplate": {"metadata": {"name": "n"}, "spec": {}}})


@case("several sources")
def _(s: Script) -> None:
    s.post(PATH, _pod([{"name": "v", "image": {}, "cephfs": {}, "downwardAPI": {}, "gcePersistentDisk": {}}]))
    s.post(PATH, _pod([{"name": "v", "ephemeral": {}, "emptyDir": {}}, {"name": "v", "iscsi": {}, "nfs": {}}]))


@case("projections whose features are off")
def _(s: Script) -> None:
    sources = [
        {"clusterTrustBundle": {"name": "n", "path": "p"}},
        {"podCertificate": {"signerName": "a.b/c", "keyType": "x"}},
    ]
    _volumes(s, "projected", {"sources": sources})
