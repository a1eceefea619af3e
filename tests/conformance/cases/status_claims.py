"""What may be said of claims and volumes in their status, and which claims may grow."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of claims")

CLAIMS: Final = "/api/v1/namespaces/{ns}/persistentvolumeclaims"
CLASSES: Final = "/apis/storage.k8s.io/v1/storageclasses"
ONE: Final = f"{CLAIMS}/a"
_OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


def _claimed(s: Script, *, annotations: Any = None, **spec: Any) -> None:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    s.post(CLAIMS, {"metadata": {"name": "a", "annotations": annotations}, "spec": {**asked, **spec}})


def _says(s: Script, *statuses: Any) -> None:
    for status in statuses:
        s.patch(f"{ONE}/status", {"status": status})


def _grows(s: Script, size: str = "2Gi") -> None:
    s.patch(ONE, {"spec": {"resources": {"requests": {"storage": size}}}})


@case("amounts")
def _(s: Script) -> None:
    _claimed(s)
    _says(
        s,
        {"capacity": {"storage": "-1Gi"}},
        {"capacity": {"storage": "-100m"}},
        {"capacity": {"anything at all": "1"}},
        {"capacity": None, "allocatedResources": {"storage": "-1"}},
        {"allocatedResources": {"cpu": "1"}},
        {"allocatedResources": {"not a name": "-1"}},
        {"allocatedResources": {"example.com/a": "-1"}},
        {"allocatedResources": {"example.com/a": "500m", "storage": "1"}},
    )


@case("states of growth")
def _(s: Script) -> None:
    _claimed(s)
    for name, state in (
        ("storage", "Growing"),
        ("storage", ""),
        ("cpu", "NodeResizePending"),
        ("cpu", "x"),
        ("not a name", "NodeResizePending"),
        ("requests.kubernetes.io/x", "NodeResizePending"),
        ("example.com/a", "NodeResizeInfeasible"),
        ("storage", "ControllerResizeInProgress"),
    ):
        _says(s, {"allocatedResourceStatuses": {name: state}})


@case("conditions and the class of attributes")
def _(s: Script) -> None:
    _claimed(s, volumeAttributesClassName="silver")
    _says(
        s,
        {"conditions": [{"type": "", "status": ""}]},
        {"conditions": [{"type": "Resizing", "status": "Perhaps"}]},
        {"phase": "Odd"},
        {"modifyVolumeStatus": {"status": "Odd"}},
        {"phase": "Bound", "currentVolumeAttributesClassName": "silver"},
    )
    for name in ("gold", None, ""):
        s.patch(ONE, {"spec": {"volumeAttributesClassName": name}})


@case("growth of a claim that is not bound")
def _(s: Script) -> None:
    _claimed(s)
    _grows(s, "512Mi")
    _grows(s)


@case("growth of a bound claim without a class")
def _(s: Script) -> None:
    _claimed(s, storageClassName="")
    _says(s, {"phase": "Bound"})
    _grows(s)


for allowed in (None, False, True):

    @case(f"growth of a bound claim whose class says {allowed}")
    def _(s: Script, *, allowed: bool | None = allowed) -> None:
        s.post(CLASSES, {"metadata": {"name": "{ns}"}, "provisioner": "p", "allowVolumeExpansion": allowed})
        s.until(f"{CLASSES}/{{ns}}")
        _claimed(s, storageClassName="{ns}")
        _says(s, {"phase": "Bound", "capacity": {"storage": "1Gi"}})
        s.patch(ONE, {"spec": {"resources": {"requests": {"storage": "2Gi"}}, "accessModes": ["ReadOnlyMany"]}})
        if not allowed:  # where it is, the real server knows the class some moments later
            _grows(s)
        s.delete(f"{CLASSES}/{{ns}}")


@case("growth of a bound claim whose class is not there")
def _(s: Script) -> None:
    _claimed(s, storageClassName="none")
    _says(s, {"phase": "Bound"})
    _grows(s)


@case("growth of a bound claim that names its class in the old way")
def _(s: Script) -> None:
    _claimed(s, annotations={_OLD_CLASS: "none"})
    _says(s, {"phase": "Bound"})
    _grows(s)


@case("a class that moves from the annotation to the spec")
def _(s: Script) -> None:
    _claimed(s, annotations={_OLD_CLASS: "old"})
    s.patch(ONE, {"metadata": {"annotations": {_OLD_CLASS: "new"}}})
    s.patch(ONE, {"metadata": {"annotations": {_OLD_CLASS: None}}})
    s.patch(ONE, {"spec": {"storageClassName": "new"}})
    s.patch(ONE, {"spec": {"storageClassName": "new"}, "metadata": {"annotations": {_OLD_CLASS: "new"}}})
    s.patch(ONE, {"spec": {"storageClassName": "old"}, "metadata": {"annotations": {_OLD_CLASS: "new"}}})
    s.patch(ONE, {"spec": {"storageClassName": "old"}, "metadata": {"annotations": {_OLD_CLASS: None}}})
    s.patch(ONE, {"metadata": {"annotations": {_OLD_CLASS: "old"}}})
