#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attacks on the console from the same machine. Former vulnerabilities: a console on loopback without a token executed the commands in
a POST request that a web page sent from a local browser; `dump_portguid file` overwrote existing files in the dump folder and followed
symbolic links.

`access`: TCP without a token, HTTP requests, wrong tokens. `files`: file names in commands that write files. `lines`: control
characters, input without a newline, clients that do not read. Standard library only. Usage: console_attack_test.py access|files|lines
"""
import pathlib
import re
import stat
import sys
import tempfile

import attackers
import weft_interop as interop
from attackers import ManyConnections, exchange
from http_client import TOKEN, token_file
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"


def manager_with_token(folder, *options):
    """A manager with a console over TCP that requires a token."""
    return Manager(folder, "--console_token_file", token_file(folder), "-s", "1", *options, emulate=SPEC, console="loopback")


def check_is_running(manager, activity):
    check(manager.process.poll() is None, f"the manager has ended during {activity}")
    session = manager.session(TOKEN)
    check("SM State             : Master" in session.command("status"), f"the manager is no longer master during {activity}")
    session.close()


def web_page_requests(port):
    """Requests that a web page can make a browser send; commands are in the path, in headers and in the body."""
    commands = "resweep heavy\nreroute\npriority 15\nsweep off\nquit\n"
    for head in ("POST / HTTP/1.1", "GET /resweep%20heavy HTTP/1.1", "PUT / HTTP/1.0", "OPTIONS * HTTP/1.1", "HEAD / HTTP/1.1", "POST http://x/ HTTP/1.1"):
        for token_line in ("", f"{TOKEN}\n"):
            body = token_line + commands
            yield head, (f"{head}\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://attacker.example\r\nContent-Type: text/plain\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def test_access(folder):
    for console in ("loopback", "socket"):
        done = interop.weft("sm", "--once", "--emulate", SPEC, "--console", console, "--console-port", "0", check=False)
        check(done.returncode == 2 and "console_token_file" in done.stderr, f"{console} without a token: status {done.returncode} {done.stderr}")
    with manager_with_token(folder) as manager:
        port, ups = manager.console_port(), manager.ups()
        for what, data in web_page_requests(port):
            answer, closed = exchange(port, data)
            check(closed, f"{what}: the session stays open")
            check(b"weft $" not in answer, f"{what}: {answer[:200]}")
        check(manager.ups() == ups, "a web page has caused a sweep")
        status = manager.session(TOKEN).command("status")
        check("SM Priority          : 0" in status and "Sweeping enabled               : 1" in status,
              f"the console has executed commands of a web page: {status}")
        for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "a" * 5000, "\0" * 30):
            answer, _ = exchange(port, wrong.encode() + b"\nresweep heavy\nquit\n")
            check(b"weft $" not in answer, f"token {wrong[:30]!r}: {answer[:100]}")
        check(manager.ups() == ups, "a session with a wrong token has caused a sweep")
        check(TOKEN not in manager.log(), "the log contains the token")
        attackers.raise_descriptor_limit()
        with ManyConnections(port, 1000):
            manager.wait_for("the manager runs with 1,000 connections to the console", lambda: manager.process.poll() is None)
        wait_for("sessions are accepted after 1,000 connections", lambda: can_log_in(manager))
        check_is_running(manager, "1,000 connections")


def can_log_in(manager):
    try:
        session = manager.session(TOKEN)
    except (ConnectionError, TimeoutError):
        return False
    session.close()
    return True


def test_files(folder):
    with manager_with_token(folder) as manager:
        session = manager.session(TOKEN)
        written = re.match(r"(/\S+)/first written", session.command("dump_portguid file first host"))
        check(written, "the answer of dump_portguid does not name the written file")
        dumps, precious = pathlib.Path(written[1]), folder / "precious"
        precious.write_text("precious\n")
        (dumps / "link").symlink_to(precious)
        (dumps / "dangling").symlink_to(folder / "made-through-a-link")
        (dumps / "present").write_text("present\n")
        (dumps / "folder").mkdir()
        for name in ("link", "dangling", "present", "folder", "../precious", str(precious), "..", ".", "a/b", "x\x1b[2J", "-", "x" * 300):
            answer = session.command(f"dump_portguid file {name} host")
            check(not attackers.control_characters(answer), f"{name!r}: {answer!r}")
            check(precious.read_text() == "precious\n", f"{name!r} overwrites a file outside the folder of dumps")
            check((dumps / "present").read_text() == "present\n", f"{name!r} overwrites {dumps / 'present'}")
            check(not (folder / "made-through-a-link").exists(), f"{name!r} writes through a symbolic link")
        check((dumps / "link").is_symlink(), "a symbolic link is replaced")
        session.command("dump_portguid file new host")
        check(len((dumps / "new").read_text().split()) == 8, "dump_portguid does not write 8 GUIDs to a new file")
        check(stat.S_IMODE(dumps.stat().st_mode) & 0o022 == 0, f"{dumps} can be written by others")
        check_is_running(manager, "files")


def test_lines(folder):
    secret = "plugin-secret-4711"
    config = folder / "conf"
    config.write_text(f"event_plugin_options password={secret}\nsm_key 0x5a5b5c5d5e5f6061\n")
    with manager_with_token(folder, "-F", config) as manager:
        session = manager.session(TOKEN)
        check(secret not in session.command("dump_conf"), "dump_conf discloses the options of plugins")
        sessions = [manager.session(TOKEN) for _ in range(8)]
        sessions[0].socket.sendall(bytes(byte for byte in range(256) if byte != 10) * 64 + b"\n")
        sessions[1].socket.sendall(b"x" * 5_000_000)
        for _ in range(500):
            try:
                sessions[2].socket.settimeout(1)
                sessions[2].socket.sendall(b"dump_conf\nswitchbalance verbose\n" * 100)  # the session does not read the answers
            except TimeoutError:
                break
        before = interop.rss_bytes(manager.process.pid)
        for line in ("querylid \x1b[2J", "help \x1b]0;x\x07", "dump_portguid \x1b[31m", "\x1b[2J", "perfmgr \x1b[2J", "loglevel \x1b", "priority \x9b2J",
                     "emulate cut \x1b[2J 1", "resweep \x1b[2J"):
            answer = session.command(line)
            check(not attackers.control_characters(answer), f"{line!r}: {answer!r}")
        check(interop.rss_bytes(manager.process.pid) - before < 64 << 20, "memory grows with sessions that do not read the answers")
        check(not attackers.control_characters(manager.log()), f"the log contains control characters: {attackers.control_characters(manager.log())}")
        check_is_running(manager, "lines")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        {"access": test_access, "files": test_files, "lines": test_lines}[sys.argv[1]](pathlib.Path(where))
    print(f"console, {sys.argv[1]}: passed")
