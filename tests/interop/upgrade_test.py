#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An upgrade from the package of one version to that of another, as in replication.md: the new version starts as standby on another
machine, copies the state, and becomes master by `weft handover`; then the first machine gets the new version and becomes master again.
All the time a client queries a path. Each query is answered within a second, repetitions included.

Needs openssl and dpkg-deb. Usage: upgrade_test.py --new DEB [--old DEB]   (without --old, both versions are that of --new)
       upgrade_test.py --packed FOLDER   with the package in this folder
"""
import argparse
import pathlib
import subprocess
import tempfile
import threading
import time

import sa_client as sa
import weft_interop as interop
from http_tls_test import Authority
from managed_fabric import ManagedFabric
from replication_test import ABSENT, PARTITIONS, Peer, missing, service_line
from weft_interop import check, wait_for

ANSWER_S = 1.0
TRY_MS = 200
SERVICES = 50


def extract(package, folder):
    """The program of a package."""
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    program = folder / "usr" / "bin" / "weft"
    check(program.exists(), f"{package}: no usr/bin/weft")
    return program


def through(program):
    return lambda command: [str(program), *command[1:]]


class Queries:
    """A client that queries a path again and again, on a thread. Each try is a process of its own, which reads the LID of the master."""

    def __init__(self, fabric):
        self.fabric, self.times, self.ends = fabric, [], False
        self.line = sa.path(sgid=fabric.ports[3], dgid=fabric.ports[4])
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ends:
            begin, answered = time.monotonic(), False
            while not answered and time.monotonic() < begin + 60:
                answer = sa.Answer(self.fabric.sim.sa_ask([self.line], "-t", TRY_MS, host=self.fabric.net.hosts[3])[0])
                answered = not answer.silent and answer.status == 0
            self.times.append((time.monotonic() - begin, answered))

    def end(self):
        self.ends = True
        self.thread.join()


def run(scratch, old, new):
    authority = Authority(scratch, "authority")
    certificate = authority.sign("managers", "managers", "serverAuth")
    with ManagedFabric(PARTITIONS) as fabric:
        sim, hosts, peers, queries = fabric.sim, fabric.net.hosts, [], None
        rules = (fabric.folder / "partitions").read_text()

        def manager(host, priority, peers_of, program):
            peers.append(Peer(fabric, authority, certificate, host, priority, peers_of, rules, program=through(program)))
            return peers[-1]

        def hand_over(master, standby):
            done = interop.weft("handover", "--server", master.url, "--ca-file", authority.certificate, "--token-file", master.token)
            print(done.stdout.strip())
            standby.manager.becomes("MASTER")
            standby.manager.wait_for_sa(hosts[1])
        try:
            first = manager(0, 5, ABSENT, old)
            first.manager.wait_for_up()
            first.manager.wait_for_sa(hosts[1])
            lids = sa.lids_of(sim, hosts[1], fabric.guids)
            numbers = set(range(1, SERVICES + 1))
            refused = [answer for answer in sa.ask(sim, hosts[3], [service_line(number, fabric.ports[3]) for number in sorted(numbers)])
                       if answer.silent or answer.status != 0]
            check(not refused, f"{len(refused)} services refused")
            queries = Queries(fabric)
            second = manager(7, 3, first.url, new)
            second.manager.wait_for("the standby is in step", second.is_in_step)
            wait_for("the master knows it", lambda: any(one["in_step"] for one in first.replication()["standbys"]))
            hand_over(first, second)
            first.manager.end()
            third = manager(0, 6, second.url, new)  # of higher priority: it becomes master by itself
            third.manager.becomes("MASTER")
            third.manager.wait_for_sa(hosts[1])
            time.sleep(1)  # some more queries
            queries.end()
            check(not missing(sim, hosts[1], numbers), "services are lost")
            check(sa.lids_of(sim, hosts[1], fabric.guids) == lids, "LIDs changed")
            for peer in (second, third):
                check("clients have to register again" not in peer.manager.log(), peer.manager.log()[-3000:])
        finally:
            if queries:
                queries.end()
            for peer in peers:
                peer.manager.kill()
    slowest = max(seconds for seconds, _ in queries.times)
    late = [seconds for seconds, answered in queries.times if not answered or seconds > ANSWER_S]
    print(f"upgrade: {len(queries.times)} queries of a path, the slowest answered after {slowest:.2f} s; {SERVICES} services and {len(lids)} LIDs kept")
    check(not late, f"{len(late)} queries took more than {ANSWER_S} s: {late[:9]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packed", type=pathlib.Path, help="folder with the package of the version to install")
    parser.add_argument("--new", type=pathlib.Path, help="package of the version to install")
    parser.add_argument("--old", type=pathlib.Path, help="package of the version that runs")
    arguments = parser.parse_args()
    if arguments.packed:
        arguments.new = sorted(arguments.packed.glob("weft_*.deb"))[-1]
    if not arguments.new:
        parser.error("expected --new or --packed")
    with tempfile.TemporaryDirectory(prefix="weft-upgrade-") as scratch:
        folder = pathlib.Path(scratch)
        old = extract(arguments.old or arguments.new, folder / "old")
        run(folder, old, extract(arguments.new, folder / "new"))


if __name__ == "__main__":
    main()
