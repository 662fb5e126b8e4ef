# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A session of a manager's console, over a socket or TCP. Standard library only."""
import socket

from processes import PATIENCE


def connect(address):
    """Connects to a Unix socket (a path) or to a TCP port of this machine (a number); returns the connected socket."""
    if isinstance(address, int):
        return socket.create_connection(("127.0.0.1", address), timeout=PATIENCE)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(address)
    return connection


class Session:
    """A session of the console. Sends the token, if one is given, and reads the first prompt."""

    def __init__(self, address, token=None, prompt="weft $ "):
        self.prompt = prompt.encode()
        self.socket = connect(address)
        if token is not None:
            self.read(b"token: ")
            self.socket.sendall(token.encode() + b"\n")
        self.read()

    def read(self, end=None):
        end, data = end or self.prompt, b""
        while not data.endswith(end):
            piece = self.socket.recv(65536)
            if not piece:
                raise ConnectionError(data)
            data += piece
        return data[:-len(end)].decode(errors="replace")

    def command(self, line):
        """Sends a command and returns the response."""
        self.socket.sendall(line.encode() + b"\n")
        return self.read()

    def close(self):
        self.socket.close()
