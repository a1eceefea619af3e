from __future__ import annotations

import pytest

from konverge.api.meta import ObjectMeta
from konverge.api.model import encode
from konverge.api.object import Object
from konverge.api.owner import controller_of, owner_reference
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.errors import RequestError
from konverge.models import apps_v1, core_v1

META = ObjectMeta(name="web", namespace="shop", uid="u")


@pytest.mark.parametrize(
    "owner",
    [
        apps_v1.Deployment(metadata=META),
        Unstructured(api_version="apps/v1", kind="Deployment", metadata=META),
        PartialObjectMetadata(api_version="apps/v1", kind="Deployment", metadata=META),
    ],
)
def test_a_reference_to_an_object_of_any_form(owner: Object) -> None:
    """It names the kind that the object is; flags that are not set are not sent."""
    assert encode(owner_reference(owner)) == b'{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"u"}'


def test_the_flags() -> None:
    """They are sent where they are true."""
    reference = owner_reference(apps_v1.Deployment(metadata=META), controller=True, block_owner_deletion=True)
    assert (reference.controller, reference.block_owner_deletion) == (True, True)


def test_an_owner_without_a_uid_is_refused() -> None:
    """The server would refuse it later, without saying which object was meant."""
    with pytest.raises(RequestError, match=r'Pod "shop/web" has no uid yet.*create or read it first'):
        owner_reference(core_v1.Pod(metadata=ObjectMeta(name="web", namespace="shop")))


def test_the_controller_of_an_object() -> None:
    """It is the one owner that is marked so."""
    pod = core_v1.Pod()
    assert controller_of(pod) is None
    plain = owner_reference(core_v1.ConfigMap(metadata=META))
    controller = owner_reference(apps_v1.ReplicaSet(metadata=META), controller=True)
    pod.metadata.owner_references = [plain, controller]
    assert controller_of(pod) is controller
