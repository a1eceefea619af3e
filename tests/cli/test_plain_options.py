"""The options of `konverge apiserver` that are read without typer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from konverge.cli.app import app
from konverge.cli.plain_options import plain_options

COMMAND: Any = get_command(app)
DEFAULTS = {"data": None, "memory": False, "port": 0, "kubeconfig": None, "address": "127.0.0.1", "controllers": False}
WORDS = [
    "--data",
    "--memory",
    "--controllers",
    "--port",
    "--kubeconfig",
    "--address",
    "--port=8",
    "--address=::1",
    "x",
    "1",
    "65535",
]


@given(arguments=st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_is_read_is_what_typer_reads(arguments: list[str]) -> None:
    """Anything else is left to typer, which knows what to say."""
    options = plain_options(["apiserver", *arguments])
    if options is not None:
        read = COMMAND.commands["apiserver"].make_context("apiserver", list(arguments)).params
        assert {**DEFAULTS, **options} == read


def test_all_options_are_known() -> None:
    """What typer knows of the command is read here too."""
    assert {parameter.name for parameter in COMMAND.commands["apiserver"].params} == DEFAULTS.keys()
    arguments = [
        "apiserver",
        "--data",
        "a",
        "--memory",
        "--port",
        "1",
        "--kubeconfig=b",
        "--address",
        "c",
        "--controllers",
    ]
    expected = {
        "data": Path("a"),
        "memory": True,
        "port": 1,
        "kubeconfig": Path("b"),
        "address": "c",
        "controllers": True,
    }
    assert plain_options(arguments) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "models",
        "apiserver --help",
        "apiserver --data",
        "apiserver --data=",
        "apiserver --port x",
        "apiserver x",
        "apiserver --port 65536",
        "apiserver --port -1",
        "apiserver --memory=1",
        "apiserver --data --memory",
    ],
)
def test_what_needs_words_is_left_to_typer(arguments: str) -> None:
    """Help, mistakes, and other commands."""
    assert plain_options(arguments.split()) is None


def test_the_server_imports_no_more_than_it_needs() -> None:
    """Each of these costs a tenth of a second, or a tenth of its memory."""
    code = (
        "import sys; from konverge.cli import serving, plain_options; from konverge.cluster import embedded, http;"
        "print(sorted({'typer', 'rich', 'pydantic', 'aiohttp', 'konverge.client.client', 'email.message'}"
        " & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
