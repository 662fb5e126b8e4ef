#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares reports to subscribers: OpenSM and Weft forward the same notices of the same events on one ibsim fabric.

The events are created and deleted groups (66, 67), and a link that is cut and restored (traps of switches, 64, 65). Reports are compared as sets,
because the number of repeated traps depends on the time of their acknowledgements.
"""
import contextlib
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import sa_multicast_test as multicast
import sa_client as sa
import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
SUBSCRIBE, ANY16, ANY24 = 0x03, 0xFFFF, 0xFFFFFF
NAMES = {64: "port in service", 65: "port out of service", 66: "group created", 67: "group deleted", 128: "link state"}
OWN = 144  # capability changes, which the listeners themselves cause by setting IsSM


def subscription(trap=ANY16, subscribe=1, qpn=0):
    record = struct.pack(">16sHHHBBHHII", bytes(16), ANY16, 0, 0, 1, subscribe, ANY16, trap, qpn << 8, ANY24)
    return sa.ask_line(sa.SET, SUBSCRIBE, record=record)


def parsed(line):
    """(trap, type, producer, LID of the issuer, GID of the issuer, details)"""
    _, notice, issuer = line.split()
    raw = bytes.fromhex(notice)
    head, trap, lid = struct.unpack(">IHH", raw[:8])
    details = raw[16:32] if trap in (64, 65, 66, 67) else raw[10:]  # OpenSM sends uninitialized stack memory next to the GIDs
    return trap, head >> 24, head & ANY24, lid, issuer, details.hex()


class Listener:
    """Subscribes at a host, and listens until end()."""

    def __init__(self, sim, host, line, output):
        self.sim, self.host, self.output = sim, host, output
        for _ in range(8):  # ibsim's library may crash at the start (Ibsim.client), and the first request may be lost
            self._start(line)
            wait_for("the subscription", lambda: len(self.lines()) >= 3 or self.process.poll() is not None)
            if len(self.lines()) >= 3 and self.lines()[2] != "silence":
                break
            self.end()
        check(self.lines()[2].split()[1] == "0", f"the subscription is refused: {self.lines()}")

    def _start(self, line):
        warm_up = sa.ask_line(sa.GET, sa.CPI)  # the first query may be sent to a manager that was killed before
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(["ibsim-run", interop.tool("sa_ask"), "-t", "5000"], stdin=subprocess.PIPE, stdout=output, text=True,
                                            env=self.sim.client_environment(self.host), cwd=self.sim.folder)
        self.process.stdin.write("\n".join(["issm", warm_up, warm_up, line, "reports"]) + "\n")
        self.process.stdin.flush()

    def lines(self):
        """The complete lines of the output."""
        return self.output.read_text().split("\n")[:-1]

    def reports(self):
        result = {parsed(line) for line in self.lines() if line.startswith("report ")}
        return {report for report in result if report[0] != OWN}

    def has(self, trap):
        return any(report[0] == trap for report in self.reports())

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(timeout=interop.PATIENCE)


def events(sim, ports, hosts, listeners):
    """Causes the events. Each step is complete before the next step begins."""
    group = multicast.mgid(0x77)
    fields = {"mgid": group, "port": sa.PREFIX | ports[2], "state": 1}
    new = {**fields, **multicast.NEW}
    for line, trap in ((multicast.member(multicast.JOIN, **new), 66), (multicast.member(multicast.LEAVE, **fields), 67)):
        answer = sa.ask(sim, hosts[2], [line], timeout_ms=5000)[0]
        check(not answer.silent and answer.status == 0, f"the group is refused: {vars(answer)}")
        wait_for(f"trap {trap}", lambda: listeners["all"].has(trap))
    wait_for("trap 67", lambda: listeners["67"].has(67))
    for command, trap in (("unlink", 65), ("relink", 64)):
        sim.console(f'{command} "{hosts[-1]}"[1]')
        wait_for(f"traps 128 and {trap}", lambda: listeners["all"].has(128) and listeners["all"].has(trap))


def reports_of(program, sim, ports, hosts):
    """Runs the manager and causes the events; returns {name of the listener: received reports}."""
    folder = sim.folder / program
    with Manager(folder, program=program, sim=sim, host=hosts[0]):
        listeners = {"all": Listener(sim, hosts[1], subscription(), folder / "all"),
                     "67": Listener(sim, hosts[3], subscription(67), folder / "67")}
        events(sim, ports, hosts, listeners)
        for listener in listeners.values():
            listener.end()
        return {what: listener.reports() for what, listener in listeners.items()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        net = pathlib.Path(folder) / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        text = net.read_text()
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)
        ports = [int(guid, 16) for guid in re.findall(r"^\[1\]\((\w+)\)", text, re.M)]
        with interop.Ibsim(net) as sim:  # the second manager keeps the LIDs that the first manager assigned
            result = {program: reports_of(program, sim, ports, hosts) for program in ("opensm", "weft")}
        for what in ("all", "67"):
            opensm_reports, weft_reports = result["opensm"][what], result["weft"][what]
            for report in sorted(opensm_reports | weft_reports):
                print(f"  {what}: {NAMES.get(report[0], report[0])}, {report[1:]}"
                      f"{'' if report in opensm_reports else ', Weft only'}{'' if report in weft_reports else ', OpenSM only'}")
            check(opensm_reports == weft_reports, f"subscribers to {what} get different reports from OpenSM and Weft")
            check(opensm_reports, f"subscribers to {what} get no reports")


if __name__ == "__main__":
    sys.exit(main())
