#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures jobs on a fat tree: the time of Weft's flow simulator compared with SimGrid for the same messages, and time and memory of a
training step of 16,384 ranks. Requirements: job times that differ by at most 5% from those of SimGrid, 50 times faster than SimGrid on 1,024
ranks, the training step within a minute and 8 GB.

Usage: bench/jobs.py [--weft BINARY] [--quick] [--json FILE]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import studies

COST_FREE = "start_up=0,hop_latency=0"
STEP = ("training,tensor=8,pipeline=8,data=256,server_hosts=8,micro_batches=16,layers=4,tensor_bytes=64MiB,pipeline_bytes=16MiB,"
        "gradient_bytes=1GiB,forward=10ms,local_rate=450GB/s")
QUICK_STEP = STEP.replace("data=256", "data=4").replace("tensor=8", "tensor=4").replace("server_hosts=8", "server_hosts=4")


def compare_with_simgrid(program, fabric, sizes):
    """Returns a row for each job and number of ranks. A simulation of SimGrid is ended after a minute plus 60 times the time of Weft; the ratio
    of the row is then a lower bound."""
    rows = []
    for job in ("allreduce:ring", "alltoall:pairwise"):
        for ranks in sizes:
            spec = f"{job},ranks={ranks},bytes=1GiB,{COST_FREE}"
            done = subprocess.run([str(program), fabric, "ftree", spec, "60"], capture_output=True, text=True, check=True)
            row = {"job": job, "ranks": ranks, **json.loads(done.stdout)}
            own, other = row["weft"], row["simgrid"]
            row["ratio"] = other["elapsed"] / own["elapsed"]
            row["difference"] = abs(own["job_seconds"] / other["job_seconds"] - 1) if other["ended"] else 0
            above, difference = ("", f"{100 * row['difference']:.4f}%") if other["ended"] else ("more than ", "")
            print(f"| {job} | {ranks:,} | {row['messages']:,} | {own['elapsed']:.2f} | {above}{other['elapsed']:.1f} | {above}{row['ratio']:.0f} "
                  f"| {difference} |", flush=True)
            rows.append(row)
    return rows


def training_step(weft, fabric, job):
    begun = time.monotonic()
    done = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
                           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(done.returncode)",
                           weft, "simulate", fabric, "-R", "ftree", "--job", job, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)["job"]
    row = {"ranks": report["ranks"], "messages": report["messages"], "seconds": report["seconds"], "elapsed": time.monotonic() - begun,
           "memory_gb": int(done.stderr.split()[-1]) / 1e6}
    print(f"\nTraining step of {row['ranks']:,} ranks on {fabric}: {row['messages']:,} messages, {row['elapsed']:.1f} s with routing, "
          f"{row['memory_gb']:.2f} GB")
    return row


def misses(results, ignore_time):
    """The requirements that the results violate, as text."""
    for row in results.get("simgrid", []):
        name = f"{row['job']}, {row['ranks']} ranks"
        if row["difference"] > 0.05:
            yield f"{name}: the time of the job differs from SimGrid by {row['difference']:.1%}, expected at most 5%"
        if not ignore_time and row["ranks"] == 1024 and row["ratio"] < 50:
            yield f"{name}: {row['ratio']:.1f} times as fast as SimGrid, expected at least 50"
    step = results["step"]
    if not ignore_time and step["elapsed"] > 60:
        yield f"training step: {step['elapsed']:.1f} s, expected at most 60 s"
    if not ignore_time and step["memory_gb"] > 8:
        yield f"training step: {step['memory_gb']:.2f} GB, expected at most 8 GB"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(studies.ROOT / "build/release/bin/weft"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    program = pathlib.Path(options.weft).with_name("simgrid_jobs")
    results = {}
    if program.exists():
        print("| job | ranks | messages | Weft, s | SimGrid, s | ratio | difference of the job's time |\n|---|---|---|---|---|---|---|")
        fabric, sizes = ("fattree3:k=8", [64]) if options.quick else ("fattree3:k=16", [128, 1024])
        results["simgrid"] = compare_with_simgrid(program, fabric, sizes)
    else:
        print("simgrid_jobs is not built (SimGrid is not installed or not enabled): no rows of SimGrid")
    results["step"] = training_step(options.weft, *(("fattree3:k=12", QUICK_STEP) if options.quick else ("fattree3:k=42", STEP)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    missed = list(misses(results, options.quick))
    if missed:
        sys.exit("\n  ".join([f"{len(missed)} requirements not met", *missed]))


if __name__ == "__main__":
    main()
