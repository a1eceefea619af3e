"""Parts: what a VisitorsApp is made of, in the order in which it is made, and how the objects of a part look. Pure."""

from dataclasses import dataclass, field

import konverge as kv
from konverge.models import apps_v1, core_v1, meta_v1

from visitors.api.v1.visitors_app import Step, VisitorsApp

MAIN = "main"  # the container of a part


@dataclass(frozen=True)
class Part:
    """A Deployment and its Service, both called `<app>-<name>`."""

    name: str
    step: Step  # what the status says while this part is waited for
    image: str
    port: int
    replicas: int = 1
    environment: dict[str, str] = field(default_factory=dict)

    def name_of(self, app: VisitorsApp) -> str:
        """Return the name of its objects: the same each time, so that there can be one of each."""
        return f"{app.metadata.name}-{self.name}"


def parts_of(app: VisitorsApp) -> list[Part]:
    """Return the parts; each needs those before it to be ready."""
    # The image starts with a root password only; nobody has to know this one.
    database = Part("database", "Database", "mysql:8.4", 3306, environment={"MYSQL_RANDOM_ROOT_PASSWORD": "yes"})
    backend = Part(
        "backend",
        "Backend",
        app.spec.backend_image,
        8000,
        replicas=app.spec.size,
        environment={"MYSQL_SERVICE_HOST": database.name_of(app)},
    )
    frontend = Part(
        "frontend",
        "Frontend",
        app.spec.frontend_image,
        3000,
        environment={"REACT_APP_TITLE": app.spec.title, "BACKEND_HOST": backend.name_of(app)},
    )
    return [database, backend, frontend]


def fill_deployment(app: VisitorsApp, part: Part, live: apps_v1.Deployment) -> None:
    """Set what is ours on a Deployment, new or live; what the API server or others have added stays."""
    labels = labels_of(app, part)
    live.metadata.labels = {**(live.metadata.labels or {}), **labels}
    if live.spec.selector is None:  # it is new; later the selector never changes
        template = core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels=labels), spec=core_v1.PodSpec(containers=[]))
        live.spec = apps_v1.DeploymentSpec(selector=meta_v1.LabelSelector(match_labels=labels), template=template)
    live.spec.replicas = part.replicas
    container = container_of(live)
    container.image = part.image
    container.ports = [core_v1.ContainerPort(container_port=part.port, protocol="TCP")]
    container.env = [core_v1.EnvVar(name=name, value=value) for name, value in part.environment.items()] or None
    kv.set_controller_reference(app, live)


def fill_service(app: VisitorsApp, part: Part, live: core_v1.Service) -> None:
    """Set what is ours on a Service, new or live."""
    live.spec.selector = labels_of(app, part)
    port = next(iter(live.spec.ports or []), core_v1.ServicePort(port=part.port))  # a live one may have a node port
    port.port, port.protocol, port.target_port = part.port, "TCP", part.port
    live.spec.ports = [port]
    kv.set_controller_reference(app, live)


def container_of(deployment: apps_v1.Deployment) -> core_v1.Container:
    """Return the container of a part; where it is missing, put it there."""
    pod = deployment.spec.template.spec = deployment.spec.template.spec or core_v1.PodSpec(containers=[])
    found = next((each for each in pod.containers if each.name == MAIN), None)
    if found is None:
        found = core_v1.Container(name=MAIN)
        pod.containers = [*pod.containers, found]
    return found


def labels_of(app: VisitorsApp, part: Part) -> dict[str, str]:
    """Return what the pods of a part are known by."""
    return {"visitors.example.com/app": app.metadata.name or "", "visitors.example.com/part": part.name}


def is_ready(deployment: apps_v1.Deployment) -> bool:
    """Whether all pods that a Deployment should have are there, of the last template, and none of another one."""
    wanted, status = deployment.spec.replicas or 0, deployment.status
    seen = (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
    pods = (status.replicas or 0, status.updated_replicas or 0, status.available_replicas or 0)
    return seen and pods == (wanted, wanted, wanted)
