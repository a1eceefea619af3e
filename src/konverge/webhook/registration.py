"""Registration: what the API server has to know of a webhook, as values; and the configurations made of them.

`webhook_options(…)` on a defaulter's or validator's class says how the API server treats it; the rest follows from the
kind. `configurations` turns registrations into a MutatingWebhookConfiguration and a ValidatingWebhookConfiguration.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypedDict, TypeVar, Unpack

import msgspec

from konverge.api.form import Kind, form_of
from konverge.api.kind import GroupVersionKind, Resource
from konverge.errors import RequestError

CONVERT_PATH: Final = "/convert"
_DOMAIN: Final = "konverge.dev"  # makes the name of a webhook long enough where its group is a single word
_OPTIONS: Final = "__webhook__"
C = TypeVar("C", bound=type)
Json = dict[str, Any]


class MatchCondition(msgspec.Struct, frozen=True):
    """A CEL expression that must be true for the webhook to be asked."""

    name: str
    expression: str


class WebhookOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the API server treats a webhook; the defaults are those of controller-gen, or the API server's."""

    failure_policy: Literal["Fail", "Ignore"] = "Fail"  # when it cannot be asked
    side_effects: Literal["None", "NoneOnDryRun"] = "None"
    timeout_seconds: int = 10  # 1 to 30
    operations: tuple[str, ...] = ()  # none: what the handler has methods for
    subresources: tuple[str, ...] = ()  # asked about as well as the resource itself, such as "status"
    reinvocation_policy: Literal["Never", "IfNeeded"] = "Never"  # of a defaulter, after others changed the object
    match_policy: Literal["Exact", "Equivalent"] = "Equivalent"
    match_conditions: tuple[MatchCondition, ...] = ()
    namespace_selector: Mapping[str, Any] | None = None  # as the wire spells it
    object_selector: Mapping[str, Any] | None = None
    name: str = ""  # a domain of three parts at least; by default made of the kind

    def __post_init__(self) -> None:
        if not 1 <= self.timeout_seconds <= 30:  # noqa: PLR2004 - the API server's bounds
            raise RequestError(f"timeout_seconds={self.timeout_seconds}: a webhook has 1 to 30 seconds")


class WebhookChanges(TypedDict, total=False):
    """The same options as keywords, for type checkers."""

    failure_policy: Literal["Fail", "Ignore"]
    side_effects: Literal["None", "NoneOnDryRun"]
    timeout_seconds: int
    operations: tuple[str, ...]
    subresources: tuple[str, ...]
    reinvocation_policy: Literal["Never", "IfNeeded"]
    match_policy: Literal["Exact", "Equivalent"]
    match_conditions: tuple[MatchCondition, ...]
    namespace_selector: Mapping[str, Any] | None
    object_selector: Mapping[str, Any] | None
    name: str


def webhook_options(**options: Unpack[WebhookChanges]) -> Callable[[C], C]:
    """Say on the class of a defaulter or validator how the API server treats it; see `WebhookOptions`."""
    made = changed(WebhookOptions(), options)

    def decorate(cls: C) -> C:
        setattr(cls, _OPTIONS, made)
        return cls

    return decorate


def options_of(handler: Any, changes: Mapping[str, Any]) -> WebhookOptions:
    """Return what `webhook_options` said on a handler's class, with changes."""
    found: WebhookOptions = getattr(handler, _OPTIONS, None) or WebhookOptions()
    return changed(found, changes)


def changed(options: WebhookOptions, changes: Mapping[str, Any]) -> WebhookOptions:
    """Return options with changes; one that there is not is an error that lists those that there are."""
    known = WebhookOptions.__struct_fields__
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise RequestError(f"{unknown[0]} is no option of a webhook. There are: {', '.join(known)}")
    return msgspec.structs.replace(options, **changes)


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """One webhook, as the API server has to know it."""

    mutating: bool
    resource: Resource
    operations: tuple[str, ...]
    options: WebhookOptions

    @property
    def path(self) -> str:
        """Where it is served."""
        gvk = self.resource.group_version_kind
        return mutate_path(gvk) if self.mutating else validate_path(gvk)

    @property
    def name(self) -> str:
        """What the API server calls it in its messages."""
        resource = self.resource
        group = resource.group if "." in resource.group else f"{resource.group or 'core'}.{_DOMAIN}"
        letter = "m" if self.mutating else "v"
        return self.options.name or f"{letter}{resource.kind.lower()}-{resource.version}.{group}"


def register(kind: Kind[Any], *, mutating: bool, operations: tuple[str, ...], options: WebhookOptions) -> Registration:
    """Return the registration of a webhook for a kind."""
    form = form_of(kind)
    if form.resource is None:
        raise RequestError(f"a webhook for {form.gvk} needs a class of that kind: its plural is not known here")
    return Registration(
        mutating=mutating, resource=form.resource, operations=options.operations or operations, options=options
    )


def mutate_path(gvk: GroupVersionKind) -> str:
    """Return where the defaulter of a kind is served."""
    return f"/mutate-{_dashed(gvk)}"


def validate_path(gvk: GroupVersionKind) -> str:
    """Return where the validator of a kind is served."""
    return f"/validate-{_dashed(gvk)}"


def _dashed(gvk: GroupVersionKind) -> str:
    return f"{gvk.group.replace('.', '-')}-{gvk.version}-{gvk.kind.lower()}"


class WebhookService(msgspec.Struct, frozen=True, kw_only=True):
    """The Service by which the API server reaches the webhooks."""

    namespace: str
    name: str
    port: int = 443

    @property
    def host(self) -> str:
        """The name that the API server expects in the certificate."""
        return f"{self.name}.{self.namespace}.svc"


Target = WebhookService | str
"""Where the API server finds the webhooks: a Service, or a URL such as "https://127.0.0.1:9443"."""


def client_config(target: Target, path: str, *, ca_bundle: bytes = b"") -> Json:
    """Return the clientConfig of a webhook."""
    found: Json
    if isinstance(target, WebhookService):
        service = {"namespace": target.namespace, "name": target.name, "port": target.port, "path": path}
        found = {"service": service}
    else:
        found = {"url": target.rstrip("/") + path}
    return {**found, "caBundle": base64.b64encode(ca_bundle).decode()} if ca_bundle else found


def conversion_config(target: Target, *, ca_bundle: bytes = b"") -> Json:
    """Return the `spec.conversion` of a CustomResourceDefinition whose versions are converted by us."""
    config = client_config(target, CONVERT_PATH, ca_bundle=ca_bundle)
    return {"strategy": "Webhook", "webhook": {"clientConfig": config, "conversionReviewVersions": ["v1"]}}


def configuration_name(name: str, *, mutating: bool) -> str:
    """Return the name of a configuration, in kubebuilder's form."""
    return f"{name}-{'mutating' if mutating else 'validating'}-webhook-configuration"


def configurations(
    registrations: Iterable[Registration], *, name: str, target: Target, ca_bundle: bytes = b""
) -> list[Json]:
    """Return the configurations that make the API server ask these webhooks: none, one or two objects."""
    found = list(registrations)
    made = []
    for mutating in (True, False):
        hooks = [_hook(each, target, ca_bundle) for each in found if each.mutating is mutating]
        if hooks:
            kind = "MutatingWebhookConfiguration" if mutating else "ValidatingWebhookConfiguration"
            metadata = {"name": configuration_name(name, mutating=mutating)}
            identity = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind}
            made.append({**identity, "metadata": metadata, "webhooks": hooks})
    return made


def _hook(registration: Registration, target: Target, ca_bundle: bytes) -> Json:
    options = registration.options
    hook: Json = {
        "name": registration.name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config(target, registration.path, ca_bundle=ca_bundle),
        "failurePolicy": options.failure_policy,
        "matchPolicy": options.match_policy,
        "rules": [_rule(registration)],
        "sideEffects": options.side_effects,
        "timeoutSeconds": options.timeout_seconds,
    }
    if registration.mutating:
        hook["reinvocationPolicy"] = options.reinvocation_policy
    if options.match_conditions:
        hook["matchConditions"] = [msgspec.to_builtins(condition) for condition in options.match_conditions]
    for key, selector in (
        ("namespaceSelector", options.namespace_selector),
        ("objectSelector", options.object_selector),
    ):
        if selector is not None:
            hook[key] = dict(selector)
    return hook


def _rule(registration: Registration) -> Json:
    resource = registration.resource
    plural = resource.plural
    return {
        "apiGroups": [resource.group],
        "apiVersions": [resource.version],
        "operations": list(registration.operations),
        "resources": [plural, *(f"{plural}/{part}" for part in registration.options.subresources)],
    }
