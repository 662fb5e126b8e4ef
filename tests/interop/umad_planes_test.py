#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm` with libibumad on a CA with a port in each of two planes. The preloaded library umad_planes.cpp presents the ports of the CA of
an emulated fabric as umad ports.

The manager sends by the ports of both planes, of one device or of separate devices for SMPs and GMPs, and answers queries by the port at which
they arrive. Without light sweeps, the other plane stays managed while the manager's link in one plane is cut, and both are managed when the
link is restored. Usage: umad_planes_test.py
"""
import os
import pathlib
import re
import socket
import tempfile

import weft_interop as interop
from manager import Manager
from processes import run, tool
from weft_interop import check

SPEC = "fattree2:k=4,planes=2"
NODES = 20  # 12 switches, 6 of them in each plane, and 8 hosts


class Fabric:
    """The environment of a manager on the umad ports, and the control socket of the library."""

    def __init__(self, folder, **variables):
        self.control = folder / "control"
        self.environment = {"UMAD_PLANES": SPEC, "UMAD_PLANES_CONTROL": str(self.control), "LD_PRELOAD": tool("libumad_planes.so"),
                            **variables}

    def command(self, line):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.control))
            client.sendall(line.encode())
            return client.recv(128).decode()

    def check_queries(self, ports):
        """Hosts query the SA by each of these ports, also by a host that is not the manager's."""
        for host in (1, 7):
            for port in ports:
                answer = self.command(f"query {host} {port}")
                check(re.fullmatch(r"answer 0 (\d+) \1", answer), f"host {host} port {port}: {answer}")


def planes(manager):
    return [(plane["state"], plane["hosts"]) for plane in manager.http.json("/api/v1/planes")[1]["planes"]]


def nodes_with_counters(manager):
    return {port["node"] for port in manager.http.json("/api/v1/counters")[1]["ports"]}


def check_resident(folder):
    """Queries, a cut link of the manager in each plane, and its restoration, without light sweeps."""
    fabric = Fabric(folder)
    with Manager(folder, "-s", "0", "--perfmgr", "--perfmgr_sweep_time_s", "1", http=True, environment=fabric.environment) as manager:
        manager.wait_for(lambda: f"counters of all nodes: {sorted(nodes_with_counters(manager))}", lambda: len(nodes_with_counters(manager)) == NODES)
        check(planes(manager) == [("verified", 8), ("verified", 8)], planes(manager))
        fabric.check_queries((1, 2))
        for cut in (1, 2):
            other = 3 - cut
            ups = manager.ups()
            fabric.command(f"cut {cut}")
            manager.wait_for_up(ups + 1)
            manager.wait_for(lambda: f"plane {cut} without the manager: {planes(manager)}",
                             lambda: planes(manager)[other - 1][0] == "verified" and planes(manager)[cut - 1] == ("down", 0))
            fabric.check_queries((other,))
            ups = manager.ups()
            fabric.command(f"restore {cut}")
            manager.wait_for_up(ups + 1)
            manager.wait_for(lambda: f"both planes: {planes(manager)}", lambda: planes(manager) == [("verified", 8), ("verified", 8)])
            fabric.check_queries((1, 2))
        check(fabric.command("misdirected") == "0", "SMPs were sent by a port that is not the first hop of their path")


def bring_up(folder, configuration="", **variables):
    """[(number, state, hosts)] of the planes in the log of `weft sm --once`, and the log."""
    folder.mkdir()
    environment = {**os.environ, **Fabric(folder, **variables).environment, "OSM_CACHE_DIR": str(folder)}
    (folder / "opensm.conf").write_text(configuration)
    run([interop.weft_binary(), "sm", "--once", "-F", folder / "opensm.conf", "-f", folder / "sm.log"], env=environment)
    log = (folder / "sm.log").read_text()
    return re.findall(r" plane (\d): (\w+), (\d+) of 8", log), log


def check_choice_of_ports(folder):
    """The manager chooses its ports by the planes that the devices report and by the option manager_ports."""
    both = [("1", "verified", "8"), ("2", "verified", "8")]
    found, log = bring_up(folder / "split", UMAD_PLANES_SPLIT="1")
    check(found == both, f"{found}\n{log}")
    check("on smi1 port 1, 2 (" in log and "GMPs by mlx5_0 port 1" in log, log)
    found, log = bring_up(folder / "one", "manager_ports one\n")
    check(found == [("1", "verified", "8"), ("2", "down", "0")] and "on mlx5_0 port 1 (" in log, f"{found}\n{log}")
    # Without HierarchyInfo the other ports may be in subnets of other managers.
    found, log = bring_up(folder / "plain", UMAD_PLANES_PLAIN="1")
    check(found == [] and "on mlx5_0 port 1 (" in log, f"{found}\n{log}")
    found, log = bring_up(folder / "all", "manager_ports all\n", UMAD_PLANES_PLAIN="1")
    check(found == both and "on mlx5_0 port 1, 2 (" in log, f"{found}\n{log}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-planes-") as scratch:
        scratch = pathlib.Path(scratch)
        check_resident(scratch)
        check_choice_of_ports(scratch)


if __name__ == "__main__":
    main()
