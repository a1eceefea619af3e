from __future__ import annotations

import pytest

from konverge import ObjectMeta
from konverge.cluster.node.process.downward import Whereabouts, field_value, resource_value
from konverge.cluster.node.process.environment import environment
from konverge.cluster.node.process.pod_sources import ConfigProblem, PodSources, references
from konverge.models import core_v1

WHERE = Whereabouts(node="n", host_ip="127.0.0.1", pod_ip="127.64.0.2", allocatable={"cpu": "4", "memory": "1Gi"})


def pod(container: dict[str, object], **spec: object) -> core_v1.Pod:
    """Return a pod of one container."""
    return core_v1.Pod.from_dict(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "web",
                "namespace": "shop",
                "uid": "1",
                "labels": {"b": "2", "a": 'x"y'},
                "annotations": {"k/n": "v"},
            },
            "spec": {"containers": [{"name": "main", "image": "x", **container}], **spec},
        }
    )


def variables(container: dict[str, object], sources: PodSources | None = None, **spec: object) -> dict[str, str]:
    """Return the environment of a pod's container."""
    made = pod(container, **spec)
    return environment(made, made.spec.containers[0], sources or PodSources(), where=WHERE, given={"POD_IP": "1"})


def test_later_ones_win_and_see_earlier_ones() -> None:
    """The pod's own come over the node's, and each may use those before it."""
    found = variables(
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)$(POD_IP)$(C)"}, {"name": "C"}]}
    )
    assert found == {"A": "1", "B": "11$(C)", "C": "", "POD_IP": "1"}


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ({"configMapKeyRef": {"name": "none", "key": "k"}}, 'configmap "none" not found'),
        ({"secretKeyRef": {"name": "none", "key": "k"}}, 'secret "none" not found'),
        ({"configMapKeyRef": {"name": "conf", "key": "k"}}, "couldn't find key k in ConfigMap shop/conf"),
        ({"fieldRef": {"fieldPath": "spec.volumes"}}, "unsupported fieldPath: spec.volumes"),
    ],
)
def test_what_is_missing_is_said_as_a_kubelet_does(source: dict[str, object], complaint: str) -> None:
    """It names the object and the key, and nothing of what is in it."""
    sources = PodSources(config_maps={"conf": core_v1.ConfigMap(metadata=ObjectMeta(name="conf"), data={"a": "1"})})
    with pytest.raises(ConfigProblem, match=complaint):
        variables({"env": [{"name": "A", "valueFrom": source}]}, sources)


def test_fields_and_resources() -> None:
    """Labels as lines, a single annotation, addresses before the status has them, resources rounded up."""
    made = pod({"resources": {"requests": {"cpu": "1500m"}}})
    assert field_value(made, "metadata.labels", WHERE) == 'a="x\\"y"\nb="2"'
    assert field_value(made, "metadata.annotations['k/n']", WHERE) == "v"
    assert field_value(made, "status.podIP", WHERE) == "127.64.0.2"
    asked = {"requests.cpu": "2", "limits.cpu": "4", "limits.memory": str(1 << 30), "requests.memory": "0"}
    for resource, value in asked.items():
        assert resource_value(made, core_v1.ResourceFieldSelector(resource=resource), "main", WHERE) == value
    in_mebi = core_v1.ResourceFieldSelector(resource="limits.memory", divisor="1Mi")
    assert resource_value(made, in_mebi, "main", WHERE) == "1024"


def test_service_links() -> None:
    """A namespace's services and the API server's, unless they are turned off; headless ones never."""

    def service(namespace: str, name: str, address: str) -> core_v1.Service:
        ports = [core_v1.ServicePort(name="http", port=80), core_v1.ServicePort(name="dns", port=53, protocol="UDP")]
        spec = core_v1.ServiceSpec(cluster_ip=address, ports=ports)
        return core_v1.Service(metadata=ObjectMeta(name=name, namespace=namespace), spec=spec)

    services = (
        service("default", "kubernetes", "10.0.0.1"),
        service("shop", "my-db", "10.0.0.2"),
        service("shop", "headless", "None"),
        service("other", "far", "10.0.0.3"),
    )
    found = variables({}, PodSources(services=services))
    assert found["MY_DB_SERVICE_HOST"] == "10.0.0.2"
    assert found["MY_DB_SERVICE_PORT_HTTP"] == "80"
    assert found["MY_DB_PORT"] == "tcp://10.0.0.2:80"
    assert found["MY_DB_PORT_53_UDP_PROTO"] == "udp"
    assert found["KUBERNETES_SERVICE_HOST"] == "10.0.0.1"
    assert not any(name.startswith(("HEADLESS", "FAR")) for name in found)
    off = variables({}, PodSources(services=services), enableServiceLinks=False)
    assert "KUBERNETES_SERVICE_HOST" in off
    assert "MY_DB_SERVICE_HOST" not in off


def test_references() -> None:
    """All that a pod is made from, wherever it is named."""
    made = pod(
        {
            "envFrom": [{"secretRef": {"name": "s1"}}],
            "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c1", "key": "k"}}}],
        },
        volumes=[
            {"name": "a", "secret": {"secretName": "s2"}},
            {"name": "b", "projected": {"sources": [{"configMap": {"name": "c2"}}]}},
        ],
    )
    assert references(made) == {("secret", "s1"), ("secret", "s2"), ("configmap", "c1"), ("configmap", "c2")}
