"""Save what a real kube-apiserver serves by default, for the embedded one to serve too.

Run by `make generate` when the Kubernetes version moves; a test runs it too, and compares. The archive holds

    served.json           the version, the groups and the resources of each group and version, as discovery shows them
    openapi.json          the documents of OpenAPI v3 by their paths: their hashes, the names of their schemas
    schemas/PACKAGE.json  the schemas of one package, by their last name: each stands once, for all documents
    paths/DOCUMENT.json   the paths of one document
    openapi-v2.json       the document of OpenAPI v2 without its definitions, which follow from the schemas
    columns.json          the columns of each built-in resource's Table
    custom.json           what the documents say of a custom resource: of a sample whose names are to be replaced
    bootstrap.json        the roles and bindings that a server makes at its first start, by their plurals
    flow_control.json     the flow schemas and priority levels that it makes, likewise
"""

from __future__ import annotations

import http.client
import io
import ssl
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from konverge.testing import RealCluster

ARCHIVE = Path(__file__).parent.parent / "src/konverge/cluster/apiserver/builtin/captured.zip"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same content


# The sample's names: each stands nowhere else in the documents, so a text can be replaced by another.
GROUP, VERSION, KIND, LIST_KIND, PLURAL = "zgroup.zdomain", "v9alpha9", "Zkind", "Zlisted", "zplurals"
CLUSTER_GROUP = "zgroup.zcluster"  # of the sample without namespaces; saved as if it were of GROUP
PUBLISHED_WITHIN = 60.0  # seconds
POLL = 0.1
RBAC = ("clusterroles", "clusterrolebindings", "roles", "rolebindings")
FLOW_CONTROL = ("prioritylevelconfigurations", "flowschemas")


def main() -> int:
    """Capture, and replace what was captured before."""
    with RealCluster() as cluster:
        files = capture(cluster)
    ARCHIVE.write_bytes(archive(files))
    print(f"wrote {len(files)} files, {ARCHIVE.stat().st_size // 1024} KB, to {ARCHIVE}")
    return 0


def capture(cluster: RealCluster) -> dict[str, Any]:
    """Return the content of each file."""
    schemas: dict[str, Any] = {}
    documents: dict[str, Any] = {}
    files: dict[str, Any] = {"served.json": _served(cluster)}
    for path, entry in cluster.call("GET", "/openapi/v3")["paths"].items():
        url = entry["serverRelativeURL"]
        document = cluster.call("GET", url)
        files[f"paths/{path.replace('/', '_')}.json"] = document["paths"]
        documents[path] = {"hash": url.partition("?hash=")[2], **_shared(document["components"], schemas)}
        documents[path] |= {name: value for name, value in document.items() if name not in ("paths", "components")}
    files["openapi.json"] = documents
    files["openapi-v2.json"] = _without_definitions(cluster.call("GET", "/openapi/v2"), schemas)
    files["served.json"]["kinds"] = _kinds(schemas)
    for name, schema in schemas.items():
        package, _, last = name.rpartition(".")
        files.setdefault(f"schemas/{package}.json", {})[last] = schema
    files["columns.json"] = _columns(cluster, files["served.json"]["resources"])
    files["custom.json"] = _custom(cluster)
    files["bootstrap.json"] = {plural: _bootstrapped(cluster, "rbac.authorization.k8s.io", plural) for plural in RBAC}
    files["flow_control.json"] = {
        plural: _bootstrapped(cluster, "flowcontrol.apiserver.k8s.io", plural) for plural in FLOW_CONTROL
    }
    return files


def _bootstrapped(cluster: RealCluster, group: str, plural: str) -> list[dict[str, Any]]:
    """Return what the server has made of a kind, without what is new in each server."""
    found: dict[str, Any] = cluster.call("GET", f"/apis/{group}/v1/{plural}")
    for item in found["items"]:
        for name in ("uid", "resourceVersion", "creationTimestamp"):
            del item["metadata"][name]
        for entry in item["metadata"]["managedFields"]:
            del entry["time"]
        for condition in (item.get("status") or {}).get("conditions") or ():
            del condition["lastTransitionTime"]
    return [
        {"kind": found["kind"].removesuffix("List"), "apiVersion": found["apiVersion"], **i} for i in found["items"]
    ]


def _columns(cluster: RealCluster, resources: dict[str, Any]) -> dict[str, Any]:
    """Ask for each list as a Table, and return the columns by `group/version/plural`."""
    found = {}
    for api_version, lines in resources.items():
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        for line in lines:
            if "list" in line["verbs"]:
                table = _table(cluster, f"{root}/{line['name']}?limit=1")
                found[f"{api_version}/{line['name']}"] = table["columnDefinitions"]
    return found


def _table(cluster: RealCluster, path: str) -> dict[str, Any]:
    tls = ssl.create_default_context(cafile=cluster.folder / "ca.crt")
    tls.load_cert_chain(cluster.folder / "admin.crt", cluster.folder / "admin.key")
    connection = http.client.HTTPSConnection(cluster.server.removeprefix("https://"), context=tls)
    try:
        connection.request("GET", path, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
        decoded: dict[str, Any] = msgspec.json.decode(connection.getresponse().read())
    finally:
        connection.close()
    return decoded


def _custom(cluster: RealCluster) -> dict[str, Any]:
    """Make two custom resources, and return what the documents say of them."""
    for group in (GROUP, CLUSTER_GROUP):
        cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _definition(group))
    _wait_for(lambda: f"apis/{CLUSTER_GROUP}/{VERSION}" in cluster.call("GET", "/openapi/v3")["paths"])
    _wait_for(lambda: _root(CLUSTER_GROUP) in cluster.call("GET", "/openapi/v2")["paths"])
    v3 = {group: cluster.call("GET", f"/openapi/v3/apis/{group}/{VERSION}") for group in (GROUP, CLUSTER_GROUP)}
    v2 = cluster.call("GET", "/openapi/v2")
    name = ".".join((*reversed(GROUP.split(".")), VERSION, ""))
    schemas = v3[GROUP]["components"]["schemas"]
    kinds = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
    return {
        "info": v3[GROUP]["info"],
        "v3": {"Namespaced": _paths(v3[GROUP], GROUP), "Cluster": _paths(v3[CLUSTER_GROUP], CLUSTER_GROUP)},
        "v2": {"Namespaced": _paths(v2, GROUP), "Cluster": _paths(v2, CLUSTER_GROUP)},
        "kinds": {kinds: schemas[kinds]["x-kubernetes-group-version-kind"]},
        "schema": schemas[name + KIND],
        "list": schemas[name + LIST_KIND],
    }


def _definition(group: str) -> dict[str, Any]:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}, "scale": scale},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"embedded": embedded}}},
    }
    names = {"plural": PLURAL, "kind": KIND, "listKind": LIST_KIND}
    scope = "Namespaced" if group == GROUP else "Cluster"
    return {
        "metadata": {"name": f"{PLURAL}.{group}"},
        "spec": {"group": group, "scope": scope, "names": names, "versions": [version]},
    }


def _root(group: str) -> str:
    return f"/apis/{group}/{VERSION}/{PLURAL}"


def _paths(document: dict[str, Any], group: str) -> dict[str, Any]:
    begin = f"/apis/{group}/{VERSION}/"
    paths = {path: item for path, item in document["paths"].items() if path.startswith(begin)}
    text = msgspec.json.encode(paths).decode().replace("zcluster", "zdomain").replace("Zcluster", "Zdomain")
    decoded: dict[str, Any] = msgspec.json.decode(text)
    return decoded


def _wait_for(is_published: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PUBLISHED_WITHIN
    while not is_published():
        if time.monotonic() > deadline:
            raise SystemExit("the sample CRDs were not published")
        time.sleep(POLL)


def _served(cluster: RealCluster) -> dict[str, Any]:
    groups = cluster.call("GET", "/apis")["groups"]
    resources = {"v1": cluster.call("GET", "/api/v1")["resources"]}
    for group in groups:
        for version in group["versions"]:
            path = version["groupVersion"]
            resources[path] = cluster.call("GET", f"/apis/{path}")["resources"]
    return {"version": cluster.call("GET", "/version"), "groups": groups, "resources": resources}


def _kinds(schemas: dict[str, Any]) -> dict[str, str]:
    """Return the name of each kind's schema; those of several groups, such as DeleteOptions, belong to none."""
    found = {}
    for name, schema in schemas.items():
        match schema.get("x-kubernetes-group-version-kind"):
            case [{"group": group, "version": version, "kind": kind}]:
                found[f"{group}/{version}/{kind}"] = name
    return found


def _shared(components: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Put a document's schemas with those of the others, and return what is its own.

    The two that list each kind that uses them have another list in each document, so a document keeps its own list.
    """
    kinds = {}
    for name, schema in components.get("schemas", {}).items():
        if schemas.setdefault(name, schema) != schema:
            kinds[name] = schema["x-kubernetes-group-version-kind"]
            if {**schemas[name], "x-kubernetes-group-version-kind": kinds[name]} != schema:
                raise SystemExit(f"{name} is not the same in all documents")
    own = {name: value for name, value in components.items() if name != "schemas"}
    return {"schemas": list(components.get("schemas", {})), "kinds": kinds, "components": own}


def _without_definitions(document: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    definitions = document.pop("definitions")
    kinds = {
        name: definition["x-kubernetes-group-version-kind"]
        for name, definition in definitions.items()
        if definition.get("x-kubernetes-group-version-kind") != schemas[name].get("x-kubernetes-group-version-kind")
    }
    return {**document, "definitions": {"names": list(definitions), "kinds": kinds}}


def archive(files: dict[str, Any]) -> bytes:
    """Return the archive, the same for the same files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in sorted(files):
            made.writestr(zipfile.ZipInfo(name, LONG_AGO), msgspec.json.encode(files[name]), zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


if __name__ == "__main__":
    sys.exit(main())
