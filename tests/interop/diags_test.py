#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests infiniband-diags on an ibsim net that Weft manages: ibtracert, iblinkinfo, ibqueryerrors, perfquery and smpquery show the subnet of
the net file, with the LIDs and routes of Weft.

Standard library only. Usage: diags_test.py [--net SPEC]
"""
import argparse
import pathlib
import re
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check


def links(net):
    """The number of links in the net file, which has each link twice."""
    return len(re.findall(r'^\[\d+\](?:\(\w+\))?\s+"', net.read_text(), re.M)) // 2


def check_smpquery(sim, host_lid, sm_lid):
    info = sim.client(["smpquery", "portinfo", host_lid, "1"]).stdout
    check(re.search(rf"^Lid:\.+{host_lid}$", info, re.M), f"Lid in PortInfo:\n{info}")
    check(re.search(rf"^SMLid:\.+{sm_lid}$", info, re.M), f"SMLid in PortInfo:\n{info}")
    check(re.search(r"^LinkState:\.+Active$", info, re.M), f"LinkState in PortInfo:\n{info}")


def host_and_manager_lid(sim, host):
    """(LID, LID of the manager), as text, in PortInfo of the port of the host."""
    text = sim.client(["smpquery", "-D", "portinfo", "0", "1"], host=host).stdout
    return re.search(r"^Lid:\.+(\d+)$", text, re.M)[1], re.search(r"^SMLid:\.+(\d+)$", text, re.M)[1]


def check_trace(sim, source, destination):
    """ibtracert follows the tables of the switches from host to host."""
    text = sim.client(["ibtracert", source, destination]).stdout
    check(re.search(rf"^From ca .* lid {source}-{source}", text, re.M), f"ibtracert does not begin at LID {source}:\n{text}")
    check(re.search(rf"^To ca .* lid {destination}-{destination}", text, re.M), f"ibtracert does not end at LID {destination}:\n{text}")
    hops = re.findall(r"^\[\d+\] -> (?:switch|ca) port", text, re.M)
    check(2 <= len(hops) <= 6, f"{len(hops)} hops from LID {source} to LID {destination}, expected 2 to 6:\n{text}")


def check_links(sim, expected):
    text = sim.client(["iblinkinfo", "-l"]).stdout
    active = re.findall(r"Active/\s*LinkUp", text)
    # Each link between switches is listed twice, each link of a host at least once.
    check(expected <= len(active) <= 2 * expected, f"{len(active)} active ends of links, expected {expected} to {2 * expected}:\n{text[:2000]}")
    check(not re.findall(r"Initialize/|Armed/", text), f"links that were not activated:\n{text[:2000]}")


def check_counters(sim, lid):
    text = sim.client(["perfquery", lid, "1"]).stdout
    check(re.search(rf"Port counters: Lid {lid} port 1", text), f"perfquery does not name LID {lid} port 1:\n{text}")
    check(re.search(r"^SymbolErrorCounter:\.+0$", text, re.M), f"perfquery of LID {lid}: expected SymbolErrorCounter 0:\n{text}")
    errors = sim.client(["ibqueryerrors"], check=False)
    check(errors.returncode == 0, f"ibqueryerrors: exit {errors.returncode}\n{errors.stdout[-2000:]}{errors.stderr[-2000:]}")
    nodes = re.search(r"(\d+) nodes checked, (\d+) bad nodes found", errors.stdout)
    check(nodes and int(nodes[1]) > 0 and int(nodes[2]) == 0, f"ibqueryerrors: expected no bad node:\n{errors.stdout[-2000:]}")


def run(spec):
    with tempfile.TemporaryDirectory(prefix="weft-diags-") as scratch:
        folder = pathlib.Path(scratch)
        net = folder / "fabric.net"
        interop.weft("convert", spec, net, "--to", "ibsim")
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', net.read_text(), re.M)
        with interop.Ibsim(net) as sim, Manager(folder, sim=sim):
            (first, sm_lid), (last, _) = host_and_manager_lid(sim, hosts[0]), host_and_manager_lid(sim, hosts[-1])
            check(first == sm_lid, f"the manager's LID is {first}, ports report {sm_lid}")
            check_smpquery(sim, last, sm_lid)
            check_trace(sim, first, last)
            check_trace(sim, last, first)
            check_links(sim, links(net))
            check_counters(sim, last)
        print(f"diags: ibtracert, iblinkinfo, ibqueryerrors, perfquery and smpquery agree ({spec})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", default="fattree2:k=4")
    run(parser.parse_args().net)


if __name__ == "__main__":
    main()
