"""The functions beyond CEL's own that Kubernetes 1.36 gives to rules of custom resources and of admission.

`LIBRARY_FUNCTIONS` declares them, in the order in which the real server's environment adds them; `BINDINGS` says what
they and CEL's own do. `IDENTIFIERS` are the types whose names are values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.cel.declarations import Function
from konverge.cluster.apiserver.cel.library import (
    authorizers,
    cidrs,
    formats,
    ips,
    list_extras,
    lists,
    map_insert,
    optionals,
    patches,
    quantities,
    regex,
    semvers,
    sets,
    standard,
    strings,
    urls,
)
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import Type, optional_of, type_param

LIBRARY_FUNCTIONS: Final[tuple[Function, ...]] = (
    *urls.FUNCTIONS,
    *regex.FUNCTIONS,
    *lists.FUNCTIONS,
    *authorizers.FUNCTIONS,
    *optionals.FUNCTIONS,
    *quantities.FUNCTIONS,
    *strings.FUNCTIONS,
    *sets.FUNCTIONS,
    *ips.FUNCTIONS,
    *cidrs.FUNCTIONS,
    *formats.FUNCTIONS,
    *authorizers.SELECTORS,
    *map_insert.FUNCTIONS,
    *semvers.FUNCTIONS,
    *list_extras.FUNCTIONS,
)
IDENTIFIERS: Final[Mapping[str, Type]] = {
    "optional_type": optional_of(type_param("V")),
    "net.IP": ips.IP,
    "net.CIDR": cidrs.CIDR,
}
BINDINGS: Final[Bindings] = {
    **standard.BINDINGS,
    **urls.BINDINGS,
    **regex.BINDINGS,
    **lists.BINDINGS,
    **authorizers.BINDINGS,
    **patches.BINDINGS,
    **optionals.BINDINGS,
    **quantities.BINDINGS,
    **strings.BINDINGS,
    **sets.BINDINGS,
    **ips.BINDINGS,
    **cidrs.BINDINGS,
    **formats.BINDINGS,
    **map_insert.BINDINGS,
    **semvers.BINDINGS,
    **list_extras.BINDINGS,
}
