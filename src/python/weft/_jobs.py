# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The time of jobs, and their placement."""
import collections.abc
import contextlib
import json
import os
import tempfile

from . import _weft
from ._errors import UsageError, text_of
from ._reports import Report
from ._routes import Routes
from ._simulation import _PATHS, _SELECTIONS, _check_words, _network_of


class JobSimulation(Report):
    """The result of simulate_jobs()."""

    @property
    def seconds(self):
        """The end of the last job in run 0, in seconds."""
        return self._data["seconds"]

    @property
    def runs(self):
        """Number of runs."""
        return self._data["runs"]

    @property
    def jobs(self):
        """The jobs in order: a list of dicts of name, work, algorithm, ranks, bytes, start, seconds (mean over the runs),
        algorithm_bandwidth and bus_bandwidth (bytes/s), crossbar_seconds, slowdown, alone_seconds, interference, messages, bytes_sent."""
        return self._data["jobs"]

    @property
    def phases(self):
        """Phases of run 0: a list of dicts of job, phase, start and end (seconds)."""
        return self._data["phases"]

    @property
    def changes(self):
        """Failures and repairs of the network: a list of dicts of seconds, event and failed_channels."""
        return self._data.get("changes", [])

    @property
    def links(self):
        """The busiest channels of run 0: a list of dicts of from, from_port, to, to_port, bytes, utilisation, over_time."""
        return self._data.get("links", [])

    def __repr__(self):
        return f"<weft.JobSimulation: {', '.join(job['name'] for job in self.jobs)}, {self.seconds:.6g} s>"


class Placement(Report):
    """The result of place()."""

    @property
    def seconds(self):
        """The time of the job on the best hosts, in seconds."""
        return self._data["best"]["seconds"]

    @property
    def second_best_seconds(self):
        """The least time on other hosts, in seconds; None if no other hosts were simulated."""
        return self._data["second_best"] and self._data["second_best"]["seconds"]

    @property
    def packed_seconds(self):
        """The time of the packed placement in seconds; None if one of its messages has no route."""
        return self._data["packed"] and self._data["packed"]["seconds"]

    @property
    def slowdown(self):
        """Ratio of the time to the time on an ideal crossbar."""
        ideal = self._data["crossbar_seconds"]
        return self.seconds / ideal if ideal > 0 else 1.0

    @property
    def hosts(self):
        """Hosts in the order of the ranks, each once: a list of names, for the key "hosts" of a job."""
        return self._data["best"]["hosts"]

    @property
    def nodes(self):
        """The name of the server of each rank: a list, in the form of the lines of a SLURM_HOSTFILE."""
        return [one["node"] for one in self._data["ranks"] for _ in range(one["count"])]

    def __repr__(self):
        return f"<weft.Placement: {self._data['job']['name']} on {len(self.hosts)} hosts, {self.seconds:.6g} s>"


def simulate_jobs(source, jobs, *, runs=1, paths="base", adaptive="greedy", seed=0, threads=0, progress=None):
    """Simulates the time of jobs, as `weft simulate --job`, and returns a JobSimulation.

    source: Routes, or the path of a routed graph. jobs: one job or several jobs, which run at the same time. A job is a SPEC such as
    "allreduce:ring,ranks=64,bytes=1GiB", the path of a job file, the content of a job file as a dict, or one job as a dict of its keys;
    the value of the key hosts may be a list. runs: number of runs, which differ in the seed. paths: the LIDs of a host that are used:
    base, source, random or all. adaptive: static, greedy or split. progress: a function that is called with the number of runs done and
    the number of runs. Failures in a job file need Routes of Fabric.route(). The fabric that remains is routed with the same engine and
    options; for an engine in Python the job file needs the key repair.

    Raises InputError for invalid jobs and if there are too few hosts; UsageError for an invalid argument, and for failures without Routes
    of Fabric.route(); UnroutableError if a message has no route.
    """
    network = _network_of(source, "simulate_jobs")
    _check_words(paths=(paths, _PATHS), adaptive=(adaptive, _SELECTIONS))
    if runs < 1:
        raise UsageError(f"runs: found {runs}, expected 1 or more")
    with _as_arguments(jobs) as specs:
        routes, engines = (source._native, list(source._engines)) if isinstance(source, Routes) else (None, [])
        data, text = _weft.simulate_jobs(network, routes, engines, specs, runs, paths, adaptive, seed, threads, progress)
    return JobSimulation(json.loads(data), text_of(text))


def place(source, job, free, *, running=(), simulations=0, paths="base", adaptive="greedy", seed=0, threads=0, progress=None):
    """Selects hosts for a job and orders its ranks, as `weft place`, and returns a Placement.

    source: Routes, or the path of a routed graph. job: as for simulate_jobs(), without hosts and placement. free: a hostlist such as
    "n[01-16]", "file:PATH", or an iterable of names, descriptions or GUIDs. running: jobs that run at the same time on the hosts that
    they list. simulations: the largest number of placements to simulate; 0: a number that depends on the messages of the job. seed: the
    seed of the search and of the jobs. progress: a function that is called with the number of simulations done and their largest number.

    Raises InputError for invalid jobs, for hosts that are unknown, listed twice or in use, and if there are too few hosts; UsageError for
    an invalid argument; UnroutableError if no simulated placement has routes for all messages.
    """
    network = _network_of(source, "place")
    _check_words(paths=(paths, _PATHS), adaptive=(adaptive, _SELECTIONS))
    with contextlib.ExitStack() as files:
        if not isinstance(free, str):
            free = "file:" + _file_of(files, ".hosts", "".join(f"{host}\n" for host in free))
        specs = files.enter_context(_as_arguments(job))
        if len(specs) != 1:
            raise UsageError(f"job: found {len(specs)} jobs, expected 1")
        specs += files.enter_context(_as_arguments(running))
        data, text = _weft.place(network, specs, free, simulations, paths, adaptive, seed, threads, progress)
    return Placement(json.loads(data), text_of(text))


@contextlib.contextmanager
def _as_arguments(jobs):
    """Yields the arguments of --job; dicts are written to temporary job files."""
    if isinstance(jobs, (str, os.PathLike, collections.abc.Mapping)):
        jobs = [jobs]
    with contextlib.ExitStack() as files:
        arguments = []
        for job in jobs:
            if isinstance(job, collections.abc.Mapping):
                content = job if "jobs" in job else {"jobs": [_with_hostlist(job)]}
                arguments.append(_file_of(files, ".json", json.dumps(content)))
            else:
                arguments.append(os.fspath(job))
        yield arguments


def _with_hostlist(job):
    """The job with its hosts as text; a list of hosts is joined with commas."""
    hosts = job.get("hosts", "")
    return {**job, "hosts": ",".join(hosts)} if not isinstance(hosts, str) else dict(job)


def _file_of(files, suffix, text):
    """Writes the text to a temporary file and returns the path of the file."""
    file = files.enter_context(tempfile.NamedTemporaryFile("w", prefix="weft-", suffix=suffix, encoding="utf-8"))
    file.write(text)
    file.flush()
    return file.name
