#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the gain of adaptive routing on trees, dragonflies and a real fabric: effective bisection bandwidth if switches use the
ports of their tables, the least loaded port of each AR group, or all ports of a group evenly. Also measures the largest number of AR
groups at one switch, and the time to verify all selections.

Usage: bench/adaptive.py [--weft BINARY] [--runs 200] [--fabric SPEC --engine ENGINE] [--output FILE.jsonl]
"""
import sys

import studies
from studies import ROOT, weft_json

REAL = ROOT.parent / "shared/topologies"
FABRICS = [
    ("fattree3:k=16", ["ar_ftree", "ar_updn"]),
    ("fattree3:k=24", ["ar_ftree", "ar_updn"]),
    ("fattree3:k=24,fail=138,seed=1", ["ar_ftree", "ar_updn"]),
    ("fattree2:k=36,trunks=2", ["ar_ftree"]),
    ("dragonfly:a=8,h=4,p=4", ["ar_updn"]),
    ("torus:6x6x6,hosts=4", ["ar_updn"]),
    ("selene-storage", ["ar_ftree", "ar_updn"]),
]


def path_of(name):
    file = REAL / name / "ibnetdiscover.txt"
    return str(file) if file.exists() else name


def row(weft, name, engine, runs):
    fabric = path_of(name)
    routed = weft_json(weft, "route", fabric, "-R", f"{engine},no_fallback")
    if routed["engine"] is None:
        return {"fabric": name, "engine": engine, "error": routed["error"]}
    plain = weft_json(weft, "route", fabric, "-R", f"{engine[3:]},no_fallback")
    study = weft_json(weft, "simulate", fabric, "-R", f"{engine},no_fallback", "-p", "bisect", "--seed", "1", "-n", str(runs),
                      "--adaptive", "compare")
    return {"fabric": name, "engine": engine, "ok": routed["verify"]["ok"], "adaptive": routed["adaptive"],
            "bandwidth": {one["switches"]: one["bandwidth"] for one in study["adaptive"]},
            "error99": max(one["error99"] for one in study["adaptive"]),
            "seconds": {"route": routed["seconds"]["route"], "verify": routed["seconds"]["verify"],
                        "route_plain": plain["seconds"]["route"], "verify_plain": plain["seconds"]["verify"]}}


def main():
    parser = studies.parser()
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    fabrics = [(options.fabric, [options.engine])] if options.fabric else FABRICS
    print(f"{options.runs} random bisections, at commit {studies.commit()}\n")
    print("| fabric | engine | static | adaptive | split evenly | groups at a switch | route s (plain) | verify s (plain) | verdict |")
    print("|---|---|---|---|---|---|---|---|---|")
    good = True
    for name, engines in fabrics:
        for engine in engines:
            one = row(options.weft, name, engine, options.runs)
            studies.keep(options.output, one)
            if "error" in one:
                print(f"| {name} | {engine} | | | | | | | {one['error']} |", flush=True)
                continue
            good = good and one["ok"]
            bandwidth, seconds = one["bandwidth"], one["seconds"]
            print(f"| {name} | {engine} | {bandwidth['static']:.3f} | {bandwidth['greedy']:.3f} | {bandwidth['split']:.3f} | "
                  f"{one['adaptive']['groups_max']} | {seconds['route']:.3f} ({seconds['route_plain']:.3f}) | "
                  f"{seconds['verify']:.3f} ({seconds['verify_plain']:.3f}) | {'ok' if one['ok'] else 'failed'} |", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
