#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the replacements of the ORCS converters as a chain: DOT -> ibsim net -> OpenSM -> dumped tables -> DOT -> simulation.

Usage: orcs_loop_test.py convert [FABRIC]   the graph with routes is the same from every pair of files of OpenSM and its tools
                         example            examples/orcs-loop succeeds, and its graphs equal the tables programmed by OpenSM
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check


def edges(graph):
    """The edges of a graph with routes: {(tail, port of the tail, head, port of the head): destinations}."""
    pattern = re.compile(r'"(\w+)" -> "(\w+)" \[(?:comment="([^"]*)", )?taillabel=(\d+), headlabel=(\d+)')
    found = {}
    for tail, head, comment, tail_port, head_port in pattern.findall(pathlib.Path(graph).read_text()):
        found[tail, int(tail_port), head, int(head_port)] = comment
    return found


def route_with_opensm(net, folder, engine):
    """OpenSM routes the net. Then ibnetdiscover and dump_lfts read the fabric and its tables into the files held.net and held.lft."""
    with interop.Ibsim(net) as sim:
        interop.opensm_once(sim, folder, "-R", engine)
        for name, command in (("net", ["ibnetdiscover", "-s"]), ("lft", ["dump_lfts"])):
            (folder / f"held.{name}").write_text(sim.client(command).stdout)


def convert(fabric):
    with tempfile.TemporaryDirectory(prefix="weft-orcs-") as scratch:
        scratch = pathlib.Path(scratch)
        interop.weft("convert", fabric, scratch / "plain.dot")
        interop.weft("convert", scratch / "plain.dot", scratch / "fabric.net", "--to", "ibsim")
        same = interop.weft("diff", fabric, scratch / "fabric.net", check=False)
        check(same.returncode == 0, f"DOT and net do not contain the same fabric: {same.stdout}")
        # The same graph is made from three pairs of files: ibnetdiscover output and opensm.fdbs, which contains only LIDs; ibnetdiscover output
        # and dump_lfts, which contains GUIDs; a net without the LIDs of OpenSM and dump_lfts.
        route_with_opensm(scratch / "fabric.net", scratch, "updn")
        pairs = {"fdbs": ("held.net", "opensm.fdbs"), "lfts": ("held.net", "held.lft"), "net": ("fabric.net", "held.lft")}
        graphs = {}
        for name, (net, tables) in pairs.items():
            graph = scratch / f"{name}.dot"
            interop.weft("convert", scratch / net, graph, "--lfts", scratch / tables)
            graphs[name] = edges(graph)
        hosts = sum(1 for edge in graphs["net"] if edge[0].startswith("H"))
        check(hosts >= 8 and all(graphs["net"].values()), "the graph has no routes")
        for name in ("fdbs", "lfts"):
            check(graphs[name] == graphs["net"], f"{name}: the graph differs from the graph of the net")
        verdict = interop.weft_json("verify", scratch / "net.dot")["verify"]
        check(verdict["ok"] and verdict["ca_to_ca"]["pairs"] == hosts * (hosts - 1), f"verification of the routes of {hosts} hosts: {verdict}")
        print(f"{hosts} hosts, {len(graphs['net'])} edges: the same graph three times")


def example():
    with tempfile.TemporaryDirectory(prefix="weft-orcs-") as scratch:
        scratch = pathlib.Path(scratch)
        interop.weft("convert", "fattree2:k=4", scratch / "graph.dot")
        command = [str(interop.ROOT / "examples/orcs-loop"), str(scratch / "graph.dot"), str(scratch / "out"), "minhop", "updn", "ftree"]
        environment = dict(os.environ, WEFT=interop.weft_binary(), SIMULATE="--ptrn bruck --metric hist_max_cong --num_runs 10")
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * interop.PATIENCE, env=environment)
        check(done.returncode == 0, f"{done.stdout}\n{done.stderr}")
        for engine in ("minhop", "updn", "ftree"):
            _, routed_by = interop.opensm_route_seconds((scratch / "out" / f"{engine}.log").read_text())
            check(routed_by == engine, f"{engine}.log: routed by {routed_by}")
            text = (scratch / "out" / f"{engine}.txt").read_text()
            counts = [int(count) for count in re.findall(r"weight \d+: (\d+) of the 240 connections", text)]
            check(sum(counts) == 240, f"bruck of 8 hosts is 24 connections in each run, found {counts}: {text}")
            print(engine, "BW:", re.search(r"BW: ([\d.]+)", text).group(1))


if __name__ == "__main__":
    {"convert": convert, "example": example}[sys.argv[1]](*sys.argv[2:] or (["fattree3:k=4"] if sys.argv[1] == "convert" else []))
