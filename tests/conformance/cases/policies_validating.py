"""What a ValidatingAdmissionPolicy says to a write."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import crd, custom, custom_path
from cases.policy_objects import MAPS, binding, bound, constraints, labelled, rule, validating

case = Cases("validating policies")


@case("validations, and the words of a refusal")
def _(s: Script) -> None:
    with bound(
        s,
        validating("plain", "object.data.a == 'x'"),
        validating("message", {"expression": "false", "message": " too bad \t"}),
        validating("forbidden", {"expression": "false", "message": "no", "reason": "Forbidden"}),
        validating("large", {"expression": "false", "reason": "RequestEntityTooLarge"}),
        validating("says", {"expression": "false", "message": "x", "messageExpression": "'got ' + object.data.a"}),
        validating("lines", {"expression": "false", "message": "x", "messageExpression": "'a\\nb'"}),
        validating("silent", {"expression": "false", "messageExpression": "'  '"}),
        validating("second", "true", "1 == 1", "object.metadata.name == 'b'", "false"),
    ):
        s.post(MAPS, labelled("plain", data={"a": "x"}))
        s.put(f"{MAPS}/a", labelled("plain", data={"a": "y"}))
        s.patch(f"{MAPS}/a", {"data": {"a": "z"}})
        s.patch(f"{MAPS}/a", {"metadata": {"labels": {"policy": None}}})
        s.patch(f"{MAPS}/a", {"data": {"a": "z"}})
        s.apply(f"{MAPS}/b", labelled("plain", "b", data={"a": "y"}))
        s.apply(f"{MAPS}/b", labelled("plain", "b", data={"a": "x"}))
        s.delete(f"{MAPS}/b")
        for label in ("message", "forbidden", "large", "says", "lines", "silent", "second"):
            s.post(MAPS, labelled(label, "c", data={"a": "v"}))
        s.post(MAPS, labelled("says", "c"))
        s.post(MAPS, labelled("message", "c"), dryRun="All")


@case("expressions that fail")
def _(s: Script) -> None:
    failing = "object.data.absent == 'x'"
    with bound(
        s,
        validating("error", failing),
        validating("either", f"{failing} || true", f"{failing} && false"),
        validating("ignored", failing, failurePolicy="Ignore"),
        validating("types", "object.data.a > 3"),
        validating(
            "costly",
            "[0,1,2,3,4,5,6,7,8,9].all(x, [0,1,2,3,4,5,6,7,8,9].all(y, [0,1,2,3,4,5,6,7,8,9].all(z, "
            "[0,1,2,3,4,5,6,7,8,9].all(u, [0,1,2,3,4,5,6,7,8,9].all(v, [0,1,2,3,4,5,6,7,8,9].all(w, true))))))",
        ),
        validating("index", "object.data.list[0] == 'x'"),
        validating("null", "object.spec == null", "oldObject == null"),
    ):
        for label in ("error", "either", "ignored", "types", "costly", "index", "null"):
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.delete(f"{MAPS}/a")


@case("variables")
def _(s: Script) -> None:
    variables = [
        {"name": "a", "expression": "object.data.a"},
        {"name": "long", "expression": "size(variables.a) > 2"},
        {"name": "bad", "expression": "object.data.absent"},
        {"name": "list", "expression": "['x', variables.a]"},
        {"name": "who", "expression": "request.userInfo"},
    ]
    with bound(
        s,
        validating("good", "variables.long", "variables.list[1] == variables.a", variables=variables),
        validating("bad", "variables.bad == 'x'", variables=variables),
        validating("unused", "!variables.long || variables.bad == 'x'", variables=variables),
        validating("who", "variables.who.username == 'x'", variables=variables),
        validating("says", {"expression": "variables.long", "messageExpression": "variables.a"}, variables=variables),
    ):
        for label in ("good", "bad", "unused", "who", "says"):
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.post(MAPS, labelled(label, "b", data={"a": "value"}))
            s.delete(MAPS)


@case("what a policy is about")
def _(s: Script) -> None:
    def about(label: str, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
        return validating(label, "false", matchConstraints=constraints(label, *rules, **more))

    excluded = [{**rule(), "resourceNames": ["b"]}]
    with bound(
        s,
        about("updates", rule(operations=("UPDATE",))),
        about("deletes", rule(operations=("DELETE",))),
        about("names", {**rule(), "resourceNames": ["b", "c"]}),
        about("excluded", excludeResourceRules=excluded),
        about("all", rule("*", group="*", version="*")),
        about("scale", rule("deployments/scale", group="apps")),
        about("status", rule("*/status", group="*", version="*")),
        about("cluster", {**rule("*", group="*", version="*"), "scope": "Cluster"}),
        about("namespaced", {**rule("*", group="*", version="*"), "scope": "Namespaced"}),
        about("other", rule(), namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "other"}}),
        about("exact", rule("horizontalpodautoscalers", group="autoscaling", version="v2"), matchPolicy="Exact"),
        about("same", rule("horizontalpodautoscalers", group="autoscaling", version="v2")),
    ):
        for label in ("updates", "deletes", "names", "excluded", "all", "cluster", "namespaced", "other"):
            for name in ("a", "b"):
                s.post(MAPS, labelled(label, name))
                s.patch(f"{MAPS}/{name}", {"data": {"x": "y"}})
                s.delete(f"{MAPS}/{name}")
            s.delete(MAPS, labelSelector=f"policy={label}")
        s.patch(f"{MAPS}/a", {"metadata": {"labels": {"policy": "other"}}})
        s.delete(MAPS)
        for label in ("exact", "same"):
            for version in ("v1", "v2"):
                scaler = {
                    "apiVersion": f"autoscaling/{version}",
                    "kind": "HorizontalPodAutoscaler",
                    "metadata": {"name": f"{label}-{version}", "labels": {"policy": label}},
                    "spec": {"maxReplicas": 2, "scaleTargetRef": {"kind": "A", "name": "a"}},
                }
                s.post(f"/apis/autoscaling/{version}/namespaces/{{ns}}/horizontalpodautoscalers", scaler)


@case("bindings: which part, and what is done")
def _(s: Script) -> None:
    part = {"resourceRules": [{**rule(), "resourceNames": ["b"]}]}
    narrow, warns, audits, twice = (validating(name, "false") for name in ("narrow", "warns", "audits", "twice"))
    mixed = validating("mixed", {"expression": "false", "message": "mine"}, {"expression": "false"})
    quiet = validating("quiet", "object.absent == 1")
    with bound(
        s,
        (narrow, binding(narrow, matchResources=part)),
        (warns, binding(warns, validationActions=["Warn"])),
        (audits, binding(audits, validationActions=["Audit"])),
        (twice, binding(twice, validationActions=["Audit", "Deny"])),
        (mixed, binding(mixed, validationActions=["Warn", "Audit"])),
        (quiet, binding(quiet, validationActions=["Warn"])),
    ):
        for label in ("narrow", "warns", "audits", "twice", "mixed", "quiet"):
            s.post(MAPS, labelled(label))
            s.post(MAPS, labelled(label, "b"))
            s.delete(MAPS)


@case("match conditions")
def _(s: Script) -> None:
    def when(label: str, *expressions: str, **more: Any) -> dict[str, Any]:
        conditions = [{"name": f"c{index}", "expression": each} for index, each in enumerate(expressions)]
        return validating(label, "false", matchConditions=conditions, **more)

    bad = "object.data.absent == 'x'"
    with bound(
        s,
        when("some", "object.data.a == 'v'", "true"),
        when("none", "false", bad),
        when("bad", bad, "true"),
        when("worse", bad, "object.data.other == 1"),
        when("ignored", bad, failurePolicy="Ignore"),
        when("space", "namespaceObject.metadata.name == 'x'"),
    ):
        for label in ("some", "none", "bad", "worse", "ignored", "space"):
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.post(MAPS, labelled(label, "b", data={"a": "w"}))
            s.delete(MAPS)


@case("audit annotations")
def _(s: Script) -> None:
    def noting(label: str, expression: str, **more: Any) -> dict[str, Any]:
        notes = [{"key": "k", "valueExpression": expression}]
        return validating(label, auditAnnotations=notes, **more)

    with bound(
        s,
        noting("text", "'a: ' + object.metadata.name"),
        noting("null", "null"),
        noting("bad", "object.absent"),
        noting("ignored", "object.absent.more", failurePolicy="Ignore"),
        noting("fails", "object.absent.more + 'x'"),
    ):
        for label in ("text", "null", "bad", "ignored", "fails"):
            s.post(MAPS, labelled(label))
            s.delete(f"{MAPS}/a")


@case("the request, the namespace and the authorizer")
def _(s: Script) -> None:
    check = "authorizer.group('').resource('pods').namespace('{ns}')"
    told = (
        "request.operation + ' ' + request.kind.kind + ' ' + request.resource.resource + ' ' + request.name + ' ' + "
        "request.namespace + ' ' + string(request.dryRun) + ' ' + request.userInfo.groups[0] + ' ' + "
        "request.requestKind.version + ' ' + request.options.kind"
    )
    deletions = constraints("deletion", rule(operations=("DELETE",)))
    with bound(
        s,
        validating("told", {"expression": "false", "messageExpression": told}),
        validating("deletion", "object != null", matchConstraints=deletions),
        validating("space", "namespaceObject.metadata.name == 'x'", "namespaceObject.status.phase == 'Active'"),
        validating(
            "may",
            f"{check}.check('create').allowed()",
            f"!{check}.check('get').errored()",
            f"{check}.name('a').subresource('log').check('get').reason() == ''",
        ),
        validating("account", f"authorizer.serviceAccount('{{ns}}', 'a').{check[11:]}.check('get').allowed()"),
        validating(
            "path",
            "authorizer.path('/healthz').check('get').allowed()",
            "authorizer.serviceAccount('default', 'x').path('/x').check('get').allowed()",
        ),
        validating("own", "authorizer.requestResource.check('delete').allowed()"),
        validating("empty", "authorizer.group('').resource(' ').check('get').allowed()"),
        validating("thrice", " && ".join([f"{check}.check('get').allowed()"] * 3)),
        validating("optional", "object.?data.a.orValue('x') == 'x'", "has(object.data)"),
        validating("quantity", "quantity(object.data.a).isLessThan(quantity('1Gi'))"),
    ):
        labels = ("told", "space", "may", "account", "path", "own", "empty", "thrice", "optional")
        for label in labels:
            s.post(MAPS, labelled(label))
            s.delete(f"{MAPS}/a")
        s.post(MAPS, labelled("told"), dryRun="All", fieldManager="tester")
        s.post(MAPS, labelled("quantity", data={"a": "2Gi"}))
        s.post(MAPS, labelled("quantity", data={"a": "2"}))
        s.post(MAPS, labelled("deletion", "b"))
        s.delete(f"{MAPS}/b")
        s.delete(MAPS, labelSelector="policy=deletion")


@case("parameters")
def _(s: Script) -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    about = "object.data.a == params.data.a"

    def with_params(label: str, expression: str = about, **reference: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        known = {"parameterNotFoundAction": "Deny", **reference}
        policy = validating(label, expression, paramKind=kind)
        return policy, binding(policy, paramRef=known)

    unknown = validating("unknown", "true", paramKind={"apiVersion": "example.com/v1", "kind": "Nothing"})
    without = validating("without", "params == null", paramKind=kind)
    lone = validating("lone", "true")
    for name, value in (("p", "v"), ("q", "w")):
        metadata = {"name": name, "labels": {"params": "yes"}}
        s.post(MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}})
    with bound(
        s,
        with_params("named", name="p"),
        with_params("elsewhere", name="p", namespace="kube-system"),
        with_params("absent", name="x"),
        with_params("allowed", name="x", parameterNotFoundAction="Allow"),
        with_params("selected", "object.data.a != params.data.a", selector={"matchLabels": {"params": "yes"}}),
        with_params("nothing", selector={"matchLabels": {"params": "no"}}),
        with_params("type", "params.kind == 'X'", name="p"),
        without,
        unknown,
        (lone, binding(lone, paramRef={"name": "x", "parameterNotFoundAction": "Deny"})),
    ):
        # The real server reads parameters from caches of its own, which are filled some moments later.
        for label, value, status in (("named", "v", 201), ("selected", "w", 422)):
            body = labelled(label, data={"a": value})
            s.until(MAPS, method="POST", body=body, query={"dryRun": "All"}, status=status)
        labels = (
            "named",
            "elsewhere",
            "absent",
            "allowed",
            "selected",
            "nothing",
            "type",
            "without",
            "unknown",
            "lone",
        )
        for label in labels:
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.post(MAPS, labelled(label, "b", data={"a": "x"}))
            s.delete(MAPS, labelSelector=f"policy={label}")


@case("subresources and other kinds")
def _(s: Script) -> None:
    spec = {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    }
    metadata = {"name": "a", "labels": {"policy": "scaling"}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    path = "/apis/apps/v1/namespaces/{ns}/deployments"
    scaling = {
        "resourceRules": [rule("deployments/scale", group="apps")],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}},
    }
    states = constraints("scaling", rule("deployments/status", group="apps"))
    with bound(
        s,
        validating("scaling", "object.kind == 'Scale' && object.spec.replicas < 5", matchConstraints=scaling),
        validating("status", "!has(object.status.replicas) || object.status.replicas < 5", matchConstraints=states),
        validating(
            "pods",
            "object.spec.template.spec.containers.all(c, c.image != 'bad')",
            matchConstraints=constraints("pods", rule("deployments", group="apps")),
        ),
    ):
        s.post(path, deployment)
        s.patch(f"{path}/a/scale", {"spec": {"replicas": 3}})
        s.patch(f"{path}/a/scale", {"spec": {"replicas": 7}})
        s.patch(f"{path}/a/status", {"status": {"replicas": 3}})
        s.patch(f"{path}/a/status", {"status": {"replicas": 7}})
        s.patch(f"{path}/a", {"metadata": {"labels": {"policy": "pods"}}})
        s.patch(f"{path}/a", {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "bad"}]}}}})


@case("custom resources, and their parameters")
def _(s: Script) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    s.given(crd("judged", schema))
    path = custom_path("judged")
    about = constraints("judged", rule("judged", group="judged.example.com"))
    kind = {"apiVersion": "judged.example.com/v1", "kind": "Judged"}
    policy = validating("judged", "object.spec.size <= params.spec.most", matchConstraints=about, paramKind=kind)
    s.post(path, custom("judged", "limit", spec={"most": 3}))
    with bound(s, (policy, binding(policy, paramRef={"name": "limit", "parameterNotFoundAction": "Deny"}))):
        large = custom("judged", "a", metadata={"labels": {"policy": "judged"}}, spec={"size": 4})
        s.until(path, method="POST", body=large, query={"dryRun": "All"}, status=422, holding="failed expression")
        s.post(path, large)
        s.post(path, {**large, "spec": {"size": 2}})
        s.patch(f"{path}/a", {"spec": {"size": 5}})
        s.patch(f"{path}/a", {"spec": {"size": 5.5}})
        s.patch(f"{path}/a", {"spec": {"size": 2.5}})
        s.patch(f"{path}/a", {"spec": {"size": "x"}})
        s.patch(f"{path}/limit", {"spec": {"most": 9}})
        s.until(path, method="POST", body=large, query={"dryRun": "All"}, status=409)
        s.patch(f"{path}/a", {"spec": {"size": 8}})
