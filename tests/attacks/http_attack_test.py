#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attacks on the HTTP service from the same machine. Vulnerability: 256 slow readers exhausted the service, so that /healthz answered 503
and a Kubernetes probe killed the manager; each reader had its own copy of the answer.

`headers`, `bodies`, `readers`, `streams` and `silent` open 1,000 connections each. The clients send headers or bodies byte by byte, do not read
answers or event streams, or send no request. Meanwhile the service answers /healthz, /metrics and the page. The service closes the connections,
except those of `streams`. Sweeps continue (not tested by `headers` and `bodies`). `malformed` sends oversized headers, invalid requests, TLS to
a port without TLS, broken TLS and wrong tokens. In each test the manager continues to run, and the memory of its processes is limited. Standard
library only.
Usage: http_attack_test.py headers|bodies|readers|streams|silent|malformed
"""
import pathlib
import random
import sys
import tempfile
import time

import attackers
import weft_interop as interop
from attackers import ManyConnections, exchange
from http_client import TOKEN, bearer, token_file
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree3:k=16"  # the table of links has 600 KB, more than the kernel buffers for a slow reader
SLOW = 1000
MEMORY_GROWTH_MAX = 256 << 20
ANSWERED_IN = 100  # seconds; bench/flood.py requires 1, but here other tests may run at the same time
PATHS = ("/healthz", "/readyz", "/metrics", "/")


class Watched(Manager):
    """A manager with the HTTP service. Checks that the service answers, and that the memory of the processes stays limited."""

    def __init__(self, folder, *options):
        super().__init__(folder, "--http_token_file", token_file(folder), "-s", "1", *options, emulate=SPEC, http=True)
        self.before = self.memory()

    def memory(self):
        return interop.rss_bytes(self.process.pid) + interop.rss_bytes(self.http_processes()[1])

    def check_service(self, activity, paths=PATHS):
        for path in paths:
            status, body, _ = self.http.get(path, timeout=ANSWERED_IN)
            check(status in ((200, 404) if path == "/" else (200,)), f"{path} during {activity}: {status} {body[:200]}")
        check(self.process.poll() is None, f"the manager has ended during {activity}")
        grown = self.memory() - self.before
        check(grown < MEMORY_GROWTH_MAX, f"memory has grown by {grown} bytes during {activity}")

    def check_sweep(self, activity):
        before = self.http.json("/api/v1/fabric", timeout=ANSWERED_IN)[1]["heavy_sweeps"]
        status, body, _ = self.http.get("/api/v1/sweep", method="POST", headers=bearer(), timeout=ANSWERED_IN)
        check(status == 202, f"POST of a sweep during {activity}: {status} {body[:200]}")
        wait_for(f"a sweep during {activity}", lambda: self.http.json("/api/v1/fabric")[1]["heavy_sweeps"] > before)


def slow_headers(manager):
    with ManyConnections(manager.http.port, SLOW, b"GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nX-Slow: ") as connections:
        for _ in range(5):
            connections.send_to_open(b"a")
            manager.check_service("slow headers")
            time.sleep(0.5)
        wait_for("connections with slow headers are closed although bytes arrive",
                 lambda: connections.send_to_open(b"a") or connections.count_open() == 0, pause=1)


def slow_bodies(manager):
    head = f"POST /api/v1/what-if HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    with ManyConnections(manager.http.port, SLOW, head.encode()) as connections:
        for _ in range(5):
            connections.send_to_open(b" ")
            manager.check_service("slow bodies")
            time.sleep(0.5)
        wait_for("connections with slow bodies are closed although bytes arrive",
                 lambda: connections.send_to_open(b" ") or connections.count_open() == 0, pause=1)


def slow_readers(manager):
    request = b"GET /api/v1/links?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 8
    with ManyConnections(manager.http.port, SLOW, request, receive_buffer=4096) as connections:
        for _ in range(5):
            connections.read_slowly()
            manager.check_service("slow readers")
            time.sleep(0.5)
        manager.check_sweep("slow readers")
        # Sent data may still be in the kernel's buffers although the service has closed the connection.
        wait_for("connections of slow readers are closed", lambda: connections.read_slowly() or established(manager.http.port) < SLOW // 10, pause=1)


def streams(manager):
    request = b"GET /api/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ManyConnections(manager.http.port, SLOW, request, receive_buffer=4096):
        manager.check_service("event streams that are not read")
        manager.check_sweep("event streams that are not read")


def silent(manager):
    with ManyConnections(manager.http.port, SLOW) as connections:
        manager.check_service("connections without a request")
        manager.check_sweep("connections without a request")
        wait_for("connections without a request are closed", lambda: connections.count_open() == 0, pause=1)


def half_closed(manager):
    """Opens 1,000 connections five times, sends a request on each, and closes them without reading the answers."""
    for _ in range(5):
        ManyConnections(manager.http.port, SLOW, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").close()
    manager.check_service("connections that are closed at once")


def established(port):
    """The number of TCP connections at this port that the service has not closed (state 01)."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


SLOW_TESTS = {"headers": slow_headers, "bodies": slow_bodies, "readers": slow_readers, "streams": streams, "silent": silent}


def test_slow(folder, part):
    attackers.raise_descriptor_limit()
    with Watched(folder) as manager:
        SLOW_TESTS[part](manager)
        half_closed(manager)
        manager.check_service(f"the end of {part}")


def test_malformed(folder):
    rng = random.Random(5)
    host = b"Host: localhost\r\n"
    cases = {
        "a long header": b"GET /healthz HTTP/1.1\r\n" + host + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n",
        "many headers": b"GET /healthz HTTP/1.1\r\n" + host + b"".join(b"X-%d: y\r\n" % i for i in range(20_000)) + b"\r\n",
        "a long path": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "a long query": b"GET /api/v1/nodes?" + b"a=b&" * 200_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "a header without an end": b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 1_000_000,
        "a huge body": b"POST /api/v1/sweep HTTP/1.1\r\n" + host + b"Content-Length: 18446744073709551615\r\n\r\n",
        "a negative body": b"POST /api/v1/sweep HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n",
        "two lengths": b"POST /api/v1/sweep HTTP/1.1\r\n" + host + b"Content-Length: 1\r\nContent-Length: 100\r\n\r\nx",
        "length and chunks": b"POST /api/v1/sweep HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a huge chunk": b"POST /api/v1/sweep HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
        "no version": b"GET /healthz\r\n\r\n",
        "another version": b"GET /healthz HTTP/9.9\r\n" + host + b"\r\n",
        "NUL bytes": b"GET /healthz\0 HTTP/1.1\r\n" + host + b"\r\n",
        "TLS to a port without TLS": bytes.fromhex("1603010200010001fc0303") + bytes(rng.randrange(256) for _ in range(500)),
        "broken TLS": b"\x16\x03\x01\xff\xff" + b"\x01" * 70_000,
        "a TLS alert": bytes.fromhex("15030100020228"),
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(64),
        "bytes": bytes(rng.randrange(256) for _ in range(100_000)),
        "line feeds": b"\n" * 1_000_000,
    }
    with Watched(folder) as manager:
        for what, data in cases.items():
            answer, _ = exchange(manager.http.port, data, seconds=1)
            check(not answer.startswith(b"HTTP/1.1 200") or what in ("a long query", "no version"), f"{what}: {answer[:200]}")
            check(TOKEN.encode() not in answer, f"{what}: the token is disclosed")
            manager.check_service(what, paths=("/healthz",))
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../../../etc/passwd", "//etc/passwd", "/%00"):
            answer, _ = exchange(manager.http.port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), seconds=5)
            check(b"root:" not in answer and b" 200 " not in answer[:20], f"{path}: {answer[:200]}")
        wrong = ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\xff" * 100, "a" * 7000, TOKEN.replace("-", "\t")]
        for token in wrong:
            request = f"POST /api/v1/sweep HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            answer, _ = exchange(manager.http.port, request.encode("latin-1"), seconds=20)
            check(not answer.startswith((b"HTTP/1.1 20", b"HTTP/1.1 30")), f"token {token[:40]!r}: {answer[:100]}")
        foreign = b"GET /api/v1/fabric HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n"
        check(b" 200 " not in exchange(manager.http.port, foreign)[0][:20], "a request with a foreign Host is answered (DNS rebinding)")
        manager.check_service("malformed requests")
        manager.check_sweep("malformed requests")
        forged = "FORGED LINE"
        exchange(manager.http.port, f"GET /%0a{forged} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: \x1b[2J\r\n\r\n".encode(), seconds=1)
        check(not any(line.startswith(forged) for line in manager.log().splitlines()), "a request forges a log line")
        check(not attackers.control_characters(manager.log()), f"the log contains control characters: {attackers.control_characters(manager.log())}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        if sys.argv[1] in SLOW_TESTS:
            test_slow(pathlib.Path(where), sys.argv[1])
        else:
            test_malformed(pathlib.Path(where))
    print(f"HTTP, {sys.argv[1]}: passed")
