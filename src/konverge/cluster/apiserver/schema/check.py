"""The thorough check: what is wrong with a value under a schema, as kube-openapi finds and words it.

Slow on purpose: it runs only where the quick check (`accept`) has said no. The order of checks, the counting of what
passed and the choice among alternatives follow the real server's, since they decide which messages a client sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.schema.correlate import Correlated
from konverge.cluster.apiserver.schema.finding import Finding, Findings, Sort
from konverge.cluster.apiserver.schema.formats import format_test
from konverge.cluster.apiserver.schema.number import as_read, check_number, is_whole
from konverge.cluster.apiserver.schema.structural import Limits, Structural

_KINDS = {bool: ("boolean", ""), str: ("string", ""), int: ("integer", "int64"), float: ("number", "float64")}


def check(value: Any, node: Structural, path: str, correlated: Correlated | None = None) -> Findings:
    """Return all that is wrong; what is the same as before is forgiven where it is correlated."""
    findings = _check(value, node, path, correlated)
    if findings and correlated is not None and correlated.is_same():
        findings.forgive()
    return findings


def _check(value: Any, node: Structural, path: str, correlated: Correlated | None) -> Findings:
    findings = Findings()
    if value is None:
        _check_null(node, path, findings)
        return findings
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = as_read(value)
    limits = node.limits
    if node.types or limits.format:
        _passed(findings, _type_faults(value, node, path), is_counted=True)
    findings.merge(_check_combined(value, limits, path))
    findings.matches += 1
    if isinstance(value, str):
        _passed(findings, _text_faults(value, limits, path))
        if (is_format := format_test(limits.format)) is not None:
            _passed(findings, () if is_format(value) else (_wrong_type(path, limits.format, value),))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        findings.add(*check_number(value, path, limits=limits, types=node.types))
        findings.matches += 2
    elif isinstance(value, list):
        findings.merge(_check_list(value, node, path, correlated))
        findings.matches += 1
    _passed(findings, _enum_faults(value, limits, path))
    if isinstance(value, dict):
        findings.merge(_check_object(value, node, path, correlated))
        findings.matches += 1
    findings.matches += 1
    return findings


def _passed(findings: Findings, faults: Iterable[Finding], *, is_counted: bool = False) -> None:
    """Take faults, and count the check; `is_counted`: one that counts itself once more if it finds nothing."""
    found = tuple(faults)
    findings.add(*found)
    findings.matches += 1 + (is_counted and not found)


def _check_null(node: Structural, path: str, findings: Findings) -> None:
    if node.types and "null" not in node.types and not node.nullable:
        findings.add(_wrong_type(path, ",".join(node.types), "null"))
    else:
        findings.matches += 1
    findings.add(*_enum_faults(None, node.limits, path))


def _wrong_type(path: str, wanted: str, found: str) -> Finding:
    return Finding(Sort.TYPE, f"{path} in body must be of type {wanted}: {quoted(found)}", path, found)


def _type_faults(value: Any, node: Structural, path: str) -> Iterator[Finding]:
    default = ("object", "") if isinstance(value, dict) else ("array", "")
    kind, own_format = _KINDS.get(type(value), default)
    types, format_ = node.types, node.limits.format
    is_number = (kind == "number" and "integer" in types and is_whole(value)) or (
        kind == "integer" and "number" in types
    )
    is_textual = isinstance(value, str | list)
    if not is_textual and format_ and not (kind in types or own_format == format_ or is_number):
        yield _wrong_type(path, format_, own_format)
    elif is_textual and format_ and "number" not in types and "integer" not in types:
        return
    elif kind not in types and not is_number:
        yield _wrong_type(path, ",".join(types), kind)


def _text_faults(value: str, limits: Limits, path: str) -> Iterator[Finding]:
    """Only the first fault of a text is told."""
    if limits.max_length is not None and len(value) > limits.max_length:
        message = f"{path} in body should be at most {limits.max_length} chars long"
        yield Finding(Sort.TOO_LONG, message, path, value, limit=limits.max_length)
    elif limits.min_length is not None and len(value) < limits.min_length:
        yield Finding(Sort.OTHER, f"{path} in body should be at least {limits.min_length} chars long", path, value)
    elif limits.pattern:
        yield from _pattern_faults(value, limits.pattern, path)


def _pattern_faults(value: str, pattern: str, path: str) -> Iterator[Finding]:
    try:
        if compile_re2(pattern).matches(value):
            return
    except InvalidPattern as error:
        pattern = f"{pattern}, but pattern is invalid: {error}"
    yield Finding(Sort.OTHER, f"{path} in body should match '{pattern}'", path, value)


def enum_has(enum: tuple[Any, ...], value: Any) -> bool:
    """Whether a value is one of an enumeration's, as Go converts before it compares; null never is."""
    return any(_is_enum_value(value, option) for option in enum)


def _is_enum_value(value: Any, option: Any) -> bool:
    if value is None or option is None:
        return False
    if type(value) is type(option):
        return json_equal(value, option)
    if type(value) is int and type(option) is float:
        return float(value) == option
    if type(value) is float and type(option) is int:
        return int(value) == option
    if type(value) is int and type(option) is str:  # a Go conversion of a number to a text gives a character
        return 0 <= value < 0x110000 and chr(value) == option  # noqa: PLR2004 - the end of Unicode
    return False


def _enum_faults(value: Any, limits: Limits, path: str) -> Iterator[Finding]:
    if limits.enum and not enum_has(limits.enum, value):
        yield Finding(Sort.ENUM, f"{path} in body should be one of {limits.enum}", path, value, supported=limits.enum)


def _check_list(value: list[Any], node: Structural, path: str, correlated: Correlated | None) -> Findings:
    findings = Findings()
    limits = node.limits
    if node.items is not None:
        for index, item in enumerate(value):
            part = correlated.item(index) if correlated else None
            findings.merge(check(item, node.items, f"{path}[{index}]", part))
    size = len(value)
    if limits.min_items is not None and size < limits.min_items:
        findings.add(Finding(Sort.OTHER, f"{path} in body should have at least {limits.min_items} items", path, size))
    if limits.max_items is not None and size > limits.max_items:
        message = f"{path} in body should have at most {limits.max_items} items"
        findings.add(Finding(Sort.TOO_MANY, message, path, size, limit=limits.max_items))
    if limits.has_unique_items and any(json_equal(one, other) for at, one in enumerate(value) for other in value[:at]):
        findings.add(Finding(Sort.OTHER, f"{path} in body shouldn't contain duplicates", path))
    findings.matches += 1
    return findings


def _check_object(value: dict[str, Any], node: Structural, path: str, correlated: Correlated | None) -> Findings:
    findings = Findings()
    findings.add(*_size_faults(value, node.limits, path))
    if node.has_additional:
        _check_additional(value, node, path, findings=findings, correlated=correlated)
    for name, child in node.properties.items():
        if name in value:
            part = None
            if correlated and (path or name not in ("kind", "apiVersion")):
                part = correlated.field(name)
            findings.merge(check(value[name], child, f"{path}.{name}" if path else name, part))
    for name in node.limits.required:
        if name not in value:
            findings.add(Finding(Sort.REQUIRED, f"{path}.{name} in body is required", f"{path}.{name}"))
    return findings


def _size_faults(value: dict[str, Any], limits: Limits, path: str) -> Iterator[Finding]:
    size = len(value)
    if limits.min_properties is not None and size < limits.min_properties:
        yield Finding(Sort.OTHER, f"{path} in body should have at least {limits.min_properties} properties", path, size)
    if limits.max_properties is not None and size > limits.max_properties:
        message = f"{path} in body should have at most {limits.max_properties} properties"
        yield Finding(Sort.TOO_MANY, message, path, size, limit=limits.max_properties)


def _check_additional(
    value: dict[str, Any], node: Structural, path: str, *, findings: Findings, correlated: Correlated | None
) -> None:
    for name, item in value.items():
        if name in node.properties:
            continue
        if not node.allows_additional:
            findings.add(Finding(Sort.OTHER, f"{path}.{name} in body is a forbidden property", path, name))
        elif node.additional is not None:
            part = correlated.field(name) if correlated else None
            findings.merge(check(item, node.additional, f"{path}.{name}", part))


def _check_combined(value: Any, limits: Limits, path: str) -> Findings:
    """Check `anyOf`, `oneOf`, `allOf` and `not`. Nothing below them is forgiven for being old."""
    findings = Findings()
    if limits.any_of:
        _check_any_of(value, limits, path, findings)
    if limits.one_of:
        _check_one_of(value, limits, path, findings)
    if limits.all_of:
        _check_all_of(value, limits, path, findings)
    if limits.negated is not None and not check(value, limits.negated, path):
        findings.add(Finding(Sort.PLAIN, f"{quoted(path)} must not validate the schema (not)"))
    findings.matches += 1
    return findings


def _check_any_of(value: Any, limits: Limits, path: str, findings: Findings) -> None:
    best: Findings | None = None
    for alternative in limits.any_of:
        found = check(value, alternative, path)
        if not found:
            findings.merge(found)
            return
        if best is None or found.matches > best.matches:
            best = found
    findings.add(Finding(Sort.PLAIN, f"{quoted(path)} must validate at least one schema (anyOf)"))
    if best is not None:
        findings.merge(best)


def _check_one_of(value: Any, limits: Limits, path: str, findings: Findings) -> None:
    found = [check(value, alternative, path) for alternative in limits.one_of]
    valid = [one for one in found if not one]
    if len(valid) == 1:
        findings.merge(valid[0])
        return
    how = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
    findings.add(Finding(Sort.PLAIN, f"{quoted(path)} must validate one and only one schema (oneOf). {how}"))
    if not valid:
        findings.merge(max(found, key=lambda one: one.matches))
    # Once one was valid the real server keeps no failure, whichever came first.


def _check_all_of(value: Any, limits: Limits, path: str, findings: Findings) -> None:
    found = [check(value, part, path) for part in limits.all_of]
    for one in found:
        findings.merge(one)
    if any(found):
        none = "" if any(not one for one in found) else ". None validated"
        findings.add(Finding(Sort.PLAIN, f"{quoted(path)} must validate all the schemas (allOf){none}"))
