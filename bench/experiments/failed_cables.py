#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the remaining bandwidth of a fat tree of three levels with 0 to 20% failed cables between its switches. The traffic is all to all,
random matchings (effective bisection bandwidth) and shifts. The routes are from Weft's engines without and with --reweight 24, closed-form routes
(dmodc.py) and, for the first seeds, from OpenSM's engines. Prints medians over the seeds with intervals (samples.py), as a share of the
bandwidth of the hosts. docs/reference/failed-cables.md has a table.

Usage: bench/experiments/failed_cables.py [--weft BINARY] [--ports 24] [--seeds 100] [--opensm SEEDS] [--only PERCENT] [--output FILE.jsonl] [--quick]
       bench/experiments/failed_cables.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if routes of Weft's engines leave a pair without a path, or have credit loops. minhop may have credit loops.
"""
import pathlib
import tempfile

import experiment  # must be first: adds the folder of bench to the path
import compare
import dmodc
import samples
import studies
from fabrics import interop

PORTS, QUICK_PORTS = 24, 4  # ports of a switch
PERCENT = [0, 1, 2, 5, 10, 20]
ENGINES = ["minhop", "updn", "ftree"]
OPENSM = ["minhop", "updn", "ftree"]


def figures(report):
    quality, verify = report["quality"], report["verify"]
    return {"alltoall": quality["alltoall"], "ebb": quality["ebb"], "shifts": quality["shifts"]["mean"], "worst": quality["shifts"]["worst"],
            "unreachable": verify["unreachable"], "credit_loops": verify["credit_loops"]}


def verified(weft, folder, lfts):
    return figures(studies.weft_json(weft, "verify", str(folder / "opensm-subnet.lst"), "--lfts", str(lfts), "--patterns"))


def by_opensm(weft, fabric, engine, folder):
    """Returns (engine that OpenSM used, figures) of a bring-up by OpenSM."""
    net = folder / "fabric.net"
    interop.weft("convert", fabric, net, "--to", "ibsim")
    _, routed_by, _ = compare.opensm_sample(net, folder / engine, engine, [])
    return routed_by, verified(weft, folder / engine, folder / engine / "opensm.fdbs")


def routed(options, fabric, seed, folder):
    """Yields (routing, figures) for one fabric with failed cables: routes of Weft's engines, closed-form routes, and for the first
    seeds routes of OpenSM's engines."""
    for engine in ENGINES:
        for passes in ("0", "24"):
            report = studies.weft_json(options.weft, "route", fabric, "-R", f"{engine},no_fallback", "--reweight", passes, "--patterns", "-o", str(folder))
            if report.get("engine"):
                yield engine + (", with passes" if passes != "0" else ""), figures(report)
    dmodc.write(folder / "weft-fabric.json", folder / "dmodc.fdbs")
    yield "Dmodc", verified(options.weft, folder, folder / "dmodc.fdbs")
    for engine in OPENSM if seed <= options.opensm else []:
        routed_by, found = by_opensm(options.weft, fabric, engine, folder)
        yield f"OpenSM's {engine}" + (f", which used {routed_by}" if routed_by != engine else ""), found


def rows(options):
    ports = QUICK_PORTS if options.quick else options.ports
    tree, cables = f"fattree3:k={ports}", ports ** 3 // 2
    for percent in PERCENT:
        if options.only and options.only != str(percent):
            continue
        runs = {}
        for seed in range(1, 1 + (options.seeds if percent else 1)):
            fabric = f"{tree},fail={percent * cables // 100},seed={seed}" if percent else tree
            with tempfile.TemporaryDirectory(prefix="weft-failed-cables-") as scratch:
                for routing, found in routed(options, fabric, seed, pathlib.Path(scratch)):
                    runs.setdefault(routing, []).append(found)
        for routing, found in runs.items():
            yield {"fabric": tree, "percent": percent, "engine": routing, "runs": found}


def faults(row):
    if row["engine"] == "Dmodc" or row["engine"].startswith("OpenSM"):
        return []
    return [f"{row['percent']}%: {run['unreachable']} pairs without a path, {run['credit_loops']} credit loops, expected 0"
            for run in row["runs"] if run["unreachable"] or (run["credit_loops"] and "minhop" not in row["engine"])]


def cell(values):
    found = samples.summary(values)
    return f"{found.median:.3f}" + (f" ({found.low:.3f} to {found.high:.3f})" if found.samples > 1 else "")


def line(row):
    runs = row["runs"]
    cells = [cell([run[name] for run in runs]) for name in ("alltoall", "ebb", "shifts", "worst")]
    loops = sum(run["credit_loops"] > 0 for run in runs)
    lost = sum(run["unreachable"] > 0 for run in runs)
    wrong = ", ".join(([f"{loops} with credit loops"] if loops else []) + ([f"{lost} with pairs without a path"] if lost else []))
    return "| " + " | ".join([f"{row['percent']}%", row["engine"], str(len(runs)), *cells, wrong]) + " |"


HEAD = "| failed | routes | seeds | all to all | random matchings | mean shift | worst shift | faults |\n|---|---|---|---|---|---|---|---|"


if __name__ == "__main__":
    arguments = experiment.parser(only="only this percentage of failed cables")
    arguments.add_argument("--ports", type=int, default=PORTS, help="ports of a switch of the tree")
    arguments.add_argument("--seeds", type=int, default=100, help="failed fabrics of each share")
    arguments.add_argument("--opensm", type=int, default=0, help="number of these fabrics that OpenSM routes too")
    experiment.run(arguments.parse_args(), rows, HEAD, line, faults)
