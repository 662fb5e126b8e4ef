#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Computes the largest link load of every engine and its lower bound, without passes, with --reweight 24 and with --reweight auto, on the fabrics
of the benchmark and on real fabrics. hoplanes has the passes of auto if there are no others. Loads depend on the link rate: a path counts (fastest rate / rate) on each channel. Prints a Markdown
table; docs/reference/load-bound.md contains the table of a whole run.

Usage: bench/experiments/load_bound.py [--weft BINARY] [--only PART-OF-A-FABRIC] [--engines A,B] [--output FILE.jsonl] [--quick]
       bench/experiments/load_bound.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if a load is below its bound, or if routes with passes have a larger load or more VLs than routes without passes, or a credit loop
that routes without passes do not have, or if the load with 24 passes is above limit(), in multiples of the bound.
"""
import pathlib
import tempfile

import experiment  # must be first: adds the folder of bench to the path
import fabrics
import studies

ENGINES = ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue", "dor", "dfp", "hoplanes", "torus-2QoS"]
REWEIGHTED = {"minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue", "hoplanes"}
# Engines of which the load with passes has a limit: engines with shortest paths, and on trees engines with up/down paths too.
SHORTEST, ON_TREES = {"minhop", "sssp", "dfsssp", "lash"}, {"updn", "dnup", "ftree"}
LIMIT, TREE_LIMIT = 1.10, 1.05
TREES = ("fattree", "xgft", "selene-storage", "hdr-1336-bom", "cs8500-hdr", "gb200-ndr", "avakas-qdr", "stage-qdr-fdr10", "x5-psmn", "plafrim2-qdr",
         "sequoia-ndr", "is4-1944-fdbs", "superbench-faked", "lab-msb7800", "rhino512-lst")
# Fabrics with a higher limit, by the beginning of their names: the limits by engine, "" for other engines. docs/reference/load-bound.md has the reasons
# that are known.
EXCEPTIONS = {
    "ring:n=6,hosts=2": {"": 1.12},
    "torus:8x8,hosts=2,fail=3": {"": 1.12},
    "plafrim2-qdr": {"": 1.07},
    "gb200-ndr": {"": 1.07},
    "x5-psmn": {"": 1.11},
    "cs8500-hdr": {"ftree": 1.13, "": 1.05},
    "hdr-1336-bom": {"dfsssp": 1.37, "lash": 1.37, "ftree": 1.10, "": 1.05},
    "lab-msb7800": {"": 1.50},
    "rhino512-lst": {"dfsssp": 2.64, "lash": 2.64, "ftree": 2.49, "": 1.85},
}
FURTHER = ["kautz:b=3,n=3,hosts=4", "torus:5x5x5,hosts=1,dead=5", "torus:8x8,hosts=2,fail=3,seed=1",
           "dragonflyplus:leaves=8,spines=8,h=4,hosts=8,g=17", "slimfly:q=5,hosts=2"]
REAL = ["plafrim2-qdr/ib-subnet-0.txt", "sequoia-ndr/ibdiagnet2.lst", "is4-1944-fdbs/is4_3l_1944n.topo", "rhino512-lst/RhinoBased512.topo",
        "superbench-faked/ibnetdiscover.txt", "lab-msb7800/Topo.1.txt"]
LARGE = {"fattree3:k=24,fail=138,seed=1", "random:n=1000,degree=16,hosts=4,seed=1"}  # left out for lash, which takes minutes on these fabrics
PASSES = "24"
QUICK = ["ring:n=6,hosts=2", "fattree2:k=4"]


def all_fabrics():
    """Returns (name, path or spec of the generator) of each fabric."""
    generated = [(name, name) for name, _ in fabrics.GENERATED] + [(name, name) for name in FURTHER]
    real = [path for path, _ in fabrics.REAL] + [fabrics.interop.TOPOLOGIES / name for name in REAL]
    return generated + [(str(path.relative_to(fabrics.interop.TOPOLOGIES)), path) for path in real if path.exists()]


def limit(fabric, engine):
    """The largest accepted load with 24 passes in multiples of the bound; None without a limit."""
    tree = fabric.startswith(TREES)
    if engine not in SHORTEST and not (tree and engine in ON_TREES):
        return None
    for name, limits in EXCEPTIONS.items():
        if fabric.startswith(name):
            return limits.get(engine, limits[""])
    return TREE_LIMIT if tree else LIMIT


def figures(weft, path, engine, reweight, options=()):
    """Returns load, bound, VLs and quality, or None if the engine refuses the fabric."""
    report = studies.weft_json(weft, "route", str(path), "-R", f"{engine},no_fallback", "--reweight", reweight, *options)
    if report.get("engine") is None:
        return None
    quality = report["quality"]
    return {"load": quality["timed_load_max"], "bound": quality["timed_load_bound"], "basis": quality["link_load_bound_basis"],
            "ebb": quality["ebb"], "ebb_error": quality["ebb_error"], "alltoall": quality["alltoall"], "vls": report["vls_needed"], "seconds": report["seconds"]["route"],
            "credit_loops": report["verify"]["credit_loops"] > 0}


def rows(options):
    for name, path in [(name, name) for name in QUICK] if options.quick else all_fabrics():
        if options.only and options.only not in name:
            continue
        for engine in options.engines.split(",") if options.engines else ENGINES:
            if name in LARGE and engine == "lash" or engine == "torus-2QoS" and not name.startswith("torus:"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                more = list(map(str, fabrics.engine_options(name, engine, pathlib.Path(folder))))
                plain = figures(options.weft, path, engine, "0", more)
                if plain is not None and plain["load"] > 0:
                    passes, automatic = (figures(options.weft, path, engine, count) if engine in REWEIGHTED else None for count in (PASSES, "auto"))
                    yield {"fabric": name, "engine": engine, "plain": plain, "passes": passes, "auto": automatic}


def faults(row):
    """Loads below their bound, passes with a worse result, and loads above the limit, as text."""
    plain, passes, automatic = row["plain"], row["passes"], row.get("auto")
    found = [f"load {one['load']} below the bound, expected at least {one['bound']}" for one in (plain, passes, automatic)
             if one and one["bound"] and one["load"] < one["bound"] - 1e-6]
    if passes and passes["load"] > plain["load"] + 1e-6:
        found.append(f"load {passes['load']} with passes, expected at most {plain['load']}, the load without")
    for what, one in (("24 passes", passes), ("passes of auto", automatic)):
        if one and one["vls"] > plain["vls"]:
            found.append(f"{one['vls']} VLs with {what}, expected at most {plain['vls']}, the number without")
        if one and one["credit_loops"] and not plain["credit_loops"]:
            found.append(f"credit loops with {what}, expected none as without")
    most = limit(row["fabric"], row["engine"])
    if most and passes and passes["bound"] and passes["load"] / passes["bound"] > most + 0.0005:
        found.append(f"load {passes['load'] / passes['bound']:.3f} times the bound with passes, expected at most {most:.2f} times")
    return found


def cells(one):
    if one is None:
        return ["", "", "", ""]
    ratio = f"{one['load'] / one['bound']:.3f}" if one["bound"] else ""
    error = f" +/- {one['ebb_error']:.3f}" if "ebb_error" in one else ""
    return [f"{one['load']:,.0f}", ratio, f"{one['ebb']:.3f}{error}", f"{one['seconds']:.3f}"]


def line(row):
    plain = row["plain"]
    bound = f"{plain['bound']:,.0f}" + (" any" if plain["basis"] == "any paths" else "") if plain["bound"] else "none"
    vls = f"{plain['vls']}" + (", loops" if plain["credit_loops"] else "")
    return "| " + " | ".join([f"`{row['fabric']}`", row["engine"], vls, bound, *cells(plain), *cells(row["passes"]), *cells(row.get("auto"))]) + " |"


HEAD = ("| fabric | engine | VLs | bound | load | / bound | ebb | s | with passes | / bound | ebb | s | auto | / bound | ebb | s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")


def main():
    arguments = experiment.parser()
    arguments.add_argument("--engines", help="only these engines, separated by commas")
    experiment.run(arguments.parse_args(), rows, HEAD, line, faults)


if __name__ == "__main__":
    main()
