"""Tables of custom resources, by themselves and beside the real server's."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest

from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import Strategy
from konverge.cluster.apiserver.table import render
from konverge.errors import KonvergeError
from konverge.testing import RealCluster

GROUP = "tables.konverge.dev"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
WITHIN = 60.0  # seconds until a real server serves a CRD
COLUMNS: list[dict[str, Any]] = [
    {"name": "Str", "type": "string", "jsonPath": ".spec.str"},
    {"name": "Int", "type": "integer", "jsonPath": ".spec.int", "format": "int32"},
    {"name": "Num", "type": "number", "jsonPath": ".spec.num", "priority": 1},
    {"name": "Bool", "type": "boolean", "jsonPath": ".spec.bool", "description": "a truth"},
    {"name": "Date", "type": "date", "jsonPath": ".spec.date"},
    {"name": "Obj", "type": "string", "jsonPath": ".spec.obj"},
    {"name": "List", "type": "string", "jsonPath": ".spec.list"},
    {"name": "First", "type": "string", "jsonPath": ".spec.list[0]"},
    {"name": "Last", "type": "string", "jsonPath": ".spec.list[-1]"},
    {"name": "All", "type": "string", "jsonPath": ".spec.list[*]"},
    {"name": "Slice", "type": "string", "jsonPath": ".spec.list[1:2]"},
    {"name": "Ready", "type": "string", "jsonPath": '.spec.conds[?(@.type=="Ready")].status'},
    {"name": "Large", "type": "integer", "jsonPath": ".spec.conds[?(@.n>1)].n"},
    {"name": "Exists", "type": "string", "jsonPath": ".spec.conds[?(@.n)].type"},
    {"name": "Label", "type": "string", "jsonPath": ".metadata.labels.a\\.b/c"},
    {"name": "Key", "type": "string", "jsonPath": ".metadata.labels['x']"},
    {"name": "Union", "type": "string", "jsonPath": ".spec['str','int']"},
    {"name": "Deep", "type": "string", "jsonPath": "..deep"},
    {"name": "Wild", "type": "string", "jsonPath": ".spec.one.*"},
    {"name": "Str as int", "type": "integer", "jsonPath": ".spec.str"},
    {"name": "Int as str", "type": "string", "jsonPath": ".spec.int"},
    {"name": "Num as str", "type": "string", "jsonPath": ".spec.num"},
    {"name": "Num as int", "type": "integer", "jsonPath": ".spec.num"},
    {"name": "Int as num", "type": "number", "jsonPath": ".spec.int"},
    {"name": "Bool as str", "type": "string", "jsonPath": ".spec.bool"},
    {"name": "Null", "type": "string", "jsonPath": ".spec.null"},
    {"name": "Null int", "type": "integer", "jsonPath": ".spec.null"},
]
CONDITIONS = [{"type": "Other", "status": "no", "n": 1}, {"type": "Ready", "status": "True", "n": 2}]
SPECS: dict[str, dict[str, Any]] = {
    "empty": {},
    "full": {
        "str": "s<&>",
        "int": 7,
        "num": 2.5,
        "bool": False,
        "date": "2020-01-01T00:00:00Z",
        "obj": {"b": 1, "a": "<x>", "f": 1e21, "g": 0.000012, "h": 1.5e-7},
        "list": ["p", "q", "r"],
        "conds": CONDITIONS,
        "deep": {"x": 1},
        "one": {"k": "v"},
        "null": None,
    },
    "odd": {"str": 5, "int": "x", "num": 3, "bool": "t", "date": "no", "list": "abc", "conds": "no", "one": [1, 2]},
    "large": {
        "str": 2500000.5,
        "int": 1e3,
        "num": 1e30,
        "date": "2020-01-01T00:00:00.1+02:00",
        "list": [],
        "obj": [{"a": None}],
    },
}


class WithColumns(Strategy):
    """A strategy with printer columns, as a CRD's has."""

    def __init__(self, columns: list[dict[str, Any]]) -> None:
        self.printer_columns = tuple(columns)


def resource(columns: list[dict[str, Any]]) -> Resource:
    """Return a custom resource with these columns."""
    return Resource(
        group=GROUP,
        version="v1",
        kind="Tab",
        plural="tabs",
        singular="tab",
        list_kind="TabList",
        namespaced=True,
        storage_version="v1",
        strategy=WithColumns(columns),
        is_custom=True,
    )


def definition() -> dict[str, Any]:
    """Return the CRD of the same resource."""
    nullable = {"null": {"type": "string", "nullable": True}}
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": nullable}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "additionalPrinterColumns": COLUMNS,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    names = {"plural": "tabs", "kind": "Tab"}
    return {
        "metadata": {"name": f"tabs.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


@pytest.fixture(scope="module")
def path(real_cluster: RealCluster) -> str:
    """The path of the objects on a real server that has them."""
    real_cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition())
    deadline = time.monotonic() + WITHIN
    path = f"/apis/{GROUP}/v1/namespaces/default/tabs"
    while not _is_served(real_cluster, path):
        assert time.monotonic() < deadline
    for name, spec in SPECS.items():
        metadata = {"name": name, "labels": {"a.b/c": "lab", "x": "y"} if name == "full" else {}}
        real_cluster.call(
            "POST", path, {"apiVersion": f"{GROUP}/v1", "kind": "Tab", "metadata": metadata, "spec": spec}
        )
    return path


def _is_served(real_cluster: RealCluster, path: str) -> bool:
    try:
        real_cluster.call("GET", path)
    except (KonvergeError, ValueError):  # "storage is (re)initializing", or not there: a 404 in plain text
        return False
    return True


@pytest.fixture(scope="module")
def connection(real_cluster: RealCluster) -> Iterator[http.client.HTTPSConnection]:
    """A connection to the real server, as its administrator."""
    tls = ssl.create_default_context(cafile=real_cluster.folder / "ca.crt")
    tls.load_cert_chain(real_cluster.folder / "admin.crt", real_cluster.folder / "admin.key")
    opened = http.client.HTTPSConnection(real_cluster.server.removeprefix("https://"), context=tls)
    yield opened
    opened.close()


@pytest.mark.parametrize("include", ["Metadata", "Object", "None"])
def test_a_table_is_the_real_servers(
    real_cluster: RealCluster, connection: http.client.HTTPSConnection, path: str, include: str
) -> None:
    """Columns, cells of every type and fit, objects and metadata; the ages are of years, so no clock disturbs them."""
    connection.request("GET", f"{path}?includeObject={include}", headers={"Accept": TABLE})
    theirs = json.loads(connection.getresponse().read())
    # As of the same version: anything the server writes for itself would give a later list another one.
    at = f"resourceVersion={theirs['metadata']['resourceVersion']}&resourceVersionMatch=Exact"
    found = real_cluster.call("GET", f"{path}?{at}")
    assert render(resource(COLUMNS), found["items"], include_object=include, metadata=found["metadata"]) == theirs


def test_without_columns_the_age_is_shown() -> None:
    """A CRD that declares none has the name and the age."""
    value = {"metadata": {"name": "a", "creationTimestamp": "2000-01-01T00:00:00Z"}}
    table = render(resource([]), [value], metadata={})
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Age"]
    assert table["columnDefinitions"][1]["description"].startswith("CreationTimestamp is a timestamp")
    name, age = table["rows"][0]["cells"]
    assert name == "a"
    assert age.endswith("y")


def test_a_watch_describes_its_columns_once() -> None:
    """Later events have none."""
    table = render(resource([]), [{"metadata": {"name": "a"}}], with_columns=False, metadata={"resourceVersion": "7"})
    assert table["columnDefinitions"] is None
    assert table["metadata"] == {"resourceVersion": "7"}


def test_the_version_of_the_table_is_the_one_asked_for() -> None:
    """The rows' metadata has it too."""
    table = render(resource([]), [{"metadata": {"name": "a"}}], version="v1beta1", metadata={})
    assert table["apiVersion"] == "meta.k8s.io/v1beta1"
    assert table["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"


def test_a_bookmark_at_the_end_of_the_list_keeps_its_metadata() -> None:
    """Its annotation is the message, so it is sent even to one who wants no objects."""
    value = {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}
    table = render(resource([]), [value], include_object="None", metadata={})
    assert table["rows"][0]["object"]["metadata"] == value["metadata"]


def test_a_column_that_is_no_path_ends_the_table() -> None:
    """As on the real server, which accepts such a CRD: what was understood before it is shown."""
    columns = [COLUMNS[0], {"name": "Bad", "type": "string", "jsonPath": ".a["}, COLUMNS[1]]
    table = render(resource(columns), [{"metadata": {"name": "a"}, "spec": {"str": "x"}}], metadata={})
    assert table["rows"][0]["cells"] == ["a", "x"]


def test_the_lists_place_in_a_longer_one_is_kept() -> None:
    """A page of a list says how to go on."""
    metadata = {"resourceVersion": "7", "continue": "c", "remainingItemCount": 3, "selfLink": "x"}
    assert render(resource([]), [], metadata=metadata)["metadata"] == {
        "resourceVersion": "7",
        "continue": "c",
        "remainingItemCount": 3,
    }
