#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Simulates saturation with the routes of Weft's engines by packets with credits (credit_load): all hosts send continuously, uniformly or in
random matchings. Compares the throughput with the figures of the flow model, and determines whether packets with replies deadlock.
docs/reference/saturation.md has a table.

Usage: bench/experiments/saturation.py [--weft BINARY] [--only PART-OF-A-FABRIC] [--output FILE.jsonl] [--quick]
       bench/experiments/saturation.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if packets deadlock without a credit loop or do not deadlock with one, or if packets and flow model order two routes with equal
numbers of VLs differently although the figures of the flow model differ clearly.
"""
import itertools
import os
import pathlib
import tempfile

import experiment  # must be first: adds the folder of bench to the path
import credit_loops

SHORTEST = ["minhop", "updn", "dfsssp", "lash", "nue", "hoplanes"]
FABRICS = [("fattree3:k=6,fail=5,seed=2", ["minhop", "updn", "ftree", "nue"]), ("torus:4x4x4,hosts=1", SHORTEST), ("torus:5x5,hosts=2,fail=2,seed=1", SHORTEST),
           ("hyperx:4x4,hosts=4", [*SHORTEST, "dor"]), ("dragonfly:a=4,h=2,p=2", [*SHORTEST, "dfp"]), ("kautz:b=3,n=2,hosts=2", SHORTEST),
           ("slimfly:q=5,hosts=2", SHORTEST), ("random:n=64,degree=6,hosts=2,seed=1", SHORTEST)]
QUICK = [("ring:n=6,hosts=2", ["minhop", "updn", "lash"])]
# Figures of the flow model with a smaller ratio are not compared: the throughput of packets varies by some percent between runs.
CLEAR = 1.08
PAIRS = [("alltoall", "uniform"), ("ebb", "matched")]  # (figure of the flow model, figure of packets)


def rows(options):
    os.environ["WEFT"] = options.weft
    lengths = ["--window", "4000", "--matchings", "2", "--flits", "5000", "--seeds", "5", "--uniform-seeds", "1"] if options.quick else []
    for fabric, engines in QUICK if options.quick else FABRICS:
        if options.only and options.only not in fabric:
            continue
        routes = {}
        for engine in engines:
            with tempfile.TemporaryDirectory(prefix="weft-saturation-") as scratch:
                dumps = credit_loops.of_weft(options.weft, fabric, engine, [], pathlib.Path(scratch))
                if dumps:
                    routes[engine] = credit_loops.credit_load(dumps, "--saturation", *lengths)
        yield {"fabric": fabric, "engine": ", ".join(routes), "routes": routes}


def compared(row):
    """('ENGINE VALUE and OTHER ENGINE VALUE, FIGURE', whether packets and flow model order the routes of the two engines equally, whether these routes use
    equally many VLs), for routes without credit loops that differ clearly in the flow model."""
    for (name, one), (another, other) in itertools.permutations(row["routes"].items(), 2):
        for model, packets in PAIRS:
            if one[model] > CLEAR * other[model] and not one["replies"]["loop"] and not other["replies"]["loop"]:
                yield f"{name} {one[packets]:.3f} and {another} {other[packets]:.3f}, {packets}", one[packets] > other[packets], one["vls"] == other["vls"]


def faults(row):
    """Contradictions between simulation and verifier, and pairs of routes that packets order differently from the flow model, as text."""
    found = [f"{engine}, {name}: {routes[name]['deadlocks']} deadlocks, a credit loop of {routes[name]['loop']} links, "
             "expected deadlocks if and only if there is a loop"
             for engine, routes in row["routes"].items() for name in ("requests", "replies")
             if (routes[name]["deadlocks"] > 0) != (routes[name]["loop"] > 0)]
    return found + [f"{pair}: packets and flow model order the two sets of routes differently, expected the same order"
                    for pair, equally_ranked, equal in compared(row) if equal and not equally_ranked]


def loops(one):
    return f"loop, {one['deadlocks']} of {one['seeds']}" if one["loop"] else "none"


def line(row):
    lines = ["| " + " | ".join([f"`{row['fabric']}`", engine, str(one["vls"]), *(f"{one[name]:.3f}" for pair in PAIRS for name in pair),
                                loops(one["requests"]), loops(one["replies"])]) + " |" for engine, one in row["routes"].items()]
    found = list(compared(row))
    equal = [equally_ranked for _, equally_ranked, same in found if same]
    lines.append(f"| `{row['fabric']}` | *ranked alike* | | | {sum(equal)} of {len(equal)} on equally many VLs | | "
                 f"{sum(equally_ranked for _, equally_ranked, _ in found)} of {len(found)} in all | | |")
    return "\n".join(lines)


HEAD = ("| fabric | engine | VLs | all to all | packets | bisection | packets | deadlock, requests | with replies |\n"
        "|---|---|---|---|---|---|---|---|---|")


if __name__ == "__main__":
    experiment.run(experiment.parser().parse_args(), rows, HEAD, line, faults)
