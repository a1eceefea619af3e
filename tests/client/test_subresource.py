from __future__ import annotations

from typing import Any

import pytest

import konverge as kv
from konverge.errors import ApplyConflict, Conflict, NotFound
from konverge.models import apps_v1, authentication_v1, autoscaling_v1, core_v1, policy_v1

LABELS = {"app": "web"}


@pytest.fixture
async def widget(own: kv.Client, widgets: str) -> kv.Unstructured:
    """A Widget of one replica."""
    data = {"apiVersion": widgets, "kind": "Widget", "metadata": {"name": "w"}, "spec": {"replicas": 1}}
    return await own.create(kv.Unstructured.from_dict(data))


@pytest.fixture
async def deployment(own: kv.Client) -> apps_v1.Deployment:
    """A Deployment of two replicas."""
    pods = core_v1.PodTemplateSpec(
        metadata=kv.ObjectMeta(labels=LABELS),
        spec=core_v1.PodSpec(containers=[core_v1.Container(name="c", image="c:1")]),
    )
    spec = apps_v1.DeploymentSpec(replicas=2, selector=kv.api.meta.LabelSelector(match_labels=LABELS), template=pods)
    return await own.create(apps_v1.Deployment(metadata=kv.ObjectMeta(name="web"), spec=spec))


@pytest.fixture
async def pod(own: kv.Client) -> core_v1.Pod:
    """A Pod that nobody runs."""
    made = core_v1.Pod(
        metadata=kv.ObjectMeta(name="p", labels=LABELS),
        spec=core_v1.PodSpec(containers=[core_v1.Container(name="c", image="c:1")]),
    )
    return await own.create(made)


async def test_status_update(own: kv.Client, widget: kv.Unstructured) -> None:
    """An update of the status writes the status and nothing else; one of the object writes all but the status."""
    widget["status"] = {"phase": "Ready"}
    widget.spec.replicas = 5
    await own.status.update(widget)
    assert (widget.spec.replicas, widget.status.phase) == (1, "Ready")
    widget.spec.replicas = 5
    widget.status.phase = "Lost"
    await own.update(widget)
    assert (widget.spec.replicas, widget.status.phase) == (5, "Ready")


async def test_status_conflict(own: kv.Client, widget: kv.Unstructured) -> None:
    """The status is under the same version as the object."""
    other = await own.get(kv.unstructured(widget.api_version, "Widget"), "w")
    other["status"] = {"phase": "Ready"}
    await own.status.update(other)
    widget["status"] = {"phase": "Lost"}
    with pytest.raises(Conflict, match=r"update widgets/status\.test\.konverge\.dev"):
        await own.status.update(widget)


async def test_status_patch(own: kv.Client, widget: kv.Unstructured) -> None:
    """A patch of the status sends the changes, of which the server takes the status."""
    widget["status"] = {"phase": "Ready"}
    widget.spec.replicas = 5
    assert await own.status.patch(widget) is widget
    assert (widget.spec.replicas, widget.status.phase) == (1, "Ready")


async def test_status_apply(own: kv.Client, widget: kv.Unstructured) -> None:
    """An apply of the status owns it apart from the rest, and conflicts with the status of others."""

    def intent(phase: str) -> kv.Unstructured:
        made = kv.Unstructured(api_version=widget.api_version, kind="Widget", metadata=kv.ObjectMeta(name="w"))
        made["status"] = {"phase": phase}
        return made

    applied = await own.status.apply(intent("Ready"), field_owner="alice")
    assert (applied.status.phase, applied.spec.replicas) == ("Ready", 1)
    with pytest.raises(ApplyConflict) as error:
        await own.status.apply(intent("Lost"), field_owner="bob")
    assert [(each.field, each.manager) for each in error.value.conflicts] == [(".status.phase", "alice")]
    assert (await own.status.apply(intent("Lost"), field_owner="bob", force=True)).status.phase == "Lost"


async def test_scale(own: kv.Client, deployment: apps_v1.Deployment) -> None:
    """The scale of a workload is read as its own kind, changed and written."""
    scale = await own.subresource("scale").get(deployment, autoscaling_v1.Scale)
    assert scale.spec is not None
    assert scale.spec.replicas == 2
    scale.spec.replicas = 3
    await own.subresource("scale").update(deployment, scale)
    assert (await own.get(apps_v1.Deployment, "web")).spec.replicas == 3


@pytest.mark.parametrize("form", [None, kv.Unstructured, kv.unstructured("autoscaling/v1", "Scale")])
async def test_scale_of_any_kind(own: kv.Client, widget: kv.Unstructured, form: Any) -> None:
    """Any kind's scale can be read without a class for it."""
    scale = own.subresource("scale")
    found: Any = await (scale.get(widget) if form is None else scale.get(widget, form))
    assert (found.kind, found.spec.replicas) == ("Scale", 1)
    found.spec.replicas = 4
    await own.subresource("scale").update(widget, found)
    assert (await own.get(kv.unstructured(widget.api_version, "Widget"), "w")).spec.replicas == 4


async def test_scale_patch(own: kv.Client, deployment: apps_v1.Deployment) -> None:
    """A patch of a scale is read into the object only where that fits."""
    patch = kv.RawPatch("application/merge-patch+json", b'{"spec":{"replicas":7}}')
    answered = await own.subresource("scale").patch(deployment, patch)
    assert answered is deployment
    assert (deployment.kind, deployment.spec.template is not None) == ("Deployment", True)
    assert (await own.get(apps_v1.Deployment, "web")).spec.replicas == 7


async def test_eviction(own: kv.Client, pod: core_v1.Pod) -> None:
    """An eviction is posted, and its answer, a Status, leaves the body as it was."""
    eviction = policy_v1.Eviction(metadata=kv.ObjectMeta(name="p", namespace=pod.metadata.namespace))
    assert await own.subresource("eviction").create(pod, eviction, dry_run=True) is eviction
    assert eviction.metadata.name == "p"
    await own.subresource("eviction").create(pod, eviction)
    assert await kv.ignore_not_found(own.get(core_v1.Pod, "p")) is None


async def test_token(own: kv.Client) -> None:
    """A token is asked for through the service account, and is not shown."""
    account = await own.get(core_v1.ServiceAccount, "default")
    wanted = authentication_v1.TokenRequest(
        spec=authentication_v1.TokenRequestSpec(audiences=["test"], expiration_seconds=600)
    )
    answer = await own.subresource("token").create(account, wanted)
    assert answer is wanted
    assert wanted.status is not None
    token = wanted.status.token or ""
    assert token.count(".") == 2
    assert token not in repr(wanted)


async def test_a_subresource_that_is_not_there(own: kv.Client) -> None:
    """A kind without the subresource answers NotFound, with the subresource in the message."""
    made = await own.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a")))
    with pytest.raises(NotFound, match="update configmaps/status"):
        await own.status.update(made)


async def test_metadata_only(own: kv.Client, widget: kv.Unstructured) -> None:
    """The status of metadata alone can be patched, and stays metadata."""
    found = await own.get(kv.metadata_only(kv.unstructured(widget.api_version, "Widget")), "w")
    await own.status.patch(found, kv.RawPatch("application/merge-patch+json", b'{"status":{"phase":"Ready"}}'))
    assert found.kind == "Widget"
    assert (await own.status.get(found)).kind == "Widget"
    assert (await own.get(kv.unstructured(widget.api_version, "Widget"), "w")).status.phase == "Ready"
