#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures 1,000 runs of bisect on 11,664 hosts (3-level tree of 36-port switches, routed by updn), with threads and with MPI ranks: the wall
time of the whole command (median of --rounds), and whether all outputs are equal. The time of one run is subtracted as start-up time.

Usage: bench/simulate.py [--weft BINARY] [--rounds 3] [--runs 1000] [--fabric SPEC]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def timed(command):
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return time.monotonic() - begun, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(ROOT / "build/release/bin/weft"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--fabric", default="fattree3:k=36")
    options = parser.parse_args()
    study = ["simulate", options.fabric, "-R", "updn", "-p", "bisect", "--metric", "hist_acc_band", "--seed", "1", "-n"]
    mpi = pathlib.Path(options.weft).with_name("weft-mpi")
    shapes = [("1 thread", [options.weft], ["--threads", "1"]), ("2 threads", [options.weft], ["--threads", "2"])]
    if mpi.exists():
        shapes += [(f"{ranks} MPI rank{'s' if ranks > 1 else ''}",
                    ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), str(mpi)], ["--threads", "1"])
                   for ranks in (1, 2, 4)]
    print(f"{options.runs} runs of bisect on {options.fabric}, {os.cpu_count()} cores\n")
    print("| processors | seconds, total | seconds, runs only | runs per second |\n|---|---|---|---|")
    outputs = set()
    for name, program, threads in shapes:
        whole, empty = [], []
        for _ in range(options.rounds):
            seconds, text = timed([*program, *study, str(options.runs), *threads])
            outputs.add(text)
            whole.append(seconds)
            empty.append(timed([*program, *study, "1", *threads])[0])
        runs = max(1e-9, statistics.median(whole) - statistics.median(empty))
        print(f"| {name} | {statistics.median(whole):.2f} | {runs:.2f} | {options.runs / runs:.0f} |", flush=True)
    print(f"\nEqual outputs: {'yes' if len(outputs) == 1 else 'NO'}")
    sys.exit(0 if len(outputs) == 1 else 1)


if __name__ == "__main__":
    main()
