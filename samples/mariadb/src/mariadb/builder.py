"""Builder: the children that a MariaDB wants, whole, as they are created. Pure.

Every field that `children` compares is set here, so that what is created needs no patch right after.
"""

import konverge as kv
from konverge.models import apps_v1, core_v1, meta_v1

from mariadb.api.v1.maria_db import MariaDB

PORT = 3306
CONTAINER = "mariadb"


def build_service(mariadb: MariaDB) -> core_v1.Service:
    """Return the Service by which clients find the servers."""
    port = core_v1.ServicePort(name="mysql", port=PORT, protocol="TCP", target_port=PORT)
    spec = core_v1.ServiceSpec(type=mariadb.spec.service_type, selector=_labels(mariadb), ports=[port])
    service = core_v1.Service(metadata=_metadata(mariadb), spec=spec)
    kv.set_controller_reference(mariadb, service)
    return service


def build_stateful_set(mariadb: MariaDB) -> apps_v1.StatefulSet:
    """Return the StatefulSet of the servers, each with a volume of its own that goes with it."""
    labels = _labels(mariadb)
    pod = core_v1.PodSpec(containers=[_server(mariadb)])
    spec = apps_v1.StatefulSetSpec(
        service_name=mariadb.metadata.name,
        replicas=mariadb.spec.replicas,
        selector=meta_v1.LabelSelector(match_labels=labels),
        template=core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels=labels), spec=pod),
        volume_claim_templates=[_claim(mariadb)],
        # By default claims outlive the StatefulSet. What a MariaDB made goes with it.
        persistent_volume_claim_retention_policy=apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy(
            when_deleted="Delete", when_scaled="Retain"
        ),
    )
    stateful_set = apps_v1.StatefulSet(metadata=_metadata(mariadb), spec=spec)
    kv.set_controller_reference(mariadb, stateful_set)
    return stateful_set


def _server(mariadb: MariaDB) -> core_v1.Container:
    secret = mariadb.spec.root_password
    password = core_v1.EnvVarSource(secret_key_ref=core_v1.SecretKeySelector(name=secret.name, key=secret.key))
    return core_v1.Container(
        name=CONTAINER,
        image=mariadb.spec.image,
        ports=[core_v1.ContainerPort(name="mysql", container_port=PORT, protocol="TCP")],
        env=[core_v1.EnvVar(name="MARIADB_ROOT_PASSWORD", value_from=password)],
        volume_mounts=[core_v1.VolumeMount(name="data", mount_path="/var/lib/mysql")],
    )


def _claim(mariadb: MariaDB) -> core_v1.PersistentVolumeClaim:
    wanted = core_v1.VolumeResourceRequirements(requests={"storage": mariadb.spec.storage})
    spec = core_v1.PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=wanted)
    return core_v1.PersistentVolumeClaim(metadata=kv.ObjectMeta(name="data"), spec=spec)


def _metadata(mariadb: MariaDB) -> kv.ObjectMeta:
    return kv.ObjectMeta(name=mariadb.metadata.name, namespace=mariadb.metadata.namespace, labels=_labels(mariadb))


def _labels(mariadb: MariaDB) -> dict[str, str]:
    return {"app.kubernetes.io/name": "mariadb", "app.kubernetes.io/instance": mariadb.metadata.name or ""}
