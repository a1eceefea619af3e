"""Which form an Accept header asks for."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.exchange import JSON, Request
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.negotiate import (
    PROTOBUF,
    YAML,
    Form,
    check_route,
    check_stream,
    negotiate,
    refusal_form,
    stream_type,
)

TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
METADATA = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def asked(accept: str, *, is_custom: bool = False, pretty: str = "", agent: str = "") -> Form:
    """Return the form of a request with this header."""
    headers = {"accept": accept, "user-agent": agent} if accept else {"user-agent": agent}
    query = (("pretty", pretty),) if pretty else ()
    return negotiate(Request(method="GET", path="/", headers=headers, query=query), is_custom=is_custom)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", Form()),
        ("*/*", Form()),
        ("application/json", Form()),
        ("application/json;charset=utf-8", Form()),
        ("application/json;stream=watch", Form()),
        ("application/yaml", Form(YAML)),
        ("application/yaml;q=0.1,application/json;q=0.9", Form()),
        ("application/json;q=0.1, application/yaml", Form(YAML)),
        ("text/html;q=0.9,*/*;q=0.8", Form()),
        (f"{PROTOBUF},application/json", Form()),
        (PROTOBUF, Form(PROTOBUF)),
        (f"{PROTOBUF},application/yaml", Form(PROTOBUF)),
        (f"{METADATA},application/json", Form(PROTOBUF, "PartialObjectMetadata", "v1")),
        (f"{METADATA},{METADATA.replace(PROTOBUF, JSON)},{JSON}", Form(PROTOBUF, "PartialObjectMetadata", "v1")),
        (f"{METADATA.replace('PartialObjectMetadata', 'Table')},{PROTOBUF}", Form(PROTOBUF)),
        (TABLE, Form(JSON, "Table", "v1")),
        (f"{TABLE},application/json", Form(JSON, "Table", "v1")),
        (f"application/json,{TABLE}", Form()),
        ("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", Form()),
        ("application/json;as=Foo;g=meta.k8s.io;v=v1,application/yaml", Form(YAML)),
        (TABLE.replace("Table", "PartialObjectMetadata"), Form(JSON, "PartialObjectMetadata", "v1")),
        (
            TABLE.replace("json;as=Table", "yaml;as=PartialObjectMetadataList"),
            Form(YAML, "PartialObjectMetadataList", "v1"),
        ),
        (TABLE.replace("v1", "v1beta1"), Form(JSON, "Table", "v1beta1")),
        ("application/json;pretty=1", Form(is_pretty=True)),
        ("application/json;sv=v1", Form()),
    ],
)
def test_accepted(accept: str, expected: Form) -> None:
    """The first clause that can be met decides; those of equal quality in their order."""
    assert asked(accept) == expected


@pytest.mark.parametrize("accept", ["text/html", "garbage", "application/*"])
def test_routes_of_built_in_kinds_refuse_in_their_own_words(accept: str) -> None:
    """Built-in kinds look at the media types first."""
    with pytest.raises(Failure, match="406: Not Acceptable") as raised:
        check_route(Request(method="GET", path="/", headers={"accept": accept}))
    assert raised.value.code == 406


@pytest.mark.parametrize("accept", ["text/html", PROTOBUF, "application/json;as=Table;g=meta.k8s.io;v=v2"])
def test_refused(accept: str) -> None:
    """A header that nothing meets is a 406 that says what there is."""
    with pytest.raises(Failure, match="only the following media types are accepted: application/json") as raised:
        asked(accept, is_custom=True)
    assert raised.value.code == 406


def test_custom_resources_have_protobuf_of_their_metadata() -> None:
    """And of nothing else."""
    assert asked(METADATA, is_custom=True) == Form(PROTOBUF, "PartialObjectMetadata", "v1")


def test_yaml_is_no_stream() -> None:
    """A watch is JSON or protobuf, and says so."""
    assert [stream_type(form) for form in (Form(), Form(PROTOBUF))] == [JSON, f"{PROTOBUF};stream=watch"]
    check_stream(Form())
    with pytest.raises(Failure, match="application/json;stream=watch"):
        check_stream(Form(YAML))


@pytest.mark.parametrize(
    ("pretty", "agent", "expected"),
    [("", "curl/8.0", True), ("true", "", True), ("0", "curl/8.0", False), ("", "kubectl/v1.36", False)],
)
def test_pretty(pretty: str, agent: str, expected: bool) -> None:
    """People get lines: those who ask for it, and those who come by curl or a browser."""
    assert asked("", pretty=pretty, agent=agent).is_pretty is expected


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", Form()),
        (f"{TABLE},application/yaml", Form(YAML)),
        (PROTOBUF, Form(PROTOBUF)),
        ("application/json;pretty=1", Form(is_pretty=True)),
        *((accept, Form(is_pretty=True)) for accept in (TABLE, METADATA, "text/html", "application/json;sv=v1")),
    ],
)
def test_refusals_are_never_tables(accept: str, expected: Form) -> None:
    """A Status is written as JSON, YAML or protobuf; in lines for who takes none of these, and is a person."""
    assert refusal_form(Request(method="GET", path="/", headers={"accept": accept})) == expected
