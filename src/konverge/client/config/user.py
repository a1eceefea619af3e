"""The `user` part of a kubeconfig: which credentials it means, and whom to impersonate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from konverge.client.config.credentials import BasicAuth, Credentials, NoCredentials, StaticToken, bearer
from konverge.client.config.exec_plugin import ExecCommand, ExecPlugin
from konverge.client.config.impersonate import Impersonate
from konverge.client.config.kubeconfig import Entry
from konverge.client.config.tls import Tls
from konverge.client.config.token_file import TokenFile, read_token
from konverge.errors import ConfigError


class _Variable(msgspec.Struct):
    name: str
    value: str | None = None

    def __repr__(self) -> str:
        return f"_Variable({self.name!r})"


class _Exec(msgspec.Struct, rename="camel"):
    command: str | None = None
    args: list[str] | None = None
    env: list[_Variable] | None = None
    api_version: str | None = None
    install_hint: str | None = None
    provide_cluster_info: bool | None = None
    interactive_mode: str | None = None

    def __repr__(self) -> str:
        return f"_Exec({self.command!r})"


class User(msgspec.Struct, rename="kebab"):
    """The fields as they stand in the file."""

    client_certificate: str | None = None
    client_certificate_data: str | None = None
    client_key: str | None = None
    client_key_data: str | None = None
    token: str | None = None
    token_file: str | None = msgspec.field(default=None, name="tokenFile")
    as_: str | None = msgspec.field(default=None, name="as")
    as_uid: str | None = None
    as_groups: list[str] | None = None
    as_user_extra: dict[str, list[str]] | None = None
    username: str | None = None
    password: str | None = None
    auth_provider: dict[str, Any] | None = None
    exec: _Exec | None = None

    def __repr__(self) -> str:
        return "User()"  # nearly every field is a secret

    def present(self, entry: Entry, trust: Tls) -> Tls:
        """Return the TLS settings with the user's client certificate added to the server's half."""
        pair = entry.data_or_file("client-certificate", data=self.client_certificate_data, file=self.client_certificate)
        if pair == (None, None):
            return trust  # a key alone is ignored, as kubectl does
        key = entry.data_or_file("client-key", data=self.client_key_data, file=self.client_key)
        if key == (None, None):
            raise ConfigError(f"{entry.where('client-key')} is missing: a client-certificate needs it")
        return replace(
            trust,
            certificate_data=pair[0],
            certificate_file=pair[1],
            key_data=key[0],
            key_file=key[1],
            certificate_source=entry.where("client-certificate-data" if pair[0] else "client-certificate"),
        )

    def impersonate(self, entry: Entry) -> Impersonate | None:
        """Return whom to act as."""
        if not self.as_:
            if self.as_uid or self.as_groups or self.as_user_extra:
                raise ConfigError(f"{entry.where('as')} is missing: as-uid, as-groups and as-user-extra need it")
            return None
        extra = {key: tuple(values) for key, values in (self.as_user_extra or {}).items()}
        try:
            return Impersonate(self.as_, tuple(self.as_groups or ()), self.as_uid or "", extra)
        except ConfigError as error:
            raise ConfigError(f"{entry.where('as')}: {error}") from error

    def credentials(
        self, entry: Entry, *, env: Mapping[str, str], cluster_info: Callable[[], Mapping[str, Any]]
    ) -> Credentials:
        """Return the credentials. A token or a certificate of the user's own keeps an exec plugin from running."""
        if self.auth_provider is not None:
            raise ConfigError(f"{entry.where('auth-provider')} is no longer supported anywhere: use an exec plugin")
        basic = bool(self.username or self.password)
        if basic and (self.token or self.token_file):
            raise ConfigError(f"{entry.where('token')} and username are both given: remove one")
        if basic:
            return BasicAuth(self.username or "", self.password or "")
        if self.token or self.token_file:
            return self._token(entry)
        command = self._command(entry, cluster_info) if self.exec else None
        if command is None or self.client_certificate or self.client_certificate_data:
            return NoCredentials()
        return ExecPlugin(command, env=env)

    def _token(self, entry: Entry) -> Credentials:
        """Return the file's token if there is a file: the token beside it only serves while that cannot be read."""
        if self.token:
            bearer(self.token, source=entry.where("token"))
        if not self.token_file:
            return StaticToken(self.token or "")
        path = entry.path(self.token_file)
        if not self.token:
            read_token(entry.readable("tokenFile", self.token_file))
        return TokenFile(path, fallback=self.token or "")

    def _command(self, entry: Entry, cluster_info: Callable[[], Mapping[str, Any]]) -> ExecCommand | None:
        plugin = self.exec or _Exec()
        if not plugin.command:
            raise ConfigError(f"{entry.where('exec.command')} is missing")
        if not plugin.api_version:
            raise ConfigError(f"{entry.where('exec.apiVersion')} is missing")
        try:
            return ExecCommand(
                # One with a slash is a path in relation to the file; another is looked up in PATH.
                command=str(entry.path(plugin.command)) if "/" in plugin.command else plugin.command,
                args=tuple(plugin.args or ()),
                env={variable.name: variable.value or "" for variable in plugin.env or ()},
                api_version=plugin.api_version,
                install_hint=plugin.install_hint or "",
                interactive_mode=_interactive_mode(plugin, entry),
                cluster=cluster_info() if plugin.provide_cluster_info else None,
                place=entry.where("exec"),
            )
        except ConfigError as error:
            raise ConfigError(f"{entry.where('exec')}: {error}") from error


def _interactive_mode(plugin: _Exec, entry: Entry) -> str:
    if plugin.interactive_mode or (plugin.api_version or "").endswith("/v1beta1"):
        return plugin.interactive_mode or "IfAvailable"
    raise ConfigError(f"{entry.where('exec.interactiveMode')} is missing: write Never, IfAvailable or Always")
