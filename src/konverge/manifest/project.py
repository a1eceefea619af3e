"""Project: an operator's manifests as files: folders for kustomize, as kubebuilder lays them out, and one install.yaml.

Names and namespaces are final in every file, so that each can be applied as it is; an overlay may still change them.
`default` is what `install.yaml` has, an author's edits included; the rest waits in comments for who wants it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from konverge.manifest import cert_manager, deployment, monitoring, rbac
from konverge.manifest.crd import crd
from konverge.manifest.layout import to_yaml
from konverge.manifest.operator import Operator, OwnKind
from konverge.manifest.sample import sample

Json = dict[str, Any]
Folder = dict[str, list[Json]]  # the manifests of each file, by its name

INSTALL = "install.yaml"
_KUSTOMIZATION = "kustomization.yaml"
_NAMESPACE = "manager/namespace.yaml"
_DEFAULT = ("crd", "rbac", "certmanager", "manager", "webhook")
_OPTIONAL = {
    "network-policy": "shuts out whoever it does not name: label the namespace of Prometheus with metrics=enabled",
    "prometheus": "needs the Prometheus operator in the cluster",
}


def project_files(operator: Operator) -> dict[str, str]:
    """Return the text of every file but `install.yaml`, by its path."""
    folders = _folders(operator)
    found = {
        f"{folder}/{name}": to_yaml(*manifests)
        for folder, files in folders.items()
        for name, manifests in files.items()
    }
    for folder, files in folders.items():
        found[f"{folder}/{_KUSTOMIZATION}"] = _kustomization(files)
    found[f"default/{_KUSTOMIZATION}"] = _default(folders)
    return found


def install_text(files: Mapping[str, str]) -> str:
    """Return all of `default` as one text, in an order in which it can be applied; `files` are texts by path."""
    names = [name for name in files if name.partition("/")[0] in _DEFAULT and not name.endswith(_KUSTOMIZATION)]
    texts = [files[name] for name in sorted(names, key=lambda name: name != _NAMESPACE)]
    return "".join(text if text.startswith("---\n") else f"---\n{text}" for text in texts)


def _folders(operator: Operator) -> dict[str, Folder]:
    all_folders = {
        "crd": {
            f"bases/{made['spec']['group']}_{made['spec']['names']['plural']}.yaml": [made] for made in crds(operator)
        },
        "rbac": _rbac(operator),
        "certmanager": _certmanager(operator),
        "manager": _manager(operator),
        "webhook": _webhook(operator),
        "network-policy": _network_policy(operator),
        "prometheus": {"monitor.yaml": [monitoring.service_monitor(operator)]} if operator.port("metrics") else {},
        "samples": {_sample_name(made): [made] for made in map(sample, operator.kinds)},
    }
    return {name: files for name, files in all_folders.items() if files}


def crds(operator: Operator) -> list[Json]:
    """Return the CustomResourceDefinition of each kind of its own."""
    return [_crd(operator, kind) for kind in operator.kinds]


def _crd(operator: Operator, kind: OwnKind) -> Json:
    conversion = _conversion(operator, kind)
    made = crd(*kind.versions, conversion=conversion)
    return made if conversion is None else _trusting(operator, made)


def _trusting(operator: Operator, made: Json) -> Json:
    """Return a manifest that names the webhooks, with word for cert-manager where it makes their certificate."""
    is_managed = operator.webhooks is not None and operator.webhooks.certificate is not None
    return cert_manager.trusting(operator, made) if is_managed else made


def _conversion(operator: Operator, kind: OwnKind) -> Json | None:
    webhooks = operator.webhooks
    if webhooks is None or (kind.stored.group, kind.stored.kind) not in webhooks.converted:
        return None
    return webhooks.conversion


def _rbac(operator: Operator) -> Folder:
    files: Folder = {"service_account.yaml": [rbac.service_account(operator)]}
    if operator.grants:
        files["role.yaml"] = rbac.roles(operator)
        files["role_binding.yaml"] = rbac.role_bindings(operator)
    if operator.lease:
        files["leader_election_role.yaml"] = [rbac.leader_election_role(operator)]
        files["leader_election_role_binding.yaml"] = [rbac.leader_election_binding(operator)]
    for kind in operator.kinds:
        for name, role in rbac.user_roles(operator, kind).items():
            files[f"{kind.stored.singular}_{name}_role.yaml"] = [role]
    return files


def _certmanager(operator: Operator) -> Folder:
    wanted = operator.webhooks.certificate if operator.webhooks is not None else None
    if wanted is None:
        return {}
    return {"certificate.yaml": [cert_manager.issuer(operator), cert_manager.certificate(operator, wanted)]}


def _manager(operator: Operator) -> Folder:
    files = {"namespace.yaml": [deployment.namespace(operator)], "manager.yaml": [deployment.deployment(operator)]}
    if operator.port("metrics"):
        files["metrics_service.yaml"] = [deployment.metrics_service(operator)]
    return files


def _webhook(operator: Operator) -> Folder:
    webhooks = operator.webhooks
    if webhooks is None:
        return {}
    files = {"service.yaml": [deployment.webhook_service(operator, webhooks)]}
    if webhooks.configurations:
        files["manifests.yaml"] = [_trusting(operator, made) for made in webhooks.configurations]
    return files


def _network_policy(operator: Operator) -> Folder:
    files: Folder = {}
    if operator.port("metrics"):
        files["allow-metrics-traffic.yaml"] = [monitoring.metrics_policy(operator)]
    if operator.port("webhook"):
        files["allow-webhook-traffic.yaml"] = [monitoring.webhook_policy(operator)]
    return files


def _sample_name(made: Json) -> str:
    group, _, version = made["apiVersion"].partition("/")
    return f"{group.partition('.')[0]}_{version}_{made['kind'].lower()}.yaml"


# --- kustomize ---


def _kustomization(files: Mapping[str, object]) -> str:
    return to_yaml({"resources": list(files)}).removeprefix("---\n")


def _default(folders: Mapping[str, Folder]) -> str:
    text = _kustomization({f"../{name}": None for name in _DEFAULT if name in folders})
    lines = [f"# - ../{name}  # {why}\n" for name, why in _OPTIONAL.items() if name in folders]
    return text + "".join(lines)
