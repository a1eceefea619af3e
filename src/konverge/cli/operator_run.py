"""Operator run: what `konverge run` does: finds a cluster, prepares it, and runs the operator, or lets it be run.

`run_operator` decides where: on the cluster of the environment or on an embedded one, in this process or (`--dev`) in
one that can be started again. `operate` is the run itself.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from konverge import log
from konverge.api.unstructured import Unstructured
from konverge.cli.former_webhooks import LOOPBACK, forget
from konverge.cli.operator_module import OperatorModule, load_to_run
from konverge.cli.scaffold.project import module_of_project
from konverge.client.client import Client
from konverge.client.config import Config
from konverge.client.until_served import until_served
from konverge.errors import ConfigError, Forbidden
from konverge.manager.grants import converted_resources
from konverge.manager.manager import Manager
from konverge.manager.webhooks import Webhooks
from konverge.manifest.crd import crd
from konverge.webhook.registration import WebhookService, configuration_name

_LEVELS: Final = ("debug", "info", "warning", "error")
_HERE: Final = "https://127.0.0.1:0"
_LOOK_EVERY: Final = 1.0  # seconds between two looks at a parent


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How one run of an operator is made."""

    install: bool = False
    webhooks: str | None = None  # where the API server reaches this machine
    level: str = "info"
    parent: int = 0  # the process that this one ends with; 0: none

    def arguments(self) -> list[str]:
        """Return the same as words of a command line."""
        found = [f"--log={self.level}"]
        if self.install:
            found.append("--install")
        if self.webhooks is not None:
            found.append(f"--webhooks={self.webhooks}")
        return found


def run_operator(
    module: str | None,
    options: Options,
    *,
    kubeconfig: Path | None,
    local: bool,
    memory: bool,
    controllers: bool,
    dev: bool,
) -> None:
    """Run an operator until it is told to stop."""
    target = module or module_of_project(Path(), "run")
    if options.level not in _LEVELS:
        raise ConfigError(f"--log {options.level}: choose from {', '.join(_LEVELS)}")
    handler = log.setup(options.level)
    with ExitStack() as stack:
        if local:
            from konverge.cli.local_cluster import is_worth_telling, local_cluster  # noqa: PLC0415 - an API server

            handler.addFilter(is_worth_telling)
            kubeconfig = stack.enter_context(local_cluster(memory=memory, controllers=controllers))
        if kubeconfig is not None:
            os.environ["KUBECONFIG"] = str(kubeconfig.absolute())
        _require_cluster()
        if dev:
            from konverge.cli.reloading import run_again  # noqa: PLC0415 - only where it is wanted

            run_again([sys.executable, "-m", "konverge.cli", "run", target, *options.arguments()], target)
        else:
            operate(target, options)


def _require_cluster() -> None:
    try:
        Config.load()
    except ConfigError as error:
        raise ConfigError(f"{error}; `konverge run --local` needs no cluster") from error


def operate(target: str, options: Options) -> None:
    """Run an operator in this process."""
    if options.parent:
        threading.Thread(target=_end_with, args=(options.parent,), name="konverge-parent", daemon=True).start()
    found = load_to_run(target)
    _serve_webhooks(found.manager, options.webhooks)
    if options.install or options.webhooks is not None:
        asyncio.run(_prepare(found, options))
    found.manager.run()


def _end_with(parent: int) -> None:
    """End when the parent is gone: an operator that nobody sees must not go on working."""
    while os.getppid() == parent:
        threading.Event().wait(_LOOK_EVERY)
    os.kill(os.getpid(), signal.SIGTERM)


async def _prepare(found: OperatorModule, options: Options) -> None:
    """Make the cluster ready for it, as far as it is told to."""
    async with Client.connect() as client:
        if options.webhooks is not None and urlsplit(options.webhooks).hostname in LOOPBACK:
            await _forget_former(client, found.manager)
        if options.install:
            await _install(client, found)


async def _install(client: Client, found: OperatorModule) -> None:
    """Apply its CRDs and wait until they are served."""
    for versions in found.kinds().values():
        definition = crd(*versions)
        await client.apply(Unstructured.from_dict(definition), force=True, field_owner="konverge-run")
        await until_served(client, definition)
        say(f"installed {definition['metadata']['name']}")


# --- webhooks ---


def _serve_webhooks(manager: Manager, url: str | None) -> None:
    """Serve its webhooks where the API server finds them from outside of its cluster, if it can."""
    if "webhook" not in manager.ports:
        return
    webhooks, serving = manager.webhooks, manager.webhooks.serving
    if url is not None:
        address, target = _address(url), url
        webhooks.serve_by(
            structs.replace(
                serving, address=address, target=target, certificate_folder=None, configurations="apply", look_every=1.0
            )
        )
    elif isinstance(serving.target, WebhookService) and not _in_cluster():
        say(
            f"The webhooks are not registered: the Service {serving.target.name} does not lead to this machine. "
            "--webhooks https://HOST:PORT says how the API server reaches it."
        )
        webhooks.serve_by(
            structs.replace(
                serving, address="127.0.0.1:0", target=_HERE, certificate_folder=None, configurations="none"
            )
        )


async def _forget_former(client: Client, manager: Manager) -> None:
    """Take back what earlier runs registered and this one does not serve."""
    configured, converted = [], []
    if "webhook" in manager.ports:
        webhooks = manager.webhooks
        configured = [configuration_name(webhooks.serving.name, mutating=mutating) for mutating in _kinds_of(webhooks)]
        converted = [f"{resource.plural}.{resource.group}" for resource in converted_resources(webhooks)]
    with suppress(Forbidden):  # who may not look may run all the same
        async for sentence in forget(client, configurations=configured, converted=converted):
            say(sentence)


def _kinds_of(webhooks: Webhooks) -> dict[bool, None]:
    return dict.fromkeys(each.mutating for each in webhooks.registrations)


def _address(url: str) -> str:
    """Return where to listen for a URL: on a loopback address that is named, else on all of them."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme != "https" or not parts.hostname or port is None:
        raise ConfigError(f"--webhooks {url}: say it as https://HOST:PORT; port 0 is any free one")
    return f"{parts.hostname}:{port}" if parts.hostname in LOOPBACK else f":{port}"


def _in_cluster() -> bool:
    return "KUBERNETES_SERVICE_HOST" in os.environ and "KUBECONFIG" not in os.environ


def say(text: str) -> None:
    """Tell the user something."""
    print(text, flush=True)  # noqa: T201 - a program's words to its user
