"""kubectl, unchanged: what it says of both servers is compared as text."""

from __future__ import annotations

import asyncio

import yaml
from harness.kubectl import Kubectl, Transcript, masked

PATIENCE = 30.0  # seconds

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        env: [{name: MODE, value: before}]
        ports: [{containerPort: 80}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  clusterIP: None
  selector: {app: web}
  ports: [{port: 80, targetPort: 80}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: before, size: small}
"""


def crd(plural: str) -> str:
    """Return a CRD with columns, a scale subresource and a schema that is explained."""
    kind = plural.capitalize().removesuffix("s")
    spec = {
        "type": "object",
        "description": "What is wanted.",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 1, "description": "How many there are."},
            "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
            "parts": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        },
    }
    status = {
        "type": "object",
        "properties": {
            "ready": {"type": "integer"},
            "conditions": {
                "type": "array",
                "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"},
        },
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
    }
    names = {
        "plural": plural,
        "singular": kind.lower(),
        "kind": kind,
        "shortNames": [plural[:3]],
        "categories": ["all"],
    }
    group = f"{plural}.example.com"
    value = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    return yaml.safe_dump(value)


def custom(plural: str, name: str, **spec: object) -> str:
    """Return an object of the kind that `crd` defines."""
    kind = plural.capitalize().removesuffix("s")
    value = {"apiVersion": f"{plural}.example.com/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    return yaml.safe_dump(value)


def define(transcript: Transcript, plural: str) -> None:
    """Apply the CRD, and wait until it can be used."""
    transcript.run("apply -f -", text=crd(plural))
    transcript.run(f"wait --for=condition=Established --timeout=30s crd/{plural}.{plural}.example.com")
    transcript.until_served(plural)


def test_apply(transcript: Transcript) -> None:
    """Applied on the client's side: created, unchanged, changed, and a part that is no longer named is removed."""
    transcript.run("apply -f -", text=WEB)
    transcript.run("apply -f -", text=WEB)
    transcript.run("apply -f -", text=WEB.replace(", size: small", "").replace("replicas: 2", "replicas: 3"))
    transcript.run("get deployments,services,configmaps")
    transcript.show("configmap/settings")
    transcript.show("deployment/web")
    transcript.run("apply view-last-applied configmap settings")
    transcript.run("apply -f - --dry-run=server", text=WEB)
    transcript.run("apply -f - --prune -l app=web", text=WEB)
    transcript.run("apply -f - --validate=strict", text=WEB.replace("data:", "date:"))
    transcript.run("apply -f -", text=WEB.replace("containerPort: 80", "containerPort: eighty"))


def test_apply_server_side(transcript: Transcript) -> None:
    """Applied on the server's side, by two managers who disagree."""
    transcript.run("apply --server-side -f -", text=WEB)
    transcript.run("apply --server-side -f - --field-manager=other", text=WEB.replace("before", "after"))
    transcript.run(
        "apply --server-side -f - --field-manager=other --force-conflicts", text=WEB.replace("before", "after")
    )
    transcript.show("configmap/settings")
    transcript.show("deployment/web")
    transcript.run("apply -f -", text=WEB)
    transcript.run("apply --server-side -f -", text=WEB)


def test_diff(transcript: Transcript) -> None:
    """What would change, before it does."""
    transcript.run("diff -f -", text=WEB.partition("---")[2])
    transcript.run("apply -f -", text=WEB)
    transcript.run("diff -f -", text=WEB)
    transcript.run("diff -f -", text=WEB.replace("before", "after"))
    transcript.run("diff --server-side -f -", text=WEB.replace("replicas: 2", "replicas: 5"))


def test_describe(transcript: Transcript) -> None:
    """Objects of several kinds, told at length."""
    transcript.run("apply -f -", text=WEB)
    transcript.run("create secret generic keys --from-literal=password=hidden")
    transcript.run("describe deployment web")
    transcript.run("describe service web")
    transcript.run("describe configmap settings")
    transcript.run("describe secret keys")
    transcript.run("describe namespace describe")
    transcript.run("describe pod nothing")


def test_get(transcript: Transcript) -> None:
    """Every form of output, by names, labels and fields."""
    transcript.run("apply -f -", text=WEB)
    for form in ("wide", "yaml", "json", "name", "jsonpath={.spec.replicas}", "custom-columns=N:.metadata.name"):
        transcript.run("get deployment web -o", form)
    transcript.run("get deployments -l app=web --show-labels")
    transcript.run("get deployments -l app=other")
    transcript.run("get configmaps --field-selector metadata.name=settings -o name")
    transcript.run("get configmaps --sort-by=.metadata.name --no-headers")
    transcript.run("get deployments --chunk-size=1")
    transcript.run("get deploy,svc,cm")
    transcript.run("get deployment missing")
    transcript.run("get deployment missing --ignore-not-found")
    transcript.run("get nothings")
    transcript.run("get configmaps --field-selector spec.color=red")
    transcript.run("get --raw /version")
    transcript.run("get --raw /readyz")


def test_create(transcript: Transcript) -> None:
    """Objects that kubectl makes itself, which it sends as protobuf."""
    transcript.run("create configmap settings --from-literal=a=1 --from-literal=b=2")
    transcript.run("create secret generic keys --from-literal=password=hidden")
    transcript.run("create secret docker-registry images --docker-username=me --docker-password=hidden")
    transcript.run("create deployment web --image=nginx:1.27 --replicas=3 --port=80")
    transcript.run("create service clusterip web --clusterip=None --tcp=80:8080")
    transcript.run("create serviceaccount robot")
    transcript.run("create role reader --verb=get,list --resource=pods,configmaps")
    transcript.run("create rolebinding readers --role=reader --serviceaccount=create:robot")
    transcript.run("create job once --image=busybox -- date")
    transcript.run("create cronjob nightly --image=busybox", "--schedule=0 3 * * *", "--", "date")
    transcript.run("create ingress web --rule=example.com/=web:80")
    transcript.run("create poddisruptionbudget web --selector=app=web --min-available=1")
    transcript.run("create quota small --hard=pods=3")
    transcript.run("create configmap settings")
    transcript.run("create configmap Bad_Name")
    transcript.run("get all,cm,secrets,sa,roles,rolebindings,ingresses,pdb,quota -o name")
    for kind in ("configmap/settings", "secret/keys", "deployment/web", "service/web", "role/reader", "pdb/web"):
        transcript.show(kind)
    for kind in ("serviceaccount/robot", "rolebinding/readers", "cronjob/nightly", "ingress/web", "quota/small"):
        transcript.show(kind)


def test_change(transcript: Transcript) -> None:
    """Labels, annotations, replicas, images, environments, patches, an editor, a replacement."""
    transcript.run("apply -f -", text=WEB)
    transcript.run("label configmap settings tier=front")
    transcript.run("label configmap settings tier=back")
    transcript.run("label configmap settings tier=back --overwrite")
    transcript.run("label configmap settings tier-")
    transcript.run("annotate configmap settings note=hello")
    transcript.run("annotate configmap --all note=again --overwrite")
    transcript.run("scale deployment web --replicas=4")
    transcript.run("scale deployment web --replicas=5 --current-replicas=9")
    transcript.run("set image deployment/web web=nginx:1.28")
    transcript.run("set env deployment/web MODE=after COLOR=red")
    transcript.run(
        "patch deployment web -p", '{"spec":{"template":{"spec":{"containers":[{"name":"b","image":"b"}]}}}}'
    )
    transcript.run("patch configmap settings --type=merge -p", '{"data":{"size":null,"new":"1"}}')
    transcript.run("patch configmap settings --type=json -p", '[{"op":"replace","path":"/data/new","value":"2"}]')
    transcript.run("patch configmap settings --type=json -p", '[{"op":"test","path":"/data/new","value":"3"}]')
    transcript.run(
        "patch deployment web --subresource=status --type=merge -p", '{"status":{"replicas":1,"readyReplicas":1}}'
    )
    transcript.run("edit configmap settings")
    transcript.run("replace -f -", text=WEB.partition("---")[0])
    transcript.run("autoscale deployment web --min=1 --max=3 --cpu=50%")
    transcript.run("expose deployment web --name=exposed --cluster-ip=None --port=80")
    transcript.show("deployment/web")
    transcript.show("configmap/settings")
    transcript.run("get hpa web -o yaml")


def test_delete(transcript: Transcript) -> None:
    """By name, by label, by file; with a wait, with a dry run, and what is not there."""
    transcript.run("apply -f -", text=WEB)
    transcript.run("delete configmap settings --dry-run=server")
    transcript.run("delete configmap settings")
    transcript.run("delete configmap settings")
    transcript.run("delete configmap settings --ignore-not-found")
    transcript.run("delete deployments -l app=web --cascade=orphan --wait=false")
    transcript.run("delete -f -", text=WEB)
    transcript.run("create configmap held")
    transcript.run("patch configmap held --type=merge -p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    transcript.run("delete configmap held --wait=false")
    transcript.run("wait --for=delete configmap/held --timeout=1s")
    transcript.run("patch configmap held --type=merge -p", '{"metadata":{"finalizers":null}}')
    transcript.run("wait --for=delete configmap/held --timeout=30s")
    transcript.run("run once --image=busybox --restart=Never")
    transcript.run("delete pod once --now")
    transcript.run("get configmaps,deployments,services,pods")


def test_custom_resources(transcript: Transcript) -> None:
    """A kind of one's own is used as any other."""
    define(transcript, "gears")
    transcript.run("apply -f -", text=custom("gears", "a", size=2))
    transcript.run("apply -f -", text=custom("gears", "b", size=0))  # one fault each: several come in any order
    transcript.run("apply -f -", text=custom("gears", "b", size=1, color="blue"))
    transcript.run("apply -f -", text=custom("gears", "c", size=1, colour="red"))
    transcript.run("apply --server-side -f -", text=custom("gears", "d", size=3, parts=[{"name": "x"}]))
    transcript.run("create -f - --validate=strict", text=custom("gears", "e", size=1, colour="red"))
    transcript.run("get gears")
    transcript.run("get gea -o wide")
    transcript.show("gear/a")
    transcript.run("get all")
    transcript.run("describe gear a")
    transcript.run("scale gear a --replicas=5")
    transcript.run("patch gear a --type=merge -p", '{"spec":{"size":7}}')
    transcript.run("patch gear a -p", '{"spec":{"size":7}}')
    condition = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    transcript.run("patch gear a --subresource=status --type=merge -p", condition)
    transcript.run("wait --for=condition=Ready --timeout=30s gear/a")
    transcript.run("wait --for=jsonpath={.spec.size}=7 --timeout=30s gear/a")
    transcript.run("wait --for=condition=Ready --timeout=1s gear/d")
    transcript.run("diff -f -", text=custom("gears", "a", size=9))
    transcript.run("label gears --all wheel=yes")
    transcript.run("api-resources --api-group=gears.example.com -o wide")
    transcript.run("delete gears --all")
    transcript.run("get crd gears.gears.example.com -o yaml")
    transcript.run("delete crd gears.gears.example.com")


def test_explain(transcript: Transcript) -> None:
    """Schemas, read by OpenAPI v3."""
    define(transcript, "wheels")
    transcript.run("explain wheels")
    transcript.run("explain wheel.spec --recursive")
    transcript.run("explain wheel.spec.size")
    transcript.run("explain wheel.spec.missing")
    transcript.run("explain deployment.spec.strategy.rollingUpdate")
    transcript.run("explain pods --recursive")
    transcript.run("explain hpa --api-version=autoscaling/v2")
    transcript.run("explain nothing")


def test_api_resources(transcript: Transcript) -> None:
    """All that is served by default, group by group."""
    groups = ("", "apps", "batch", "autoscaling", "policy", "rbac.authorization.k8s.io", "networking.k8s.io")
    for group in (*groups, "apiextensions.k8s.io", "coordination.k8s.io", "storage.k8s.io", "events.k8s.io"):
        transcript.run(f"api-resources --api-group={group} -o wide")
    transcript.run("api-resources --namespaced=false --api-group=apiregistration.k8s.io")
    transcript.run("version")
    transcript.run("cluster-info")


def test_rollout(transcript: Transcript) -> None:
    """What kubectl says of a rollout that nobody carries out."""
    transcript.run("apply -f -", text=WEB)
    transcript.run("rollout history deployment web")
    transcript.run("rollout pause deployment web")
    transcript.run("rollout resume deployment web")
    transcript.run("rollout status deployment web --watch=false")
    transcript.run("rollout restart deployment web")


def test_auth(transcript: Transcript) -> None:
    """Who someone is and what they may do, asked by protobuf bodies."""
    transcript.run("auth whoami --as=jane --as-group=readers")
    transcript.run("auth can-i get pods")
    transcript.run("auth can-i get pods --as=jane")
    transcript.run("create role reader --verb=get,list,watch --resource=configmaps")
    transcript.run("create rolebinding jane --role=reader --user=jane")
    transcript.run("auth can-i list configmaps --as=jane")
    transcript.run("get configmaps --as=jane")
    transcript.run("get secrets --as=jane")
    transcript.run("create configmap mine --as=jane")


async def test_watch(transcript: Transcript) -> None:
    """Rows appear as objects change."""
    expected = await _watched(transcript.real)
    assert await _watched(transcript.embedded) == expected
    assert "settings 1 AGE" in expected


async def _watched(kubectl: Kubectl) -> str:
    """Return what a watch prints while an object is made, changed and deleted."""
    process = await asyncio.create_subprocess_exec(
        *kubectl.command("get", "configmaps", "--watch", "--output-watch-events"),
        env=kubectl.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for command in (
            "create configmap settings --from-literal=a=1",
            "label configmap settings a=b",
            "delete cm settings",
        ):
            await asyncio.to_thread(kubectl.run, *command.split())
            while not lines or not lines[-1].split()[1].startswith("settings"):
                lines.append(await _line(process.stdout))
            lines.append("- -\n")
    finally:
        process.terminate()
        await process.wait()
    return masked("".join(lines))


async def _line(stream: asyncio.StreamReader) -> str:
    line = await asyncio.wait_for(stream.readline(), PATIENCE)
    return line.decode()


def test_edit(transcript: Transcript) -> None:
    """An editor that changes nothing changes nothing, and one that is given nothing is not started."""
    transcript.run("create configmap settings --from-literal=a=1")
    transcript.run("edit configmap settings")
    transcript.run("edit configmap missing")
