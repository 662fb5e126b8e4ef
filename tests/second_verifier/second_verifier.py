#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A second verifier of routes. It reads the dumps of `weft route -o FOLDER` and shares no code with Weft.

It follows packets between all CAs, packets between CAs and port 0 of switches in both directions, the replies to these packets,
and the packets of every multicast group. The reply to a packet from A to B is sent to any LID of A, on the SL of the path from A
to B. Each packet must arrive if cables connect its two endports, on VLs that its links have. The channel dependency graph, with a
vertex for each channel and VL, must have no cycle. With adaptive routing this must hold for every selection of ports. With private
tables, the input port and the SL of a packet determine the table of a switch, and so the ports.

Standard library only. Usage: second_verifier.py FOLDER. Prints findings and PASS or FAIL; status 1 if there is any finding.
"""
import collections
import copy
import json
import pathlib
import re
import sys

DROP = 15  # SL2VL entry: the switch discards the packet
NO_ROUTE = 255  # no such port
# Kinds of traffic. A cycle is searched in the union of each graph and the graphs before it.
GRAPHS = ("ca", "ca_reply", "multicast", "switch", "switch_reply")


def numbers(text):
    """The numbers of a list of ranges: 1, 2, 3, 4, 7 for "1-4,7"."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Dumps:
    """The files of a folder as dictionaries. A node is given by its GUID, a port by (GUID, number). An endport is a port with LIDs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.read_fabric()
        self.ports = {}  # by (switch, LID): the ports from which the switch selects
        for line in self.lines("opensm-lfts.dump"):
            if found := re.match(r"Unicast lids .* guid 0x(\w+) ", line):
                switch = int(found[1], 16)
            elif found := re.match(r"0x(\w+) (\d+) #", line):
                self.ports[switch, int(found[1], 16)] = {int(found[2])}
        self.tables = {entry: port for entry, (port,) in self.ports.items()}  # without adaptive groups
        self.ar_groups = {}  # by (switch, table, LID): the ports of the AR group
        self.private_ports, self.inputs = {}, {}  # by (switch, table, LID): ports; by (switch, input port, SL): table, if not 0
        for line in self.lines("weft.ar"):
            self.read_choices(line.split())
        self.sls = {}  # by (source node, LID)
        for guid, lid, sl in map(str.split, self.lines("weft.psl")):
            self.sls[int(guid, 16), int(lid)] = int(sl)
        self.maps = {}  # by (endport, input port, output port): list of VLs by SL
        for line in self.lines("opensm-sl2vl.dump"):
            if found := re.match(r"(?:Switch|Channel Adapter|Router) 0x(\w+)", line):
                end = self.endports[int(found[1], 16)]
            elif found := re.match(r"(\d+) +(\d+) +:(.*)", line):
                self.maps[end, int(found[1]), int(found[2])] = [int(vl) for vl in found[3].split()]
        self.mfts = collections.defaultdict(dict)  # by multicast LID, by switch: ports
        for line in self.lines("opensm.mcfdbs"):
            if found := re.match(r"Switch 0x(\w+)", line):
                switch = int(found[1], 16)
            elif found := re.match(r"0x(\w+) :(.*)", line):
                self.mfts[int(found[1], 16)][switch] = {int(port, 16) for port in found[2].split()}
        self.multicast_sls = {int(mlid, 16): int(sl) for mlid, sl in map(str.split, self.lines("weft.msl"))}
        self.groups = {}  # by multicast LID: members, and endports that only send
        for line in self.lines("weft.groups"):
            members, _, senders = line.partition(" send ")
            mlid, *members = members.split()
            self.groups[int(mlid, 16)] = [[self.endports[int(guid, 16)] for guid in guids] for guids in (members, senders.split())]

    def read_choices(self, words):
        """Reads a line of weft.ar."""
        key, *words = words
        if key == "switch":
            self.place, self.group_ports = (int(words[0], 16), 0), []
        elif key == "table":
            self.place, self.group_ports = (self.place[0], int(words[0])), []
        elif key == "group":
            self.group_ports.append(set(numbers(words[2])))
        elif key == "inputs":
            switch, table = self.place
            self.inputs.update({(switch, port, sl): table for port in numbers(words[0]) for sl in numbers(words[2])})
        elif key == "lids":
            switch, table = self.place
            for lid in numbers(words[0]):
                group = self.group_ports[int(words[3])]
                self.ar_groups[switch, table, lid] = group
                ports = {self.tables.get((switch, lid), NO_ROUTE)} | group
                if table:
                    self.private_ports[switch, table, lid] = ports
                else:
                    self.ports[switch, lid] = ports

    def table(self, switch, input_port, sl):
        return self.inputs.get((switch, input_port, sl), 0)

    def choices(self, switch, table, lid):
        """The ports from which a switch selects by one of its tables."""
        if table:
            return self.private_ports.get((switch, table, lid), {self.tables.get((switch, lid), NO_ROUTE)})
        return self.ports.get((switch, lid), {NO_ROUTE})

    def lines(self, name):
        path = self.folder / name
        text = path.read_text().splitlines() if path.exists() else []
        return [line for line in text if line.strip() and not line.startswith("#")]

    def read_fabric(self):
        fabric = json.loads((self.folder / "weft-fabric.json").read_text())
        self.switches = {int(node["guid"], 16) for node in fabric["nodes"] if node["type"] == "switch"}
        self.descriptions = {int(node["guid"], 16): node["description"] for node in fabric["nodes"]}
        self.aggregation_nodes = {int(node["guid"], 16) for node in fabric["nodes"] if node["type"] == "ca" and (
            node["device_id"] == 0xCF09 or node["description"].endswith("Mellanox Technologies Aggregation Node"))}
        self.peer, self.links, self.vls, self.endports, self.lids, self.owner = {}, {}, {}, {}, {}, {}
        for link in fabric["links"]:
            a, b = (int(link["a"], 16), link["a_port"]), (int(link["b"], 16), link["b_port"])
            self.peer[a], self.peer[b] = b, a
            self.links[a] = self.links[b] = link["width"], link["speed"]
        for node in fabric["nodes"]:
            for port in node["ports"]:
                end = int(node["guid"], 16), port["port"]
                self.vls[end] = port["data_vls"]
                if end[1] == 0 or end[0] not in self.switches and end in self.peer:
                    self.endports[int(port["guid"], 16)] = end
                    self.lids[end] = range(port["lid"], port["lid"] + (1 << port["lmc"])) if port["lid"] else ()
                    self.owner.update((lid, end) for lid in self.lids[end])


class Proof:
    def __init__(self, dumps):
        self.dumps, self.findings, self.counts = dumps, {}, collections.Counter()
        self.edges = {graph: set() for graph in GRAPHS}
        self.seen, self.lacking = set(), set()  # states of packets; ports that have too few VLs for the packets
        # entry: switch and input port of the packets of an endport. part: by switch, the lowest GUID of its connected part.
        self.entry = {end: end if end[1] == 0 else dumps.peer[end] for end in dumps.lids}
        neighbors = collections.defaultdict(set)
        for (a, _), (b, _) in dumps.peer.items():
            neighbors[a].add(b)
        self.part = {}
        for first in sorted(dumps.switches):
            todo = [first]
            while todo:
                if (switch := todo.pop()) in dumps.switches and switch not in self.part:
                    self.part[switch] = first
                    todo += neighbors[switch]
        if not any(port for _, port in dumps.lids):
            self.find("empty", "the fabric has no CA with a link and a LID")
        self.check_unicast()
        self.check_multicast()
        held = collections.defaultdict(set)
        for graph in GRAPHS:
            for a, b in self.edges[graph]:
                held[a].add(b)
            if cycle := find_cycle(held):
                self.find(f"deadlock.{graph}", " -> ".join(f"0x{s:x} port {p} VL {vl}" for s, p, vl in cycle))
                break

    def find(self, kind, text):
        self.counts[kind] += 1
        self.findings.setdefault(kind, text)

    def joined(self, a, b):
        return self.part[self.entry[a][0]] == self.part[self.entry[b][0]]

    def sl(self, source, lid, required=True):
        """The SL from a source to a LID. weft.psl has a row for each node; a second connected port of a CA has the SLs of its switch."""
        second = any((source[0], port) in self.dumps.lids for port in range(1, source[1]))
        found = self.dumps.sls.get((self.entry[source][0] if second else source[0], lid))
        if found is None and required:
            self.find("sl", f"weft.psl has no SL from 0x{source[0]:x} to LID {lid}")
        return found or 0

    def starts(self, lid):
        """By SL: the switches at which packets to the LID enter, each with its table for these packets. Replies to the owner of the LID are
        included."""
        dumps, owner, starts = self.dumps, self.dumps.owner[lid], collections.defaultdict(set)
        if not dumps.inputs:
            return {0: {(switch, 0) for switch in dumps.switches}}
        for source, (switch, input_port) in self.entry.items():
            if switch not in dumps.switches:
                continue
            for sl in {self.sl(source, lid, False), *(self.sl(owner, each, False) for each in dumps.lids[source])}:
                starts[sl].add((switch, dumps.table(switch, input_port, sl)))
        return starts

    def reach(self, lid):
        """The switches from which all packets arrive for every selection of ports, and the switches from which packets may loop."""
        arriving, loops = set(self.dumps.switches), set()
        for sl, states in self.starts(lid).items():
            good, bad = self.reach_on(lid, sl, states)
            arriving -= {switch for switch, _ in states - good}
            loops |= {switch for switch, _ in states & bad}
        return arriving, loops

    def reach_on(self, lid, sl, starts):
        """The pairs of switch and table from which packets with an SL arrive, and the pairs from which they may loop."""
        dumps, owner, after, before, arrives = self.dumps, self.dumps.owner[lid], {}, collections.defaultdict(list), {}
        todo = list(starts)
        while todo:
            if (state := todo.pop()) in after:
                continue
            switch, table = state
            after[state], good = [], True
            for port in dumps.choices(switch, table, lid):
                peer = dumps.peer.get((switch, port))
                if peer and peer[0] in dumps.switches:
                    to = (peer[0], dumps.table(*peer, sl))
                    after[state].append(to)
                    before[to].append(state)
                    todo.append(to)
                else:
                    good = good and ((switch, port) == owner or peer == owner)
            arrives[state] = good
        left = {state: len(nexts) for state, nexts in after.items()}
        ready = [state for state, count in left.items() if count == 0]
        for state in ready:  # the loop appends to this list
            arrives[state] = arrives[state] and all(arrives[n] for n in after[state])
            for previous in before[state]:
                left[previous] -= 1
                if left[previous] == 0:
                    ready.append(previous)
        return {state for state in ready if arrives[state]}, set(after) - set(ready)

    def check_unicast(self):
        dumps = self.dumps
        sls = collections.defaultdict(set)  # by (source, destination)
        for lid, owner in sorted(dumps.owner.items()):
            arriving, loops = self.reach(lid)
            for switch in loops:
                self.find("loop", f"packets for LID {lid} loop from switch 0x{switch:x}")
            for source in dumps.lids:
                if source == owner or source[1] == owner[1] == 0:
                    continue
                names = [("switch" if end[1] == 0 else "ca") for end in (source, owner)]
                self.counts["{}_to_{}.pairs".format(*names)] += 1
                sls[source, owner].add(self.sl(source, lid))
                self.counts["{}_to_{}.arrived".format(*names)] += self.entry[source][0] in arriving
                if not self.joined(source, owner):
                    self.counts["{}_to_{}.cut_off".format(*names)] += 1
                elif self.entry[source][0] not in arriving:
                    self.find("reach", f"packets from 0x{source[0]:x} to LID {lid} of 0x{owner[0]:x} do not arrive")
        for graph in ("ca", "switch"):
            pairs = [pair for pair in sls if (0 not in (pair[0][1], pair[1][1])) == (graph == "ca")]
            for source, owner in pairs:
                for lid in dumps.lids[owner]:
                    self.follow(source, lid, self.sl(source, lid), graph)
            for source, owner in pairs:
                for lid in dumps.lids[source]:
                    for sl in sls[source, owner]:
                        self.follow(owner, lid, sl, graph + "_reply")

    def lane(self, node, input_port, port, sl, what):
        """The output VL of a packet, or None if it is discarded. Records a finding if the link does not have the VL."""
        dumps, out = self.dumps, (node, port)
        peer = dumps.peer.get(out)
        if peer is None:
            return None
        row = (node, 0) if node in dumps.switches else out
        vls = dumps.maps.get((row, input_port, port if node in dumps.switches else 0))
        if vls is None:
            self.find("sl2vl", f"opensm-sl2vl.dump has no table from port {input_port} to port {port} of 0x{node:x}")
            return None
        if (vl := vls[sl]) == DROP:
            self.find("drop", f"{what}: port {port} of 0x{node:x} discards SL {sl} from port {input_port}")
            return None
        if vl >= (lanes := min(dumps.vls[out], dumps.vls[peer])):
            self.find("lane", f"{what}: VL {vl} on port {port} of 0x{node:x}, which has {lanes} data VLs with its peer")
            self.lacking.add(out)
        return vl

    def follow(self, source, lid, sl, graph):
        """Adds the dependencies of the packets from a source to a LID."""
        dumps, what = self.dumps, f"{graph}: packets from 0x{source[0]:x} to LID {lid}"
        if source[1] != 0:
            self.lane(source[0], 0, source[1], sl, what)
        todo = [(*self.entry[source], None)]
        while todo:
            switch, input_port, held = todo.pop()
            for port in dumps.choices(switch, dumps.table(switch, input_port, sl), lid):
                vl = self.lane(switch, input_port, port, sl, what) if port else None
                if vl is None or dumps.peer[switch, port][0] not in dumps.switches:
                    continue
                wanted = (switch, port, vl)
                if held:
                    self.edges[graph].add((held, wanted))
                if (wanted, lid, sl) not in self.seen:
                    self.seen.add((wanted, lid, sl))
                    todo.append((*dumps.peer[switch, port], wanted))

    def check_multicast(self):
        """Checks that each member receives exactly one copy from each other member and from each send-only endport."""
        dumps = self.dumps
        for mlid in sorted({*dumps.mfts, *dumps.groups}):
            mfts = dumps.mfts.get(mlid, {})
            implied = [end for end in dumps.lids if self.entry[end][1] in mfts.get(self.entry[end][0], ())]
            members, senders = dumps.groups.get(mlid, (implied, []))
            for source in [*members, *senders]:
                copies = self.flood(source, mlid, mfts)
                for member in members:
                    wanted = source != member and self.joined(source, member)
                    self.counts["copies.wanted"] += source != member
                    self.counts["copies.arrived"] += source != member and copies[member] > 0
                    if copies[member] != 1 if wanted else copies[member] > 1:
                        self.find("copies", f"0x{member[0]:x} gets {copies[member]} copies from 0x{source[0]:x} to 0x{mlid:X}")

    def flood(self, source, mlid, mfts):
        dumps, copies, sl = self.dumps, collections.Counter(), self.dumps.multicast_sls.get(mlid, 0)
        what = f"multicast 0x{mlid:X} from 0x{source[0]:x}"
        if source[1] != 0:
            self.lane(source[0], 0, source[1], sl, what)
        todo, passed = [(*self.entry[source], None)], set()
        while todo:
            switch, input_port, held = todo.pop()
            for port in mfts.get(switch, ()):
                if port == input_port:
                    continue
                if port == 0:
                    copies[switch, 0] += 1
                    continue
                if (vl := self.lane(switch, input_port, port, sl, what)) is None:
                    continue
                if (peer := dumps.peer[switch, port])[0] not in dumps.switches:
                    copies[peer] += 1
                    continue
                wanted = (switch, port, vl)
                if held:
                    self.edges["multicast" if source[1] else "switch"].add((held, wanted))
                if (switch, port) in passed:
                    self.find("copies", f"{what}: a second copy leaves switch 0x{switch:x} by port {port}")
                else:
                    passed.add((switch, port))
                    todo.append((*peer, wanted))
        return copies


def single_sls(dumps):
    """The SLs on which all unicast traffic, regardless of weft.psl, has no credit loop and no discarded packet."""
    sls = []
    for sl in range(16):
        same = copy.copy(dumps)
        same.sls = dict.fromkeys(dumps.sls, sl)
        proof = Proof(same)
        if not proof.lacking and not any(kind.startswith(("deadlock", "drop")) for kind in proof.findings):
            sls.append(sl)
    return sls


def find_cycle(held):
    """Vertices of a cycle, or an empty list. `held` maps a vertex to the vertices that its packets wait for."""
    waiting = collections.Counter(a for a, nexts in held.items() for _ in nexts)
    before = collections.defaultdict(list)
    for a, nexts in held.items():
        for b in nexts:
            before[b].append(a)
    ready = [b for b in before if not waiting[b]]
    for b in ready:  # the loop appends to this list
        for a in before[b]:
            waiting[a] -= 1
            if waiting[a] == 0:
                ready.append(a)
    path, at = [], next((a for a, count in sorted(waiting.items()) if count > 0), None)
    while at is not None and at not in path:
        path.append(at)
        at = next(b for b in sorted(held[at]) if waiting[b] > 0)
    return path[path.index(at):] if path else []


def main():
    proof = Proof(Dumps(sys.argv[1]))
    for kind, text in proof.findings.items():
        print(f"{kind} ({proof.counts[kind]}): {text}")
    if proof.counts["ca_to_ca.cut_off"]:
        print(f"{proof.counts['ca_to_ca.cut_off']} pairs of CAs are not connected by cables")
    print("FAIL: " + ", ".join(proof.findings) if proof.findings else "PASS")
    return 1 if proof.findings else 0


if __name__ == "__main__":
    sys.exit(main())
