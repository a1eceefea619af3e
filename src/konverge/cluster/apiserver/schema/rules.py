"""CEL rules of a schema (`x-kubernetes-validations`), checked on an object: the seam to `cel`.

CEL is loaded when the first schema with rules is met: most have none, and a server is to start at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from konverge.cluster.apiserver.field_error import Fault, FieldError, invalid
from konverge.cluster.apiserver.schema.structural import Structural

# Where one of these stands, a rule may meet a value it was not made for: none is run.
_BLOCKING: Final = (Fault.NOT_SUPPORTED, Fault.REQUIRED, Fault.TOO_LONG, Fault.TOO_MANY, Fault.TYPE_INVALID)
_BLOCKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def rule_errors(value: Any, node: Structural, *, old: Any, errors: Sequence[FieldError]) -> list[FieldError]:
    """Return what the rules say of an object in which `errors` were found before."""
    if not node.has_rules:
        return []
    if any(error.fault in _BLOCKING for error in errors):
        return [invalid("<nil>", None, _BLOCKED)]
    from konverge.cluster.apiserver.cel.rules import check_rules  # noqa: PLC0415 - see above

    return list(check_rules(_compiled(node, is_root=True), value, old).errors)


def default_rule_errors(node: Structural, path: str, *, is_root: bool = False) -> list[FieldError]:
    """Return what the rules say of a node's own default, which stands at `path`: as unchanged, then as new."""
    if not node.has_rules:
        return []
    from konverge.cluster.apiserver.cel.rules import check_rules  # noqa: PLC0415 - see above

    compiled = _compiled(node, is_root=is_root or node.is_embedded)
    errors = list(check_rules(compiled, node.default, node.default, path=path).errors)
    return errors or list(check_rules(compiled, node.default, None, path=path).errors)


def _compiled(node: Structural, *, is_root: bool) -> Any:
    if node.compiled_rules is None:
        from konverge.cluster.apiserver.cel.compiled_rules import compile_rules  # noqa: PLC0415 - see above

        node.compiled_rules = compile_rules(node.schema, is_resource_root=is_root)
    return node.compiled_rules
