#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the separate process of the HTTP service. The process has no keys, no tokens, no files and no umad, and cannot get them. The end of the
process affects only its clients.

* Access: /proc/PID of the process and of its starter, and the memory of the process, show no keys, tokens, files or umad.
* The process is killed: the manager continues to sweep and to answer SA queries, and clients get a reset. The port is served again, and a
  stream continues after the last event.
* The process is killed repeatedly: the pauses before the next start increase, and each end is logged.
* The process or the manager is stopped: the manager starts another process, and /healthz reports the state of the manager.
* The manager ends by SIGTERM or SIGKILL: both processes end.

Standard library only. Usage: http_process_test.py
"""
import http.client
import os
import pathlib
import re
import signal
import stat
import tempfile
import time

import weft_interop as interop
from http_client import TOKEN, bearer, token_file
from ibsim import Ibsim
from manager import CLASS_PORT_INFO, Manager
from processes import children
from weft_interop import PATIENCE, check, wait_for

SPEC = "fattree2:k=4"
KEYS = {"m_key": 0x1F2E3D4C5B6A7988, "sm_key": 0x2F3E4D5C6B7A8998, "sa_key": 0x3F4E5D6C7B8A99A8}
SECRET = "weft-secret-of-the-environment-0815"


def fields_of(pid):
    return dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)


def is_alive(pid):
    try:
        return fields_of(pid)["State"][0] not in "ZX"
    except OSError:
        return False


def memory_of(pid):
    """All writable memory of the process, read as root."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if rights.startswith("rw") and "[v" not in line:
                begin, end = (int(word, 16) for word in span.split("-"))
                memory.seek(begin)
                try:
                    yield memory.read(end - begin)
                except OSError:
                    continue


def check_resources(pid, is_restricted):
    fields = fields_of(pid)
    if is_restricted:
        check(fields["Seccomp"] == "2" and fields["NoNewPrivs"] == "1", f"restriction of {fields['Name']}: {fields}")
    for kind in ("CapPrm", "CapEff", "CapInh", "CapAmb") + (("CapBnd",) if os.geteuid() == 0 else ()):
        check(int(fields[kind], 16) == 0, f"{kind} of {fields['Name']}: {fields[kind]}")
    if os.geteuid() != 0:
        return  # the process is not dumpable, so that its folder in /proc belongs to root
    words = pathlib.Path(f"/proc/{pid}/environ").read_bytes() + pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    check(SECRET.encode() not in words and TOKEN.encode() not in words, f"environment or command line contains a secret: {words}")
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(link)
        good = int(link.name) <= 2 or target.startswith(("socket:", "pipe:", "anon_inode:[event"))
        check(good and "umad" not in target and "issm" not in target, f"{fields['Name']} has {link.name} -> {target}")


def check_secrets(manager):
    """The memory of the process contains no secret in any form. Known content is searched too, to test the search."""
    pid = manager.http_processes()[1]
    wanted = {TOKEN: TOKEN.encode(), "environment": SECRET.encode()}
    for name, key in KEYS.items():
        wanted |= {f"{name}, big endian": key.to_bytes(8, "big"), f"{name}, little endian": key.to_bytes(8, "little"),
                   f"{name} as text": b"%x" % key}
    check(manager.http.get("/nothing-but-this-path")[0] == 404, "an unknown path is not answered with 404")
    pieces = list(memory_of(pid))
    check(any(b"/nothing-but-this-path" in piece for piece in pieces), "the search does not find known content")
    for name, text in wanted.items():
        check(not any(text in piece for piece in pieces), f"the memory of the HTTP process contains {name}")


def test_resources(folder):
    config = folder / "opensm.conf"
    config.write_text("".join(f"{name} {key:#x}\n" for name, key in KEYS.items()))
    config.chmod(0o600)
    with Manager(folder, "-F", config, "--http_token_file", token_file(folder), emulate=SPEC, http=True,
                 environment={"SOME_SECRET": SECRET}) as manager:
        pids = manager.http_processes()
        is_restricted = "has a sanitizer" not in manager.log()
        for pid in pids:
            check_resources(pid, is_restricted)
        if os.geteuid() == 0 and is_restricted:
            check_secrets(manager)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            for pid in pids:
                os.kill(pid, number)  # systemd and pkill send signals to all processes of the manager
        check(manager.http.get("/healthz")[0] == 200 and manager.http_processes() == pids, "signals for the manager end the HTTP process")
    wait_for("the processes end with the manager", lambda: not any(map(is_alive, pids)))


class Stream:
    """Reads the event stream; `last` is the id of the last event."""

    def __init__(self, port, last=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request("GET", "/api/v1/events/stream", headers={} if last is None else {"Last-Event-ID": str(last)})
        self.response = self.connection.getresponse()
        self.last = last

    def next(self):
        """The id of the next event; None at the end of the stream."""
        try:
            while line := self.response.readline():
                if found := re.match(rb"id: (\d+)", line):
                    self.last = int(found[1])
                    return self.last
        except (ConnectionError, http.client.HTTPException):
            pass
        return None


def sweep(manager):
    ups = manager.ups()
    check(manager.http.get("/api/v1/sweep", method="POST", headers=bearer())[0] == 202, "no status 202 for a request for a sweep")
    manager.wait_for_up(ups + 1)


def test_killed(folder):
    net = folder / "net.topo"
    interop.weft("convert", SPEC, net, "--to", "ibsim")
    with Ibsim(net) as sim, Manager(folder, "--http_token_file", token_file(folder), sim=sim, http=True, console="unix") as manager:
        stream = Stream(manager.http.port, 0)
        first = stream.next()
        check(first is not None, "no event in the stream")
        killed = manager.http_processes()[1]
        os.kill(killed, signal.SIGKILL)
        while stream.next() is not None:
            pass
        # Without the HTTP process the manager continues to sweep.
        ups = manager.ups()
        manager.session().command("resweep heavy")
        manager.wait_for_up(ups + 1)
        answers = sim.sa_ask([CLASS_PORT_INFO] * 2, "-t", 2000)
        check(answers[1] != "silence", f"the SA does not answer after the HTTP process was killed: {answers}")
        manager.http_processes(after=killed)
        check(f"HTTP process {killed} was killed (Killed): restart in" in manager.log(), "the end of the HTTP process is not logged")
        check(manager.http.get("/healthz")[0] == 200 and manager.http.get("/metrics")[0] == 200, "no new HTTP process answers")
        resumed = Stream(manager.http.port, stream.last)
        sweep(manager)
        check(resumed.next() == stream.last + 1, f"the stream resumes at {resumed.last}, expected {stream.last + 1}")


def pauses(manager):
    return [float(text) for text in re.findall(r"restart in ([\d.]+) s", manager.log())]


def test_killed_often(folder):
    with Manager(folder, emulate=SPEC, http=True) as manager:
        killed = None
        for count in range(1, 5):
            killed = manager.http_processes(after=killed)[1]
            os.kill(killed, signal.SIGKILL)
            manager.wait_for("a log message about the end of the HTTP process", lambda: len(pauses(manager)) == count)
        found = pauses(manager)
        check(all(after == 2 * before for before, after in zip(found, found[1:])), f"pauses: {found}")
        check(manager.http.get("/healthz")[0] == 200, "the service does not answer after the last restart")


def test_stopped(folder):
    with Manager(folder, "-s", "1", emulate=SPEC, http=True) as manager:
        pid = manager.http_processes()[1]
        os.kill(pid, signal.SIGSTOP)
        manager.wait_for("a stopped process is replaced", lambda: f"HTTP process {pid} does not" in manager.log())
        pid = manager.http_processes(after=pid)[1]
        check(manager.http.get("/healthz")[0] == 200, "the new HTTP process does not answer")
        manager.send(signal.SIGSTOP)
        wait_for("/healthz reports that the manager does not respond", lambda: manager.http.get("/healthz")[0] == 503, pause=1)
        check(b"has not responded" in manager.http.get("/healthz")[1], "/healthz does not state the reason")
        time.sleep(20)  # longer than the time after which the manager replaces a process that does not respond
        manager.send(signal.SIGCONT)
        wait_for("the manager responds again", lambda: manager.http.get("/healthz")[0] == 200)
        check(manager.http_processes()[1] == pid, "the HTTP process was replaced while the manager was stopped")


def test_without_starter(folder):
    with Manager(folder, "-s", "1", emulate=SPEC, http=True) as manager:
        starter, pid = manager.http_processes()
        os.kill(starter, signal.SIGKILL)
        manager.wait_for("a log message about the end of the starter",
                         lambda: "the starter process has ended; restart the manager" in manager.log())
        wait_for("the HTTP process ends with its starter", lambda: not is_alive(pid))
        check(manager.process.poll() is None, "the manager has ended")
        pids = children(manager.process.pid)
        check(not any(is_alive(child) for child in pids), f"processes of the manager: {pids}")


def test_end(folder):
    with Manager(folder, emulate=SPEC, http=True) as manager:
        pids = manager.http_processes()
        manager.kill()
        wait_for("the processes end with a killed manager", lambda: not any(map(is_alive, pids)))


def main():
    check(stat.S_ISDIR(os.stat("/proc/self/fd").st_mode), "/proc is not mounted")
    for test in (test_resources, test_killed, test_killed_often, test_stopped, test_without_starter, test_end):
        with tempfile.TemporaryDirectory(prefix="weft-http-process-") as name:
            test(pathlib.Path(name))
    print("http process: passed")


if __name__ == "__main__":
    main()
