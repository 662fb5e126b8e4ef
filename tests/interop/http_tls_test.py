#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests HTTPS: certificates, authentication of clients by certificates, incomplete handshakes, rotation of certificates and tokens on SIGHUP, the
audit log, and `weft` as a client.

Needs openssl. Usage: http_tls_test.py
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile

import weft_interop as interop
from http_client import TOKEN, bearer, token_file
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=8"
INCOMPLETE_HANDSHAKES = 300
NEW_TOKEN = "rotated-0123456789abcdef"


class Authority:
    """A certificate authority and the certificates that it signed, as PEM files in `folder`."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.certificate, self.key = folder / f"{name}.pem", folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-days", "2",
                "-keyout", self.key, "-out", self.certificate)

    def sign(self, name, common_name, usage):
        """Creates a key and a certificate; returns the paths (certificate, key). Only the owner can read the key."""
        paths = [self.folder / f"{name}.{end}" for end in ("pem", "key", "csr", "ext")]
        certificate, key, request, extensions = paths
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={common_name}", "-keyout", key, "-out", request)
        extensions.write_text(f"subjectAltName=IP:127.0.0.1\nextendedKeyUsage={usage}\n")
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", "-days", "2",
                "-extfile", extensions, "-out", certificate)
        key.chmod(0o600)
        return certificate, key


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == 0, f"openssl {arguments}: {done.stderr}")


class Service:
    """The HTTPS service on `port`, with a certificate that `authority` signed."""

    def __init__(self, port, authority):
        self.port, self.authority = port, authority

    def context(self, client=None):
        context = ssl.create_default_context(cafile=self.authority)
        if client:
            context.load_cert_chain(*client)
        return context

    def get(self, path, method="GET", headers=None, client=None):
        """Sends a request; returns (status, body). `client`: (certificate, key) of the client, or None."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=interop.PATIENCE, context=self.context(client))
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read()

    def status(self, path, **options):
        return self.get(path, **options)[0]


def check_answers(service):
    check(service.get("/healthz") == (200, b"ok\n"), "/healthz is not answered over TLS")
    status, body = service.get("/api/v1/ports?limit=10000")
    check(status == 200 and len(json.loads(body)["ports"]) > 100, "a long answer is incomplete")
    connection = http.client.HTTPSConnection("127.0.0.1", service.port, timeout=interop.PATIENCE, context=service.context())
    with contextlib.closing(connection):
        for _ in range(3):  # three requests on one connection
            connection.request("GET", "/metrics")
            check(connection.getresponse().read().startswith(b"#"), "/metrics is not answered on a reused connection")
        connection.request("GET", "/api/v1/events/stream", headers={"Last-Event-ID": "0"})
        response = connection.getresponse()
        check(response.readline() == b"retry: 2000\n", "the event stream does not begin")
        check(any(response.readline().startswith(b"data: ") for _ in range(9)), "the event stream has no events")


def check_broken_handshakes(service):
    """Peers without TLS, with an old version of TLS, or with an incomplete handshake get no response; other clients are served."""
    def raw(data):
        with socket.create_connection(("127.0.0.1", service.port), timeout=interop.PATIENCE) as peer:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                peer.sendall(data)
                return peer.recv(65536)
        return b""
    for data in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x40\x00" + os.urandom(400), os.urandom(3000), b"\x15\x03\x03\x00\x02\x02\x28"):
        answer = raw(data)
        check(b"HTTP/1" not in answer, f"an answer without TLS: {answer[:80]}")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", service.port), timeout=interop.PATIENCE) as peer:
        try:
            old.wrap_socket(peer)
            raise AssertionError("TLS 1.1 is accepted")
        except (ssl.SSLError, ConnectionResetError):
            pass
    with contextlib.ExitStack() as peers:
        for _ in range(INCOMPLETE_HANDSHAKES):
            peer = peers.enter_context(socket.create_connection(("127.0.0.1", service.port), timeout=interop.PATIENCE))
            peer.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        check(service.status("/healthz") == 200, "/healthz is not answered during incomplete handshakes")


def check_roles(service, clients, folder):
    sweep = lambda **options: service.status("/api/v1/sweep", method="POST", **options)
    check(sweep() == 401, "no status 401 for a change without certificate and token")
    check(sweep(client=clients["operator"]) == 202, "no status 202 for a certificate of role operate")
    check(sweep(client=clients["probe"]) == 403, "no status 403 for a certificate of role read")
    check(sweep(client=clients["unlisted"]) == 401, "no status 401 for a certificate without a role")
    check(sweep(client=clients["stranger"]) == 401, "no status 401 for a certificate of another authority, with a listed name")
    check(sweep(headers=bearer()) == 202, "no status 202 for a token")
    check(service.status("/api/v1/partitions/0x8010", method="DELETE", client=clients["operator"]) == 403,
          "no status 403 for a change of partitions by role operate")
    records = [json.loads(line) for line in (folder / "audit.log").read_text().splitlines()]
    seen = [(record["audit"], record["client"], record["status"]) for record in records]
    check(seen == [("change", "certificate operator", 202), ("refused", "certificate probe", 403), ("refused", "certificate unlisted", 401),
                   ("refused", "certificate operator", 401), ("change", "token administer", 202), ("refused", "certificate operator", 403)], seen)
    check(all(record["address"] == "127.0.0.1" for record in records), records)
    check((folder / "audit.log").stat().st_mode & 0o777 == 0o600, "the mode of the audit log is not 0600")
    check(TOKEN not in (folder / "audit.log").read_text(), "the audit log contains a token")


def check_client(service, clients, folder):
    """`weft` as a client of HTTPS."""
    server = ["--server", f"https://127.0.0.1:{service.port}"]
    certificate, key = clients["operator"]
    done = interop.weft("emulate", "list", *server, "--ca-file", service.authority, check=False)
    check(done.returncode == 0 and "no cable is cut" in done.stdout, done)
    check(interop.weft("emulate", "list", *server, check=False).returncode == 3, "expected status 3 for a server of an unknown authority")
    identified = [*server, "--ca-file", service.authority, "--certificate-file", certificate, "--key-file", key]
    leaf = json.loads(service.get("/api/v1/nodes?type=SW&limit=1")[1])["nodes"][0]["guid"]
    done = interop.weft("emulate", "cut", leaf, "1", *identified, check=False)
    check(done.returncode == 0, done)
    done = interop.weft("emulate", "list", *server, "--certificate-file", certificate, check=False)
    check(done.returncode == 2 and "--key-file" in done.stderr, done)
    open_key = folder / "open.key"
    open_key.write_text(key.read_text())
    open_key.chmod(0o644)
    done = interop.weft("emulate", "list", *server, "--certificate-file", certificate, "--key-file", open_key, check=False)
    check(done.returncode == 2 and "expected 0600" in done.stderr, done)


def check_rotation(manager, service, server_files, token, folder):
    """SIGHUP replaces certificate and tokens; if a file is invalid, nothing changes."""
    def hang_up(text):
        count = manager.log().count(text)
        manager.process.send_signal(signal.SIGHUP)
        return lambda: manager.log().count(text) > count
    sweep = lambda at, token: at.status("/api/v1/sweep", method="POST", headers=bearer(token))
    other = Authority(folder, "second-authority")
    renewed = other.sign("renewed", "weft", "serverAuth")
    for old, new in zip(server_files, renewed):
        old.write_bytes(new.read_bytes())
    token.write_text(f"operate {NEW_TOKEN}\n")
    manager.process.send_signal(signal.SIGHUP)
    rotated = Service(service.port, other.certificate)

    def is_renewed():
        with contextlib.suppress(ssl.SSLError):
            return rotated.status("/healthz") == 200
    wait_for("the new certificate", is_renewed)
    wait_for("the new token", lambda: sweep(rotated, NEW_TOKEN) == 202)
    check(sweep(rotated, TOKEN) == 401, "the old token is accepted")
    try:
        service.status("/healthz")
        raise AssertionError("the old certificate is in use")
    except ssl.SSLError:
        pass
    token.write_text("short\n")
    wait_for("the message of a short token", hang_up("found a token of 5 characters, expected 16 to 256: the previous tokens"))
    token.write_text(f"operate {NEW_TOKEN}\n")
    server_files[0].write_text("nonsense\n")
    wait_for("the message of a wrong certificate", hang_up("cannot be used with the key"))
    check(sweep(rotated, NEW_TOKEN) == 202 and rotated.status("/healthz") == 200, "the previous token and certificate are not active")
    check(manager.log().count("the previous tokens and certificates of the HTTP service remain active") == 2,
          "not two log messages about previous files")


def check_starts(folder, server_files):
    """Invalid files are reported before the start."""
    certificate, key = server_files
    key.chmod(0o640)
    options = ["--http", "127.0.0.1:0", "--http_certificate_file", certificate]
    done = interop.weft("sm", "--emulate", SPEC, *options, "--http_key_file", key, check=False)
    check(done.returncode == 2 and "expected 0600" in done.stderr, f"a key that others can read: {done}")
    key.chmod(0o600)
    done = interop.weft("sm", "--emulate", SPEC, *options, check=False)
    check(done.returncode == 2 and "expected both" in done.stderr, f"a certificate without a key: {done}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-https-") as name:
        folder = pathlib.Path(name)
        authority, foreign = Authority(folder, "authority"), Authority(folder, "foreign-authority")
        server_files = authority.sign("server", "weft", "serverAuth")
        clients = {role: authority.sign(role, role, "clientAuth") for role in ("operator", "probe", "unlisted")}
        clients["stranger"] = foreign.sign("stranger", "operator", "clientAuth")
        roles = folder / "roles"
        roles.write_text("operate operator\nread probe\n")
        token = token_file(folder)
        check_starts(folder, server_files)
        with Manager(folder, "-s", "0", "--http", "127.0.0.1:0", "--http_token_file", token, "--http_certificate_file", server_files[0],
                     "--http_key_file", server_files[1], "--http_client_ca_file", authority.certificate, "--http_client_roles_file", roles,
                     "--audit_log", folder / "audit.log", emulate=SPEC) as manager:
            port = int(re.search(r"HTTPS on 127\.0\.0\.1:(\d+)", manager.log())[1])
            service = Service(port, authority.certificate)
            check_answers(service)
            check_broken_handshakes(service)
            check_roles(service, clients, folder)
            check_client(service, clients, folder)
            check_rotation(manager, service, server_files, token, folder)
    print("https: passed")


if __name__ == "__main__":
    main()
