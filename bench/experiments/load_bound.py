#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Computes the largest link load of every engine and its lower bound, without and with --reweight 24 (the passes of auto), on the fabrics of
the benchmark and on real fabrics. Loads depend on the link rate: a path counts (fastest rate / rate) on each channel. Prints a Markdown
table; docs/reference/load-bound.md contains the table of a whole run.

Usage: bench/experiments/load_bound.py [--weft BINARY] [--only PART-OF-A-FABRIC] [--engines A,B] [--output FILE.jsonl] [--quick]
       bench/experiments/load_bound.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if a load is below its bound, or if routes with passes have a larger load or more VLs than routes without passes, or a credit loop
that routes without passes do not have.
"""
import experiment  # must be first: adds the folder of bench to the path
import fabrics
import studies

ENGINES = ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue", "dor", "dfp"]
REWEIGHTED = {"minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue"}
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


def figures(weft, path, engine, reweight):
    """Returns load, bound, VLs and quality, or None if the engine refuses the fabric."""
    report = studies.weft_json(weft, "route", str(path), "-R", f"{engine},no_fallback", "--reweight", reweight)
    if report.get("engine") is None:
        return None
    quality = report["quality"]
    return {"load": quality["timed_load_max"], "bound": quality["timed_load_bound"], "basis": quality["link_load_bound_basis"],
            "ebb": quality["ebb"], "alltoall": quality["alltoall"], "vls": report["vls_needed"], "seconds": report["seconds"]["route"],
            "credit_loops": report["verify"]["credit_loops"] > 0}


def rows(options):
    for name, path in [(name, name) for name in QUICK] if options.quick else all_fabrics():
        if options.only and options.only not in name:
            continue
        for engine in options.engines.split(",") if options.engines else ENGINES:
            if name in LARGE and engine == "lash":
                continue
            plain = figures(options.weft, path, engine, "0")
            if plain is not None and plain["load"] > 0:
                passes = figures(options.weft, path, engine, PASSES) if engine in REWEIGHTED else None
                yield {"fabric": name, "engine": engine, "plain": plain, "passes": passes}


def faults(row):
    """Loads below their bound, and passes with a worse result, as text."""
    plain, passes = row["plain"], row["passes"]
    found = [f"load {one['load']} below the bound {one['bound']}" for one in (plain, passes) if one and one["bound"] and one["load"] < one["bound"] - 1e-6]
    if passes and passes["load"] > plain["load"] + 1e-6:
        found.append(f"load {passes['load']} with passes, {plain['load']} without")
    if passes and passes["vls"] > plain["vls"]:
        found.append(f"{passes['vls']} VLs with passes, {plain['vls']} without")
    if passes and passes["credit_loops"] and not plain["credit_loops"]:
        found.append("credit loops with passes")
    return found


def cells(one):
    if one is None:
        return ["", "", "", ""]
    ratio = f"{one['load'] / one['bound']:.3f}" if one["bound"] else ""
    return [f"{one['load']:,.0f}", ratio, f"{one['ebb']:.3f}", f"{one['seconds']:.3f}"]


def line(row):
    plain = row["plain"]
    bound = f"{plain['bound']:,.0f}" + (" any" if plain["basis"] == "any paths" else "") if plain["bound"] else "none"
    vls = f"{plain['vls']}" + (", loops" if plain["credit_loops"] else "")
    return "| " + " | ".join([f"`{row['fabric']}`", row["engine"], vls, bound, *cells(plain), *cells(row["passes"])]) + " |"


HEAD = ("| fabric | engine | VLs | bound | load | / bound | ebb | s | with passes | / bound | ebb | s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|")


def main():
    arguments = experiment.parser()
    arguments.add_argument("--engines", help="only these engines, separated by commas")
    experiment.run(arguments.parse_args(), rows, HEAD, line, faults)


if __name__ == "__main__":
    main()
