#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures readings of the counters of all ports on emulated fabrics with agents that take 200 us for each answer: 1,024 hosts every second and
11,664 hosts every ten seconds. Also measures heavy sweeps alone and during readings. Prints a Markdown table; times are medians, with the
smallest and the largest time of the runs in brackets. Virtual time is the time of the emulated fabric. Processor time is the time of the performance
manager without the emulator.
Exit status 1 if a reading takes longer than its interval, in virtual time or in processor time, or if an agent does not answer.

Usage: telemetry.py --load build/release/bin/telemetry_load [--quick] [--answer-us N] [--readings N] [--database]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

FABRICS = [("fattree3:k=16", 1), ("fattree3:k=36", 10)]
QUICK = [("fattree2:k=4", 1)]
COLUMNS = ["fabric", "hosts", "interval, s", "requests of a reading", "outstanding at a time", "reading, virtual s", "processor time of a reading, s",
           "heavy sweep alone, virtual s", "during readings"]


def median(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", required=True, type=pathlib.Path, help="path of telemetry_load")
    parser.add_argument("--quick", action="store_true", help="a small fabric")
    parser.add_argument("--answer-us", type=int, default=200, help="time of an agent for each answer (200), in us")
    parser.add_argument("--readings", type=int, default=5, help="readings of a fabric (default 5)")
    parser.add_argument("--database", action="store_true", help="also write perfmgr.sqlite; its time counts")
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" + "---:|" * (len(COLUMNS) - 1))
    failed = []
    for spec, interval in QUICK if arguments.quick else FABRICS:
        with tempfile.TemporaryDirectory(prefix="weft-telemetry-") as folder:
            command = [arguments.load, spec, interval, arguments.readings, arguments.answer_us]
            if arguments.database:
                command.append(f"{folder}/perfmgr.sqlite")
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True)
        got = json.loads(done.stdout)
        for what, key in (("virtual time", "reading_s"), ("processor time", "manager_cpu_s")):
            if max(got[key]) > interval:
                failed.append(f"{spec}: {what} of a reading {max(got[key]):.3f} s, expected at most {interval} s")
        if got["silent"] > 0:
            failed.append(f"{spec}: {got['silent']} requests without an answer, expected 0")
        print(f"| `{spec}` | {got['hosts']:,} | {interval} | {got['requests']:,} | {got['outstanding']} | {median(got['reading_s'])} | "
              f"{median(got['manager_cpu_s'])} | {median(got['sweep_alone_s'])} | {median(got['sweep_with_s'])} |", flush=True)
    if failed:
        raise SystemExit("\n".join(failed))


if __name__ == "__main__":
    main()
