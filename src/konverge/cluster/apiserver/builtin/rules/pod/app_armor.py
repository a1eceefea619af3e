"""AppArmor profiles: a field of today, and annotations of old that say the same.

A new pod's annotation becomes the field, so that kubelets need not know of both; a template's is only warned of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.each_container import each_container
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

APP_ARMOR_PREFIX: Final = "container.apparmor.security.beta.kubernetes.io/"
_TYPES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_LOCAL: Final = "localhost/"
_WORDS: Final = {"unconfined": "Unconfined", "runtime/default": "RuntimeDefault"}
_LONGEST: Final = 4095  # bytes of a path
_NEEDED: Final = "must be set when AppArmor type is Localhost"
_OLD: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'


def app_armor_errors(context: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the profile of a security context."""
    if (profile := context.get("appArmorProfile")) is not None:
        yield from _profile_errors(profile, f"{path}.appArmorProfile")


def _profile_errors(profile: JsonObject, path: str) -> Iterator[FieldError]:
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    if not kind:
        yield field_error.required(f"{path}.type", "type is required when appArmorProfile is set")
    elif kind not in _TYPES:
        yield field_error.not_supported(f"{path}.type", kind, _TYPES)
    elif kind != "Localhost":
        if local is not None:
            yield field_error.invalid(at, field_error.named(local), "can only be set when AppArmor type is Localhost")
    elif local is None:
        yield field_error.required(at, _NEEDED)
    else:
        yield from _local_errors(local, at)


def _local_errors(local: str, path: str) -> Iterator[FieldError]:
    if local != local.strip():
        yield field_error.invalid(path, local, "must not be padded with whitespace")
    elif not local:
        yield field_error.required(path, _NEEDED)
    if len(local.encode()) > _LONGEST:
        yield field_error.too_long(path, _LONGEST)


def app_armor_annotation_errors(annotations: JsonObject, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    """Judge the annotations: each names a container of the pod, and a profile."""
    names = [container.get("name", "") for container, _ in each_container(spec, "")]
    for key, text in annotations.items():
        if not key.startswith(APP_ARMOR_PREFIX):
            continue
        name = key.removeprefix(APP_ARMOR_PREFIX)
        if name not in names:
            yield field_error.invalid(f"{path}[{key}]", name, "container not found")
        if text and text not in _WORDS and not text.startswith(_LOCAL):
            yield field_error.invalid(f"{path}[{key}]", text, f"invalid AppArmor profile name: {quoted(text)}")


def app_armor_mismatch_errors(annotations: JsonObject, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    """Judge fields that say something else than the annotations."""
    if _is_windows(spec):
        return
    whole = _profile(spec)
    for container, where in each_container(spec, path):
        own = _profile(container)
        profile = whole if own is None else own
        text = annotations.get(APP_ARMOR_PREFIX + container.get("name", ""))
        if profile is None or text is None:
            continue
        wrong = _mismatch(profile, text)
        if wrong:
            said = f"apparmor {'type' if wrong == 'type' else 'profile'} in annotation and field must match"
            yield field_error.forbidden(f"{where}.securityContext.appArmorProfile.{wrong}", said)


def _mismatch(profile: JsonObject, text: str) -> str:
    """Return the field that differs from the annotation; empty where none does."""
    kind = profile.get("type", "")
    if kind not in _TYPES:
        return ""
    if kind != "Localhost":
        return "" if _WORDS.get(text) == kind else "type"
    if not text.startswith(_LOCAL):
        return "type"
    return "" if text.removeprefix(_LOCAL) == profile.get("localhostProfile") else "localhostProfile"


def _is_windows(spec: JsonObject) -> bool:
    return bool((spec.get("os") or {}).get("name") == "windows")


def _profile(holder: JsonObject) -> JsonObject | None:
    found: JsonObject | None = (holder.get("securityContext") or {}).get("appArmorProfile")
    return found


def _annotated(text: str) -> JsonObject | None:
    """Return the field that says what an annotation says; None where there is none."""
    if text in _WORDS:
        return {"type": _WORDS[text]}
    local = text.removeprefix(_LOCAL)
    return {"type": "Localhost", "localhostProfile": local} if local and local != text else None


def copy_annotated_profiles(pod: JsonObject) -> None:
    """Put the annotations of a new pod into the fields of its containers."""
    for container, profile, _ in _outdated(pod):
        if profile is not None:
            container["securityContext"] = {**(container.get("securityContext") or {}), "appArmorProfile": profile}


def annotated_profile_warnings(pod: JsonObject) -> list[str]:
    """Warn of the annotations of a new pod that `copy_annotated_profiles` will turn into fields, or cannot."""
    return [f"metadata.annotations[{key}]: {_OLD}" for _, _, key in _outdated(pod)]


def _outdated(pod: JsonObject) -> Iterator[tuple[JsonObject, JsonObject | None, str]]:
    """Yield the containers without the field, the profile that they get and the annotation that says it."""
    spec, annotations = pod.get("spec") or {}, pod["metadata"].get("annotations") or {}
    if _is_windows(spec):
        return
    for container, _ in each_container(spec, ""):
        key = APP_ARMOR_PREFIX + container.get("name", "")
        if key not in annotations or _profile(container) is not None:
            continue
        profile = _annotated(annotations[key])
        if profile is None or any(_profile_errors(profile, "")):
            yield container, None, key
        elif profile != _profile(spec):
            yield container, profile, key


def app_armor_warnings(container: JsonObject, template: JsonObject, path: str) -> Iterator[str]:
    """Warn of the annotation of a container in a template."""
    key = APP_ARMOR_PREFIX + container.get("name", "")
    text = (template.get("metadata", {}).get("annotations") or {}).get(key)
    if text is None or _profile(container) is not None:
        return
    whole = _profile(template.get("spec", {}))
    if whole is None or whole != _annotated(text):
        yield f"{path}metadata.annotations[{key}]: {_OLD}"
