"""Three CRDs of some size: generated, imported, and a real object of each kept through a round trip."""

from __future__ import annotations

import base64
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from konverge.api.markers import ListAtomic, ListMap, ListSet, MapAtomic
from konverge.api.model import model_fields
from konverge.api.object import read, write
from konverge.cli.typed_modules import documents
from konverge.cli.typed_modules import write as write_modules
from konverge.codegen import crd
from konverge.codegen.build import build

DATA = Path(__file__).parent / "data"
PACKAGE = "generated_kinds"
OBJECTS: dict[str, dict[str, Any]] = {
    "certs_v1.Certificate": {
        "apiVersion": "certs.example.io/v1",
        "kind": "Certificate",
        "metadata": {"name": "web", "namespace": "default", "uid": "1", "unknown": [1, {"a": 1.50}]},
        "spec": {
            "secretName": "web-tls",
            "issuerRef": {"name": "ca", "kind": "ClusterIssuer", "later": True},
            "isCA": False,
            "renewBefore": None,
            "additionalOutputFormats": [{"type": "DER", "mode": "0600"}, {"type": "CombinedPEM"}],
            "allowedCIDRs": ["10.0.0.0/8"],
            "crlURLs": [],
            "keystores": {"jks": {"create": True, "password": "hunter2", "passwordSecretRef": {"name": "p"}}},
        },
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"}],
            "notAfter": "2026-04-02T03:04:05Z",
            "revision": 3,
        },
    },
    "db_v1.DatabaseCluster": {
        "apiVersion": "db.example.com/v1",
        "kind": "DatabaseCluster",
        "metadata": {"name": "pg", "namespace": "default", "uid": "2"},
        "spec": {
            "instances": 3,
            "from": "old",
            "parameters": {"max_connections": 100, "shared_buffers": "256MB"},
            "pgHBA": ["host all all 10.0.0.0/8 md5"],
            "extensions": {"postgis": {"versions": [3, "3.4"]}},
            "storage": {"size": "10Gi", "pvcTemplate": {"accessModes": ["ReadWriteOnce"], "dataSource": {"kind": "X"}}},
            "tablespaces": [{"name": "tmp", "temporary": True}, {"name": "fast", "owner": {"name": "app"}}],
            "services": [{"port": 5432, "targetPort": "pg"}, {"port": 5432, "protocol": "UDP", "targetPort": 5433}],
            "podTemplate": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "hostPID": True,
                    "containers": [
                        {
                            "name": "pg",
                            "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"key": "k"}}}],
                            "resources": {"limits": {"cpu": 2, "memory": "1.50Gi"}},
                            "lifecycle": {"preStop": {}},
                        }
                    ],
                },
            },
            "backup": {"s3": {"endpointURL": "https://s3", "caBundle": base64.b64encode(b"pem").decode()}, "ratio": 1},
        },
        "status": {"topology": {"pg-1": {"zone": "a", "ready": True, "x": 1}}, "lastValues": [1, None]},
    },
    "flow_v1alpha1.Workflow": {
        "apiVersion": "flow.example.org/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "run", "namespace": "default", "uid": "3"},
        "spec": {
            "schedule": {"int": 1, "int_": 2, "list": [3], "true": "monday"},
            "selector": [{"key": "a", "operator": "=", "values": ["b"]}],
            "arguments": {"parameters": [{"name": "n", "value": {"any": ["thing"]}, "global": True}]},
            "templates": [
                {
                    "name": "main",
                    "steps": [[{"name": "a", "withItems": [1, "x", {"k": None}]}], [{"name": "b"}, {"name": "c"}]],
                    "retryStrategy": {"limit": "3", "backoff": {"factor": 2}},
                },
                {
                    "name": "make",
                    "resource": {
                        "manifest": {"apiVersion": "v1", "kind": "Pod"},
                        "claim": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "c"}, "spec": {"more": 1}},
                    },
                },
            ],
        },
        "status": {"startedAt": None, "nodes": {"run-1": {"displayName": "a", "outputs": {"o": [1]}}}},
    },
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a package with the modules of all three files, importable."""
    folder = tmp_path_factory.mktemp("crds") / PACKAGE
    found = [
        item for file in sorted(DATA.glob("*.yaml")) for item in crd.definitions(documents(file), source=file.name)
    ]
    write_modules(folder, build(found, source="a test"), may_replace=None)
    sys.path.insert(0, str(folder.parent))
    yield folder
    sys.path.remove(str(folder.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def module(package: Path, name: str) -> ModuleType:
    """Import one of the generated modules."""
    return importlib.import_module(f"{package.name}.{name}")


def parts(kind: Any) -> Iterator[Any]:
    """Yield everything that a type is made of, markers included."""
    for part in get_args(kind):
        yield part
        yield from parts(part)


def class_of(package: Path, name: str) -> Any:
    """Return a generated class by module and name."""
    file, _, cls = name.partition(".")
    return getattr(module(package, file), cls)


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_kept_byte_for_byte(package: Path, name: str) -> None:
    """What is read and not changed goes back exactly as it came, known to the type or not."""
    data = json.dumps(OBJECTS[name]).encode()
    found = read(class_of(package, name), data)
    assert json.loads(write(found)) == OBJECTS[name]
    found.metadata.labels = {"changed": "yes"}
    expected = json.loads(data)
    expected["metadata"]["labels"] = {"changed": "yes"}
    assert json.loads(write(found)) == expected


def test_a_change_deep_inside_keeps_what_the_type_does_not_know(package: Path) -> None:
    """Items are found by their keys, defaults of the keys included, and unknown fields stay with their item."""
    found = read(class_of(package, "db_v1.DatabaseCluster"), json.dumps(OBJECTS["db_v1.DatabaseCluster"]).encode())
    found.spec.services.reverse()
    found.spec.pod_template.spec.containers[0].image = "pg:17"
    sent = json.loads(write(found))
    assert [item["targetPort"] for item in sent["spec"]["services"]] == [5433, "pg"]
    (container,) = sent["spec"]["podTemplate"]["spec"]["containers"]
    assert container["image"] == "pg:17"
    assert container["lifecycle"] == {"preStop": {}}
    assert container["resources"]["limits"]["memory"] == "1.50Gi"


def test_values_have_their_types(package: Path) -> None:
    """Times, bytes, unions and free JSON come out as Python has them."""
    certificate = read(class_of(package, "certs_v1.Certificate"), json.dumps(OBJECTS["certs_v1.Certificate"]).encode())
    assert certificate.status.not_after == datetime(2026, 4, 2, 3, 4, 5, tzinfo=UTC)
    assert certificate.spec.allowed_cidrs == ["10.0.0.0/8"]
    assert certificate.spec.crl_urls == []
    assert "hunter2" not in repr(certificate)
    database = read(class_of(package, "db_v1.DatabaseCluster"), json.dumps(OBJECTS["db_v1.DatabaseCluster"]).encode())
    assert database.spec.backup.s3.ca_bundle == b"pem"
    assert database.spec.from_ == "old"
    assert database.spec.parameters == {"max_connections": 100, "shared_buffers": "256MB"}
    workflow = read(class_of(package, "flow_v1alpha1.Workflow"), json.dumps(OBJECTS["flow_v1alpha1.Workflow"]).encode())
    assert workflow.spec.templates[1].resource.claim.metadata.name == "c"
    assert workflow.spec.schedule.int_2 == 2


def test_kinds_know_how_they_are_addressed(package: Path) -> None:
    """Plural, scope and subresources come from the CRD; versions that are not served are left out."""
    database, issuer = class_of(package, "db_v1.DatabaseCluster"), class_of(package, "certs_v1.ClusterIssuer")
    assert database.__resource__.plural == "databaseclusters"
    assert database.__resource__.subresources == ("scale", "status")
    assert (database.__resource__.namespaced, issuer.__resource__.namespaced) == (True, False)
    assert sorted(path.stem for path in package.glob("*_v1*.py")) == [
        "certs_v1",
        "certs_v1beta1",
        "db_v1",
        "db_v1beta1",
        "flow_v1alpha1",
    ]


def test_absent_specs_read_as_empty_and_nothing_has_a_default(package: Path) -> None:
    """A new object sends what its author set and nothing more, although the schema has defaults."""
    new = class_of(package, "certs_v1.Certificate")()
    assert new.spec.duration is None
    new.spec.secret_name = "web"
    assert json.loads(write(new))["spec"] == {"secretName": "web"}


@pytest.mark.parametrize(
    ("cls", "attribute", "marker"),
    [
        ("certs_v1.CertificateSpec", "dns_names", ListSet()),
        ("certs_v1.CertificateSpec", "allowed_cidrs", ListAtomic()),
        ("certs_v1.CertificateSpec", "issuer_ref", MapAtomic()),
        ("certs_v1.CertificateStatus", "conditions", ListMap("type")),
        ("db_v1.DatabaseClusterSpec", "services", ListMap("port", "protocol", protocol="TCP")),
    ],
)
def test_list_types_are_kept_as_markers(package: Path, cls: str, attribute: str, marker: Any) -> None:
    """What the schema says beyond types is on the attribute."""
    (kind,) = [info.type for info in model_fields(class_of(package, cls)) if info.name == attribute]
    assert marker in list(parts(kind))


def test_the_modules_pass_a_strict_type_check(package: Path) -> None:
    """The type checker has nothing to say about generated code, even at its strictest."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(package.parent / "cache"), str(package)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=package.parent)
    assert result.returncode == 0, result.stdout + result.stderr
