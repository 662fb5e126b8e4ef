#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares multicast groups for SA clients with OpenSM. The same joins, leaves, queries and paths from several hosts of one ibsim fabric get the
same responses. Then hosts join and leave groups of Weft. The tables read by `ibroute -M` must deliver a copy to each member and to no other endport.

Standard library only. Usage: sa_multicast_test.py [--show] [CASE..]
"""
import argparse
import random

import sa_client as sa
from managed_fabric import ManagedFabric
from multicast_test import ibroute_ports
from weft_interop import check, wait_for

MEMBER = 0x38
JOIN, LEAVE, GET, TABLE = sa.SET, sa.DELETE, sa.GET, sa.GET_TABLE
# (name, width in bits, component). ProxyJoin is not compared: OpenSM returns the ProxyJoin of the creator in all records.
FIELDS = [("mgid", 128, 0), ("port", 128, 1), ("qkey", 32, 2), ("mlid", 16, 3), ("mtusel", 2, 4), ("mtu", 6, 5),
          ("tclass", 8, 6), ("pkey", 16, 7), ("ratesel", 2, 8), ("rate", 6, 9), ("lifesel", 2, 10), ("life", 6, 11),
          ("sl", 4, 12), ("flow", 20, 13), ("hop", 8, 14), ("scope", 4, 15), ("state", 4, 16), ("proxy", 1, 17)]
SIZE = 56
REST = SIZE * 8 - sum(width for _, width, _ in FIELDS)
NEW = {"qkey": 0x111, "pkey": 0xFFFF, "tclass": 0, "sl": 0, "flow": 0}
IP = {**NEW, "qkey": 0xB1B, "mtusel": 2, "mtu": 4, "ratesel": 2, "rate": 3}
PARTITIONS = ("Default=0x7fff,ipoib:ALL=full;\n"
              "P1=0x1,ipoib,sl=1,rate=3,mtu=3: {1}=full,{2}=limited,{3}=full;\n")


def mgid(number, head=0xFF15):
    return head << 112 | number


def ip(number, pkey=0xFFFF, head=0xFF12401B):
    return head << 96 | pkey << 80 | number


BROADCAST = ip(0xFFFFFFFF)


def member(method, key=0, unmasked=(), **wanted):
    """A line for sa_ask. Fields in `unmasked` are in the record, but not in the component mask."""
    mask = sum(1 << bit for name, _, bit in FIELDS if name in wanted and name not in unmasked)
    value = 0
    for name, width, _ in FIELDS:
        value = value << width | wanted.get(name, 0)
    return sa.ask_line(method, MEMBER, mask, (value << REST).to_bytes(SIZE, "big"), key)


class Script:
    """The steps of a test, as (host that sends the request, line for sa_ask), in order."""

    def __init__(self, ports, rules):
        self.ports, self.rules, self.steps = ports, rules, []  # rules: whether the MGIDs of new groups are checked

    def add(self, host, line):
        self.steps.append((host, line))

    def make(self, number, host=1, **wanted):
        fields = {"mgid": mgid(number), "port": self.ports[host], "state": 1, **NEW, **wanted}
        key, unmasked = fields.pop("key", 0), fields.pop("unmasked", ())
        self.add(host, member(JOIN, key, unmasked, **{name: v for name, v in fields.items() if v is not None}))

    def join(self, of, host, **wanted):
        self.add(host, member(JOIN, **{"mgid": of, "port": self.ports[host], "state": 1, **wanted}))

    def leave(self, of, host, **wanted):
        self.add(host, member(LEAVE, **{"mgid": of, "port": self.ports[host], "state": 1, **wanted}))

    def ask(self, host=2, **wanted):
        for method in (GET, TABLE):
            for key in (0, 1):
                self.add(host, member(method, key, **wanted))


def creation(script):
    for number, wanted in enumerate((
            {}, {"qkey": None}, {"pkey": None}, {"tclass": None}, {"sl": None}, {"flow": None}, {"hop": 5}, {"scope": 5},
            {"state": None}, {"port": None}, {"mgid": None}, {"port": sa.PREFIX | 0x999},
            {"port": 0xFEC0 << 112 | script.ports[1] & 0xFFFFFFFF}, {"pkey": 0x7FFF}, {"pkey": 0x8002}, {"pkey": 0},
            {"sl": 3}, {"sl": 15}, {"tclass": 7}, {"flow": 0xABCDE}, {"qkey": 0x80010000}, {"qkey": 0}, {"proxy": 1},
            {"mlid": 0xC123}, {"mlid": 0x12}, {"mlid": 0xC001}, {"mlid": 0xC000}, {"mlid": 0xFFFF}, {"mlid": 0xC3FF},
            {"mlid": 0xC400}, {"mlid": 0xC150, "unmasked": ("mlid",)}, {"hop": 9, "unmasked": ("hop",)},
            {"scope": 9, "unmasked": ("scope",)}, {"life": 7, "unmasked": ("life",)}, {"life": 9}, {"port": script.ports[2]},
            {"port": script.ports[3], "key": 1, "proxy": 1}), start=0x100):
        script.make(number, **wanted)
    for state in range(16):
        script.make(0x200 + state, state=state)
    for selector in range(4):
        for value in (0, 1, 3, 4, 5, 6):
            script.make(0x300 + selector * 8 + value, mtusel=selector, mtu=value)
        for value in (0, 2, 3, 4, 5, 6, 9, 10, 11, 16, 18, 19, 20, 21, 22, 63):
            script.make(0x400 + selector * 64 + value, ratesel=selector, rate=value)
        for value in (0, 18, 63):
            script.make(0x500 + selector * 64 + value, lifesel=selector, life=value)
    for number, wanted in enumerate(({"mtu": 6}, {"mtusel": 2}, {"mtusel": 2, "mtu": 2, "unmasked": ("mtu",)}, {"rate": 63},
                                     {"mtusel": 2, "mtu": 2, "unmasked": ("mtusel",)}, {"ratesel": 2}), start=0x600):
        script.make(number, **wanted)


def names(script):
    heads = (0xFF00, 0xFF10, 0xFF11, 0xFF22, 0xFF42, 0xFF32, 0xFF02, 0xFF1F, 0xFF18)
    for head in heads + ((0xFE80, 0x0015) if script.rules else ()):  # without the rules OpenSM creates groups with unicast GIDs, Weft does not
        script.make(5, mgid=mgid(5, head))
    for name in (0xFF12A01B << 96 | 2, 0xFF12A01BFE80 << 80 | 7, 0xFF15A01BFE80 << 80 | 7, 0xFF02A01BFE80 << 80 | 7,
                 0xFF10A01BFE80 << 80 | 7, 0xFF12A01C << 96 | 1, 0xFF12FFFF << 96 | 1):
        script.make(0, mgid=name)
    for scope in (None, 0, 1, 2, 5, 14, 15, None):
        script.make(0, mgid=0, scope=scope)
    for number, wanted in enumerate(({}, {"qkey": 0x111}, {"rate": 2}, {"rate": None, "ratesel": None}, {"mtu": 3},
                                     {"tclass": 3}, {"sl": 3}, {"flow": 3}, {"hop": 4}, {"pkey": 0x7FFF}, {"life": 3}),
                                    start=0x20):
        script.make(0, **{**IP, "mgid": ip(number), **wanted})
    for name in (ip(1, 0x8002), ip(2, 0x7FFF), ip(3, head=0xFF15401B), ip(4, head=0xFF15601B), ip(5, 0), ip(6, head=0xFF02401B),
                 ip(7, head=0xFF12601B), ip(8, 0x8001, 0xFF12601B)):
        script.make(0, **{**IP, "mgid": name})
    script.make(0, mgid=ip(0xFFFFFFFF, 0x8000))
    script.make(0, mgid=ip(0xFFFFFFFF, head=0xFF15401B))
    script.make(0, mgid=ip(5, head=0xFF15401B))
    for number in range(1, 4):
        script.make(0, host=number, **{**IP, "mgid": ip(1 << 32 | 0xFF << 24 | number, head=0xFF12601B)})
    script.leave(ip(1 << 32 | 0xFF << 24 | 1, head=0xFF12601B), 1)
    script.make(0x77)


def membership(script):
    of = mgid(0xABC)
    script.make(0xABC, mtusel=2, mtu=3, ratesel=2, rate=3, life=5, hop=3, sl=2, tclass=4, flow=0x77)
    script.join(of, 2)
    for wanted in ([{"mtusel": s, "mtu": v} for s in range(4) for v in (0, 2, 3, 4, 6)] +
                   [{"ratesel": s, "rate": v} for s in range(4) for v in (2, 3, 4, 16, 63)] +
                   [{"lifesel": s, "life": v} for s in range(4) for v in (4, 5, 6)] +
                   [{"mtu": 5}, {"mtusel": 2}, {"rate": 4}, {"ratesel": 2}, {"scope": 5}, {"mlid": 0xC333}, {"proxy": 1}] +
                   [{name: v} for name, good in (("qkey", 0x111), ("sl", 2), ("tclass", 4), ("flow", 0x77), ("hop", 3))
                    for v in (good, good + 1)] + [{"pkey": v} for v in (0xFFFF, 0x7FFF, 0x8001, 0)]):
        script.join(of, 3, **wanted)
        script.ask(3, mgid=of, **wanted)
    for state in (2, 4, 8, 0, 6):
        script.join(of, 3, state=state)
    for wanted in [{}, {"port": script.ports[2]}, {"port": script.ports[3]}, {"port": script.ports[7]}, {"state": 1},
                   {"state": 0}, {"state": 2}, {"port": script.ports[3], "state": 15}, {"proxy": 1}]:
        script.ask(2, mgid=of, **wanted)
    script.add(2, member(TABLE, 1, mgid=of, state=15))  # without the SM_Key OpenSM compares JoinState with the JoinState of the creator
    script.ask(2, port=script.ports[2])
    script.ask(2, port=sa.PREFIX | 0x999)
    script.ask(2, qkey=0xB1B)
    script.ask(2, mlid=0xC000)
    for state in (4, 1):
        script.join(of, 4, state=state)
    for state in (4, 4, 5, 2, 0, 1, 1):
        script.leave(of, 4, state=state)
        script.ask(4, mgid=of, port=script.ports[4])
    for name, value in (("qkey", 5), ("pkey", 0x8001), ("tclass", 9), ("sl", 9), ("flow", 9), ("hop", 9), ("mlid", 0xC111),
                        ("mtu", 5), ("mtusel", 2), ("rate", 9), ("life", 4)):
        script.join(of, 4)
        script.leave(of, 4, **{name: value})
    for wanted in ({"state": None}, {"port": None}, {"port": sa.PREFIX | 0x999}, {"port": 0xFEC0 << 112}, {"mgid": mgid(0x9999)}):
        fields = {"mgid": of, "port": script.ports[2], "state": 1, **wanted}
        script.add(2, member(LEAVE, **{name: v for name, v in fields.items() if v is not None}))


def permissions(script):
    """Adds steps that test the permissions to change memberships."""
    of, p = mgid(0xDEF), script.ports
    script.make(0xDEF, host=1)
    script.leave(of, 5, port=p[1])
    script.leave(of, 5, port=p[1], key=1)
    for proxy in (0, 1):
        script.join(of, 5, port=p[6], proxy=proxy)
        script.leave(of, 7, port=p[6])
        script.join(of, 5, port=p[6], proxy=proxy)
        script.leave(of, 6)
        script.join(of, 6, proxy=proxy)
        script.join(of, 5, port=p[6], state=2)
        script.leave(of, 6)
    script.join(of, 2, state=4)
    script.leave(of, 1)
    script.ask(3, mgid=of)
    script.leave(of, 2, state=4)
    script.join(of, 2)
    script.make(0xDEF, host=4)
    script.join(of, 3, state=8)
    script.leave(of, 4)
    script.ask(3, mgid=of)
    script.leave(of, 3, state=8)
    script.ask(3, mgid=of)
    for number in (1, 2, 3):
        script.make(0x7000 + number)
    script.leave(mgid(0x7002), 1)
    script.make(0x7004)
    script.make(0x7005)
    for number in (1, 3):
        script.leave(mgid(0x7000 + number), 1)
    script.make(0x7006)
    script.make(0x7007)
    for state in (1, 4):
        script.join(BROADCAST, 1, state=state)
        script.ask(2, mgid=BROADCAST)
        script.leave(BROADCAST, 1, state=state)
        script.ask(2, mgid=BROADCAST)


def partitions(script):
    for host in (0, 1, 2, 3, 4):
        for pkey in (0x8001, 1):
            script.make(0x8000 + 2 * host + pkey, host=host, pkey=pkey)
    for host in (0, 1, 2, 3, 4):
        script.join(mgid(0x10003), host)
        script.join(ip(0xFFFFFFFF, 0x8001), host)
        for of in (mgid(0x10003), ip(0xFFFFFFFF, 0x8001)):
            script.ask(host, mgid=of)
    script.join(mgid(0x10003), 1, port=script.ports[4])


def paths(script):
    of, p = mgid(0xBEE), script.ports
    script.make(0xBEE, host=5, tclass=4, hop=3, sl=2, mtusel=2, mtu=3)
    script.join(BROADCAST, 5)
    pair = {"sgid": p[5], "dgid": of}
    for wanted in ([{}, {"sl": 2}, {"sl": 3}, {"tclass": 4}, {"tclass": 5}, {"hop": 3}, {"hop": 4}, {"flow": 0}, {"flow": 1},
                    {"pkey": 0xFFFF}, {"pkey": 0x7FFF}, {"raw": 1}, {"numb": 0}, {"reversible": 1}, {"service_id": 7},
                    {"dlid": 0xC000}, {"mtusel": 3, "mtu": 6}, {"mtusel": 2}] +
                   [{"mtusel": s, "mtu": v} for s in range(3) for v in (2, 3, 4)] +
                   [{"ratesel": 2, "rate": v} for v in (2, 4, 63)] + [{"lifesel": 2, "life": 9}]):
        script.add(5, sa.path(GET, **{**pair, **wanted}))
        script.add(5, sa.path(TABLE, **{**pair, **wanted}))
    for wanted in ({"dgid": of}, {"dgid": BROADCAST, "sgid": p[5]}, {"dgid": BROADCAST, "sgid": p[6]}, {"dgid": mgid(0x4444)},
                   {"dgid": of, "sgid": sa.PREFIX | 0x999}):
        script.add(5, sa.path(GET, **wanted))


def comparable(answer, line):
    """The answer without ProxyJoin, which OpenSM copies from the group, and without the flow label of paths, which OpenSM shifts."""
    if answer.silent or answer.status != 0 or answer.offset == 0:
        return answer.compared(MEMBER)
    size = answer.offset * 8
    data = bytearray(answer.data[:len(answer.data) // size * size] if answer.method == TABLE | 0x80 else answer.data[:size])
    if int(line.split()[1], 16) == MEMBER and answer.method in (GET | 0x80, TABLE | 0x80):
        for start in range(0, len(data), size):
            data[start + 49:start + size] = bytes(size - 49)
    return f"{answer.method:x} {answer.offset} {data.hex().rstrip('0')}"


def play(sim, hosts, steps):
    """The responses to all steps, sent with as few clients as the order of hosts permits."""
    answers, at = [], 0
    while at < len(steps):
        end = at
        while end < len(steps) and steps[end][0] == steps[at][0]:
            end += 1
        answers += sa.ask(sim, hosts[steps[at][0]], [line for _, line in steps[at:end]], 1000, 5000)
        at = end
    return answers


def read_tables(sim, lids):
    """{switch: {mlid: ports}}; None if ibroute got no response, as happens under ibsim on a loaded machine."""
    tables = {}
    for name, lid in lids.items():
        done = sim.client(["ibroute", "-M", str(lid)], check=False)
        if done.returncode != 0:
            return None
        tables[name] = ibroute_ports(done.stdout)
    return tables


def check_trees(sim, net, ports, lids, rounds=6):
    """Makes random joins and leaves of two groups. After every few changes the tables of the switches must deliver copies to exactly
    the members."""
    rng = random.Random(7)
    numbers = {0xA001: set(), 0xA002: set()}
    all_hosts = range(len(net.hosts))
    for _ in range(rounds):
        steps = []
        for number, members in numbers.items():
            for host in rng.sample(list(all_hosts), 3):
                if host in members and len(members) > 1:
                    members.discard(host)
                    steps.append((host, member(LEAVE, mgid=mgid(number), port=ports[host], state=1)))
                elif host not in members:
                    members.add(host)
                    steps.append((host, member(JOIN, mgid=mgid(number), port=ports[host], state=1, **NEW)))
        answers = play(sim, net.hosts, steps)
        check(all(not a.silent and a.status == 0 for a in answers), f"a join or leave was refused: {[vars(a) for a in answers]}")
        for number, members in numbers.items():
            found = sa.ask(sim, net.hosts[1], [member(GET, mgid=mgid(number))], 1000)[0]
            mlid = int.from_bytes(found.data[36:38], "big")
            want = {host: sorted(net.hosts[m] for m in members if m != host) for host in members}

            def spans_members():
                tables = read_tables(sim, lids)
                return tables is not None and all(net.copies(tables, mlid, net.hosts[host]) == copies
                                                  for host, copies in want.items())
            wait_for(f"the tree of 0x{mlid:x} spans {sorted(members)}", spans_members, pause=0.2)


def proxies(ports):
    """Host 5, which is not in P1, sends joins and leaves of the broadcast group of P1 for host 2."""
    of = {"mgid": ip(0xFFFFFFFF, 0x8001), "port": ports[2], "state": 1}
    return [(5, member(JOIN, **of)), (5, member(JOIN, key=1, **of)), (2, member(JOIN, **of)), (5, member(LEAVE, **of)),
            (2, member(LEAVE, **of)), (3, member(JOIN, **of)), (5, member(LEAVE, **of)), (3, member(LEAVE, **of))]


def check_proxy_refusals(answers):
    """Only ports of the group's partition may join and leave for other ports, and no refusal contains Q_Key or MLID."""
    seen = ["silence" if answer.silent else (answer.status, int.from_bytes(answer.data[32:38], "big")) for answer in answers]
    statuses = [0x0200, 0x0200, 0, 0x0200, 0, 0, 0x0200, 0]
    check([one[0] for one in seen] == statuses, f"joins and leaves for other ports: {seen}")
    check(all(shown == 0 for status, shown in seen if status != 0), f"a refusal contains Q_Key or MLID: {seen}")


def compare(steps, from_opensm, from_weft, show):
    differences = []
    for (host, line), opensm_answer, weft_answer in zip(steps, from_opensm, from_weft):
        one, other = comparable(opensm_answer, line), comparable(weft_answer, line)
        if one != other:
            differences.append(f"host {host}: {line}\n    OpenSM {one}\n    Weft   {other}")
    if show:
        print("\n".join(differences))
    check(not differences, f"{len(differences)} of {len(steps)} responses differ, first:\n" + "\n".join(differences[:5]))


def compare_with_opensm(fabric, name, key, show):
    """Runs the same script with OpenSM and with Weft, with the same configuration; then tests the trees of Weft."""
    fabric.configure(key + "\n")
    script = Script(fabric.ports, "creation_validation FALSE" not in key)
    for part in (creation, names, membership, permissions, partitions, paths):
        part(script)
    sim, net = fabric.sim, fabric.net
    with fabric.manager(f"{name}-opensm", "opensm"):
        from_opensm = play(sim, net.hosts, script.steps)
    with fabric.manager(f"{name}-weft", "weft"):
        compare(script.steps, from_opensm, play(sim, net.hosts, script.steps), show)
        check_proxy_refusals(play(sim, net.hosts, proxies(fabric.ports)))
        lids = dict(zip(net.switches, sa.lids_of(sim, net.hosts[1], fabric.switches).values()))
        if "disable" in key:
            tables = wait_for("ibroute -M answers", lambda: read_tables(sim, lids))
            check(not any(any(table.values()) for table in tables.values()), "multicast tables are not empty although multicast is disabled")
        else:
            check_trees(sim, net, fabric.ports, lids)
    print(f"sa_multicast: {len(script.steps)} responses equal to those of OpenSM, trees span the members ({name})", flush=True)


# Lines of opensm.conf for both managers. The case without multicast is the first, since the multicast tables must then still be empty.
CASES = {"disabled": "disable_multicast TRUE", "defaults": "",
         "keys_off": "ipoib_mcgroup_creation_validation FALSE\nmcgroup_join_validation FALSE",
         "consolidated": "consolidate_ipv6_snm_req TRUE"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print every difference")
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE", help=", ".join(CASES))
    arguments = parser.parse_args()
    with ManagedFabric(PARTITIONS) as fabric:
        for name in arguments.cases:
            compare_with_opensm(fabric, name, CASES[name], arguments.show)


if __name__ == "__main__":
    main()
