#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm` on ibsim during faults that the console of ibsim causes: links cut and restored, a switch cleared, SMPs lost. After each
fault `weft verify` checks the tables read by dump_fts on the fabric discovered by ibnetdiscover."""
import pathlib
import re
import signal
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree3:k=4"


class Verifier:
    """Reads the fabric and its tables with independent tools."""

    def __init__(self, sim, folder):
        self.sim, self.folder = sim, folder

    def verify(self):
        fabric, tables = self.folder / "fabric.txt", self.folder / "tables.txt"
        fabric.write_text(self.sim.client(["ibnetdiscover"]).stdout)
        tables.write_text(self.sim.client(["dump_fts", "-a"]).stdout)
        return interop.weft_json("verify", fabric, "--lfts", tables, check=False)

    def expect(self, what, switches, links):
        """Waits for these numbers of switches and links, and until all remaining endports are reachable."""
        def is_expected():
            result = self.verify()
            self.last = {"fabric": result["fabric"], "verify": result["verify"]}
            return result["verify"]["ok"] and result["fabric"]["switches"] == switches and result["fabric"]["links"] == links
        wait_for(lambda: f"{what}: expected {switches} switches, {links} links, all connected; found {self.last}", is_expected, pause=0.5)


def switches_of(sim):
    """Returns {node ID of a switch: {port: node ID of the peer}}, with the node IDs of ibsim."""
    blocks = re.findall(r'^Switch\s+\d+ "(S-[0-9a-f]{16})".*\n((?:\[.*\n)+)', sim.client(["ibnetdiscover"]).stdout, re.M)
    return {name: {int(port): peer for port, peer in re.findall(r'^\[(\d+)\]\s+"(\S+)"', lines, re.M)}
            for name, lines in blocks}


def main():
    with tempfile.TemporaryDirectory(prefix="weft-faults-") as scratch:
        folder = pathlib.Path(scratch)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        size = interop.weft_json("route", SPEC, "-R", "updn")["fabric"]
        switches, links = size["switches"], size["links"]
        with interop.Ibsim(net) as sim, Manager(folder, "-s", "2", sim=sim) as manager:
            verifier = Verifier(sim, folder)
            verifier.expect("after the bring-up", switches, links)

            ports = switches_of(sim)
            switch_links = [(name, next(port for port, peer in peers.items() if peer.startswith("S-"))) for name, peers in ports.items()]
            (first, port), (second, other) = switch_links[:2]
            sim.console(f'unlink "{first}"[{port}]')
            verifier.expect("one link cut", switches, links - 1)
            sim.console(f'unlink "{second}"[{other}]')
            verifier.expect("two links cut", switches, links - 2)
            sim.console(f'relink "{first}"[{port}]')
            sim.console(f'relink "{second}"[{other}]')
            verifier.expect("both links restored", switches, links)

            # A core switch has no hosts: if it fails, all other nodes stay connected.
            neighbors_of_hosts = {name for name, peers in ports.items() if any(peer.startswith("H-") for peer in peers.values())}
            core = next(name for name, peers in ports.items() if not neighbors_of_hosts & {name, *peers.values()})
            cables = len(ports[core])
            sim.console(f'clear "{core}"')
            verifier.expect("a core switch off", switches - 1, links - cables)
            check(f"0x{core[2:]}" in manager.log(), f"the log does not name the lost switch {core}")
            sim.console(f'relink "{core}"')
            verifier.expect("the core switch on again", switches, links)

            # Every tenth SMP to a leaf and every tenth PortInfo of a core switch is lost: a sweep takes longer, but succeeds.
            ups = manager.ups()
            sim.console(f'error "{first}" 10')
            sim.console(f'error "{core}" 10 21')
            manager.send(signal.SIGHUP)
            manager.wait_for_up(ups + 1)
            sim.console(f'error "{first}" 0')
            sim.console(f'error "{core}" 0 21')
            verifier.expect("after lost SMPs", switches, links)
            check(manager.end() == 0, "the exit status after SIGTERM is not 0")
    print("faults: passed")


if __name__ == "__main__":
    main()
