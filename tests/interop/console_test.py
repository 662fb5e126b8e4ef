#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The console: every command of OpenSM's `help` exists, at the terminal and over TCP; the manager executes requests on ibsim; access
control; misbehaving sessions block no other.

Standard library only. Usage: console_test.py
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile

import weft_interop as interop
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
PROMPT = b"weft $ "


def commands_of(help_text):
    """Names at the start of a line after the heading."""
    lines = help_text.split("Supported commands and syntax:")[-1].splitlines()
    return {match[1] for line in lines if (match := re.match(r"([a-z_]+)(\(\w+\))?( |$)", line))}


def opensm_help(sim, folder):
    output = folder / "opensm.out"
    with open(output, "w") as out:
        process = subprocess.Popen(["ibsim-run", "opensm", "--console", "local", "-f", folder / "opensm.log"],
                                   stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, text=True, cwd=sim.folder,
                                   env=sim.client_environment(None, {"OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)}))
        wait_for("OpenSM is master", lambda: "Entering MASTER" in output.read_text())
        process.stdin.write("help\n")
        process.stdin.flush()
        wait_for("OpenSM's help", lambda: "dump_portguid" in output.read_text())
        process.stdin.write("help perfmgr\n")
        process.stdin.flush()
        wait_for("OpenSM's help of perfmgr", lambda: "[clear_inactive]" in output.read_text())
        process.terminate()
        process.wait(timeout=interop.PATIENCE)
    return output.read_text()


def performance_commands(help_text):
    return set(re.findall(r"[a-z_]+", help_text.split("perfmgr(pm) [")[-1].split("]]")[0])) - {"pc", "pe", "seconds"}


class Manager:
    """`weft sm` with a console at a TCP port of its own, or at stdin."""

    def __init__(self, folder, *options, sim=None, local=False):
        self.log_path = folder / "weft.log"
        self.log_path.unlink(missing_ok=True)
        (folder / "dumps").mkdir(exist_ok=True)
        console = ["--console", "local"] if local else ["--console-port", "0"]
        command = [interop.weft_binary(), "sm", "-f", str(self.log_path), *console, *map(str, options)]
        environment = {"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder / "dumps")}
        streams = {"stdin": subprocess.PIPE if local else subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.STDOUT}
        if sim:
            self.process = subprocess.Popen(["ibsim-run", *command], env=sim.client_environment(None, environment),
                                            cwd=sim.folder, **streams)
        else:
            self.process = subprocess.Popen([*command, "--emulate", SPEC], env=dict(os.environ, **environment), **streams)
        wait_for(f"SUBNET UP in {self.log_path}", lambda: self.ups() > 0)
        if not local:
            self.port = int(re.search(r"console on [\d.]+:(\d+)", self.log())[1])

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def ups(self):
        return self.log().count("SUBNET UP")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                check(self.process.wait(timeout=interop.PATIENCE) == 0, f"exit status {self.process.returncode}")
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise AssertionError(f"still there {interop.PATIENCE} s after SIGTERM:\n{self.log()[-2000:]}") from None


class Session:
    def __init__(self, manager, token=None):
        self.socket = socket.create_connection(("127.0.0.1", manager.port), timeout=interop.PATIENCE)
        if token is not None:
            self.read(b"token: ")
            self.socket.sendall(token.encode() + b"\n")
        self.read()

    def read(self, end=PROMPT):
        data = b""
        while not data.endswith(end):
            piece = self.socket.recv(65536)
            if not piece:
                raise ConnectionError(data)
            data += piece
        return data[:-len(end)].decode(errors="replace")

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")
        return self.read()


def check_commands(sim, folder):
    theirs = commands_of(opensm_help(sim, folder))
    check({"loglevel", "priority", "resweep", "querylid", "perfmgr"} <= theirs, f"OpenSM's help: {theirs}")
    with Manager(folder, "--console", "loopback", "-s", "1", sim=sim) as manager:
        session = Session(manager)
        ours = commands_of(session.say("help"))
        check(theirs <= ours, f"commands of OpenSM that are not there: {sorted(theirs - ours)}")
        for name in sorted(ours):
            check(name in session.say(f"help {name}"), f"help {name}")
        check("SM State             : Master" in session.say("status"), "status")
        wait_for("portstatus", lambda: "32 active" in session.say("portstatus"))
        check("8 active" in session.say("portstatus ca"), "portstatus ca")
        check("state                        : Disabled" in session.say("pm"), "perfmgr without perfmgr TRUE")
        check("Node Type           : " in session.say("querylid 1") and "Invalid lid 999" in session.say("querylid 999"),
              "querylid")
        check(session.say("dump_portguid ^host-[12]$").split() == ["0x0020000000000011", "0x0020000000000021"],
              "dump_portguid")
        check(session.say("dump_portguid file guids host").strip() == f"{folder}/dumps/guids written" and
              len((folder / "dumps/guids").read_text().split()) == 8, "dump_portguid file")
        check("expected a name" in session.say("dump_portguid file ../guids host"), "a file elsewhere")
        check_requests(session, manager, sim)


def check_requests(session, manager, sim):
    for command in ("resweep heavy", "reroute", "update_desc"):
        ups = manager.ups()
        session.say(command)
        wait_for(command, lambda before=ups: manager.ups() > before)
    session.say("priority 7")
    wait_for("the priority", lambda: "SM Priority          : 7" in session.say("status"))
    check("priority..........7" in sim.client(["sminfo"]).stdout.replace(" ", ".") or
          "priority 7" in sim.client(["sminfo"]).stdout, "sminfo has the old priority")
    check("sm_priority 7" in session.say("dump_conf"), "dump_conf has the old priority")
    session.say("loglevel 0x07")
    wait_for("the log level", lambda: "0x7" in session.say("loglevel"))
    session.say("sweep off")
    wait_for("sweeps are off", lambda: "Sweeping enabled               : 0" in session.say("status"))
    ups = manager.ups()
    sim.console('unlink "S-0010000000000005"[1]')
    interop.stays("no sweep while sweeps are off", lambda: manager.ups() == ups, 3)
    session.say("sweep on")
    wait_for("the cable is missed", lambda: manager.ups() > ups)
    wait_for("the change in portstatus", lambda: "2 down" in session.say("portstatus"))
    sim.console('relink "S-0010000000000005"[1]')


def check_performance(sim, folder):
    dump, config = folder / "counters", folder / "perfmgr.conf"
    config.write_text(f"perfmgr TRUE\nperfmgr_sweep_time_s 3600\nevent_db_dump_file {dump}\n")
    theirs = performance_commands(opensm_help(sim, folder))
    check({"dump_counters", "sweep_time", "clear_inactive"} <= theirs, f"OpenSM's help of perfmgr: {theirs}")
    with Manager(folder, "--console", "loopback", "-F", config, sim=sim) as manager:
        session = Session(manager)
        ours = performance_commands(session.say("help perfmgr"))
        check(theirs <= ours, f"commands of perfmgr that are not there: {sorted(theirs - ours)}")
        for name in sorted(ours - {"disable", "sweep"}):
            check("option not found" not in session.say(f"perfmgr {name}"), f"perfmgr {name}")
        wait_for("counters", lambda: "xmit_pkts" in session.say("pm print_counters leaf-1:1"))
        check("Enabled" in session.say("pm") and "3600s" in session.say("pm"), "pm does not show the state")
        check("not found" in session.say("pm pc unknown") and "not found" in session.say("pm nonsense"), "what is not there")
        session.say("pm sweep_time 77")
        check("77s" in session.say("pm"), "pm sweep_time")
        check("expected 1 to" in session.say("pm sweep_time 0"), "pm sweep_time 0")
        before = session.say("pm pc host-1")
        check(session.say("pm sweep") == "sweep initiated...\n", "pm sweep")
        wait_for("a new reading", lambda: session.say("pm pc host-1") != before)
        dump.unlink()
        check(session.say("pm dump_counters mach") == "" and "Name\tGUID" in dump.read_text(), "pm dump_counters mach")
        session.say("pm disable")
        check("Disabled" in session.say("pm"), "pm disable")


def check_terminal(folder):
    with Manager(folder, local=True) as manager:
        manager.process.stdin.write(b"version\nquit\nstatus\n")
        manager.process.stdin.flush()
        seen = b""
        while b"Known SMs" not in seen:
            seen += os.read(manager.process.stdout.fileno(), 65536)
        check(b"Weft " in seen and b"not valid in local mode" in seen, f"at the terminal: {seen}")
        manager.process.stdin.close()
        interop.stays("the manager runs after the end of its input", lambda: manager.process.poll() is None, 0.5)


def check_who_may_connect(folder):
    done = interop.weft("sm", "--emulate", SPEC, "--console", "socket", check=False)
    check(done.returncode == 2 and "console_token_file" in done.stderr, f"a socket without a token: {done}")
    token = folder / "token"
    token.write_text("open sesame\n")
    token.chmod(0o644)
    done = interop.weft("sm", "--emulate", SPEC, "--console", "socket", "--console_token_file", token, check=False)
    check(done.returncode == 2 and str(token) in done.stderr, f"a world-readable token: {done}")
    token.chmod(0o600)
    with Manager(folder, "--console", "socket", "--console_token_file", token) as manager:
        check("sm_key 0x" in Session(manager, "open sesame").say("dump_conf"), "dump_conf with a token")
        try:
            Session(manager, "open barley")
            raise AssertionError("a wrong token is taken")
        except ConnectionError:
            pass
        taken = interop.weft("sm", "--emulate", SPEC, "--console", "loopback", "--console-port", manager.port, check=False)
        check(taken.returncode == 3 and str(manager.port) in taken.stderr, f"a port that is taken: {taken}")


def check_misbehaviour(folder):
    with Manager(folder, "--console", "loopback") as manager:
        listening = pathlib.Path("/proc/net/tcp").read_text()
        check(f" 0100007F:{manager.port:04X} 00000000:0000 0A" in listening, "loopback listens on 127.0.0.1 alone")
        check("# sm_key is hidden" in Session(manager).say("dump_conf"), "keys are visible")
        sessions = [Session(manager) for _ in range(12)]
        sessions[0].socket.sendall(bytes(range(256)) * 64 + b"\n")
        sessions[1].socket.sendall(b"x" * 1_000_000)  # a line without an end
        for _ in range(200):
            sessions[2].socket.sendall(b"dump_conf\nswitchbalance verbose\n" * 100)  # and reads nothing
        for session in sessions[3:]:
            check("Weft " in session.say("version"), "a well-behaved session beside misbehaving ones")
        ups = manager.ups()
        sessions[3].say("resweep heavy")
        wait_for("a sweep, beside sessions that misbehave", lambda: manager.ups() > ups)
        sessions[1].read()
        sessions[1].socket.sendall(b"\n")
        check("Weft " in sessions[1].say("version"), "after a line that was too long")
        sessions[4].socket.sendall(b"status loop\n")
        check("Known SMs" in sessions[4].read(b"SELF\n\n"), "status loop")
        check(sessions[4].say("q") == "", "q ends the loop")
        sessions[5].socket.sendall(b"quit\n")
        check(sessions[5].socket.recv(10) == b"", "quit ends the session")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        with interop.Ibsim(net) as sim:
            check_commands(sim, folder)
            check_performance(sim, folder)
        check_terminal(folder)
        check_who_may_connect(folder)
        check_misbehaviour(folder)
    print("console: good")


if __name__ == "__main__":
    main()
