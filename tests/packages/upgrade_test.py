#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests upgrades of the service from the package of the last release to the package of this build, by the steps of docs/how-to/upgrade.md.
Meanwhile clients query paths a hundred times a second, and repeat each query until it is answered.

pair    two machines with replication: upgrades the standby, runs `weft handover`, then upgrades the former master, which becomes master
        again. No query is unanswered for more than a second.
single  one machine: the package restarts the manager. No query is lost. Prints the longest time that a query was unanswered.

LIDs, groups, subscriptions and services stay the same.
upgrade_test.py PACKED_FOLDER TAR_OF_DEBIAN FOLDER_FOR_THE_RELEASE [pair|single]
WEFT_RELEASED=DEB: the package of the release. Without this variable the release is built."""
import pathlib
import sys
import tempfile
import time

from machine import SKIPPED, Machine, Memory, Unreachable, begin, run
from managed_machine import ManagedMachine
from released import Missing, released_package

import sa_client as sa  # noqa: E402 (managed_machine adds the folder of sa_client)
from failovers_test import line_of, query_of
from http_tls_test import Authority
from managed_fabric import ManagedFabric
from path_queries import PathQueries, Phases, longest_gap
from processes import check, wait_for

ANSWER_S = 1.0
SETTLE_S = 3.0  # seconds of queries after each step
COUNTS = {"group": 40, "subscription": 40, "service": 40}
CLIENT = 3  # host of the registrations
PAIRS = ((1, 4), (5, 2))  # hosts of the queries
FIRST, SECOND = 0, 7  # hosts of the managers


class Registrations:
    """Groups, subscriptions and services of a client, and LIDs, as the SA returns them."""

    def __init__(self, fabric):
        self.fabric, self.host = fabric, fabric.net.hosts[CLIENT]
        self.keys = [(kind, number) for kind, count in COUNTS.items() for number in range(1, count + 1)]
        self.wait_for_sa()
        lines = [line_of(*key, fabric.ports[CLIENT], True) for key in self.keys]
        refused = [key for key, answer in zip(self.keys, sa.ask(fabric.sim, self.host, lines, 2000)) if answer.silent or answer.status != 0]
        check(not refused, f"refused or unanswered registrations: {refused}")
        self.state = self.read()

    def wait_for_sa(self):
        wait_for("the SA answers", lambda: self.fabric.sim.sa_ask(["1 1 0 0 0"] * 2, "-t", 2000, host=self.host)[1] != "silence")

    def read(self):
        self.wait_for_sa()
        questions = [query_of(*key, self.fabric.ports[CLIENT]) for key in self.keys]
        answers = sa.ask(self.fabric.sim, self.host, questions, 2000)
        found = {key: answer.compared(int(line.split()[1], 16)) for key, line, answer in zip(self.keys, questions, answers)}
        return found | {("LID", guid): lid for guid, lid in sa.lids_of(self.fabric.sim, self.host, self.fabric.guids).items()}

    def differences(self):
        now = self.read()
        return [(key, before, now.get(key)) for key, before in self.state.items() if before != now.get(key)]

    def check_unchanged(self, when):
        different = self.differences()
        check(not different, f"{when}: {len(different)} of {len(self.state)} registrations and LIDs differ: {different[:3]}")


def report(phases, queries):
    """Prints the longest time that a query was unanswered in each phase, and returns the longest time of all. Fails if a query was lost or refused,
    or if the DLID of the path changed."""
    for name, sent in phases.of(queries):
        print(f"  {name}: {len(sent)} queries, the slowest answered after {max((q.wait() for q in sent), default=0):.3f} s")
    lost = [query for query in queries if query.answered is None]
    check(not lost, f"{len(lost)} of {len(queries)} queries lost: {lost[:3]}")
    refused = [query for query in queries if query.status != 0]
    check(not refused, f"{len(refused)} of {len(queries)} queries refused: {refused[:3]}")
    check(len({query.dlid for query in queries}) == 1, "the DLID of the path changed")
    return max(query.wait() for query in queries)


def check_unanswered_time(phases, clients, limit):
    for client in clients:
        queries = client.end()
        slowest = report(phases, queries)
        print(f"{len(queries)} queries, none lost; longest time unanswered {slowest:.3f} s, longest time between two answers "
              f"{longest_gap(queries):.3f} s, {sum(query.tries > 1 for query in queries)} repeated")
        check(slowest <= limit, f"a query was unanswered for {slowest:.3f} s, expected at most {limit} s")


def pair(old, new, tar, scratch):
    authority = Authority(scratch, "authority")
    certificate = authority.sign("managers", "managers", "serverAuth")
    phases, clients = Phases(), []
    with (ManagedFabric("Default=0x7fff:ALL=full;\n") as fabric, Memory() as memory, Machine(tar, memory / "first") as one,
          Machine(tar, memory / "second") as two):
        first, second = ManagedMachine(one, 0, fabric, FIRST), ManagedMachine(two, 1, fabric, SECOND)
        for manager_machine, peer, priority in ((first, second, 5), (second, first, 3)):
            manager_machine.install(old, "ibsim-utils")
            manager_machine.configure_replication(authority, certificate, peer, priority)
            manager_machine.start()
        first.becomes("source")
        second.wait_until_in_step()
        registrations = Registrations(fabric)
        second.check_equal_states(first)
        before = first.version(), second.version()
        try:
            phases.begin("before")
            clients = [PathQueries(fabric, *ends) for ends in PAIRS]
            time.sleep(SETTLE_S)
            phases.begin("the new version on the standby")
            second.install(new)
            second.wait_until_in_step()
            second.check_equal_states(first)
            phases.begin("handover")
            first.hand_over()
            second.becomes("source")
            registrations.check_unchanged("after the handover")
            phases.begin("the new version on the former master")
            first.install(new)
            first.becomes("source")  # the former master has the higher priority and the replicated state
            registrations.check_unchanged("after the upgrade of both")
            time.sleep(SETTLE_S)
            print(f"pair: weft {' and '.join(before)} to {first.version()} and {second.version()}")
            for manager in (first, second):
                check("clients have to register again" not in manager.log(), manager.log()[-3000:])
            check_unanswered_time(phases, clients, ANSWER_S)
        finally:
            for client in clients:
                client.kill()
    print(f"pair: {len(registrations.state)} registrations and LIDs are the same")


def single(old, new, tar, _):
    """The registrations are stored in a file (sa_db_dump, sa_db_file)."""
    phases, clients, dump = Phases(), [], "/var/log/weft/opensm-sa.dump"
    with ManagedFabric("Default=0x7fff:ALL=full;\n") as fabric, Memory() as memory, Machine(tar, memory / "machine") as machine:
        manager = ManagedMachine(machine, 0, fabric, FIRST)
        manager.install(old, "ibsim-utils")
        manager.configure("sa_db_dump TRUE\nsweep_interval 1\n")
        manager.start()
        registrations = Registrations(fabric)
        before = manager.version()
        path = machine.root / dump[1:]
        wait_for(f"{dump} has all service records", lambda: path.exists() and path.read_text().count("Service Record") == COUNTS["service"])
        manager.configure(f"sa_db_dump TRUE\nsweep_interval 1\nsa_db_file {dump}\n")
        try:
            phases.begin("before")
            clients = [PathQueries(fabric, *ends) for ends in PAIRS]
            time.sleep(SETTLE_S)
            phases.begin("upgrade")
            manager.install(new)
            manager.wait_until_active()
            phases.begin("after")
            wait_for(lambda: f"the registrations are restored: {registrations.differences()[:3]}", lambda: not registrations.differences())
            time.sleep(SETTLE_S)
            print(f"single: weft {before} to {manager.version()}")
            check_unanswered_time(phases, clients, float("inf"))
        finally:
            for client in clients:
                client.kill()
    print(f"single: {len(registrations.state)} registrations and LIDs are the same")


def main():
    begin()
    packed, tar, kept = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if not tar.exists():
        print("skipped: Debian could not be downloaded")
        return SKIPPED
    new, = packed.glob("weft_*.deb")
    version, old = released_package(kept)
    check(run(["dpkg", "--compare-versions", version, "lt", new.name.split("_")[1]], check=False).returncode == 0,
          f"release {version} is not below {new.name}")
    scenarios = {"pair": pair, "single": single}
    for name in sys.argv[4:] or scenarios:
        with tempfile.TemporaryDirectory(prefix="weft-upgrade-") as scratch:
            scenarios[name](old, new, tar, pathlib.Path(scratch))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Missing, Unreachable) as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
