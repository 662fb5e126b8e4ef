# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Types of the package; docs/reference/python.md describes it. A test compares names and parameters with the package.
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import networkx
import numpy
from numpy.typing import ArrayLike, NDArray

_Path = str | os.PathLike[str]
_Progress = Callable[[int, int], object]
_Structured = NDArray[numpy.void]
_Function = Callable[["Fabric", "Request"], "Tables | ArrayLike"]
_Engine = str | "Engine" | _Function

__version__: str
NONE: int
SPEEDS: tuple[str, ...]
WIDTHS: dict[int, str]

class Error(Exception):
    message: str
    code: str
    file: str | None
    line: int | None
    column: int | None
    def __init__(self, message: str, code: str = "usage", file: str | None = None, line: int | None = None,
                 column: int | None = None) -> None: ...

class UsageError(Error, ValueError): ...
class InputError(Error, ValueError): ...
class UnroutableError(Error): ...
class EnvironmentFailure(Error): ...
class InputWarning(UserWarning): ...

class Node(NamedTuple):
    id: int
    name: str
    kind: str
    guid: int
    system_guid: int
    ports: int
    vendor_id: int
    device_id: int

class Fabric:
    name: str
    format: str
    warnings: tuple[str, ...]
    @property
    def node_count(self) -> int: ...
    @property
    def switch_count(self) -> int: ...
    @property
    def ca_count(self) -> int: ...
    @property
    def link_count(self) -> int: ...
    @property
    def switch_link_count(self) -> int: ...
    @property
    def channel_count(self) -> int: ...
    @property
    def endport_count(self) -> int: ...
    @property
    def lid_top(self) -> int: ...
    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def ports(self) -> _Structured: ...
    @property
    def channels(self) -> _Structured: ...
    @property
    def rates(self) -> NDArray[numpy.float64]: ...
    @property
    def endports(self) -> _Structured: ...
    @property
    def hosts(self) -> NDArray[numpy.uint32]: ...
    def node(self, which: int | str | Node) -> Node: ...
    def endport(self, which: int | str | Node) -> int: ...
    def endport_of_lid(self, lid: int) -> int | None: ...
    def with_lids(self, lmc: int = 0, reassign: bool = False) -> Fabric: ...
    def without(self, nodes: Iterable[int | str | Node] = (), links: Iterable[tuple[int | str | Node, int]] = ()) -> Fabric: ...
    def distances(self) -> NDArray[numpy.uint8]: ...
    def topology(self) -> str: ...
    def to_text(self, format: str) -> str: ...
    def write(self, path: _Path, format: str = "") -> None: ...
    def empty_tables(self) -> NDArray[numpy.uint8]: ...
    def route(self, engine: _Engine | Sequence[_Engine] = "auto", *, fallback: bool = False,
              roots: Iterable[int | str | Node] | None = None, compute_nodes: Iterable[int | str | Node] | None = None,
              io_nodes: Iterable[int | str | Node] | None = None, order: Iterable[int | str | Node] | None = None,
              verify: str = "warn", progress: Callable[[str], object] | None = None, **options: str | int | bool | os.PathLike[str] | None) -> Routes: ...
    def draw(self, loads: ArrayLike | None = None, title: str = "", name: str = "load") -> Picture: ...
    def to_networkx(self, hosts: bool = True) -> networkx.MultiGraph: ...

def load(path: _Path, *, format: str = "", ibnl_dir: _Path = "", lmc: int | None = 0) -> Fabric: ...
def parse(text: str, *, name: str = "<text>", format: str = "", ibnl_dir: _Path = "", lmc: int | None = 0) -> Fabric: ...
def generate(spec: str, *, lmc: int | None = 0) -> Fabric: ...
def to_networkx(fabric: Fabric, hosts: bool = True) -> networkx.MultiGraph: ...
def from_networkx(graph: networkx.Graph, *, hosts: int = 0, speed: str = "EDR", width: str = "4x", lmc: int | None = 0) -> Fabric: ...

class Path(NamedTuple):
    switches: NDArray[numpy.uint32]
    ports: NDArray[numpy.uint8]
    channels: NDArray[numpy.uint32]
    vls: NDArray[numpy.uint8]
    sl: int
    end: str
    @property
    def arrives(self) -> bool: ...
    @property
    def hops(self) -> int: ...

class Lane(NamedTuple):
    paths: int
    hops: int
    load_max: int

class Failure(NamedTuple):
    name: str
    switches: list[int]
    channels: list[int]
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
    fabric: Fabric
    warnings: tuple[str, ...]
    @property
    def engine(self) -> str: ...
    @property
    def vls(self) -> int: ...
    @property
    def is_adaptive(self) -> bool: ...
    @property
    def choice(self) -> str | None: ...
    @property
    def failed_engines(self) -> list[tuple[str, str]]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def lfts(self) -> NDArray[numpy.uint8]: ...
    def choices(self, switch: int | str | Node, lid: int, input_port: int = 0, sl: int = 0) -> list[int]: ...
    def sl2vl(self, switch: int | str | Node) -> NDArray[numpy.uint8]: ...
    def path(self, source: int | str | Node, destination: int | str | Node, lid_offset: int = 0) -> Path: ...
    def hops(self) -> NDArray[numpy.uint8]: ...
    def loads(self, threads: int = 0) -> NDArray[numpy.uint64]: ...
    def lanes(self, threads: int = 0) -> list[Lane]: ...
    def verify(self, *, threads: int = 0, replies: str = "count", multicast: _Path = "") -> Verdict: ...
    def quality(self, *, seed: int = 0, matchings: int = 100, bound: bool = True, patterns: bool = False,
                threads: int = 0) -> Quality: ...
    def simulate(self, pattern: str | Iterable[tuple[int | str, int | str, int, int]] = "bisect", **arguments: Any) -> Simulation: ...
    def failures(self, size: int = 1, *, trials: int = 0, victims: str = "cables", matchings: int = 100, seed: int = 0,
                 threads: int = 0, progress: _Progress | None = None) -> list[Failure]: ...
    def write(self, folder: _Path, *, psl: bool = False) -> None: ...
    def write_graph(self, path: _Path) -> None: ...
    def draw(self, title: str = "", threads: int = 0) -> Picture: ...
    def to_dict(self) -> dict[str, Any]: ...

def load_routes(fabric: Fabric, lfts: _Path, *, psl: _Path = "", slvl: _Path = "", ar: _Path = "", mfts: _Path = "",
                msl: _Path = "") -> Routes: ...
def make_routes(fabric: Fabric, tables: Tables | ArrayLike, name: str = "tables") -> Routes: ...
def load_dump(folder: _Path) -> Routes: ...

class Report:
    def to_dict(self) -> dict[str, Any]: ...

class Verdict(Report):
    ok: bool
    passes: bool
    why: str
    unreachable: int
    loops: int
    credit_loops: int
    credit_loop: list[dict[str, Any]]
    dependencies: int
    ca_to_ca: dict[str, int]
    ca_to_switch: dict[str, int]
    switch_to_ca: dict[str, int]
    switch_to_switch: dict[str, int]
    failures: list[dict[str, Any]]
    lanes: dict[str, Any]
    multicast: dict[str, Any]
    single_sls: list[int]
    replies: str
    def __bool__(self) -> bool: ...

class Quality(Report):
    hops_max: int
    hops_mean: float
    nonminimal: int
    kept: list[float]
    link_load_max: int
    link_load_mean: float
    link_load_sd: float
    link_load_bound: int | None
    link_load_bound_basis: str | None
    ebb: float
    ebb_error: float
    ebb_adaptive: float | None
    ebb_adaptive_error: float | None
    alltoall: float
    shifts: dict[str, float] | None
    permutation_flows: int | None
    timed_permutation_flows: float | None
    lid_paths: dict[str, float] | None

class Simulation(Report):
    values: NDArray[numpy.float64]
    channel_sums: NDArray[numpy.uint64]
    weights: NDArray[numpy.float64]
    connections: NDArray[numpy.uint64]
    @property
    def metric(self) -> str: ...
    @property
    def runs(self) -> int: ...
    @property
    def bandwidth(self) -> float | None: ...
    @property
    def dropped(self) -> int: ...
    @property
    def by_run(self) -> dict[str, float] | None: ...
    @property
    def channels(self) -> _Structured: ...
    @property
    def nodes(self) -> list[str]: ...

def simulate(source: Routes | _Path, pattern: str | Iterable[tuple[int | str, int | str, int, int]] = "bisect", *,
             runs: int | None = None, until_error: float | None = None, metric: str = "sum_max_cong", first: str = "null",
             second: str = "null", first_ranks: int = 0, ranks: int = 0, subset: str = "linear_bfs", mapping: str = "random",
             level: int | None = None, paths: str = "base", link_rates: bool = False, adaptive: str = "greedy", seed: int = 0, threads: int = 0,
             progress: _Progress | None = None) -> Simulation: ...

_Job = _Path | Mapping[str, Any]

class JobSimulation(Report):
    @property
    def seconds(self) -> float: ...
    @property
    def runs(self) -> int: ...
    @property
    def jobs(self) -> list[dict[str, Any]]: ...
    @property
    def phases(self) -> list[dict[str, Any]]: ...
    @property
    def changes(self) -> list[dict[str, Any]]: ...
    @property
    def links(self) -> list[dict[str, Any]]: ...

class Placement(Report):
    @property
    def seconds(self) -> float: ...
    @property
    def second_best_seconds(self) -> float | None: ...
    @property
    def packed_seconds(self) -> float | None: ...
    @property
    def slowdown(self) -> float: ...
    @property
    def hosts(self) -> list[str]: ...
    @property
    def nodes(self) -> list[str]: ...

def simulate_jobs(source: Routes | _Path, jobs: _Job | Iterable[_Job], *, runs: int = 1, paths: str = "base", adaptive: str = "greedy",
                  seed: int = 0, threads: int = 0, progress: _Progress | None = None) -> JobSimulation: ...
def place(source: Routes | _Path, job: _Job, free: str | Iterable[str], *, running: _Job | Iterable[_Job] = (), simulations: int = 0,
          paths: str = "base", adaptive: str = "greedy", seed: int = 0, threads: int = 0,
          progress: _Progress | None = None) -> Placement: ...

class Request:
    roots: NDArray[numpy.uint32]
    seed: int
    threads: int
    vls_max: int
    def __init__(self, roots: NDArray[numpy.uint32], seed: int, threads: int, vls_max: int) -> None: ...

class Tables:
    lfts: ArrayLike
    sls: ArrayLike | None
    vls: int
    def __init__(self, lfts: ArrayLike, sls: ArrayLike | None = None, vls: int = 1) -> None: ...

class Engine:
    name: ClassVar[str]
    def route(self, fabric: Fabric, request: Request) -> Tables | ArrayLike: ...

class Picture:
    svg: str
    def __init__(self, svg: str) -> None: ...
    def save(self, path: _Path) -> None: ...

def bars(title: str, values: Mapping[str, float], texts: Iterable[str] | None = None, most: float = 0) -> Picture: ...

class Parameter(NamedTuple):
    name: str
    summary: str
    default: str

class Generator(NamedTuple):
    name: str
    summary: str
    example: str
    parameters: tuple[Parameter, ...]

class EngineInfo(NamedTuple):
    name: str
    summary: str
    options: tuple[str, ...]

class Option(NamedTuple):
    name: str
    key: str
    summary: str
    default: str
    is_flag: bool

class Pattern(NamedTuple):
    name: str
    argument: str
    summary: str

class Format(NamedTuple):
    name: str
    summary: str

def generators() -> list[Generator]: ...
def engines() -> list[EngineInfo]: ...
def routing_options() -> list[Option]: ...
def patterns() -> list[Pattern]: ...
def read_formats() -> list[Format]: ...
def write_formats() -> list[Format]: ...
