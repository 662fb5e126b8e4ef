#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures fairness under attack: of a subnet of 1,024 hosts without and with a flood, and of the HTTP service without and with slow clients.

The flood: ten hosts concurrently send SA Gets, joins, traps and notices (bench/flood_load.cpp, on the emulator; the times include the
processor time of manager and SA, but not of other programs). Compares the 99th percentile of the path queries of the other hosts, the time
until routes avoid a cut cable, memory, log and disk.
HTTP: with 1,000 connections with slow headers, slow bodies and unread answers, measures /healthz, /metrics, the page, and the time of a sweep.
These are real times: run the benchmark on an idle machine.
Prints a table and the requirements that are not met; exit status 1 if a requirement is not met. Usage: flood.py [--quick] [--json FILE]
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import studies
from fabrics import interop

sys.path.insert(0, str(interop.ROOT / "tests" / "attacks"))

# pylint: disable=wrong-import-position
import attackers  # noqa: E402
from http_client import TOKEN, bearer, token_file  # noqa: E402
from manager import Manager  # noqa: E402

RATIO_MAX = 2                 # limit of the ratios of 99th percentiles and of repair times
MEMORY_MAX = 256 << 20        # growth in bytes
LOG_PER_SECOND_MAX = 16 << 10
DISK_MAX = 16 << 20
ANSWER_MAX = 1.0              # seconds, with slow clients
SWEEP_RATIO_MAX = 1.1
SLOW_CLIENTS = 1000
ATTACKERS = 10


def flood(args, attackers_count, seed):
    words = ["--fabric", args.fabric, "--seconds", args.seconds, "--rate", args.rate, "--attackers", attackers_count, "--seed", seed]
    return json.loads(interop.run([interop.tool("flood_load"), *words], timeout=3600).stdout)


def floods(args):
    """Runs all seeds, alternately without and with attackers."""
    return [(flood(args, 0, seed), flood(args, ATTACKERS, seed)) for seed in range(1, args.runs + 1)]


def median_run(runs):
    """The median of each figure over the runs."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def misses_of_a_run(without_flood, with_flood):
    """The requirements on each single run that are not met, as text."""
    if with_flood["unanswered"] > without_flood["unanswered"]:
        yield f"{with_flood['unanswered']} queries without an answer, expected at most {without_flood['unanswered']}"
    if with_flood["repair_s"] < 0:
        yield "no routes without the cut cable became active"
    if with_flood["memory_growth"] > MEMORY_MAX:
        yield f"memory grows by {with_flood['memory_growth']} bytes, expected at most {MEMORY_MAX}"
    if with_flood["log_bytes"] > LOG_PER_SECOND_MAX * with_flood["seconds"]:
        yield f"{with_flood['log_bytes']} bytes of log in {with_flood['seconds']} s, expected at most {LOG_PER_SECOND_MAX} a second"
    if with_flood["disk_bytes"] > DISK_MAX:
        yield f"files grow by {with_flood['disk_bytes']} bytes, expected at most {DISK_MAX}"
    if not with_flood["is_master"]:
        yield "the manager is no longer master"


def misses_of_medians(without_flood, with_flood):
    for key, what in (("p99_us", "99th percentile of path queries"), ("repair_s", "repair of a cable")):
        if with_flood[key] < 0 or with_flood[key] > RATIO_MAX * without_flood[key]:
            yield f"{what}: {with_flood[key]} with flood, {without_flood[key]} without, expected at most {RATIO_MAX} times"


def answer_seconds(manager, path):
    """Seconds until the response; 30 if there is none, or if its status is not 200."""
    begin = time.monotonic()
    try:
        status = manager.http.get(path, timeout=30)[0]
    except OSError:
        return 30.0
    return time.monotonic() - begin if status == 200 else 30.0


def sweep_seconds(manager, count):
    """The median time from the request of a sweep to its end."""
    times = []
    for _ in range(count):
        ups, begin = manager.ups(), time.monotonic()
        status = manager.http.get("/api/v1/sweep", method="POST", headers=bearer(), timeout=60)[0]
        if status != 202:
            return 60.0
        manager.wait_for_up(ups + 1)
        times.append(time.monotonic() - begin)
    return statistics.median(times)


def open_slow_connections(port):
    """Opens slow connections: a third with slow headers, a third with slow bodies, a third with unread answers."""
    head = b"Host: localhost\r\n"
    post = (f"POST /api/v1/what-if HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
            "Content-Length: 60000\r\n\r\n").encode()
    return [attackers.ManyConnections(port, SLOW_CLIENTS // 3, b"GET /api/v1/nodes HTTP/1.1\r\n" + head + b"X-Slow: "),
            attackers.ManyConnections(port, SLOW_CLIENTS // 3, post),
            attackers.ManyConnections(port, SLOW_CLIENTS - 2 * (SLOW_CLIENTS // 3),
                                      (b"GET /api/v1/links?limit=10000 HTTP/1.1\r\n" + head + b"\r\n") * 8, 4096)]


def slow_clients(args):
    """The longest response times and the sweep time, without and with slow clients."""
    attackers.raise_descriptor_limit()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with Manager(folder, "--http_token_file", token_file(folder), emulate=args.fabric, http=True) as manager:
            paths = ["/healthz", "/metrics", "/"] if manager.http.get("/")[0] == 200 else ["/healthz", "/metrics"]
            before = sweep_seconds(manager, args.sweeps)
            slow_connections = open_slow_connections(manager.http.port)
            slowest = dict.fromkeys(paths, 0.0)
            for _ in range(args.sweeps):
                for connections in slow_connections[:2]:
                    connections.send_to_open(b"a")
                slow_connections[2].read_slowly()
                for path in paths:
                    slowest[path] = max(slowest[path], answer_seconds(manager, path))
                time.sleep(0.2)
            during = sweep_seconds(manager, args.sweeps)
            for connections in slow_connections:
                connections.close()
    return {"slowest": slowest, "sweep_s": before, "sweep_beside_s": during}


def misses_of_http(result):
    for path, seconds in result["slowest"].items():
        if seconds > ANSWER_MAX:
            yield f"{path} with {SLOW_CLIENTS} slow clients: {seconds:.2f} s, expected at most {ANSWER_MAX} s"
    if result["sweep_beside_s"] > SWEEP_RATIO_MAX * result["sweep_s"]:
        yield f"a sweep with slow clients: {result['sweep_beside_s']:.3f} s, without {result['sweep_s']:.3f} s, expected at most {SWEEP_RATIO_MAX} times"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", default=interop.weft_binary(), help="the program; its tools are beside it")
    parser.add_argument("--fabric", default="fattree3:k=16", help="spec of the generator (default fattree3:k=16)")
    parser.add_argument("--seconds", type=float, default=20, help="virtual time of a run")
    parser.add_argument("--rate", type=int, default=5000, help="MADs a second of each attacker")
    parser.add_argument("--runs", type=int, default=3, help="seeds; the figures are medians, bounds other than ratios hold in each run")
    parser.add_argument("--sweeps", type=int, default=9, help="timed sweeps without and with slow clients (default 9)")
    parser.add_argument("--quick", action="store_true", help="a small fabric and short runs without requirements, to test the harness")
    parser.add_argument("--json", help="write the results to this file")
    args = parser.parse_args()
    stamped = studies.stamp()
    if args.quick:
        args.fabric, args.seconds, args.rate, args.runs, args.sweeps = "fattree2:k=8", 1, 1000, 1, 1
    os.environ["WEFT"] = args.weft
    runs = floods(args)
    without_flood, with_flood = (median_run(side) for side in zip(*runs))
    http = slow_clients(args)
    rows = [("p99 of path queries, us", without_flood["p99_us"], with_flood["p99_us"]),
            ("median of path queries, us", without_flood["p50_us"], with_flood["p50_us"]),
            ("repair of a cable, s", without_flood["repair_s"], with_flood["repair_s"]),
            ("memory growth, bytes", without_flood["memory_growth"], with_flood["memory_growth"]),
            ("log, bytes", without_flood["log_bytes"], with_flood["log_bytes"]),
            ("files, bytes", without_flood["disk_bytes"], with_flood["disk_bytes"]),
            ("queries without an answer", without_flood["unanswered"], with_flood["unanswered"]),
            ("queries cut off until the repair", without_flood["cut_off"], with_flood["cut_off"]),
            ("requests dropped beyond the share of their port", without_flood["dropped_over_share"], with_flood["dropped_over_share"]),
            ("processor time of the SA, share of a core", without_flood["sa_busy"], with_flood["sa_busy"]),
            ("longest step of the SA, us", without_flood["sa_longest_us"], with_flood["sa_longest_us"]),
            ("processor time of the manager, share of a core", without_flood["sm_busy"], with_flood["sm_busy"]),
            ("heavy sweeps", without_flood["sweeps"], with_flood["sweeps"]),
            ("a sweep with slow HTTP clients, s", http["sweep_s"], http["sweep_beside_s"])]
    print(f"| {without_flood['hosts']} hosts, {with_flood['attackers']} attackers, {with_flood['mads']} MADs in {with_flood['seconds']:.0f} s | "
          "without | with | ratio |\n|---|---|---|---|")
    for what, without, with_load in rows:
        print(f"| {what} | {without:g} | {with_load:g} | {with_load / without if without > 0 else 0:.2f} |")
    for path, seconds in http["slowest"].items():
        print(f"| {path} with {SLOW_CLIENTS} slow clients, s | | {seconds:.3f} | |")
    studies.write(args.json, stamped, {"without": without_flood, "with": with_flood, "http": http})
    misses = [] if args.quick else [*(miss for run in runs for miss in misses_of_a_run(*run)),
                                    *misses_of_medians(without_flood, with_flood), *misses_of_http(http)]
    for miss in misses:
        print(f"miss: {miss}")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
