"""Reading YAML as the JSON that it stands for."""

from __future__ import annotations

import pytest

from konverge.errors import ConfigError
from konverge.manifest.yaml_documents import yaml_documents


def test_values_are_those_of_json() -> None:
    """Keys are texts, a date is the text it is, and so is a bare equals sign; an empty document is nothing."""
    text = "on: 2020-13-45\noperator: =\n2: two\n---\n---\n[true]\n"
    assert yaml_documents(text, source="it") == [{"true": "2020-13-45", "operator": "=", "2": "two"}, None, [True]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "it: is not YAML: line "),
        ("a: !!float x", "it: cannot be read as YAML: ValueError: "),
    ],
)
def test_what_is_not_yaml_is_told_with_its_place(text: str, message: str) -> None:
    """And with the name of where it came from."""
    with pytest.raises(ConfigError) as error:
        yaml_documents(text, source="it")
    assert str(error.value).startswith(message)
