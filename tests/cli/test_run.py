"""The command `konverge run`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

import konverge as kv
from konverge.cli.operator_run import Options, operate
from konverge.cli.run import run
from konverge.client.config import Config
from konverge.errors import ConfigError
from konverge.testing import Cluster, eventually

PATIENCE = 60.0
OPERATOR = """\
import konverge as kv
from konverge.models import core_v1


class CartSpec(kv.Spec):
    size: int = 1


@kv.resource(group="{group}", version="v1")
class Cart(kv.CustomResource[CartSpec, None]): ...


class CartValidator:
    def validate_create(self, cart: Cart) -> None:
        if cart.spec.size > 5:
            raise kv.Denied("too large")


async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
    cart = await kv.ignore_not_found(ctx.client.get(Cart, request))
    if cart is not None:
        receipt = core_v1.ConfigMap(metadata=kv.ObjectMeta(name=request.name, namespace=request.namespace))
        receipt.data = {{"word": "first"}}
        await ctx.client.apply(receipt, force=True)


def make_manager() -> kv.Manager:
    service = kv.WebhookService(namespace="nowhere", name="nothing")
    manager = kv.Manager(metrics_address=None, webhooks=kv.WebhookServing(name="{group}", target=service))
    builder = kv.new_controller(manager).for_(Cart).owns(core_v1.ConfigMap)
    builder.with_validator(CartValidator()).complete(reconcile)
    return manager
"""
CARTS = kv.unstructured("carts.konverge.dev/v1", "Cart")


class Program:
    """The command, and what it says."""

    def __init__(self, process: subprocess.Popen[str], output: IO[str]) -> None:
        self.process, self._output = process, output
        self.said: list[str] = []

    def until(self, words: str) -> str:
        """Read on until a line has these words, and return it."""
        for line in self._output:
            self.said.append(line)
            if words in line:
                return line
        raise AssertionError(f"it ended without {words!r}:\n{''.join(self.said)}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and return how it ended."""
        self.process.send_signal(number)
        self.said += self._output
        return self.process.wait(PATIENCE)


@contextmanager
def running(*args: str, cwd: Path, kubeconfig: Path | None = None) -> Iterator[Program]:
    """Run the command as a user would until the block ends; it says everything to one place."""
    command = [sys.executable, "-m", "konverge.cli", "run", *args]
    env = {**os.environ, "KUBECONFIG": str(kubeconfig or cwd / "none"), "HOME": str(cwd)}
    pipe, joined, nothing = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL
    with subprocess.Popen(command, cwd=cwd, env=env, text=True, stdin=nothing, stdout=pipe, stderr=joined) as process:
        assert process.stdout is not None
        try:
            yield Program(process, process.stdout)
        finally:
            process.kill()


def edit(path: Path, changes: dict[str, str]) -> None:
    """Change some words of a file."""
    text = path.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def names(folder: Path) -> set[str]:
    """Return what is in a folder; nothing, if it is gone."""
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """An operator with a kind, a controller and a webhook."""
    path = tmp_path / "carts.py"
    path.write_text(OPERATOR.format(group="carts.konverge.dev"))
    return path


def cart(name: str, size: int = 1) -> kv.Unstructured:
    """A cart."""
    made = {"apiVersion": "carts.konverge.dev/v1", "kind": "Cart", "metadata": {"name": name}, "spec": {"size": size}}
    return kv.Unstructured.from_dict(made)


async def word(client: kv.Client, name: str) -> str:
    """Return what the operator wrote for a cart."""
    found = await client.get(kv.unstructured("v1", "ConfigMap"), name)
    return str(found["data"]["word"])


# --- on a server of its own ---


async def test_local_needs_no_cluster(operator: Path) -> None:
    """CRDs are installed, webhooks are asked, the operator works, kubectl has a kubeconfig; nothing is left behind."""
    with running(operator.name, "--local", "--memory", cwd=operator.parent) as program:
        kubeconfig = Path(program.until("export KUBECONFIG=").strip().partition("=")[2])
        assert "installed carts.carts.konverge.dev" in program.until("installed")
        program.until("starting workers")
        async with kv.Client.connect(Config.load(kubeconfig)) as client:
            shop = client.in_namespace("default")
            await shop.create(cart("small"))
            await eventually(lambda: word(shop, "small"), within=PATIENCE)
            with pytest.raises(kv.errors.Forbidden, match="too large"):
                await shop.create(cart("large", size=6))
        assert program.stop() == 0
    assert names(operator.parent) - {"__pycache__"} == {operator.name}
    assert names(kubeconfig.parent) == set()


async def test_dev_starts_it_again_and_keeps_what_is_stored(operator: Path) -> None:
    """A change is taken up; a syntax error is told and waited out; a webhook that is taken out is not asked again."""
    with running(operator.name, "--local", "--dev", cwd=operator.parent) as program:
        kubeconfig = Path(program.until("export KUBECONFIG=").strip().partition("=")[2])
        assert kubeconfig.parent == operator.parent / ".konverge"
        program.until("starting workers")
        async with kv.Client.connect(Config.load(kubeconfig)) as client:
            shop = client.in_namespace("default")
            await shop.create(cart("small"))
            await eventually(lambda: word(shop, "small"), within=PATIENCE)

            edit(operator, {"make_manager()": "make_manager("})
            program.until("carts.py changed: starting again")
            assert "carts.py, line 27: " in program.until("error: ")
            program.until("the operator ended with 1: waiting for a change")

            edit(operator, {"make_manager(": "make_manager()", '"first"': '"second"'})
            program.until("starting workers")

            async def is_new() -> bool:
                return await word(shop, "small") == "second"

            await eventually(is_new, within=PATIENCE)

            edit(operator, {"builder.with_validator(CartValidator()).complete": "builder.complete"})
            program.until("removed ValidatingWebhookConfiguration carts.konverge.dev-validating-webhook-configuration")
            program.until("starting workers")
            await shop.create(cart("large", size=6))
        assert program.stop() == 0
    assert "asked to stop" in "".join(program.said)


def test_an_operator_does_not_outlive_who_started_it(operator: Path) -> None:
    """Where `--dev` is killed, its operator stops by itself: nobody would see what it does."""
    with running(operator.name, "--local", "--memory", "--dev", cwd=operator.parent) as program:
        program.until("starting workers")
        program.process.kill()
        program.until("asked to stop")
        program.until("stopped")


def test_a_folder_in_use_is_one_sentence(operator: Path) -> None:
    """Two servers would not share what they keep."""
    with running(operator.name, "--local", cwd=operator.parent) as program:
        program.until("starting workers")
        with running(operator.name, "--local", cwd=operator.parent) as second:
            assert f"in use by another server (pid {program.process.pid})" in second.until("error: ")
            assert second.process.wait(PATIENCE) == 1
        assert program.stop() == 0


# --- on a cluster ---


async def test_on_a_cluster_it_installs_what_it_is_told_to(
    cluster: Cluster, namespace: str, operator: Path, request: pytest.FixtureRequest
) -> None:
    """Its CRDs, and its webhooks where the server reaches them; all of it is taken away again."""
    options = ("--install", "--webhooks", "https://127.0.0.1:0")
    kubeconfig = cluster.kubeconfig
    request.addfinalizer(lambda: cluster.call("DELETE", f"{DEFINITIONS}/carts.carts.konverge.dev"))
    request.addfinalizer(lambda: cluster.call("DELETE", f"{CONFIGURATIONS}/{CONFIGURATION}"))
    with running(operator.name, *options, cwd=operator.parent, kubeconfig=kubeconfig) as program:
        program.until("starting workers")
        async with cluster.client(namespace=namespace) as client:
            await client.create(cart("small"))
            await eventually(lambda: word(client, "small"), within=PATIENCE)
            with pytest.raises(kv.errors.Forbidden, match="too large"):
                await client.create(cart("large", size=6))
        assert program.stop(signal.SIGINT) == 0


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CONFIGURATION = "carts.konverge.dev-validating-webhook-configuration"


@pytest.mark.cluster("embedded")
def test_webhooks_that_no_server_can_reach_are_not_registered(cluster: Cluster, operator: Path) -> None:
    """The operator runs, and says so: the Service of its webhooks is in the cluster, and it is not."""
    with running(f"{operator.name}:make_manager", cwd=operator.parent, kubeconfig=cluster.kubeconfig) as program:
        assert "The webhooks are not registered: the Service nothing does not lead" in program.until("webhooks")
        program.until("endpoint")
        assert program.stop() == 0
    assert cluster.call("GET", CONFIGURATIONS)["items"] == []


# --- what cannot be ---


def test_without_a_cluster_it_names_the_remedy(operator: Path) -> None:
    """One sentence, exit code 1."""
    command = [sys.executable, "-m", "konverge.cli", "run", operator.name]
    env = {"PATH": os.environ["PATH"], "HOME": str(operator.parent)}
    result = subprocess.run(
        command, cwd=operator.parent, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no configuration was found")
    assert result.stderr.endswith("; `konverge run --local` needs no cluster\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"local": True}, "say which operator, as in `konverge run shop.main`"),
        ({"module": "x", "local": True, "kubeconfig": Path("y")}, "--local brings a cluster of its own"),
        ({"module": "x", "memory": True}, "--memory and --controllers are for the API server of --local"),
        ({"module": "x", "level": "loud"}, "--log loud: choose from debug"),
    ],
)
def test_options_that_cannot_be_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], said: str
) -> None:
    """Before anything is started."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(said)):
        run(**options)


@pytest.fixture
def _own_modules() -> Iterator[None]:
    before, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith("konverge"):
            del sys.modules[name]
    sys.path[:] = path


@pytest.mark.usefixtures("_own_modules")
@pytest.mark.cluster("embedded")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("absent.main", "there is no module absent.main"),
        ("broken.py", "broken.py, line 1: "),
        ("importing_broken", "broken.py, line 1: "),
        ("idle_module", "gave no kv.Manager"),
        ("carts.py", "--webhooks http://here: say it as https://HOST:PORT"),
    ],
)
def test_an_operator_that_cannot_be_run_is_refused(
    operator: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, target: str, said: str
) -> None:
    """It is absent, it or what it imports is broken, it has no manager, or its webhooks are nowhere."""
    (operator.parent / "broken.py").write_text("x = (\n")
    (operator.parent / "idle_module.py").write_text("import konverge\n")
    (operator.parent / "importing_broken.py").write_text("import broken\n")
    monkeypatch.chdir(operator.parent)
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    with pytest.raises(ConfigError, match=re.escape(said)):
        operate(target, Options(webhooks="http://here"))
