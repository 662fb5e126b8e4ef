#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures times and memory of Weft on a subnet of 43,008 hosts and on an irregular fabric. Times are in units of T: the time of one
memcpy of all forwarding tables of that subnet with two threads (table_copy.cpp).
A machine that is slower or busy has a longer T too, so multiples of T can be compared across machines and runs.

In every round each figure is measured after a new measurement of T, with two threads. A figure is the ratio of the medians, with its interval
(samples.py). The routes of SCALED are also computed with one thread. Exit status 1 if a figure fails or misses its limit, or if two threads are
not SPEED_UP times as fast as one. All these figures are named at the end.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import sys

import samples
import studies
from fabrics import interop

FULL = "xgft:m=32x32x42,w=1x32x32"  # 43,008 hosts, 3,712 switches: 46,720 of the 49,151 unicast LIDs
IRREGULAR = "random:n=1000,degree=16,hosts=4,seed=1"
SMALL = "xgft:m=4x4x4,w=1x4x4"
COPIES = 9  # copies of the tables for one sample of T, which is their median
THREADS = 2  # threads of weft, as many as for T
CLOCKS = {"T": "monotonic clock in table_copy", "weft": "monotonic clock in the process: seconds.* of weft route --json",
          "transition, verify_cable": "monotonic clock in the process: real time of one iteration"}

# (name, fabric, engine, {member of seconds: limit in T or None}, limit of memory in bytes or None)
ROUTES = [
    ("updn", FULL, "updn", {"route": None, "verify": 40, "quality": 30}, 200e6),
    ("ftree", FULL, "ftree", {"route": None, "verify": 40}, 200e6),
    ("dfsssp", FULL, "dfsssp", {"route": None, "verify": 80, "quality": 30}, 200e6),
    ("ar_updn", FULL, "ar_updn", {"route": 40, "verify": 250, "quality": None}, 400e6),
    ("auto", FULL, "auto", {"route": 300}, None),
    ("random dfsssp", IRREGULAR, "dfsssp", {"route": 40}, None),
    ("random nue", IRREGULAR, "nue", {"route": 26}, None),
    ("random lash", IRREGULAR, "lash", {"route": 14}, None),
]
SCALED = {"updn", "dfsssp", "auto"}
SPEED_UP = 1.8  # required with two threads
ONE_THREAD = ", 1 thread"
# The planning of updates, and incremental verification after one cable fails: {name of the figure: regular expression of benchmarks}.
BENCHMARKS = {"transition": "bm_transition/hosts:(3456|43008)/", "verify_cable": "bm_verify_cable/(ar_)?updn/hosts:43008/threads:2/"}
QUICK_BENCHMARKS = {"transition": "bm_transition/hosts:16(/|$)", "verify_cable": "bm_verify_cable/updn/hosts:16/threads:2/"}
BENCHMARK_LIMITS = {"bm_transition/hosts:3456": 11, "bm_transition/hosts:43008": 3, "bm_verify_cable/updn/hosts:43008/threads:2": 4,
                  "bm_verify_cable/ar_updn/hosts:43008/threads:2": 25}
QUICK_ROUTES = [("updn", SMALL, "updn", {"route": None, "verify": None}, None)]


class Measurement:
    """The samples of T and of every figure."""

    def __init__(self):
        self.unit = []
        self.seconds = {}  # name: samples
        self.limits = {}   # name: limit in T
        self.memory = {}   # name: (bytes, limit)
        self.failed = {}   # name: reason

    def add(self, name, seconds, limit=None):
        self.seconds.setdefault(name, []).append(seconds)
        self.limits[name] = limit


def copy_once(measurement, size, copies=COPIES):
    lids = size["switches"] + size["cas"]
    done = json.loads(interop.run([interop.tool("table_copy"), lids, size["switches"], copies]).stdout)
    measurement.unit.append(statistics.median(done["seconds"]))


def routed(fabric, engine, threads):
    report = interop.weft_json("route", fabric, "-R", f"{engine},no_fallback", "--threads", threads, check=False, timeout=1800)
    interop.check(report["engine"], report.get("error") or f"{engine} found no routes")
    interop.check(report["verify"]["pass"], f"the routes fail the verification: {report['verify']['why']}")
    return report


def route_once(measurement, row):
    name, fabric, engine, members, memory = row
    report = routed(fabric, engine, THREADS)
    for member, limit in members.items():
        measurement.add(f"{name}: {member}", report["seconds"][member], limit)
    peak = max(report["peak_rss_bytes"], measurement.memory.get(name, (0,))[0])
    measurement.memory[name] = (peak, memory)
    if name in SCALED:
        seconds = routed(fabric, engine, 1)["seconds"]
        for member in members:
            measurement.add(f"{name}: {member}{ONE_THREAD}", seconds[member])


def benchmarks_once(measurement, names):
    command = [interop.tool("layer_bench"), "--benchmark_format=json", "--benchmark_min_time=0.01", f"--benchmark_filter={names}"]
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    for each in json.loads(interop.run(command, timeout=1800).stdout)["benchmarks"]:
        name = each["name"].removesuffix("/real_time").removesuffix("/process_time")
        measurement.add(name, each["real_time"] * scale[each["time_unit"]], BENCHMARK_LIMITS.get(name))


def steps_of(measurement, options):
    """(name, function) of all figures that a round measures in addition to T."""
    for row in QUICK_ROUTES if options.quick else ROUTES:
        if re.search(options.only, row[0]):
            yield row[0], lambda row=row: route_once(measurement, row)
    for benchmark, names in (QUICK_BENCHMARKS if options.quick else BENCHMARKS).items():
        if re.search(options.only, benchmark):
            yield benchmark, lambda names=names: benchmarks_once(measurement, names)


def measure(options):
    measurement = Measurement()
    size = interop.weft_json("route", SMALL if options.quick else FULL, "-R", "minhop", "--verify=off", timeout=1800)["fabric"]
    for index in range(options.runs):
        for name, step in steps_of(measurement, options):
            if name in measurement.failed:
                continue
            copy_once(measurement, size)
            try:
                step()
            except (AssertionError, OSError, ValueError, KeyError, TypeError) as error:
                measurement.failed[name] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        print(f"round {index + 1} of {options.runs} measured", flush=True)
    return measurement


def figures_of(measurement):
    """A row for each figure, and one for the memory of each route."""
    unit = samples.summary(measurement.unit)
    rows = []
    for name, seconds in measurement.seconds.items():
        summary = samples.summary(seconds)
        multiple = samples.ratio(summary, unit)
        limit = measurement.limits[name]
        rows.append({"name": name, "seconds": samples.as_json(summary), "samples": seconds, "of_t": samples.as_json(multiple),
                     "limit_of_t": limit, "miss": limit is not None and multiple.median > limit})
    memory = [{"name": f"{name}: memory", "bytes": peak, "limit_bytes": limit, "miss": limit is not None and peak > limit}
              for name, (peak, limit) in measurement.memory.items()]
    return rows, memory


def speed_ups(measurement):
    """A row for each figure that was also measured with one thread: the time with one thread divided by the time with two."""
    rows = []
    for name, seconds in measurement.seconds.items():
        if name + ONE_THREAD in measurement.seconds:
            ratio = samples.ratio(samples.summary(measurement.seconds[name + ONE_THREAD]), samples.summary(seconds))
            rows.append({"name": name, "speed_up": samples.as_json(ratio), "limit": SPEED_UP, "miss": ratio.median < SPEED_UP})
    return rows


def conclusion(rows, memory, failed, ignore_limits=False, scaling=()):
    """(exit status, lines): the figures that failed, and the figures that miss their limits."""
    misses = [f"{row['name']}: {samples.number(row['of_t']['median'])} T, expected at most {row['limit_of_t']} T" for row in rows if row["miss"]]
    misses += [f"{row['name']}: {row['bytes'] / 1e6:.0f} MB, expected at most {row['limit_bytes'] / 1e6:.0f} MB" for row in memory if row["miss"]]
    misses += [f"{row['name']}: {samples.number(row['speed_up']['median'])} times as fast with two threads, expected at least {row['limit']}"
               for row in scaling if row["miss"]]
    lines = [f"{len(failed)} figures failed", *(f"  {name}: {why}" for name, why in failed.items())]
    if not ignore_limits:
        lines += [f"{len(misses)} limits missed", *(f"  {miss}" for miss in misses)]
    return (1 if failed or (misses and not ignore_limits) else 0), lines


def table(rows, memory, scaling=()):
    lines = ["| figure | ms | multiple of T | limit, T |", "|---|---|---|---|"]
    for row in rows:
        milliseconds = {name: value * 1e3 if name in ("median", "low", "high") else value for name, value in row["seconds"].items()}
        lines.append(f"| {row['name']} | {samples.from_json(milliseconds)} | {samples.from_json(row['of_t'])} | {row['limit_of_t'] or ''} |")
    lines += ["", "| peak memory of | MB | limit, MB |", "|---|---|---|"]
    lines += [f"| {row['name'].removesuffix(': memory')} | {row['bytes'] / 1e6:.0f} | "
              f"{f'''{row['limit_bytes'] / 1e6:.0f}''' if row['limit_bytes'] else ''} |" for row in memory]
    if scaling:
        lines += ["", "| figure | time with one thread / with two | expected |", "|---|---|---|"]
        lines += [f"| {row['name']} | {samples.from_json(row['speed_up'])} | {row['limit']} |" for row in scaling]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary; table_copy and layer_bench are beside it (default: the release build)")
    parser.add_argument("--runs", type=int, default=7, help="rounds (default 7)")
    parser.add_argument("--only", default="", help="only figures that match this regular expression: "
                        f"{', '.join([*(row[0] for row in ROUTES), *BENCHMARKS])}")
    parser.add_argument("--quick", action="store_true", help="a small fabric without limits, to test the harness")
    parser.add_argument("--json", default="build/bench/figures.json", help="write the figures to this file")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())
    stamped = studies.stamp()
    measurement = measure(options)
    if not measurement.unit:
        parser.error(f"--only {options.only}: no figure matches")
    rows, memory = figures_of(measurement)
    scaling = speed_ups(measurement)
    unit = samples.summary(measurement.unit)
    status, lines = conclusion(rows, memory, measurement.failed, options.quick, scaling)
    print(f"T = {samples.number(unit.median * 1e3)} ms ({samples.number(unit.low * 1e3)} to {samples.number(unit.high * 1e3)}); "
          f"{options.runs} rounds, medians with {samples.CONFIDENCE:.0%} intervals; {studies.machine_line(stamped)}")
    print(*table(rows, memory, scaling), "", *lines, sep="\n")
    studies.write(options.json, stamped, {"clocks": CLOCKS, "runs": options.runs, "t_seconds": samples.as_json(unit), "t_samples": measurement.unit,
                                          "figures": rows, "memory": memory, "speed_ups": scaling, "failed": measurement.failed})
    return status


if __name__ == "__main__":
    sys.exit(main())
