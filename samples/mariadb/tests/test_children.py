"""What is written of a child: what differs, and nothing else."""

from typing import Any

import konverge as kv
from konverge.api.object import changes
from konverge.models import apps_v1, core_v1

from mariadb.api.v1.maria_db import MariaDB, MariaDBSpec, SecretKey
from mariadb.builder import build_service, build_stateful_set
from mariadb.children import copy_service, copy_stateful_set, server_of


def shop(**spec: Any) -> MariaDB:
    """Return a MariaDB as the API server would have it."""
    made = MariaDBSpec(root_password=SecretKey(name="root"), storage="1Gi", **spec)
    return MariaDB(metadata=kv.ObjectMeta(name="shop", namespace="default", uid="1"), spec=made)


def live_service() -> core_v1.Service:
    """Return the Service of `shop()` with what the API server has filled in."""
    content = build_service(shop()).to_dict()
    content["spec"] |= {"clusterIP": "10.0.0.7", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}
    content["spec"]["ports"][0]["nodePort"] = 30007
    return core_v1.Service.from_dict(content)


def live_stateful_set() -> apps_v1.StatefulSet:
    """Return the StatefulSet of `shop()` with what the API server, and a mesh, have filled in."""
    content = build_stateful_set(shop()).to_dict()
    content["spec"]["podManagementPolicy"] = "OrderedReady"
    pod = content["spec"]["template"]["spec"]
    pod["containers"][0]["imagePullPolicy"] = "IfNotPresent"
    pod["containers"].insert(0, {"name": "mesh", "image": "mesh:1"})
    return apps_v1.StatefulSet.from_dict(content)


def test_what_is_as_it_should_be_gives_no_patch() -> None:
    """Defaults, addresses and other people's containers are no difference."""
    service, stateful_set = live_service(), live_stateful_set()
    copy_service(build_service(shop()), service)
    copy_stateful_set(build_stateful_set(shop()), stateful_set)
    assert not kv.has_changes(service)
    assert not kv.has_changes(stateful_set)


def test_a_patch_holds_only_what_changed() -> None:
    """One field that differs is one field that is sent."""
    service, stateful_set = live_service(), live_stateful_set()
    copy_service(build_service(shop(service_type="NodePort")), service)
    copy_stateful_set(build_stateful_set(shop(replicas=3)), stateful_set)
    assert changes(service) == {"spec": {"type": "NodePort"}}
    assert changes(stateful_set) == {"spec": {"replicas": 3}}


def test_a_list_is_sent_whole_with_everything_that_was_in_it() -> None:
    """A merge patch cannot name an item of a list: what others put there has to be sent along."""
    stateful_set = live_stateful_set()
    copy_stateful_set(build_stateful_set(shop(image="mariadb:12")), stateful_set)
    containers = changes(stateful_set)["spec"]["template"]["spec"]["containers"]
    assert [(each["name"], each["image"]) for each in containers] == [("mesh", "mesh:1"), ("mariadb", "mariadb:12")]
    assert containers[1]["imagePullPolicy"] == "IfNotPresent"


def test_a_container_that_is_gone_is_added_again() -> None:
    """Beside those of others, with all that is ours of it."""
    stateful_set, desired = live_stateful_set(), build_stateful_set(shop())
    assert stateful_set.spec.template.spec is not None
    del stateful_set.spec.template.spec.containers[1]
    copy_stateful_set(desired, stateful_set)
    assert [each.name for each in stateful_set.spec.template.spec.containers] == ["mesh", "mariadb"]
    assert server_of(stateful_set) == server_of(desired)
