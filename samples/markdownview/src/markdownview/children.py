"""What a MarkdownView is made of: each child as it should be. Values in, values out: nothing here speaks to a server."""

import os

import konverge as kv
from konverge.models import apps_v1, core_v1, meta_v1

from markdownview.api.v1.markdown_view import MarkdownView

NAME = "markdown-viewer"
VIEWER_IMAGE = os.environ.get("VIEWER_IMAGE", "markdown-viewer:0.1.0")
FOLDER = "/markdowns"  # where the viewer finds the files
PORT = 3000  # where it listens


def config_map_name(view: MarkdownView) -> str:
    """Return the name of the ConfigMap that holds the files."""
    return f"markdowns-{view.metadata.name}"


def viewer_name(view: MarkdownView) -> str:
    """Return the name of the Deployment and of the Service."""
    return f"viewer-{view.metadata.name}"


def labels_of(view: MarkdownView) -> dict[str, str]:
    """Return the labels of all children, by which the Service finds the pods."""
    return {
        "app.kubernetes.io/name": NAME,
        "app.kubernetes.io/instance": view.metadata.name or "",
        "app.kubernetes.io/managed-by": "markdownview",
    }


def deployment_of(view: MarkdownView) -> apps_v1.Deployment:
    """Return the Deployment of the servers: only the fields that are ours, for server-side apply."""
    labels = labels_of(view)
    pod = core_v1.PodSpec(containers=[_container(view)], volumes=[_volume(view)])
    return apps_v1.Deployment(
        metadata=_metadata(view, viewer_name(view)),
        spec=apps_v1.DeploymentSpec(
            replicas=view.spec.replicas,
            selector=meta_v1.LabelSelector(match_labels=labels),
            template=core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels=labels), spec=pod),
        ),
    )


def service_of(view: MarkdownView) -> core_v1.Service:
    """Return the Service in front of them."""
    port = core_v1.ServicePort(name="http", port=80, target_port=PORT)
    spec = core_v1.ServiceSpec(selector=labels_of(view), ports=[port])
    return core_v1.Service(metadata=_metadata(view, viewer_name(view)), spec=spec)


def _metadata(view: MarkdownView, name: str) -> kv.ObjectMeta:
    return kv.ObjectMeta(name=name, namespace=view.metadata.namespace, labels=labels_of(view))


def _container(view: MarkdownView) -> core_v1.Container:
    # The viewer reads the files at each request, so another text needs no other pod.
    healthy = core_v1.HTTPGetAction(path="/healthz", port=PORT)
    return core_v1.Container(
        name="viewer",
        image=view.spec.viewer_image or VIEWER_IMAGE,  # an object may be older than the webhook
        args=[FOLDER],
        ports=[core_v1.ContainerPort(container_port=PORT)],  # no name: in an edited list another may have it
        liveness_probe=core_v1.Probe(http_get=healthy, initial_delay_seconds=5),
        readiness_probe=core_v1.Probe(http_get=healthy, period_seconds=1),
        volume_mounts=[core_v1.VolumeMount(name="markdowns", mount_path=FOLDER)],
    )


def _volume(view: MarkdownView) -> core_v1.Volume:
    return core_v1.Volume(name="markdowns", config_map=core_v1.ConfigMapVolumeSource(name=config_map_name(view)))
