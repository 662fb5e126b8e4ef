#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that weft check marks the engine that -R auto selects, on many generated fabrics: without failures, with failed links, and disconnected.

Standard library only. Usage: choice_test.py [SPEC..]
"""
import json
import subprocess
import sys

import weft_interop as interop
from weft_interop import check

WEFT = interop.weft_binary()
SPECS = ["fattree2:k=8", "fattree3:k=4", "fattree3:k=8,fail=20,seed=1", "xgft:m=3x4x4,w=1x2x3", "torus:4x4,hosts=1",
         "torus:5x5,hosts=2", "torus:3x3x3", "ring:n=5,hosts=1", "line:n=5", "mesh:3x3x3", "mesh:6x6,fail=2,seed=1",
         "hypercube:n=4", "hyperx:4x4,hosts=2", "hyperx:3x3x3,fail=2", "full:n=6,hosts=3", "slimfly:q=5", "kautz:b=3,n=3",
         "dragonfly:a=4,h=2,p=2", "dragonfly:a=4,h=2,p=2,fail=4,seed=2", "dragonflyplus:leaves=4,spines=4,h=2,hosts=4",
         "full:n=1,hosts=5"]
SPECS += [f"random:n={n},degree={d},hosts={h},seed={seed}" for seed, (n, d, h) in
          enumerate([(16, 4, 2), (20, 3, 1), (24, 6, 3), (18, 5, 2), (12, 3, 4), (30, 4, 1)])]
SPECS += [f"{shape},fail={2 + seed % 5},seed={seed}" for seed, shape in
          enumerate(["torus:4x5,hosts=2", "mesh:4x4x2,hosts=1", "hypercube:n=4,hosts=2", "hyperx:4x4,hosts=1", "fattree2:k=8",
                     "fattree3:k=4", "dragonfly:a=4,h=2,p=2", "kautz:b=2,n=3", "slimfly:q=4", "xgft:m=4x4,w=1x3"] * 2)]
DISCONNECTED = ["torus:4x4,connected=0,fail=20,seed=3", "fattree2:k=4,leaves=4,fail=6,seed=1,connected=0",
         "mesh:5x5,connected=0,dead=9,seed=2", "dragonfly:a=4,h=2,p=2,connected=0,fail=90,seed=5"]


def run(*words, statuses):
    done = subprocess.run([WEFT, *words, "--json"], capture_output=True, text=True, timeout=interop.PATIENCE)
    check(done.returncode in statuses, f"{words}: exit status {done.returncode}, expected one of {statuses}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def check_choice(spec, statuses):
    routed = run("route", spec, "-R", "auto,no_fallback", statuses=statuses)
    found = run("check", spec, "-R", "auto", statuses=(0, 1))
    check(found["engine"] == routed["engine"], f"{spec}: weft check selects {found['engine']}, auto selects {routed['engine']}")
    wanted = "auto" if "+" in routed["engine"] else routed["engine"]  # one engine per connected part
    check(found["best"] == wanted, f"{spec}: weft check marks {found['best']}, auto selects {routed['engine']}")
    check(found["parts"] == routed["parts"], f"{spec}: weft check has parts {found['parts']}, weft route {routed['parts']}")
    omitted = [finding["text"] for finding in found["findings"] if "does not try" in finding["text"]]
    check(not omitted, f"{spec}: auto tries all engines on a small fabric, but weft check reports {omitted}")
    return routed


def main():
    for spec in sys.argv[1:] or SPECS:
        routed = check_choice(spec, (0,))
        check(len(routed["parts"]) == 1 and routed["verify"]["ca_to_ca"]["cut_off"] == 0,
              f"{spec}: {len(routed['parts'])} parts, expected 1 without disconnected pairs: {routed['verify']['ca_to_ca']}")
    for spec in DISCONNECTED if len(sys.argv) == 1 else []:
        routed = check_choice(spec, (1,))  # status 1: there are pairs without a path
        check(len(routed["parts"]) > 1, f"{spec}: {len(routed['parts'])} parts, expected more than 1")
        reach = routed["verify"]["ca_to_ca"]
        check(reach["pairs"] - reach["arrived"] == reach["cut_off"] > 0, f"{spec}: {reach}")
        check(sum(part["switches"] for part in routed["parts"]) == routed["fabric"]["switches"], f"{spec}: switches of {routed['parts']}")
        check(sum(part["cas"] for part in routed["parts"]) == routed["fabric"]["cas"], f"{spec}: CAs of {routed['parts']}")


main()
