#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests replication between two managers over HTTPS. The master is killed after it has answered registrations. The standby that takes over has
the LIDs, partition file, groups, members, alias GUIDs, services, subscriptions and jobs of the master, and returns the same responses. Also tests
the access to the state, `weft top` and `weft handover`.

With --kills N, N masters are killed one after another at random times while a client registers services; no acknowledged registration may be
lost.

Needs openssl. Usage: replication_test.py [--kills N] [--seed SEED]
"""
import argparse
import json
import pathlib
import random
import re
import tempfile
import time

import sa_client as sa
import weft_interop as interop
from http_client import bearer, token_file
from http_tls_test import Authority, Service
from managed_fabric import ManagedFabric
from manager import Manager
from sa_state_test import compare, guid_steps, play, registration_steps, state_queries
from weft_interop import check, wait_for

# A standby takes over if the master does not answer two polls.
CONFIG = ("sm_assigned_guid 0x5a\naguid_default_hop_limit 0\ntrust_public_sa_key TRUE\nsweep_interval 2\ntransaction_retries 1\n"
          "sminfo_polling_timeout 500\npolling_retry_number 2\nreplication_confirm_ms 10000\nsa_etm_max_num_srvcs 0\n")
PARTITIONS = "Default=0x7fff,ipoib:ALL=full;\nP1=0x1: {2}=full,{3}=full;\n"
SERVICE = 0x31
SERVICES = 400  # number of services that a client registers
ABSENT = "https://127.0.0.1:1"


class Peer:
    """A manager on a host, with an HTTPS service on a separate TCP port."""

    started = 0

    def __init__(self, fabric, authority, certificate, host, priority, peers, partitions, program=list, config=""):
        """`program`: see `through` of Manager; `config`: additional lines of the configuration."""
        folder = fabric.folder / f"manager{host}-{priority}-{Peer.started}"
        Peer.started += 1
        folder.mkdir()
        self.partitions = folder / "partitions"
        self.partitions.write_text(partitions)
        token = self.token = token_file(folder)
        path = folder / "conf"
        path.write_text(f"{CONFIG}http_token_file {token}\nhttp_certificate_file {certificate[0]}\nhttp_key_file {certificate[1]}\n"
                          f"replication_peers {peers}\nreplication_token_file {token}\nreplication_ca_file {authority.certificate}\n")
        with open(path, "a") as file:
            file.write(f"{config}history_file {folder / 'history.sqlite'}\n")
        self.manager = Manager(
            folder, "-F", path, "-P", self.partitions, "-p", priority, "-D", "0x07", "-t", 500, "--http", "127.0.0.1:0", sim=fabric.sim,
            host=fabric.net.hosts[host], up=False, through=program)
        port = self.manager.wait_for("the port of the HTTPS service", lambda: re.search(r"HTTPS on \S+:(\d+)", self.manager.log()))
        self.url, self.service = f"https://127.0.0.1:{port[1]}", Service(int(port[1]), authority.certificate)

    def replication(self):
        status, body = self.service.get("/api/v1/replication")
        check(status == 200, f"replication: {status} {body}")
        return json.loads(body)

    def list(self, what):
        """The entries of a list of the API, as JSON texts."""
        status, body = self.service.get(f"/api/v1/{what}", headers=bearer())
        check(status == 200, f"{what}: {status} {body}")
        return {json.dumps(entry, sort_keys=True) for entry in json.loads(body)[what.rsplit("/")[-1]]}

    def is_in_step(self):
        copy = self.replication()["copy"]
        return copy is not None and copy["in_step"]


def check_access(master):
    """A request for the state without a valid token is refused, because the state contains secret keys; an invalid query is refused, too."""
    path = "/api/v1/replication/changes?standby=0x77"
    check(master.service.status(path) == 401, "a request for the state without a token is not refused")
    check(master.service.status(path, headers=bearer("wrong-0123456789")) == 401, "a request for the state with a wrong token is not refused")
    for query in ("standby=0", "standby=many", "standby=7&after=-1", "standby=7&wait_ms=9999999"):
        status = master.service.status(f"/api/v1/replication/changes?{query}", headers=bearer())
        check(status == 400, f"changes?{query}: status {status}, expected 400")


def copy_jobs_and_history(master, standby, authority):
    """Waits until the standby has a new job and the history of the master; returns the jobs."""
    options = ["--server", master.url, "--ca-file", authority.certificate, "--token-file", master.token]
    interop.weft("job", "71", "--begin", "node[1-4]", "--name", "train", *options)
    interop.weft("job", "70", "--begin", "node5", *options)
    interop.weft("job", "70", "--end", *options)
    jobs = lambda peer: peer.replication()["parts"]["jobs"]
    wait_for("the standby has the jobs", lambda: jobs(master)["records"] == 2 and jobs(standby) == jobs(master))
    sweeps = master.list("history/sweeps")
    check(sweeps, "no sweeps in the history of the master")
    standby.manager.wait_for("the standby has the history of the master", lambda: sweeps <= standby.list("history/sweeps"))
    return master.list("jobs")


def check_confirmed(master, standby):
    """Checks the status that both managers report while nothing changes."""
    wait_for(lambda: f"the master reports that the standby is in step: {master.replication()}",
             lambda: [(one["in_step"], one["missing"]) for one in master.replication()["standbys"]] == [(True, 0)])
    master_status, standby_status = master.replication(), standby.replication()
    check(master_status["role"] == "source" and standby_status["role"] == "follower", f"roles: {master_status['role']} and {standby_status['role']}")
    check(master_status["parts"] == standby_status["parts"] and master_status["epoch"] == standby_status["epoch"],
          f"different states:\n{master_status}\n{standby_status}")
    metrics = standby.service.get("/metrics")[1].decode()
    check("\nweft_replication_in_step 1\n" in metrics and "\nweft_replication_lag_seconds 0\n" in metrics,
          "metrics of the standby: expected weft_replication_in_step 1 and lag 0")


def check_top(master, standby, authority):
    """`weft top` shows the lag of the standby, at the master and at the standby, from the same data as the page."""
    def top(peer, *options):
        return interop.weft("top", "--once", "--wait", 0, "--server", peer.url, "--ca-file", authority.certificate, *options, check=False).stdout
    lines = [line for line in top(standby).splitlines() if line.startswith("replication: ")]
    check(lines == [f"replication: the copy of {master.url} is complete, lag 0.0 s"], lines)
    lines = [line for line in top(master).splitlines() if line.startswith("replication: ")]
    check(len(lines) == 1 and re.fullmatch(r"replication: standby 0x[0-9a-f]{16} \(.*\) has the whole state", lines[0]), lines)
    copy = json.loads(top(standby, "--json"))["replication"]["copy"]
    check(copy["in_step"] and copy["lag_ms"] == 0, copy)


def check_handover(master, standby, authority):
    """`weft handover` waits until the standby, which has a lower priority, has the complete state."""
    options = ["--server", master.url, "--ca-file", authority.certificate]
    refused = interop.weft("handover", *options, check=False)
    check(refused.returncode == 3 and "expected Authorization" in refused.stderr, f"a handover without a token: {refused}")
    refused = interop.weft("handover", "--server", standby.url, *options[2:], "--token-file", standby.token, "--wait", 0, check=False)
    check(refused.returncode == 2 and "only the master can hand over" in refused.stderr, f"a handover of a standby: {refused}")
    done = interop.weft("handover", *options, "--token-file", master.token)
    check(re.search(r"^0x[0-9a-f]{16} .* is master after [0-9.]+ s$", done.stdout, re.M), done.stdout)
    standby.manager.becomes("MASTER")
    master.manager.becomes("STANDBY")
    check("clients have to register again" not in standby.manager.log(), standby.manager.log()[-3000:])


def run(scratch):
    authority = Authority(scratch, "authority")
    certificate = authority.sign("managers", "managers", "serverAuth")
    with ManagedFabric(PARTITIONS) as fabric:
        sim, net, ports = fabric.sim, fabric.net, fabric.ports
        rules = (fabric.folder / "partitions").read_text()
        peers = []
        try:
            peers.append(master := Peer(fabric, authority, certificate, 0, 5, ABSENT, rules))
            master.manager.wait_for_up()
            peers.append(standby := Peer(fabric, authority, certificate, 7, 3, f"{ABSENT},{master.url}", "Default=0x7fff:ALL=full;\n"))
            standby.manager.becomes("STANDBY")
            standby.manager.wait_for("the standby is in step", standby.is_in_step)
            check_access(master)
            check_confirmed(master, standby)
            check_top(master, standby, authority)
            master.manager.wait_for_sa(net.hosts[1])
            lids = sa.lids_of(sim, net.hosts[1], fabric.guids)
            lid = list(lids.values())[2]
            queries = state_queries(lid, ports[2], ports[3]) + [(0, sa.ask_line(sa.GET_TABLE, 0xF3, 0))]
            steps = guid_steps(lid, ports[2], ports[3]) + registration_steps(ports[0])
            play(sim, net.hosts, steps[:-1])
            before = play(sim, net.hosts, queries)
            check(not play(sim, net.hosts, steps[-1:])[0].silent, "no response to the subscription")
            subscriptions = play(sim, net.hosts, queries[-1:])
            jobs = copy_jobs_and_history(master, standby, authority)
            master.manager.kill()
            standby.manager.becomes("MASTER")
            standby.manager.wait_for_up()
            standby.manager.wait_for_sa(net.hosts[1])
            check(standby.list("jobs") == jobs, f"jobs: found {standby.list('jobs')}, expected {jobs}")
            after = play(sim, net.hosts, queries)
            compare(queries[:-1], before[:-1], after[:-1], "the standby that took over", False)
            compare(queries[-1:], subscriptions, after[-1:], "subscriptions in the standby that took over", False)
            check(sa.lids_of(sim, net.hosts[1], fabric.guids) == lids, "LIDs changed")
            check(standby.partitions.read_text() == rules, "the partition file differs from the file of the master")
            check("clients have to register again" not in standby.manager.log(), standby.manager.log()[-3000:])
            peers.append(upgraded := Peer(fabric, authority, certificate, 5, 1, standby.url, rules))
            check_handover(standby, upgraded, authority)
            upgraded.manager.wait_for_sa(net.hosts[1])
            compare(queries, after, play(sim, net.hosts, queries), "the manager that is master after the handover", False)
            check(sa.lids_of(sim, net.hosts[1], fabric.guids) == lids, "LIDs changed by the handover")
        finally:
            for peer in peers:
                peer.manager.kill()
    print(f"replication: {len(queries)} responses and {len(lids)} LIDs are the same after the master was killed")


def service_line(number, port):
    record = number.to_bytes(8, "big") + port.to_bytes(16, "big") + (0xFFFF).to_bytes(2, "big") + bytes(150)
    return sa.ask_line(sa.SET, SERVICE, 7, record)


def missing(sim, host, numbers):
    """Queries the services with these numbers; returns the numbers of the services that the SA does not return."""
    numbers = sorted(numbers)
    lines = [sa.ask_line(sa.GET, SERVICE, 1, number.to_bytes(8, "big") + bytes(168)) for number in numbers]
    return [number for number, answer in zip(numbers, sa.ask(sim, host, lines)) if answer.silent or answer.status != 0]


def acknowledged(fabric, master, first, delay):
    """Kills the master while a client registers services with ids from `first`; returns the ids of acknowledged services."""
    lines, output = fabric.folder / f"lines{first}", fabric.folder / f"answers{first}"
    lines.write_text("".join(service_line(first + at, fabric.ports[3]) + "\n" for at in range(SERVICES)))
    with open(output, "w") as stdout:
        command = f"exec timeout 60 stdbuf -oL {interop.tool('sa_ask')} -t 1000 < {lines}"
        client = fabric.sim.start(["sh", "-c", command], host=fabric.net.hosts[3], stdout=stdout)
        wait_for("the first response", lambda: output.read_text().count("\n") > 0 or client.poll() is not None, pause=0.01)
        time.sleep(delay)
        master.manager.kill()
        client.kill()
        client.wait()
    answers = output.read_text().splitlines()
    return {first + at for at, line in enumerate(answers) if not line.startswith("silence") and int(line.split()[1], 16) == 0}


def run_kills(scratch, kills, seed):
    draw = random.Random(seed)
    authority = Authority(scratch, "authority")
    certificate = authority.sign("managers", "managers", "serverAuth")
    with ManagedFabric(PARTITIONS) as fabric:
        sim, hosts, peers, known = fabric.sim, fabric.net.hosts, [], set()
        try:
            peers.append(master := Peer(fabric, authority, certificate, 0, kills, ABSENT, PARTITIONS.format(*map(hex, fabric.guids))))
            master.manager.wait_for_up()
            master.manager.wait_for_sa(hosts[1])
            lids = sa.lids_of(sim, hosts[1], fabric.guids)
            for number in range(kills):
                host, priority = [7, 0][number % 2], kills - 1 - number
                peers.append(standby := Peer(fabric, authority, certificate, host, priority, master.url, "Default=0x7fff:ALL=full;\n"))
                standby.manager.wait_for("the standby is in step", standby.is_in_step)
                wait_for("the master reports that the standby is in step", lambda: any(one["in_step"] for one in master.replication()["standbys"]))
                known |= acknowledged(fabric, master, 1 + number * SERVICES, draw.random() * 2)
                standby.manager.becomes("MASTER")
                standby.manager.wait_for_up()
                standby.manager.wait_for_sa(hosts[1])
                lost = missing(sim, hosts[1], known)
                check(not lost, f"kill {number}, seed {seed}: {len(lost)} of {len(known)} acknowledged services are lost: {lost[:9]}")
                check(sa.lids_of(sim, hosts[1], fabric.guids) == lids, f"kill {number}, seed {seed}: LIDs changed")
                check("clients have to register again" not in standby.manager.log(), standby.manager.log()[-3000:])
                master = standby
        finally:
            for peer in peers:
                peer.manager.kill()
    print(f"replication: {kills} masters killed, none of {len(known)} acknowledged services is lost")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, choices=range(1, 16), help="masters to kill while services are registered")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-replication-") as scratch:
        if arguments.kills:
            run_kills(pathlib.Path(scratch), arguments.kills, arguments.seed)
        else:
            run(pathlib.Path(scratch))


if __name__ == "__main__":
    main()
