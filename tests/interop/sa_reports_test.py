#!/usr/bin/env python3
"""Reports to subscribers: OpenSM and Weft forward the same notices of the same events on one ibsim fabric.

Created and deleted groups (66, 67), a link cut and restored (traps of switches, 64, 65). Reports are compared as sets: the number of
repeated traps depends on the time of their acknowledgements.
"""
import pathlib
import re
import struct
import sys
import tempfile
import threading
import time

import sa_multicast_test as multicast
import saquery_test as sa
import weft_interop as interop
from weft_interop import check

SPEC = "fattree2:k=4"
MANAGERS = {"OpenSM": ["opensm", "-d", "2"], "Weft": [interop.weft_binary(), "sm", "-e"]}
SUBSCRIBE, ANY16, ANY24 = 0x03, 0xFFFF, 0xFFFFFF
SECONDS = 13
NAMES = {64: "port in service", 65: "port out of service", 66: "group created", 67: "group deleted", 128: "link state"}
OWN = 144  # capabilities: set by the listeners themselves with IsSM


def subscription(trap=ANY16, subscribe=1, qpn=0):
    record = struct.pack(">16sHHHBBHHII", bytes(16), ANY16, 0, 0, 1, subscribe, ANY16, trap, qpn << 8, ANY24)
    return sa.ask_line(sa.SET, SUBSCRIBE, record=record)


def readable(line):
    """(trap, type, producer, LID of the issuer, GID of the issuer, details)"""
    _, notice, issuer = line.split()
    raw = bytes.fromhex(notice)
    head, trap, lid = struct.unpack(">IHH", raw[:8])
    details = raw[16:32] if trap in (64, 65, 66, 67) else raw[10:]  # OpenSM sends uninitialised stack memory beside the GIDs
    return trap, head >> 24, head & ANY24, lid, issuer, details.hex()


class Listener(threading.Thread):
    """Subscribes at a host, and listens for some time."""

    def __init__(self, sim, host, lines, seconds=SECONDS):
        super().__init__()
        self.sim, self.host, self.lines, self.seconds = sim, host, lines, seconds
        self.good, self.result = False, set()

    def run(self):
        warm = sa.ask_line(sa.GET, sa.CPI)  # the first may still be sent to a killed manager
        output = self.sim.sa_ask(["issm", warm, warm, *self.lines, f"reports {self.seconds * 1000}"], "-t", 1000, host=self.host)[2:]
        answers = [line.split() for line in output[:len(self.lines)]]
        self.good = all(words[0] != "silence" and words[1] == "0" for words in answers)
        result = {readable(line) for line in output[len(self.lines):] if line.startswith("report ")}
        self.result = {report for report in result if report[0] != OWN}


def events(sim, ports, hosts):
    """Each step is complete before the next begins."""
    group = multicast.mgid(0x77)
    fields = {"mgid": group, "port": sa.PREFIX | ports[2], "state": 1}
    new = {**fields, **multicast.NEW}
    for line in (multicast.member(multicast.JOIN, **new), multicast.member(multicast.LEAVE, **fields)):
        warm = sa.ask_line(sa.GET, sa.CPI)
        check(sim.sa_ask([warm, warm, line], "-t", 1000, host=hosts[2])[2].split()[1] == "0", "the group is refused")
        time.sleep(0.5)
    for command in ("unlink", "relink"):
        sim.console(f'{command} "{hosts[-1]}"[1]')
        time.sleep(3.5)


def reports_of(name, sim, ports, hosts):
    """{listener: its reports}"""
    folder = sim.folder / name
    (folder / "cache").mkdir(parents=True)
    log = folder / "sm.log"
    process = sim.start([*MANAGERS[name], "-f", log], host=hosts[0],
                        extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder)})
    try:
        interop.wait_for("SUBNET UP", lambda: log.exists() and "SUBNET UP" in log.read_text(errors="replace"))
        time.sleep(0.5)
        listeners = {"all": Listener(sim, hosts[1], [subscription()]), "67": Listener(sim, hosts[3], [subscription(67)])}
        for listener in listeners.values():
            listener.start()
        time.sleep(1.5)
        events(sim, ports, hosts)
        for listener in listeners.values():
            listener.join()
            check(listener.good, f"{name}: the subscription is refused")
        return {what: listener.result for what, listener in listeners.items()}
    finally:
        process.kill()
        process.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        net = pathlib.Path(folder) / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        text = net.read_text()
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)
        ports = [int(guid, 16) for guid in re.findall(r"^\[1\]\((\w+)\)", text, re.M)]
        with interop.Ibsim(net) as sim:  # the second manager keeps the LIDs of the first
            result = {name: reports_of(name, sim, ports, hosts) for name in MANAGERS}
        for what in ("all", "67"):
            theirs, ours = result["OpenSM"][what], result["Weft"][what]
            for report in sorted(theirs | ours):
                print(f"  {what}: {NAMES.get(report[0], report[0])}, {report[1:]}"
                      f"{'' if report in theirs else ', Weft only'}{'' if report in ours else ', OpenSM only'}")
            check(theirs == ours, f"subscribers to {what} get other reports")
            check(theirs, f"subscribers to {what} get no reports")


if __name__ == "__main__":
    sys.exit(main())
