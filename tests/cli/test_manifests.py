"""The command `konverge manifests`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

import konverge as kv
from konverge.cli import authored_file
from konverge.cli.operator_manifests import write
from konverge.errors import Forbidden, NotFound
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import Cluster, eventually, running

Install = Callable[..., Awaitable[None]]
OPERATOR = Path(__file__).parent / "data" / "shop.py"
ACCOUNT = "system:serviceaccount:shop-system:shop-controller-manager"
SHOP = kv.unstructured("shops.konverge.dev/v1", "Shop")
SERVICE_MONITOR = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor, plural: servicemonitors}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, but without colours and without a cluster."""
    command = [sys.executable, "-c", "from konverge.cli import main; main()", "manifests", *args]
    env = os.environ | {"NO_COLOR": "1", "KUBECONFIG": str(cwd / "none")}
    return subprocess.run(command, cwd=cwd, input="", capture_output=True, text=True, check=False, env=env)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the operator, and its manifests in `config`."""
    shutil.copy(OPERATOR, tmp_path)
    result = run("shop.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path


@pytest.fixture
def installed(cluster: Cluster) -> Iterator[Install]:
    """A function that installs files, which are gone in the end: a real cluster is the session's."""
    files: list[Path] = []

    async def install(*wanted: Path) -> None:
        files.extend(wanted)
        await cluster.install(*wanted)

    yield install
    # A namespace that is deleted would stay, and take nothing more: nothing here ends namespaces.
    objects = [each for file in files for each in read(file) if each["kind"] != "Namespace"]
    cluster.kubectl("delete", "--ignore-not-found", "--filename=-", input=yaml.safe_dump_all(reversed(objects)))


def read(path: Path) -> list[Any]:
    """Return the documents of a file."""
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def test_all_folders_are_written(project: Path) -> None:
    """CRDs, roles, the Deployment, policies, monitoring, samples, what kustomize needs, and one file for kubectl."""
    found = {str(path.relative_to(project / "config")) for path in (project / "config").rglob("*.yaml")}
    assert found == {
        "crd/bases/shops.konverge.dev_shops.yaml",
        "crd/kustomization.yaml",
        "default/kustomization.yaml",
        "install.yaml",
        "manager/kustomization.yaml",
        "manager/manager.yaml",
        "manager/metrics_service.yaml",
        "manager/namespace.yaml",
        "network-policy/allow-metrics-traffic.yaml",
        "network-policy/kustomization.yaml",
        "prometheus/kustomization.yaml",
        "prometheus/monitor.yaml",
        "rbac/kustomization.yaml",
        "rbac/leader_election_role.yaml",
        "rbac/leader_election_role_binding.yaml",
        "rbac/role.yaml",
        "rbac/role_binding.yaml",
        "rbac/service_account.yaml",
        "rbac/shop_admin_role.yaml",
        "rbac/shop_editor_role.yaml",
        "rbac/shop_viewer_role.yaml",
        "samples/kustomization.yaml",
        "samples/shops_v1_shop.yaml",
    }


async def test_a_server_takes_all_that_is_written(
    cluster: Cluster, namespace: str, installed: Install, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Every file, as it is, with no warning; the sample is valid as it comes."""
    config = project / "config"
    (project / "monitors.yaml").write_text(SERVICE_MONITOR)
    rest = [*config.glob("network-policy/allow*.yaml"), config / "prometheus" / "monitor.yaml"]
    await installed(config / "install.yaml", project / "monitors.yaml", *rest)
    async with cluster.client(namespace=namespace, field_validation="Strict") as client:
        (sample,) = read(config / "samples" / "shops_v1_shop.yaml")
        await client.create(kv.Unstructured.from_dict(sample), dry_run=True)
    assert not caplog.records


def test_kustomize_makes_the_same_of_the_folders(cluster: Cluster, project: Path) -> None:
    """`kubectl kustomize config/default` has the objects of install.yaml, and each folder can be built alone."""

    def ordered(objects: list[Any]) -> list[Any]:
        return sorted(
            objects, key=lambda each: (each["kind"], each["metadata"]["name"], each["metadata"].get("namespace", ""))
        )

    config = project / "config"
    built = [each for each in yaml.safe_load_all(cluster.kubectl("kustomize", str(config / "default"))) if each]
    assert ordered(built) == ordered(read(config / "install.yaml"))
    for folder in ("network-policy", "prometheus", "samples"):
        assert cluster.kubectl("kustomize", str(config / folder))


async def test_the_rules_are_enough_for_what_a_controller_does(
    cluster: Cluster, namespace: str, installed: Install, project: Path
) -> None:
    """As its service account and nobody else it reconciles, writes children, status, finalizers, events and a lease."""
    await installed(project / "config" / "install.yaml")
    election = kv.LeaderElection(id="shop-operator", namespace="shop-system")
    manager = cluster.manager(user=ACCOUNT, leader_election=election)

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        shop = await ctx.client.get(SHOP, request)
        if kv.add_finalizer(shop, "shops.konverge.dev/closing"):
            await ctx.client.update(shop)
        service = core_v1.Service(metadata=kv.ObjectMeta(name=request.name, namespace=request.namespace))
        service.spec = core_v1.ServiceSpec(ports=[core_v1.ServicePort(port=80)])
        kv.set_controller_reference(shop, service)
        await ctx.client.apply(service, force=True)
        shop["status"] = {"ready": 1}
        await ctx.client.status.update(shop)
        ctx.recorder.normal(shop, "Opened", "come in")

    kv.new_controller(manager).for_(SHOP).owns(apps_v1.Deployment, core_v1.Service).watches(
        core_v1.ConfigMap, lambda _: []
    ).complete(reconcile)
    async with cluster.client(namespace=namespace) as client:
        async with running(manager):
            (sample,) = read(project / "config" / "samples" / "shops_v1_shop.yaml")
            await client.create(kv.Unstructured.from_dict(sample))
            await eventually(partial(_is_open, client))
        found = await client.get(SHOP, "shop-sample")
        kv.remove_finalizer(found, "shops.konverge.dev/closing")
        await client.update(found)


async def _is_open(client: kv.Client) -> bool:
    found = await client.get(SHOP, "shop-sample")
    events = await client.list(events_v1.Event)
    return found.content.get("status") == {"ready": 1} and [event.reason for event in events] == ["Opened"]


async def test_the_rules_allow_no_more(cluster: Cluster, installed: Install, project: Path) -> None:
    """One secret in one namespace, and no Lease but its own."""
    await installed(project / "config" / "install.yaml")
    async with cluster.client(user=ACCOUNT) as client:
        await eventually(partial(_may_read, client))
        for forbidden in (
            client.get(core_v1.Secret, "another", namespace="default"),
            client.list(core_v1.Secret, namespace="default"),
            client.get(core_v1.Secret, "register", namespace="kube-system"),
            client.delete(core_v1.ConfigMap, "any", namespace="default"),
            client.get(kv.unstructured("coordination.k8s.io/v1", "Lease"), "another", namespace="shop-system"),
        ):
            with pytest.raises(Forbidden):
                await forbidden


async def _may_read(client: kv.Client) -> bool:
    """Whether the one secret may be read, though it is not there: a server takes a moment to know new roles."""
    try:
        await client.get(core_v1.Secret, "register", namespace="default")
    except (Forbidden, NotFound) as error:
        return isinstance(error, NotFound)
    return True


# --- webhooks ---


@pytest.fixture
def hooked(tmp_path: Path) -> Path:
    """The manifests of an operator with webhooks."""
    shutil.copy(OPERATOR.with_name("hooked.py"), tmp_path)
    result = run("hooked.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path / "config"


def test_webhooks_have_a_service_configurations_and_rights(hooked: Path) -> None:
    """Each by its name; the CRD says who converts it; the operator runs where the Service is."""
    (service,) = read(hooked / "webhook" / "service.yaml")
    assert (service["metadata"]["name"], service["metadata"]["namespace"]) == ("page-webhooks", "pages")
    (configuration,) = read(hooked / "webhook" / "manifests.yaml")
    assert configuration["webhooks"][0]["clientConfig"]["service"]["name"] == "page-webhooks"
    (crd,) = read(hooked / "crd" / "bases" / "hooked.konverge.dev_pages.yaml")
    assert crd["spec"]["conversion"]["strategy"] == "Webhook"
    rules = [rule for role in read(hooked / "rbac" / "role.yaml") for rule in role["rules"] if "resourceNames" in rule]
    assert {rule["resources"][0]: rule["resourceNames"] for rule in rules} == {
        "customresourcedefinitions": ["pages.hooked.konverge.dev"],
        "mutatingwebhookconfigurations": ["pages-mutating-webhook-configuration"],
        "secrets": ["webhook-server-cert"],
    }


async def test_a_server_takes_the_manifests_of_webhooks(installed: Install, hooked: Path) -> None:
    """All of install.yaml, and the policy by which the API server comes in."""
    await installed(hooked / "install.yaml", hooked / "network-policy" / "allow-webhook-traffic.yaml")


def test_webhooks_elsewhere_are_a_mistake(hooked: Path) -> None:
    """A Service leads to pods of its own namespace alone."""
    result = run("hooked.py", "--namespace", "another", cwd=hooked.parent)
    assert result.returncode == 1
    assert 'the Service of the webhooks is in namespace "pages"' in result.stderr


def test_webhooks_without_a_service_are_left_out(hooked: Path) -> None:
    """With a word about it, and about the probes that nobody would answer."""
    program = hooked.parent / "hooked.py"
    program.write_text(program.read_text().replace("kv.Manager(webhooks=serving)", "kv.Manager()"))
    said = run("hooked.py", "--output", "bare", cwd=hooked.parent).stdout
    assert "The webhooks are left out: " in said
    assert "The Deployment has no probes: " in said
    assert not (hooked.parent / "bare" / "webhook").exists()


# --- cert-manager ---

CERT_MANAGER = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %(plural)s.cert-manager.io}
spec:
  group: cert-manager.io
  names: {kind: %(kind)s, plural: %(plural)s}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture
def managed(tmp_path: Path) -> Path:
    """The manifests of an operator whose certificate cert-manager makes."""
    text = OPERATOR.with_name("hooked.py").read_text()
    text = text.replace(
        'name="pages")', 'name="pages", certificate_folder=Path("/certificates"), configurations="none")'
    )
    (tmp_path / "hooked.py").write_text(f"from pathlib import Path\n{text}")
    result = run("hooked.py", "--certificates", "cert-manager", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path / "config"


def test_cert_manager_makes_the_certificate_and_tells_of_it(managed: Path) -> None:
    """For the names of the Service, into the Secret that the Deployment mounts where the operator reads."""
    issuer, certificate = read(managed / "certmanager" / "certificate.yaml")
    assert issuer["spec"] == {"selfSigned": {}}
    assert certificate["spec"] == {
        "dnsNames": ["page-webhooks.pages.svc", "page-webhooks.pages.svc.cluster.local"],
        "issuerRef": {"kind": "Issuer", "name": issuer["metadata"]["name"]},
        "secretName": "webhook-server-cert",
    }
    (deployment,) = read(managed / "manager" / "manager.yaml")
    pod = deployment["spec"]["template"]["spec"]
    (volume,) = pod["volumes"]
    assert volume["secret"] == {"secretName": "webhook-server-cert"}
    mount = {"name": volume["name"], "mountPath": "/certificates", "readOnly": True}
    assert pod["containers"][0]["volumeMounts"] == [mount]
    place = f"{certificate['metadata']['namespace']}/{certificate['metadata']['name']}"
    trusting = [
        *read(managed / "webhook" / "manifests.yaml"),
        *read(managed / "crd/bases/hooked.konverge.dev_pages.yaml"),
    ]
    for each in trusting:
        assert each["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] == place
    rules = [rule for role in read(managed / "rbac" / "role.yaml") for rule in role["rules"]]
    assert not {"secrets", "mutatingwebhookconfigurations"} & {name for rule in rules for name in rule["resources"]}


async def test_a_server_takes_the_manifests_for_cert_manager(installed: Install, managed: Path) -> None:
    """All of install.yaml, where cert-manager's kinds are."""
    kinds = managed.parent / "cert-manager.yaml"
    names = {"Issuer": "issuers", "Certificate": "certificates"}
    texts = [CERT_MANAGER % {"kind": kind, "plural": plural} for kind, plural in names.items()]
    kinds.write_text("---".join(texts))
    await installed(kinds, managed / "install.yaml")


@pytest.mark.parametrize(
    ("serving", "message"),
    [
        ('name="pages")', "the operator makes its own certificate: have it read cert-manager's"),
        ('certificate_folder=Path("/c"), name="pages")', "tells the API server of its certificate, and so does"),
        ('certificate_folder=Path("c"), configurations="none")', "is to be an absolute path"),
        (None, "the operator has no webhooks that a Service leads to"),
    ],
)
def test_an_operator_that_does_it_itself_is_a_mistake(tmp_path: Path, serving: str | None, message: str) -> None:
    """With the words that would mend it."""
    text = OPERATOR.with_name("hooked.py").read_text()
    text = (
        text.replace('name="pages")', serving)
        if serving
        else text.replace("kv.Manager(webhooks=serving)", "kv.Manager()")
    )
    (tmp_path / "hooked.py").write_text(f"from pathlib import Path\n{text}")
    result = run("hooked.py", "--certificates", "cert-manager", cwd=tmp_path)
    assert result.returncode == 1
    assert message in result.stderr


# --- an author's edits ---


def test_a_second_run_writes_nothing(project: Path) -> None:
    """What is there is as it would be written."""
    result = run("shop.py", cwd=project)
    assert result.stdout == "23 of 23 files in config are as the code has them\n"


def test_an_edit_is_kept_and_is_in_install(project: Path) -> None:
    """Nobody is there to ask, so it stays; what is installed has it; --force takes it back."""
    file = project / "config" / "manager" / "manager.yaml"
    file.write_text(file.read_text().replace("replicas: 1", "replicas: 3"))
    result = run("shop.py", cwd=project)
    assert result.stdout.splitlines() == [
        "kept config/manager/manager.yaml it was edited; --force writes it anew",
        "wrote config/install.yaml",
        "22 of 23 files in config are as the code has them",
    ]
    for path in (file, project / "config" / "install.yaml"):
        assert [each["spec"]["replicas"] for each in read(path) if each["kind"] == "Deployment"] == [3]
    assert "wrote config/manager/manager.yaml" in run("shop.py", "--force", cwd=project).stdout
    assert "replicas: 1\n" in file.read_text()


def test_what_the_code_no_longer_has_is_told(project: Path) -> None:
    """It is the command's own, but nobody asked to have it deleted; an author's file beside it is not mentioned."""
    folder = project / "config" / "crd" / "bases"
    authored_file.write(folder / "former.yaml", "kind: Former\n")
    (folder / "mine.yaml").write_text("kind: Mine\n")
    said = run("shop.py", cwd=project).stdout
    assert "left config/crd/bases/former.yaml the code no longer has it: delete it\n" in said
    assert "mine.yaml" not in said


def test_in_a_project_the_module_is_known(project: Path) -> None:
    """By what `konverge init` has written to its pyproject.toml; elsewhere it has to be named."""
    assert run(cwd=project).stderr.startswith("error: say which operator, as in `konverge manifests shop.main`")
    (project / "pyproject.toml").write_text('[tool.konverge]\nmain = "shop"\n')
    assert run(cwd=project).returncode == 0
    assert run("--", "-k", "nothing", cwd=project).stderr == "error: --json and arguments for pytest go with --audit\n"


def test_a_change_of_the_code_is_written(project: Path) -> None:
    """Files that nobody edited follow the code."""
    program = project / "shop.py"
    program.write_text(program.read_text().replace("kv.Maximum(5)", "kv.Maximum(9)"))
    result = run("shop.py", cwd=project)
    assert result.stdout.splitlines()[:2] == [
        "wrote config/crd/bases/shops.konverge.dev_shops.yaml",
        "wrote config/install.yaml",
    ]


# --- what breaks ---


def test_a_change_that_breaks_is_told_and_nothing_is_written(project: Path) -> None:
    """With --against the exit code is 1, and each change has a line."""
    program = project / "shop.py"
    program.write_text(program.read_text().replace("kv.Maximum(5)", "kv.Maximum(2)"))
    result = run("shop.py", "--against", "config/crd", cwd=project)
    assert result.returncode == 1
    (line,) = result.stdout.splitlines()
    assert line.startswith("shops.shops.konverge.dev: v1.spec.replicas: maximum 5 became 2: ")
    assert "maximum: 5" in (project / "config" / "install.yaml").read_text()


def test_a_change_that_breaks_nothing_is_written(project: Path) -> None:
    """With --against, too; a file will do as well as a folder."""
    program = project / "shop.py"
    program.write_text(program.read_text().replace("kv.Maximum(5)", "kv.Maximum(9)"))
    result = run("shop.py", "--against", "config/install.yaml", cwd=project)
    assert result.returncode == 0, result.stdout
    assert "maximum: 9" in (project / "config" / "install.yaml").read_text()


def test_a_kind_that_is_gone_breaks(project: Path) -> None:
    """Its objects would go with its CRD."""
    program = project / "shop.py"
    program.write_text(program.read_text().replace('group="shops.', 'group="stores.'))
    result = run("shop.py", "--against", "config", cwd=project)
    assert result.returncode == 1
    assert "shops.shops.konverge.dev: the kind is gone" in result.stdout


def test_a_list_from_a_cluster_will_do(project: Path) -> None:
    """As `kubectl get crds -o yaml` prints it."""
    crds = read(project / "config" / "crd" / "bases" / "shops.konverge.dev_shops.yaml")
    (project / "old.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": crds}))
    program = project / "shop.py"
    program.write_text(program.read_text().replace("kv.Maximum(5)", "kv.Maximum(2)"))
    assert "maximum 5 became 2: " in run("shop.py", "--against", "old.yaml", cwd=project).stdout


def test_nothing_to_compare_with_is_a_mistake(project: Path) -> None:
    """A folder without a CRD is the wrong folder, and half a CRD is none."""
    result = run("shop.py", "--against", "config/rbac", cwd=project)
    assert result.returncode == 1
    assert "config/rbac: there is no CustomResourceDefinition in it" in result.stderr
    (project / "half.yaml").write_text("kind: CustomResourceDefinition\nmetadata: {name: a.b}\n")
    result = run("shop.py", "--against", "half.yaml", cwd=project)
    assert (result.returncode, "half.yaml: a CustomResourceDefinition in it is not complete" in result.stderr) == (
        1,
        True,
    )


@pytest.mark.parametrize("agreed", [True, False])
def test_where_somebody_can_answer_they_are_asked(tmp_path: Path, agreed: bool) -> None:
    """About each file that was edited and no other; the answer counts."""
    asked: list[Path] = []
    console = Console(quiet=True)

    def ask(path: Path) -> bool:
        asked.append(path)
        return agreed

    write(tmp_path, {"manager/a.yaml": "a: 1\n", "manager/b.yaml": "b: 1\n"}, may_replace=ask, console=console)
    (tmp_path / "manager" / "a.yaml").write_text("a: 2\n")
    write(tmp_path, {"manager/a.yaml": "a: 3\n", "manager/b.yaml": "b: 3\n"}, may_replace=ask, console=console)
    assert asked == [tmp_path / "manager" / "a.yaml"]
    assert read(tmp_path / "install.yaml") == [{"a": 3 if agreed else 2}, {"b": 3}]


def test_a_name_that_no_object_could_have_is_a_mistake(tmp_path: Path) -> None:
    """Told before anything is written."""
    result = run(str(OPERATOR), "--name", "My_Shop", cwd=tmp_path)
    assert result.returncode == 1
    assert "'My_Shop' cannot begin the names of objects" in result.stderr
    assert not (tmp_path / "config").exists()
