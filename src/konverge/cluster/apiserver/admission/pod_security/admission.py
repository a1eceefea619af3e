"""Judges a write by the Pod Security Standards of its namespace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.admission.pod_security.policy import PREFIX, Standard, policy_of
from konverge.cluster.apiserver.admission.pod_security.standard import violations
from konverge.cluster.apiserver.admission.pod_security.violation import Violation
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.failure import forbidden, invalid
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_PODS: Final = ("", "pods")
_NAMESPACES: Final = ("", "namespaces")
_TEMPLATES: Final = {
    ("", "replicationcontrollers"): ("spec", "template"),
    ("", "podtemplates"): ("template",),
    ("apps", "replicasets"): ("spec", "template"),
    ("apps", "deployments"): ("spec", "template"),
    ("apps", "statefulsets"): ("spec", "template"),
    ("apps", "daemonsets"): ("spec", "template"),
    ("batch", "jobs"): ("spec", "template"),
    ("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
}
RESOURCES: Final = frozenset({_PODS, _NAMESPACES, *_TEMPLATES})
_JUDGED: Final = ("", "ephemeralcontainers", "resize")  # the subresources through which a pod's containers change
_MARK: Final = PREFIX.encode()
_MOST_PODS: Final = 3000  # of a namespace that are looked at when it gets a stricter policy


def judge_pod_security(storage: Storage, call: Call, value: JsonObject, old: JsonObject | None) -> None:
    """Refuse what the namespace does not allow, and warn of what it warns of; for `RESOURCES` alone."""
    which = (call.resource.group, call.resource.plural)
    if which == _NAMESPACES:
        if not call.route.subresource:
            _judge_namespace(storage, call, value, old)
        return
    labels = _labels(storage, call.route.namespace)
    if not labels:
        return
    policy, errors = policy_of(labels)
    if which == _PODS:
        if call.route.subresource in _JUDGED and _concerns(value, old):
            _judge_pod(call, policy.enforce, policy.warn, value)
    elif not call.route.subresource and (errors or not policy.warn.allows_all):
        _warn_of_template(call, policy.warn, value, _TEMPLATES[which])


def _labels(storage: Storage, namespace: str) -> dict[str, str]:
    """Return the labels of a namespace, if any of them is about this."""
    stored = storage.newest(f"/core/namespaces/{namespace}")
    if stored is None or _MARK not in stored.value:
        return {}
    found: dict[str, str] = msgspec.json.decode(stored.value)["metadata"].get("labels") or {}
    return found


def _concerns(pod: JsonObject, old: JsonObject | None) -> bool:
    """Whether a pod is new, or has other images than before: nothing else that matters can change."""
    return old is None or _images(pod) != _images(old)


def _images(pod: JsonObject) -> list[list[Any]]:
    spec = pod.get("spec") or {}
    plain = [[each.get("image", "") for each in spec.get(part) or ()] for part in ("containers", "initContainers")]
    added = [[each["name"], each.get("image", "")] for each in spec.get("ephemeralContainers") or ()]
    return [*plain, added]


def _judge_pod(call: Call, enforce: Standard, warn: Standard, pod: JsonObject) -> None:
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    found = violations(enforce, metadata, spec)
    if found:
        name = metadata.get("name") or metadata.get("generateName") or ""
        raise forbidden("pods", "", name, f'violates PodSecurity "{enforce}": {_detail(found)}')
    _warn(call, warn, metadata, spec)


def _warn_of_template(call: Call, warn: Standard, value: JsonObject, path: tuple[str, ...]) -> None:
    template: Any = value
    for step in path:
        template = (template or {}).get(step)
    if template is not None:
        _warn(call, warn, template.get("metadata") or {}, template.get("spec") or {})


def _warn(call: Call, warn: Standard, metadata: JsonObject, spec: JsonObject) -> None:
    found = violations(warn, metadata, spec)
    if found:
        call.warnings.append(f'would violate PodSecurity "{warn}": {_detail(found)}')


def _detail(found: Sequence[Violation]) -> str:
    return ", ".join(f"{each.reason} ({each.detail})" if each.detail else each.reason for each in found)


def _judge_namespace(storage: Storage, call: Call, value: JsonObject, old: JsonObject | None) -> None:
    """Refuse labels that cannot be read, and warn of pods that a stricter policy would not let in."""
    name = value["metadata"]["name"]
    policy, errors = policy_of(value["metadata"].get("labels") or {})
    before, old_errors = policy_of(((old or {}).get("metadata") or {}).get("labels") or {})
    if errors and errors != old_errors:
        raise invalid("Namespace", "", name, errors)
    enforce = policy.enforce
    is_relaxed = enforce.minor == before.enforce.minor and not before.enforce < enforce
    if old is None or enforce == before.enforce or enforce.allows_all or is_relaxed:
        return
    call.warnings.extend(_warnings_of_pods(storage, name, enforce))


def _warnings_of_pods(storage: Storage, namespace: str, enforce: Standard) -> Iterator[str]:
    pods = _pods(storage, namespace)
    looked_at = pods[:_MOST_PODS]
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for pod in looked_at:
        found = violations(enforce, pod["metadata"], pod.get("spec") or {})
        if found:
            reasons = ", ".join(each.reason for each in found)
            counts[reasons] += 1
            first[reasons] = min(first.get(reasons, pod["metadata"]["name"]), pod["metadata"]["name"])
    if len(looked_at) < len(pods):
        which = f"the first {len(looked_at)} of {len(pods)} existing pods"
        yield f"new PodSecurity enforce level only checked against {which}"
    if counts:
        yield f'existing pods in namespace "{namespace}" violate the new PodSecurity enforce level "{enforce}"'
    yield from sorted(f"{first[reasons]}{_others(count)}: {reasons}" for reasons, count in counts.items())


def _others(count: int) -> str:
    if count == 1:
        return ""
    return " (and 1 other pod)" if count == 2 else f" (and {count - 1} other pods)"  # noqa: PLR2004 - as English has it


def _pods(storage: Storage, namespace: str) -> list[JsonObject]:
    """Return the pods of a namespace, one of each controller first: those of one controller are mostly alike."""
    pods: list[JsonObject] = [
        msgspec.json.decode(each.value) for each in storage.range(f"/core/pods/{namespace}/").items
    ]
    seen: set[str] = set()
    firsts: list[JsonObject] = []
    more: list[JsonObject] = []
    for pod in pods:
        owners = pod["metadata"].get("ownerReferences") or ()
        uid = next((owner["uid"] for owner in owners if owner.get("controller")), "")
        (more if uid and uid in seen else firsts).append(pod)
        seen.add(uid)
    return firsts + more
