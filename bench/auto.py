#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the selection of `-R auto` with the best engine on each fabric of the benchmark: the effective bisection bandwidth of all
engines with routes that pass the verification, and the ratio of auto to the best engine. Exit status 1 if a ratio is below 0.97, or if
auto fails. The figures do not depend on the machine.

Usage: auto.py [--weft BINARY] [--quick] [--json FILE] [--markdown] [FABRIC ..]
"""
import argparse
import os
import pathlib
import sys
import tempfile

import fabrics
import studies
from fabrics import interop

LEAST = 0.97
ENGINES = ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "dor", "nue", "dfp"]
# Further topologies, for dfp and auto.
MORE = ["dragonfly:a=6,h=3,p=3", "dragonfly:a=8,h=4,p=4,fail=30,seed=1", "dragonflyplus:leaves=4,spines=4,h=2,hosts=4",
        "dragonflyplus:leaves=8,spines=8,h=4,hosts=8,g=17", "dragonflyplus:leaves=4,spines=4,h=2,hosts=4,fail=9,seed=1",
        "kautz:b=3,n=3", "slimfly:q=5", "ring:n=6,hosts=2", "rail:su=4,servers=16,nics=8,k=32", "superpod-b200:su=2", "hammingmesh:a=2,b=2,x=4,y=4",
        "hammingmesh:a=4,b=4,x=3,y=3", "polarfly:q=7,hosts=4", "jellyfish:n=50,k=16,r=11"]
QUICK = ["fattree2:k=16", "dragonfly:a=4,h=2,p=2"]


def figures(spec, engine, options):
    """Returns (effective bisection bandwidth, VLs, engine), or None if the engine fails or its routes fail the verification."""
    report = interop.weft_json("route", spec, "-R", f"{engine},no_fallback", *options, check=False, timeout=3600)
    if not report["engine"] or not report["verify"]["ok"]:
        return None
    return report["quality"]["ebb"], report["vls_needed"], report["engine"]


def measure_fabric(spec, folder):
    """Measures all engines on one fabric. On a torus, torus-2QoS and auto get the torus configuration."""
    torus = str(spec).startswith("torus:")
    options = fabrics.engine_options(spec, "torus-2QoS", folder) if torus else []
    verified = {}
    for engine in [*ENGINES, *(["torus-2QoS"] if torus else [])]:
        if found := figures(spec, engine, options if engine == "torus-2QoS" else []):
            verified[engine] = found[0]
    chosen = figures(spec, "auto", [*options, "--objective", "bisection"])
    best = max(verified, key=verified.get)
    row = {"fabric": name_of(spec), "best": best, "best_ebb": verified[best], "engines": verified}
    if chosen:
        row.update(chosen=chosen[2], vls=chosen[1], ebb=chosen[0], part=chosen[0] / verified[best])
    return row


def name_of(spec):
    return spec.parent.name if isinstance(spec, pathlib.Path) else spec


def lines_of(row):
    others = ", ".join(f"{engine} {ebb:.3f}" for engine, ebb in sorted(row["engines"].items(), key=lambda item: -item[1]))
    return (row["fabric"], row.get("chosen", "none"), f"{row.get('ebb', 0):.3f}", str(row.get("vls", "")), row["best"],
            f"{row['best_ebb']:.3f}", f"{row.get('part', 0):.3f}", others)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("fabric", nargs="*")
    arguments = parser.parse_args()
    stamped = studies.stamp()
    if arguments.weft:
        os.environ["WEFT"] = arguments.weft
    specs = arguments.fabric or (QUICK if arguments.quick else
                                 [spec for spec, _ in fabrics.GENERATED] + MORE +
                                 [path for path, _ in fabrics.REAL if path.exists()])
    header = ("fabric", "auto selects", "ebb", "VLs", "best", "ebb", "ratio", "all verified engines")
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header) if arguments.markdown else "  ".join(header), flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="weft-auto-") as scratch:
        for spec in specs:
            rows.append(measure_fabric(spec, pathlib.Path(scratch)))
            cells = lines_of(rows[-1])
            print("| " + " | ".join(cells) + " |" if arguments.markdown else "  ".join(cells), flush=True)
    studies.write(arguments.json, stamped, {"rows": rows})
    short = [row for row in rows if row.get("part", 0) < LEAST]
    for row in short:
        print(f"{row['fabric']}: " + (f"auto has {row['part']:.3f} of the best ebb, expected at least {LEAST}" if "part" in row else "auto has no verified routes"), file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
