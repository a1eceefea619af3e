"""Discovery, by itself and beside the real server's."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from typing import Any

import pytest

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.discovery import Discovery
from konverge.cluster.apiserver.exchange import Request, Response
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.resource import Resource, Resources, Scale
from konverge.cluster.apiserver.strategy import Strategy
from konverge.testing import RealCluster

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
REMOVED = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
NAMED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
GROUP = "discovered.konverge.dev"
VERSIONS = ("v1alpha1", "v1", "v2beta1", "v10")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WITHIN = 60.0  # seconds until a real server has published a CRD


def custom(version: str, *, group: str = GROUP) -> Resource:
    """Return one version of a custom resource with everything that discovery shows."""
    return Resource(
        group=group,
        version=version,
        kind="Widget",
        plural="widgets",
        singular="widget",
        list_kind="WidgetList",
        namespaced=True,
        storage_version="v1alpha1",
        strategy=Strategy(),
        short_names=("wg",),
        categories=("all", "things"),
        has_status=True,
        scale=Scale(spec_replicas="spec.replicas", status_replicas="status.replicas"),
        is_custom=True,
    )


def definition() -> dict[str, Any]:
    """Return the CRD of the same resource."""
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [
        {
            "name": version,
            "served": True,
            "storage": version == VERSIONS[0],
            "subresources": {"status": {}, "scale": scale},
            "schema": schema,
        }
        for version in VERSIONS
    ]
    names = {"plural": "widgets", "kind": "Widget", "shortNames": ["wg"], "categories": ["all", "things"]}
    spec = {"group": GROUP, "scope": "Namespaced", "names": names, "versions": versions}
    return {"metadata": {"name": f"widgets.{GROUP}"}, "spec": spec}


@pytest.fixture
def resources() -> Resources:
    """What is served: the built-in kinds and a custom one."""
    found = Resources()
    for resource in catalogue.resources(lambda *_: Strategy()):
        found.add(resource)
    for version in VERSIONS:
        found.add(custom(version))
    return found


@pytest.fixture
def discovery(resources: Resources) -> Discovery:
    """Discovery of it."""
    return Discovery(resources)


def request(path: str, *, method: str = "GET", **headers: str) -> Request:
    """Return a request; header names with underscores."""
    found = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method=method, path=path, headers={"host": "127.0.0.1:6443", **found})


def decoded(answer: Response) -> Any:
    """Return what a good answer says."""
    assert answer.status == 200
    return json.loads(answer.body)


# --- beside the real server ---


@pytest.fixture(scope="module")
def real(real_cluster: RealCluster) -> RealCluster:
    """The real server with the same custom resource."""
    real_cluster.call("POST", DEFINITIONS, definition())
    deadline = time.monotonic() + WITHIN
    while GROUP not in [group["metadata"]["name"] for group in aggregated(real_cluster, "/apis")["items"]]:
        assert time.monotonic() < deadline
    return real_cluster


def aggregated(real_cluster: RealCluster, path: str) -> Any:
    """Ask a real server for the aggregated form."""
    tls = ssl.create_default_context(cafile=real_cluster.folder / "ca.crt")
    tls.load_cert_chain(real_cluster.folder / "admin.crt", real_cluster.folder / "admin.key")
    connection = http.client.HTTPSConnection(real_cluster.server.removeprefix("https://"), context=tls)
    try:
        connection.request("GET", path, headers={"Accept": AGGREGATED})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def paths() -> list[str]:
    """Return every path of a group and of a group and version."""
    groups = [*catalogue.groups(), catalogue.Group(GROUP, VERSIONS)]
    versions = [f"/apis/{group.name}/{version}" for group in groups for version in group.versions]
    return ["/api/v1", *(f"/apis/{group.name}" for group in groups), *versions]


def test_each_document_is_the_real_servers(real: RealCluster, discovery: Discovery) -> None:
    """Groups and resources, built-in and custom, to the last field and in the same order."""
    for path in paths():
        assert decoded(discovery.answer(request(path))) == real.call("GET", path), path


def test_the_list_of_groups_is_the_real_servers(real: RealCluster, discovery: Discovery) -> None:
    """In the same order; groups that other tests have made on the shared server are not looked at."""
    ours = decoded(discovery.answer(request("/apis")))
    theirs = real.call("GET", "/apis")
    known = [group["name"] for group in ours["groups"]]
    theirs["groups"] = [group for group in theirs["groups"] if group["name"] in known]
    assert ours == theirs


def test_the_aggregated_form_is_the_real_servers(real: RealCluster, discovery: Discovery) -> None:
    """Both documents."""
    assert decoded(discovery.answer(request("/api", accept=AGGREGATED))) == aggregated(real, "/api")
    ours = decoded(discovery.answer(request("/apis", accept=AGGREGATED)))
    theirs = aggregated(real, "/apis")
    known = [group["metadata"]["name"] for group in ours["items"]]
    theirs["items"] = [group for group in theirs["items"] if group["metadata"]["name"] in known]
    assert ours == theirs


# --- by itself ---


def test_a_trailing_slash_changes_nothing(discovery: Discovery) -> None:
    """Clients differ in that."""
    for path in ("/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1"):
        assert discovery.answer(request(path)) == discovery.answer(request(f"{path}/"))


def test_the_core_group_says_where_the_server_is(discovery: Discovery) -> None:
    """The address is the one by which it was asked."""
    answer = decoded(discovery.answer(request("/api")))
    assert answer["versions"] == ["v1"]
    assert answer["serverAddressByClientCIDRs"][0]["serverAddress"] == "127.0.0.1:6443"


def test_crds_come_and_go(resources: Resources, discovery: Discovery) -> None:
    """The documents follow what is served."""
    before = discovery.answer(request("/apis", accept=AGGREGATED))
    for version in VERSIONS:
        resources.remove(GROUP, version, "widgets")
    assert discovery.answer(request(f"/apis/{GROUP}")).status == 404
    after = discovery.answer(request("/apis", accept=AGGREGATED))
    assert dict(before.headers)["ETag"] != dict(after.headers)["ETag"]
    assert GROUP.encode() not in after.body


def test_groups_of_crds_are_listed_by_their_api_services(resources: Resources, discovery: Discovery) -> None:
    """And in the aggregated form by their own."""
    for group, version in (("orders.test", "v10"), ("orders.test", "foo1"), ("listeds.test", "v1"), ("aaa.test", "v2")):
        resources.add(custom(version, group=group))
    listed = [group["name"] for group in decoded(discovery.answer(request("/apis")))["groups"]]
    assert [name for name in listed if name.endswith(".test")] == ["orders.test", "listeds.test", "aaa.test"]
    found = decoded(discovery.answer(request("/apis", accept=AGGREGATED)))["items"]
    names = [group["metadata"]["name"] for group in found]
    assert [name for name in names if name.endswith(".test")] == ["aaa.test", "listeds.test", "orders.test"]


def test_a_known_etag_saves_the_body(discovery: Discovery) -> None:
    """304, with the headers of the real server."""
    first = discovery.answer(request("/apis", accept=AGGREGATED))
    tag = dict(first.headers)["ETag"]
    second = discovery.answer(request("/apis", accept=AGGREGATED, if_none_match=tag))
    assert (second.status, second.body) == (304, b"")
    assert dict(second.headers) == {"ETag": tag, "Vary": "Accept", "Cache-Control": "public"}
    assert discovery.answer(request("/apis", accept=AGGREGATED, if_none_match='"x"')).status == 200


@pytest.mark.parametrize("accept", [f"{AGGREGATED},application/json", f"application/json,{AGGREGATED}"])
def test_the_aggregated_form_wins(discovery: Discovery, accept: str) -> None:
    """Whoever can read it gets it, wherever it stands in the header."""
    assert discovery.answer(request("/apis", accept=accept)).content_type == AGGREGATED


def test_the_beta_form_is_gone(discovery: Discovery) -> None:
    """406, or the first form where that is accepted too."""
    with pytest.raises(Failure, match=f"only the following media types are accepted: {NAMED}"):
        discovery.answer(request("/apis", accept=REMOVED))
    assert decoded(discovery.answer(request("/apis", accept=f"{REMOVED},application/json")))["kind"] == "APIGroupList"


def test_a_group_has_no_aggregated_form(discovery: Discovery) -> None:
    """Only the roots have it."""
    with pytest.raises(Failure) as failure:
        discovery.answer(request("/apis/apps", accept=AGGREGATED))
    assert failure.value.code == 406


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/apis", "only the following media types are accepted: "),
        ("/apis/apps", "only the following media types are accepted: "),
        (f"/apis/{GROUP}/v1", "only the following media types are accepted: "),
        ("/api", "406: Not Acceptable\n\nAvailable representations: "),
        ("/api/v1", "406: Not Acceptable\n\nAvailable representations: "),
        ("/apis/apps/v1", "406: Not Acceptable\n\nAvailable representations: "),
    ],
)
def test_what_is_not_spoken(discovery: Discovery, path: str, words: str) -> None:
    """The real server's parts refuse in different words."""
    with pytest.raises(Failure) as failure:
        discovery.answer(request(path, accept="text/html"))
    assert (failure.value.code, failure.value.message) == (406, f"{words}{NAMED}")


def test_yaml_is_spoken(discovery: Discovery) -> None:
    """In both forms."""
    assert discovery.answer(request("/apis/apps", accept="application/yaml")).body.startswith(b"apiVersion: v1\n")
    whole = discovery.answer(request("/api", accept=AGGREGATED.replace("json", "yaml", 1)))
    assert whole.content_type.startswith("application/yaml;g=apidiscovery.k8s.io")
    assert whole.body.startswith(b"apiVersion: apidiscovery.k8s.io/v2\n")


@pytest.mark.parametrize("path", ["/apis/nothing", "/apis/nothing/v1", f"/apis/{GROUP}/v9"])
def test_what_nobody_knows_is_a_plain_404(discovery: Discovery, path: str) -> None:
    """A text and no Status, as the real server has it."""
    answer = discovery.answer(request(path))
    assert (answer.status, answer.body) == (404, b"404 page not found\n")
    assert answer.content_type == "text/plain; charset=utf-8"


@pytest.mark.parametrize("path", ["/apis/apps/v9", "/api/v2"])
def test_an_unknown_version_of_a_built_in_group_is_a_status(discovery: Discovery, path: str) -> None:
    """The group's own server answers it."""
    with pytest.raises(Failure, match="the server could not find the requested resource"):
        discovery.answer(request(path))


@pytest.mark.parametrize(("path", "is_allowed"), [("/apis", True), ("/apis/apps", True), ("/apis/apps/v1", False)])
def test_other_methods(discovery: Discovery, path: str, is_allowed: bool) -> None:
    """Some paths do not look at the method, as those of the real server."""
    if is_allowed:
        assert discovery.answer(request(path, method="POST")).status == 200
    else:
        with pytest.raises(Failure, match="does not allow this method"):
            discovery.answer(request(path, method="POST"))
