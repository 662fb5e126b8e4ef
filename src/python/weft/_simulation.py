# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Simulations of congestion."""
import contextlib
import json
import operator
import os
import tempfile
import warnings

from . import _weft
from ._errors import InputWarning, UsageError, reading, text_of
from ._reports import Report
from ._routes import Routes


class Simulation(Report):
    """The result of simulate(). The weight of a connection is the time of its message relative to the time of the largest message without
    congestion."""

    def __init__(self, network, data, text, values, channel_sums, weights, connections):
        super().__init__(data, text)
        self._network = network
        #: The metric of each run, in order: a float64 array [runs]; empty for metrics without a value for each run.
        self.values = values
        #: By channel of `channels`, the number of messages over all levels and runs (metric get_cable_cong), or the largest number of
        #: messages of a permutation (worst_permutation): a uint64 array; empty for other metrics.
        self.channel_sums = channel_sums
        #: The distinct weights of connections, ascending: a float64 array.
        self.weights = weights
        #: Number of connections of each of these weights: a uint64 array.
        self.connections = connections

    @property
    def metric(self):
        """The metric."""
        return self._data["metric"]

    @property
    def runs(self):
        """Number of runs; 0 for worst_permutation."""
        return self._data.get("runs", 0)

    @property
    def bandwidth(self):
        """Mean, over all connections, of the share of the bandwidth that a connection gets, 0 to 1; None for worst_permutation."""
        return self._data.get("bandwidth")

    @property
    def dropped(self):
        """Number of connections without a route, which are not simulated."""
        return self._data.get("dropped", 0)

    @property
    def by_run(self):
        """Statistics of `values`: a dict of minimum, maximum, average, variance, error99 and count; None for metrics without values."""
        return self._data.get("by_run")

    @property
    def channels(self):
        """The channels of the simulated network, with the channels of hosts: a read-only structured array without a copy.

        Fields: from and to (indices in nodes), from_port and to_port, rate (in 100 Mbit/s).
        """
        return self._network.channels()

    @property
    def nodes(self):
        """Names of the nodes of the simulated network: a list."""
        return [text_of(name) for name in self._network.node_names()]

    def __repr__(self):
        return f"<weft.Simulation: {self.metric}, {self.runs} runs>"


def simulate(source, pattern="bisect", *, runs=None, until_error=None, metric="sum_max_cong", first="null", second="null",
             first_ranks=0, ranks=0, subset="linear_bfs", mapping="random", level=None, paths="base", link_rates=False,
             adaptive="greedy", seed=0, threads=0, progress=None):
    """Simulates the congestion of a traffic pattern, as `weft simulate`, and returns a Simulation.

    source: Routes, or the path of a routed graph as for ORCS. pattern: see patterns(), or messages: an iterable of (source, destination,
    bytes, level) with ranks or names of hosts, as in a file of pattern trace. runs: number of runs, 1 by default; with
    until_error the largest number of runs, 1000000 by default. until_error: end when the 99% error of the average is at most this value.
    metric: sum_max_cong, hist_max_cong, hist_acc_band, dep_max_delay, get_cable_cong, fair_band or worst_permutation. first, second,
    first_ranks: parameters of the pattern ptrnvsptrn. ranks: number of hosts, or 0 for all. subset: linear_bfs, rand, guid_asc, guid_desc
    or file:PATH. mapping: of ranks to hosts, random (in each run) or linear. level: the only level to simulate. paths: the LIDs of a host
    that are used: base, source, random or all. link_rates: whether to use the link rates of the fabric. adaptive: static, greedy or split.
    seed: seed of all random choices. progress: a function that is called with the number of runs done and the number of runs; its
    exceptions end the simulation, as KeyboardInterrupt does.

    Raises UsageError for an invalid argument or one that the network does not allow, InputError for an invalid file.
    """
    network = _network_of(source, "simulate")
    _check_words(mapping=(mapping, ("random", "linear")), paths=(paths, _PATHS), adaptive=(adaptive, _SELECTIONS))
    given = dict(runs=runs, until_error=until_error, metric=metric, first=first, second=second, first_ranks=first_ranks, ranks=ranks,
                 subset=subset, mapping=mapping, level=level, paths=paths, link_rates=link_rates, adaptive=adaptive, seed=seed,
                 threads=threads)
    with _as_text(pattern) as name:
        data, text, *arrays = network.simulate({"pattern": name, **given}, progress)
    return Simulation(network, json.loads(data), text_of(text), *arrays)


_PATHS = ("base", "source", "random", "all")
_SELECTIONS = ("static", "greedy", "split")


def _network_of(source, function):
    """The network of Routes or of a routed graph."""
    if isinstance(source, Routes):
        return source._simulated()
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"{function}(): found {source!r}, expected Routes or the path of a routed graph")
    with reading(os.fspath(source)):
        network, lines = _weft.network_of_graph(os.fsencode(source))
    for line in lines:
        warnings.warn(text_of(line), InputWarning, stacklevel=3)
    return network


def _check_words(**values):
    """Raises UsageError if a value is none of its words. values: pairs of value and words, by parameter."""
    for name, (value, words) in values.items():
        if value not in words:
            raise UsageError(f"{name}: found {value!r}, expected {', '.join(words[:-1])} or {words[-1]}")


@contextlib.contextmanager
def _as_text(pattern):
    """Yields the name of the pattern; messages are written to a temporary file, which the name contains."""
    if isinstance(pattern, str):
        yield pattern
        return
    with tempfile.NamedTemporaryFile("w", prefix="weft-", suffix=".trace", encoding="utf-8") as file:
        for message in pattern:
            source, destination, size, level = message
            file.write(f"{_end(source)} {_end(destination)} {operator.index(size)} {operator.index(level)}\n")
        file.flush()
        yield f"trace:{file.name}"


def _end(host):
    """A rank or the name of a host."""
    if not isinstance(host, str):
        return operator.index(host)
    if not host or host.split() != [host] or host.startswith("#"):
        raise UsageError(f"message: found host {host!r}, expected a rank, or a name without blanks that does not begin with '#'")
    return host
