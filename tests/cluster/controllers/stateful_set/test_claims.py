from __future__ import annotations

import pytest
from making.stateful_sets import pod, stateful_set, steps

import konverge as kv
from konverge.cluster.controllers.stateful_set.claims import is_stale, owners_differ, set_owners, wanted_claims
from konverge.models import apps_v1, core_v1

POLICY = apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy


def with_policy(scaled: str, deleted: str) -> apps_v1.StatefulSet:
    """A set of two with a claim each."""
    policy = POLICY(when_scaled=scaled, when_deleted=deleted)
    made: apps_v1.StatefulSet = stateful_set(2, claims=("data",), persistent_volume_claim_retention_policy=policy)
    return made


def owners(claim: core_v1.PersistentVolumeClaim) -> list[str]:
    """The kinds of its owners."""
    return [reference.kind for reference in claim.metadata.owner_references or ()]


@pytest.mark.parametrize(
    ("scaled", "deleted", "kept", "condemned"),
    [
        ("Retain", "Retain", [], []),
        ("Retain", "Delete", ["StatefulSet"], ["StatefulSet"]),
        ("Delete", "Retain", [], ["Pod"]),
        ("Delete", "Delete", ["StatefulSet"], ["Pod"]),
    ],
)
def test_the_policy_decides_who_owns_a_claim(scaled: str, deleted: str, kept: list[str], condemned: list[str]) -> None:
    """The set, the pod that goes, or nobody; and once it is so, nothing differs."""
    of = with_policy(scaled, deleted)
    for number, wanted in ((0, kept), (2, condemned)):
        member = pod(of, number)
        (claim,) = wanted_claims(of, member)
        assert owners_differ(of, member, claim) is bool(wanted)
        set_owners(of, member, claim)
        assert owners(claim) == wanted
        assert not owners_differ(of, member, claim)


def test_a_claim_of_another_controller_is_left_alone() -> None:
    """Ours are taken off it, and none is put on."""
    of = with_policy("Delete", "Delete")
    member = pod(of, 0)
    (claim,) = wanted_claims(of, member)
    stranger = kv.OwnerReference(api_version="v1", kind="ConfigMap", name="x", uid="x", controller=True)
    claim.metadata.owner_references = [stranger]
    assert not owners_differ(of, member, claim)
    set_owners(of, member, claim)
    assert owners(claim) == ["ConfigMap"]


def test_a_claim_that_goes_with_an_earlier_pod_is_waited_for() -> None:
    """Else the new pod would lose its volume."""
    of = with_policy("Delete", "Retain")
    new, earlier = pod(of, 1), pod(of, 1)
    earlier.metadata.uid = "earlier"
    (claim,) = wanted_claims(of, new)
    claim.metadata.owner_references = [kv.owner_reference(earlier, controller=True)]
    there = {"data-db-1": claim}
    assert is_stale(of, new, there)
    assert not is_stale(with_policy("Retain", "Retain"), new, there)
    assert steps(of, pod(of, 0), claims=there) == []


def test_a_claim_has_the_labels_of_the_template_and_of_the_selector() -> None:
    """And the name of both."""
    of = with_policy("Retain", "Retain")
    (claim,) = wanted_claims(of, pod(of, 1))
    assert (claim.metadata.name, claim.metadata.labels) == ("data-db-1", {"app": "db"})


def test_a_pending_pod_gets_the_claims_it_lacks() -> None:
    """And the owners of claims follow the policy when it changes."""
    of = with_policy("Retain", "Delete")
    assert steps(of, pod(of, 0, "pending")) == ["claims 0"]
    (claim,) = wanted_claims(of, pod(of, 0))
    assert steps(of, pod(of, 0), pod(of, 1), claims={"data-db-0": claim}) == ["correct 0"]
