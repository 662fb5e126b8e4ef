#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cuts and restores random links of a fat tree on ibsim while weft sm manages it. After each change ibqueryerrors and perfquery, which use
LIDs and SL 0, must reach every switch that is connected to the manager.

Standard library only. Usage: cuts_test.py [--engine ENGINE] [--cuts N] [--seed S] [--spec SPEC]
A failure prints the command that repeats it.
"""
import argparse
import pathlib
import random
import re
import tempfile
import time

import weft_interop as interop
from manager import Manager
from weft_interop import check

AT_ONCE = 6  # links cut at a time
INTERVAL = 1  # seconds between light sweeps
# A new ibsim is started after this number of cuts, because ibsim has few slots for clients and does not free the slot of a client that crashed
# (Ibsim.client() starts a crashed client again).
CUTS_OF_ONE_IBSIM = 10


def read_net(net):
    """Links between switches as ((name, port), (name, port)), and switches with hosts: {name: hosts}."""
    ends, hosts, switch = set(), {}, None
    for line in net.read_text().splitlines():
        if found := re.match(r'(Switch|Ca)\s+\d+\s+"([^"]+)"', line):
            switch = found[2] if found[1] == "Switch" else None
            if switch:
                hosts[switch] = 0
        elif switch and (found := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\]', line)):
            if found[2].startswith("S-"):
                ends.add(tuple(sorted([(switch, int(found[1])), (found[2], int(found[3]))])))
            else:
                hosts[switch] += 1
    return sorted(ends), hosts


def connected_switches(switches, cables):
    """The switches that these links connect to the first switch."""
    near, queue = {switches[0]}, [switches[0]]
    while queue:
        here = queue.pop()
        for (a, _), (b, _) in cables:
            for one, other in ((a, b), (b, a)):
                if one == here and other not in near:
                    near.add(other)
                    queue.append(other)
    return near


def switch_lids(sim):
    """{name: LID}, read from the switches."""
    text = sim.client(["ibnetdiscover"]).stdout
    return {name: int(lid) for name, lid in re.findall(r'^Switch\s+\d+ "(S-\w+)".* lid (\d+) lmc', text, re.M)}


def wait_until_settled(manager):
    """Waits for two intervals without a heavy sweep, since the two ends of a link may change state one after the other."""
    ups, since = manager.ups(), time.monotonic()
    while time.monotonic() < since + 2 * INTERVAL:
        time.sleep(0.1)
        if manager.ups() != ups:
            ups, since = manager.ups(), time.monotonic()


def check_reached(sim, where):
    lids = switch_lids(sim)
    check(lids, "ibnetdiscover lists no switch")
    for name, lid in lids.items():
        done = sim.client(["perfquery", str(lid), "255"], check=False)
        check(done.returncode == 0, f"{where}: perfquery does not reach {name} (LID {lid}):\n{done.stdout}{done.stderr}")
    # A packet that is lost in a link during the cut increases a counter of the sending port.
    done = sim.client(["ibqueryerrors", "--suppress", "PortXmitDiscards"], check=False)
    check(done.returncode == 0, f"{where}: ibqueryerrors: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    checked = re.search(r"(\d+) nodes checked, (\d+) bad nodes found", done.stdout)
    check(checked and int(checked[2]) == 0, f"{where}: ibqueryerrors:\n{done.stdout[-2000:]}")
    return len(lids)


def run_on_one_ibsim(spec, engine, cuts, draw, where):
    """Starts a complete fabric and makes this number of cuts."""
    with tempfile.TemporaryDirectory(prefix="weft-cuts-") as scratch:
        folder = pathlib.Path(scratch)
        net = folder / "fabric.net"
        interop.weft("convert", spec, net, "--to", "ibsim")
        cables, hosts = read_net(net)
        with_hosts = [name for name, count in hosts.items() if count]
        cut, done = [], 0
        with interop.Ibsim(net) as sim, Manager(folder, "-R", engine, "-s", str(INTERVAL), sim=sim) as manager:
            while done < cuts:
                cable = draw.choice([cable for cable in cables if cable not in cut])
                left = [other for other in cables if other not in cut and other != cable]
                if not connected_switches(with_hosts, left) >= set(with_hosts):
                    cable, left = None, left + [cable]
                lines = []
                if cable:
                    cut.append(cable)
                    lines.append('unlink "%s"[%d]' % cable[0])
                if len(cut) > AT_ONCE or not cable:
                    restored = cut.pop(0)
                    left.append(restored)
                    lines.append('relink "%s"[%d]' % restored[0])
                before = manager.ups()
                sim.console(*lines)
                manager.wait_for_up(before + 1)
                wait_until_settled(manager)
                done += cable is not None
                check_reached(sim, f"{where(done)}: {cut}\n{manager.log()[-1500:]}")


def run(spec, engine, cuts, seed):
    draw = random.Random(seed)
    for first in range(0, cuts, CUTS_OF_ONE_IBSIM):
        count = min(CUTS_OF_ONE_IBSIM, cuts - first)
        run_on_one_ibsim(spec, engine, count, draw, lambda done: f"{engine}, cut {first + done}: cuts_test.py --engine {engine} "
                                                                 f"--cuts {first + done} --seed {seed} --spec {spec}")
    print(f"cuts: {cuts} cuts with {engine} on {spec}: ibqueryerrors and perfquery reached every switch after each")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="ftree")
    parser.add_argument("--cuts", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--spec", default="fattree2:k=8,leaves=6")
    arguments = parser.parse_args()
    run(arguments.spec, arguments.engine, arguments.cuts, arguments.seed)


if __name__ == "__main__":
    main()
