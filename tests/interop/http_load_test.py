#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the effect of 100 HTTP requests a second on the sweeps of a fabric of 3,456 hosts. Sweeps with full rerouting run in pairs: by default
five with and five without requests, in alternating order. The median increase over the pairs must be below 5 %, either in the sweep time that the
manager reports or in the CPU time of the manager's own threads (the threads of normal priority), which excludes other load of the machine.

The speed of the cores of a virtual machine may vary by half between sweeps, so that a single pair is not significant. The test prints the
95 % confidence interval of the median; with 150 pairs (10 minutes) the interval is about two percentage points to each side.

If the request rate is not reached, the CPU and run-queue times of the service threads show the reason.
Standard library only. Usage: http_load_test.py [--fabric SPEC] [--rate N] [--pairs N]
"""
import argparse
import json
import math
import os
import pathlib
import re
import select
import socket
import statistics
import tempfile
import time

from http_client import bearer, token_file
from manager import Manager
from processes import children
from weft_interop import check, wait_for

PATHS = ["/metrics", "/api/v1/fabric", "/api/v1/nodes?limit=50", "/api/v1/routes/path?from={a}&to={b}", "/api/v1/links?limit=50",
         "/healthz", "/readyz", "/api/v1/events?limit=20", "/api/v1/node/{a}", "/api/v1/configuration"]
SWEEPS = 5  # in each half of a pair: with and without requests
CONNECTIONS = 20  # a late response delays a twentieth of the requests


def state(service):
    return service.json("/api/v1/fabric")[1]


class Connection:
    """One connection and its pending request. It sends raw bytes, because http.client would take more CPU time than the responses."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.due = None  # scheduled time of the pending request; None: idle
        self.last = 0.0  # time of the request

    def send(self, request, due):
        self.due, self.last, self.received, self.want = due, due, b"", None
        self.socket.sendall(request)

    def receive(self):
        """Receives a part of the response; returns whether the response is complete."""
        got = self.socket.recv(1 << 20)
        if not got:
            raise RuntimeError("the service has closed a connection")
        self.received += got
        if self.want is None and (end := self.received.find(b"\r\n\r\n")) >= 0:
            if not self.received.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(self.received[:200].decode(errors="replace"))
            self.want = end + 4 + int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", self.received)[1])
        return self.want == len(self.received)


class Clients:
    """A process that sends `rate` requests a second until stopped, then reports its results."""

    def __init__(self, port, rate, paths):
        self.read, write = os.pipe()
        order, self.order = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.read), os.close(self.order)
            try:
                os.nice(19)  # on a real fabric clients run on other machines, so clients here must not take CPU time from the service
                self.send_requests(port, rate, [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths], order, write)
            finally:
                os._exit(1)
        os.close(write), os.close(order)
        self.reports = os.fdopen(self.read)

    def send_requests(self, port, rate, requests, order, write):
        connections = {connection.socket.fileno(): connection for connection in (Connection(port) for _ in range(CONNECTIONS))}
        poll = select.poll()
        for fd in [order, *connections]:
            poll.register(fd, select.POLLIN)
        while os.read(order, 1) == b"+":
            begun, count, times, error, computed, is_sending = time.monotonic(), 0, [], None, time.process_time(), True
            # After the last request the loop waits for pending responses.
            while error is None and (is_sending or any(connection.due is not None for connection in connections.values())):
                # The connection that was idle longest sends the next request, because the service closes connections that are idle for a minute.
                idle = min((one for one in connections.values() if one.due is None), key=lambda one: one.last, default=None)
                due = begun + count / rate
                wait = max(0.0, due - time.monotonic()) if is_sending and idle else 60.0  # all connections are busy: the rate is not reached
                ready = [fd for fd, _ in poll.poll(wait * 1000)]
                if order in ready:
                    is_sending = False
                    poll.unregister(order)
                try:
                    for fd in ready:
                        if fd != order and connections[fd].receive():
                            times.append(time.monotonic() - connections[fd].due)
                            connections[fd].due = None
                    if is_sending and idle and time.monotonic() >= due:
                        idle.send(requests[count % len(requests)], due)
                        count += 1
                except (OSError, RuntimeError) as failure:
                    error = str(failure)
            if not is_sending:
                poll.register(order, select.POLLIN)
            took = time.monotonic() - begun
            os.read(order, 1)
            report = {"error": error, "rate": len(times) / took, "times": sorted(times),
                      "computed": time.process_time() - computed}
            os.write(write, (json.dumps(report) + "\n").encode())
        os._exit(0)

    def begin(self):
        os.write(self.order, b"+")

    def end(self):
        os.write(self.order, b"-")
        report = json.loads(self.reports.readline())
        check(report["error"] is None, report["error"])
        return report

    def close(self):
        os.close(self.order)
        os.waitpid(self.pid, 0)


def threads_of(pid):
    """{whether the threads have low priority: [seconds of CPU time, seconds in the run queue]}, summed over the threads of the manager and of the
    HTTP process."""
    total = {True: [0.0, 0.0], False: [0.0, 0.0]}
    processes = [pid, *(child for starter in children(pid) for child in children(starter))]
    for task in (task for process in processes for task in pathlib.Path(f"/proc/{process}/task").iterdir()):
        try:
            nice = int((task / "stat").read_text().rsplit(")", 1)[1].split()[16])
            ran, waited, _ = map(int, (task / "schedstat").read_text().split())
        except FileNotFoundError:
            continue  # the thread has ended
        total[nice > 0][0] += ran / 1e9
        total[nice > 0][1] += waited / 1e9
    return total


def sweep(service, pid):
    """Requests a sweep with full rerouting; returns (seconds of the sweep, CPU seconds of the manager during the sweep)."""
    before, cpu = state(service)["heavy_sweeps"], threads_of(pid)[False][0]
    status, body, _ = service.get("/api/v1/sweep", "POST", json.dumps({"kind": "reroute"}), bearer())
    check(status == 202, body)
    time.sleep(0.1)
    wait_for("a sweep", lambda: state(service)["heavy_sweeps"] > before, timeout=200, pause=0.03)
    seconds = state(service)["sweep"]["seconds"]["total"]
    return seconds, threads_of(pid)[False][0] - cpu


def one_pair(service, pid, clients, busy_first):
    """Measures sweeps with and without requests. Returns ({whether the clients send requests: [(seconds, CPU seconds) of each sweep]}, report of the
    clients)."""
    report, sweeps = None, {}
    for busy in (busy_first, not busy_first):
        before = threads_of(pid)[True]
        if busy:
            clients.begin()
        time.sleep(0.2)  # the same pause before both halves
        sweeps[busy] = [sweep(service, pid) for _ in range(SWEEPS)]
        if busy:
            report = clients.end()
            after = threads_of(pid)[True]
            count = max(len(report["times"]), 1)
            report["computed_ms"], report["waited_ms"] = ((b - a) / count * 1000 for a, b in zip(before, after))
    return sweeps, report


def growth(pairs, what):
    """The increase of time (`what` 0) or CPU time (1) over the pairs: its median, and the bounds of the 95 % interval by the sign test."""
    mean = lambda sweeps: statistics.mean(sweep[what] for sweep in sweeps)
    found = sorted(mean(sweeps[True]) / mean(sweeps[False]) - 1 for sweeps, _ in pairs)
    least = max(0, math.floor((len(found) - 1.96 * math.sqrt(len(found))) / 2))
    return statistics.median(found), found[least], found[-1 - least]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabric", default="fattree3:k=24")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--pairs", type=int, default=150)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-load-") as name:
        folder = pathlib.Path(name)
        with Manager(folder, "-s", "0", "--http_token_file", token_file(folder), emulate=options.fabric, http=True) as manager:
            port, pid = manager.http.port, manager.process.pid
            hosts = manager.http.json("/api/v1/nodes?type=CA&limit=10000")[1]["nodes"]
            paths = [path.format(a=hosts[0]["guid"], b=hosts[-1]["guid"]) for path in PATHS]
            clients = Clients(port, options.rate, paths)
            sweep(manager.http, pid)
            pairs = [one_pair(manager.http, pid, clients, number % 2 == 1) for number in range(options.pairs)]
            clients.close()
    reports = [report for _, report in pairs]
    rate = statistics.median(report["rate"] for report in reports)
    times = sorted(t for report in reports for t in report["times"])
    wall, cpu = growth(pairs, 0), growth(pairs, 1)
    middle = lambda busy, what: statistics.median(sweep[what] for sweeps, _ in pairs for sweep in sweeps[busy])
    grown = lambda growth: f"median of the pairs {growth[0]:+.1%} ({growth[1]:+.1%} to {growth[2]:+.1%})"
    print(f"{len(pairs)} pairs of {SWEEPS} and {SWEEPS} sweeps of {options.fabric}, {rate:.0f} requests/s, load {os.getloadavg()[0]:.1f}:\n"
          f"  a sweep: median {middle(False, 0):.3f} s quiet, {middle(True, 0):.3f} s busy; {grown(wall)}\n"
          f"  CPU of the manager: {middle(False, 1):.3f} s, {middle(True, 1):.3f} s; {grown(cpu)}\n"
          f"  a request: median {times[len(times) // 2] * 1000:.1f} ms, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms; the service computed "
          f"{statistics.median(r['computed_ms'] for r in reports):.2f} ms for each and waited for a core for "
          f"{statistics.median(r['waited_ms'] for r in reports):.2f} ms", flush=True)
    check(rate > 0.9 * options.rate, f"{rate:.0f} requests a second were answered, expected more than {0.9 * options.rate:.0f}")
    check(min(wall[0], cpu[0]) < 0.05, f"sweeps take {wall[0]:.1%} more time and {cpu[0]:.1%} more CPU time, expected less than 5 % of one")


if __name__ == "__main__":
    main()
