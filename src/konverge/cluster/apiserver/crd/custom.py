"""A CRD as what the server serves: one `Resource` for each served version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from konverge.cluster.apiserver.crd.conditions import is_true
from konverge.cluster.apiserver.crd.custom_strategy import CustomStrategy, Family
from konverge.cluster.apiserver.crd.webhook_conversion import WebhookConversion
from konverge.cluster.apiserver.resource import Resource, Scale
from konverge.cluster.apiserver.version_order import priority

Definition = Mapping[str, Any]
MakeConversion = Callable[[Mapping[str, Any]], WebhookConversion]


def is_served(crd: Definition) -> bool:
    """Whether requests to a CRD's objects are answered: its names are accepted, or once were."""
    return is_true(crd, "NamesAccepted") or is_true(crd, "Established")


def custom_resources(
    crd: Definition, family: Family | None = None, *, convert: MakeConversion | None = None
) -> list[Resource]:
    """Return what a CRD adds to the server; a family that was made of the same spec may be used again.

    `convert` makes the conversion of a CRD whose strategy is Webhook.
    """
    if not is_served(crd):
        return []
    if family is None or not family.is_of(crd):
        conversion = crd["spec"].get("conversion") or {}
        asks = convert is not None and conversion.get("strategy") == "Webhook"
        family = Family(crd, convert(conversion) if asks and convert else None)
    return [_resource(crd, family, version) for version in crd["spec"]["versions"] if version.get("served")]


def _resource(crd: Definition, family: Family, version: Mapping[str, Any]) -> Resource:
    spec, names = crd["spec"], {**crd["spec"]["names"], **(crd["status"].get("acceptedNames") or {})}
    subresources = version.get("subresources") or {}
    return Resource(
        group=spec["group"],
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or "",
        list_kind=names.get("listKind") or f"{names['kind']}List",
        namespaced=spec["scope"] == "Namespaced",
        storage_version=next(one["name"] for one in spec["versions"] if one.get("storage")),
        strategy=CustomStrategy(family, version, is_terminating=is_true(crd, "Terminating")),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        has_status=subresources.get("status") is not None,
        scale=_scale(subresources.get("scale")),
        selectable_fields=_selectable(version),
        deprecation=_deprecation(spec, version),
        is_custom=True,
    )


def _scale(scale: Mapping[str, Any] | None) -> Scale | None:
    if scale is None:
        return None
    return Scale(
        spec_replicas=scale["specReplicasPath"].removeprefix("."),
        status_replicas=scale["statusReplicasPath"].removeprefix("."),
        label_selector=(scale.get("labelSelectorPath") or "").removeprefix("."),
    )


def _selectable(version: Mapping[str, Any]) -> dict[str, str]:
    paths = [field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ()]
    return {path: path for path in paths}


def _deprecation(spec: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    """Return the warning of a deprecated version: the author's, or one that names the newest better one."""
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning") is not None:
        text: str = version["deprecationWarning"]
        return text
    group, kind, name = spec["group"], spec["names"]["kind"], version["name"]
    better = [one["name"] for one in spec["versions"] if one.get("served") and not one.get("deprecated")]
    better = [one for one in better if priority(one) < priority(name)]
    use = f"; use {group}/{min(better, key=priority)} {kind}" if better else ""
    return f"{group}/{name} {kind} is deprecated{use}"
