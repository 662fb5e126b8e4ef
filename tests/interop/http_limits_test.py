#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the HTTP service with clients that occupy its connections: 1,000 slow clients of each kind, streams beyond the limit, and an HTTP process
without free descriptors. The service continues to answer /healthz. With slow clients it also answers requests for metrics and
the page, and the manager continues to sweep.

Standard library only. Usage: http_limits_test.py
"""
import contextlib
import http.client
import pathlib
import resource
import socket
import tempfile
import time

import weft_interop as interop
from http_client import bearer, token_file
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree3:k=16"  # the API's lists of this fabric are larger than the socket buffers
SLOW = 1000
STREAMS_MAX = 64
DESCRIPTORS_LEFT = 8


def connect(port, receive_bytes=None):
    peer = socket.socket()
    if receive_bytes:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    peer.settimeout(interop.PATIENCE)
    peer.connect(("127.0.0.1", port))
    return peer


def silent(port):
    return connect(port)


def slow_head(port):
    peer = connect(port)
    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Half: ")
    return peer


def slow_body(port):
    peer = connect(port)
    peer.sendall(b"POST /api/v1/compare HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{")
    return peer


def slow_reader(port):
    peer = connect(port, 4096)
    peer.sendall(b"GET /api/v1/ports?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return peer


def check_slow_clients(manager):
    """Requests are answered while slow clients are connected: the service has closed most of the slow connections."""
    port = manager.http.port
    before = manager.http.json("/api/v1/fabric")[1]["heavy_sweeps"]
    for kind in (silent, slow_head, slow_body, slow_reader):
        with contextlib.ExitStack() as peers:
            for _ in range(SLOW):
                with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                    peers.enter_context(contextlib.closing(kind(port)))
            begun = time.monotonic()
            for path in ("/healthz", "/metrics", "/", "/readyz"):
                status = manager.http.get(path)[0]
                check(status == 200 or (path == "/" and status == 404), f"{kind.__name__}: {path}: {status}")
            print(f"{SLOW} connections, {kind.__name__}: {time.monotonic() - begun:.3f} s for four answers")
    # The connections of the last slow readers may not be closed yet.
    wait_for("a connection for a change", lambda: manager.http.get("/api/v1/sweep", method="POST", headers=bearer())[0] == 202)
    wait_for("a sweep", lambda: manager.http.json("/api/v1/fabric")[1]["heavy_sweeps"] > before)


def open_stream(port):
    """Opens a stream; the response keeps the connection open."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=interop.PATIENCE)
    connection.request("GET", "/api/v1/events/stream")
    return connection.getresponse()


def check_streams(manager):
    port = manager.http.port
    streams = [open_stream(port) for _ in range(STREAMS_MAX + 2)]
    statuses = [stream.status for stream in streams]
    check(statuses == [200] * STREAMS_MAX + [503] * 2, f"statuses of streams: {statuses}")
    check(manager.http.get("/healthz")[0] == 200, "/healthz is not answered during open streams")
    for stream in streams:
        stream.close()
    wait_for("a stream after the others are closed", lambda: open_stream(port).status == 200)


def check_without_descriptors(manager):
    """If accept() fails for lack of descriptors, the HTTP process closes another connection for the new one, and continues to serve."""
    pid = manager.http_processes()[1]
    used = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + DESCRIPTORS_LEFT, limits[1]))
    try:
        with contextlib.ExitStack() as peers:
            for _ in range(4 * DESCRIPTORS_LEFT):
                peers.enter_context(contextlib.closing(silent(manager.http.port)))
            check(manager.http.get("/healthz")[0] == 200, "/healthz is not answered without free descriptors")
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
    check(manager.http.get("/metrics")[0] == 200 and manager.process.poll() is None, "the manager does not respond after descriptors are free again")
    check(manager.http_processes()[1] == pid, "the HTTP process was replaced")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-http-limits-") as name:
        folder = pathlib.Path(name)
        with Manager(folder, "--http_token_file", token_file(folder), "-s", "0", emulate=SPEC, http=True) as manager:
            check_streams(manager)
            check_slow_clients(manager)
            check_without_descriptors(manager)
    print("http limits: passed")


if __name__ == "__main__":
    main()
