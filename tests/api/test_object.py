from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from konverge.api.meta import LAST_APPLIED, ObjectMeta
from konverge.api.model import NULL
from konverge.api.object import (
    Object,
    become,
    changes,
    has_changes,
    mark_extracted,
    origin_of,
    read,
    reader,
    replace,
    write,
)
from konverge.api.unstructured import Unstructured
from konverge.errors import DecodeError, RequestError
from konverge.models import apps_v1, core_v1

STORED = b"""{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","future":1.10},
"spec":{"containers":[{"name":"app","image":"a","future":true}],"future":[1e3]},"future":{}}"""

COPIES: list[Callable[[core_v1.Pod], core_v1.Pod]] = [
    copy.copy,
    copy.deepcopy,
    replace,
    lambda pod: pickle.loads(pickle.dumps(pod)),
    lambda pod: pod.__replace__(),
]


def test_an_untouched_object_goes_out_as_it_came() -> None:
    """Not one byte differs, spaces included."""
    assert write(read(core_v1.Pod, STORED)) == STORED
    assert not has_changes(read(core_v1.Pod, STORED))


def test_one_change_is_all_that_changes() -> None:
    """Unknown fields stay at every level, and numbers keep their spelling."""
    pod = read(core_v1.Pod, STORED)
    assert pod.spec.containers is not None
    pod.spec.containers[0].image = "b"
    expected = STORED.replace(b'"image":"a"', b'"image":"b"').replace(b"\n", b"")
    assert json.loads(write(pod)) == json.loads(expected)
    assert b'"future":1.10' in write(pod)
    assert has_changes(pod)


@pytest.mark.parametrize("copied", COPIES)
def test_copies_keep_the_origin(copied: Callable[[core_v1.Pod], core_v1.Pod]) -> None:
    """A copy of any sort is written with the unknown fields too, also after a change."""
    pod = copied(read(core_v1.Pod, STORED))
    assert write(pod) == STORED
    pod.metadata.labels = {"a": "b"}
    assert json.loads(write(pod))["metadata"]["future"] == 1.1
    assert json.loads(write(pod))["spec"]["containers"] == [{"name": "app", "image": "a", "future": True}]


def test_a_deep_copy_is_apart() -> None:
    """Changing it leaves the object it was made from alone."""
    pod = read(core_v1.Pod, STORED)
    other = copy.deepcopy(pod)
    assert other.spec.containers is not None
    other.spec.containers[0].image = "b"
    assert not has_changes(pod)
    assert has_changes(other)


def test_replace_changes_the_copy_alone() -> None:
    """It takes attributes by name, and no others."""
    pod = read(core_v1.Pod, STORED)
    other = replace(pod, spec=core_v1.PodSpec(node_name="n"))
    assert json.loads(write(other))["spec"] == {"nodeName": "n", "future": [1000.0]}
    assert not has_changes(pod)
    with pytest.raises(TypeError, match="Pod has no attribute 'spce'"):
        replace(pod, spce=None)


def test_an_object_that_lost_its_origin_is_refused() -> None:
    """It has a uid, so it was read; sending it would drop what its type does not know."""
    pod = msgspec.structs.replace(read(core_v1.Pod, STORED))
    with pytest.raises(RequestError, match=r'Pod "shop/web" has a uid.*copy\.deepcopy'):
        write(pod)


def test_an_object_of_the_authors_making() -> None:
    """It goes out with its kind and everything that is set; an empty spec and status do not."""
    assert json.loads(write(core_v1.Pod())) == {"apiVersion": "v1", "kind": "Pod"}
    pod = core_v1.Pod(metadata=ObjectMeta(name="a"), spec=core_v1.PodSpec(host_network=False, node_name=""))
    assert json.loads(write(pod)) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"hostNetwork": False, "nodeName": ""},
    }
    assert has_changes(pod)
    pod.spec = NULL
    assert json.loads(write(pod))["spec"] is None


def test_objects_inside_an_object() -> None:
    """The claim templates of a StatefulSet have no empty status either."""
    claim = core_v1.PersistentVolumeClaim(metadata=ObjectMeta(name="data"))
    stateful_set = apps_v1.StatefulSet(spec=apps_v1.StatefulSetSpec(volume_claim_templates=[claim]))
    assert stateful_set.to_dict()["spec"] == {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}


@pytest.mark.parametrize("absent", ["", ',"status":null'])
def test_an_absent_status_reads_as_empty(absent: str) -> None:
    """It can be written to at once, and is not sent while it is empty."""
    data = f'{{"apiVersion":"v1","kind":"Pod"{absent}}}'.encode()
    pod = read(core_v1.Pod, data)
    assert write(pod) == data
    pod.status.phase = "Running"
    assert json.loads(write(pod))["status"] == {"phase": "Running"}


def test_an_origin_without_a_kind_gets_one() -> None:
    """The items of a built-in list do not say what they are; a body has to."""
    pod = read(core_v1.Pod, b'{"metadata":{"name":"a"},"future":1.10}')
    assert not has_changes(pod)
    assert write(pod) == b'{"apiVersion":"v1","future":1.10,"kind":"Pod","metadata":{"name":"a"}}'


def test_setting_what_is_there_is_no_change() -> None:
    """Null over null, the same value again, and an equal struct change nothing."""
    pod = read(core_v1.Pod, b'{"apiVersion":"v1","kind":"Pod","spec":{"nodeName":null,"priority":1}}')
    pod.spec.node_name = NULL
    pod.spec.priority = 1
    assert not has_changes(pod)
    pod.spec = core_v1.PodSpec(priority=1)
    assert not has_changes(pod)


def test_a_misspelt_attribute_is_an_error() -> None:
    """It would be lost without a word; the kind belongs to the class."""
    pod = core_v1.Pod()
    with pytest.raises(AttributeError, match="Pod has no attribute 'metdata'"):
        pod.metdata = ObjectMeta()  # type: ignore[attr-defined]  # that is the point
    with pytest.raises(AttributeError, match="'kind'"):
        pod.kind = "Node"  # type: ignore[misc]  # that is the point


def test_become_takes_the_origin_over() -> None:
    """An object becomes what a write answered; one that became an author's own has no origin any more."""
    pod = core_v1.Pod(metadata=ObjectMeta(name="web"))
    become(pod, read(core_v1.Pod, STORED))
    assert write(pod) == STORED
    become(pod, core_v1.Pod())
    assert origin_of(pod) is None


def test_manifests_keep_what_the_class_does_not_know() -> None:
    """An object from a dict may be applied, unless a server has stored it."""
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"future": 1}}
    pod = core_v1.Pod.from_dict(manifest)
    assert pod.to_dict() == manifest
    origin = origin_of(pod)
    assert origin is not None
    assert origin.extracted
    stored = origin_of(core_v1.Pod.from_dict({"metadata": {"uid": "u"}}))
    assert stored is not None
    assert not stored.extracted


def test_marking_as_extracted_leaves_copies_alone() -> None:
    """The mark belongs to one object, though copies share the bytes."""
    pod = read(core_v1.Pod, STORED)
    other = copy.copy(pod)
    mark_extracted(pod)
    assert [origin.extracted for origin in (origin_of(pod), origin_of(other)) if origin] == [True, False]
    assert origin_of(mark_extracted(core_v1.Pod())) is None


def test_equality_is_of_what_shows() -> None:
    """Where an object came from does not count; it has no hash, because it changes."""
    assert read(core_v1.Pod, b'{"metadata":{"name":"a"},"future":1}') == core_v1.Pod(metadata=ObjectMeta(name="a"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(core_v1.Pod())


def test_reprs_hide_secrets() -> None:
    """Neither the values of a Secret nor the manifest that kubectl keeps of it are shown."""
    data = {
        "metadata": {"name": "s", "annotations": {LAST_APPLIED: '{"data":{"k":"aHVudGVyMg=="}}', "seen": "yes"}},
        "data": {"k": "aHVudGVyMg=="},
        "stringData": {"k": "hunter2"},
    }
    secret = core_v1.Secret.from_dict(data)
    assert "hunter2" not in repr(secret)
    assert "aHVudGVyMg" not in repr(secret)
    assert "seen" in repr(secret)
    assert "hunter2" not in repr(origin_of(secret))
    assert secret.data == {"k": b"hunter2"}


DEEP = b'{"kind":"Pod","metadata":{"name":"web"},"future":' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}"


@pytest.mark.parametrize("cls", [core_v1.Pod, Unstructured])
def test_what_is_nested_too_deeply_is_a_decode_error(cls: type[Object]) -> None:
    """A RecursionError would end the program that reads a list with one such object in it."""
    with pytest.raises(DecodeError, match="nested too deeply"):
        read(cls, DEEP)
    with pytest.raises(DecodeError, match="nested too deeply"):
        reader(cls)(DEEP)


def test_a_value_that_is_nested_too_deeply_cannot_be_encoded() -> None:
    """Nor does it come out as a RecursionError."""
    value: Any = 1
    for _ in range(20_000):
        value = {"a": value}
    with pytest.raises(DecodeError, match="nested too deeply"):
        Unstructured.from_dict({"kind": "Pod", "spec": value})


NODE = b"""{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"u","labels":{"a":"b"},"finalizers":["f"]},
"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1","memory":"1Gi"}},"args":null}],"volumes":[]}}"""


def set_empty(pod: core_v1.Pod) -> None:
    """Set what is not there to nothing, and nothing to what is empty."""
    pod.metadata.annotations = {}
    pod.metadata.owner_references = []
    pod.spec.containers[0].args = []
    pod.spec.tolerations = []
    pod.spec.volumes = None


def respell(pod: core_v1.Pod) -> None:
    """Spell the quantities in another way."""
    limits = (pod.spec.containers[0].resources or core_v1.ResourceRequirements()).limits or {}
    limits |= {"cpu": "1000m", "memory": "1024Mi"}


@pytest.mark.parametrize("change", [set_empty, respell])
def test_what_makes_no_difference_is_no_change(change: Callable[[core_v1.Pod], None]) -> None:
    """An empty list or map where there was none, and an equal quantity, would be found again after each write."""
    pod = read(core_v1.Pod, NODE)
    change(pod)
    assert not has_changes(pod)
    assert changes(pod) == {}
    assert write(pod) != NODE  # what it shows is what it sends, all the same


def test_emptying_is_a_change() -> None:
    """So is an empty struct, which means something, and a quantity that differs."""
    pod = read(core_v1.Pod, NODE)
    pod.metadata.labels = {}
    pod.metadata.finalizers = []
    pod.metadata.annotations = {}
    pod.spec.security_context = core_v1.PodSecurityContext()
    assert has_changes(pod)
    assert changes(pod) == {"metadata": {"labels": {"a": None}, "finalizers": []}, "spec": {"securityContext": {}}}
    respelt = read(core_v1.Pod, NODE)
    respelt["spec"].containers[0].resources.limits["cpu"] = "1001m"
    assert changes(respelt)["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1001m", "memory": "1Gi"}


def test_the_content_of_an_unstructured_object_is_compared_as_it_is() -> None:
    """Whether an empty object means something is for its type to know; metadata is typed here too."""
    pod = read(Unstructured, NODE)
    pod.metadata.annotations = {}
    assert not has_changes(pod)
    pod.spec.emptyDir = {}
    assert changes(pod) == {"spec": {"emptyDir": {}}}


def test_all_of_an_object_that_was_never_read_is_change() -> None:
    """There is nothing to compare it with."""
    pod = core_v1.Pod(metadata=ObjectMeta(name="a"))
    assert has_changes(pod)
    assert changes(pod) == pod.to_dict()


SECRET = b'{"metadata":{"name":"a"}, "kind":"Secret","apiVersion":"v1"}'


@pytest.mark.parametrize("reading", [read, lambda cls, data: reader(cls)(data)])
def test_an_object_of_another_kind_is_refused(reading: Callable[[type[Object], bytes], Object]) -> None:
    """Its fields would pass for those of the class, and the rest would be kept unseen."""
    with pytest.raises(DecodeError, match="this is a v1 Secret, not a v1 ConfigMap"):
        reading(core_v1.ConfigMap, SECRET)
    assert reading(core_v1.Secret, SECRET).metadata.name == "a"
    assert reading(Unstructured, SECRET).kind == "Secret"
    assert reading(core_v1.ConfigMap, b'{"metadata":{"name":"a"},"kind":null}').metadata.name == "a"


def test_a_manifest_of_another_kind_is_refused() -> None:
    """A manifest need not say its kind; if it does, it must be the class's."""
    with pytest.raises(DecodeError, match="this is a Secret, not a v1 ConfigMap"):
        core_v1.ConfigMap.from_dict({"kind": "Secret"})
    assert core_v1.ConfigMap.from_dict({"data": {"a": "b"}}).data == {"a": "b"}
