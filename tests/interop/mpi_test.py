#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares weft-mpi with weft: the output is equal for 1, 2 and 4 ranks and for 1 and 8 threads. Also tests a rank that is killed, and an
unreadable fabric.

Usage: mpi_test.py same | killed | refused
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check, wait_for

RUNS = 20_000_000  # enough that a rank is killed before the last run
STUDIES = [
    ["fattree3:k=8", "-R", "updn", "-p", "bisect_fb_sym", "--metric", "hist_acc_band", "-n", "300", "--seed", "3"],
    ["torus:4x4,hosts=2", "-R", "nue", "-p", "bruck", "--metric", "hist_max_cong", "-n", "97"],
    ["fattree2:k=8", "-R", "minhop", "-p", "ptrnvsptrn", "-f", "tree", "-c", "bisect", "--metric", "dep_max_delay", "-n", "50", "--json"],
    ["torus:4x4,hosts=2", "-R", "updn", "--failures", "1", "--victims", "both", "--no-times", "--json"],
    ["fattree3:k=8", "-R", "updn", "--metric", "hist_acc_band", "--until-error", "0.005"],
    ["fattree3:k=8", "-R", "updn", "-p", "adversarial:3", "--metric", "hist_max_cong"],
    ["fattree2:k=6", "-R", "updn", "--failures", "3", "--trials", "20", "--no-times", "--seed", "9"],
]


def mpirun(ranks, *options):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", *options, "-n", str(ranks), interop.tool("weft-mpi"), "simulate"]


def same():
    for study in STUDIES:
        alone = interop.weft("simulate", *study, "--threads", 1).stdout
        check(len(alone) > 100, f"no result: {alone}")
        check(interop.weft("simulate", *study, "--threads", 8).stdout == alone, f"8 threads give other bytes: {study}")
        for ranks in (1, 2, 4):
            shared = interop.run([*mpirun(ranks), *study]).stdout
            check(shared == alone, f"{ranks} ranks give other bytes: {study}")
    print(f"{len(STUDIES)} studies: the same bytes for 1 and 8 threads, and for 1, 2 and 4 ranks")


def killed():
    """If one of three ranks is killed, the job ends with partial results and reports the number of completed runs."""
    with tempfile.TemporaryDirectory(prefix="weft-mpi-") as scratch:
        scratch = pathlib.Path(scratch)
        study = ["fattree3:k=8", "-R", "updn", "--metric", "hist_acc_band", "-n", str(RUNS), "--threads", "1"]
        with open(scratch / "out", "w") as out, open(scratch / "err", "w") as err:
            # With this timeout rank 0 prints its results before mpirun kills it, also on a slow machine.
            job = subprocess.Popen([*mpirun(3, "--mca", "odls_base_sigkill_timeout", "15"), *study], stdout=out, stderr=err)
            workers = lambda: [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_rank(int(pid), job.pid)]
            # Each rank has completed some of its 64 parts.
            wait_for("work of three ranks", lambda: len(pids := workers()) == 3 and min(map(interop.cpu_seconds, pids)) > 4)
            os.kill(max(workers()), signal.SIGKILL)
            status = job.wait(timeout=interop.PATIENCE)
        text, messages = (scratch / "out").read_text(), (scratch / "err").read_text()
        check(status != 0, "exit status 0 although a rank was killed")
        match = re.search(rf"these are the results of (\d+) of {RUNS} runs", messages)
        check(match and int(match[1]) > 0, f"number of runs not reported: {messages}")
        counts = [int(n) for n in re.findall(rf"(\d+) of the {match[1]} runs", text)]
        check(sum(counts) == int(match[1]), f"the bins do not add up to {match[1]} runs: {text}")
        print(f"a rank was killed: the results of {match[1]} runs were printed")


def is_rank(pid, job):
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        parent = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, ValueError):
        return False
    return parent == job and words[0].endswith(b"weft-mpi")


def refused():
    done = interop.run([*mpirun(2), "/nonexistent.dot"], check=False)
    check(done.returncode in (2, 3) and done.stderr.count("/nonexistent.dot") == 1, f"status {done.returncode}: {done.stderr}")
    done = interop.run([*mpirun(2), "fattree2:k=4", "-R", "updn", "-p", "nonsense"], check=False)
    check(done.returncode == 2 and "nonsense" in done.stderr, f"status {done.returncode}: {done.stderr}")
    print("refused: one message, and the exit status of cli.md")


if __name__ == "__main__":
    {"same": same, "killed": killed, "refused": refused}[sys.argv[1]]()
