from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.client.config import Config, NoCredentials, StaticToken, TokenFile, load
from konverge.errors import ConfigError

Write = Callable[..., Path]


def pod(tmp_path: Path, **files: str) -> tuple[Path, dict[str, str]]:
    """A service account folder and the variables of a pod."""
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    for name, content in {"token": "pod-token\n", "namespace": "prod\n", **files}.items():
        (folder / name).write_text(content)
    return folder, {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


def test_an_explicit_path_wins_over_everything(tmp_path: Path, kubeconfig: Write) -> None:
    """A path that is given is the only file looked at."""
    folder, env = pod(tmp_path)
    chosen = kubeconfig("chosen", cluster={"server": "https://chosen"})
    other = kubeconfig("other", cluster={"server": "https://other"})
    config = load(chosen, env={**env, "KUBECONFIG": str(other)}, home=tmp_path, service_account=folder)
    assert config.server == "https://chosen"


def test_kubeconfig_wins_over_the_pod_and_the_home_folder(tmp_path: Path, kubeconfig: Write) -> None:
    """The order is controller-runtime's: KUBECONFIG, the pod, ~/.kube/config."""
    folder, env = pod(tmp_path)
    named = kubeconfig("named", cluster={"server": "https://named"})
    kubeconfig(".kube/config", cluster={"server": "https://home"})
    assert load(env={**env, "KUBECONFIG": str(named)}, home=tmp_path, service_account=folder).server == "https://named"
    assert load(env=env, home=tmp_path, service_account=folder).server == "https://10.96.0.1:443"
    assert load(env={}, home=tmp_path, service_account=folder).server == "https://home"
    assert load(env={"HOME": str(tmp_path)}, service_account=folder).server == "https://home"


def test_a_named_context_passes_over_the_pod(tmp_path: Path, kubeconfig: Write) -> None:
    """Asking for a context means a kubeconfig, which a pod's own configuration is not."""
    folder, env = pod(tmp_path)
    kubeconfig(".kube/config", cluster={"server": "https://home"})
    assert load(env=env, home=tmp_path, service_account=folder, context="dev").server == "https://home"


async def test_in_a_pod_everything_comes_from_the_service_account(tmp_path: Path, authority: Any) -> None:
    """Server, namespace, authority and token are the pod's."""
    folder, env = pod(tmp_path, **{"ca.crt": authority.pem.decode()})
    config = load(env=env, home=tmp_path, service_account=folder)
    assert isinstance(config.credentials, TokenFile)
    assert await config.credentials.authorization() == "Bearer pod-token"
    assert (config.namespace, config.tls.ca_file) == ("prod", folder / "ca.crt")
    config = load(env={**env, "POD_NAMESPACE": "told"}, home=tmp_path, service_account=folder)
    assert config.namespace == "told"


def test_an_ipv6_service_host_is_put_in_brackets(tmp_path: Path) -> None:
    """Pods of an IPv6 cluster get a bare address."""
    folder, env = pod(tmp_path)
    env["KUBERNETES_SERVICE_HOST"] = "fd00::1"
    assert load(env=env, home=tmp_path, service_account=folder).server == "https://[fd00::1]:443"


def test_nothing_found_says_where_it_looked(tmp_path: Path) -> None:
    """The error lists the places."""
    with pytest.raises(ConfigError, match=r"KUBECONFIG is not set.*\.kube/config does not exist"):
        load(env={}, home=tmp_path, service_account=tmp_path)
    with pytest.raises(ConfigError, match="KUBECONFIG names no file that exists: /no/such"):
        load(env={"KUBECONFIG": "/no/such"}, home=tmp_path)
    with pytest.raises(ConfigError, match="/no/such: there is no such kubeconfig"):
        load("/no/such", env={})


def test_the_first_file_to_set_a_value_wins(tmp_path: Path) -> None:
    """Values merge across files, entries of one name do not mix, and missing files are skipped."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(
        yaml.safe_dump(
            {
                "clusters": [{"name": "c", "cluster": {"server": "https://first"}}],
                "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u"}}],
            }
        )
    )
    second.write_text(
        yaml.safe_dump(
            {
                "current-context": "one",
                "clusters": [{"name": "c", "cluster": {"server": "https://second", "tls-server-name": "second"}}],
                "users": [{"name": "u", "user": {"token": "t"}}],
                "contexts": [
                    {"name": "one", "context": {"cluster": "nowhere"}},
                    {"name": "two", "context": {"cluster": "c", "namespace": "ns"}},
                ],
            }
        )
    )
    env = {"KUBECONFIG": os.pathsep.join([str(first), "", str(tmp_path / "missing"), str(second), str(first)])}
    config = load(env=env)
    assert (config.server, config.tls.tls_server_name, config.context) == ("https://first", "", "one")
    assert config.credentials == StaticToken("t")
    assert Config.load(context="two", env=env).namespace == "ns"


def test_relative_paths_start_at_the_file_they_stand_in(tmp_path: Path, kubeconfig: Write) -> None:
    """Each path is taken from the folder of its own file, wherever the program runs."""
    path = kubeconfig("deep/config", cluster={"server": "https://x", "certificate-authority": "ca.crt"})
    (tmp_path / "deep" / "ca.crt").write_text("pem")
    assert load(path, env={}).tls.ca_file == tmp_path / "deep" / "ca.crt"


def test_the_default_namespace_and_an_anonymous_user(kubeconfig: Write) -> None:
    """A context needs no namespace and no user."""
    config = load(kubeconfig(context={"cluster": "kind"}), env={})
    assert (config.namespace, config.user, config.credentials) == ("default", "", NoCredentials())


def test_nothing_secret_is_sent_without_tls(kubeconfig: Write) -> None:
    """As with kubectl, an http server gets neither token nor certificate, and no scheme means http."""
    config = load(kubeconfig(cluster={"server": "10.0.0.1:8080"}, user={"token": "secret"}), env={})
    assert (config.server, config.credentials) == ("http://10.0.0.1:8080", NoCredentials())


def test_the_proxy_of_the_cluster_wins_over_the_environment(kubeconfig: Write) -> None:
    """proxy-url is more specific than the variables."""
    env = {"HTTPS_PROXY": "http://env:1"}
    path = kubeconfig(cluster={"server": "https://10.0.0.1", "proxy-url": "http://own:2"})
    assert load(path, env=env).proxy_url == "http://own:2"
    assert load(kubeconfig(), env=env).proxy_url == "http://env:1"
    assert load(kubeconfig(), env={}).proxy_url is None


def test_compression_is_asked_for_unless_the_cluster_says_no(kubeconfig: Write) -> None:
    """`disable-compression` is read as kubectl reads it."""
    assert not load(kubeconfig(), env={}).disable_compression
    path = kubeconfig(cluster={"server": "https://10.0.0.1", "disable-compression": True})
    assert load(path, env={}).disable_compression


def test_impersonation_of_a_kubeconfig(kubeconfig: Write) -> None:
    """The as fields become an Impersonate."""
    user = {"as": "jane", "as-uid": "7", "as-groups": ["dev"], "as-user-extra": {"scopes": ["a", "b"]}}
    impersonate = load(kubeconfig(user=user), env={}).impersonate
    assert impersonate is not None
    assert impersonate.headers() == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Extra-scopes", "a"),
        ("Impersonate-Extra-scopes", "b"),
    )
