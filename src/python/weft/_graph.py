# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics as graphs of NetworkX."""
import numpy

from . import _weft
from ._errors import InputError
from ._fabric import NONE, SPEEDS, WIDTHS, Fabric, _KINDS

_NUMBERS = {kind: number for number, kind in _KINDS.items()}


def to_networkx(fabric, hosts=True):
    """The fabric as a networkx.MultiGraph.

    Nodes are node ids with the attributes name, kind ("switch", "ca" or "router"), guid and ports. There is an edge for each cable,
    with the attributes ends (two pairs of node and port), width, speed and, between different switches, rate (Gbit/s, after line
    coding). hosts: True: with CAs and routers; False: switches only.
    """
    import networkx
    graph = networkx.MultiGraph(name=fabric.name)
    count = fabric.node_count if hosts else fabric.switch_count
    for node in fabric.nodes[:count]:
        graph.add_node(node.id, name=node.name, kind=node.kind, guid=node.guid, ports=node.ports)
    ports = fabric.ports
    node, number, width, speed, peer = (ports[field].tolist() for field in ("node", "port", "width", "speed", "peer"))
    rates = dict(zip(zip(fabric.channels["from"].tolist(), fabric.channels["from_port"].tolist()), fabric.rates.tolist()))
    # Each cable is added once, from its port with the lower index.
    for one in numpy.flatnonzero((ports["peer"] != NONE) & (ports["peer"] > numpy.arange(len(ports)))).tolist():
        other = peer[one]
        ends = ((node[one], number[one]), (node[other], number[other]))
        if max(node[one], node[other]) >= count:
            continue
        attributes = {"ends": ends, "width": WIDTHS[width[one]], "speed": SPEEDS[speed[one]]}
        if ends[0] in rates:
            attributes["rate"] = rates[ends[0]]
        graph.add_edge(node[one], node[other], **attributes)
    return graph


def _node_of(graph, key, data):
    kind = data.get("kind", "switch")
    if kind not in _NUMBERS:
        raise InputError(f"node {key!r}: kind: found {kind!r}, expected switch, ca or router", "bad_input")
    return str(data.get("name", key)), _NUMBERS[kind]


class _Ports:
    """Port numbers of one node: the numbers in the graph, and the lowest free numbers for other cables."""

    def __init__(self, key):
        self.key, self.taken, self.next = key, set(), 1

    def take(self, port):
        if not isinstance(port, (int, numpy.integer)) or not 1 <= port <= 254:
            raise InputError(f"node {self.key!r}: port: found {port!r}, expected 1 to 254", "bad_input")
        self.taken.add(int(port))
        return int(port)

    def free(self):
        while self.next in self.taken:
            self.next += 1
        return self.take(self.next)


def _given_ports(ends, a, b):
    """The two ports of an edge, in the order of its nodes; None for a port without a number in the graph."""
    if ends is None:
        return None, None
    try:
        (one, one_port), (other, other_port) = ends
    except (TypeError, ValueError):
        one = other = None
    if (one, other) == (a, b):
        return one_port, other_port
    if (one, other) == (b, a):
        return other_port, one_port
    raise InputError(f"edge {a!r} to {b!r}: ends: found {ends!r}, expected (({a!r}, PORT), ({b!r}, PORT))", "bad_input")


def from_networkx(graph, *, hosts=0, speed="EDR", width="4x", lmc=0):
    """A Fabric from an undirected graph of NetworkX, with or without parallel edges.

    Node attributes: kind ("switch" by default, "ca" or "router"), name (by default the node itself), guid and ports (number of ports).
    Edge attributes: ends (see to_networkx()), speed and width. Missing port numbers are the lowest free numbers. Missing GUIDs ascend in
    the order of the nodes. hosts: number of CAs to add to every switch. lmc: see load().

    Raises InputError; the message names the node or the edge.
    """
    if graph.is_directed():
        raise InputError(f"graph '{graph.name}': found a directed graph, expected an undirected one", "bad_input")
    place = {key: index for index, key in enumerate(graph.nodes)}
    drafts = [_node_of(graph, key, data) for key, data in graph.nodes(data=True)]
    ports = [_Ports(key) for key in graph.nodes]
    edges = []
    for a, b, data in graph.edges(data=True):
        given = _given_ports(data.get("ends"), a, b)
        taken = [port if port is None else ports[place[key]].take(port) for key, port in zip((a, b), given)]
        edges.append((place[a], place[b], taken, str(data.get("width", width)), str(data.get("speed", speed))))
    cables = [(a, ports[a].free() if taken[0] is None else taken[0], b, ports[b].free() if taken[1] is None else taken[1], wide, fast)
              for a, b, taken, wide, fast in edges]
    counts = []
    for (key, data), used in zip(graph.nodes(data=True), ports):
        counts.append(_port_count(key, data.get("ports"), used, hosts if data.get("kind", "switch") == "switch" else 0))
    nodes = [(name, kind, _guid(key, data.get("guid", 0)), count)
             for (name, kind), (key, data), count in zip(drafts, graph.nodes(data=True), counts)]
    for index in [index for index, draft in enumerate(drafts) if draft[1] == _NUMBERS["switch"]]:
        for _ in range(hosts):
            cables.append((index, ports[index].free(), len(nodes), 1, width, speed))
            nodes.append((f"host-{len(nodes) - len(drafts) + 1}", _NUMBERS["ca"], 0, 1))
    return Fabric(_weft.build(nodes, cables, lmc), str(graph.name) or "graph", "networkx")


def _port_count(key, wanted, used, hosts):
    needed = max(max(used.taken, default=0), len(used.taken) + hosts)
    if needed > 254:
        raise InputError(f"node {key!r}: found {needed} ports in use, expected at most 254", "bad_input")
    if wanted is None:
        return max(needed, 1)
    if not isinstance(wanted, (int, numpy.integer)) or not needed <= wanted <= 254:
        raise InputError(f"node {key!r}: ports: found {wanted!r}, expected {max(needed, 1)} to 254", "bad_input")
    return int(wanted)


def _guid(key, guid):
    if not isinstance(guid, (int, numpy.integer)) or not 0 <= guid < 1 << 64:
        raise InputError(f"node {key!r}: guid: found {guid!r}, expected a number of 64 bits", "bad_input")
    return int(guid)
