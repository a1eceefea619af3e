"""`konverge manifests`: an operator's CRDs, roles, Deployment and the rest, made from its code."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from konverge.errors import ConfigError


class Certificates(StrEnum):
    """Who makes the webhooks' certificate."""

    KONVERGE = "konverge"
    CERT_MANAGER = "cert-manager"


def manifests(
    module: Annotated[
        str | None,
        typer.Argument(
            metavar="MODULE[:manager]",
            help="The operator: shop.main, src/main.py, main.py:make; the project's own unless given.",
        ),
    ] = None,
    pytest: Annotated[
        list[str] | None,
        typer.Argument(metavar="PYTEST", help="With --audit, after --: arguments for pytest, such as -- -k shop."),
    ] = None,
    *,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders are written.")] = Path("config"),
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD", help="Compare with these CRDs (a file or a folder) first; end if stored objects break."
        ),
    ] = None,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Write nothing: run the project's tests, and tell which rules are missing or never used."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="With --audit: tell it as JSON.")] = False,
    name: Annotated[str | None, typer.Option(help="What names begin with; the package's name unless given.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Where it is to run; NAME-system unless given.")] = None,
    image: Annotated[str, typer.Option(help="The image of the Deployment.")] = "controller:latest",
    certificates: Annotated[
        Certificates, typer.Option(help="Who makes the webhooks' certificate: the operator itself, or cert-manager.")
    ] = Certificates.KONVERGE,
    force: Annotated[bool, typer.Option("--force", help="Write over files that were edited, too.")] = False,
) -> None:
    """Write what a cluster needs to run an operator.

    The operator is imported, not run: its module has a `manager`, or a `make_manager()` that returns one, and runs it
    below `if __name__ == "__main__"`. A file that was edited is kept, unless you agree to lose the edit.

    Then: kubectl apply --server-side -f config/install.yaml, or kubectl apply -k config/default.

    With --audit the project's tests are run, and the calls that the operator makes in them are compared with its
    roles. The exit code is 1 where a rule is missing or a test fails.
    """
    arguments = list(pytest or ())
    if module is not None and module.startswith("-"):  # what stands first after -- is pytest's
        arguments, module = [module, *arguments], None
    if (arguments or json) and not audit:
        raise ConfigError("--json and arguments for pytest go with --audit")
    from konverge.cli.operator_manifests import Options, run  # noqa: PLC0415 - a manager and all it needs
    from konverge.cli.scaffold.project import module_of_project  # noqa: PLC0415

    operator = module or module_of_project(Path(), "manifests")

    options = Options(
        output, against, name=name, namespace=namespace, image=image, force=force, certificates=certificates.value
    )
    if audit:
        from konverge.cli.rbac_audit import run as run_audit  # noqa: PLC0415 - the server's rules of access

        run_audit(operator, options, pytest=arguments, as_json=json)
    else:
        run(operator, options)
