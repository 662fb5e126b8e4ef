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
        """The busiest links of run 0: a list of dicts of from, from_port, to, to_port, bytes, utilisation, over_time."""
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
        """The least time on other hosts; None if no other hosts were simulated."""
        return self._data["second_best"] and self._data["second_best"]["seconds"]

    @property
    def packed_seconds(self):
        """The time of the packed placement; None if a message of it has no route."""
        return self._data["packed"] and self._data["packed"]["seconds"]

    @property
    def slowdown(self):
        """The time in relation to that on an ideal crossbar."""
        ideal = self._data["crossbar_seconds"]
        return self.seconds / ideal if ideal > 0 else 1.0

    @property
    def hosts(self):
        """Hosts in the order of the ranks, each once: a list of names, as the key "hosts" of a job takes them."""
        return self._data["best"]["hosts"]

    @property
    def nodes(self):
        """The name of the server of each rank: a list, as lines of a SLURM_HOSTFILE."""
        return [one["node"] for one in self._data["ranks"] for _ in range(one["count"])]

    def __repr__(self):
        return f"<weft.Placement: {self._data['job']['name']} on {len(self.hosts)} hosts, {self.seconds:.6g} s>"


def simulate_jobs(source, jobs, *, runs=1, paths="base", adaptive="greedy", seed=0, threads=0, progress=None):
    """Simulates the time of jobs, as `weft simulate --job`, and returns a JobSimulation.

    source: Routes, or the path of a routed graph. jobs: one or several of: a SPEC such as "allreduce:ring,ranks=64,bytes=1GiB", the
    path of a job file, the content of a job file as a dict, or one job as a dict of its keys, with hosts
    as a list too. All run at once. runs: with different seeds
    of random choices. paths: base, source, random or all LIDs of a host. adaptive: static, greedy or split. progress: called with the
    runs done and their number. Failures of a job file need Routes of Fabric.route(); the fabric that remains is routed with the same engine
    and options, and an engine in Python needs the key repair.

    Raises InputError for wrong jobs and hosts that are too few; UsageError for an argument that is wrong, and failures without such
    routes; UnroutableError if a message has no route.
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
    "n[01-16]", "file:PATH", or an iterable of names, labels or GUIDs. running: jobs on their hosts, which run at the same time.
    simulations: the most placements to simulate; 0: by the messages of the job. seed: of the search and of the jobs. progress: called
    with the simulations done and their largest number.

    Raises InputError for wrong jobs and hosts that are unknown, listed twice, in use or too few; UsageError for an argument that is
    wrong; UnroutableError if no placement has all routes.
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
    """Arguments of --job; dicts are those of temporary job files."""
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
    """The job with its hosts as text, of a list too."""
    hosts = job.get("hosts", "")
    return {**job, "hosts": ",".join(hosts)} if not isinstance(hosts, str) else dict(job)


def _file_of(files, suffix, text):
    """The path of a temporary file with this text."""
    file = files.enter_context(tempfile.NamedTemporaryFile("w", prefix="weft-", suffix=suffix, encoding="utf-8"))
    file.write(text)
    file.flush()
    return file.name
