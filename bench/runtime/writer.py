"""Writes to objects at a steady pace, each time with the moment of sending in an annotation.

    writer.py N RATE

A process of its own with one blocking connection, so that nothing else it does delays a write.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

import sample

from konverge import Config

PATH = f"/apis/bench.konverge.dev/v1/namespaces/{sample.NAMESPACE}/gadgets"
HEADERS = {"Content-Type": "application/merge-patch+json"}


def main(count: int, rate: float) -> None:
    """Write once to each object."""
    connection = _connection()
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        _write(connection, number)
    print(json.dumps({"rate": count / (time.monotonic() - start)}))


def _write(connection: http.client.HTTPSConnection, number: int) -> None:
    sent = repr(time.monotonic())
    body = json.dumps({"metadata": {"annotations": {sample.ANNOTATION: sent}}})
    connection.request("PATCH", f"{PATH}/gadget-{number}", body, HEADERS)
    response = connection.getresponse()
    answer = response.read()
    if response.status != http.HTTPStatus.OK:
        raise SystemExit(answer.decode())


def _connection() -> http.client.HTTPSConnection:
    config = Config.load(os.environ["KUBECONFIG"])
    certificate = asyncio.run(config.credentials.client_certificate())
    address = urlsplit(config.server)
    context = config.tls.ssl_context(client_certificate=certificate)
    return http.client.HTTPSConnection(address.hostname or "", address.port, context=context)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
