from __future__ import annotations

import pytest
from making.workloads import NOW, pod, replica_set

from konverge import OwnerReference
from konverge.cluster.controllers.claim import Verdict, verdict

OURS = OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="web", uid="web", controller=True)
OTHERS = OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="web", uid="other", controller=True)


@pytest.mark.parametrize(
    ("reference", "matches", "owner_goes", "pod_goes", "expected"),
    [
        (OURS, True, False, False, Verdict.KEEP),
        (OURS, True, True, True, Verdict.KEEP),
        (OURS, False, False, False, Verdict.RELEASE),
        (OURS, False, True, False, Verdict.LEAVE),
        (OTHERS, True, False, False, Verdict.LEAVE),
        (None, True, False, False, Verdict.ADOPT),
        (None, True, True, False, Verdict.LEAVE),
        (None, True, False, True, Verdict.LEAVE),
        (None, False, False, False, Verdict.LEAVE),
    ],
)
def test_an_owner_takes_what_it_selects_and_nobody_has(
    reference: OwnerReference | None, matches: bool, owner_goes: bool, pod_goes: bool, expected: Verdict
) -> None:
    """And lets go of what it no longer selects, unless it is on its way out itself."""
    owner, candidate = replica_set("web", 1), pod("a")
    candidate.metadata.owner_references = [reference] if reference else None
    owner.metadata.deletion_timestamp = NOW if owner_goes else None
    candidate.metadata.deletion_timestamp = NOW if pod_goes else None
    assert verdict(owner, candidate, matches=matches) is expected
