#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures for each engine the repair of a failure in a three-level tree: of a cable, a spine, a leaf, a pod, or 1% of the cables between
switches.

On the emulator (repair_load.cpp): processor time of the manager by stage, SMPs, blocks, and the time from the failure to the last SMP on the
wire, with agents that take 1 us and 10 us for each SMP. Processor time does not advance the emulator's clock; "total" is the sum of processor
time and time on the wire, as if the two did not overlap. A row is 'HOSTS FAILURE ENGINE'; engines with names that begin with ar_ use adaptive routing.

On ibsim, up to 3,456 hosts and without adaptive routing: the time from trap 128 to SUBNET UP in the logs of Weft and of OpenSM, measured alternately;
the name of such a row ends with 'ibsim'.

Exit status 1 if a row fails or misses its requirement. All these rows are named at the end. The processor time is the time of one thread.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cable
import fabrics
import figures
import samples
import studies
from fabrics import interop

FABRICS = {1024: "fattree3:k=16", 3456: "fattree3:k=24", 11664: "fattree3:k=36", 43008: "fattree3:k=64,pods=42"}
FAILURES = ["cable", "spine", "leaf", "pod", "percent"]
PLAIN = ["minhop", "updn", "ftree", "dfsssp", "nue"]
ADAPTIVE = ["ar_updn", "ar_ftree"]
IBSIM_HOSTS_MAX = 3456
STAGES = ["observe", "read_tables", "lids", "route", "verify", "plan", "order", "program"]  # "order" is a part of "plan"
# Limits for one cable: processor time at 3,456 hosts, and time from the failure to the last SMP at 43,008. Engines that are not for trees have twice the limit.
PROCESSOR_MAX = {3456: 0.010}
TOTAL_MAX = {43008: 0.100}
TWICE = {"dfsssp", "nue"}
QUICK = {"hosts": 16, "fabric": "fattree3:k=4"}


def loaded(spec, engine, failure, *options):
    command = [interop.tool("repair_load"), spec, engine, failure, *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode != 0:
        raise AssertionError(f"repair_load ends with status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"[:400])
    return json.loads(done.stdout)


def emulated(name, hosts, spec, engine, failure, runs):
    """Measures a row on the emulator. SMPs, blocks and times to the last SMP are equal in all runs."""
    size = {"cas": 43008, "switches": 3712} if hosts > 16 else {"cas": hosts, "switches": 20}
    unit = figures.Measurement()
    taken = []
    for _ in range(runs):
        figures.copy_once(unit, size)
        taken.append(loaded(spec, engine, failure))
    slow = loaded(spec, engine, failure, "--us-per-smp", 10)
    interop.check(all(each["smps"] == taken[0]["smps"] for each in taken), f"{name}: the runs have different numbers of SMPs: {[each['smps'] for each in taken]}")
    first = taken[0]
    processor = samples.summary([each["processor_seconds"] for each in taken])
    return {"name": name, "hosts": hosts, "engine": engine, "failure": failure, "processor": samples.as_json(processor),
            "samples": [each["processor_seconds"] for each in taken], "of_t": samples.as_json(samples.ratio(processor, samples.summary(unit.unit))),
            "stages": {stage: samples.summary([each["stages"][stage] for each in taken]).median for stage in STAGES},
            "emulator_seconds": first["emulator_seconds"], "smps": first["smps"], "blocks": first["blocks"], "port_sets": first["port_sets"],
            "rounds": first["rounds"], "sweeps": first["sweeps"], "incremental": first["incremental"],
            "us_at_1": round(first["wire_seconds"] * 1e6), "us_at_10": round(slow["wire_seconds"] * 1e6)}


def on_ibsim(name, hosts, spec, engine, failure, runs, work):
    """Measures a row on ibsim: Weft and OpenSM alternately."""
    net = work / "fabric.net"
    interop.weft("convert", spec, net, "--to", "ibsim")
    ends = [(f"S-{guid}", port) for guid, port in loaded(spec, engine, failure, "--cut")["cut"]]
    rounds = iter(range(10 ** 9))

    def side(manager, command, options):
        return lambda: cable.cut_and_measure(net, work / f"{manager}-{next(rounds)}", manager, command, ["-R", engine, *options], ends)[0]

    taken = samples.interleaved({"weft": side("weft", cable.WEFT["command"], []),
                                 "opensm": side("opensm", cable.OPENSM["command"], fabrics.OPENSM_OPTIONS.get(engine, []))}, runs)
    weft, opensm = samples.summary(taken["weft"]), samples.summary(taken["opensm"])
    return {"name": name, "hosts": hosts, "engine": engine, "failure": failure, "samples": taken, "weft": samples.as_json(weft),
            "opensm": samples.as_json(opensm), "ratio_to_opensm": samples.as_json(samples.ratio(opensm, weft))}


def misses(row):
    """The requirements that a row of the emulator violates."""
    if row["failure"] != "cable":
        return
    times = 2 if row["engine"] in TWICE else 1
    processor = row["processor"]["median"]
    if (limit := PROCESSOR_MAX.get(row["hosts"])) and processor > times * limit:
        yield f"{row['name']}: processor time {processor * 1e3:.1f} ms, expected at most {times * limit * 1e3:.0f} ms"
    total = processor + row["us_at_1"] / 1e6
    if (limit := TOTAL_MAX.get(row["hosts"])) and total > times * limit:
        yield f"{row['name']}: {total * 1e3:.1f} ms to the last SMP, expected at most {times * limit * 1e3:.0f} ms"


HEADER = ("row", "processor, ms", *STAGES, "SMPs", "blocks", "at 1 us: wire, ms", "total, ms", "at 10 us: wire, ms", "total, ms")


def cells(row):
    processor = row["processor"]["median"] * 1e3
    wires = [row[key] / 1e3 for key in ("us_at_1", "us_at_10")]
    return (row["name"], samples.number(processor), *(samples.number(row["stages"][stage] * 1e3) for stage in STAGES), str(row["smps"]),
            str(row["blocks"]), *(samples.number(value) for wire in wires for value in (wire, wire + processor)))


def line_of(values):
    return "| " + " | ".join(values) + " |"


def rows_of(options):
    """(name of the row, function that measures the row)."""
    sizes = {QUICK["hosts"]: QUICK["fabric"]} if options.quick else FABRICS
    for hosts, spec in sizes.items():
        for failure in FAILURES:
            for engine in PLAIN + ADAPTIVE:
                name = f"{hosts} {failure} {engine}"
                yield name, lambda a=(name, hosts, spec, engine, failure): emulated(*a, options.runs)
                if engine in PLAIN and hosts <= IBSIM_HOSTS_MAX and not options.quick:
                    yield f"{name} ibsim", lambda a=(f"{name} ibsim", hosts, spec, engine, failure): ibsim_row(*a, options.runs)


def ibsim_row(*words):
    with tempfile.TemporaryDirectory(prefix="weft-repair-") as scratch:
        return on_ibsim(*words, pathlib.Path(scratch))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary; repair_load and table_copy are beside it (default: the release build)")
    parser.add_argument("--only", default="", help="only rows with names that match this regular expression, such as '^3456 cable .*(updn|nue)$'")
    parser.add_argument("--runs", type=int, default=3, help="samples of a row (default 3)")
    parser.add_argument("--quick", action="store_true", help="a small fabric without requirements, to test the harness")
    parser.add_argument("--json", default="build/bench/repair.json", help="write the figures to this file")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())
    selected = [(name, measure) for name, measure in rows_of(options) if re.search(options.only, name)]
    if not selected:
        parser.error(f"--only {options.only}: no row matches")
    stamped = studies.stamp()
    print(studies.machine_line(stamped), line_of(HEADER), "|" + "---|" * len(HEADER), sep="\n")
    rows, failed = [], []
    for name, measure in selected:
        try:
            row = measure()
        except (AssertionError, subprocess.SubprocessError, OSError, ValueError) as error:
            failed.append(f"{name}: {error}".splitlines()[0][:300])
            print(failed[-1], flush=True)
            continue
        rows.append(row)
        print(line_of(cells(row)) if "processor" in row else
              f"{name}, s: weft {samples.from_json(row['weft'])}, opensm {samples.from_json(row['opensm'])}: "
              f"{samples.from_json(row['ratio_to_opensm'])} times", flush=True)
    missed = [] if options.quick else [miss for row in rows if "processor" in row for miss in misses(row)]
    print(f"\n{len(failed)} rows failed", *failed, sep="\n  ")
    print(f"{len(missed)} requirements not met", *missed, sep="\n  ")
    studies.write(options.json, stamped, {"clocks": {"processor": "processor time of the process without the emulator",
                                                     "wire": "the emulator's virtual clock", "ibsim": "time of day in each log"},
                                          "runs": options.runs, "rows": rows, "failed": failed, "missed": missed})
    return 1 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
