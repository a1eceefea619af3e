"""What may be said of a job in its status, and what may not be taken back."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of jobs")

PATH: Final = "/apis/batch/v1/namespaces/{ns}/jobs"
_NOON, _LATER = "2020-01-01T12:00:00Z", "2020-01-01T13:00:00Z"
_INDEXED: Final = {"completionMode": "Indexed", "completions": 10, "parallelism": 3}


def _made(s: Script, **spec: Any) -> None:
    pod = {"containers": [{"name": "a", "image": "i"}], "restartPolicy": "Never"}
    s.post(PATH, {"metadata": {"name": "a"}, "spec": {"template": {"spec": pod}, **spec}})


def _true(*kinds: str) -> list[dict[str, str]]:
    return [{"type": kind, "status": "True"} for kind in kinds]


def _says(s: Script, *statuses: Any) -> None:
    for status in statuses:
        s.patch(f"{PATH}/a/status", {"status": status})


_DONE: Final = {
    "startTime": _NOON,
    "completionTime": _LATER,
    "conditions": _true("SuccessCriteriaMet", "Complete"),
}


@case("texts of completed indexes")
def _(s: Script) -> None:
    _made(s, **_INDEXED)
    broken = ("x", "1,", "1-2-3", "10", "1-10", "3-3", "3-2", "3,2", "1-4,4", "-1", "9" * 30, "1 ,2")
    _says(s, *({"completedIndexes": text} for text in (*broken, "+1", "1,3-5,7", "")))


@case("texts of failed indexes")
def _(s: Script) -> None:
    _made(s, **_INDEXED, backoffLimitPerIndex=1)
    _says(s, *({"failedIndexes": text} for text in ("x", "11", "2-1", "1,3-5", "")))
    _says(
        s,
        {"completedIndexes": "1-3", "failedIndexes": "3-5"},
        {"completedIndexes": "0,7", "failedIndexes": "x,3-5,7"},
        {"completedIndexes": "y,2,4-6", "failedIndexes": "1,3,5"},
        {"completedIndexes": "0,2", "failedIndexes": "1,3"},
        {"completedIndexes": "0,2-3"},
        {"failedIndexes": None},
    )


@case("indexes of a job that has none")
def _(s: Script) -> None:
    _made(s, completions=4)
    _says(s, {"completedIndexes": "1"}, {"failedIndexes": "1"}, {"failedIndexes": ""}, {"completedIndexes": "9"})


@case("pods that are not counted yet")
def _(s: Script) -> None:
    _made(s)
    _says(
        s,
        {"uncountedTerminatedPods": {"succeeded": ["a", ""], "failed": ["a", "b", "b"]}},
        {"uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]}},
        {**_DONE, "uncountedTerminatedPods": {"succeeded": ["a"], "failed": None}},
        {**_DONE, "uncountedTerminatedPods": None},
        {"uncountedTerminatedPods": {"failed": ["x"]}},
    )


@case("times")
def _(s: Script) -> None:
    _made(s)
    _says(
        s,
        {"completionTime": _NOON},
        {"startTime": _LATER},
        {"startTime": _NOON},
        {"startTime": None},
        {**_DONE, "startTime": _LATER, "completionTime": _NOON},
        {**_DONE, "startTime": _LATER, "completionTime": None},
        {**_DONE, "startTime": _LATER, "completionTime": _LATER},
        {"completionTime": "2020-01-01T14:00:00Z"},
        {"completionTime": None},
        {"startTime": "2020-01-01T12:30:00Z"},
    )


@case("the start of a suspended job, and of one that goes on")
def _(s: Script) -> None:
    _made(s, suspend=True)
    _says(s, {"startTime": _NOON}, {"startTime": _LATER, "conditions": _true("Suspended")})
    s.patch(f"{PATH}/a", {"spec": {"suspend": False}})
    _says(s, {"startTime": _NOON})
    _says(s, {"startTime": _NOON, "conditions": [{"type": "Suspended", "status": "False"}]}, {"startTime": _LATER})


@case("counts of a finished job")
def _(s: Script) -> None:
    _made(s)
    _says(
        s,
        {"active": 1, "ready": 2},
        {"active": 2, "ready": 1, "terminating": 1},
        {**_DONE},
        {**_DONE, "active": 0, "ready": 0},
        {**_DONE, "active": 0, "ready": 0, "terminating": 0, "startTime": None},
        {**_DONE, "active": 0, "ready": 0, "terminating": 0, "succeeded": 2, "failed": 1},
        {"active": 1},
        {"terminating": 3},
        {"succeeded": 1},
        {"failed": 0},
    )


@case("the end of a job that never ran")
def _(s: Script) -> None:
    _made(s, suspend=True, completions=0)
    _says(s, {"completionTime": _LATER, "conditions": _true("SuccessCriteriaMet", "Complete")})


@case("fewer successes of an elastic job")
def _(s: Script) -> None:
    _made(s, completionMode="Indexed", completions=3, parallelism=3)
    _says(s, {"succeeded": 2, "failed": 2}, {"succeeded": 1}, {"failed": 1})


@case("conditions that contradict each other")
def _(s: Script) -> None:
    _made(s)
    _says(
        s,
        {"conditions": _true("Complete")},
        {"conditions": _true("Failed")},
        {**_DONE, "conditions": _true("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")},
        {**_DONE, "conditions": _true("SuccessCriteriaMet", "FailureTarget"), "completionTime": None},
        {"conditions": _true("SuccessCriteriaMet")},
        {"conditions": []},
        {"conditions": _true("SuccessCriteriaMet"), "active": 1},
        {**_DONE},
        {"conditions": _true("SuccessCriteriaMet")},
        {"conditions": []},
    )


@case("failure is not taken back")
def _(s: Script) -> None:
    _made(s, **_INDEXED, backoffLimitPerIndex=1)
    _says(
        s,
        {"startTime": _NOON, "conditions": _true("FailureTarget")},
        {"conditions": _true("Failed", "FailureTarget"), "failedIndexes": "1"},
        {"conditions": _true("Failed")},
        {"conditions": _true("Failed"), "failedIndexes": "1,2"},
        {"conditions": _true("Failed", "FailureTarget", "Complete")},
    )


@case("a policy of success")
def _(s: Script) -> None:
    _made(s, **_INDEXED, successPolicy={"rules": [{"succeededCount": 1}]})
    _says(s, {**_DONE, "conditions": _true("Complete")}, _DONE)
