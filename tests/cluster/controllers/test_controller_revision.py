from __future__ import annotations

from konverge import ObjectMeta
from konverge.cluster.controllers.controller_revision import (
    data_of,
    go_json,
    hash_of,
    next_number,
    surplus,
    template_in,
)
from konverge.models import apps_v1, core_v1

DATA = {"spec": {"template": {"$patch": "replace", "metadata": {"labels": {"a": "<&>\u2028é"}}, "spec": {}}}}


def revision(name: str, number: int) -> apps_v1.ControllerRevision:
    """A revision without data."""
    return apps_v1.ControllerRevision(metadata=ObjectMeta(name=name), revision=number)


def test_the_data_is_written_as_go_writes_it() -> None:
    """Sorted, without blanks, and safe in HTML."""
    label = '{"labels":{"a":"\\u003c\\u0026\\u003e\\u2028é"}}'
    written = f'{{"spec":{{"template":{{"$patch":"replace","metadata":{label},"spec":{{}}}}}}}}'
    assert go_json(DATA) == written.encode()


def test_the_hash_is_that_of_a_real_cluster() -> None:
    """Made by a Go program: hash/fnv New32 over the bytes of the data and the count, through SafeEncodeString."""
    assert hash_of(DATA, 0) == "6f4bbfff76"
    assert hash_of(DATA, 1) == "6f4bbfff77"


def test_a_template_comes_back_as_it_was() -> None:
    """From the object into a revision and out of it."""
    container = core_v1.Container(name="main", image="example.com/db:1")
    template = core_v1.PodTemplateSpec(
        metadata=ObjectMeta(labels={"app": "db"}), spec=core_v1.PodSpec(containers=[container])
    )
    owner = apps_v1.StatefulSet(spec=apps_v1.StatefulSetSpec(template=template))
    assert template_in(apps_v1.ControllerRevision(data=data_of(owner), revision=1)) == template


def test_the_oldest_that_nobody_uses_go() -> None:
    """Those in use are neither counted nor deleted."""
    all_ = [revision("a", 1), revision("b", 2), revision("c", 3), revision("d", 4)]
    assert [each.metadata.name for each in surplus(all_, 1, live=["a", "d"])] == ["b"]
    assert surplus(all_, 9, live=[]) == []
    assert (next_number(all_), next_number([])) == (5, 1)
