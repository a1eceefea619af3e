"""How the children of a VisitorsApp look: what is set on a live one, and what is left alone."""

import konverge as kv
import pytest
from konverge.models import apps_v1, core_v1

from visitors.api.v1.visitors_app import VisitorsApp
from visitors.parts import fill_service, is_ready, parts_of


def test_the_port_on_the_nodes_stays() -> None:
    """It is the API server's choice: an update without it would ask for another one, each time."""
    app = VisitorsApp(metadata=kv.ObjectMeta(name="site", namespace="default", uid="1"))
    [database, *_] = parts_of(app)
    service = core_v1.Service(metadata=kv.ObjectMeta(name="site-database", namespace="default"))
    service.spec.ports = [core_v1.ServicePort(port=1, node_port=30007)]
    fill_service(app, database, service)
    [port] = service.spec.ports
    assert (port.port, port.node_port) == (3306, 30007)


@pytest.mark.parametrize(
    ("seen", "pods", "updated", "available", "ready"),
    [
        (2, 2, 2, 2, True),
        (1, 2, 2, 2, False),  # its controller has not seen the last template yet
        (2, 3, 1, 2, False),  # those that are available have the image before
        (2, 2, 2, 1, False),
        (2, None, None, None, False),
    ],
)
def test_ready_is_what_all_pods_of_the_last_template_are(
    *, seen: int, pods: int | None, updated: int | None, available: int | None, ready: bool
) -> None:
    """Not just that there are enough of them."""
    deployment = apps_v1.Deployment(metadata=kv.ObjectMeta(name="site-backend", generation=2))
    deployment.spec.replicas, deployment.status.observed_generation = 2, seen
    deployment.status.replicas, deployment.status.updated_replicas = pods, updated
    deployment.status.available_replicas = available
    assert is_ready(deployment) == ready
