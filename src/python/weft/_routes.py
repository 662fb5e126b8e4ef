# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes: tables, paths, loads, verdict and quality."""
import json
import numbers
import os
import shutil
import typing
import warnings as python_warnings

from . import _weft
from ._engine import checked, name_of
from ._errors import InputWarning, UnroutableError, UsageError, reading, text_of
from ._fabric import Fabric, _index, load
from ._reports import Quality, Verdict


class Path(typing.NamedTuple):
    """The path of packets, switch by switch.

    switches: uint32 array; ports: uint8 array, the output port of each switch (255: no route; 0: the switch itself); channels: uint32
    array, the channels between the switches; vls: uint8 array, the VL on the output port of each switch; sl: service level; end: "arrived", "no
    route", "port without a cable", "ends at another endport" or "loop".
    """

    switches: object
    ports: object
    channels: object
    vls: object
    sl: int
    end: str

    @property
    def arrives(self):
        """Whether packets arrive."""
        return self.end == "arrived"

    @property
    def hops(self):
        """Number of cables between switches."""
        return len(self.channels)


class Lane(typing.NamedTuple):
    """Use of a virtual lane.

    paths: number of paths that use the lane on any channel; hops: sum over these paths of the channels on which the path uses the lane;
    load_max: largest number of these paths on one channel.
    """

    paths: int
    hops: int
    load_max: int


class Failure(typing.NamedTuple):
    """The effect of a failure, as a row of `weft simulate --failures`.

    name; switches: ids of failed switches; channels: one channel of each failed cable; routed: whether an engine routes the remaining
    fabric (if not, only pairs_cut of the following fields is valid); pairs_cut: ordered pairs of hosts with a path over a failed cable or
    switch; pairs_lost: pairs without any path; ebb_left, alltoall_left, shift_worst_left: effective bisection, all to all and worst
    shift of the remaining hosts, 0 to 1; link_load_max: number of paths over the most loaded channel; blocks: number of forwarding-table blocks to rewrite; vls; engine; credit_loop; seconds:
    time to route on one thread.
    """

    name: str
    switches: list
    channels: list
    routed: bool
    pairs_cut: int
    pairs_lost: int
    ebb_left: float
    alltoall_left: float
    shift_worst_left: float
    link_load_max: int
    blocks: int
    vls: int
    engine: str
    credit_loop: bool
    seconds: float


class Routes:
    """Forwarding tables of a fabric with the SLs and VLs of its paths. Immutable. Made by Fabric.route(), load_routes(),
    load_dump() and make_routes()."""

    def __init__(self, native, fabric, report=None, verdict=None, engines=(), warnings=()):
        self._native = native
        #: The Fabric for which the routes were computed; the tables have the LIDs of this Fabric.
        self.fabric = fabric
        self._report = report or {}
        self._verdict = verdict
        self._engines = tuple(engines)
        self._network = None
        self._engine, self._vls, self._adaptive = native.facts()
        #: Remarks about options, files and the routes.
        self.warnings = tuple(self._report.get("warnings", warnings))

    @property
    def engine(self):
        """The name of the engine that computed the routes; "file" for routes of load_routes()."""
        return self._engine

    @property
    def vls(self):
        """Number of data VLs in use."""
        return self._vls

    @property
    def is_adaptive(self):
        """Whether switches select among several output ports: see choices()."""
        return self._adaptive

    @property
    def choice(self):
        """With engine="auto", the selected engine and the reason; otherwise None."""
        return self._report.get("choice")

    @property
    def failed_engines(self):
        """The engines that failed before an engine succeeded: a list of pairs of name and reason."""
        return [(attempt["engine"], attempt["reason"]) for attempt in self._report.get("fallbacks", [])]

    @property
    def notes(self):
        """Remarks of the engine."""
        return tuple(self._report.get("notes", ()))

    @property
    def seconds(self):
        """Seconds of the engine, without verification; 0 for routes that Fabric.route() did not compute."""
        return self._report.get("seconds", {}).get("route", 0.0)

    @property
    def lfts(self):
        """The forwarding tables: output port by switch and LID, a read-only uint8 array [switches, lid_top + 1] without a copy.

        255: no route; 0: the switch has the LID itself. The array keeps the routes alive.
        """
        return self._native.lfts()

    def choices(self, switch, lid, input_port=0, sl=0):
        """The output ports from which a switch selects for a LID, the port of lfts first; several only with adaptive routing.

        input_port, sl: the port by which packets enter the switch, and their SL; only private tables depend on them. Packets of the switch
        itself have input port 0.
        """
        return self._native.choices(self._switch(switch), _index(lid, 0x10000, "LID"), _index(input_port, 256, "input port"), _index(sl, 16, "SL"))

    def sl2vl(self, switch):
        """VL by input port, output port and SL: a uint8 array [ports + 1, ports + 1, 16]."""
        return self._native.sl2vl(self._switch(switch))

    def path(self, source, destination, lid_offset=0):
        """The Path from one endport to another. Fabric.endport() lists the forms of source and destination.

        lid_offset: the LID of the destination minus its base LID, less than 2**lmc. The field end of a path that does not arrive has
        the reason. Raises UsageError for unknown endports, for endports without a cable to a switch, and for an invalid offset.
        """
        start = self.fabric.endport(source)
        end = self.fabric.endport(destination)
        entry = self.fabric.endports[end]
        offset = _index(lid_offset, 1 << int(entry["lmc"]), "LID offset")
        return Path(*self._native.path(start, int(entry["lid"]) + offset))

    def hops(self):
        """Number of cables on the path from each switch to each LID, with the cable of the host: a uint8 array [switches, lid_top + 1].

        255: unreachable; 254: 254 or more.
        """
        return self._native.hops()

    def loads(self, threads=0):
        """Number of paths over each channel: a uint64 array [channels]. The paths are those of all ordered pairs of hosts, to base LIDs."""
        return self._native.loads(threads)[0]

    def lanes(self, threads=0):
        """The use of each virtual lane: a list of 16 Lane."""
        return [Lane(*lane) for lane in self._native.loads(threads)[1]]

    def verify(self, *, threads=0, replies="count", multicast=""):
        """Verifies the routes and returns a Verdict: reachability, loops, VLs that links do not have, credit loops.

        replies: "count", or "ignore" for one-way traffic. multicast: a file of multicast groups. Raises InputError for an invalid file.
        """
        if replies not in ("count", "ignore"):
            raise UsageError(f"replies: found {replies!r}, expected count or ignore")
        if self._verdict and not multicast and self._verdict.replies == {"count": "counted", "ignore": "ignored"}[replies]:
            return self._verdict
        data, text, lines = self._native.verify(threads, replies == "ignore", os.fsencode(multicast))
        _warn(lines)
        return Verdict(json.loads(data), text_of(text))

    def quality(self, *, seed=0, matchings=100, bound=True, patterns=False, threads=0):
        """Measures the routes and returns their Quality: hops, link loads, effective bisection, all to all.

        seed: seed of the random matchings; matchings: their number. bound: whether to compute the lower bound of the largest load.
        patterns: whether to measure shifts, the worst permutation and the paths to all LIDs, as `weft route --patterns` does.
        """
        data, text = self._native.quality(threads, seed, matchings, bound, patterns)
        return Quality(json.loads(data), text_of(text))

    def simulate(self, pattern="bisect", **arguments):
        """Simulates traffic on the routes: weft.simulate(routes, pattern, ...)."""
        from ._simulation import simulate
        return simulate(self, pattern, **arguments)

    def failures(self, size=1, *, trials=0, victims="cables", matchings=100, seed=0, threads=0, progress=None):
        """The effect of failures: a list of Failure, the worst first, as `weft simulate --failures` computes it.

        size: number of concurrent failures; trials: number of random sets of failures, or 0 for every single failure; victims: "cables",
        "switches" or "both". The remaining fabric is routed with the engines and options of these routes. progress: a function that is
        called with the number of failures done and their total. Raises UsageError for routes that Fabric.route() did not compute, and if
        there are fewer than `size` cables or switches.
        """
        if not _weft.is_routed_by_engine(self._native):
            raise UsageError("failures(): the routes are not of an engine: expected those of Fabric.route()")
        if victims not in ("cables", "switches", "both"):
            raise UsageError(f"victims: found {victims!r}, expected cables, switches or both")
        pairs = self.verify().ca_to_ca["arrived"]
        rows = _weft.failures(self._native, size, trials, victims, matchings, pairs, seed, threads, list(self._engines), progress)
        return [Failure(**{**row, "name": text_of(row["name"])}) for row in rows]

    def write(self, folder, *, psl=False):
        """Writes the dumps of `weft route -o`: forwarding tables, SLs, SL2VL and the fabric. psl: whether to write weft.psl for large fabrics, too.

        Raises EnvironmentFailure; the message names the first file that could not be written.
        """
        self._native.write(os.fsencode(folder), psl)

    def write_graph(self, path):
        """Writes the routed graph for ORCS, as `weft route --dot`."""
        self._native.write_graph(os.fsencode(path))

    def draw(self, title="", threads=0):
        """A Picture of the fabric with its cables coloured by the number of paths."""
        return self.fabric.draw(self.loads(threads), title or f"{self.fabric.name}: {self.engine}", "paths")

    def _simulated(self):
        """The network of the simulator."""
        if self._network is None:
            self._network = _weft.network_of_routes(self._native)
        return self._network

    def to_dict(self):
        """The report of `weft route --json` without the quality."""
        return dict(self._report)

    def __eq__(self, other):
        return self._native == other._native if isinstance(other, Routes) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return f"<weft.Routes of {self.fabric.name} by {self.engine}, {self.vls} VL{'' if self.vls == 1 else 's'}>"

    def _switch(self, which):
        node = self.fabric.node(which)
        if node.kind != "switch":
            raise UsageError(f"node '{node.name}': found a {node.kind}, expected a switch")
        return node.id


def _warn(lines):
    for line in lines:
        python_warnings.warn(text_of(line), InputWarning, stacklevel=3)


def _value(name, value):
    """The text of an option's value."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    raise TypeError(f"option {name}: found {value!r}, expected text, a number, a path or a bool")


def _use_program():
    """Selects the program `weft`, which runs engines in shared objects. Raises UsageError if it is not found."""
    program = os.environ.get("WEFT") or shutil.which("weft")
    if not program:
        raise UsageError("an engine in a shared object needs the program weft: found none in PATH, nor in the variable WEFT")
    _weft.set_engine_program(program)


def _name_besides(name, engines):
    """The name, with a number if another engine has the same name."""
    taken = sum(other == name or other.startswith(f"{name} (") for other, _ in engines)
    return f"{name} ({taken + 1})" if taken else name


def route(fabric, engine, fallback, nodes, verify, progress, options):
    """Implements Fabric.route()."""
    names, own = [], []
    for one in engine if isinstance(engine, (list, tuple)) else [engine]:
        if not isinstance(one, str):
            own.append((_name_besides(name_of(one), own), one))
            names.append((own[-1][0], True))
            continue
        if "/" in one:
            _use_program()
        names.append((one, False))
    if not names:
        raise UsageError("engine: found no engine, expected a name, an Engine, a function, or a list of these")
    lmc = options.get("lmc")
    if lmc is not None:
        fabric = fabric.with_lids(lmc)
    elif (fabric.endports["lid"] == 0).any():
        fabric = fabric.with_lids(int(fabric.endports["lmc"].max(initial=0)))
    options = {"lmc": int(fabric.endports["lmc"].max(initial=0)), "verify": verify, **options}
    texts = [(name, _value(name, value)) for name, value in options.items() if value is not None]
    switches = None if nodes["roots"] is None else [_root(fabric, which) for which in nodes["roots"]]
    endports = [None if nodes[name] is None else [fabric.endport(which) for which in nodes[name]]
                for name in ("compute_nodes", "io_nodes", "order")]
    native, report, verdict_text = _weft.route(fabric._native, texts, names, own, fallback, switches, *endports, progress)
    report = json.loads(report)
    verdict = Verdict(report["verify"], text_of(verdict_text)) if report["verify"] else None
    return Routes(native, fabric, report, verdict, own)


def _root(fabric, which):
    node = fabric.node(which)
    if node.kind != "switch":
        raise UsageError(f"roots: node '{node.name}': found a {node.kind}, expected a switch")
    return node.id


def load_routes(fabric, lfts, *, psl="", slvl="", ar="", mfts="", msl=""):
    """Reads the tables of any subnet manager for a fabric and returns Routes. The formats are those of `weft verify`.

    lfts: forwarding tables; psl: SL of each path; slvl: SLtoVL tables; ar: adaptive-routing groups; mfts: multicast tables; msl: SLs of
    multicast LIDs. Entries of unknown switches, LIDs and ports cause InputWarnings. Raises InputError with file and line.
    """
    files = [os.fsencode(path) for path in (lfts, psl, slvl, ar, mfts, msl)]
    with reading(os.fspath(lfts)):
        native, lines = _weft.load_routes(fabric._native, *files)
    _warn(lines)
    return Routes(native, fabric, warnings=[text_of(line) for line in lines])


def make_routes(fabric, tables, name="tables"):
    """Routes with exactly these tables, for verification and measurement; Fabric.route() would complete them.

    tables: Tables, or only the array of forwarding tables. name: the engine in reports. Raises InputError and UnroutableError as
    for the tables of an Engine.
    """
    return Routes(_weft.routes_of_tables(fabric._native, checked(name, fabric, tables)), fabric)


def load_dump(folder):
    """Reads the fabric and the routes of a dump folder of `weft route -o` or `weft sm`; returns Routes.

    Raises InputError if the folder has no fabric or no forwarding tables.
    """
    with reading(os.fspath(folder)):
        files = _weft.dump_files(os.fsencode(folder))
    fabric = load(files.pop("fabric"), lmc=None)
    return load_routes(fabric, files.pop("lfts"), **files)
