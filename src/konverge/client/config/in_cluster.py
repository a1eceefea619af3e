"""The configuration that Kubernetes puts into every pod: the service account's files and two variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from konverge.client.config.config import Config, server_url
from konverge.client.config.proxy import proxy_from_environment
from konverge.client.config.tls import Tls
from konverge.client.config.token_file import TokenFile, read_token

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def in_cluster(env: Mapping[str, str], *, folder: Path = SERVICE_ACCOUNT) -> Config | None:
    """Return the pod's configuration, or None when this is not a pod with a service account."""
    host, port = env.get("KUBERNETES_SERVICE_HOST"), env.get("KUBERNETES_SERVICE_PORT")
    token = folder / "token"
    if not host or not port or not token.is_file():
        return None
    read_token(token)  # an unreadable or empty token is better told now than at the first request
    source = "the server of KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT"
    server = server_url(f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}", source=source)
    ca = folder / "ca.crt"
    return Config(
        server=server,
        namespace=env.get("POD_NAMESPACE") or _namespace(folder / "namespace"),
        proxy_url=proxy_from_environment(server, env),
        tls=Tls(ca_file=ca if ca.is_file() else None),
        credentials=TokenFile(token),
    )


def _namespace(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"
