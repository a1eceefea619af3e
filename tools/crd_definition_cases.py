"""CustomResourceDefinitions, right and wrong, for `capture_crd_answers.py`: each changes one valid definition."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Json = Any
Change = Callable[[Json], None]
_OBJECT: Json = {"type": "object"}


def base() -> Json:
    """Return the definition that the cases change."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [_version("v1")],
        },
    }


def _version(name: str, *, storage: bool = True, **more: Json) -> Json:
    schema = {"type": "object", "properties": {"spec": {"type": "object"}, "status": {"type": "object"}}}
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


def nothing(_: Json) -> None:
    """Change nothing."""


def _spec(**fields: Json) -> Change:
    return lambda crd: crd["spec"].update(deepcopy(fields))


def _names(**names: Json) -> Change:
    return lambda crd: crd["spec"]["names"].update(names)


def _first(**fields: Json) -> Change:
    return lambda crd: crd["spec"]["versions"][0].update(deepcopy(fields))


def _without(*path: str) -> Change:
    def change(crd: Json) -> None:
        for name in path[:-1]:
            crd = crd[name]
        del crd[path[-1]]

    return change


def _schema(schema: Json) -> Change:
    """Replace the schema of the first version."""
    return _first(schema={"openAPIV3Schema": schema})


def _field(schema: Json) -> Change:
    """Put a schema at `spec.x`."""
    return _schema({"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": schema}}}})


def _both(*changes: Change) -> Change:
    def change(crd: Json) -> None:
        for one in changes:
            one(crd)

    return change


def _scale(**paths: str) -> Change:
    whole = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", **paths}
    return _first(subresources={"scale": {name: path for name, path in whole.items() if path}})


def _column(**fields: Json) -> Change:
    return _first(additionalPrinterColumns=[{"name": "N", "type": "string", "jsonPath": ".spec.x", **fields}])


def _selectable(*paths: str) -> Change:
    properties: Json = {f"f{index}": {"type": "string"} for index in range(10)}
    properties |= {
        "n": {"type": "number"},
        "flag": {"type": "boolean"},
        "m": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return _both(_schema(schema), _first(selectableFields=[{"jsonPath": path} for path in paths]))


def _webhook(**client: Json) -> Change:
    conversion = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}}
    return _spec(conversion=conversion)


def _protected(value: str | None) -> Change:
    def change(crd: Json) -> None:
        crd["metadata"]["name"] = "things.example.k8s.io"
        crd["spec"]["group"] = "example.k8s.io"
        if value is not None:
            crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": value}

    return change


def _list(items: Json, **more: Json) -> Json:
    return {
        "type": "array",
        "items": items,
        **{f"x-kubernetes-{name.replace('_', '-')}": value for name, value in more.items()},
    }


def _object(properties: Json, **more: Json) -> Json:
    return {"type": "object", "properties": properties, **more}


def _status(schema: Json) -> Change:
    return _both(_schema(schema), _first(subresources={"status": {}}))


_KEY = {"k": {"type": "string"}}
_EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}
_FREE = {"x-kubernetes-preserve-unknown-fields": True}
_WITH_SPEC: Json = {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}

DEFINITIONS: dict[str, Change] = {
    "plain": nothing,
    "no-group": _without("spec", "group"),
    "bad-group": _spec(group="Example.com"),
    "short-group": _both(_spec(group="example"), lambda crd: crd["metadata"].update(name="things.example")),
    "long-group": _spec(group="a" * 254 + ".com"),
    "wrong-name": lambda crd: crd["metadata"].update(name="other.example.com"),
    "no-scope": _without("spec", "scope"),
    "bad-scope": _spec(scope="Global"),
    "cluster": _spec(scope="Cluster"),
    "no-plural": _names(plural=""),
    "no-kind": _names(kind=""),
    "bad-plural": _names(plural="Things"),
    "bad-singular": _names(singular="Thing"),
    "bad-kind": _names(kind="1Thing"),
    "bad-list-kind": _names(listKind="Thing-"),
    "same-kinds": _names(listKind="Thing"),
    "bad-short-names": _names(shortNames=["ok", "Bad", "b ad"]),
    "bad-categories": _names(categories=["all", "All"]),
    "good-names": _names(singular="thing", listKind="ThingList", shortNames=["th"], categories=["all"]),
    "long-names": _names(kind="K" * 64),
    "no-versions": _spec(versions=[]),
    "bad-version": _first(name="V1"),
    "empty-version": _first(name=""),
    "two-versions": _spec(versions=[_version("v1"), _version("v2", storage=False)]),
    "two-schemas": _both(
        _spec(versions=[_version("v1"), _version("v2", storage=False)]),
        lambda crd: crd["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"].update(other=_OBJECT),
    ),
    "same-versions": _spec(versions=[_version("v1"), _version("v1", storage=False)]),
    "two-storages": _spec(versions=[_version("v1"), _version("v2")]),
    "no-storage": _first(storage=False),
    "no-storage-two": _spec(versions=[_version("v1", storage=False), _version("v2", storage=False, deprecated=True)]),
    "not-served": _first(served=False),
    "no-schema": lambda crd: crd["spec"]["versions"][0].pop("schema"),
    "empty-schema": _first(schema={}),
    "one-without-schema": _both(
        _spec(versions=[_version("v1"), _version("v2", storage=False)]),
        lambda crd: crd["spec"]["versions"][1].pop("schema"),
    ),
    "preserving": _spec(preserveUnknownFields=True),
    "preserving-defaults": _both(_spec(preserveUnknownFields=True), _field({"type": "string", "default": "a"})),
    "deprecated": _first(deprecated=True, deprecationWarning="use another"),
    "warning-alone": _first(deprecationWarning="use another"),
    "empty-warning": _first(deprecated=True, deprecationWarning=""),
    "long-warning": _first(deprecated=True, deprecationWarning="x" * 257),
    "odd-warning": _first(deprecated=True, deprecationWarning="a\tb"),
    "status": _first(subresources={"status": {}}),
    "scale": _scale(labelSelectorPath=".status.selector"),
    "scale-without-spec": _scale(specReplicasPath=""),
    "scale-without-status": _scale(statusReplicasPath=""),
    "scale-bad-spec": _scale(specReplicasPath="spec.replicas"),
    "scale-elsewhere": _scale(specReplicasPath=".status.replicas", statusReplicasPath=".spec.replicas"),
    "scale-bad-selector": _scale(labelSelectorPath="status.selector"),
    "scale-selector-elsewhere": _scale(labelSelectorPath=".metadata.labels"),
    "column": _column(format="int32", priority=1, description="d"),
    "column-without-name": _column(name=""),
    "column-without-type": _column(type=""),
    "column-bad-type": _column(type="text"),
    "column-bad-format": _column(format="uuid"),
    "column-without-path": _column(jsonPath=""),
    "column-bad-path": _column(jsonPath="spec.x"),
    "selectable": _selectable(".spec.f0", ".spec.flag"),
    "selectable-empty": _selectable(""),
    "selectable-twice": _selectable(".spec.f0", ".spec.f0"),
    "selectable-number": _selectable(".spec.n"),
    "selectable-object": _selectable(".spec"),
    "selectable-map": _selectable(".spec.m.k"),
    "selectable-unknown": _selectable(".spec.zz"),
    "selectable-no-dot": _selectable("spec.f0"),
    "selectable-array": _selectable(".spec['f0']"),
    "selectable-end": _selectable(".spec."),
    "selectable-metadata": _both(
        _selectable(".metadata.name"),
        lambda crd: crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"].update(
            metadata=_object({"name": {"type": "string"}})
        ),
    ),
    "selectable-many": _selectable(*(f".spec.f{index}" for index in range(9))),
    "selectable-per-version": _both(
        _spec(versions=[_version("v1"), _version("v2", storage=False)]), _selectable(".spec.f0", ".spec.nope")
    ),
    "conversion-none": _spec(conversion={"strategy": "None"}),
    "conversion-bad": _spec(conversion={"strategy": "Magic"}),
    "conversion-empty": _spec(conversion={"strategy": ""}),
    "conversion-none-with-webhook": _spec(
        conversion={
            "strategy": "None",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://a"}},
        }
    ),
    "webhook-alone": _spec(conversion={"strategy": "Webhook"}),
    "webhook-url": _webhook(url="https://example.com/convert"),
    "webhook-http": _webhook(url="http://example.com/convert"),
    "webhook-odd-url": _webhook(url="https://user:word@example.com/?q=1#f"),
    "webhook-no-host": _webhook(url="https:///x"),
    "webhook-service": _webhook(service={"name": "s", "namespace": "n", "path": "/convert"}),
    "webhook-service-no-name": _webhook(service={"name": "", "namespace": "n"}),
    "webhook-service-no-namespace": _webhook(service={"name": "s", "namespace": ""}),
    "webhook-service-port": _webhook(service={"name": "s", "namespace": "n", "port": 70000}),
    "webhook-service-path": _webhook(service={"name": "s", "namespace": "n", "path": "//"}),
    "webhook-service-segments": _webhook(service={"name": "s", "namespace": "n", "path": "a//B_/"}),
    "webhook-both": _webhook(url="https://a", service={"name": "s", "namespace": "n"}),
    "webhook-neither": _webhook(),
    "webhook-reviews": _spec(
        conversion={
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v2", "v2", "V"], "clientConfig": {"url": "https://a"}},
        }
    ),
    "webhook-no-reviews": _spec(
        conversion={
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": [], "clientConfig": {"url": "https://a"}},
        }
    ),
    "protected": _protected(None),
    "protected-approved": _protected("https://github.com/kubernetes/kubernetes/pull/1"),
    "protected-bypassed": _protected("unapproved, experimental"),
    "protected-odd": _protected("yes"),
    # The schema's root.
    "root-array": _schema(_list(_OBJECT)),
    "root-string": _schema({"type": "string"}),
    "root-untyped": _schema({"properties": {}}),
    "root-free": _schema({**_FREE, "type": "object"}),
    "root-nullable": _schema({"type": "object", "nullable": True}),
    "root-additional": _schema({"type": "object", "additionalProperties": {"type": "string"}}),
    "root-status-additional": _status({"type": "object", "additionalProperties": True}),
    "root-status-any": _status({"type": "object", "anyOf": [{"required": ["spec"]}]}),
    "root-status-string": _status({"type": "string"}),
    "root-status-fine": _status({"type": "object", "description": "d", "required": ["spec"], "properties": _WITH_SPEC}),
    "root-status-max-properties": _status({"type": "object", "maxProperties": 3, "properties": _WITH_SPEC}),
    "root-metadata": _schema(_object({"metadata": _object({"name": {"type": "string", "maxLength": 5}})})),
    "root-metadata-labels": _schema(_object({"metadata": _object({"labels": _OBJECT})})),
    "root-metadata-string": _schema(_object({"metadata": {"type": "string"}})),
    "root-metadata-described": _schema(_object({"metadata": {"type": "object", "description": "d"}})),
    "root-metadata-default": _schema(_object({"metadata": _object({"name": {"type": "string", "default": "a"}})})),
    "root-kind-integer": _schema(_object({"kind": {"type": "integer"}, "apiVersion": {"type": "boolean"}})),
    "root-kind-default": _schema(_object({"kind": {"type": "string", "default": "a"}})),
    # Types and keywords.
    "untyped-field": _field({"maxLength": 1}),
    "untyped-items": _field(_list({})),
    "unknown-type": _field({"type": "uuid"}),
    "null-type": _field({"type": "null"}),
    "array-without-items": _field({"type": "array"}),
    "items-array": _field({"type": "array", "items": [{"type": "string"}, {"type": "string"}]}),
    "unique-items": _field({**_list({"type": "string"}), "uniqueItems": True}),
    "both-properties": _field(_object(_KEY, additionalProperties={"type": "string"})),
    "properties-and-true": _field(_object(_KEY, additionalProperties=True)),
    "properties-and-false": _field(_object(_KEY, additionalProperties=False)),
    "id": _field({"type": "string", "id": "x"}),
    "$schema": _field({"type": "string", "$schema": "http://json-schema.org/schema"}),
    "$ref": _field({"type": "string", "$ref": "#/x"}),
    "pattern-properties": _field({"type": "object", "patternProperties": {"a": {"type": "string"}}}),
    "definitions": _field({"type": "object", "definitions": {"a": {"type": "odd"}}}),
    "dependencies": _field({"type": "object", "dependencies": {"a": ["b"]}}),
    "additional-items": _field({**_list({"type": "string"}), "additionalItems": True}),
    "bad-pattern": _field({"type": "string", "pattern": "["}),
    "look-ahead": _field({"type": "string", "pattern": "(?=a)b"}),
    "odd-patterns": _schema(
        _object(
            {
                "spec": _object(
                    {
                        f"p{index}": {"type": "string", "pattern": pattern}
                        for index, pattern in enumerate(
                            [
                                "*a",
                                "a**",
                                "(a",
                                "a)",
                                "a{1001}",
                                "[b-a]",
                                r"\y",
                                "\\",
                                r"\p{Greekish}",
                                "a{2,1}",
                                "(?<n",
                                "[[:odd:]]",
                                "(?P<1a!>x)",
                                "(?i)(?s-m:.)$",
                                r"[\d\-x]+\.\pL\Q*\E",
                                "x{,3}",
                                "a++",
                                "(?z)",
                            ]
                        )
                    }
                )
            }
        )
    ),
    "unheard-formats": _schema(
        _object(
            {"spec": _object({"a": {"type": "string", "format": "odd"}, "b": {"type": "integer", "format": "uuid"}})}
        )
    ),
    "preserve-false": _field({"type": "object", "x-kubernetes-preserve-unknown-fields": False}),
    # Combinations.
    "nested-type": _field({"type": "string", "anyOf": [{"type": "string"}]}),
    "nested-everything": _field(
        {
            "type": "object",
            "allOf": [
                {
                    **_FREE,
                    "title": "t",
                    "description": "d",
                    "nullable": True,
                    "default": 1,
                    "additionalProperties": {"type": "string"},
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-int-or-string": True,
                    "x-kubernetes-list-map-keys": ["a"],
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-map-type": "atomic",
                    "x-kubernetes-validations": [{"rule": "true"}],
                }
            ],
        }
    ),
    "nested-undeclared": _schema({"type": "object", "anyOf": [{"properties": {"spec": {"required": ["a"]}}}]}),
    "nested-undeclared-field": _field(_object(_KEY, oneOf=[{"properties": {"z": {"maxLength": 1}}}])),
    "nested-metadata": _schema({"type": "object", "not": {"properties": {"metadata": {}}}}),
    "nested-items": _schema(
        _object({"l": _list({"type": "string"})}, allOf=[{"properties": {"l": {"items": {"maxLength": 1}}}}])
    ),
    "nested-undeclared-items": _schema(
        _object({"l": _OBJECT}, allOf=[{"properties": {"l": {"items": {"maxLength": 1}}}}])
    ),
    "int-or-string": _field({"x-kubernetes-int-or-string": True}),
    "int-or-string-typed": _field({"x-kubernetes-int-or-string": True, "type": "integer"}),
    "int-or-string-any": _field(
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
    ),
    "int-or-string-other": _field(
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "string"}, {"type": "integer"}]}
    ),
    "int-or-string-all": _field(
        {
            "x-kubernetes-int-or-string": True,
            "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"maximum": 3}],
        }
    ),
    "int-or-string-free": _field({**_FREE, "x-kubernetes-int-or-string": True, "x-kubernetes-embedded-resource": True}),
    # Embedded objects.
    "embedded-free": _field({**_EMBEDDED, **_FREE}),
    "embedded-empty": _field(_EMBEDDED),
    "embedded-string": _field({**_EMBEDDED, **_FREE, "type": "string"}),
    "embedded-untyped": _field({"x-kubernetes-embedded-resource": True, **_FREE}),
    "embedded-additional": _field({**_EMBEDDED, **_FREE, "additionalProperties": {"type": "string"}}),
    "embedded-kind": _field({**_EMBEDDED, "properties": {"kind": {"type": "integer"}, "metadata": {"type": "string"}}}),
    "embedded-in-metadata": _field({**_EMBEDDED, "properties": {"metadata": {**_EMBEDDED, **_FREE}}}),
    "embedded-default": _field(
        {**_EMBEDDED, **_FREE, "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}}
    ),
    "embedded-bad-default": _field({**_EMBEDDED, **_FREE, "default": {"kind": "Pod", "metadata": {"name": "a/b"}}}),
    "embedded-meta-default": _field(
        {**_EMBEDDED, "properties": {"metadata": _object({"name": {"type": "string", "default": "a/b"}})}}
    ),
    "embedded-kind-default": _field({**_EMBEDDED, "properties": {"kind": {"type": "string", "default": "Pod"}}}),
    "embedded-label-default": _field(
        {
            **_EMBEDDED,
            "properties": {
                "metadata": _object(
                    {"labels": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}}}
                )
            },
        }
    ),
    # Lists and maps.
    "list-type-odd": _field(_list({"type": "string"}, list_type="bag")),
    "list-type-on-object": _field({"type": "object", "x-kubernetes-list-type": "set"}),
    "list-type-untyped": _field({**_FREE, "x-kubernetes-list-type": "set"}),
    "map-type-odd": _field({"type": "object", "x-kubernetes-map-type": "loose"}),
    "map-type-on-array": _field(_list({"type": "string"}, map_type="atomic")),
    "map-type-untyped": _field({**_FREE, "x-kubernetes-map-type": "granular"}),
    "set-of-objects": _field(_list(_OBJECT, list_type="set")),
    "set-of-atomic-objects": _field(_list({**_OBJECT, "x-kubernetes-map-type": "atomic"}, list_type="set")),
    "set-of-lists": _field(_list(_list({"type": "string"}, list_type="set"), list_type="set")),
    "set-of-nullable": _field(_list({"type": "string", "nullable": True}, list_type="set")),
    "keys-without-type": _field(_list(_object(_KEY), list_map_keys=["k"])),
    "keys-of-set": _field(_list({"type": "string"}, list_type="set", list_map_keys=["k"])),
    "map-without-keys": _field(_list(_object(_KEY), list_type="map")),
    "map-of-strings": _field(_list({"type": "string"}, list_type="map", list_map_keys=["k"])),
    "map-key-optional": _field(_list(_object(_KEY), list_type="map", list_map_keys=["k"])),
    "map-key-required": _field(_list(_object(_KEY, required=["k"]), list_type="map", list_map_keys=["k"])),
    "map-key-default": _field(
        _list(_object({"k": {"type": "string", "default": "d"}}), list_type="map", list_map_keys=["k"])
    ),
    "map-key-unknown": _field(_list(_object(_KEY, required=["k"]), list_type="map", list_map_keys=["k", "z"])),
    "map-key-twice": _field(_list(_object(_KEY, required=["k"]), list_type="map", list_map_keys=["k", "k"])),
    "map-key-object": _field(_list(_object({"k": _OBJECT}, required=["k"]), list_type="map", list_map_keys=["k"])),
    "map-key-nullable": _field(
        _list(
            _object({"k": {"type": "string", "nullable": True}}, required=["k"], nullable=True),
            list_type="map",
            list_map_keys=["k"],
        )
    ),
    # Defaults.
    "default": _field({"type": "string", "default": "a"}),
    "default-null": _field({"type": "string", "default": None}),
    "default-of-other-type": _field({"type": "string", "default": 5}),
    "default-too-long": _field({"type": "string", "maxLength": 1, "default": "abc"}),
    "default-not-in-enum": _field({"type": "string", "enum": ["a"], "default": "b"}),
    "default-unpruned": _field(_object(_KEY, default={"k": "a", "z": 1})),
    "default-nested-wrong": _field(_object({"k": {"type": "integer"}}, default={"k": "a"})),
    "default-in-items": _field(_list({"type": "integer", "default": "a"})),
    "default-in-additional": _field({"type": "object", "additionalProperties": {"type": "integer", "default": "a"}}),
    "default-required-missing": _field(_object(_KEY, required=["k"], default={})),
    "default-int-or-string": _field({"x-kubernetes-int-or-string": True, "default": 1.5}),
    "default-format": _field({"type": "string", "format": "date", "default": "x"}),
    "default-odd-format": _field({"type": "string", "format": "odd", "default": 5}),
    "default-any-of": _field({"type": "string", "anyOf": [{"maxLength": 1}, {"enum": ["abc"]}], "default": "xyz"}),
    # Rules: what is wrong beside the expression.
    "rule-empty": _field({"type": "string", "x-kubernetes-validations": [{"rule": " "}]}),
    "rule-blank-message": _field({"type": "string", "x-kubernetes-validations": [{"rule": "true", "message": " "}]}),
    "rule-broken-message": _field(
        {"type": "string", "x-kubernetes-validations": [{"rule": "true", "message": "a\nb"}]}
    ),
    "rule-lines": _field({"type": "string", "x-kubernetes-validations": [{"rule": "true ||\ntrue"}]}),
    "rule-blank-expression": _field(
        {"type": "string", "x-kubernetes-validations": [{"rule": "true", "messageExpression": " "}]}
    ),
    "rule-reason": _field({"type": "string", "x-kubernetes-validations": [{"rule": "true", "reason": "Odd"}]}),
    "rule-field-path": _field(
        _object(
            _KEY,
            **{
                "x-kubernetes-validations": [
                    {"rule": "true", "fieldPath": path} for path in (".z", " ", ".k\n", ".k", "k")
                ]
            },
        )
    ),
    "rule-fine": _field({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "message": "m"}]}),
    "rule-unknown-name": _field({"type": "integer", "x-kubernetes-validations": [{"rule": "slef > 0"}]}),
    "rule-not-boolean": _field({"type": "integer", "x-kubernetes-validations": [{"rule": "self + 1"}]}),
    "rule-syntax": _field({"type": "integer", "x-kubernetes-validations": [{"rule": "self > "}]}),
    "rule-old-in-list": _field(_list({"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]})),
    "rule-optional-old": _field(
        {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "optionalOldSelf": True}]}
    ),
    "rule-bad-message-expression": _field(
        {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "messageExpression": "self"}]}
    ),
    "rule-costly": _field(_list({"type": "string", "x-kubernetes-validations": [{"rule": "self.contains('x')"}]})),
    "rule-costly-total": _field(
        _list(_object(_KEY, **{"x-kubernetes-validations": [{"rule": "self.k.matches('a+')"}] * 2}))
    ),
    "rule-refused-default": _field(
        {"type": "integer", "default": 0, "x-kubernetes-validations": [{"rule": "self > 0"}]}
    ),
}

UPDATES: dict[str, tuple[Change, Change]] = {
    "same": (nothing, nothing),
    "other-group": (nothing, _spec(group="other.com")),
    "other-plural": (nothing, _names(plural="others")),
    "other-kind": (nothing, _names(kind="Other")),
    "other-scope": (nothing, _spec(scope="Cluster")),
    "new-version": (nothing, lambda crd: crd["spec"]["versions"].append(_version("v2", storage=False))),
    "other-storage": (
        nothing,
        lambda crd: crd["spec"].update(versions=[_version("v1", storage=False), _version("v2")]),
    ),
    "dropped-version": (nothing, lambda crd: crd["spec"].update(versions=[_version("v2")])),
    "no-schema": (nothing, lambda crd: crd["spec"]["versions"][0].pop("schema")),
    "preserving": (nothing, _spec(preserveUnknownFields=True)),
    "bad-bundle": (_webhook(url="https://a"), _webhook(url="https://a", caBundle="YWJj")),
    "approval-dropped": (_protected("https://github.com/a/b"), lambda crd: crd["metadata"].pop("annotations")),
    "approval-kept": (_protected("unapproved"), _names(shortNames=["x"])),
    "new-short-names": (nothing, _names(shortNames=["th"])),
    "schema-worse": (nothing, _field({"maxLength": 1})),
    "no-version": (nothing, lambda crd: crd["metadata"].pop("resourceVersion")),
    "new-format": (nothing, _field({"type": "string", "format": "odd"})),
}
