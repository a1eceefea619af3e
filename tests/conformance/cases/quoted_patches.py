"""Patches that make no object of their kind: the refusal quotes what they made, in the order of Go's types."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, SERVICES, config_map
from cases.widget_objects import complete_deployment

case = Cases("quoted patch")
JOBS: Final = "/apis/batch/v1/namespaces/{ns}/cronjobs"
SERVICE: Final[dict[str, Any]] = {
    "metadata": {"name": "a", "labels": {"b": "1", "a": "2"}},
    "spec": {"clusterIP": "None", "ports": [{"port": 80, "name": "web"}], "selector": {"z": "1", "a": "2"}},
}


@case("of a deployment, merged")
def _(s: Script) -> None:
    s.post(DEPLOYMENTS, complete_deployment("d"))
    path = f"{DEPLOYMENTS}/d"
    s.patch(path, {"spec": {"replicas": "x"}})
    s.patch(path, {"spec": {"replicas": "x", "strategy": {"type": None, "new": {"z": 1, "a": None}}}})
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "x", "image": 1}]}}}})
    s.patch(path, {"metadata": {"labels": {"z": "1", "a": 2}}})
    s.patch(path, {"spec": "x"})
    s.patch(path, {"status": {"replicas": "x"}})
    s.patch(path, {"more": 1, "spec": {"replicas": "x"}}, fieldValidation="Strict")


@case("of a deployment, by operations")
def _(s: Script) -> None:
    s.post(DEPLOYMENTS, complete_deployment("d"))
    path = f"{DEPLOYMENTS}/d"
    first = "/spec/template/spec/containers/0"
    for operations in (
        [{"op": "replace", "path": "/spec/replicas", "value": "x"}],
        [{"op": "add", "path": f"{first}/command", "value": "x"}],
        [{"op": "add", "path": f"{first}/command", "value": {"z": 1, "a": {"y": 1, "b": 2}}}],
        [{"op": "remove", "path": f"{first}/image"}, {"op": "add", "path": f"{first}/ports", "value": 1}],
        [{"op": "copy", "from": "/spec/template/spec", "path": "/spec/replicas"}],
        [
            {"op": "test", "path": "/spec/template/metadata", "value": {"labels": {"a": "b"}}},
            {"op": "replace", "path": "/metadata/name", "value": 1},
        ],
        [{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": 1}]}],
    ):
        s.patch(path, operations, kind="json")


@case("of other kinds")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", data={"z": "1", "a": "2"}))
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"b": 1}})
    s.patch(f"{CONFIG_MAPS}/a", {"immutable": "x"})
    s.patch(f"{CONFIG_MAPS}/a", [{"op": "add", "path": "/immutable", "value": "x"}], kind="json")
    s.post(SERVICES, SERVICE)
    s.patch(f"{SERVICES}/a", {"spec": {"type": 1}})
    s.patch(f"{SERVICES}/a", [{"op": "add", "path": "/spec/ports/0/port", "value": "x"}], kind="json")
    template = complete_deployment("d")["spec"]["template"]
    template["spec"]["restartPolicy"] = "Never"
    job = {
        "metadata": {"name": "a"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
    }
    s.post(JOBS, job)
    s.patch(f"{JOBS}/a", {"spec": {"suspend": "x"}})
    s.patch(f"{JOBS}/a", [{"op": "add", "path": "/spec/jobTemplate/spec/completions", "value": "x"}], kind="json")
