#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs the benchmarks one after the other (`make bench`). The run continues after a failure; each benchmark that fails or misses a
requirement is named at the end, and the exit status is 1. The JSON files are in build/bench, or with --history in the folder of a release.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import studies

# (name, command, option for the file of results, its suffix). The first word of the command is a script in bench/, or a program in the
# folder of weft.
BENCHMARKS = [
    ("figures", ["figures.py"], "--json", "json"),
    ("compare", ["compare.py"], "--json", "json"),
    ("repair", ["repair.py"], "--json", "json"),
    ("cable", ["cable.py"], "--json", "json"),
    ("auto", ["auto.py"], "--json", "json"),
    ("replies", ["replies.py"], "--json", "json"),
    ("sa", ["sa.py"], "--json", "json"),
    ("sa_bench", ["layer_bench", "--benchmark_filter=^bm_(get_path|table_of)"], None, None),
    ("device_windows", ["device_windows"], None, None),
    ("congestion_bench", ["layer_bench", "--benchmark_filter=^bm_(runs|walk_by_names|permutation_bounds)"], None, None),
    ("simulate", ["simulate.py"], None, None),
    ("jobs", ["jobs.py"], "--json", "json"),
    ("python_tables", ["python_tables.py"], "--json", "json"),
    ("adaptive", ["adaptive.py"], "--output", "jsonl"),
    ("notified_repair", ["notified_repair.py"], "--output", "jsonl"),
    ("flood", ["flood.py"], "--json", "json"),
]
# Benchmarks with files that are stored for a release: compare-runs reads them.
KEPT = {"figures", "compare", "repair"}
HAVE_QUICK = {"figures", "compare", "repair", "auto", "replies", "flood", "jobs"}


def command_of(benchmark, weft, folder, arguments, quick=False):
    name, (program, *words), option, suffix = benchmark
    if not program.endswith(".py"):
        return [str(weft.parent / program), *words]
    command = [sys.executable, str(studies.ROOT / "bench" / program), "--weft", str(weft), *words]
    if option:
        file = folder / f"{name}.{suffix}"
        file.unlink(missing_ok=True)
        command += [option, str(file)]
    return command + (["--quick"] if quick else []) + (arguments if name == "compare" else [])


def run_all(benchmarks, weft, folder, arguments, quick=False, run=subprocess.run):
    """The names of the benchmarks that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for benchmark in benchmarks:
        print(f"\n== {benchmark[0]}", flush=True)
        done = run(command_of(benchmark, weft, folder, arguments, quick), cwd=studies.ROOT, check=False)
        if done.returncode != 0:
            failed.append(f"{benchmark[0]}: exit status {done.returncode}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", default=str(studies.ROOT / "build/release/bin/weft"))
    parser.add_argument("--only", default="", help=f"only benchmarks that match this regular expression: {', '.join(row[0] for row in BENCHMARKS)}")
    parser.add_argument("--history", metavar="VERSION", help="write the JSON files to bench/history/VERSION; runs only benchmarks that "
                        "bench/compare-runs reads")
    parser.add_argument("--quick", action="store_true", help="only benchmarks that have a short form, in that form")
    options, arguments = parser.parse_known_args()  # the other arguments are passed to compare.py
    folder = studies.ROOT / ("bench/history/" + options.history if options.history else "build/bench")
    benchmarks = [row for row in BENCHMARKS if re.search(options.only, row[0]) and (not options.history or row[0] in KEPT) and
                  (not options.quick or row[0] in HAVE_QUICK)]
    if not benchmarks:
        parser.error(f"--only {options.only}: no benchmark matches")
    failed = run_all(benchmarks, pathlib.Path(options.weft).resolve(), folder, arguments, options.quick)
    print(f"\n{len(failed)} of {len(benchmarks)} benchmarks failed or missed a requirement", *failed, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
