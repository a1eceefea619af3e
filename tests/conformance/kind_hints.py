"""What no schema tells: values that must mean something, by the path of a field, or by the name of a schema.

A path begins with the kind; lists count for nothing in it. `{ns}` is the namespace of the case. Rules of admission are
about a group that nobody serves, so that no other request meets them.
"""

from __future__ import annotations

from typing import Any, Final

from cases.builtin_objects import FULL_POD

THEN: Final = "2020-01-01T00:00:00.000000Z"  # with fractions: some times must have them
_MINIMAL_POD: Final[dict[str, Any]] = {"containers": [{"name": "a", "image": "a"}]}
_RUNS_ONCE: Final = {"restartPolicy": "Never"}
_LABELS: Final = {"a": "a"}
# A request of a P-256 key with the subject CN=a, made with openssl.
_CERTIFICATE_REQUEST: Final = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQl"
    "pNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCQlJyRlhSaStPV3AxdU80RUw2VkpvRVRjcDFrK3dYRmdT"
    "V2FUUGhTMFJBY2pBMkhTb3RCcWt4U2t1R0tVc0JhCkNCTnljanFwVzA2b3ZZbmlRWUM0M0xHZ0FEQUtCZ2dxaGtqT1"
    "BRUURBZ05JQURCRkFpRUFoeWV5VXBRWEtOczEKZCswbEJCOG5JSHB4TlVIdnQzdnN2L0l0MGJWY0tDc0NJRW9pNkZN"
    "b002M0lqVnQ2VnhGMitDNnlMY3dMUU81bApWbkRmMSt6MUpUNHYKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC"
    "0tLS0tCg=="
)
_NOBODYS: Final = ["none.example.com"]
_RULE: Final = {"apiGroups": _NOBODYS, "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}
_WEBHOOK: Final[dict[str, Any]] = {
    "name": "a.example.com",
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "clientConfig": {"service": {"namespace": "a", "name": "a"}},
}
_FULL_WEBHOOK: Final[dict[str, Any]] = {
    **_WEBHOOK,
    "clientConfig": {"service": {"namespace": "a", "name": "a", "path": "/a", "port": 1}, "caBundle": "YQ=="},
    "failurePolicy": "Fail",
    "matchConditions": [{"name": "a", "expression": "true"}],
    "matchPolicy": "Exact",
    "namespaceSelector": {"matchLabels": _LABELS},
    "objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
    "rules": [{**_RULE, "scope": "Namespaced"}],
    "timeoutSeconds": 7,
}
_PATCH: Final = "[JSONPatch{op: 'add', path: '/a', value: 'b'}]"
_CLAIM: Final[dict[str, Any]] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_VERSION: Final[dict[str, Any]] = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
}
_DEVICE: Final[dict[str, Any]] = {
    "name": "a",
    "attributes": {"a": {"string": "b"}, "example.com/n": {"int": 1}},
    "capacity": {"a": {"value": "1"}},
}
_ONE_BACKEND: Final[dict[str, Any]] = {"service": {"name": "a", "port": {"number": 1}}}

# By how the path of a field ends, in lower case: texts that are likely to be taken. The first that fits counts.
TEXTS_BY_NAME: Final[dict[str, tuple[str, ...]]] = {
    "pod.spec.serviceaccount": ("default",),  # there must be such a one
    "pod.spec.serviceaccountname": ("default",),
    "pod.spec.priorityclassname": ("", "system-cluster-critical"),
    "apiversion": ("v1", "apps/v1"),
    "apiversions": ("v1", "*"),
    "apigroup": ("", "apps", "rbac.authorization.k8s.io"),
    "apigroups": ("", "apps", "*", "example.com"),
    "admissionreviewversions": ("v1", "v1beta1"),
    "operator": ("In", "NotIn", "Exists", "DoesNotExist"),
    "operations": ("CREATE", "UPDATE", "*"),
    "operation": ("CREATE", "UPDATE"),
    "verbs": ("get", "list", "*"),
    "resources": ("pods", "deployments", "pods/status", "*"),
    "nonresourceurls": ("/a", "/a/*", "*"),
    "kind": ("Pod", "User", "ConfigMap", "Group"),
    "namespace": ("a", "{ns}"),
    "cidr": ("10.0.0.0/24", "2001:db8::/64"),
    "cidrs": ("10.0.0.0/24", "2001:db8::/64"),
    "except": ("10.0.0.0/28",),
    "sourceranges": ("10.0.0.0/8", "2001:db8::/64"),
    "clusterip": ("None", ""),
    "clusterips": ("None",),
    "ip": ("10.0.0.1", "2001:db8::1"),
    "ips": ("10.0.0.1", "2001:db8::1"),
    "addresses": ("10.0.0.1", "10.0.0.2", "2001:db8::1", "example.com"),
    "host": ("example.com", "*.example.com"),
    "hosts": ("example.com", "*.example.com"),
    "path": ("/a", "/b", "a"),
    "url": ("https://example.com/a",),
    "image": ("a", "example.com/a:1"),
    "schedule": ("* * * * *", "@daily"),
    "timezone": ("UTC", "Europe/Berlin"),
    "expression": ("true", "1 < 2", "object.metadata.name == 'a'"),
    "accessmodes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"),
    "protocol": ("TCP", "UDP"),
    "version": ("v1", "v2beta1"),
}
# By the last part of a schema's name: of every object, and of full ones alone.
BY_SCHEMA: Final[dict[str, Any]] = {
    "v1.LabelSelector": {"matchLabels": _LABELS},
    "v1.PodSpec": _MINIMAL_POD,
    "v1.PodTemplateSpec": {"metadata": {"labels": _LABELS}, "spec": _MINIMAL_POD},
    "v1.PersistentVolumeClaimSpec": _CLAIM,
    "v1.JSONSchemaPropsOrArray": {"type": "string"},
    "v1.JSONSchemaPropsOrBool": {"type": "string"},
    "v1.JSONSchemaPropsOrStringArray": {"type": "string"},
    "v1.NodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]},
}
FULL_BY_SCHEMA: Final[dict[str, Any]] = {
    "v1.PodSpec": FULL_POD,
    "v1.PodTemplateSpec": {"metadata": {"labels": _LABELS, "annotations": {"a": "b"}}, "spec": FULL_POD},
}
# By path: of every object, and of full ones alone.
BY_PATH: Final[dict[str, Any]] = {
    "APIService.spec.group": "{ns}.example.com",
    "APIService.spec.version": "v1",
    "APIService.spec.service": {"namespace": "a", "name": "a"},
    "CertificateSigningRequest.spec.request": _CERTIFICATE_REQUEST,
    "CertificateSigningRequest.spec.signerName": "example.com/signer",
    "CertificateSigningRequest.spec.usages": ["client auth"],
    "CronJob.spec.jobTemplate": {
        "spec": {"template": {"metadata": {"labels": _LABELS}, "spec": {**_MINIMAL_POD, **_RUNS_ONCE}}}
    },
    "CustomResourceDefinition.spec.group": "{ns}.example.com",
    "CustomResourceDefinition.spec.names": {"plural": "things", "kind": "Thing"},
    "CustomResourceDefinition.spec.versions": [_VERSION],
    "Event.involvedObject": {"kind": "Pod", "namespace": "{ns}", "name": "a"},
    "Event.regarding": {"kind": "Pod", "namespace": "{ns}", "name": "a"},
    "Event.type": "Normal",
    "HorizontalPodAutoscaler.spec.scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
    "Ingress.spec.defaultBackend": _ONE_BACKEND,
    "Job.spec.template": {"metadata": {"labels": _LABELS}, "spec": {**_MINIMAL_POD, **_RUNS_ONCE}},
    "MutatingAdmissionPolicy.spec.matchConstraints": {"resourceRules": [_RULE]},
    "MutatingAdmissionPolicy.spec.mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": _PATCH}}],
    "MutatingWebhookConfiguration.webhooks": [_WEBHOOK],
    "PersistentVolume.spec": {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/a"},
    },
    "PersistentVolumeClaim.spec": _CLAIM,
    "Pod.spec.priority": 0,
    "Pod.spec.preemptionPolicy": "PreemptLowerPriority",
    "PriorityClass.value": 7,
    "PriorityLevelConfiguration.spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    "ReplicationController.spec": {"selector": _LABELS, "template": BY_SCHEMA["v1.PodTemplateSpec"]},
    "ResourceSlice.spec.nodeName": "a",
    "Service.spec": {"ports": [{"port": 80}]},
    "ServiceCIDR.spec.cidrs": ["10.111.0.0/24"],
    "ValidatingAdmissionPolicy.spec.matchConstraints": {"resourceRules": [_RULE]},
    "ValidatingAdmissionPolicy.spec.validations": [{"expression": "true"}],
    "ValidatingWebhookConfiguration.webhooks": [_WEBHOOK],
    "VolumeAttachment.spec.source": {"persistentVolumeName": "a"},
}
FULL_BY_PATH: Final[dict[str, Any]] = {
    "CronJob.spec.jobTemplate": {
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "template": {"metadata": {"labels": _LABELS}, "spec": {**FULL_POD, **_RUNS_ONCE}},
            "parallelism": 2,
            "completions": 2,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 1,
            "ttlSecondsAfterFinished": 1,
        },
    },
    "CSIDriver.spec.fsGroupPolicy": "File",
    "CSIDriver.spec.volumeLifecycleModes": ["Persistent"],
    "CSIDriver.spec.nodeAllocatableUpdatePeriodSeconds": 10,
    "CustomResourceDefinition.spec.conversion": {"strategy": "None"},
    "CustomResourceDefinition.spec.names": {
        "plural": "things",
        "kind": "Thing",
        "shortNames": ["tg"],
        "categories": ["all"],
        "singular": "thing",
        "listKind": "ThingList",
    },
    "CustomResourceDefinition.spec.versions": [
        {
            **_VERSION,
            "subresources": {"status": {}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
        }
    ],
    "DeviceClass.spec.selectors": [{"cel": {"expression": "true"}}],
    "Endpoints.subsets": [
        {
            "addresses": [
                {"ip": "10.0.0.1", "hostname": "a", "nodeName": "a", "targetRef": {"kind": "Pod", "name": "a"}}
            ],
            "notReadyAddresses": [{"ip": "10.0.0.2"}],
            "ports": [{"port": 1, "name": "a", "protocol": "UDP", "appProtocol": "a"}],
        }
    ],
    "EndpointSlice.addressType": "IPv4",
    "EndpointSlice.endpoints.deprecatedTopology": None,
    "Event.deprecatedCount": None,
    "Event.deprecatedFirstTimestamp": None,
    "Event.deprecatedLastTimestamp": None,
    "Event.deprecatedSource": None,
    "FlowSchema.spec.matchingPrecedence": 7,
    "FlowSchema.spec.rules": [
        {
            "subjects": [
                {"kind": "User", "user": {"name": "nobody"}},
                {"kind": "Group", "group": {"name": "nobodies"}},
            ],
            "resourceRules": [{"verbs": ["get"], "apiGroups": ["*"], "resources": ["a"], "clusterScope": True}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/a"]}],
        }
    ],
    "Job.spec.manualSelector": True,
    "Job.spec.template": {"metadata": {"labels": _LABELS}, "spec": {**FULL_POD, **_RUNS_ONCE}},
    "MutatingAdmissionPolicyBinding.spec.matchResources": {"resourceRules": [_RULE]},
    "MutatingWebhookConfiguration.webhooks": [{**_FULL_WEBHOOK, "reinvocationPolicy": "IfNeeded"}],
    "Node.spec.podCIDR": "10.0.0.0/24",
    "Node.spec.podCIDRs": ["10.0.0.0/24"],
    "PersistentVolume.spec": {
        "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
        "capacity": {"storage": "1.5Gi"},
        "claimRef": {"namespace": "a", "name": "a", "kind": "PersistentVolumeClaim", "apiVersion": "v1"},
        "csi": {"driver": "example.com", "volumeHandle": "a", "fsType": "a", "volumeAttributes": {"a": "b"}},
        "mountOptions": ["a"],
        "nodeAffinity": {"required": BY_SCHEMA["v1.NodeSelector"]},
        "persistentVolumeReclaimPolicy": "Delete",
        "storageClassName": "a",
        "volumeAttributesClassName": "a",
        "volumeMode": "Block",
    },
    "PersistentVolumeClaim.spec": {
        **_CLAIM,
        "selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
        "storageClassName": "a",
        "volumeMode": "Filesystem",
        "volumeName": "a",
        "dataSource": {"apiGroup": "example.com", "kind": "A", "name": "a"},
    },
    "Pod.spec.serviceAccountName": "default",
    "PodDisruptionBudget.spec.maxUnavailable": None,
    "PriorityClass.globalDefault": False,
    "PriorityLevelConfiguration.spec": {
        "type": "Limited",
        "limited": {
            "nominalConcurrencyShares": 0,
            "lendablePercent": 10,
            "borrowingLimitPercent": 20,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 8, "handSize": 2, "queueLengthLimit": 3}},
        },
    },
    "ReplicationController.spec": {
        "selector": _LABELS,
        "template": FULL_BY_SCHEMA["v1.PodTemplateSpec"],
        "replicas": 0,
        "minReadySeconds": 1,
    },
    "ResourceClaim.spec.devices": {
        "requests": [
            {
                "name": "a",
                "exactly": {"deviceClassName": "a", "count": 2, "selectors": [{"cel": {"expression": "true"}}]},
            },
            {"name": "b", "firstAvailable": [{"name": "c", "deviceClassName": "a"}]},
        ],
        "constraints": [{"requests": ["a"], "matchAttribute": "example.com/a"}],
        "config": [{"requests": ["b"], "opaque": {"driver": "example.com", "parameters": {}}}],
    },
    "ResourceSlice.spec": {
        "driver": "example.com",
        "nodeName": "a",
        "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        "devices": [_DEVICE],
    },
    "ResourceQuota.spec.scopeSelector": {"matchExpressions": [{"scopeName": "NotTerminating", "operator": "Exists"}]},
    "ResourceQuota.spec.scopes": ["NotTerminating"],
    "Service.spec": {
        "type": "LoadBalancer",
        "selector": _LABELS,
        "ports": [{"name": "a", "port": 80, "targetPort": "b", "appProtocol": "x"}, {"name": "c", "port": 1}],
        "externalIPs": ["192.0.2.1"],
        "loadBalancerClass": "example.com/a",
        "loadBalancerSourceRanges": ["10.0.0.0/8"],
        "sessionAffinity": "ClientIP",
        "publishNotReadyAddresses": True,
        "trafficDistribution": "PreferSameZone",
    },
    "ValidatingAdmissionPolicyBinding.spec.matchResources": {"resourceRules": [_RULE]},
    "ValidatingWebhookConfiguration.webhooks": [_FULL_WEBHOOK],
}
