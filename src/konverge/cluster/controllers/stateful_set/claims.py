"""Claims: the volume claims of a pod's number, and who owns them, which decides when they go; pure.

By the retention policy a claim goes with the set (owned by the set), with the pod that scaling down removes (owned by
that pod, from when it is condemned), or never (owned by nobody). What somebody else owns is left as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import konverge as kv
from konverge.cluster.controllers.stateful_set.identity import claim_name, is_in_range, ordinal_of
from konverge.models import apps_v1, core_v1

Claims = Mapping[str, core_v1.PersistentVolumeClaim]
"""The claims there are, by their names."""


def wanted_claims(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> list[core_v1.PersistentVolumeClaim]:
    """Return the claims that a pod of the set needs, as they are created."""
    return [_claim(stateful_set, template, pod) for template in stateful_set.spec.volume_claim_templates or ()]


def _claim(
    stateful_set: apps_v1.StatefulSet, template: core_v1.PersistentVolumeClaim, pod: core_v1.Pod
) -> core_v1.PersistentVolumeClaim:
    metadata, selected = template.metadata, stateful_set.spec.selector.match_labels
    return core_v1.PersistentVolumeClaim(
        metadata=kv.ObjectMeta(
            name=claim_name(stateful_set, template, ordinal_of(pod)),
            namespace=stateful_set.metadata.namespace,
            labels={**(metadata.labels or {}), **(selected or {})} or None,
            annotations=metadata.annotations,
            finalizers=metadata.finalizers,
        ),
        spec=copy.deepcopy(template.spec),
    )


def claims_of(
    stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claims: Claims
) -> list[core_v1.PersistentVolumeClaim]:
    """Return the claims of a pod that are there."""
    templates, ordinal = stateful_set.spec.volume_claim_templates or (), ordinal_of(pod)
    names = (claim_name(stateful_set, template, ordinal) for template in templates)
    return [claims[name] for name in names if name in claims]


def goes_when_scaled(stateful_set: apps_v1.StatefulSet) -> bool:
    """Whether scaling down deletes claims."""
    policy = stateful_set.spec.persistent_volume_claim_retention_policy
    return policy is not None and policy.when_scaled == "Delete"


def goes_when_deleted(stateful_set: apps_v1.StatefulSet) -> bool:
    """Whether the claims go with the set."""
    policy = stateful_set.spec.persistent_volume_claim_retention_policy
    return policy is not None and policy.when_deleted == "Delete"


def is_stale(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claims: Claims) -> bool:
    """Whether a pod to be created must wait, because a claim of its number still goes with an earlier pod."""
    if not goes_when_scaled(stateful_set):
        return False
    return any(_earlier(claim, pod) for claim in claims_of(stateful_set, pod, claims))


def owners_differ(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> bool:
    """Whether the owners of a claim are not those that the policy asks for."""
    if _earlier(claim, stateful_set) or _earlier(claim, pod):
        return False  # what is left of an earlier one: the garbage collector will see to it
    if is_contested(stateful_set, pod, claim):
        return _owns(stateful_set, claim) or _owns(pod, claim)
    return _owners_now(stateful_set, pod, claim) != _owners_wanted(stateful_set, pod)


def is_contested(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> bool:
    """Whether another controller has the claim, so that the policy cannot hold."""
    if not goes_when_scaled(stateful_set) and not goes_when_deleted(stateful_set):
        return False
    if _earlier(claim, stateful_set) or _earlier(claim, pod):
        return True
    others = (ref for ref in claim.metadata.owner_references or () if not _is(ref, stateful_set) and not _is(ref, pod))
    return any(reference.controller for reference in others)


def set_owners(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> None:
    """Make the owners of a claim those that the policy asks for."""
    contested = is_contested(stateful_set, pod, claim)
    references = claim.metadata.owner_references or ()
    kept = [ref for ref in references if not _is(ref, stateful_set) and not _is(ref, pod)]
    if not contested:
        by_set, by_pod = _owners_wanted(stateful_set, pod)
        owners: list[kv.Object] = [*([stateful_set] if by_set else ()), *([pod] if by_pod else ())]
        kept += [kv.owner_reference(owner, controller=True, block_owner_deletion=True) for owner in owners]
    claim.metadata.owner_references = kept or None


def _owners_wanted(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> tuple[bool, bool]:
    """Whether the set is to own a claim, and whether its pod is."""
    condemned = goes_when_scaled(stateful_set) and not is_in_range(stateful_set, pod)
    return goes_when_deleted(stateful_set) and not condemned, condemned


def _owners_now(
    stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim
) -> tuple[bool, bool] | None:
    """Whether the set owns a claim, and whether its pod does; None where they do without being its controller."""
    uids = (stateful_set.metadata.uid, pod.metadata.uid)
    if any(ref.uid in uids and not ref.controller for ref in claim.metadata.owner_references or ()):
        return None
    return _owns(stateful_set, claim), _owns(pod, claim)


def _owns(owner: kv.Object, claim: core_v1.PersistentVolumeClaim) -> bool:
    return any(ref.uid == owner.metadata.uid for ref in claim.metadata.owner_references or ())


def _is(reference: kv.OwnerReference, owner: kv.Object) -> bool:
    """Whether a reference names an object, whatever its uid."""
    named = (reference.api_version, reference.kind, reference.name)
    return named == (owner.api_version, owner.kind, owner.metadata.name)


def _earlier(claim: core_v1.PersistentVolumeClaim, owner: kv.Object) -> bool:
    """Whether a claim is owned by an earlier object of this name."""
    named = next((ref for ref in claim.metadata.owner_references or () if _is(ref, owner)), None)
    return named is not None and named.uid != owner.metadata.uid
