"""Kinds of the smaller groups."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import SELECTOR, lifecycle, of_kind

case = Cases("group")
NETWORKING = "/apis/networking.k8s.io/v1"
RBAC = "rbac.authorization.k8s.io"
STORAGE = "/apis/storage.k8s.io/v1"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
BACKEND = {"service": {"name": "s", "port": {"number": 80}}}
_THEN = "2020-01-01T00:00:00Z"
_DEVICE_CLASS: dict[str, Any] = {"selectors": [{"cel": {"expression": "true"}}]}
# A request of a P-256 key with the subject CN=a, made with openssl.
_REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQl"
    "pNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCQlJyRlhSaStPV3AxdU80RUw2VkpvRVRjcDFrK3dYRmdT"
    "V2FUUGhTMFJBY2pBMkhTb3RCcWt4U2t1R0tVc0JhCkNCTnljanFwVzA2b3ZZbmlRWUM0M0xHZ0FEQUtCZ2dxaGtqT1"
    "BRUURBZ05JQURCRkFpRUFoeWV5VXBRWEtOczEKZCswbEJCOG5JSHB4TlVIdnQzdnN2L0l0MGJWY0tDc0NJRW9pNkZN"
    "b002M0lqVnQ2VnhGMitDNnlMY3dMUU81bApWbkRmMSt6MUpUNHYKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC"
    "0tLS0tCg=="
)
RULES = [{"apiGroups": ["none.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}]
MATCH = {"resourceRules": RULES}


@case("ingresses")
def _(s: Script) -> None:
    path = {"path": "/", "pathType": "Prefix", "backend": BACKEND}
    full = {
        "ingressClassName": "c",
        "rules": [{"host": "example.com", "http": {"paths": [path]}}, {"host": "*.example.com"}],
        "tls": [{"hosts": ["example.com"], "secretName": "t"}],
    }
    minimal = of_kind("networking.k8s.io/v1", "Ingress", spec={"defaultBackend": BACKEND})
    status = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
    lifecycle(s, f"{NETWORKING}/namespaces/{{ns}}/ingresses", minimal, full={"spec": full}, status=status)


@case("ingress classes and the default one")
def _(s: Script) -> None:
    parameters = {"kind": "K", "name": "n", "apiGroup": "example.com"}
    minimal = of_kind("networking.k8s.io/v1", "IngressClass", spec={"controller": "example.com/c"})
    full = {"spec": {"controller": "example.com/c", "parameters": parameters}}
    lifecycle(s, f"{NETWORKING}/ingressclasses", minimal, full=full)
    marked = {"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}
    s.post(f"{NETWORKING}/ingressclasses", {**minimal, "metadata": {"name": "{ns}-d", **marked}})
    path = f"{NETWORKING}/namespaces/{{ns}}/ingresses"
    ingress = of_kind("networking.k8s.io/v1", "Ingress", spec={"defaultBackend": BACKEND})
    dry: dict[str, Any] = {"method": "POST", "body": ingress, "query": {"dryRun": "All"}, "status": 201}
    s.until(path, holding="ingressClassName", **dry)
    s.post(path, ingress)
    s.delete(f"{NETWORKING}/ingressclasses/{{ns}}-d")
    s.until(path, lacking="ingressClassName", **{**dry, "body": {**ingress, "metadata": {"name": "b"}}})


@case("network policies")
def _(s: Script) -> None:
    peer = {"podSelector": SELECTOR, "namespaceSelector": {}}
    full = {
        "podSelector": SELECTOR,
        "ingress": [{"from": [peer, {"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 80}]}],
        "egress": [{"to": [peer], "ports": [{"port": "http", "protocol": "UDP"}, {"port": 1, "endPort": 2}]}],
    }
    minimal = of_kind("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}})
    change = {"spec": {"policyTypes": ["Ingress"]}}
    lifecycle(s, f"{NETWORKING}/namespaces/{{ns}}/networkpolicies", minimal, full={"spec": full}, change=change)


@case("ranges of service addresses")
def _(s: Script) -> None:
    path, name = f"{NETWORKING}/servicecidrs", "{ns}-r"
    s.post(path, of_kind("networking.k8s.io/v1", "ServiceCIDR", name=name, spec={"cidrs": ["10.111.0.0/24"]}))
    condition = {"type": "x", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": _THEN}
    s.patch(f"{path}/{name}/status", {"status": {"conditions": [condition]}, "metadata": {"labels": {"a": "b"}}})
    s.patch(f"{path}/{name}", {"metadata": {"labels": {"a": "b"}}})
    s.delete(f"{path}/{name}")


@case("disruption budgets")
def _(s: Script) -> None:
    path = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
    full = {"spec": {"maxUnavailable": 1, "selector": SELECTOR, "unhealthyPodEvictionPolicy": "AlwaysAllow"}}
    status = {"disruptionsAllowed": 1, "currentHealthy": 1, "desiredHealthy": 0, "expectedPods": 1}
    lifecycle(
        s, path, of_kind("policy/v1", "PodDisruptionBudget", spec={"minAvailable": "50%"}), full=full, status=status
    )


@case("autoscalers in both versions")
def _(s: Script) -> None:
    path = "/apis/autoscaling/{}/namespaces/{{ns}}/horizontalpodautoscalers"
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    spec = {"scaleTargetRef": target, "maxReplicas": 3}
    old, new = path.format("v1"), path.format("v2")
    s.post(old, of_kind("autoscaling/v1", "HorizontalPodAutoscaler", name="old", spec=spec))
    more = {"minReplicas": 2, "targetCPUUtilizationPercentage": 60}
    s.post(old, of_kind("autoscaling/v1", "HorizontalPodAutoscaler", name="older", spec={**spec, **more}))
    s.post(new, of_kind("autoscaling/v2", "HorizontalPodAutoscaler", name="new", spec=spec))
    metrics = [
        {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
        {"type": "Pods", "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": "5"}}},
        {"type": "External", "external": {"metric": {"name": "e"}, "target": {"type": "Value", "value": "10"}}},
    ]
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 5}, "scaleUp": {"selectPolicy": "Disabled"}}
    full = {**spec, "metrics": metrics, "behavior": behavior}
    s.post(new, of_kind("autoscaling/v2", "HorizontalPodAutoscaler", name="full", spec=full))
    for name in ("old", "older", "new", "full"):
        s.get(f"{old}/{name}")
        s.get(f"{new}/{name}")
    s.patch(f"{old}/new", {"spec": {"maxReplicas": 4}})
    s.patch(f"{new}/old", {"spec": {"maxReplicas": 4}})
    s.patch(f"{new}/new/status", {"status": {"currentReplicas": 1, "desiredReplicas": 2}})
    s.get(old)
    s.get(new)


@case("leases")
def _(s: Script) -> None:
    path = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
    full = {"holderIdentity": "me", "leaseDurationSeconds": 5, "renewTime": "2020-01-01T00:00:00.500000Z"}
    minimal = of_kind("coordination.k8s.io/v1", "Lease")
    lifecycle(s, path, minimal, full={"spec": full}, change={"spec": {"leaseTransitions": 0}})
    for time in ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00.1234567Z", "yesterday"):
        s.post(path, {**minimal, "spec": {"renewTime": time}})


@case("endpoint slices")
def _(s: Script) -> None:
    path = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices"
    endpoint = {"addresses": ["10.1.2.3"], "conditions": {"ready": True}, "nodeName": "n", "zone": "z"}
    full = {"endpoints": [endpoint, {"addresses": ["10.1.2.4"]}], "ports": [{"port": 80}, {"name": "x", "port": 81}]}
    minimal = of_kind("discovery.k8s.io/v1", "EndpointSlice", addressType="IPv4", endpoints=[])
    lifecycle(s, path, minimal, full=full, change={"endpoints": [endpoint]})


@case("roles and bindings")
def _(s: Script) -> None:
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": ["a"]}]
    inside = f"/apis/{RBAC}/v1/namespaces/{{ns}}"
    lifecycle(s, f"{inside}/roles", of_kind(f"{RBAC}/v1", "Role"), full={"rules": rules})
    reference = {"apiGroup": RBAC, "kind": "Role", "name": "r"}
    subjects = [
        {"kind": "User", "name": "u"},
        {"kind": "Group", "name": "g"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "{ns}"},
    ]
    bare = of_kind(f"{RBAC}/v1", "RoleBinding", roleRef={"kind": "Role", "name": "r"})
    lifecycle(s, f"{inside}/rolebindings", bare, full={"subjects": subjects, "roleRef": reference})


@case("roles with empty rules")
def _(s: Script) -> None:
    path = f"/apis/{RBAC}/v1/namespaces/{{ns}}/roles"
    s.post(path, of_kind(f"{RBAC}/v1", "Role", rules=[]))
    s.apply(f"{path}/b", of_kind(f"{RBAC}/v1", "Role", name="b", rules=[]))
    s.patch(f"{path}/a", {"rules": [{"apiGroups": [""], "verbs": ["get"], "resources": ["pods"], "resourceNames": []}]})
    s.put(f"{path}/a", of_kind(f"{RBAC}/v1", "Role", rules=[]))
    s.get(path)


@case("cluster roles and bindings")
def _(s: Script) -> None:
    path = f"/apis/{RBAC}/v1"
    rules = [{"nonResourceURLs": ["/x"], "verbs": ["get"]}]
    lifecycle(s, f"{path}/clusterroles", of_kind(f"{RBAC}/v1", "ClusterRole"), full={"rules": rules})
    aggregated = {"aggregationRule": {"clusterRoleSelectors": [SELECTOR]}}
    s.post(f"{path}/clusterroles", of_kind(f"{RBAC}/v1", "ClusterRole", name="{ns}-g", **aggregated))
    bare = of_kind(f"{RBAC}/v1", "ClusterRoleBinding", roleRef={"kind": "ClusterRole", "name": "view"})
    lifecycle(s, f"{path}/clusterrolebindings", bare, full={"subjects": [{"kind": "Group", "name": "g"}]})


@case("storage classes and the default one")
def _(s: Script) -> None:
    full = {
        "parameters": {"a": "b"},
        "mountOptions": ["x"],
        "allowVolumeExpansion": True,
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowedTopologies": [{"matchLabelExpressions": [{"key": "k", "values": ["v"]}]}],
    }
    minimal = of_kind("storage.k8s.io/v1", "StorageClass", provisioner="example.com/p")
    lifecycle(s, f"{STORAGE}/storageclasses", minimal, full=full)
    marked = {"name": "{ns}-d", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    s.post(f"{STORAGE}/storageclasses", {**minimal, "metadata": marked})
    claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = of_kind("v1", "PersistentVolumeClaim", spec=spec)
    dry: dict[str, Any] = {"method": "POST", "body": claim, "query": {"dryRun": "All"}, "status": 201}
    s.until(claims, holding="storageClassName", **dry)
    s.post(claims, claim)
    s.post(claims, of_kind("v1", "PersistentVolumeClaim", name="b", spec={**spec, "storageClassName": ""}))
    s.delete(f"{STORAGE}/storageclasses/{{ns}}-d")
    s.until(claims, lacking="storageClassName", **{**dry, "body": {**claim, "metadata": {"name": "c"}}})


@case("attributes of volumes")
def _(s: Script) -> None:
    minimal = of_kind("storage.k8s.io/v1", "VolumeAttributesClass", driverName="example.com", parameters={"a": "b"})
    lifecycle(s, f"{STORAGE}/volumeattributesclasses", minimal, full={"parameters": {"c": "d"}})


@case("drivers of storage")
def _(s: Script) -> None:
    full = {"spec": {"attachRequired": False, "podInfoOnMount": True, "fsGroupPolicy": "File"}}
    lifecycle(s, f"{STORAGE}/csidrivers", of_kind("storage.k8s.io/v1", "CSIDriver", spec={}), full=full)
    driver = {"name": "example.com", "nodeID": "n", "topologyKeys": ["z"], "allocatable": {"count": 3}}
    node = of_kind("storage.k8s.io/v1", "CSINode", spec={"drivers": []})
    lifecycle(s, f"{STORAGE}/csinodes", node, full={"spec": {"drivers": [driver]}})


@case("capacities and attachments")
def _(s: Script) -> None:
    capacity = of_kind("storage.k8s.io/v1", "CSIStorageCapacity", storageClassName="c")
    full = {"capacity": "1Gi", "maximumVolumeSize": "1.5Gi", "nodeTopology": SELECTOR}
    lifecycle(s, f"{STORAGE}/namespaces/{{ns}}/csistoragecapacities", capacity, full=full)
    spec = {"attacher": "example.com", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    attachment = of_kind("storage.k8s.io/v1", "VolumeAttachment", spec=spec)
    status = {"attached": True, "attachmentMetadata": {"a": "b"}}
    lifecycle(s, f"{STORAGE}/volumeattachments", attachment, full={"status": status}, status=status)


@case("priority and runtime classes")
def _(s: Script) -> None:
    minimal = of_kind("scheduling.k8s.io/v1", "PriorityClass", value=5)
    full = {"value": -5, "description": "d", "preemptionPolicy": "Never"}
    lifecycle(s, "/apis/scheduling.k8s.io/v1/priorityclasses", minimal, full=full)
    runtime = of_kind("node.k8s.io/v1", "RuntimeClass", handler="h")
    more = {"overhead": {"podFixed": {"cpu": "1m"}}, "scheduling": {"nodeSelector": {"a": "b"}}}
    lifecycle(s, "/apis/node.k8s.io/v1/runtimeclasses", runtime, full=more)


@case("webhooks")
def _(s: Script) -> None:
    hook: dict[str, Any] = {
        "name": "w.example.com",
        "clientConfig": {"service": {"namespace": "n", "name": "s"}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": RULES,
    }
    for kind, plural in (("Validating", "validating"), ("Mutating", "mutating")):
        minimal = of_kind("admissionregistration.k8s.io/v1", f"{kind}WebhookConfiguration")
        full = {"webhooks": [hook, {**hook, "name": "x.example.com", "failurePolicy": "Ignore", "timeoutSeconds": 1}]}
        lifecycle(s, f"{ADMISSION}/{plural}webhookconfigurations", minimal, full=full)


@case("admission policies")
def _(s: Script) -> None:
    spec = {"matchConstraints": MATCH, "validations": [{"expression": "true"}]}
    minimal = of_kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", spec=spec)
    full = {"spec": {**spec, "failurePolicy": "Ignore", "variables": [{"name": "v", "expression": "1"}]}}
    lifecycle(s, f"{ADMISSION}/validatingadmissionpolicies", minimal, full=full)
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    binding = of_kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", spec=bound)
    more = {"spec": {**bound, "matchResources": {"namespaceSelector": SELECTOR}}}
    lifecycle(s, f"{ADMISSION}/validatingadmissionpolicybindings", binding, full=more)


@case("mutating admission policies")
def _(s: Script) -> None:
    change = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}
    spec = {"matchConstraints": MATCH, "mutations": [change], "reinvocationPolicy": "Never"}
    minimal = of_kind("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", spec=spec)
    lifecycle(s, f"{ADMISSION}/mutatingadmissionpolicies", minimal, full={"spec": {**spec, "failurePolicy": "Ignore"}})
    binding = of_kind("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", spec={"policyName": "p"})
    lifecycle(s, f"{ADMISSION}/mutatingadmissionpolicybindings", binding, full={"spec": {"policyName": "q"}})


@case("flow schemas and priority levels")
def _(s: Script) -> None:
    path, version = "/apis/flowcontrol.apiserver.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1"
    limited = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    queued = {"type": "Queue", "queuing": {"queues": 2, "handSize": 1}}
    level = of_kind(version, "PriorityLevelConfiguration", spec=limited)
    full = {"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0, "limitResponse": queued}}}
    lifecycle(s, f"{path}/prioritylevelconfigurations", level, full=full)
    flow = of_kind(version, "FlowSchema", spec={"priorityLevelConfiguration": {"name": "catch-all"}})
    rule = {
        "subjects": [{"kind": "User", "user": {"name": "u"}}],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
    }
    more = {**flow["spec"], "matchingPrecedence": 9, "distinguisherMethod": {"type": "ByUser"}, "rules": [rule]}
    # The real server says in their status at once whether their level is there, so no more than this is certain.
    s.post(f"{path}/flowschemas", {**flow, "metadata": {"name": "{ns}-a"}})
    s.post(f"{path}/flowschemas", {**flow, "metadata": {"name": "{ns}-b"}, "spec": more})


@case("devices and claims to them")
def _(s: Script) -> None:
    path, version = "/apis/resource.k8s.io/v1", "resource.k8s.io/v1"
    lifecycle(s, f"{path}/deviceclasses", of_kind(version, "DeviceClass", spec={}), full={"spec": _DEVICE_CLASS})
    requests = [
        {"name": "r", "exactly": {"deviceClassName": "c"}},
        {"name": "s", "exactly": {"deviceClassName": "c", "allocationMode": "All"}},
        {"name": "t", "firstAvailable": [{"name": "x", "deviceClassName": "c"}]},
    ]
    spec = {"devices": {"requests": requests[:1]}}
    claim = of_kind(version, "ResourceClaim", spec=spec)
    lifecycle(s, f"{path}/namespaces/{{ns}}/resourceclaims", claim, full={"spec": {"devices": {"requests": requests}}})
    template = of_kind(version, "ResourceClaimTemplate", spec={"spec": spec})
    lifecycle(s, f"{path}/namespaces/{{ns}}/resourceclaimtemplates", template, full={"spec": {"spec": spec}})


@case("slices of devices")
def _(s: Script) -> None:
    path, version = "/apis/resource.k8s.io/v1/resourceslices", "resource.k8s.io/v1"
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "example.com", "pool": pool, "nodeName": "n"}
    device = {"name": "d", "attributes": {"x": {"int": 5}}, "capacity": {"m": {"value": "1Gi"}}}
    lifecycle(s, path, of_kind(version, "ResourceSlice", spec=spec), full={"spec": {**spec, "devices": [device]}})


@case("certificate signing requests")
def _(s: Script) -> None:
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"request": _REQUEST, "signerName": "example.com/s", "usages": ["client auth"], "username": "nobody"}
    minimal = of_kind("certificates.k8s.io/v1", "CertificateSigningRequest", name="{ns}-a", spec=spec)
    s.post(path, minimal, headers={"Impersonate-User": "jane", "Impersonate-Group": "system:masters"})
    condition = {"type": "Approved", "status": "True", "reason": "r", "message": "m"}
    s.patch(f"{path}/{{ns}}-a/approval", {"status": {"conditions": [condition]}})
    s.patch(f"{path}/{{ns}}-a", {"metadata": {"labels": {"a": "b"}}})
    s.delete(f"{path}/{{ns}}-a")
