"""`konverge version`: which konverge this is, on which Python, and which Kubernetes its models and its server are."""

from __future__ import annotations

import platform

import typer

from konverge.version import KUBERNETES, __version__


def version() -> None:
    """Show the versions of konverge, of Python, and of the Kubernetes API that is built in."""
    typer.echo(f"konverge    {__version__}")
    typer.echo(f"Python      {platform.python_version()}")
    typer.echo(f"Kubernetes  {KUBERNETES}")
