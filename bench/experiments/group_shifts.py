#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures shifts of whole groups, the worst traffic for shortest paths on fabrics of groups: all hosts send at the same time, host i to host
i + d, where d is the number of hosts of a group. For comparison it measures the mean and the worst of all shifts, and all to all. Prints a
Markdown table, which docs/reference/group-shifts.md contains.

Usage: bench/experiments/group_shifts.py [--weft BINARY] [--only PART-OF-A-FABRIC] [--output FILE.jsonl] [--quick]
       bench/experiments/group_shifts.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if a pair has no path, or the group shift over base LIDs has less bandwidth than the worst of all shifts.
"""
import experiment  # must be first: adds the folder of bench to the path
import studies

# (fabric, number of hosts of a group)
FABRICS = [("dragonfly:a=8,h=4,p=4", 32), ("dragonflyplus:leaves=8,spines=8,h=4,hosts=8,g=17", 64), ("slimfly:q=5,hosts=2", 10),
           ("hyperx:6x6,hosts=6", 36), ("polarfly:q=7,hosts=4", 4), ("fattree3:k=16", 64)]
QUICK = [("dragonfly:a=2,h=1,p=1", 2)]
# (engine, options, selection of a message's LID among the LIDs of its receiver)
ROUTES = [("minhop", [], "base"), ("updn", [], "base"), ("dfsssp", [], "base"), ("nue", [], "base"), ("dfp", [], "base"), ("hoplanes", [], "base"),
          ("dfp", ["--dfp_detours", "--lmc", "1"], "source"), ("dfp", ["--dfp_detours", "--lmc", "1"], "all"),
          ("hoplanes", ["--hoplanes_detours", "--lmc", "2"], "source"), ("hoplanes", ["--hoplanes_detours", "--lmc", "2"], "all")]
PASSES = {"minhop", "updn", "dfsssp", "nue"}  # engines with reweighting passes; hoplanes has them by default


def group_shift(weft, fabric, hosts, route, paths):
    report = studies.weft_json(weft, "simulate", fabric, *route, "-p", "shift", "-l", str(hosts - 1), "--mapping", "linear", "--subset", "guid_asc",
                               "--metric", "fair_band", "--paths", paths)
    return report["by_run"]["average"]


def row_of(weft, fabric, hosts, engine, options, paths, passes):
    """Measures one row; None if the engine refuses the fabric."""
    route = ["-R", f"{engine},no_fallback", *options, "--reweight", passes]
    report = studies.weft_json(weft, "route", fabric, *route, "--patterns")
    if report.get("engine") is None:
        return None
    quality, verify = report["quality"], report["verify"]
    return {"fabric": fabric, "engine": " ".join([engine, *options]), "paths": paths, "passes": passes != "0", "vls": report["vls_needed"],
            "credit_loops": verify["credit_loops"] > 0, "unreachable": verify["unreachable"], "alltoall": quality["alltoall"], "shifts": quality["shifts"],
            "group": group_shift(weft, fabric, hosts, route, paths)}


def rows(options):
    for fabric, hosts in QUICK if options.quick else FABRICS:
        if options.only and options.only not in fabric:
            continue
        for engine, flags, paths in ROUTES:
            for passes in ("0", "24") if engine in PASSES else ("0",):
                row = row_of(options.weft, fabric, hosts, engine, flags, paths, passes)
                if row is not None:
                    yield row


def faults(row):
    """Missing paths, and a group shift with less bandwidth than the worst shift of base LIDs, as text."""
    found = [f"{row['unreachable']} pairs without a path"] if row["unreachable"] else []
    if row["paths"] == "base" and row["group"] < row["shifts"]["worst"] - 1e-6:
        found.append(f"{row['group']} for the group shift, expected at least {row['shifts']['worst']}, the value of the worst shift")
    return found


def line(row):
    shifts = row["shifts"]
    vls = f"{row['vls']}" + (", loops" if row["credit_loops"] else "")
    base = row["paths"] == "base"  # the figures that follow are for base LIDs only
    figures = [f"{row['alltoall']:.3f}", f"{shifts['mean']:.3f}", f"{shifts['worst']:.3f} at {shifts['worst_distance']}"] if base else ["", "", ""]
    return "| " + " | ".join([f"`{row['fabric']}`", row["engine"] + (", with passes" if row["passes"] else ""), row["paths"], vls, f"{row['group']:.3f}",
                              *figures]) + " |"


HEAD = "| fabric | engine | LID | VLs | group shift | all to all | mean shift | worst shift, at distance |\n|---|---|---|---|---|---|---|---|"


if __name__ == "__main__":
    experiment.run(experiment.parser().parse_args(), rows, HEAD, line, faults)
