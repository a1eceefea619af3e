from typing import Any

from konverge.cluster.apiserver.cel.compiled_rules import CompiledRules, compile_rules


def compiled(schema: dict[str, Any]) -> CompiledRules:
    """Compile a schema that has rules."""
    found = compile_rules(schema)
    assert found is not None
    return found


def test_no_rules() -> None:
    """A schema without rules has nothing to run."""
    assert compile_rules({"type": "object", "properties": {"a": {"type": "string"}}}) is None


def test_only_nodes_that_lead_to_rules() -> None:
    """The tree has a node for each part with rules below it, and no other."""
    text = {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]}
    schema = {
        "type": "object",
        "properties": {
            "plain": {"type": "string"},
            "list": {"type": "array", "items": text},
            "map": {"type": "object", "additionalProperties": text},
        },
    }
    root = compiled(schema)
    assert sorted(root.properties) == ["list", "map"]
    assert root.properties["list"].items is not None
    assert root.properties["map"].additional is not None
    assert root.rules == ()


def test_rule() -> None:
    """A rule knows whether it compares with the old value, where it points, and how dear it is."""
    rule = {"rule": "self.a == oldSelf.a", "messageExpression": "self.a", "fieldPath": ".a"}
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [rule]}
    found = compiled(schema).rules[0]
    assert found.program is not None
    assert found.message is not None
    assert (found.uses_old_self, found.field_path, found.error, found.message_error) == (True, "a", "", "")
    assert found.cost == 314_577


def test_broken_rules_are_kept() -> None:
    """A rule that does not compile keeps its error, so that it is never silently left out."""
    rules = [{"rule": "foo"}, {"rule": "true", "messageExpression": "1"}, {"rule": " "}]
    schema = {"type": "object", "x-kubernetes-validations": rules}
    broken, message, blank = compiled(schema).rules
    assert broken.program is None
    assert broken.error.startswith("compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo'")
    assert message.message_error == "messageExpression must evaluate to a string"
    assert (blank.program, blank.error) == (None, "")


def test_rules_in_all_of() -> None:
    """Rules in allOf see the value of the schema that holds them."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "allOf": [{"x-kubernetes-validations": [{"rule": "self.a > 1"}]}],
    }
    (found,) = compiled(schema).all_of
    assert found.rules[0].program is not None


def test_rules_on_what_has_no_type() -> None:
    """Rules on a value of unknown type are an error of their node."""
    schema = {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-validations": [{"rule": "true"}]}
    assert compiled(schema).error == "failed to convert to declType for CEL validation rules"
