# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics."""
import os
import typing
import warnings

import numpy

from . import _weft
from ._errors import InputWarning, UsageError, reading, text_of

#: Names of the values of the field "speed" of Fabric.ports.
SPEEDS = ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR")
#: Names of the values of the field "width" of Fabric.ports.
WIDTHS = {1: "1x", 16: "2x", 2: "4x", 4: "8x", 8: "12x"}
#: The value of an id if there is no port, switch or endport.
NONE = 0xFFFFFFFF

_KINDS = {1: "ca", 2: "switch", 3: "router"}


class Node(typing.NamedTuple):
    """A switch, channel adapter or router.

    id: its index in Fabric.nodes; name: the node description; kind: "switch", "ca" or "router"; ports: number of ports,
    without port 0 of a switch.
    """

    id: int
    name: str
    kind: str
    guid: int
    system_guid: int
    ports: int
    vendor_id: int
    device_id: int


class Fabric:
    """An immutable fabric: nodes, ports, channels (the directions of the cables between switches) and endports (ports with LIDs).

    Switches come first among the nodes and endports, both by ascending GUID: the switch with node id s has endport id s.
    Made by load(), parse(), generate() and from_networkx().
    """

    def __init__(self, native, name, format="", warnings=()):
        self._native = native
        #: The path of the file, the spec, the name of the text of parse(), or the name of the graph.
        self.name = name
        #: The format of the file, "generated" or "networkx".
        self.format = format
        #: Irregularities in the file, each as "FILE:LINE: TEXT".
        self.warnings = tuple(warnings)
        (self._node_count, self._switch_count, self._channel_count, self._endport_count, self._link_count,
         self._switch_link_count, self._lid_top) = native.counts()
        self._nodes = None
        self._by_name = None

    @property
    def node_count(self):
        """Number of nodes: switches, then CAs and routers."""
        return self._node_count

    @property
    def switch_count(self):
        """Number of switches."""
        return self._switch_count

    @property
    def ca_count(self):
        """Number of channel adapters and routers."""
        return self._node_count - self._switch_count

    @property
    def link_count(self):
        """Number of cables."""
        return self._link_count

    @property
    def switch_link_count(self):
        """Number of cables between switches."""
        return self._switch_link_count

    @property
    def channel_count(self):
        """Number of channels: two for each cable between two different switches."""
        return self._channel_count

    @property
    def endport_count(self):
        """Number of endports."""
        return self._endport_count

    @property
    def lid_top(self):
        """The highest unicast LID in use; 0 without LIDs."""
        return self._lid_top

    @property
    def nodes(self):
        """The nodes by id: a tuple of Node."""
        if self._nodes is None:
            self._nodes = tuple(Node(i, text_of(name), _KINDS[kind], guid, system, ports, vendor, device)
                                for i, (name, guid, system, kind, ports, vendor, device) in enumerate(self._native.nodes()))
        return self._nodes

    @property
    def ports(self):
        """The ports of all nodes, port 0 included: a read-only structured array without a copy.

        Fields: node, port, guid, peer (index of the port at the other end of the cable, or NONE), width (see WIDTHS), speed (index
        in SPEEDS), mtu (1 to 5: 256 to 4096 bytes), data_vls, lid, lmc.
        """
        return self._native.ports()

    @property
    def channels(self):
        """The channels: a read-only structured array without a copy.

        Fields: from and to (switches), from_port and to_port, reverse (index of the other direction). Sorted by from and from_port.
        """
        return self._native.channels()

    @property
    def rates(self):
        """Data rate of each channel in Gbit/s: a float64 array [channels]."""
        return self._native.rates()

    @property
    def endports(self):
        """The endports: a read-only structured array without a copy.

        Fields: port (index in ports), node, switch (that it is cabled to, or NONE), switch_port, lid (base LID; 0: none), lmc. The
        endport has the 2**lmc LIDs from lid on.
        """
        return self._native.endports()

    @property
    def hosts(self):
        """Ids of the endports of CAs and routers that packets can be sent to: a uint32 array."""
        return self._native.hosts()

    def node(self, which):
        """The Node with this id, name, or GUID as "0x..". Raises UsageError if no node or more than one node has this name."""
        if isinstance(which, Node):
            which = which.id
        if isinstance(which, str):
            return self.nodes[self._find_node(which)]
        index = _index(which, self._node_count, "node")
        return self.nodes[index]

    def endport(self, which):
        """The id of an endport.

        which: the id; the name of a node; NAME:PORT for another port than the first; the GUID of a node or port as "0x..". Raises
        UsageError if there is no such endport.
        """
        if isinstance(which, Node):
            return self._endport_of_node(which.id)
        if not isinstance(which, str):
            return _index(which, self._endport_count, "endport")
        if _is_guid(which):
            guid = int(which, 16)
            found = numpy.flatnonzero(self.ports["guid"][self.endports["port"]] == guid)
            return int(found[0]) if len(found) else self._endport_of_node(self._find_node(which))
        name, colon, port = which.rpartition(":")
        if colon and port.isdigit() and which not in self._names():
            return self._endport_of_node(self._find_node(name), int(port))
        return self._endport_of_node(self._find_node(which))

    def endport_of_lid(self, lid):
        """The id of the endport that has this LID, or None."""
        found = self._native.endport_of_lid(_index(lid, 0x10000, "LID"))
        return None if found == NONE else found

    def with_lids(self, lmc=0, reassign=False):
        """The same fabric with 2**lmc LIDs for each endport of a CA or router.

        Valid LIDs are kept unless `reassign`. Raises InputError if the unicast LIDs do not suffice.
        """
        return self._derived(self._native.with_lids(lmc, reassign))

    def without(self, nodes=(), links=()):
        """The fabric after failures: without these nodes and cables. Ids change; GUIDs and LIDs do not change.

        nodes: as for node(); links: pairs (node, port), each one end of a cable. A CA of a failed switch remains, without a cable.
        Raises UsageError for unknown nodes and ports, and if no node remains.
        """
        dead = sorted({self.node(which).id for which in nodes})
        if len(dead) >= self._node_count:
            raise UsageError(f"without(): {len(dead)} of {self._node_count} nodes: expected at least one to remain")
        begin = numpy.searchsorted(self.ports["node"], numpy.arange(self._node_count))
        cut = []
        for which, port in links:
            node = self.node(which)
            if not 1 <= port <= node.ports:
                raise UsageError(f"without(): port {port} of '{node.name}': expected 1 to {node.ports}")
            cut.append(int(begin[node.id]) + port)
        return self._derived(self._native.without(dead, cut))

    def distances(self):
        """Number of cables on the shortest paths between switches: a uint8 array [switches, switches].

        255: not connected; 254: 254 or more.
        """
        return self._native.distances()

    def topology(self):
        """The recognized topology as text, such as "a tree of 3 levels"."""
        return self._native.topology()

    def to_text(self, format):
        """The fabric in a file format of write_formats(), as text. Raises UsageError for an unknown format."""
        return text_of(self._native.text(format))

    def write(self, path, format=""):
        """Writes the fabric to a file, atomically. format: one of write_formats(); by default from the ending of the path.

        Raises UsageError for an unknown format, EnvironmentFailure if the file cannot be written.
        """
        self._native.write(os.fsencode(path), format)

    def empty_tables(self):
        """Forwarding tables without routes for an engine to fill: a uint8 array [switches, lid_top + 1] of 255."""
        return numpy.full((self._switch_count, self._lid_top + 1), 255, numpy.uint8)

    def route(self, engine="auto", *, fallback=False, roots=None, compute_nodes=None, io_nodes=None, order=None, verify="warn",
              progress=None, **options):
        """Routes the fabric and returns Routes.

        engine: a name of engines(), "auto", the path of a shared object, an Engine, a function of (fabric, request), or a list of
        these, which are tried in order. fallback: whether to try nue after the last engine, as the command line does. roots (switches),
        compute_nodes, io_nodes and order (endports): lists in place of the files of the options with these names. verify: "warn"
        reports routes that fail verification, "enforce" tries the next engine, "off" does not verify. progress: a function that is
        called with the name of each engine when the engine begins. options: the options of `weft route`, with "_" for "-", such as
        lmc=1, seed=2, threads=4, objective="shift", replies="ignore", hop_weights_file="weights"; see routing_options().

        Raises UnroutableError if no engine routes the fabric, UsageError for an invalid option, InputError for an invalid file,
        TypeError for an unknown option, and the exceptions of engines in Python.
        """
        from . import _routes
        return _routes.route(self, engine, fallback, {"roots": roots, "compute_nodes": compute_nodes, "io_nodes": io_nodes,
                                                      "order": order}, verify, progress, options)

    def draw(self, loads=None, title="", name="load"):
        """A Picture of the fabric with its cables coloured by load.

        loads: the load of each channel, such as Routes.loads(); by default 0. name: the name of the loads in the legend.
        """
        from ._pictures import draw
        return draw(self, loads, title, name)

    def to_networkx(self, hosts=True):
        """The fabric as a networkx.MultiGraph: see weft.to_networkx()."""
        from ._graph import to_networkx
        return to_networkx(self, hosts)

    def __repr__(self):
        return f"<weft.Fabric {self.name}: {self.switch_count} switches, {self.ca_count} CAs, {self.link_count} links>"

    def _derived(self, native):
        return Fabric(native, self.name, self.format, self.warnings)

    def _names(self):
        if self._by_name is None:
            self._by_name = {}
            for node in self.nodes:
                self._by_name.setdefault(node.name, []).append(node.id)
        return self._by_name

    def _find_node(self, text):
        found = self._names().get(text, [])
        if not found and _is_guid(text):
            found = [node.id for node in self.nodes if node.guid == int(text, 16)]
        if len(found) != 1:
            what = "no node has this name or GUID" if not found else f"{len(found)} nodes have this name; use the GUID"
            raise UsageError(f"node '{text}': {what}")
        return found[0]

    def _endport_of_node(self, node, port=None):
        endports = self.endports
        found = numpy.flatnonzero(endports["node"] == node)
        if port is not None:
            found = [i for i in found if self.ports["port"][endports["port"][i]] == port]
        else:
            found = [i for i in found if endports["switch"][i] != NONE] or found
        if len(found) == 0:
            raise UsageError(f"node '{self.nodes[node].name}': no endport" + ("" if port is None else f" at port {port}"))
        return int(found[0])


def _is_guid(text):
    return text[:2].lower() == "0x" and all(digit in "0123456789abcdefABCDEF" for digit in text[2:]) and len(text) > 2


def _index(which, count, what):
    try:
        index = which.__index__()
    except AttributeError:
        raise TypeError(f"{what} {which!r}: expected a number or a name") from None
    if not 0 <= index < count:
        raise UsageError(f"{what} {index}: expected 0 to {count - 1}")
    return index


def _loaded(native, format, lines, name):
    texts = [text_of(line) for line in lines]
    for text in texts:
        warnings.warn(text, InputWarning, stacklevel=3)
    return Fabric(native, name, format, texts)


def load(path, *, format="", ibnl_dir="", lmc=0):
    """Reads a fabric from a file in any format of read_formats(), also gzipped.

    format: by default the format that the content has. ibnl_dir: folder of .ibnl definitions for .topo files. lmc: each endport
    gets 2**lmc LIDs, and valid LIDs of the file are kept, as in `weft route --lmc`; None: the LIDs of the file do not change.
    Irregularities cause InputWarnings and are listed in Fabric.warnings.

    Raises InputError with file and line for invalid content, EnvironmentFailure if the file cannot be read, UsageError for an
    unknown format.
    """
    name = os.fsdecode(path)
    with reading(name):
        return _loaded(*_weft.load(os.fsencode(path), format, os.fsencode(ibnl_dir), lmc), name)


def parse(text, *, name="<text>", format="", ibnl_dir="", lmc=0):
    """Like load(), for text in memory. name: the path in messages."""
    with reading(name):
        return _loaded(*_weft.parse(text, name, format, os.fsencode(ibnl_dir), lmc), name)


def generate(spec, *, lmc=0):
    """Generates a fabric from a spec such as "fattree3:k=16"; generators() lists the generators. lmc: see load().

    Raises UsageError; the message has the column, the value found and the value expected.
    """
    return Fabric(_weft.generate(spec, lmc), spec, "generated")
