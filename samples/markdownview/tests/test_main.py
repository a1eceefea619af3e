"""The operator as a whole."""

import subprocess
import sys
from pathlib import Path

import konverge as kv
import pytest
from konverge.models import admissionregistration_v1, coordination_v1
from konverge.testing import Cluster, apply, eventually, running, wait_for

from markdownview.main import KINDS, SERVICE, add_to

SYSTEM = SERVICE.namespace
ACCOUNT = f"system:serviceaccount:{SYSTEM}:markdownview-controller-manager"


async def test_the_operator_starts(client: kv.Client) -> None:
    """It runs, and the API server serves every kind of it."""
    for kind in KINDS:
        await client.list(kind, limit=1)


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    """What `make manifests` writes."""
    command = [sys.executable, "-m", "konverge.cli", "manifests", "markdownview.main", "--output", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    return tmp_path / "install.yaml"


@pytest.mark.cluster("embedded")  # a real server is shared, and would go on to ask a Service that nobody serves
async def test_it_runs_as_its_manifests_install_it(cluster: Cluster, manifests: Path) -> None:
    """With its service account, a Lease, and the certificate of its webhooks in a Secret that it made."""
    election = kv.LeaderElection(id="markdownview.konverge.dev", namespace=SYSTEM)
    serving = kv.WebhookServing(name="markdownview", address="127.0.0.1:0", target=SERVICE)
    async with cluster.client(namespace=SYSTEM) as client:
        await apply(client, manifests)
        manager = add_to(cluster.manager(user=ACCOUNT, leader_election=election, webhooks=serving))
        async with running(manager):
            await wait_for(client, coordination_v1.Lease, "markdownview.konverge.dev")

            async def is_trusted() -> bool:
                found = await client.get(
                    admissionregistration_v1.ValidatingWebhookConfiguration,
                    "markdownview-validating-webhook-configuration",
                )
                return all(hook.client_config.ca_bundle for hook in found.webhooks or ())

            await eventually(is_trusted)
