from __future__ import annotations

from typing import ClassVar

import pytest

from konverge.api.kind import GroupVersionKind, Resource
from konverge.api.object import Object, write
from konverge.api.scheme import Scheme, gvk_in, gvk_of
from konverge.api.unstructured import Unstructured
from konverge.errors import RequestError
from konverge.models import core_v1

POD = GroupVersionKind("", "v1", "Pod")


class Other(Object):
    """Another class for a kind that has one."""

    __resource__: ClassVar[Resource] = core_v1.Pod.__resource__


def test_classes_and_kinds() -> None:
    """A class is found by its kind, and the kind by the class; registering it again changes nothing."""
    scheme = Scheme([core_v1.Pod])
    assert scheme.class_of(POD) is core_v1.Pod
    assert gvk_of(core_v1.Pod) == POD
    assert scheme.register(core_v1.Pod) is core_v1.Pod
    assert scheme.class_of(GroupVersionKind("", "v1", "Node")) is None


def test_two_classes_for_one_kind_are_refused() -> None:
    """The message names the one that is there."""
    with pytest.raises(RequestError, match=r"v1 Pod has a class already, konverge\.models\.core_v1\.Pod"):
        Scheme([core_v1.Pod, Other])


def test_a_class_without_a_kind_is_refused() -> None:
    """A form that is read as any kind is not the class of one."""
    with pytest.raises(RequestError, match="Unstructured stands for no kind"):
        gvk_of(Unstructured)


def test_reading_any_kind() -> None:
    """As its class where one is known, by registration or by a search, else as Unstructured; nothing gets lost."""
    data = b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"future":1.10}'
    searching = Scheme(find=lambda gvk: core_v1.Pod if gvk == POD else None)
    for scheme, cls in ((Scheme([core_v1.Pod]), core_v1.Pod), (searching, core_v1.Pod), (Scheme(), Unstructured)):
        obj = scheme.read(data)
        assert type(obj) is cls
        assert write(obj) == data


def test_bytes_without_a_kind_are_refused() -> None:
    """The message says what is missing."""
    with pytest.raises(RequestError, match="has no kind"):
        gvk_in(b'{"apiVersion":"v1"}')
