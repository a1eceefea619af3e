"""The command line as typer knows it: all commands, their help, and what is wrong with an option.

The modules of the commands import nothing but typer: what a command does is imported when it is called, so that help
and completion are quick.
"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from konverge.cli.apiserver import apiserver
from konverge.cli.create_api import create_api
from konverge.cli.create_webhook import create_webhook
from konverge.cli.down import down
from konverge.cli.init import init
from konverge.cli.manifests import manifests
from konverge.cli.models import models
from konverge.cli.run import run
from konverge.cli.up import up
from konverge.cli.version import version as show_versions
from konverge.version import __version__

_BEGIN: Final = """\
A new operator, its tests, and the operator at work, with no cluster at all:

$ konverge init shop --kind Cart

$ make -C shop test

$ make -C shop run
"""

app = typer.Typer(name="konverge", no_args_is_help=True, pretty_exceptions_enable=False)
create = typer.Typer(no_args_is_help=True)
app.command(epilog="$ konverge init shop --domain example.com --kind Cart")(init)
app.add_typer(create, name="create", help="Add a kind, or webhooks of one, to a project.")
create.command("api", epilog="$ konverge create api --group shop --version v1 --kind Cart")(create_api)
create.command("webhook", epilog="$ konverge create webhook --kind Cart --defaulting --validation")(create_webhook)
app.command(epilog="$ konverge run shop.main --local --dev")(run)
app.command(epilog="$ konverge manifests shop.main --image registry.example.com/shop:1.0")(manifests)
app.command(epilog="$ konverge models my-crd.yaml --out src/shop/models")(models)
app.command(epilog="$ konverge up --images images.yaml")(up)
app.command(epilog="$ konverge down")(down)
app.command(epilog="$ konverge apiserver --memory")(apiserver)
app.command("version")(show_versions)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the signature of an option's callback
    if wanted:
        typer.echo(f"konverge {__version__}")
        raise typer.Exit


@app.callback(epilog=_BEGIN)
def konverge(
    *,
    version: Annotated[  # its callback has done all there is to do
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """The reconcile loop for Python: make, run, test and install Kubernetes operators."""
