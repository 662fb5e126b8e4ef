#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Verifies routes with ibdmchk, an independent verifier: routes of Weft on any fabric, and of OpenSM on an ibsim fabric.

ibdmchk and Weft read the same dumps and must agree on the number of CA pairs, their connectivity, and credit loops.
Usage: ibdmchk_test.py weft FABRIC [--engine E] [--lmc N] [--loop|--free]   Weft's routes
       ibdmchk_test.py opensm FABRIC [--engine E] [--loop|--free]             OpenSM's own routes
       ibdmchk_test.py dumps FOLDER [--loop|--free]                           a folder with subnet.lst and osm.fdbs
--free and --loop set the result that ibdmchk and Weft must find: no credit loop, or a credit loop.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

import weft_interop as interop
from weft_interop import check


def routes_of_weft(options, scratch):
    interop.weft("route", options.fabric, "-R", options.engine, "--lmc", options.lmc, "--verify=warn", "-o", scratch,
                 check=False)


def routes_of_opensm(options, scratch):
    net = scratch / "fabric.net"
    interop.weft("convert", options.fabric, net, "--to", "ibsim")
    with interop.Ibsim(net) as sim:
        done = interop.opensm_once(sim, scratch, "-R", options.engine)
    _, routed_by = interop.opensm_route_seconds(done.log)
    check(routed_by == options.engine, f"OpenSM routed by {routed_by}, not by {options.engine}")


def routes_of_dumps(options, scratch):
    shutil.copy(pathlib.Path(options.fabric) / "subnet.lst", scratch / "opensm-subnet.lst")
    shutil.copy(pathlib.Path(options.fabric) / "osm.fdbs", scratch / "opensm.fdbs")


SIDES = {"weft": routes_of_weft, "opensm": routes_of_opensm, "dumps": routes_of_dumps}


def verified_by_weft(folder):
    words = ["verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs"]
    for option, name in (("--psl", "weft.psl"), ("--slvl", "weft.slvl")):
        if (folder / name).exists():
            words += [option, folder / name]
    return interop.weft_json(*words, check=False)["verify"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=sorted(SIDES))
    parser.add_argument("fabric")
    parser.add_argument("--engine", default="updn")
    parser.add_argument("--lmc", type=int, default=0)
    expected = parser.add_mutually_exclusive_group()
    expected.add_argument("--free", action="store_true")
    expected.add_argument("--loop", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-ibdmchk-") as scratch:
        scratch = pathlib.Path(scratch)
        SIDES[options.side](options, scratch)
        by_weft, by_ibdmchk = verified_by_weft(scratch), interop.ibdmchk(scratch)
    check(by_ibdmchk.accepted, f"ibdmchk does not accept the dumps:\n{by_ibdmchk.output[-3000:]}")
    pairs = by_weft["ca_to_ca"]
    check(by_ibdmchk.ca_paths == pairs["pairs"], f"CA pairs: ibdmchk counts {by_ibdmchk.ca_paths}, weft {pairs}")
    check(by_ibdmchk.missing == by_weft["unreachable"],
          f"CA pairs without a path: ibdmchk counts {by_ibdmchk.missing}, weft {by_weft['unreachable']}")
    check(by_ibdmchk.credit_loops == (by_weft["credit_loops"] > 0),
          f"credit loops: ibdmchk {by_ibdmchk.credit_loops}, weft {by_weft['credit_loop']}")
    if options.free or options.loop:
        check(by_ibdmchk.credit_loops == options.loop, f"credit loops: {by_ibdmchk.credit_loops}, expected {options.loop}")
        check(by_ibdmchk.missing == 0, f"{by_ibdmchk.missing} CA pairs are not connected")
    print(f"{options.fabric}: {options.side}'s {options.engine}: both count {by_ibdmchk.ca_paths} CA paths, {by_ibdmchk.missing} "
          f"missing, {'a' if by_ibdmchk.credit_loops else 'no'} credit loop")


if __name__ == "__main__":
    sys.exit(main())
