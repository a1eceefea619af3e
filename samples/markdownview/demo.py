"""`make demo`: a cluster on this machine, the operator, one MarkdownView, and its page.

In a terminal it stays until Ctrl-C, for you to open the page and try things. Elsewhere it shows all of it and ends,
unless it is told to `--stay`. Nothing is left of it, unless you name a folder with `--data`: that keeps its logs.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar
from urllib.request import urlopen

import konverge as kv
import yaml
from konverge.models import apps_v1, core_v1
from konverge.testing.binaries import MissingBinaries, find
from rich.console import Console
from rich.table import Table

HERE: Final = Path(__file__).resolve().parent
FOLDER: Final = HERE / ".konverge" / "demo"  # always the same one, so that what a killed demo left is found and ended
PROGRAMS: Final = Path(sys.executable).parent
PATIENCE: Final = 120.0  # seconds for a step, on a machine that does much else
SERVED_AT: Final = "konverge.dev/served-at"
VIEW: Final = kv.unstructured("view.konverge.dev/v1", "MarkdownView")
ENVIRONMENT: Final = {
    **os.environ,
    "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}",  # so that pods find the same Python
    "METRICS_ADDRESS": "127.0.0.1:0",
    "HEALTH_ADDRESS": "127.0.0.1:0",
}

T = TypeVar("T")

NEXT: Final = """
[bold]Open[/]      [link={url}][cyan]{url}[/][/link]

[bold]Try next[/]  in another terminal; the page follows by itself

  [cyan]export KUBECONFIG={kubeconfig}{path}[/]
  [cyan]kubectl edit markdownview sample[/]                     # change the Markdown, and watch the page change
  [cyan]kubectl delete deployment viewer-sample[/]              # it comes back
  [cyan]kubectl scale deployment viewer-sample --replicas=5[/]  # it is one again: the object says so
  [cyan]kubectl describe markdownview sample[/]                 # what happened, and who had scaled it
  [cyan]kubectl port-forward svc/viewer-sample 3000:80[/]       # the page at http://localhost:3000, too
{remedy}
The operator is samples/markdownview, its tutorial docs/tutorial.md.
"""
REMEDY: Final = """
There is no kubectl on this machine. [bold]make kube[/] builds one in some minutes, and the next demo finds it; or see
https://kubernetes.io/docs/tasks/tools/.
"""


def konverge(*args: str) -> str:
    """Run the command; return what it says. Its words are ours where it fails."""
    command, pipe = [sys.executable, "-m", "konverge.cli", *args], subprocess.PIPE
    with subprocess.Popen(command, cwd=HERE, env=ENVIRONMENT, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603 - our own
        said, complaint = process.communicate()  # a Ctrl-C is for both; the block lets it end in order
    if process.returncode:
        raise SystemExit(f"konverge {args[0]}: {complaint or said}")
    return said


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only demo of a folder: another one would take down the cluster of the first."""
    with (folder / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(
                "a demo is at work already: end it with Ctrl-C, or have a second one by --data DIR"
            ) from None
        yield


@contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """Have `konverge up` as long as the block; gives its kubeconfig."""
    konverge("down", "--data", str(folder))  # of a demo that could not end in order
    try:
        said = konverge("up", "--detach", "--memory", "--data", str(folder), "--images", "images.yaml")
        found = re.search(r"KUBECONFIG=(.+)", said)
        if found is None:
            raise SystemExit(f"konverge up did not say where its kubeconfig is: {said}")
        yield Path(shlex.split(found[1])[0])
    finally:
        konverge("down", "--data", str(folder))


@contextmanager
def operator(kubeconfig: Path, log: Path) -> Iterator[None]:
    """Have the operator at work as long as the block, with its CRD installed and its webhooks registered."""
    command = [sys.executable, "-m", "konverge.cli", "run", "--install", "--webhooks", "https://127.0.0.1:0"]
    with (
        log.open("wb") as lines,
        # A session of its own: Ctrl-C is for this program, which ends the others in order.
        subprocess.Popen(  # noqa: S603 - our own
            [*command, "--kubeconfig", str(kubeconfig)],
            cwd=HERE,
            env=ENVIRONMENT,
            stdout=lines,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            _wait_until_it_works(process, log)
            yield
        finally:
            process.terminate()


def _wait_until_it_works(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while b"starting workers" not in (said := log.read_bytes()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the operator does not run:\n{said.decode(errors='replace')}")
        time.sleep(0.05)


async def soon(what: str, look: Callable[[], Awaitable[T]], is_so: Callable[[T], object] = bool) -> T:
    """Look again and again, until it is so; end with what was waited for if it is not so in time."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_so(found := await look()):  # noqa: ASYNC110 - as a person would look
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise SystemExit(f"{what}: not so after {PATIENCE:g} s; see operator.log in {FOLDER} or in --data") from None
    return found


async def make_sample(kubeconfig: Path) -> tuple[Table, str]:
    """Apply the sample, wait until it is healthy, and return what came of it: a table, and the page's address."""
    sample = kv.Unstructured.from_dict(yaml.safe_load((HERE / "sample.yaml").read_text(encoding="utf-8")))
    async with kv.Client.connect(kv.Config.load(kubeconfig)) as anywhere:
        client = anywhere.in_namespace("default")
        await client.apply(sample, field_owner="demo")
        view = (await soon("the MarkdownView is Healthy", lambda: client.get(VIEW, "sample"), _is_healthy)).to_dict()
        deployment = await client.get(apps_v1.Deployment, "viewer-sample")
        files = await client.get(core_v1.ConfigMap, "markdowns-sample")
        address = await soon("the Service answers", lambda: answering(client))
    table = Table(
        "object", "what it is", title="One MarkdownView, and what the operator made of it", title_justify="left"
    )
    ready = f"{deployment.status.ready_replicas}/{deployment.spec.replicas} ready"
    table.add_row("deployment/viewer-sample", ready)
    table.add_row("service/viewer-sample", address)
    table.add_row("configmap/markdowns-sample", ", ".join(sorted(files.data or {})))
    table.add_row("markdownview/sample", f"replicas {view['spec']['replicas']}, status {view['status']['state']}")
    return table, f"http://{address}/".replace(":80/", "/")


def _is_healthy(view: kv.Unstructured) -> bool:
    status = view.to_dict().get("status") or {}
    return bool(status.get("state") == "Healthy")


async def answering(client: kv.Client) -> str | None:
    """Return where the Service answers: a proxy may be a moment behind, and may say only then where it is."""
    address = address_of(await client.get(core_v1.Service, "viewer-sample"))
    return address if await answers(address) else None


def address_of(service: core_v1.Service) -> str:
    """Return where a Service of one port is served: at its own address, unless that could not be had."""
    elsewhere = (service.metadata.annotations or {}).get(SERVED_AT, "").partition("=")[2]
    return elsewhere or f"{service.spec.cluster_ip}:80"


async def answers(address: str) -> bool:
    """Whether somebody listens there."""
    host, _, port = address.rpartition(":")
    try:
        _, writer = await asyncio.open_connection(host, int(port))
    except OSError:
        return False
    writer.close()
    return True


def kubectl() -> Path | None:
    """Return the stock kubectl of this machine; None where there is none."""
    found = shutil.which("kubectl")
    try:
        return Path(found) if found else find("kubectl")["kubectl"]
    except MissingBinaries:
        return None


def next_steps(url: str, kubeconfig: Path) -> str:
    """Return what to try, in commands that work here as they are printed."""
    found, where = kubectl(), shlex.quote(str(kubeconfig))
    is_elsewhere = found is not None and not shutil.which("kubectl")
    path = f" PATH=$PATH:{shlex.quote(str(found.parent))}" if found and is_elsewhere else ""
    return NEXT.format(url=url, kubeconfig=where, path=path, remedy="" if found else REMEDY)


def page_at(url: str) -> str:
    """Return the page's first heading."""
    with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - of our own Service
        found = re.search(r"<h1>(.*?)</h1>", answer.read().decode())
    return found[1] if found else "no heading"


def main() -> None:
    """Show it."""
    parser = argparse.ArgumentParser(description="A MarkdownView and its page, on a cluster of this machine.")
    parser.add_argument("--data", type=Path, default=FOLDER, help="where its files are, to be kept")
    parser.add_argument("--stay", action="store_true", help="go on until Ctrl-C, where there is no terminal, too")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: everything is taken down on the way out
    with alone(given.data):
        with suppress(KeyboardInterrupt):
            show(given.data.resolve(), stays=given.stay or sys.stdout.isatty())
        print("All of it has ended.")
        if given.data == FOLDER:  # where it failed, its logs stay
            shutil.rmtree(FOLDER)
            with suppress(OSError):  # `make run` keeps its own things beside it
                FOLDER.parent.rmdir()


def show(folder: Path, *, stays: bool) -> None:
    """Bring everything up, tell what there is, and take it down again."""
    console = Console(highlight=False, soft_wrap=True)
    began = time.monotonic()
    with cluster(folder) as kubeconfig:
        console.print(f"[bold]konverge up[/]: a cluster is ready after {time.monotonic() - began:.1f} s")
        with operator(kubeconfig, folder / "operator.log"):
            console.print(f"the operator is at work after {time.monotonic() - began:.1f} s")
            table, url = asyncio.run(make_sample(kubeconfig))
            console.print(f'the page says "{page_at(url)}" after {time.monotonic() - began:.1f} s\n')
            console.print(table)
            console.print(next_steps(url, kubeconfig))
            if stays:
                console.print("Ctrl-C ends it.")
                signal.pause()
            console.print("It ends here, since there is no terminal; --stay would wait.")


if __name__ == "__main__":
    main()
