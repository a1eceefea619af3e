"""Configuration as kubectl has it: where the API server is, whom to trust and who asks.

`Config.load()` is the way in for programs; a script may build a `Config` by hand. The HTTP transport asks its
`credentials` before each request and its `tls` for an SSL context.
"""

from konverge.client.config.config import Config
from konverge.client.config.credentials import BasicAuth, ClientCertificate, Credentials, NoCredentials, StaticToken
from konverge.client.config.exec_plugin import ExecCommand, ExecPlugin
from konverge.client.config.impersonate import Impersonate
from konverge.client.config.in_cluster import in_cluster
from konverge.client.config.load import load
from konverge.client.config.proxy import proxy_from_environment
from konverge.client.config.tls import Tls
from konverge.client.config.token_file import TokenFile

__all__ = [
    "BasicAuth",
    "ClientCertificate",
    "Config",
    "Credentials",
    "ExecCommand",
    "ExecPlugin",
    "Impersonate",
    "NoCredentials",
    "StaticToken",
    "Tls",
    "TokenFile",
    "in_cluster",
    "load",
    "proxy_from_environment",
]
