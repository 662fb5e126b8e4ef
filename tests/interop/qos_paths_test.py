#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares PathRecords with a QoS policy: OpenSM and Weft return the same paths on the same ibsim net.

LIDs are not compared, because Weft assigns them in another order. Membership bits are not compared: for the P_Key of a QoS level OpenSM returns
the number in the policy, Weft the P_Key of the ports.
"""
import pathlib
import struct
import sys
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check

NET = interop.TOPOLOGIES / "ibsim-examples" / "net.2sw2path4hca2port"
HOST, SOURCE, DESTINATION = "Hca2", 0x100004, 0x100001

POLICY = """
qos-levels
  qos-level
    name: DEFAULT
    sl: 0
  end-qos-level
  qos-level
    name: small
    sl: 3
    mtu-limit: 2
    rate-limit: 2
    packet-life: 10
  end-qos-level
  qos-level
    name: partition
    sl: 5
    pkey: 0x1
  end-qos-level
  qos-level
    name: long
    sl: 6
    packet-life: 30
    mtu-limit: 5
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    service-id: 100-200
    qos-level-name: small
  end-qos-match-rule
  qos-match-rule
    qos-class: 7
    qos-level-name: partition
  end-qos-match-rule
  qos-match-rule
    qos-class: 8
    qos-level-name: long
  end-qos-match-rule
end-qos-match-rules
"""
PARTITIONS = """
Default=0x7fff,ipoib,sl=2: ALL=full, SELF=full;
P1=0x1,sl=4: ALL=full;
"""

GIDS, SERVICE, PKEY, QOS_CLASS, SL = 0xC, 0x3, 1 << 13, 1 << 14, 1 << 15
MTU, RATE, LIFE = 3 << 16, 3 << 18, 3 << 20


def gid(guid):
    return bytes.fromhex("fe80000000000000") + guid.to_bytes(8, "big")


def query(mask, service=0, destination=DESTINATION, pkey=0, qos_class=0, sl=0, mtu=0, rate=0, life=0):
    record = struct.pack(">Q16s16sHHIBBHHBBBB", service, gid(destination), gid(SOURCE), 0, 0, 0, 0, 1, pkey,
                         qos_class << 4 | sl, mtu, rate, life, 0)
    return f"1 35 0 {GIDS | mask:x} 0 {record.hex()}"


QUERIES = {
    "only the GIDs of the ports": query(0),
    "service": query(SERVICE, service=150),
    "service outside the range of the rule": query(SERVICE, service=201),
    "only the first component of the service": query(1, service=150),
    "only the second component of the service": query(2, service=150),
    "service and its SL": query(SERVICE | SL, service=150, sl=3),
    "service and another SL": query(SERVICE | SL, service=150, sl=4),
    "SL 0": query(SL, sl=0),
    "SL 2": query(SL, sl=2),
    "P_Key": query(PKEY, pkey=0x8001),
    "P_Key and the partition's SL": query(PKEY | SL, pkey=0x8001, sl=4),
    "default P_Key": query(PKEY, pkey=0xFFFF),
    "class with a P_Key": query(QOS_CLASS, qos_class=7),
    "class and the P_Key of the level": query(QOS_CLASS | PKEY, qos_class=7, pkey=0x8001),
    "class and another P_Key": query(QOS_CLASS | PKEY, qos_class=7, pkey=0xFFFF),
    "class with the packet life of its level": query(QOS_CLASS, qos_class=8),
    "class without a rule": query(QOS_CLASS, qos_class=9),
    "MTU above the limit": query(SERVICE | MTU, service=150, mtu=2),
    "MTU below the limit": query(SERVICE | MTU, service=150, mtu=1),
    "exact MTU above the limit": query(SERVICE | MTU, service=150, mtu=0x83),
    "rate above the limit": query(SERVICE | RATE, service=150, rate=0x83),
    "rate equal to the limit": query(SERVICE | RATE, service=150, rate=0x82),
    "packet life above the limit": query(SERVICE | LIFE, service=150, life=12),
    "packet life below the limit": query(SERVICE | LIFE, service=150, life=0x49),
    "class and a packet life greater than 20": query(QOS_CLASS | LIFE, qos_class=8, life=20),
    "destination equal to the source": query(SERVICE, service=150, destination=SOURCE),
}


def comparable(line):
    words = line.split()
    if words[0] == "silence" or int(words[1], 16) != 0:
        return " ".join(words[:3])
    record = bytearray.fromhex(words[4])[:64]
    record[40:44] = bytes(4)  # LIDs are not compared
    record[50] &= 0x7F  # the membership bit is not compared
    return record.hex()


def answers(program, folder, options):
    with interop.Ibsim(NET) as sim, Manager(folder, *options, program=program, sim=sim) as manager:
        manager.wait_for_sa(HOST)
        return dict(zip(QUERIES, map(comparable, sim.sa_ask(list(QUERIES.values()), "-t", 5000, host=HOST))))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "policy").write_text(POLICY)
        (folder / "partitions").write_text(PARTITIONS)
        partitions = ["-P", folder / "partitions"]
        for what, options in (("policy", ["-Q", "-Y", folder / "policy", *partitions]),
                              ("no policy", ["-Q", "-Y", folder / "none", *partitions]), ("no QoS", partitions)):
            opensm, weft = (answers(program, folder / "managers" / what / program, options) for program in ("opensm", "weft"))
            check(len(weft) == len(opensm) == len(QUERIES), f"{what}: {len(weft)} and {len(opensm)} answers")
            differing = [f"{query}\n  OpenSM {opensm[query]}\n  Weft   {weft[query]}" for query in QUERIES
                         if opensm[query] != weft[query]]
            check(not differing, f"{what}:\n" + "\n".join(differing))
            print(f"{what}: {len(QUERIES)} queries with equal paths")


if __name__ == "__main__":
    sys.exit(main())
