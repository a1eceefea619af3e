"""Workloads: the kinds that make pods from a template."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import FULL_POD, LABELS, POD, SELECTOR, TEMPLATE, lifecycle, of_kind

case = Cases("workload")
APPS = "/apis/apps/v1/namespaces/{ns}"
BATCH = "/apis/batch/v1/namespaces/{ns}"
FULL: dict[str, Any] = {"metadata": {"labels": LABELS}, "spec": FULL_POD}
_OWNED_BY_DEADLINE = {k: v for k, v in FULL_POD.items() if k != "activeDeadlineSeconds"}
FULL_LASTING: dict[str, Any] = {"metadata": {"labels": LABELS}, "spec": _OWNED_BY_DEADLINE}
_NEVER: dict[str, Any] = {"spec": {**POD, "restartPolicy": "Never"}}


@case("deployments")
def _(s: Script) -> None:
    full = {
        "replicas": 3,
        "selector": SELECTOR,
        "template": FULL_LASTING,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}},
        "minReadySeconds": 5,
        "paused": True,
    }
    status = {"replicas": 3, "observedGeneration": 1, "conditions": [{"type": "Available", "status": "True"}]}
    minimal = of_kind("apps/v1", "Deployment", spec={"selector": SELECTOR, "template": TEMPLATE})
    change = {"spec": {"replicas": 2}}
    lifecycle(s, f"{APPS}/deployments", minimal, full={"spec": full}, status=status, change=change)


@case("deployments that are recreated")
def _(s: Script) -> None:
    spec = {"selector": SELECTOR, "template": TEMPLATE, "strategy": {"type": "Recreate"}}
    s.post(f"{APPS}/deployments", of_kind("apps/v1", "Deployment", spec=spec))
    s.patch(f"{APPS}/deployments/a", {"metadata": {"annotations": {"x": "y"}}})
    s.patch(f"{APPS}/deployments/a", {"metadata": {"labels": {"x": "y"}}})
    s.patch(f"{APPS}/deployments/a", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}})
    s.patch(f"{APPS}/deployments/a/scale", {"spec": {"replicas": 4}})
    s.get(f"{APPS}/deployments/a")


@case("deployments by apply")
def _(s: Script) -> None:
    path = f"{APPS}/deployments/a"
    spec = {"selector": SELECTOR, "template": TEMPLATE}
    s.apply(path, of_kind("apps/v1", "Deployment", spec={**spec, "replicas": 2}), manager="one")
    s.apply(path, of_kind("apps/v1", "Deployment", spec={"replicas": 3}), manager="two")
    s.apply(path, of_kind("apps/v1", "Deployment", spec={"replicas": 3}), manager="two", force=True)
    s.apply(path, of_kind("apps/v1", "Deployment", spec=spec), manager="one")
    more = {**TEMPLATE, "spec": {"containers": [*POD["containers"], {"name": "b", "image": "j"}]}}
    s.apply(path, of_kind("apps/v1", "Deployment", spec={**spec, "template": more}), manager="one")
    s.apply(path, of_kind("apps/v1", "Deployment", spec=spec), manager="one")


@case("deployments by apply with empty parts")
def _(s: Script) -> None:
    container = {**POD["containers"][0], "env": [], "ports": None, "command": [], "resources": {"limits": {}}}
    pod = {"containers": [container], "nodeSelector": {}, "tolerations": [], "hostname": "", "hostNetwork": False}
    template = {**TEMPLATE, "spec": {**pod, "terminationGracePeriodSeconds": 0}}
    made = of_kind("apps/v1", "Deployment", spec={"selector": SELECTOR, "template": template, "minReadySeconds": 0})
    s.apply(f"{APPS}/deployments/a", made)
    s.apply(f"{APPS}/deployments/a", made)
    s.post(f"{APPS}/deployments", {**made, "metadata": {"name": "b", "labels": {}, "annotations": {}}})
    s.put(f"{APPS}/deployments/b", {**made, "metadata": {"name": "b", "finalizers": []}})


@case("stateful sets")
def _(s: Script) -> None:
    claim = {
        "metadata": {"name": "v1"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    full = {
        "serviceName": "x",
        "replicas": 0,
        "selector": SELECTOR,
        "template": FULL_LASTING,
        "volumeClaimTemplates": [claim],
        "podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "OnDelete"},
        "ordinals": {"start": 1},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"},
    }
    minimal = of_kind("apps/v1", "StatefulSet", spec={"selector": SELECTOR, "template": TEMPLATE})
    status = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    lifecycle(s, f"{APPS}/statefulsets", minimal, full={"spec": full}, status=status, change={"spec": {"replicas": 2}})


@case("daemon sets")
def _(s: Script) -> None:
    full = {
        "selector": SELECTOR,
        "template": FULL_LASTING,
        "updateStrategy": {"type": "OnDelete"},
        "minReadySeconds": 1,
    }
    minimal = of_kind("apps/v1", "DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE})
    status = {"currentNumberScheduled": 1, "desiredNumberScheduled": 2, "numberMisscheduled": 0, "numberReady": 1}
    change = {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}
    lifecycle(s, f"{APPS}/daemonsets", minimal, full={"spec": full}, status=status, change=change)


@case("replica sets")
def _(s: Script) -> None:
    full = {"replicas": 0, "selector": SELECTOR, "template": FULL_LASTING, "minReadySeconds": 1}
    minimal = of_kind("apps/v1", "ReplicaSet", spec={"selector": SELECTOR, "template": TEMPLATE})
    status = {"replicas": 1, "fullyLabeledReplicas": 1}
    lifecycle(s, f"{APPS}/replicasets", minimal, full={"spec": full}, status=status, change={"spec": {"replicas": 2}})


@case("controller revisions")
def _(s: Script) -> None:
    minimal = of_kind("apps/v1", "ControllerRevision", revision=1, data={})
    path = f"{APPS}/controllerrevisions"
    s.post(path, minimal)
    made = s.post(path, {**minimal, "metadata": {"name": "b"}, "data": {"a": {"b": [1]}}, "revision": 3})
    s.put(f"{path}/b", made)
    s.get(path)
    s.delete(f"{path}/a")


@case("jobs")
def _(s: Script) -> None:
    full = {
        "parallelism": 2,
        "completions": 3,
        "completionMode": "Indexed",
        "backoffLimitPerIndex": 1,
        "ttlSecondsAfterFinished": 0,
        "suspend": True,
        "activeDeadlineSeconds": 9,
        "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {**FULL_POD, "restartPolicy": "Never"}},
    }
    minimal = of_kind("batch/v1", "Job", spec={"template": _NEVER})
    status = {"active": 1, "ready": 0}
    lifecycle(
        s,
        f"{BATCH}/jobs",
        minimal,
        full={"spec": full},
        status=status,
        change={"spec": {"parallelism": 1}},
        puts_minimal=False,
    )


@case("jobs with a selector of their own")
def _(s: Script) -> None:
    spec = {"manualSelector": True, "selector": SELECTOR, "template": {"metadata": {"labels": LABELS}, **_NEVER}}
    s.post(f"{BATCH}/jobs", of_kind("batch/v1", "Job", spec=spec))
    s.post(
        f"{BATCH}/jobs",
        of_kind("batch/v1", "Job", name="", metadata={"generateName": "gen-"}, spec={"template": _NEVER}),
    )
    s.post(f"{BATCH}/jobs", of_kind("batch/v1", "Job", name="p", spec={"template": _NEVER, "parallelism": 2}))
    s.post(f"{BATCH}/jobs", of_kind("batch/v1", "Job", name="c", spec={"template": _NEVER, "completions": 2}))


@case("cron jobs")
def _(s: Script) -> None:
    job = {"spec": {"template": _NEVER}}
    full = {
        "schedule": "*/5 * * * *",
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "startingDeadlineSeconds": 100,
        "successfulJobsHistoryLimit": 0,
        "suspend": True,
        "jobTemplate": {"metadata": {"labels": LABELS}, "spec": {"template": _NEVER, "backoffLimit": 2}},
    }
    minimal = of_kind("batch/v1", "CronJob", spec={"schedule": "0 0 * * *", "jobTemplate": job})
    status = {"lastScheduleTime": "2020-01-01T00:00:00Z"}
    lifecycle(s, f"{BATCH}/cronjobs", minimal, full={"spec": full}, status=status, change={"spec": {"suspend": False}})
