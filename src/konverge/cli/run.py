"""`konverge run`: an operator at work from here, on the current context or on an API server of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from konverge.errors import ConfigError


def run(
    module: Annotated[
        str | None,
        typer.Argument(
            metavar="MODULE[:manager]",
            help="The operator: shop.main, main.py, main.py:make; the project's own unless given.",
        ),
    ] = None,
    *,
    local: Annotated[
        bool,
        typer.Option("--local", help="On an API server in this process, with the operator's CRDs and webhooks in it."),
    ] = False,
    dev: Annotated[bool, typer.Option("--dev", help="Start it again whenever a file of it changes.")] = False,
    memory: Annotated[bool, typer.Option("--memory", help="With --local: keep nothing when it ends.")] = False,
    controllers: Annotated[
        bool, typer.Option("--controllers", help="With --local: run Kubernetes' built-in controllers, too.")
    ] = False,
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The cluster; that of the current context unless given.")
    ] = None,
    install: Annotated[bool, typer.Option("--install", help="Apply the operator's CRDs first.")] = False,
    webhooks: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Register its webhooks, which the API server reaches at https://HOST:PORT."),
    ] = None,
    level: Annotated[str, typer.Option("--log", help="How much is logged: debug, info, warning, error.")] = "info",
    parent: Annotated[int, typer.Option(hidden=True)] = 0,  # end when this process does; `--dev` gives its own
) -> None:
    """Run an operator from this machine.

    Its module has a `manager`, or a `make_manager()` that returns one, and is imported from this folder or from src.
    Ctrl-C ends it in order.
    """
    if local and kubeconfig is not None:
        raise ConfigError("--local brings a cluster of its own and --kubeconfig names another: give one of the two")
    if (memory or controllers) and not local:
        raise ConfigError("--memory and --controllers are for the API server of --local")
    from konverge.cli.operator_run import Options, run_operator  # noqa: PLC0415 - a manager and all it needs

    options = Options(
        install=install or local,
        webhooks="https://127.0.0.1:0" if local and webhooks is None else webhooks,
        level=level,
        parent=parent,
    )
    run_operator(module, options, kubeconfig=kubeconfig, local=local, memory=memory, controllers=controllers, dev=dev)
