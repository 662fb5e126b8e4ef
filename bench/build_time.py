#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the build without a compiler cache, in a temporary folder.

Prints processor time (user and system, of all processes) and elapsed time of three builds: `weft` with the page; all targets,
tests included; the test of one engine after an edit of the engine, with the run of the test. The edit is simulated by a new modification time.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINE, PROGRAM, ENGINE_TESTS = ROOT / "src/routing/nue/nue.cpp", "routing_tests", "Nue*"


def measured(commands):
    """Runs the commands; returns their processor time and elapsed time in seconds."""
    def processor_seconds():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    environment = dict(os.environ, CCACHE_DISABLE="1")
    before, begin = processor_seconds(), time.monotonic()
    for command in commands:
        subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    return processor_seconds() - before, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), help="default: the number of processors")
    jobs = parser.parse_args().jobs
    with tempfile.TemporaryDirectory(prefix="weft-build-") as folder:
        build = ["ninja", "-C", folder, f"-j{jobs}"]
        measured([["cmake", "--preset", "release", "-B", folder]])
        rows = [("weft and the page", measured([build + ["weft", "web"]])),
                ("tests and the rest", measured([build]))]
        os.utime(ENGINE)
        rows.append(("one engine and its test, run included", measured([build + [PROGRAM], [f"{folder}/bin/{PROGRAM}", f"--gtest_filter={ENGINE_TESTS}"]])))
    print("| build without a compiler cache | processor time, s | elapsed, s |\n|---|---|---|")
    for name, (processor, elapsed) in rows:
        print(f"| {name} | {processor:.0f} | {elapsed:.0f} |")


if __name__ == "__main__":
    main()
