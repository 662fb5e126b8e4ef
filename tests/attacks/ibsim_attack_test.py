#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attacks from an ordinary host of an ibsim fabric, by raw MADs through libibumad. They repeat the attacks of the tests on the emulator
(traps_attack_test.cpp, managers_attack_test.cpp, sa_attack_test.cpp) on the whole program and its files.

`traps`: a flood of forged traps with different details. The number of sweeps and the sizes of log and cache folder are limited, and
meanwhile the manager routes around a cut cable. `managers`: SMInfo probing and commands. `sa`: sa_key 0, joins and leaves across partitions,
alias GUIDs of another port, a flood of registrations. Standard library only. Usage: ibsim_attack_test.py traps|managers|sa
"""
import random
import re
import sys

from attackers import NOTICE, SM_INFO, TRAP, check, notice, raw_mads, sm_info, smp_line
import sa_client
import weft_interop as interop
from managed_fabric import ManagedFabric
from sa_client import DELETE, GET, GET_TABLE, PORT, SET, ask, ask_line

KEYS = {"m_key": 0x1122334455667788, "sm_key": 0x5A5B5C5D5E5F6061, "sa_key": 0x7A7B7C7D7E7F8081}
CONFIG = "".join(f"{name} 0x{value:x}\n" for name, value in KEYS.items()) + "sweep_interval 1\n"
PARTITIONS = "Default=0x7fff : ALL=limited, SELF=full ;\nA=0x1 : {1}=full, {2}=full ;\nB=0x2 : {3}=full, {4}=full ;\n"
OPEN = "Default=0x7fff : ALL=full ;\n"
MEMBER, SERVICE, ALIASES = 0x38, 0x31, 0x30
TO_JOIN = 1 << 0 | 1 << 1 | 1 << 16
TO_CREATE = TO_JOIN | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13
TRAPS = 6000
FLOOD = 5  # seconds, for each flood
SWEEPS_MAX = 8
LOG_MAX = 1 << 20


def member(mgid, port, pkey=0xFFFF, qkey=0x4711):
    record = bytearray(56)
    record[:16], record[16:32], record[32:36] = mgid.to_bytes(16, "big"), port.to_bytes(16, "big"), qkey.to_bytes(4, "big")
    record[40:42] = pkey.to_bytes(2, "big")
    record[48] = 1  # JoinState
    return bytes(record)


def forged_traps(rng, count):
    for number in range(count):
        trap = rng.choice([128, 128, 129, 130, 144, 256, 64, 259, 4711])
        yield smp_line(TRAP, NOTICE, transaction=number + 1, data=notice(trap, rng.randbytes(54), kind=rng.randrange(5), producer=rng.choice([1, 2])))


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_traps():
    rng = random.Random(2)
    with (ManagedFabric(OPEN, CONFIG + "babbling_port_policy TRUE\n") as fabric,
          fabric.manager("manager", "weft", through=interop.never_blocked) as manager):
        ups = manager.ups()
        of_links = [smp_line(TRAP, NOTICE, transaction=number + 1, data=notice(128, rng.randbytes(54))) for number in range(100)]
        raw_mads(fabric.sim, fabric.net.hosts[5], of_links, seconds=FLOOD)
        check(manager.ups() == ups, f"{manager.ups() - ups} sweeps for trap 128 of a host, expected 0")
        ups, log, files = manager.ups(), len(manager.log()), size_of(fabric.folder / "manager" / "cache")
        for _ in range(3):
            raw_mads(fabric.sim, fabric.net.hosts[5], forged_traps(rng, TRAPS // 3), seconds=FLOOD)
        check(manager.ups() - ups <= SWEEPS_MAX, f"{manager.ups() - ups} sweeps for at most {TRAPS} forged traps, expected at most {SWEEPS_MAX}")
        grown = len(manager.log()) - log
        check(grown <= LOG_MAX, f"the log has grown by {grown} bytes, expected at most {LOG_MAX}")
        grown = size_of(fabric.folder / "manager" / "cache") - files
        check(grown <= LOG_MAX, f"the cache folder has grown by {grown} bytes, expected at most {LOG_MAX}")
        switch = fabric.net.switches[0]
        port = next(number for (name, number), peer in fabric.net.peers.items() if name == switch and peer[0] in fabric.net.switches)
        ups = manager.ups()
        fabric.sim.console(f'unlink "{switch}"[{port}]')
        raw_mads(fabric.sim, fabric.net.hosts[5], forged_traps(rng, TRAPS // 3), seconds=FLOOD)
        manager.wait_for_up(ups + 1)
        manager.wait_for_sa(fabric.net.hosts[2])


def test_managers():
    with ManagedFabric(OPEN, CONFIG) as fabric, fabric.manager("manager", "weft") as manager:
        guid = fabric.guids[5]
        lines = [smp_line(sa_client.GET, SM_INFO, transaction=1)]
        for command in range(7):
            for key in (0, 1, KEYS["sm_key"]):
                lines.append(smp_line(SET, SM_INFO, command, transaction=10 + 3 * command + key % 3, data=sm_info(guid, key, 15, 3)))
        answers = raw_mads(fabric.sim, fabric.net.hosts[5], lines)
        check(answers, "the manager does not answer SMInfo")
        for name, value in KEYS.items():
            for answer in answers:
                check(value.to_bytes(8, "big") not in answer[4] or name == "m_key", f"{name} is disclosed by SMInfo")
                check(answer[3] != value, f"{name} is in the header of an SMInfo answer")
        check(manager.state() == "MASTER", f"the manager is {manager.state()}")
        manager.wait_for_sa(fabric.net.hosts[2])


def check_refused(fabric, host, lines, what):
    for line, answer in zip(lines, ask(fabric.sim, fabric.net.hosts[host], lines)):
        check(not answer.silent and answer.status != 0, f"{what} by host {host} is not refused: {line}")
        if line.split()[1] == f"{MEMBER:x}":
            check(answer.data[36:38] == b"\0\0", f"{what}: the answer discloses the MLID")


def test_sa():
    group_a, group_b = 0xFF15 << 112 | 0xA, 0xFF15 << 112 | 0xB
    with ManagedFabric(PARTITIONS, CONFIG.replace(f"0x{KEYS['sa_key']:x}", "0x0")) as fabric, fabric.manager("manager", "weft") as manager:
        sim, hosts, ports = fabric.sim, fabric.net.hosts, fabric.ports
        table = ask(sim, hosts[1], [ask_line(GET_TABLE, PORT)])[0]
        check(KEYS["m_key"].to_bytes(8, "big") not in table.data, "sa_key 0: M_Keys are disclosed")
        for host, group, pkey in ((1, group_a, 0x8001), (3, group_b, 0x8002)):
            answer = ask(sim, hosts[host], [ask_line(SET, MEMBER, TO_CREATE, member(group, ports[host], pkey))])[0]
            check(not answer.silent and answer.status == 0, f"host {host} creates its group: {answer.status:x}")
        foreign = [ask_line(SET, MEMBER, mask, member(group_b, ports[port], 0x8002, 0)) for mask in (TO_JOIN, TO_CREATE) for port in (1, 4)]
        check_refused(fabric, 1, foreign, "a join across partitions")
        check_refused(fabric, 1, [ask_line(DELETE, MEMBER, TO_JOIN, member(group_b, ports[3], 0x8002, 0))], "a leave across partitions")
        check_refused(fabric, 2, [ask_line(DELETE, MEMBER, TO_JOIN, member(group_a, ports[1], 0x8001, 0))], "a leave of another port")
        lids = sa_client.lids_of(sim, hosts[1], fabric.guids[1:3])
        alias = (lids[fabric.guids[1]] << 48 | 0).to_bytes(8, "big") + bytes(16) + (0x77).to_bytes(8, "big") + bytes(40)
        check(ask(sim, hosts[1], [ask_line(SET, ALIASES, 0x3 | 1 << 6, alias)])[0].status == 0,
              "the SA refuses an alias of the port of the requester")
        ask(sim, hosts[2], [ask_line(DELETE, ALIASES, 0x3 | 1 << 6, alias), ask_line(SET, ALIASES, 0x3 | 1 << 6, alias.replace(b"\x77", b"\x78"))])
        held = ask(sim, hosts[1], [ask_line(GET, ALIASES, 0x3, alias)])[0]
        check(held.data[24:32] == (0x77).to_bytes(8, "big"), f"another port has changed the alias: {held.data[:40].hex()}")
        manager.wait_for_sa(hosts[4])
        check(not re.search(r"0x0*1122334455667788", manager.log()), "the log contains the M_Key")


if __name__ == "__main__":
    {"traps": test_traps, "managers": test_managers, "sa": test_sa}[sys.argv[1]]()
    print(f"ibsim, {sys.argv[1]}: passed")
