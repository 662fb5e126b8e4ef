#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs the real process on ibsim for half an hour, with links cut and restored and continuous queries of clients: memory must not grow,
descriptors must not leak, and responses and sweeps must not become slower.

Usage: long_run_test.py [MINUTES, default 30]. Prints one line per minute, and slopes at the end.
"""
import json
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile
import time

import weft_interop as interop
from faults_test import Verifier, switches_of
from manager import Manager
from weft_interop import check

SPEC = "fattree3:k=8"
SEED = 20261122
GETS = 200
SETTLED = 0.25  # share of the run that is ignored, because caches fill
GROWTH_MAX = 0.02  # relative growth of memory after that share
SLOWER_MAX = 1.5  # ratio of the times of the fastest Gets, end to begin of the run; other load of the machine affects the fastest Gets least


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def slope(values):
    """The increase per step, by least squares."""
    n = len(values)
    mean_x, mean_y = (n - 1) / 2, statistics.fmean(values)
    return sum((x - mean_x) * (y - mean_y) for x, y in enumerate(values)) / sum((x - mean_x) ** 2 for x in range(n))


class LinkFaults:
    """Cuts and restores links between switches. At most OUT_MAX links are cut at a time, so that no host is disconnected for long."""

    OUT_MAX = 3

    def __init__(self, sim):
        self.sim, self.rng, self.out, self.faults = sim, random.Random(SEED), [], 0
        self.trunks = [(name, port) for name, peers in switches_of(sim).items() for port, peer in peers.items() if peer.startswith("S-")]

    def inject(self):
        self.faults += 1
        if self.out and (len(self.out) == self.OUT_MAX or self.rng.random() < 0.5):
            name, port = self.out.pop(self.rng.randrange(len(self.out)))
            self.sim.console(f'relink "{name}"[{port}]')
        else:
            name, port = self.rng.choice(self.trunks)
            self.sim.console(f'unlink "{name}"[{port}]')
            self.out.append((name, port))

    def reconnect(self):
        for name, port in self.out:
            self.sim.console(f'relink "{name}"[{port}]')
        self.out = []


def gets_seconds(sim, host, guids):
    """The mean seconds of a Get, over several consecutive Gets."""
    answer = json.loads(sim.client([interop.tool("sa_load"), "gets", str(GETS), "1"], host=host, input=guids).stdout)
    return answer["seconds"] / answer["count"]


def main():
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    check(minutes >= 8, f"{minutes} minutes: expected at least 8, to measure growth")
    with tempfile.TemporaryDirectory(prefix="weft-long-") as scratch:
        folder = pathlib.Path(scratch)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        size = interop.weft_json("route", SPEC, "-R", "updn")["fabric"]
        text = net.read_text()
        host = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)[-1]
        guids = "\n".join(re.findall(r"^\[1\]\((\w+)\)", text, re.M))
        with interop.Ibsim(net) as sim, Manager(folder, "-s", "2", "-R", "updn", sim=sim) as manager:
            verifier = Verifier(sim, folder)
            pid = manager.process.pid
            link_faults = LinkFaults(sim)
            rows = []
            print("minute  memory (MiB)  descriptors  sweeps  us for a Get")
            begun = time.monotonic()
            for minute in range(1, minutes + 1):
                gets = []
                while time.monotonic() < begun + 60 * minute:
                    link_faults.inject()
                    gets.append(gets_seconds(sim, host, guids))
                    time.sleep(2)
                check(manager.process.poll() is None, f"the manager ended:\n{manager.log()[-2000:]}")
                rows.append((interop.rss_bytes(pid) / 2**20, descriptors(pid), manager.ups(), 1e6 * min(gets)))
                print(f"{minute:>6} {rows[-1][0]:>12.2f} {rows[-1][1]:>12} {rows[-1][2]:>7} {rows[-1][3]:>13.1f}", flush=True)
            link_faults.reconnect()
            verifier.expect("after all faults", size["switches"], size["links"])
            check(manager.end() == 0, "the exit status after SIGTERM is not 0")

    counted = rows[int(SETTLED * len(rows)):]
    memory, open_files, _, gets = zip(*counted)
    half = len(gets) // 2
    early, late = statistics.median(gets[:half]), statistics.median(gets[half:])
    print(f"{minutes} minutes, {link_faults.faults} faults, {rows[-1][2]} sweeps; memory {60 * slope(memory):+.3f} MiB an hour of {memory[0]:.1f} MiB, "
          f"descriptors {60 * slope(open_files):+.3f} an hour; the fastest Gets of a minute took {early:.1f} us, then {late:.1f} us")
    check(slope(memory) * len(memory) <= GROWTH_MAX * memory[0],
          f"memory grows by {slope(memory) * len(memory):.3f} MiB, expected at most {GROWTH_MAX * memory[0]:.3f} MiB")
    check(max(open_files) - open_files[0] < 3, f"{max(open_files) - open_files[0]} more open descriptors than at the start, expected fewer than 3")
    check(late < SLOWER_MAX * early, f"a Get took {early:.1f} us, then {late:.1f} us, expected less than {SLOWER_MAX} times as long")


if __name__ == "__main__":
    main()
