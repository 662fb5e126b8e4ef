#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests failovers on ibsim with many registrations: clients on six hosts register 1,000 groups, 5,000 subscriptions and 500 services. Before
each kill the clients begin random changes, which end with the kill. The master is killed (kill -9) repeatedly, at random times during the
changes. After each kill the standby has all acknowledged registrations, no LID changes, and no client has to register again. Before each
kill a new standby starts without files; after the first kill it starts on the host of the last killed master.

Needs openssl. Usage: failovers_test.py [--kills N] [--seed SEED]
"""
import argparse
import pathlib
import random
import tempfile
import time

import sa_client as sa
import weft_interop as interop
from http_tls_test import Authority
from managed_fabric import ManagedFabric
from replication_test import ABSENT, PARTITIONS, SERVICE, Peer, service_line
from sa_multicast_test import JOIN, LEAVE, NEW, member, mgid
from weft_interop import check, wait_for

INFORM, INFORM_RECORD = 0x03, 0xF3
COUNTS = {"group": 1000, "subscription": 5000, "service": 500}
CLIENTS = range(1, 7)  # hosts; the managers are on the first and the last host
FIRST_TRAP = 0x1000  # trap numbers for which no notices occur
CHANGES = 300  # changes that each client begins to send before a kill, which ends the client
# Hosts have more registrations than the default limits of a port. A manager that starts while another manager is master stays standby.
CONFIG = "sa_etm_max_num_mcgs 0\nsa_etm_max_num_event_subs 0\nmaster_sm_priority 15\n"


def line_of(kind, number, port, registers):
    """The request that registers or withdraws one registration."""
    if kind == "group":
        return member(JOIN, mgid=mgid(number), port=port, state=1, **NEW) if registers else member(
            LEAVE, mgid=mgid(number), port=port, state=1)
    if kind == "service":
        line = service_line(number, port)
        return line if registers else line.replace(f"{sa.SET:x} ", f"{sa.DELETE:x} ", 1)
    info = bytes(16) + b"\xff\xff" + bytes(4) + bytes([1, registers]) + b"\xff\xff" + (FIRST_TRAP + number).to_bytes(2, "big")
    return sa.ask_line(sa.SET, INFORM, 0, info + bytes([0, 0, 1, 0]) + b"\0\xff\xff\xff")


def query_of(kind, number, port):
    """The query for one registration. It returns one record, because ibsim delivers only 224 of the 256 bytes of a MAD, which damages the records
    of tables."""
    if kind == "group":
        return member(sa.GET, key=1, mgid=mgid(number))
    if kind == "service":
        return sa.ask_line(sa.GET, SERVICE, 1, number.to_bytes(8, "big") + bytes(168))
    info = bytes(26) + (FIRST_TRAP + number).to_bytes(2, "big") + bytes(8)
    return sa.ask_line(sa.GET, INFORM_RECORD, 1 | 1 << 10, port.to_bytes(16, "big") + bytes(8) + info, key=1)


class Client:
    """Registrations of one host. `known`: {key: whether the last acknowledged change registered the key}."""

    def __init__(self, fabric, host):
        self.fabric, self.host, self.known, self.refused = fabric, host, {}, 0
        self.keys = [(kind, number) for kind, count in COUNTS.items() for number in range(1, count + 1) if number % len(CLIENTS) == host - 1]

    def begin(self, changes):
        """Sends these changes, [(key, registers)], one after another."""
        self.changes = changes
        lines, self.output = self.fabric.folder / f"lines{self.host}", self.fabric.folder / f"answers{self.host}"
        port = self.fabric.ports[self.host]
        lines.write_text("".join(line_of(*key, port, registers) + "\n" for key, registers in changes))
        with open(self.output, "w") as stdout:
            command = f"exec timeout 600 stdbuf -oL {interop.tool('sa_ask')} -t 1000 < {lines}"
            self.process = self.fabric.sim.start(["sh", "-c", command], host=self.fabric.net.hosts[self.host], stdout=stdout)

    def begin_random(self, draw):
        picked = [draw.choice(self.keys) for _ in range(CHANGES)]
        now, changes = dict(self.known), []
        for key in picked:
            now[key] = not now.get(key, False)
            changes.append((key, now[key]))
        self.begin(changes)

    def end(self, kill):
        if kill:
            self.process.kill()
        self.process.wait()
        answers = self.output.read_text().split("\n")[:-1]
        for (key, registers), line in zip(self.changes, answers):
            self.known.pop(key, None)
            if line.startswith("silence"):
                continue
            if int(line.split()[1], 16) == 0:
                self.known[key] = registers
            else:
                self.refused += 1
        for key, _ in self.changes[len(answers):len(answers) + 1]:  # the request without a response may have been executed
            self.known.pop(key, None)
        return len(answers)


def missing_of(clients):
    """The changes that make the registrations that no response has confirmed, by client."""
    return {client: [(key, True) for key in client.keys if not client.known.get(key)] for client in clients}


def register_all(clients):
    """Makes all registrations. Repeats requests that were refused or had no response, in at most five rounds."""
    missing = missing_of(clients)
    for _ in range(5):
        if not any(missing.values()):
            return
        for client in clients:
            client.begin(missing[client])
        for client in clients:
            client.end(False)
        missing = missing_of(clients)
    if not any(missing.values()):
        return
    raise AssertionError(f"missing registrations after five rounds: found {sum(map(len, missing.values()))}, expected 0; refused requests: "
                         f"{sum(client.refused for client in clients)}")


def compare(fabric, clients, what):
    """Compares the known registrations of all clients with the answers of the SA; returns the number of compared registrations. Repeats queries
    without a response, as clients do."""
    known = [(key, registered, fabric.ports[client.host]) for client in clients for key, registered in client.known.items()]
    answers = {}
    for _ in range(3):
        silent = [case for case in known if case not in answers or answers[case].silent]
        if silent:
            answers.update(zip(silent, sa.ask(fabric.sim, fabric.net.hosts[CLIENTS[0]],
                                              [query_of(*key, port) for key, _, port in silent], 2000)))
    wrong = [(key, registered, "no response" if answer.silent else f"status {answer.status:#x}")
             for (key, registered, _), answer in answers.items() if answer.silent or (answer.status == 0) != registered]
    check(not wrong, f"{what}: {len(wrong)} registrations differ from the acknowledged changes: {wrong[:5]}")
    return len(known)


def run(scratch, kills, seed):
    draw, compared, answered, slowest = random.Random(seed), 0, 0, 0
    authority = Authority(scratch, "authority")
    certificate = authority.sign("managers", "managers", "serverAuth")
    with ManagedFabric(PARTITIONS) as fabric:
        hosts, peers, rules = fabric.net.hosts, [], (fabric.folder / "partitions").read_text()
        clients = [Client(fabric, host) for host in CLIENTS]

        def manager(host, peers_of):
            peers.append(Peer(fabric, authority, certificate, host, 2, peers_of, rules, config=CONFIG))
            return peers[-1]
        try:
            master = manager(0, ABSENT)
            master.manager.wait_for_up()
            master.manager.wait_for_sa(hosts[1])
            lids = sa.lids_of(fabric.sim, hosts[1], fabric.guids)
            register_all(clients)
            compare(fabric, clients, f"before any kill, seed {seed}")
            for number in range(kills):
                what = f"kill {number}, seed {seed}"
                standby = manager([7, 0][number % 2], master.url)
                standby.manager.wait_for("the standby is in step", standby.is_in_step)
                wait_for("the master reports the standby as in step", lambda: any(one["in_step"] for one in master.replication()["standbys"]))
                for client in clients:
                    client.begin_random(draw)
                wait_for("the first response", lambda: clients[0].output.read_text().count("\n") > 0, pause=0.01)
                time.sleep(draw.random())
                master.manager.kill()
                begin = time.monotonic()
                answered += sum(client.end(True) for client in clients)
                standby.manager.becomes("MASTER")
                standby.manager.wait_for_up()
                slowest = max(slowest, time.monotonic() - begin)
                standby.manager.wait_for_sa(hosts[1])
                compared += compare(fabric, clients, what)
                found = sa.lids_of(fabric.sim, hosts[1], fabric.guids)
                check(found == lids, f"{what}: LIDs: found {found}, expected {lids}")
                check("clients have to register again" not in standby.manager.log(), standby.manager.log()[-3000:])
                refused = sum(client.refused for client in clients)
                check(refused == 0, f"{what}: refused requests: found {refused}, expected 0")
                master = standby
        finally:
            for peer in peers:
                peer.manager.kill()
    print(f"failovers: {kills} masters killed on ibsim: {compared} registrations compared, {answered} changes acknowledged, "
          f"at most {slowest:.1f} s until the standby had the subnet up")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3, help="number of masters to kill (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the changes and of the times of the kills (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-failovers-") as scratch:
        run(pathlib.Path(scratch), arguments.kills, arguments.seed)


if __name__ == "__main__":
    main()
