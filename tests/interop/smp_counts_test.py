#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the number of SMPs of each method and attribute that `weft sm` sends to fabrics of ibsim with stored numbers, so that no change adds
requests to devices that announce no vendor-specific attributes. Each fabric is brought up, and then managed by a second run of the program, which
must not write any forwarding table.

UPDATE_GOLDEN=1 stores the numbers in smp_counts.json. Standard library only. Usage: smp_counts_test.py
"""
import json
import os
import pathlib
import tempfile

import weft_interop as interop
from smp_tap import SmpTap
from weft_interop import check

STORED = pathlib.Path(__file__).parent / "smp_counts.json"
METHODS = {1: "Get", 2: "Set"}
TABLES = {0x0019: "LFT", 0x001B: "MFT", 0x0017: "SL2VL", 0x0018: "VL arbitration", 0x0016: "P_Key"}
# name: (spec, device id of switches, arguments)
FABRICS = {
    "two-level fat tree": ("fattree2:k=4", None, []),
    "two-level fat tree of Quantum switches": ("fattree2:k=4", "0xd2f0", []),
    "three-level fat tree, ftree": ("fattree3:k=4", None, ["-R", "ftree"]),
    "torus, nue, LMC 1": ("torus:3x3,hosts=1", None, ["-R", "nue", "-l", "1"]),
    "mesh, dor, QoS": ("mesh:3x3,hosts=1", None, ["-R", "dor", "-Q"]),
    "dragonfly, dfsssp": ("dragonfly:a=2,h=1,p=2", None, ["-R", "dfsssp"]),
    "damaged random fabric, updn": ("random:n=10,degree=4,hosts=2,seed=7,fail=3", None, ["-R", "updn"]),
    "ring, lash": ("ring:n=5,hosts=2", None, ["-R", "lash"]),
}


def write_net(folder, spec, device_id):
    net = folder / "fabric.net"
    interop.weft("generate", spec, "-o", net)
    if device_id:
        text = net.read_text()
        net.write_text("\n".join(f"vendid=0x2c9\ndevid={device_id}\n{line}" if line.startswith("Switch") else line
                                 for line in text.splitlines()) + "\n")
    return net


def counts_of(sim, folder, arguments):
    tap = SmpTap(folder.with_suffix(".tap"))
    report = json.loads(interop.weft_once(sim, folder, *arguments, "--json", tap=tap).output)
    check(report["up"] and report["smps"]["timed_out"] == 0, report)
    return {f"{METHODS.get(method, method)} 0x{attribute:04x}": count for (method, attribute), count in sorted(tap.counts().items())}


def count_all(folder):
    found = {}
    for number, (name, (spec, device_id, arguments)) in enumerate(FABRICS.items()):
        own = folder / str(number)
        own.mkdir()
        with interop.Ibsim(write_net(own, spec, device_id)) as sim:
            found[name] = {run: counts_of(sim, own / run, arguments) for run in ("first", "second")}
    return found


def main():
    with tempfile.TemporaryDirectory(prefix="weft-smp-counts-") as name:
        found = count_all(pathlib.Path(name))
    if os.environ.get("UPDATE_GOLDEN"):
        STORED.write_text(json.dumps(found, indent=1) + "\n")
    stored = json.loads(STORED.read_text())
    check(list(stored) == list(FABRICS), f"{STORED} has the fabrics {list(stored)}, expected {list(FABRICS)}")
    for fabric, runs in found.items():
        for run, counts in runs.items():
            wanted = stored[fabric][run]
            differing = {smp: (counts.get(smp, 0), wanted.get(smp, 0)) for smp in {*counts, *wanted} if counts.get(smp) != wanted.get(smp)}
            check(not differing, f"{fabric}, {run} run: SMPs (found, expected): {differing}")
        written = [name for attribute, name in TABLES.items() if f"Set 0x{attribute:04x}" in runs["second"]]
        check(not written, f"{fabric}: the second run wrote {written}")
    # Device ids alone, without announced capabilities, cause no request.
    check(found["two-level fat tree of Quantum switches"] == found["two-level fat tree"], "the device id of the switches changes the SMPs")
    print(f"{len(found)} fabrics of ibsim, two runs each: the numbers of SMPs by method and attribute are the stored numbers")


if __name__ == "__main__":
    main()
