"""Kubernetes' named formats: `format.dns1123Label().validate(text)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from konverge.cluster.apiserver.cel.cel_error import no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.go_time import parse_date
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.go_url import InvalidUrl, parse_request_uri
from konverge.cluster.apiserver.cel.types import STRING, list_of, optional_of, struct
from konverge.cluster.apiserver.cel.values import NONE, Optional
from konverge.cluster.apiserver.name_rules import (
    before_suffix,
    dns_1035_label,
    dns_label,
    dns_subdomain,
    label_value,
    qualified_name,
)

FORMAT: Final = struct("kubernetes.NamedFormat")
_UUID: Final = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})")
_SHORTEST_TIME: Final = 4


@dataclass(frozen=True, slots=True)
class FormatValue:
    """A format: `validate` returns what is wrong with a text; `regex_size` is what costs count with."""

    CEL_TYPE: ClassVar[str] = "kubernetes.NamedFormat"
    name: str
    validate: Callable[[str], list[str]]
    regex_size: int

    def same(self, other: Any) -> bool:
        """Whether both are the same format."""
        if other.__class__ is not FormatValue:
            raise no_such_overload()
        return bool(self.name == other.name)


def _prefix_of(rule: Callable[[str], list[str]], text: str) -> list[str]:
    return rule(before_suffix(text))


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except InvalidUrl as error:
        return [str(error)]
    return []


def _test(is_valid: Callable[[str], bool], message: str, text: str) -> list[str]:
    return [] if is_valid(text) else [message]


def _is_datetime(text: str) -> bool:
    date, mark, time = text.lower().partition("t")
    time = time.split("t")[0]
    if len(text.encode()) < _SHORTEST_TIME or not mark or parse_date(date) is None:
        return False
    match = _TIME.fullmatch(time)
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


_UUID_SIZE: Final = 70
_DATETIME_SIZE: Final = 71
_FORMATS: Final[dict[str, FormatValue]] = {
    "dns1123Label": FormatValue("DNS1123Label", dns_label, 30),
    "dns1123Subdomain": FormatValue("DNS1123Subdomain", dns_subdomain, 60),
    "dns1035Label": FormatValue("DNS1035Label", dns_1035_label, 30),
    "qualifiedName": FormatValue("QualifiedName", qualified_name, 60),
    "dns1123LabelPrefix": FormatValue("DNS1123LabelPrefix", partial(_prefix_of, dns_label), 30),
    "dns1123SubdomainPrefix": FormatValue("DNS1123SubdomainPrefix", partial(_prefix_of, dns_subdomain), 60),
    "dns1035LabelPrefix": FormatValue("DNS1035LabelPrefix", partial(_prefix_of, dns_1035_label), 30),
    "labelValue": FormatValue("LabelValue", label_value, 40),
    "uri": FormatValue("URI", _uri, 1103),
    "uuid": FormatValue(
        "uuid",
        partial(_test, lambda text: _UUID.fullmatch(text) is not None, "does not match the UUID format"),
        _UUID_SIZE,
    ),
    "byte": FormatValue("byte", partial(_test, lambda text: _BASE64.fullmatch(text) is not None, "invalid base64"), 84),
    "date": FormatValue(
        "date", partial(_test, lambda text: parse_date(text) is not None, "invalid date"), _DATETIME_SIZE
    ),
    "datetime": FormatValue("datetime", partial(_test, _is_datetime, "invalid datetime"), _DATETIME_SIZE),
}

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("validate", member("format-validate", [FORMAT, STRING], optional_of(list_of(STRING)))),
    function("format.named", overload("format-named", [STRING], optional_of(FORMAT))),
    *(function(f"format.{name}", overload(f"format.{name}", [], FORMAT)) for name in _FORMATS),
)


def _validate(form: FormatValue, text: str) -> Optional:
    wrong = form.validate(text)
    return Optional(list(wrong)) if wrong else NONE


def _named(name: str) -> Optional:
    form = _FORMATS.get(name)
    return NONE if form is None else Optional(form)


def _constant(form: FormatValue) -> Callable[[], FormatValue]:
    return lambda: form


BINDINGS: Final[Bindings] = {
    "format-validate": _validate,
    "format-named": _named,
    **{f"format.{name}": _constant(form) for name, form in _FORMATS.items()},
}
