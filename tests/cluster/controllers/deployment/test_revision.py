from __future__ import annotations

from making.workloads import deployment, replica_set

from konverge.cluster.controllers.deployment import revision

REVISION, HISTORY = revision.REVISION, revision.HISTORY


def test_the_new_one_has_the_template() -> None:
    """Of several with the same template the oldest counts; the label with the hash makes no difference."""
    young, old = replica_set("young", 1, age=1), replica_set("old", 1, age=9)
    labels = old.spec.template.metadata.labels if old.spec.template and old.spec.template.metadata else {}
    assert labels is not None
    labels["pod-template-hash"] = "abc"
    other = replica_set("other", 1, age=99, image="example.com/web:2")
    assert revision.find_new(deployment(), [young, other, old]) is old
    assert revision.find_new(deployment(image="example.com/web:3"), [young, old]) is None


def test_a_revision_that_comes_again_remembers_the_old_one() -> None:
    """Rolling back gives a ReplicaSet a new number; those it had are its history."""
    back = replica_set("back", 0, annotations={REVISION: "1"})
    revision.annotate_new(deployment(), back, 3)
    assert back.metadata.annotations == {REVISION: "3", HISTORY: "1"}
    revision.annotate_new(deployment(), back, 5)
    assert back.metadata.annotations == {REVISION: "5", HISTORY: "1,3"}


def test_a_revision_never_goes_down() -> None:
    """Where old ReplicaSets were deleted, the new one keeps its number."""
    kept = replica_set("kept", 1, annotations={REVISION: "7"})
    revision.annotate_new(deployment(), kept, 2)
    assert kept.metadata.annotations == {REVISION: "7"}


def test_history_stays_short() -> None:
    """The oldest are forgotten when the text grows too long."""
    many = ",".join(str(number) for number in range(1000, 1400))
    back = replica_set("back", 0, annotations={REVISION: "1400", HISTORY: many})
    revision.annotate_new(deployment(), back, 1500)
    history = (back.metadata.annotations or {})[HISTORY]
    assert len(history) <= 2000
    assert history.endswith("1399,1400")


def test_annotations_are_copied_but_for_our_own() -> None:
    """What users annotate is on the ReplicaSet too, and what controllers and kubectl keep is not."""
    annotated = deployment()
    annotated.metadata.annotations = {
        "cause": "more",
        REVISION: "9",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
    }
    new = revision.new_replica_set(annotated)
    revision.annotate_new(annotated, new, 1)
    assert new.metadata.annotations == {"cause": "more", REVISION: "1"}


def test_old_ones_beyond_the_limit_are_surplus_once_they_are_empty() -> None:
    """The lowest revisions go first; one that has pods stays."""
    old = [replica_set(f"r{number}", 0, age=9 - number, annotations={REVISION: str(number)}) for number in (1, 2, 3)]
    full = replica_set("r0", 1, age=99, annotations={REVISION: "0"})
    limited = deployment(revision_history_limit=1)
    assert [each.metadata.name for each in revision.surplus(limited, [full, *old])] == ["r1", "r2"]
    assert not revision.surplus(deployment(), old)


def test_going_back_takes_template_and_annotations() -> None:
    """The Deployment is as it was, without the label that is not its own."""
    now = deployment(image="example.com/web:2")
    now.metadata.annotations = {"cause": "new", revision.ROLLBACK: "0"}
    before = replica_set("before", 0, annotations={"cause": "old", REVISION: "1"})
    revision.take_template(now, before)
    assert revision.find_new(now, [before]) is before
    assert now.metadata.annotations == {"cause": "old", revision.ROLLBACK: "0"}


def test_the_last_revision_is_the_one_before() -> None:
    """Without a number a rollback means that one."""
    sets = [replica_set(f"r{number}", 0, annotations={REVISION: str(number)}) for number in (4, 9, 7)]
    assert revision.last_revision(sets) == 7
    assert revision.last_revision(sets[:1]) == 0
