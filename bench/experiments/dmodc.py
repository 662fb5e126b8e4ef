# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Computes closed-form routes of degraded fat trees: Dmodc (Gliksberg, Capra, Louvet, Garcia, Sohier, "High-Quality Fault
Resiliency in Fat Trees", IEEE Micro 40(1), 2020; arXiv 2211.13101). Used for comparison with Weft's engines.

Each switch s has a cost to each leaf, in hops that first go up and then down, and a divider: the product of the numbers of neighbors above along a path
from a leaf to s, the largest over all such paths. Hosts are numbered leaf by leaf. For host t of leaf l, switch s selects among its neighbors with a
lower cost to l, sorted by GUID, the one with number t / divider modulo their count, and among the cables to it, in order of their ports, the
one with number t / (divider x count) modulo the cables.
"""
import collections
import json
import pathlib


class Tree:
    """Switches by GUID; levels by distance from the leaves, which are the switches with hosts."""

    def __init__(self, path):
        fabric = json.loads(pathlib.Path(path).read_text())
        switches = [int(node["guid"], 16) for node in fabric["nodes"] if node["type"] == "switch"]
        self.cables = {switch: collections.defaultdict(list) for switch in switches}  # ports by neighbor
        self.lids = {}  # LID of port 0 by switch GUID
        ends = {}
        for link in fabric["links"]:
            a, b = (int(link["a"], 16), link["a_port"]), (int(link["b"], 16), link["b_port"])
            for here, there in ((a, b), (b, a)):
                if here[0] in self.cables and there[0] in self.cables:
                    self.cables[here[0]][there[0]].append(here[1])
                elif here[0] in self.cables:
                    ends[there] = here
        self.hosts = []  # (leaf, port, LID), leaf by leaf
        for node in fabric["nodes"]:
            guid = int(node["guid"], 16)
            for port in node["ports"]:
                if port["lid"] and (guid, port["port"]) in ends:
                    self.hosts.append((*ends[guid, port["port"]], port["lid"]))
                elif port["lid"] and guid in self.cables and port["port"] == 0:
                    self.lids[guid] = port["lid"]
        self.leaves = sorted({leaf for leaf, _, _ in self.hosts})
        self.hosts.sort()
        self.level = dict.fromkeys(self.leaves, 0)
        queue = collections.deque(self.leaves)
        while queue:
            switch = queue.popleft()
            for neighbor in self.cables[switch]:
                if neighbor not in self.level:
                    self.level[neighbor] = self.level[switch] + 1
                    queue.append(neighbor)
        self.upward = sorted(self.level, key=lambda switch: (self.level[switch], switch))

    def above(self, switch):
        return [other for other in sorted(self.cables[switch]) if self.level[other] > self.level[switch]]

    def dividers(self):
        found = dict.fromkeys(self.level, 1)
        for switch in self.upward:
            above = self.above(switch)
            for other in above:
                found[other] = max(found[other], found[switch] * len(above))
        return found

    def costs(self, leaf):
        """Hops to the leaf for each switch, on paths that go down, or up and then down; and the switches with a path that only goes down."""
        cost = {leaf: 0}
        for switch in self.upward:  # the switches above the leaf, by distance
            if switch in cost:
                for other in self.above(switch):
                    cost[other] = min(cost.get(other, cost[switch] + 1), cost[switch] + 1)
        down = set(cost)
        for switch in reversed(self.upward):
            costs = [cost[other] + 1 for other in self.above(switch) if other in cost]
            if costs and switch not in cost:
                cost[switch] = min(costs)
        return cost, down


def tables(path):
    """{switch GUID: {LID: port}} of the fabric in a file weft-fabric.json."""
    tree = Tree(path)
    dividers = tree.dividers()
    found = {switch: {} for switch in tree.cables}
    hosts_of = collections.defaultdict(list)  # (number, port, LID) of hosts by leaf
    for number, (leaf, port, lid) in enumerate(tree.hosts):
        hosts_of[leaf].append((number, port, lid))
    neighbors = {switch: sorted(tree.cables[switch]) for switch in tree.level}
    for leaf in tree.leaves:
        cost, down = tree.costs(leaf)
        for number, port, lid in hosts_of[leaf]:
            found[leaf][lid] = port
        for switch, hops in cost.items():
            if switch == leaf:
                continue
            closer = [tree.cables[switch][other] for other in neighbors[switch] if cost.get(other, hops) < hops
                      and (other in down if switch in down else tree.level[other] > tree.level[switch])]
            divider, count = dividers[switch], len(closer)
            for number, _, lid in hosts_of[leaf]:
                ports = closer[number // divider % count]
                found[switch][lid] = ports[number // (divider * count) % len(ports)]
    return found, tree


def write(path, to):
    """Writes the tables as opensm.fdbs."""
    found, tree = tables(path)
    lines, ends = [], [f" : {port:03d}  : 00   : yes" for port in range(256)]
    for switch, ports in found.items():
        lines += [f"dump_ucast_routes: Switch 0x{switch:016x}", "LID    : Port : Hops : Optimal"]
        ports = {**ports, **({tree.lids[switch]: 0} if switch in tree.lids else {})}
        lines += [f"0x{lid:04x}{ends[port]}" for lid, port in sorted(ports.items())]
        lines.append("")
    pathlib.Path(to).write_text("\n".join(lines) + "\n")
