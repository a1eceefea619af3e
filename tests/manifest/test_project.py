"""An operator's files: what is there depends on what it has."""

from __future__ import annotations

from typing import Any

import marker_kinds
import yaml

from konverge.api.rbac import Grant
from konverge.manifest.operator import Operator, OwnKind
from konverge.manifest.project import install_text, project_files


def operator(**given: Any) -> Operator:
    """Return an operator that has nothing but what is given."""
    return Operator(**{"name": "shop", "namespace": "shop-system", "image": "shop:1", "command": ("python",), **given})


def documents(files: dict[str, str], name: str) -> list[Any]:
    """Return the manifests of a file."""
    return list(yaml.safe_load_all(files[name]))


def test_an_operator_with_nothing_has_an_account_and_a_deployment() -> None:
    """No kinds, no ports, no election: no files for them."""
    assert sorted(project_files(operator())) == [
        "default/kustomization.yaml",
        "manager/kustomization.yaml",
        "manager/manager.yaml",
        "manager/namespace.yaml",
        "rbac/kustomization.yaml",
        "rbac/service_account.yaml",
    ]


def test_the_pod_is_as_restricted_as_can_be() -> None:
    """What Pod Security calls restricted, limits, and a name for its namespace."""
    (found,) = documents(project_files(operator()), "manager/manager.yaml")
    pod = found["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert container["resources"]["limits"] == {"cpu": "500m", "memory": "128Mi"}
    assert "livenessProbe" not in container
    assert (container["image"], container["command"]) == ("shop:1", ["python"])


def test_probes_ask_the_port_that_answers() -> None:
    """By its name."""
    (found,) = documents(project_files(operator(ports=(("health", 8081),))), "manager/manager.yaml")
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert container["ports"] == [{"name": "health", "containerPort": 8081, "protocol": "TCP"}]
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}


def test_without_an_election_two_never_run_at_once() -> None:
    """The old pod ends before the new one starts."""
    for lease, strategy in (("", {"type": "Recreate"}), ("shop", None)):
        (found,) = documents(project_files(operator(lease=lease)), "manager/manager.yaml")
        assert found["spec"].get("strategy") == strategy


def test_a_lease_may_be_elsewhere() -> None:
    """Then the role for it is there, too."""
    files = project_files(operator(lease="shop", lease_namespace="locks"))
    (role,) = documents(files, "rbac/leader_election_role.yaml")
    (binding,) = documents(files, "rbac/leader_election_role_binding.yaml")
    assert role["metadata"]["namespace"] == binding["metadata"]["namespace"] == "locks"
    assert binding["subjects"][0]["namespace"] == "shop-system"


def test_what_is_allowed_in_one_namespace_is_a_role_there() -> None:
    """Each role has its binding."""
    own = Grant(groups=("",), resources=("secrets",), verbs=("get",), namespace="vault")
    files = project_files(operator(grants=(own, Grant(groups=("",), resources=("pods",), verbs=("list",)))))
    assert [(each["kind"], each["metadata"].get("namespace")) for each in documents(files, "rbac/role.yaml")] == [
        ("ClusterRole", None),
        ("Role", "vault"),
    ]
    for each in documents(files, "rbac/role_binding.yaml"):
        assert each["kind"] == f"{each['roleRef']['kind']}Binding"


def test_users_of_a_kind_have_three_roles_to_choose_from() -> None:
    """Admin, editor, viewer: each with what the name says, and the status to read."""
    own = OwnKind(marker_kinds.CRDS[-1])
    files = project_files(operator(kinds=(own,)))
    verbs = {}
    for name in ("admin", "editor", "viewer"):
        (role,) = documents(files, f"rbac/{own.stored.singular}_{name}_role.yaml")
        verbs[name] = [" ".join(rule["verbs"]) for rule in role["rules"]]
    assert verbs == {
        "admin": ["*", "get"],
        "editor": ["create delete get list patch update watch", "get"],
        "viewer": ["get list watch", "get"],
    }


def test_install_begins_with_the_namespace() -> None:
    """What is applied in this order finds what it needs; samples and what is optional are not in it."""
    files = project_files(operator(kinds=(OwnKind(marker_kinds.CRDS[-1]),), ports=(("metrics", 8080),)))
    kinds = [each["kind"] for each in yaml.safe_load_all(install_text(files))]
    assert kinds[:3] == ["Namespace", "CustomResourceDefinition", "ServiceAccount"]
    assert kinds[-2:] == ["Deployment", "Service"]
    assert not {"ServiceMonitor", "NetworkPolicy", "Widget"} & set(kinds)


def test_a_file_of_an_author_need_not_begin_as_ours() -> None:
    """It is one document among others all the same."""
    text = install_text({"manager/manager.yaml": "kind: A\n", "rbac/role.yaml": "---\nkind: B\n"})
    assert [each["kind"] for each in yaml.safe_load_all(text)] == ["A", "B"]
