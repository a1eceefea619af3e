"""Normal form: the objects of a namespace without what differs by nature between two runs.

Out go uids, versions, times, random names and addresses; references keep whom they name. Generations depend on how many
steps a controller took, so `observedGeneration` says only whether it is the current one. Events are compared as a set,
without the numbers in their messages: how many steps there were is not what is judged, what was done is.
"""

from __future__ import annotations

import json
import re
from typing import Any

Json = dict[str, Any]

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:\d\d)")
_MINUTE = re.compile(r"(?<=-)\d{8}\b")  # that a CronJob's Job is named after
_POD_ADDRESS = re.compile(r"\b10\.244\.\d+\.\d+\b")
_TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
_CONTAINER_ID = re.compile(r"simulated://[0-9a-f]{64}")
_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"\d+")
_RANDOM_SUFFIX = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])")  # of names that the server made
_COMBINED = "(combined from similar events)"
_NOT_JUDGED = ("Scheduled",)
_SORTED = {"conditions": "type", "volumes": "name"}  # a StatefulSet's volumes come from a map, in any order
_DROPPED = ("uid", "resourceVersion", "generation", "managedFields", "creationTimestamp", "selfLink")


def normal(objects: dict[str, list[Json]], namespace: str) -> dict[str, list[Json]]:
    """Return the normal form of objects by kind."""
    words = {namespace: "<namespace>"}
    for kind, found in objects.items():
        for obj in found:
            metadata = obj["metadata"]
            name = _stable_name(metadata)
            words[metadata["uid"]] = f"<uid of {kind.split()[1]} {name}>"
            if name != metadata["name"]:
                words[metadata["name"]] = name
    text = _Text(words)
    shown = {kind: [_object(kind, obj, text) for obj in found] for kind, found in objects.items()}
    if "v1 Event" in shown:
        shown["v1 Event"] = _events(shown["v1 Event"])
    return {kind: sorted(found, key=lambda obj: json.dumps(obj, sort_keys=True)) for kind, found in shown.items()}


class _Text:
    """Replaces what differs in any text."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        longest_first = sorted(words, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(word) for word in longest_first))

    def __call__(self, text: str) -> str:
        text = self._pattern.sub(lambda match: self._words[match[0]], text)
        for pattern, word in (
            (_TIME, "<time>"),
            (_LOCAL_TIME, r"<time at \1>"),
            (_MINUTE, "<minute>"),
            (_POD_ADDRESS, "<pod address>"),
            (_TOKEN_VOLUME, "kube-api-access-*"),
            (_CONTAINER_ID, "simulated://*"),
            (_UID, "<uid>"),
        ):
            text = pattern.sub(word, text)
        return text


def _stable_name(metadata: Json) -> str:
    prefix = metadata.get("generateName", "")
    return _MINUTE.sub("<minute>", f"{prefix}*" if prefix else str(metadata["name"]))


def _object(kind: str, obj: Json, text: _Text) -> Json:
    generation = obj["metadata"].get("generation")
    shown: Json = _value(obj, text, generation)
    shown["metadata"] = {key: value for key, value in shown["metadata"].items() if key not in _DROPPED}
    if kind == "v1 Event":
        return _event(obj, text)
    if shown["metadata"]["name"] == "kube-root-ca.crt":
        shown["data"] = sorted(shown["data"])  # each cluster has a CA of its own
    return shown


def _value(value: Any, text: _Text, generation: int | None, key: str = "") -> Any:
    if isinstance(value, dict):
        told = {word: each for word, each in value.items() if word != "resourceVersion"}
        kept = {text(word): _value(each, text, generation, word) for word, each in told.items()}
        return {word: each for word, each in kept.items() if each is not None}
    if isinstance(value, list):
        items = [_value(each, text, generation) for each in value]
        by = _SORTED.get(key)
        return sorted(items, key=lambda each: str(each.get(by))) if by else items
    if key == "message":
        return _RANDOM_SUFFIX.sub("-*", text(value))
    if key == "schedule":  # names a minute before the scenario was played
        return _NUMBER.sub("#", value)
    if key == "observedGeneration":
        return "current" if value == generation else "other"
    return text(value) if isinstance(value, str) else value


def _event(obj: Json, text: _Text) -> Json:
    about = obj["involvedObject"]

    def shown(words: str) -> str:
        """Objects that are gone by now are named by their random names."""
        return _NUMBER.sub("#", _RANDOM_SUFFIX.sub("-*", text(words)))

    return {
        "metadata": {},
        "about": f"{about['kind']} {shown(about['name'])}",
        "type": obj["type"],
        "reason": obj["reason"],
        "message": shown(obj.get("message", "")),
    }


def _events(found: list[Json]) -> list[Json]:
    """Each event that is judged, once; of many similar ones, which stands for them all is chance."""
    judged = [each for each in found if each["reason"] not in _NOT_JUDGED and not each["message"].startswith(_COMBINED)]
    return list({json.dumps(event, sort_keys=True): event for event in judged}.values())
