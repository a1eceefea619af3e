from __future__ import annotations

import pytest

from konverge.api.form import form_of, form_of_object, metadata_only, typed, unstructured
from konverge.api.kind import GroupVersionKind
from konverge.api.object import Object
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.errors import RequestError
from konverge.models import apps_v1, core_v1

DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")


def test_a_class_is_a_form() -> None:
    """It stands for its kind, and its resource is known without discovery."""
    form = form_of(apps_v1.Deployment)
    assert form == typed(apps_v1.Deployment)
    assert (form.gvk, form.resource, form.metadata_only) == (DEPLOYMENT, apps_v1.Deployment.__resource__, False)
    assert form_of(form) is form


def test_unstructured_needs_discovery() -> None:
    """The kind is known, the resource is not."""
    form = unstructured("apps/v1", "Deployment")
    assert (form.cls, form.gvk, form.resource) == (Unstructured, DEPLOYMENT, None)


def test_metadata_only_of_a_class_and_of_a_form() -> None:
    """It keeps the resource where it is known."""
    form = metadata_only(apps_v1.Deployment)
    assert (form.cls, form.gvk, form.resource) == (PartialObjectMetadata, DEPLOYMENT, apps_v1.Deployment.__resource__)
    assert form.metadata_only
    assert metadata_only(unstructured("apps/v1", "Deployment")).resource is None


def test_the_form_of_an_object() -> None:
    """A typed object has that of its class, the others that of the kind they say they are."""
    assert form_of_object(core_v1.Pod()) == typed(core_v1.Pod)
    assert form_of_object(Unstructured(api_version="apps/v1", kind="Deployment")).gvk == DEPLOYMENT
    assert form_of_object(PartialObjectMetadata(api_version="apps/v1", kind="Deployment")).gvk == DEPLOYMENT


@pytest.mark.parametrize("cls", [Unstructured, PartialObjectMetadata, Object])
def test_a_class_without_a_kind_is_refused(cls: type[Object]) -> None:
    """The message says how to name one."""
    with pytest.raises(RequestError, match=rf"{cls.__name__} stands for no kind.*unstructured\("):
        form_of(cls)
