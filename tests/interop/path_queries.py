# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Clients that query a path a hundred times a second on an ibsim server, and measure how long each query was unanswered.

    queries = PathQueries(fabric, 1, 4)
    ...
    for query in queries.end(): ...
"""
import dataclasses
import subprocess
import time

from processes import PATIENCE, check, tool, wait_for

INTERVAL_MS, REPEAT_MS = 10, 200
STARTS = 8  # attempts to start: ibsim's library may crash at the start


@dataclasses.dataclass
class Query:
    sent: float  # seconds of the monotonic clock
    answered: float  # None: no answer until a minute after the client sent its last query
    tries: int
    status: int
    dlid: int

    def wait(self):
        return float("inf") if self.answered is None else self.answered - self.sent


def query_of(line):
    words = line.split()
    if words[1] == "lost":
        return Query(float(words[0]) / 1000, None, int(words[2]), 0, 0)
    return Query(float(words[0]) / 1000, float(words[1]) / 1000, int(words[2]), int(words[3], 16), int(words[4], 16))


class PathQueries:
    """Queries of `host` for the path to the host `to`, both as numbers of hosts of a ManagedFabric."""

    def __init__(self, fabric, host, to):
        self.output = fabric.folder / f"queries{host}-{to}"
        gids = [f"{fabric.ports[number]:032x}" for number in (host, to)]
        command = ["ibsim-run", "stdbuf", "-oL", tool("path_queries"), *gids, str(INTERVAL_MS), str(REPEAT_MS)]
        for _ in range(STARTS):
            with open(self.output, "w") as stdout:
                self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, cwd=fabric.sim.folder,
                                                env=fabric.sim.client_environment(fabric.net.hosts[host]))
            wait_for("a path", lambda: self.output.stat().st_size > 0 or self.process.poll() is not None)
            if self.process.poll() is None:
                return
        raise AssertionError(f"path_queries ends with status {self.process.returncode}")

    def end(self):
        """Ends the client; returns all queries in the order of sending."""
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        check(status == 0, f"path_queries has ended with status {status}")
        return sorted((query_of(line) for line in self.output.read_text().splitlines()), key=lambda query: query.sent)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Phases:
    """Records the times at which named parts of a test begin."""

    def __init__(self):
        self.begins = []

    def begin(self, name):
        self.begins.append((name, time.monotonic()))

    def of(self, queries):
        """[(name of the part, queries sent during the part)]"""
        ends = [begin for _, begin in self.begins[1:]] + [float("inf")]
        return [(name, [query for query in queries if begin <= query.sent < end]) for (name, begin), end in zip(self.begins, ends)]


def longest_gap(queries):
    """The longest time between two consecutive answers, in seconds; 0 for fewer than two answers."""
    times = sorted(query.answered for query in queries if query.answered is not None)
    return max((after - before for before, after in zip(times, times[1:])), default=0.0)
