# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests to the HTTP service of a manager, and the token of the tests. Standard library only."""
import contextlib
import http.client
import json
import socket

from processes import PATIENCE, check

TOKEN = "tests-token-0123456789"


def token_file(folder):
    """A file with TOKEN that only its owner can read."""
    path = folder / "token"
    path.write_text(TOKEN + "\n")
    path.chmod(0o600)
    return path


def bearer(token=TOKEN):
    """The headers of a request with this token; empty for None."""
    return {"Authorization": f"Bearer {token}"} if token else {}


class HttpClient:
    """Sends requests, each over a new connection."""

    def __init__(self, port):
        self.port = port

    def get(self, path, method="GET", body=None, headers=None, timeout=PATIENCE):
        """Sends a request; returns (status, body, headers)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        finally:
            connection.close()

    def json(self, path, **options):
        """Sends a request; returns (status, parsed body)."""
        status, body, headers = self.get(path, **options)
        check(headers["Content-Type"] == "application/json", f"{path}: {headers['Content-Type']}")
        return status, json.loads(body)

    def raw(self, data, timeout=PATIENCE):
        """Sends these bytes; returns the bytes received until the service closes the connection or sends nothing for `timeout` seconds."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as peer:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                peer.sendall(data)
            answer = b""
            with contextlib.suppress(TimeoutError, ConnectionResetError):
                while piece := peer.recv(65536):
                    answer += piece
            return answer
