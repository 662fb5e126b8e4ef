# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Helpers of the attacks in Python: the helpers of tests/interop, raw MADs from a host of ibsim, and many concurrent TCP connections.
Standard library only."""
import contextlib
import pathlib
import re
import resource
import select
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))

# pylint: disable=wrong-import-position
import weft_interop as interop  # noqa: E402
from weft_interop import check  # noqa: E402

GET, SET, TRAP, REPRESS = 0x01, 0x02, 0x05, 0x07
NOTICE, PORT_INFO, SM_INFO = 0x02, 0x15, 0x20
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def raise_descriptor_limit(wanted=8192):
    """Raises the limit of open files, for thousands of sockets in this process."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def smp_line(method, attribute, modifier=0, key=0, transaction=1, data=b""):
    return f"{method:x} {attribute:x} {modifier:x} {key:x} {transaction:x} {data.hex()}"


def notice(trap, details, generic=True, kind=1, producer=2, issuer=0):
    """The bytes of a Notice. Generic notices have a producer type and a trap number."""
    first = (0x80 if generic else 0) | kind
    return bytes([first]) + producer.to_bytes(3, "big") + trap.to_bytes(2, "big") + issuer.to_bytes(2, "big") + b"\0\0" + details[:54].ljust(54, b"\0")


def sm_info(guid, key, priority, state, count=1):
    return guid.to_bytes(8, "big") + key.to_bytes(8, "big") + count.to_bytes(4, "big") + bytes([priority << 4 | state])


def raw_mads(sim, host, lines, seconds=60, timeout=300):
    """Sends SMPs from this host for at most `seconds`; returns the MADs received, as (method, attribute, status, M_Key, data)."""
    command = interop.never_blocked([interop.tool("raw_mads"), str(seconds)])
    done = sim.client(command, host=host, input="\n".join([*lines, "wait 1000"]) + "\n", timeout=timeout)
    received = done.stdout.splitlines()
    check(received and received[0] == "ready", f"raw_mads does not print 'ready': {done.stdout} {done.stderr}")
    rows = [line.split() for line in received[1:]]
    return [(int(a, 16), int(b, 16), int(c, 16), int(d, 16), bytes.fromhex(e)) for a, b, c, d, e in rows]


class ManyConnections:
    """Many TCP connections to one port of this machine. All connections send the same bytes."""

    def __init__(self, port, count, data=b"", receive_buffer=None):
        self.sockets = []
        for _ in range(count):
            peer = socket.socket()
            if receive_buffer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            peer.settimeout(30)
            try:
                peer.connect(("127.0.0.1", port))
                if data:
                    peer.sendall(data)
            except OSError:  # the service may refuse or close a connection
                peer.close()
                continue
            peer.setblocking(False)
            self.sockets.append(peer)

    def send_to_open(self, data):
        """Sends these bytes on each connection that is still open."""
        for peer in list(self.sockets):
            try:
                peer.send(data)
            except BlockingIOError:
                pass
            except OSError:
                peer.close()
                self.sockets.remove(peer)

    def read_slowly(self, size=1):
        """Reads a few bytes of each connection, as a slow reader does."""
        for peer in list(self.sockets):
            try:
                if peer.recv(size) == b"":
                    raise ConnectionResetError
            except BlockingIOError:
                pass
            except OSError:
                peer.close()
                self.sockets.remove(peer)

    def count_open(self):
        """The number of connections that the service has not closed. Reads and discards the received data."""
        for peer in list(self.sockets):
            with contextlib.suppress(BlockingIOError):
                try:
                    while peer.recv(1 << 16):
                        pass
                    raise ConnectionResetError
                except ConnectionError:
                    peer.close()
                    self.sockets.remove(peer)
        return len(self.sockets)

    def close(self):
        for peer in self.sockets:
            peer.close()
        self.sockets = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def exchange(port, data, seconds=10):
    """Sends the bytes; returns the answer received within `seconds`, and whether the service closed the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=interop.PATIENCE) as peer:
        with contextlib.suppress(ConnectionError):
            peer.sendall(data)
        answer, deadline = b"", time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([peer], [], [], left)[0]:
                break
            try:
                piece = peer.recv(1 << 16)
            except ConnectionError:
                return answer, True
            if not piece:
                return answer, True
            answer += piece
        return answer, False


def control_characters(text):
    """The control characters in a text, newlines and tabs excepted."""
    return sorted(set(CONTROL.findall(text)))
