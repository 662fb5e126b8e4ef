#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests SA state other than groups. Alias GUIDs (GUIDInfoRecord) are set, deleted and used as GIDs with the same responses as from
OpenSM. Then Weft starts with OpenSM's opensm-sa.dump, and OpenSM with Weft's; each returns the responses of the previous manager.

Standard library only. Usage: sa_state_test.py [--show]
"""
import argparse
import re

import sa_client as sa
import weft_interop as interop
from managed_fabric import ManagedFabric
from sa_multicast_test import member, mgid, JOIN, NEW, TABLE
from weft_interop import check

GUIDS, SERVICE, INFORM, PATH, MEMBER = 0x30, 0x31, 0x03, 0x35, 0x38
SET, DELETE, GET = sa.SET, sa.DELETE, sa.GET
LID, BLOCK = 1, 2
DENIED = 0x0700
IN_P1, NOT_IN_P1 = 3, 1  # hosts: IN_P1 is in partition P1 with host 2, NOT_IN_P1 is not
PARTITIONS = "Default=0x7fff,ipoib:ALL=limited,SELF=full;\nP1=0x1: {2}=full,{3}=full;\n"
# OpenSM 3.3.23 returns HopLimit 0 in paths of alias GUIDs, and ignores aguid_default_hop_limit.
CONFIG = "sa_db_dump TRUE\nsweep_interval 1\nsm_assigned_guid 0x5a\naguid_default_hop_limit 0\n"


def bits(*indexes):
    return LID | BLOCK | sum(1 << (4 + index) for index in indexes)


def guids_line(method, lid, block, guids, mask, key=0):
    table = b"".join(guid.to_bytes(8, "big") for guid in (list(guids) + [0] * 8)[:8])
    return sa.ask_line(method, GUIDS, mask, lid.to_bytes(2, "big") + bytes([block]) + bytes(5) + table, key)


def path_line(source, destination):
    record = bytearray(64)
    record[8:24], record[24:40] = destination.to_bytes(16, "big"), source.to_bytes(16, "big")
    return sa.ask_line(GET, PATH, 0xC, bytes(record))


def guid_steps(lid, port, other):
    """(host, line): requests for the GUIDs of host 2, which has `lid`. With Weft other hosts need the SA key."""
    def step(method, block, guids, mask, host=2, at=lid):
        return host, guids_line(method, at, block, guids, mask, key=0 if host == 2 else 1)
    own_guid, other_guid = port & (1 << 64) - 1, other & (1 << 64) - 1
    steps = [
        step(SET, 0, [0xAA], bits(0)), step(SET, 0, [], bits()), step(SET, 0, [0, 0x11], bits(1)),
        step(SET, 0, [0, 0x12], bits(1)), step(SET, 0, [0, 0], bits(1)), step(SET, 0, [0, 0, own_guid], bits(2)),
        step(SET, 0, [0, 0, other_guid], bits(2)), step(SET, 0, [0, 0, 0x12], bits(2)),
        step(SET, 0, [0, 0, 0x33, 0x33], bits(2, 3)), step(SET, 0, [0, 0, 0, 0, 0, 0x55], bits(5), IN_P1),
        step(SET, 0, [0, 0, 0, 0, 0, 0, 0x66], bits(6), 0), step(SET, 3, [0x70], bits(0)), step(SET, 4, [0x71], bits(0)),
        step(SET, 200, [0x71], bits(0)), step(SET, 1, [], bits(0, 1, 2)), step(SET, 1, [], bits(0), at=0x999),
        step(SET, 1, [], bits(0), at=0), step(SET, 1, [0, 0, 0, 0, 0x99], bits(5)), step(SET, 1, [], bits(5) & ~LID),
        step(SET, 1, [], bits(5) & ~BLOCK), step(DELETE, 0, [0, 0x12], bits(1)), step(DELETE, 0, [0, 0, 0x999], bits(2)),
        step(DELETE, 0, [], bits(0)), step(DELETE, 0, [], bits()), step(DELETE, 0, [], bits(5), IN_P1),
        step(DELETE, 0, [], bits(5) & ~LID), step(DELETE, 2, [], bits(5))]
    steps += [step(GET, block, [], LID | BLOCK) for block in range(5)]
    steps += [(2, member(JOIN, mgid=mgid(0x123), port=sa.PREFIX | 0x66, state=1, **{**NEW, "pkey": 0x8001})),
              (2, member(JOIN, mgid=mgid(0x124), port=port, state=1, **{**NEW, "pkey": 0x8001})),
              (3, member(JOIN, mgid=mgid(0x124), port=other, state=4))]
    return steps


def state_queries(lid, port, other):
    """(host, line): queries for the SA state, which every manager with this state must answer equally."""
    ask = [(2, guids_line(GET, lid, block, [], LID | BLOCK)) for block in range(4)]
    for alias in (0x12, 0x33, 0x66, 0x70):
        ask += [(3, path_line(other, sa.PREFIX | alias)), (3, path_line(sa.PREFIX | alias, other))]
    ask += [(2, member(method, key=1, mgid=mgid(number))) for number in (0x123, 0x124) for method in (GET, TABLE)]
    # Records are queried one by one, because OpenSM returns tables in reverse order after it has read a dump.
    return ask + [(host, sa.ask_line(GET, SERVICE, 1, number.to_bytes(8, "big") + bytes(168))) for host in (0, 1, 2)
                  for number in (0x42, 0x43)]


def registration_steps(port):
    def service(number, lease, name):
        record = (number.to_bytes(8, "big") + port.to_bytes(16, "big") + (0xFFFF).to_bytes(2, "big") + bytes(2) +
                  lease.to_bytes(4, "big") + bytes(range(16)) + name.ljust(64, b"\0") + bytes(range(8)) + bytes(56))
        return sa.ask_line(SET, SERVICE, 0x7FFFFFF, record)
    inform = bytes(16) + b"\xff\xff" + bytes(4) + b"\x01\x01" + b"\xff\xff\xff\xff" + (0x112).to_bytes(4, "big") + b"\0\xff\xff\xff"
    return [(0, service(0x42, 0xFFFFFFFF, b"for ever = and a day")), (0, service(0x43, 3600, b"an hour")),
            (0, sa.ask_line(SET, INFORM, 0, inform))]


def play(sim, hosts, steps):
    return [sa.ask(sim, hosts[host], [line], timeout_ms=3000)[0] for host, line in steps]


def without_lease(answer, line):
    """The answer without the lease of a service, which decreases with time."""
    attribute = int(line.split()[1], 16)
    text = answer.compared(attribute)
    return re.sub(r"(ffff0000)[0-9a-f]{8}", r"\1", text) if attribute == SERVICE else text


def check_requests_of_other_hosts(sim, hosts, lid):
    """Host 3, in the partition of host 2, and host 0 can neither delete nor set alias GUIDs of host 2."""
    block = guids_line(GET, lid, 0, [], LID | BLOCK)
    before = play(sim, hosts, [(2, block)])[0].data
    steps = [(host, guids_line(method, lid, 0, [0, 0, 0x33, 0, 0x99], bits(2, 4))) for host in (IN_P1, 0) for method in (SET, DELETE)]
    for (host, line), answer in zip(steps, play(sim, hosts, steps)):
        check(not answer.silent and answer.status == DENIED, f"host {host}: {line}: {vars(answer)}")
    check(play(sim, hosts, [(2, block)])[0].data == before, "another port changed alias GUIDs")


def compare(steps, from_opensm, from_weft, what, show):
    differences = [f"host {host}: {line}\n    OpenSM {without_lease(one, line)}\n    Weft   {without_lease(other, line)}"
                   for (host, line), one, other in zip(steps, from_opensm, from_weft) if without_lease(one, line) != without_lease(other, line)]
    if show:
        print("\n".join(differences))
    check(not differences, f"{what}: {len(differences)} of {len(steps)} responses differ, first:\n" + "\n".join(differences[:5]))


def run(show):
    with ManagedFabric(PARTITIONS, CONFIG) as fabric:
        sim, net, ports = fabric.sim, fabric.net, fabric.ports
        marks = ["=0x0014055a00000004", "id=0x0000000000000042", "'an hour'", "InformInfo Record", "mcm_port"]

        def dumped(manager):
            """The dump, once it contains all changes."""
            dump = manager.dumps / "opensm-sa.dump"
            manager.wait_for(f"{dump}", lambda: dump.exists() and all(mark in dump.read_text() for mark in marks))
            return dump

        with fabric.manager("opensm1", "opensm") as opensm:
            lid = list(sa.lids_of(sim, net.hosts[0], fabric.guids).values())[2]
            steps = guid_steps(lid, ports[2], ports[3]) + registration_steps(ports[0])
            queries = state_queries(lid, ports[2], ports[3])
            from_opensm, opensm_answers = play(sim, net.hosts, steps), play(sim, net.hosts, queries)
            opensm_dump = dumped(opensm)
        with fabric.manager("weft1", "weft") as weft:
            compare(steps, from_opensm, play(sim, net.hosts, steps), "the same steps with Weft", show)
            compare(queries, opensm_answers, play(sim, net.hosts, queries), "the responses after these steps", show)
            check_requests_of_other_hosts(sim, net.hosts, lid)
            weft_dump = dumped(weft)
        for name, program, dump in (("weft2", "weft", opensm_dump), ("opensm2", "opensm", weft_dump)):
            with fabric.manager(name, program, "-S", dump) as manager:
                compare(queries, opensm_answers, play(sim, net.hosts, queries), f"{program} with the dump of the other manager", show)
                if program == "weft":
                    dumped(manager)
        bad = fabric.folder / "bad.dump"
        bad.write_text(weft_dump.read_text().replace("block_num=0x1 ", "block_num=many ", 1))
        done = interop.weft("sm", "--emulate", "fattree2:k=4", "-S", bad, check=False)
        check(done.returncode == 2 and f"{bad}:3: block_num: found 'many'" in done.stderr, f"a damaged dump: {done}")
        print(f"sa_state: {len(steps)} steps and {len(queries)} responses equal to those of OpenSM, across four managers and their dumps")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print every difference")
    run(parser.parse_args().show)


if __name__ == "__main__":
    main()
