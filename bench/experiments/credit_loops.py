#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds credit loops in the routes of OpenSM's and Weft's engines on the same subnets, of requests alone and with the replies that use the SL
of the request. Each set of routes is simulated with packets and credits (credit_load): with the flows of the loop if `weft verify` finds one,
otherwise with traffic from all hosts to all hosts. The routes with loops, and no other routes, must end in deadlocks. docs/reference/credit-loops.md
has a table.

Usage: bench/experiments/credit_loops.py [--weft BINARY] [--only PART-OF-A-FABRIC] [--output FILE.jsonl] [--quick]
       bench/experiments/credit_loops.py --table FILE.jsonl     prints the table of the rows that a run stored
Exit status 1 if the simulation contradicts the verifier, or if routes of Weft's engines leave a pair without a path or a VL, or have a credit
loop although the engine requires a proof.
"""
import json
import os
import pathlib
import tempfile

import experiment  # must be first: adds the folder of bench to the path
import fabrics
import opensm_dumps
import studies
from fabrics import interop

ENGINES = ["minhop", "updn", "dnup", "sssp", "dfsssp", "lash", "nue"]
# Each switch has one host, because OpenSM's dfsssp assigns SLs by host, but weft.psl requires one SL to a LID from all hosts of a switch.
FABRICS = [("fattree3:k=8,hosts=1,fail=12,seed=2", [*ENGINES, "ftree"]), ("torus:4x4,hosts=1", [*ENGINES, "torus-2QoS"]),
           ("torus:5x5x5,hosts=1", [*ENGINES, "torus-2QoS"]), ("torus:5x5x5,hosts=1,dead=5", ENGINES), ("hypercube:n=5,hosts=1,fail=6,seed=1", ENGINES),
           ("hyperx:3x3x3,hosts=1", [*ENGINES, "dor"]), ("dragonfly:a=4,h=2,p=1", ENGINES), ("kautz:b=3,n=2,hosts=1", ENGINES),
           ("slimfly:q=5,hosts=1", ENGINES), ("random:n=32,degree=5,hosts=1,seed=1", ENGINES), ("random:n=64,degree=6,hosts=1,seed=1", ENGINES)]
QUICK = [("torus:4x4,hosts=1", ["minhop", "dfsssp"])]
MANAGERS = ["OpenSM", "Weft"]
MAY_LOOP = {"minhop", "sssp"}  # shortest paths on one VL, without a proof


def credit_load(dumps, *options):
    return json.loads(interop.run([interop.tool("credit_load"), dumps.fabric, *dumps.options, *options]).stdout)


def verdicts(weft, dumps, found):
    """Checks that `weft verify` gives the same verdicts as the verifier in credit_load."""
    for replies, name in (("ignore", "requests"), ("count", "replies")):
        verdict = studies.weft_json(weft, "verify", str(dumps.fabric), *dumps.options, f"--replies={replies}")["verify"]
        interop.check((verdict["credit_loops"] > 0) == (found[name]["loop"] > 0), f"{name}: weft verify finds {verdict['credit_loops']} credit loops, credit_load a loop of {found[name]['loop']} links")


def of_weft(weft, subnet, engine, options, folder):
    """Dumps of Weft's engine on a fabric, such as the subnet that OpenSM brought up; None if the engine refuses the fabric."""
    report = studies.weft_json(weft, "route", str(subnet), "-R", f"{engine},no_fallback", *options, "-o", str(folder))
    return opensm_dumps.Dumps(folder, "weft-fabric.json") if report.get("engine") else None


def sides(options, fabric, engine, work):
    """Yields (manager, Dumps) for OpenSM and Weft. If the requested engine failed, the name of the engine that OpenSM used, or "none" for
    Weft, replaces Dumps."""
    chosen = [str(word) for word in fabrics.engine_options(fabric, engine, work)]
    interop.weft("convert", fabric, work / "fabric.net", "--to", "ibsim")
    routed_by, by_opensm = opensm_dumps.of_opensm(work / "fabric.net", work / "opensm", engine, *fabrics.OPENSM_OPTIONS.get(engine, []), *chosen)
    yield "OpenSM", by_opensm if routed_by == engine else routed_by
    by_weft = of_weft(options.weft, by_opensm.fabric, engine, chosen, work / "weft")
    yield "Weft", by_weft or "none"


def rows(options):
    os.environ["WEFT"] = options.weft
    short = ["--seeds", "5", "--uniform-seeds", "1", "--flits", "5000"] if options.quick else []
    for fabric, engines in QUICK if options.quick else FABRICS:
        if options.only and options.only not in fabric:
            continue
        for engine in engines:
            row = {"fabric": fabric, "engine": engine}
            with tempfile.TemporaryDirectory(prefix="weft-credit-loops-") as scratch:
                for manager, dumps in sides(options, fabric, engine, pathlib.Path(scratch)):
                    if isinstance(dumps, str):
                        row[manager] = {"used": dumps}
                        continue
                    row[manager] = credit_load(dumps, *short)
                    # OpenSM's dfsssp has other routes in each run, and few short simulations may not reach the deadlock of a loop.
                    if short and routed(row[manager]) and contradictions(row[manager]):
                        row[manager] = credit_load(dumps)
                    if routed(row[manager]):
                        verdicts(options.weft, dumps, row[manager])
            yield row


def routed(side):
    return "used" not in side and not side["lost"] and not side["lanes_missing"]


def contradictions(side):
    """The names of the traffic with deadlocks without a credit loop, or with a credit loop but without deadlocks."""
    return [name for name in ("requests", "replies") if (side[name]["deadlocks"] > 0) != (side[name]["loop"] > 0)]


def faults(row):
    """Contradictions between simulation and verifier, and missing paths and credit loops in routes of Weft's engines that require a proof, as text."""
    found = [f"{manager}, {name}: {row[manager][name]['deadlocks']} deadlocks, a credit loop of {row[manager][name]['loop']} links, "
             "expected deadlocks if and only if there is a loop"
             for manager in MANAGERS if routed(row[manager]) for name in contradictions(row[manager])]
    by_weft = row["Weft"]
    if "used" not in by_weft and not routed(by_weft):
        found.append(f"Weft: {by_weft['lost']} pairs without a path, {by_weft['lanes_missing']} ports without a VL of the routes, expected 0")
    elif routed(by_weft) and row["engine"] not in MAY_LOOP and by_weft["replies"]["loop"]:
        found.append(f"Weft: a credit loop of {by_weft['replies']['loop']} links, expected none")
    return found


def cells(side):
    if "used" in side:
        return ["", "refused" + (f", used {side['used']}" if side["used"] != "none" else ""), ""]
    if not routed(side):
        return ["", f"{side['lost']} of {side['pairs']} pairs have no path", ""]
    loops = [f"{one['loop']} links, {one['deadlocks']} of {one['seeds']}" if one["loop"] else "none" for one in (side["requests"], side["replies"])]
    return [str(side["vls"]), *loops]


def line(row):
    return "| " + " | ".join([f"`{row['fabric']}`", row["engine"], *cells(row["OpenSM"]), *cells(row["Weft"])]) + " |"


HEAD = ("| fabric | engine | OpenSM: VLs | requests alone | with replies | Weft: VLs | requests alone | with replies |\n"
        "|---|---|---|---|---|---|---|---|")


if __name__ == "__main__":
    experiment.run(experiment.parser().parse_args(), rows, HEAD, line, faults)
