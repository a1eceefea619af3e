"""Accounts, the root CA, aggregated roles, quotas, Jobs' time to live, and the protection of claims."""

from __future__ import annotations

import json
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

from scenarios.garbage_collector import CM, SECRET, owned

POD, QUOTA, PVC, ROLE = (
    "v1 Pod",
    "v1 ResourceQuota",
    "v1 PersistentVolumeClaim",
    "rbac.authorization.k8s.io/v1 ClusterRole",
)
JOB = "batch/v1 Job"
Json = dict[str, Any]


@scenario(shows=("v1 ServiceAccount",))
async def an_account_that_is_deleted_comes_back(stage: Stage) -> None:
    """Under the same name."""
    first = await stage.get("v1 ServiceAccount", "default")
    await stage.delete("v1 ServiceAccount", "default")
    await stage.until_listed("v1 ServiceAccount", lambda found: found[0]["metadata"]["uid"] != first["metadata"]["uid"])


@scenario(shows=(CM,))
async def the_root_ca_is_mended(stage: Stage) -> None:
    """What is changed in it, and what is taken away."""
    name = "kube-root-ca.crt"
    await stage.until_listed(CM, lambda found: [each["metadata"]["name"] for each in found] == [name])
    await stage.patch(CM, name, {"data": {"ca.crt": "mine", "more": "x"}, "metadata": {"labels": {"mine": "yes"}}})
    await stage.until(CM, name, lambda obj: obj["data"]["ca.crt"] != "mine")
    await stage.patch(CM, name, {"metadata": {"annotations": None}})
    await stage.until(CM, name, lambda obj: obj["metadata"]["annotations"])


def _role(stage: Stage, name: str, resource: str, part: str) -> Json:
    rule = {"apiGroups": [""], "resources": [resource], "verbs": ["get"]}
    metadata = {
        "name": f"{stage.namespace}-{name}",
        "namespace": "",
        "labels": {f"{stage.namespace}.konverge.dev": part},
    }
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata, "rules": [rule]}


async def _whole(stage: Stage, *parts: str) -> None:
    label = f"{stage.namespace}.konverge.dev"
    selectors = [{"matchLabels": {label: part}} for part in parts]
    metadata = {"name": f"{stage.namespace}-whole", "namespace": ""}
    await stage.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": metadata,
            "aggregationRule": {"clusterRoleSelectors": selectors},
        }
    )


async def _note_rules(stage: Stage, count: int) -> None:
    whole = f"{stage.namespace}-whole"
    found = await stage.until(ROLE, whole, lambda obj: len(obj.get("rules") or ()) == count)
    await stage.create({**owned("seen"), "data": {"rules": json.dumps(found.get("rules"), sort_keys=True)}})


@scenario(shows=(CM,))
async def roles_are_aggregated(stage: Stage) -> None:
    """Selector by selector, role by role, each rule once."""
    await _whole(stage, "a", "b")
    await stage.create(_role(stage, "z", "pods", "a"), _role(stage, "y", "nodes", "b"), _role(stage, "x", "pods", "b"))
    await _note_rules(stage, 2)


@scenario(shows=(CM,))
async def a_role_that_goes_takes_its_rules_along(stage: Stage) -> None:
    """The aggregate loses them."""
    await _whole(stage, "a")
    await stage.create(_role(stage, "x", "pods", "a"), _role(stage, "y", "nodes", "a"))
    await stage.until(ROLE, f"{stage.namespace}-whole", lambda obj: len(obj["rules"]) == 2)
    await stage.delete(ROLE, f"{stage.namespace}-x")
    await _note_rules(stage, 1)


def _quota(name: str = "quota", **spec: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": spec}


def _pod(name: str, *, cpu: str = "100m", **spec: Any) -> Json:
    container = {
        "name": "main",
        "image": "example.com/web:1",
        "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}},
    }
    spec = {"terminationGracePeriodSeconds": 1, "containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


async def _used(stage: Stage, **used: str) -> None:
    """Wait until a quota says that so much is used; `_` stands for what a Python name cannot have."""
    await stage.until(QUOTA, "quota", lambda obj: used.items() <= obj["status"]["used"].items())


@scenario(shows=(QUOTA,))
async def a_quota_counts_what_is_there(stage: Stage) -> None:
    """Objects of several kinds, with its own name for each."""
    await stage.create(owned("a"), owned("b", kind=SECRET), _pod("p"), _pod("q", cpu="1"))
    hard = {
        "configmaps": "9",
        "secrets": "9",
        "count/deployments.apps": "5",
        "count/configmaps": "9",
        "pods": "4",
        "requests.cpu": "2",
        "requests.memory": "1Gi",
        "persistentvolumeclaims": "1",
        "services.nodeports": "1",
    }
    await stage.create(_quota(hard=hard))
    await _used(stage, pods="2")


@scenario(shows=(QUOTA,))
async def a_quota_follows_what_goes(stage: Stage) -> None:
    """And what comes."""
    await stage.create(_quota(hard={"secrets": "9", "pods": "4"}))
    await _used(stage, pods="0", secrets="0")
    await stage.create(owned("b", kind=SECRET), owned("c", kind=SECRET), _pod("p"))
    await stage.delete(SECRET, "c")
    await _used(stage, pods="1", secrets="1")
    await stage.delete(POD, "p")
    await _used(stage, pods="0", secrets="1")


@scenario(shows=(QUOTA,))
async def a_quota_that_changes_counts_anew(stage: Stage) -> None:
    """What it no longer limits is no longer said."""
    await stage.create(_pod("p"), _quota(hard={"pods": "4", "secrets": "1"}))
    await _used(stage, pods="1")
    await stage.patch(QUOTA, "quota", {"spec": {"hard": {"secrets": None, "requests.cpu": "1"}}})
    await stage.until(QUOTA, "quota", lambda obj: obj["status"]["used"].get("requests.cpu") == "100m")


@scenario(shows=(QUOTA,))
async def a_quota_of_a_scope_counts_what_is_in_it(stage: Stage) -> None:
    """Pods that end by themselves, and pods that do not."""
    await stage.create(_pod("p"), _pod("q", activeDeadlineSeconds=3600))
    await stage.create(_quota("quota", hard={"pods": "4"}, scopes=["Terminating"]))
    await stage.create(_quota("other", hard={"pods": "4", "requests.cpu": "3"}, scopes=["NotTerminating"]))
    await _used(stage, pods="1")
    await stage.until(QUOTA, "other", lambda obj: obj["status"]["used"]["pods"] == "1")


def _claim(name: str) -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


@scenario(shows=(CM,))
async def a_claim_that_nobody_uses_goes(stage: Stage) -> None:
    """Its finalizer is taken off."""
    await stage.create(_claim("free"))
    await stage.delete(PVC, "free")
    await stage.gone(PVC, "free")


@scenario(shows=(PVC, CM))
async def a_claim_that_a_pod_uses_stays(stage: Stage) -> None:
    """As long as the pod."""
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "used"}}
    await stage.create(_claim("used"), _claim("free"), _pod("p", volumes=[volume], nodeName="konverge"))
    await stage.delete(PVC, "used")
    await stage.delete(PVC, "free")
    await stage.gone(PVC, "free")
    await stage.delete(POD, "p", grace=0)
    await stage.gone(PVC, "used")


@scenario(shows=(JOB, POD))
async def a_job_goes_after_its_time(stage: Stage) -> None:
    """With its pods, and only it."""
    annotations = {"konverge.dev/simulate": '{"exitAfter": 1}'}
    spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.com/web:1"}]}
    job = {"template": {"metadata": {"annotations": annotations}, "spec": spec}, "ttlSecondsAfterFinished": 2}
    await stage.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "short"}, "spec": job})
    await stage.gone(JOB, "short")
