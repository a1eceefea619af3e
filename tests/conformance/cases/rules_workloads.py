"""Rules between the fields of workloads: one fault per request, and a few with several, where the order is fixed."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import LABELS, POD, SELECTOR, TEMPLATE

case = Cases("workload-rules")
APPS: Final = "/apis/apps/v1/namespaces/{ns}"
BATCH: Final = "/apis/batch/v1/namespaces/{ns}"
_GOOD: Final[dict[str, Any]] = {"selector": SELECTOR, "template": TEMPLATE}
_ENDING: Final[dict[str, Any]] = {"spec": {**POD, "restartPolicy": "Never"}}
_JOB: Final[dict[str, Any]] = {"template": _ENDING}
_CRON: Final[dict[str, Any]] = {"schedule": "* * * * *", "jobTemplate": {"spec": _JOB}}
_SELECTORS: Final[tuple[dict[str, Any], ...]] = (
    {"template": TEMPLATE},
    {"selector": SELECTOR},
    {**_GOOD, "selector": {}},
    {**_GOOD, "selector": {"matchLabels": {"app": "other"}}},
    {**_GOOD, "selector": {"matchLabels": {"a b": "c"}}},
    {**_GOOD, "selector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}},
    {**_GOOD, "selector": {"matchLabels": LABELS, "matchExpressions": [{"key": "app", "operator": "x"}]}},
    {**_GOOD, "template": {"spec": POD}},
    {**_GOOD, "template": {"metadata": {"labels": {**LABELS, "a b": "c"}}, "spec": POD}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS, "annotations": {"a b": "c"}}, "spec": POD}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS}}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS}, "spec": {**POD, "restartPolicy": "Never"}}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS}, "spec": {**POD, "restartPolicy": "x"}}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS}, "spec": {**POD, "activeDeadlineSeconds": 1}}},
    {**_GOOD, "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "A", "image": "i"}]}}},
)


def _specs(s: Script, path: str, kind: str, *specs: dict[str, Any]) -> None:
    version = "batch/v1" if path.startswith(BATCH) else "apps/v1"
    for spec in specs:
        s.post(path, {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": spec})


def _statuses(s: Script, path: str, *statuses: dict[str, Any]) -> None:
    for status in statuses:
        s.patch(f"{path}/a/status", {"status": status})


@case("deployments")
def _(s: Script) -> None:
    strategies: tuple[dict[str, Any], ...] = (
        {"type": "x"},
        {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},
        {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
        {"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "0%"}},
        {"rollingUpdate": {"maxSurge": -1}},
        {"rollingUpdate": {"maxSurge": "x"}},
        {"rollingUpdate": {"maxUnavailable": "101%"}},
        {"type": "x", "rollingUpdate": {"maxSurge": "5%", "maxUnavailable": 2}},
    )
    path = f"{APPS}/deployments"
    _specs(s, path, "Deployment", *_SELECTORS, *({**_GOOD, "strategy": each} for each in strategies))
    _specs(
        s,
        path,
        "Deployment",
        {**_GOOD, "replicas": -1},
        {**_GOOD, "minReadySeconds": -1},
        {**_GOOD, "revisionHistoryLimit": -1},
        {**_GOOD, "progressDeadlineSeconds": 10, "minReadySeconds": 10},
        {**_GOOD, "progressDeadlineSeconds": -1},
        {"replicas": -1, "selector": {}, "template": {}, "strategy": {"type": "x"}, "minReadySeconds": -1},
    )


@case("changes of deployments")
def _(s: Script) -> None:
    path = f"{APPS}/deployments"
    _specs(s, path, "Deployment", _GOOD)
    other = {"app": "other"}
    s.patch(f"{path}/a", {"spec": {"selector": {"matchLabels": other}}})
    s.patch(f"{path}/a", {"spec": {"template": {"metadata": {"labels": other}}}})
    changed = {"selector": {"matchLabels": other}, "template": {"metadata": {"labels": other}}}
    s.patch(f"{path}/a", {"spec": changed})
    s.patch(f"{path}/a", {"spec": {"replicas": -1}})
    s.patch(f"{path}/a/scale", {"spec": {"replicas": -1}})
    _statuses(
        s,
        path,
        {"replicas": -1},
        {"replicas": 1, "readyReplicas": 2},
        {"replicas": 2, "readyReplicas": 1, "availableReplicas": 2},
        {"replicas": 1, "updatedReplicas": 2},
        {"replicas": 2, "readyReplicas": 2, "availableReplicas": 1, "collisionCount": 2},
        {"collisionCount": 1},
    )


@case("replica sets")
def _(s: Script) -> None:
    path = f"{APPS}/replicasets"
    _specs(s, path, "ReplicaSet", *_SELECTORS, {**_GOOD, "replicas": -1, "minReadySeconds": -1}, _GOOD)
    s.patch(f"{path}/a", {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}})
    _statuses(s, path, {"replicas": 1, "fullyLabeledReplicas": 2}, {"replicas": 1, "availableReplicas": 1})


@case("the status of replication controllers")
def _(s: Script) -> None:
    path = "/api/v1/namespaces/{ns}/replicationcontrollers"
    spec = {"selector": {"app": "a"}, "template": _GOOD["template"]}
    s.post(path, {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a"}, "spec": spec})
    _statuses(
        s,
        path,
        {"replicas": 1, "fullyLabeledReplicas": 2},
        {"replicas": 1, "availableReplicas": 1},
        {"replicas": -1, "observedGeneration": -1},
        {"replicas": 0, "observedGeneration": 7},
    )


@case("stateful sets")
def _(s: Script) -> None:
    strategies: tuple[dict[str, Any], ...] = (
        {"type": "x"},
        {"type": "OnDelete", "rollingUpdate": {"partition": 1}},
        {"rollingUpdate": {"partition": -1}},
    )
    path = f"{APPS}/statefulsets"
    _specs(s, path, "StatefulSet", *_SELECTORS, *({**_GOOD, "updateStrategy": each} for each in strategies))
    _specs(
        s,
        path,
        "StatefulSet",
        {**_GOOD, "podManagementPolicy": "x"},
        {**_GOOD, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "x"}},
        {**_GOOD, "replicas": -1, "minReadySeconds": -1, "ordinals": {"start": -1}},
        {**_GOOD, "serviceName": "A"},
        {**_GOOD, "volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": {}}]},
    )


@case("changes of stateful sets")
def _(s: Script) -> None:
    path = f"{APPS}/statefulsets"
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    mounting = {"containers": [{**POD["containers"][0], "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]}
    template = {"metadata": {"labels": LABELS}, "spec": mounting}
    _specs(s, path, "StatefulSet", {**_GOOD, "template": template})
    _specs(s, path, "StatefulSet", {**_GOOD, "template": template, "volumeClaimTemplates": [claim]})
    s.patch(f"{path}/a", {"spec": {"serviceName": "b"}})
    s.patch(f"{path}/a", {"spec": {"podManagementPolicy": "Parallel"}})
    s.patch(f"{path}/a", {"spec": {"volumeClaimTemplates": None}})
    s.patch(f"{path}/a", {"spec": {"replicas": 3, "minReadySeconds": 2}})
    _statuses(s, path, {"replicas": 1, "currentReplicas": 2}, {"replicas": 1, "availableReplicas": 1})


@case("daemon sets")
def _(s: Script) -> None:
    strategies: tuple[dict[str, Any], ...] = (
        {"type": "x"},
        {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
        {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
        {"rollingUpdate": {"maxUnavailable": "101%"}},
    )
    path = f"{APPS}/daemonsets"
    _specs(s, path, "DaemonSet", *_SELECTORS, *({**_GOOD, "updateStrategy": each} for each in strategies))
    _specs(s, path, "DaemonSet", {**_GOOD, "minReadySeconds": -1, "revisionHistoryLimit": -1}, _GOOD)
    s.patch(f"{path}/a", {"spec": {"selector": {"matchLabels": {"app": "other"}}}})
    _statuses(s, path, {"numberReady": -1, "currentNumberScheduled": 1})


@case("jobs")
def _(s: Script) -> None:
    indexed = {**_JOB, "completionMode": "Indexed", "completions": 3}
    _specs(
        s,
        f"{BATCH}/jobs",
        "Job",
        {},
        {"template": {"spec": POD}},
        {"template": {"spec": {**POD, "restartPolicy": "x"}}},
        {**_JOB, "parallelism": -1, "completions": -1, "activeDeadlineSeconds": -1, "backoffLimit": -1},
        {**_JOB, "ttlSecondsAfterFinished": -1},
        {**_JOB, "completionMode": "x"},
        {**_JOB, "completionMode": "Indexed"},
        {**_JOB, "backoffLimitPerIndex": 1},
        {**indexed, "maxFailedIndexes": 1},
        {**indexed, "backoffLimitPerIndex": 1, "maxFailedIndexes": 4},
        {**indexed, "parallelism": 100001},
        {**_JOB, "podReplacementPolicy": "x"},
        {**_JOB, "managedBy": "x"},
        {**_JOB, "selector": SELECTOR},
        {**_JOB, "manualSelector": True},
        {**_JOB, "manualSelector": True, "selector": SELECTOR},
        {**indexed, "successPolicy": {"rules": []}},
        {**indexed, "successPolicy": {"rules": [{}]}},
        {**indexed, "successPolicy": {"rules": [{"succeededCount": 4}]}},
        {**indexed, "successPolicy": {"rules": [{"succeededIndexes": "0-2-3"}]}},
        {**indexed, "successPolicy": {"rules": [{"succeededIndexes": "2,1"}]}},
        {**indexed, "successPolicy": {"rules": [{"succeededIndexes": "5"}]}},
        {**indexed, "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 3}]}},
    )


@case("failure policies of jobs")
def _(s: Script) -> None:
    codes = {"operator": "In", "values": [1]}
    rules: tuple[dict[str, Any], ...] = (
        {"action": "x", "onExitCodes": codes},
        {"action": "FailIndex", "onExitCodes": codes},
        {"action": "FailJob"},
        {"action": "FailJob", "onExitCodes": codes, "onPodConditions": [{"type": "a", "status": "True"}]},
        {"action": "FailJob", "onExitCodes": {**codes, "operator": "x"}},
        {"action": "FailJob", "onExitCodes": {**codes, "values": [0]}},
        {"action": "FailJob", "onExitCodes": {**codes, "values": [2, 1, 1]}},
        {"action": "FailJob", "onExitCodes": {**codes, "containerName": "x"}},
        {"action": "FailJob", "onPodConditions": [{"type": "a b", "status": "x"}]},
    )
    _specs(s, f"{BATCH}/jobs", "Job", *({**_JOB, "podFailurePolicy": {"rules": [rule]}} for rule in rules))
    policy = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
    restarting = {"spec": {**POD, "restartPolicy": "OnFailure"}}
    _specs(s, f"{BATCH}/jobs", "Job", {"template": restarting, "podFailurePolicy": policy})


@case("changes of jobs")
def _(s: Script) -> None:
    path = f"{BATCH}/jobs"
    _specs(s, path, "Job", {**_JOB, "completions": 2})
    s.patch(f"{path}/a", {"spec": {"completions": 3}})
    s.patch(f"{path}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{path}/a", {"spec": {"completionMode": "Indexed"}})
    s.patch(f"{path}/a", {"spec": {"managedBy": "example.com/x"}})
    s.patch(f"{path}/a", {"spec": {"selector": {"matchLabels": {"app": "x"}}}})
    s.patch(f"{path}/a", {"spec": {"parallelism": 5, "backoffLimit": 1, "suspend": True}})
    s.patch(f"{path}/a", {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}})
    _statuses(s, path, {"active": -1}, {"active": 1, "ready": 2}, {"failed": 2, "succeeded": 1}, {"failed": 1})


@case("jobs that had no generated labels")
def _(s: Script) -> None:
    path = f"{BATCH}/jobs"
    template = {**_ENDING, "metadata": {"labels": LABELS}}
    _specs(s, path, "Job", {"manualSelector": True, "selector": SELECTOR, "template": template})
    s.patch(f"{path}/a", {"spec": {"manualSelector": False}})


@case("changes of jobs that are shown")
def _(s: Script) -> None:
    path = f"{BATCH}/jobs"
    codes = {"operator": "In", "values": [1, 2], "containerName": "a"}
    policy = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
    success = {"rules": [{"succeededIndexes": "1"}, {"succeededCount": 1}]}
    _specs(s, path, "Job", {**_JOB, "successPolicy": success})
    indexed = {"completionMode": "Indexed", "completions": 3}
    _specs(s, path, "Job", {**_JOB, **indexed, "podFailurePolicy": policy, "successPolicy": success})
    other = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "A", "status": "True"}]}]}
    s.patch(f"{path}/a", {"spec": {"podFailurePolicy": other, "successPolicy": {"rules": [{"succeededCount": 2}]}}})
    s.patch(f"{path}/a", {"spec": {"podFailurePolicy": None, "successPolicy": None}})
    s.patch(f"{path}/a", {"spec": {"template": {"spec": {"hostNetwork": True}, "metadata": {"labels": {"z": "a"}}}}})
    s.patch(f"{path}/a", {"spec": {"suspend": True}})
    s.patch(f"{path}/a", {"spec": {"template": {"spec": {"hostNetwork": True, "nodeSelector": {"b": "c", "a": "b"}}}}})


@case("ends of jobs")
def _(s: Script) -> None:
    path = f"{BATCH}/jobs"
    _specs(s, path, "Job", _JOB)
    began, ended = "2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z"
    met = {"type": "SuccessCriteriaMet", "status": "True"}
    done, failed = {"type": "Complete", "status": "True"}, {"type": "Failed", "status": "True"}
    target = {"type": "FailureTarget", "status": "True"}
    _statuses(
        s,
        path,
        {"conditions": [done]},
        {"conditions": [failed]},
        {"conditions": [met, done], "startTime": began},
        {"conditions": [met, target]},
        {"completionTime": ended},
        {"conditions": [met, done], "startTime": began, "completionTime": ended, "active": 1},
        {"conditions": [met, done], "startTime": began, "completionTime": ended},
        {"conditions": [met]},
    )


@case("cron jobs")
def _(s: Script) -> None:
    schedules = (
        "",
        "x",
        "* * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "1-2-3 * * * *",
    )
    more = ("1/2/3 * * * *", "* * * foo *", "@x", "@every x", "TZ=UTC * * * * *", "-1 * * * *", "* * * jan-dec mon")
    path = f"{BATCH}/cronjobs"
    _specs(s, path, "CronJob", *({**_CRON, "schedule": each} for each in (*schedules, *more)))
    s.delete(f"{path}/a")
    _specs(
        s,
        path,
        "CronJob",
        {**_CRON, "timeZone": ""},
        {**_CRON, "timeZone": "Local"},
        {**_CRON, "timeZone": "Nowhere/Land"},
        {**_CRON, "timeZone": "../x"},
        {**_CRON, "timeZone": "europe-berlin"},
        {**_CRON, "concurrencyPolicy": "x"},
        {**_CRON, "startingDeadlineSeconds": -1},
        {**_CRON, "successfulJobsHistoryLimit": -1, "failedJobsHistoryLimit": -1},
        {**_CRON, "jobTemplate": {"spec": {**_JOB, "selector": SELECTOR, "manualSelector": True}}},
        {**_CRON, "jobTemplate": {"spec": {"template": {"spec": POD}}}},
        {"schedule": "* * * * *"},
    )
    named = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a" * 53}, "spec": _CRON}
    s.post(path, named)


@case("how many pods of a stateful set may be down")
def _(s: Script) -> None:
    path = f"{APPS}/statefulsets"
    set_ = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a"}}
    good = {**_GOOD, "serviceName": "s"}
    for kind, down in (("RollingUpdate", 2), ("RollingUpdate", "x"), ("OnDelete", 2), ("RollingUpdate", 0)):
        strategy = {"type": kind, "rollingUpdate": {"partition": 1, "maxUnavailable": down}}
        s.post(path, {**set_, "spec": {**good, "updateStrategy": strategy}}, dryRun="All")
    s.post(path, {**set_, "spec": good})
    s.patch(f"{path}/a", {"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 3}}}})


@case("embedded types in errors of reading")
def _(s: Script) -> None:
    path = "/api/v1/namespaces/{ns}/pods"
    container: dict[str, Any] = {"name": "a", "image": "i"}
    for spec in (
        {"volumes": [{"name": "v", "emptyDir": 5}]},
        {"containers": [{**container, "livenessProbe": {"exec": 5}}]},
        {"containers": [{**container, "envFrom": [{"secretRef": {"name": 5}}]}]},
        {"containers": [{**container, "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": 5}}}]}]},
        {"ephemeralContainers": [{"name": 5}]},
    ):
        s.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec})
    claims = [{"kind": {}, "metadata": {"name": "c"}}, {"apiVersion": 5}]
    for claim in claims:
        sets = {**_GOOD, "serviceName": "s", "volumeClaimTemplates": [claim]}
        _specs(s, f"{APPS}/statefulsets", "StatefulSet", sets)
