"""New CRDs: names, groups, scopes and versions that are taken or refused."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd

case = Cases("CRD names")


def _spec(plural: str, **changed: Any) -> dict[str, Any]:
    """Return a CRD with parts of its spec replaced; None removes one."""
    made = crd(plural)
    spec = {**made["spec"], **changed}
    return {**made, "spec": {name: value for name, value in spec.items() if value is not None}}


def _names(plural_: str, **changed: Any) -> dict[str, Any]:
    names = {**crd(plural_)["spec"]["names"], **changed}
    return _spec(plural_, names={name: value for name, value in names.items() if value is not None})


def _version(name: str, **more: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {"name": name, "served": True, "storage": True, "schema": schema, **more}


@case("with nothing but what is needed")
def _(s: Script) -> None:
    s.post(CRDS, _names("plainnames", singular=None, listKind=None), dryRun="All")


@case("with all that can be said")
def _(s: Script) -> None:
    s.post(CRDS, _names("fullnames", shortNames=["fn", "fnm"], categories=["all", "example"]), dryRun="All")


@case("that is not plural and group")
def _(s: Script) -> None:
    s.post(CRDS, {**crd("misnamed"), "metadata": {"name": "wrong.example.com"}})


@case("with no group")
def _(s: Script) -> None:
    s.post(CRDS, _spec("groupless", group=None))


@case("with a group of one word")
def _(s: Script) -> None:
    s.post(CRDS, {**_spec("oneword", group="example"), "metadata": {"name": "oneword.example"}})


@case("with a group in capitals")
def _(s: Script) -> None:
    s.post(CRDS, {**_spec("capitals", group="Example.com"), "metadata": {"name": "capitals.Example.com"}})


@case("with no plural")
def _(s: Script) -> None:
    s.post(CRDS, _names("pluralless", plural=None))


@case("with a plural in capitals")
def _(s: Script) -> None:
    s.post(CRDS, _names("loud", plural="Loud"))


@case("with no kind")
def _(s: Script) -> None:
    s.post(CRDS, _names("kindless", kind=None, listKind=None))


@case("with a kind that is no name")
def _(s: Script) -> None:
    s.post(CRDS, _names("badkinds", kind="Bad Kind"))
    s.post(CRDS, _names("badkinds", kind="3Kind"))


@case("with the same kind for one and for a list")
def _(s: Script) -> None:
    s.post(CRDS, _names("samekinds", listKind="Samekind"))


@case("with a singular that is no name")
def _(s: Script) -> None:
    s.post(CRDS, _names("badsingulars", singular="Bad.One"))


@case("with a short name that is no name")
def _(s: Script) -> None:
    s.post(CRDS, _names("badshorts", shortNames=["ok", "not ok"]))


@case("with a category that is no name")
def _(s: Script) -> None:
    s.post(CRDS, _names("badcategories", categories=["Not_ok"]))


@case("with no scope")
def _(s: Script) -> None:
    s.post(CRDS, _spec("scopeless", scope=None))


@case("with an unknown scope")
def _(s: Script) -> None:
    s.post(CRDS, _spec("elsewheres", scope="Galaxy"))


@case("with no versions")
def _(s: Script) -> None:
    s.post(CRDS, _spec("versionless", versions=[]))
    s.post(CRDS, _spec("versionless", versions=None))


@case("with a version that is no name")
def _(s: Script) -> None:
    s.post(CRDS, _spec("badversions", versions=[_version("V1.0")]))


@case("with two versions of one name")
def _(s: Script) -> None:
    s.post(CRDS, _spec("twins", versions=[_version("v1"), _version("v1", storage=False)]))


@case("with no storage version")
def _(s: Script) -> None:
    s.post(CRDS, _spec("unstored", versions=[_version("v1", storage=False)]))


@case("with two storage versions")
def _(s: Script) -> None:
    s.post(CRDS, _spec("twostored", versions=[_version("v1"), _version("v2")]))


@case("with no served version")
def _(s: Script) -> None:
    s.post(CRDS, _spec("unserved", versions=[_version("v1", served=False)]), dryRun="All")


@case("with a deprecated version")
def _(s: Script) -> None:
    s.post(CRDS, _spec("olds", versions=[_version("v1", deprecated=True)]), dryRun="All")
    warned = _version("v1", deprecated=True, deprecationWarning="use something else")
    s.post(CRDS, _spec("olds", versions=[warned]), dryRun="All")


@case("with a deprecation warning that cannot be one")
def _(s: Script) -> None:
    s.post(CRDS, _spec("warners", versions=[_version("v1", deprecationWarning="not deprecated")]))
    s.post(CRDS, _spec("warners", versions=[_version("v1", deprecated=True, deprecationWarning="")]))
    s.post(CRDS, _spec("warners", versions=[_version("v1", deprecated=True, deprecationWarning="a\nb")]))
    s.post(CRDS, _spec("warners", versions=[_version("v1", deprecated=True, deprecationWarning="x" * 257)]))


@case("with unknown pruning")
def _(s: Script) -> None:
    s.post(CRDS, _spec("preservers", preserveUnknownFields=True))
    s.post(CRDS, _spec("preservers", preserveUnknownFields=False), dryRun="All")


@case("with webhooks for conversion that are not described")
def _(s: Script) -> None:
    s.post(CRDS, _spec("converts", conversion={"strategy": "Webhook"}))


@case("with webhooks for conversion that are described badly")
def _(s: Script) -> None:
    hook = {"clientConfig": {"url": "http://example.com"}, "conversionReviewVersions": ["v1"]}
    s.post(CRDS, _spec("hooks", conversion={"strategy": "Webhook", "webhook": hook}))
    hook = {"clientConfig": {"url": "https://example.com/x"}, "conversionReviewVersions": ["v3"]}
    s.post(CRDS, _spec("hooks", conversion={"strategy": "Webhook", "webhook": hook}))
    hook = {"clientConfig": {}, "conversionReviewVersions": []}
    s.post(CRDS, _spec("hooks", conversion={"strategy": "Webhook", "webhook": hook}))


@case("with a webhook of which nothing is said")
def _(s: Script) -> None:
    hooks: list[dict[str, Any]] = [{}, {"conversionReviewVersions": []}]
    for hook in (*hooks, {"clientConfig": None, **hooks[-1]}):
        for strategy in ("None", "Webhook"):
            s.post(CRDS, _spec("silent", conversion={"strategy": strategy, "webhook": hook}), dryRun="All")


@case("with a webhook for a service")
def _(s: Script) -> None:
    client = {"service": {"namespace": "default", "name": "hook", "path": "/convert"}}
    hook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
    s.post(CRDS, _spec("services", conversion={"strategy": "Webhook", "webhook": hook}), dryRun="All")


@case("with an unknown way of conversion")
def _(s: Script) -> None:
    s.post(CRDS, _spec("strangers", conversion={"strategy": "Magic"}))
    hook = {"clientConfig": {"url": "https://example.com/x"}, "conversionReviewVersions": ["v1"]}
    s.post(CRDS, _spec("strangers", conversion={"strategy": "None", "webhook": hook}))


@case("with a status and labels of its own")
def _(s: Script) -> None:
    made = {**crd("selfstated"), "status": {"storedVersions": ["v7"], "conditions": [], "acceptedNames": {}}}
    s.post(CRDS, {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}}, dryRun="All")


@case("in a protected group without approval")
def _(s: Script) -> None:
    made = _spec("protecteds", group="protected.k8s.io")
    s.post(CRDS, {**made, "metadata": {"name": "protecteds.protected.k8s.io"}})
    key = "api-approved.kubernetes.io"
    for approval in ("none", "https://github.com/kubernetes/kubernetes/pull/1", "unapproved, for tests"):
        metadata = {"name": "protecteds.protected.k8s.io", "annotations": {key: approval}}
        s.post(CRDS, {**made, "metadata": metadata}, dryRun="All")


@case("with fields that do not exist")
def _(s: Script) -> None:
    for way in ("Ignore", "Warn", "Strict"):
        s.post(CRDS, _spec("unknowns", nonsense=1), dryRun="All", fieldValidation=way)


@case("with fields of the wrong type")
def _(s: Script) -> None:
    s.post(CRDS, _spec("mistypes", scope=3))
    s.post(CRDS, _spec("mistypes", versions={"name": "v1"}))
    s.post(CRDS, _spec("mistypes", versions=["v1"]))
    s.post(CRDS, _spec("mistypes", names="mistypes"))
    s.post(CRDS, _spec("mistypes", versions=[_version("v1", served="yes")]))


@case("with a spec that is not there")
def _(s: Script) -> None:
    s.post(CRDS, {key: value for key, value in crd("specless").items() if key != "spec"})


@case("twice")
def _(s: Script) -> None:
    s.define(crd("twices"))
    s.post(CRDS, crd("twices"))


@case("of v1beta1, which is gone")
def _(s: Script) -> None:
    s.post(CRDS.replace("/v1/", "/v1beta1/"), crd("ancients"))
    s.post(CRDS, {**crd("ancients"), "apiVersion": "apiextensions.k8s.io/v1beta1"})
