"""Forms: in which one a body is sent, and in which one an answer is wanted."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map

case = Cases("form")

A: Final = f"{CONFIG_MAPS}/a"
TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL: Final = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


def _read(s: Script, *accepts: str) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for accept in accepts:
        s.get(A, headers={"Accept": accept})


@case("any")
def _(s: Script) -> None:
    _read(s, "", "*/*", "application/*", "*")


@case("YAML")
def _(s: Script) -> None:
    _read(s, "application/yaml", "application/yaml;charset=utf-8", "text/yaml", "application/x-yaml")


@case("by weights")
def _(s: Script) -> None:
    _read(
        s,
        "application/yaml;q=0.2,application/json;q=0.9",
        "application/yaml;q=0.9,application/json;q=0.2",
        "application/yaml;q=0,application/json",
        "application/json;q=x,application/yaml",
    )


@case("none that is written")
def _(s: Script) -> None:
    _read(s, "text/html", "image/png, text/plain", "application/xml;q=0.9", "json")


@case("one of several that is written")
def _(s: Script) -> None:
    _read(s, "text/html, application/json", "text/html;q=0.9, application/yaml;q=0.1", "text/html, */*")


@case("with parameters that mean nothing")
def _(s: Script) -> None:
    _read(s, "application/json;charset=utf-8", "application/json;odd=1", "application/json;stream=watch")


@case("a table of a version that is none")
def _(s: Script) -> None:
    _read(
        s,
        TABLE.replace("v=v1", "v=v2"),
        TABLE.replace("v=v1", "v=v1beta1"),
        TABLE.replace("meta.k8s.io", "other"),
        "application/json;as=Table",
    )


@case("a table, or else the object")
def _(s: Script) -> None:
    _read(s, f"{TABLE.replace('v=v1', 'v=v9')},application/json", f"application/json,{TABLE}", f"{TABLE},text/html")


@case("a table in YAML")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.get(CONFIG_MAPS, headers={"Accept": TABLE.replace("json", "yaml")})


@case("a table with what is in it")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for included in ("None", "Metadata", "Object", "Other", ""):
        s.get(A, headers={"Accept": TABLE}, includeObject=included)


@case("metadata alone, of one and of a list")
def _(s: Script) -> None:
    _read(s, PARTIAL, PARTIAL.replace("v=v1", "v=v1beta1"), PARTIAL.replace("Metadata;", "MetadataList;"))
    s.get(CONFIG_MAPS, headers={"Accept": PARTIAL})
    s.get(CONFIG_MAPS, headers={"Accept": PARTIAL.replace("Metadata;", "MetadataList;")})


@case("metadata alone in YAML")
def _(s: Script) -> None:
    _read(s, PARTIAL.replace("json", "yaml"))


@case("of another kind than there is")
def _(s: Script) -> None:
    _read(s, "application/json;as=Other;v=v1;g=meta.k8s.io", "application/json;as=Scale;v=v1;g=autoscaling")


@case("for human eyes")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for pretty in ("true", "1", "false", "x", ""):
        s.get(A, pretty=pretty)
    s.get(f"{CONFIG_MAPS}/none", pretty="true")


@case("of what a write answers")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), headers={"Accept": "application/yaml"})
    s.put(A, config_map("a", data={"b": "2"}), headers={"Accept": TABLE})
    s.patch(A, {"data": {"c": "3"}}, headers={"Accept": PARTIAL})
    s.delete(A, headers={"Accept": PARTIAL})


@case("of a refusal")
def _(s: Script) -> None:
    for accept in ("application/yaml", TABLE, PARTIAL, "text/html"):
        s.get(f"{CONFIG_MAPS}/none", headers={"Accept": accept})
        s.post(CONFIG_MAPS, b"{", headers={"Accept": accept})


@case("of a delete's answer as a table")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    s.delete(A, headers={"Accept": TABLE})
    s.patch(A, {"metadata": {"finalizers": None}}, headers={"Accept": TABLE})
    s.post(CONFIG_MAPS, config_map("b"))
    s.delete(f"{CONFIG_MAPS}/b", headers={"Accept": TABLE})


@case("of a stream")
def _(s: Script) -> None:
    for accept in ("application/yaml", "text/html", "application/json;stream=other"):
        s.get(CONFIG_MAPS, watch="true", timeoutSeconds="1", headers={"Accept": accept})


@case("of a stream, where there is none")
def _(s: Script) -> None:
    for path in ("/api", "/apis/apps", "/api/v1", "/apis/apps/v1", CONFIG_MAPS):
        for stream in ("other", "watch", ""):
            s.get(path, headers={"Accept": f"application/json;stream={stream}"})


_AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@case("of discovery")
def _(s: Script) -> None:
    refused = ("*/*;stream=other", "application/json;sv=v1", "text/html", TABLE)
    for path in ("/api", "/apis/apps", "/apis/apps/v1"):
        for accept in ("application/*", *refused):
            s.get(path, headers={"Accept": accept})
    for accept in refused:  # the list of groups itself is slow to follow the CRDs of other cases there
        s.get("/apis/", headers={"Accept": accept})
    for accept in ("*/*", "application/*", "application/json;stream=other", "application/json;sv=v1", "text/html"):
        s.get("/api", headers={"Accept": f"{accept};{_AGGREGATED}"})
    s.get("/apis/", headers={"Accept": f"application/json;{_AGGREGATED}"})
    s.get("/api", headers={"Accept": f"application/json,application/json;{_AGGREGATED}"})
    s.get("/api", headers={"Accept": f"text/html,application/json;{_AGGREGATED}"})


@case("of a version, asked for in other ways")
def _(s: Script) -> None:
    for method in ("HEAD", "POST", "DELETE"):
        s.ask(method, "/version")


@case("of a log")
def _(s: Script) -> None:
    for accept in ("text/plain", "text/html", "application/json;stream=other"):
        s.get("/api/v1/namespaces/{ns}/pods/none/log", headers={"Accept": accept})


@case("protobuf, or else JSON")
def _(s: Script) -> None:
    _read(s, "application/json, application/vnd.kubernetes.protobuf;q=0.5")


@case("of a body that is not read")
def _(s: Script) -> None:
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "x"):
        s.post(CONFIG_MAPS, config_map("a"), headers={"Content-Type": kind})


@case("of a body, with parameters")
def _(s: Script) -> None:
    for index, kind in enumerate(("application/json;charset=utf-8", "APPLICATION/JSON", "application/json; x=y")):
        s.post(CONFIG_MAPS, config_map(f"a{index}"), headers={"Content-Type": kind})


@case("of a replaced object that is not read")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a"), headers={"Content-Type": "text/plain"})
    s.put(A, b"data:\n  x: y\nmetadata:\n  name: a\n", headers={"Content-Type": "application/yaml"})
    s.put(A, b"a: {", headers={"Content-Type": "application/yaml"})


@case("of a patch that is none")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for kind in ("application/json", "application/yaml", "text/plain", "application/merge-patch+yaml"):
        s.patch(A, {}, headers={"Content-Type": kind})
    s.patch(A, {"data": {"b": "2"}}, headers={"Content-Type": "application/merge-patch+json; charset=utf-8"})


@case("of a delete's options that is not read")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, {"dryRun": ["All"]}, headers={"Content-Type": "text/plain"})
    s.delete(A, b"dryRun: [All]\n", headers={"Content-Type": "application/yaml"})
    s.delete(A, b"{", headers={"Content-Type": "application/yaml"})


@case("of a body without a type in YAML")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, b"metadata: {name: a}\n", headers={"Content-Type": "application/json"})
    s.post(CONFIG_MAPS, b"metadata: {name: a}\n", headers={"Content-Type": "application/yaml"})
    s.post(CONFIG_MAPS, b"- 1\n", headers={"Content-Type": "application/yaml"})
    s.post(CONFIG_MAPS, b"just a text", headers={"Content-Type": "application/yaml"})
