#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the console. Every command of OpenSM's `help` exists, and the manager executes commands on ibsim; both are tested on the Unix socket.
Also tests sessions at the terminal and over TCP, access control, and that faulty or slow sessions block no other session.

Standard library only. Usage: console_test.py
"""
import contextlib
import grp
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import weft_interop as interop
from console_session import connect
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"


def commands_of(help_text):
    """The names of commands at the start of lines after the heading."""
    lines = help_text.split("Supported commands and syntax:")[-1].splitlines()
    return {match[1] for line in lines if (match := re.match(r"([a-z_]+)(\(\w+\))?( |$)", line))}


def opensm_help(sim, folder):
    with Manager(folder / "opensm", program="opensm", sim=sim, console="local", up=False) as opensm:
        def command(line):
            opensm.process.stdin.write(line.encode() + b"\n")
            opensm.process.stdin.flush()
        opensm.wait_for("OpenSM is master", lambda: "Entering MASTER" in opensm.output())
        command("help")
        opensm.wait_for("OpenSM's help", lambda: "dump_portguid" in opensm.output())
        command("help perfmgr")
        opensm.wait_for("OpenSM's help of perfmgr", lambda: "[clear_inactive]" in opensm.output())
        opensm.end()
        return opensm.output()


def performance_commands(help_text):
    return set(re.findall(r"[a-z_]+", help_text.split("perfmgr(pm) [")[-1].split("]]")[0])) - {"pc", "pe", "seconds"}


def check_commands(sim, folder, help_text):
    opensm_commands = commands_of(help_text)
    check({"loglevel", "priority", "resweep", "querylid", "perfmgr"} <= opensm_commands, f"OpenSM's help: {opensm_commands}")
    with Manager(folder, "-s", "1", sim=sim, console="unix") as manager:
        session = manager.session()
        weft_commands = commands_of(session.command("help"))
        check(opensm_commands <= weft_commands, f"missing commands of OpenSM: {sorted(opensm_commands - weft_commands)}")
        for name in sorted(weft_commands):
            check(name in session.command(f"help {name}"), f"help {name} does not name the command")
        check("SM State             : Master" in session.command("status"), "status does not show the state Master")
        wait_for("32 active ports in portstatus", lambda: "32 active" in session.command("portstatus"))
        check("8 active" in session.command("portstatus ca"), "portstatus ca does not show 8 active ports")
        check("state                        : Disabled" in session.command("pm"), "pm does not show the state Disabled without perfmgr TRUE")
        check("Node Type           : " in session.command("querylid 1") and "Invalid lid 999" in session.command("querylid 999"),
              "querylid does not show the node or does not refuse an invalid LID")
        check(session.command("dump_portguid ^host-[12]$").split() == ["0x0020000000000011", "0x0020000000000021"],
              "dump_portguid does not print the GUIDs of the two hosts")
        written = folder / "dumps/console/guids"
        check(session.command("dump_portguid file guids host").strip() == f"{written} written" and
              len(written.read_text().split()) == 8, "dump_portguid file does not write the 8 hosts")
        check("File exists" in session.command("dump_portguid file guids host-1") and len(written.read_text().split()) == 8,
              "dump_portguid replaces a file")
        check(stat.S_IMODE(written.stat().st_mode) == 0o600 and stat.S_IMODE(written.parent.stat().st_mode) == 0o700,
              "the modes of the dump file and its folder are not 0600 and 0700")
        check("expected a name" in session.command("dump_portguid file ../guids host"), "dump_portguid accepts a path outside the dump folder")
        check_requests(session, manager, sim)


def check_requests(session, manager, sim):
    for command in ("resweep heavy", "reroute", "update_desc"):
        ups = manager.ups()
        session.command(command)
        wait_for(command, lambda before=ups: manager.ups() > before)
    session.command("priority 7")
    wait_for("the priority", lambda: "SM Priority          : 7" in session.command("status"))
    check("priority..........7" in sim.client(["sminfo"]).stdout.replace(" ", ".") or
          "priority 7" in sim.client(["sminfo"]).stdout, "sminfo does not show priority 7")
    check("sm_priority 7" in session.command("dump_conf"), "dump_conf does not show priority 7")
    session.command("loglevel 0x07")
    wait_for("the log level", lambda: "0x7" in session.command("loglevel"))
    session.command("sweep off")
    wait_for("sweeps are off", lambda: "Sweeping enabled               : 0" in session.command("status"))
    ups = manager.ups()
    sim.console('unlink "S-0010000000000005"[1]')
    interop.stays("no sweep while sweeps are off", lambda: manager.ups() == ups, 3)
    session.command("sweep on")
    wait_for("a sweep after the loss of a link", lambda: manager.ups() > ups)
    wait_for("the change in portstatus", lambda: "2 down" in session.command("portstatus"))
    sim.console('relink "S-0010000000000005"[1]')


def check_performance(sim, folder, help_text):
    dump, config = folder / "counters", folder / "perfmgr.conf"
    config.write_text(f"perfmgr TRUE\nperfmgr_sweep_time_s 3600\nevent_db_dump_file {dump}\n")
    opensm_commands = performance_commands(help_text)
    check({"dump_counters", "sweep_time", "clear_inactive"} <= opensm_commands, f"OpenSM's help of perfmgr: {opensm_commands}")
    with Manager(folder, "-F", config, sim=sim, console="unix") as manager:
        session = manager.session()
        weft_commands = performance_commands(session.command("help perfmgr"))
        check(opensm_commands <= weft_commands, f"missing commands of perfmgr: {sorted(opensm_commands - weft_commands)}")
        for name in sorted(weft_commands - {"disable", "sweep"}):
            check("option not found" not in session.command(f"perfmgr {name}"), f"perfmgr {name} is an unknown option")
        wait_for("counters", lambda: "xmit_pkts" in session.command("pm print_counters leaf-1:1"))
        check("Enabled" in session.command("pm") and "3600s" in session.command("pm"), "pm does not show the state")
        check("not found" in session.command("pm pc unknown") and "not found" in session.command("pm nonsense"),
              "pm accepts an unknown node or subcommand")
        session.command("pm sweep_time 77")
        check("77s" in session.command("pm"), "pm does not show the new sweep time")
        check("expected 1 to" in session.command("pm sweep_time 0"), "pm accepts the sweep time 0")
        before = session.command("pm pc host-1")
        check(session.command("pm sweep") == "sweep initiated...\n", "pm sweep does not report the start of a sweep")
        wait_for("a new reading", lambda: session.command("pm pc host-1") != before)
        dump.unlink()
        check(session.command("pm dump_counters mach") == "" and "Name\tGUID" in dump.read_text(), "pm dump_counters mach does not write a table")
        session.command("pm disable")
        check("Disabled" in session.command("pm"), "pm disable does not change the state to Disabled")


def check_terminal(folder):
    with Manager(folder, emulate=SPEC, console="local") as manager:
        manager.process.stdin.write(b"version\nquit\nstatus\n")
        manager.process.stdin.flush()
        manager.wait_for("the status", lambda: "Known SMs" in manager.output())
        shown = manager.output()
        check("Weft " in shown and "not valid in local mode" in shown, f"at the terminal: {shown}")
        manager.process.stdin.close()
        interop.stays("the manager runs after the end of its input", lambda: manager.process.poll() is None, 0.5)


def check_tokens(folder):
    token = folder / "token"
    for where in ("loopback", "socket"):
        done = interop.weft("sm", "--emulate", SPEC, "--console", where, check=False)
        check(done.returncode == 2 and "console_token_file" in done.stderr, f"{where} without a token: {done}")
    token.write_text("a token of the console test\n")
    token.chmod(0o644)
    done = interop.weft("sm", "--emulate", SPEC, "--console", "socket", "--console_token_file", token, check=False)
    check(done.returncode == 2 and str(token) in done.stderr, f"a world-readable token: {done}")
    token.chmod(0o600)
    with Manager(folder, "--console_token_file", token, emulate=SPEC, console="socket") as manager:
        check("# sm_key is not shown in this session" in manager.session("a token of the console test").command("dump_conf"),
              "dump_conf shows keys over TCP")
        try:
            manager.session("wrong token")
            raise AssertionError("a wrong token is accepted")
        except ConnectionError:
            pass
        port = manager.console_port()
        refused = interop.weft("sm", "--emulate", SPEC, "--console", "loopback", "--console_token_file", token,
                             "--console-port", port, check=False)
        check(refused.returncode == 3 and str(port) in refused.stderr, f"a TCP port in use: {refused}")
    with Manager(folder, "--console_token_file", token, emulate=SPEC, console="loopback") as manager:
        listening = pathlib.Path("/proc/net/tcp").read_text()
        check(f" 0100007F:{manager.console_port():04X} 00000000:0000 0A" in listening, "the console does not listen on 127.0.0.1")
        check("Weft " in manager.session("a token of the console test").command("version"), "the console on loopback refuses the token")
        check_web_page(manager)


def check_web_page(manager):
    """Requests that a web page can make a browser send are not executed, even with the token in the body."""
    ups = manager.ups()
    for request in (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\na token of the console test\nresweep heavy\n",
                    b"GET /" + b"x" * 2000 + b" HTTP/1.1\r\nCookie: a\n\na token of the console test\nresweep heavy\n",
                    b"x" * 2000 + b"\na token of the console test\nresweep heavy\n",
                    b"\x16\x03\x01\x02\x00\x01\na token of the console test\nresweep heavy\n"):
        connection = connect(manager.console_port())
        connection.sendall(request)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
        check(b"weft $" not in answer, f"{request[:40]}: {answer}")
    interop.stays("no sweep is caused by a web page", lambda: manager.ups() == ups, 1)
    check("HTTP request or TLS: session closed" in manager.log(), "the log does not contain the web page's session")


def run_as(user, program, *words):
    """The output of a Python program that runs as another user. `user`: (user and group id, further group ids)."""
    python = shutil.which("python3", path="/usr/bin") or sys.executable  # an interpreter that other users can execute
    done = subprocess.run([python, "-c", program, *map(str, words)], capture_output=True, text=True, timeout=interop.PATIENCE,
                          user=user[0], group=user[0], extra_groups=user[1])
    return done.stdout + done.stderr


CLIENT = """
import socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])
s.sendall(sys.argv[2].encode() + b"\\nquit\\n")
while piece := s.recv(65536): sys.stdout.write(piece.decode())
"""


def check_credentials(folder):
    """Root and the manager's user may use all commands and see the keys. Members of the group may use all commands, but do not see the keys.
    Other users are refused."""
    path = folder / "console.sock"
    with Manager(folder, emulate=SPEC, console="unix") as manager:
        check("sm_key 0x" in manager.session().command("dump_conf"), "dump_conf does not show the keys to root")
        check(stat.S_IMODE(path.stat().st_mode) == 0o600, "the mode of the socket is not 0600")
        refused = interop.weft("sm", "--emulate", SPEC, "--console", "unix", "--console_socket", path, check=False)
        check(refused.returncode == 3 and "another process listens" in refused.stderr, f"a socket in use: {refused}")
        manager.kill()
    check(path.exists(), "a killed manager leaves no socket, so the test checks nothing")
    with Manager(folder, emulate=SPEC, console="unix") as manager:
        check("Weft " in manager.session().command("version"), "the socket of a killed manager is not replaced")
    check(not path.exists(), "the socket remains after the end of the manager")
    path.write_text("in the way")
    done = interop.weft("sm", "--emulate", SPEC, "--console", "unix", "--console_socket", path, check=False)
    check(done.returncode == 3 and path.read_text() == "in the way", f"a file in place of the socket: {done}")
    path.unlink()
    done = interop.weft("sm", "--emulate", SPEC, "--console", "unix", "--console_group", "no-such-group", check=False)
    check(done.returncode == 2 and "console_group" in done.stderr, f"an unknown group: {done}")
    if os.geteuid() != 0:
        return print("not root: tests with other users are skipped")
    group = grp.getgrnam("users")
    folder.chmod(0o755)
    with Manager(folder, "--console_group", group.gr_name, emulate=SPEC, console="unix") as manager:
        path.chmod(0o666)  # access depends on the credentials, not only on the mode
        member, outsider = (65534, [group.gr_gid]), (65534, [])
        check("Weft " in run_as(member, CLIENT, path, "version"), "a member of the group cannot execute commands")
        check("# sm_key is not shown in this session" in run_as(member, CLIENT, path, "dump_conf"),
              "dump_conf shows the keys to a member of the group")
        check("weft $" not in run_as(outsider, CLIENT, path, "version"), "the console executes commands of another user")
        check("connection of another user refused" in manager.log(), "the log does not contain the refused user")


def check_faulty_sessions(folder):
    with Manager(folder, emulate=SPEC, console="unix") as manager:
        sessions = [manager.session() for _ in range(12)]
        sessions[0].socket.sendall(bytes(range(256)) * 64 + b"\n")
        sessions[1].socket.sendall(b"x" * 1_000_000)  # a line without a newline
        sessions[2].socket.settimeout(2)
        with contextlib.suppress(TimeoutError):  # the manager stops reading while its answers are not read
            for _ in range(200):
                sessions[2].socket.sendall(b"dump_conf\nswitchbalance verbose\n" * 100)  # the session does not read the answers
        for session in sessions[3:]:
            check("Weft " in session.command("version"), "faulty sessions block another session")
        ups = manager.ups()
        sessions[3].command("resweep heavy")
        wait_for("a sweep during faulty sessions", lambda: manager.ups() > ups)
        sessions[1].read()
        sessions[1].socket.sendall(b"\n")
        check("Weft " in sessions[1].command("version"), "the session does not continue after a line that was too long")
        sessions[4].socket.sendall(b"status loop\n")
        check("Known SMs" in sessions[4].read(b"SELF\n\n"), "status loop does not show the managers")
        check(sessions[4].command("q") == "", "q does not end the loop")
        sessions[5].socket.sendall(b"quit\n")
        check(sessions[5].socket.recv(10) == b"", "quit does not end the session")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        with interop.Ibsim(net) as sim:
            help_text = opensm_help(sim, folder)
            check_commands(sim, folder, help_text)
            check_performance(sim, folder, help_text)
        check_terminal(folder)
        check_tokens(folder)
        check_credentials(folder)
        check_faulty_sessions(folder)
    print("console: passed")


if __name__ == "__main__":
    main()
