#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm --once` on an ibsim fabric with independent programs.

On the given net ibnetdiscover lists every node with a LID, iblinkinfo shows every link Active, ibroute of every switch equals
Weft's dump, and ibtracert succeeds for random pairs. Each field of PortInfo of every port equals the field after a run of OpenSM on
the same net, except the differences in docs/reference/differences-from-opensm.md.
Usage: bringup_test.py NET_OR_SPEC [--pairs N] [--engine E] [--as-is]
"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

# PortInfo fields that may differ, with the reason in docs/reference/differences-from-opensm.md. Ports are matched by node GUID and port
# number. LIDs are compared by endport.
EXPLAINED = {"Lid", "SMLid"}


def discovered(sim):
    """{node guid: (type, [port lids])} from the output of ibnetdiscover."""
    text = sim.client(["ibnetdiscover"]).stdout
    nodes, current = {}, None
    for line in text.splitlines():
        if match := re.match(r'(Switch|Ca|Rt)\s+\d+ "[SHR]-([0-9a-f]{16})".*?(?:lid (\d+) lmc \d+)?$', line):
            current = nodes.setdefault(int(match[2], 16), (match[1], []))
            if match[1] == "Switch":
                current[1].append(int(match[3]))
        elif current and current[0] != "Switch" and (match := re.search(r"# lid (\d+) lmc", line)):
            current[1].append(int(match[1]))
    return nodes


def check_lids(nodes):
    lids = [lid for _, owned in nodes.values() for lid in owned]
    check(lids and all(lid > 0 for lid in lids), f"ibnetdiscover: a node without a LID: {nodes}")
    check(len(set(lids)) == len(lids), f"ibnetdiscover: LIDs assigned twice: {sorted(lid for lid in set(lids) if lids.count(lid) > 1)}")


def check_links(sim, links):
    """iblinkinfo shows every link as Active at both ends."""
    text = sim.client(["iblinkinfo", "-l"]).stdout
    states = re.findall(r"==\(.*?(Active|Initialized|Armed|Down)\s*/\s*(\w+)\)==>", text)
    up = [state for state, phys in states if phys == "LinkUp"]
    check(all(state == "Active" for state in up), f"iblinkinfo: a link is not Active:\n{text[:3000]}")
    check(len(up) == 2 * links, f"iblinkinfo: {len(up)} ends of links, expected {2 * links}")


def dumped_tables(folder):
    """{switch guid: ["LID port" of each entry]} of Weft's opensm-lfts.dump, and the LIDs of the switches."""
    tables, lids, guid = {}, {}, None
    for line in (folder / "opensm-lfts.dump").read_text(errors="replace").splitlines():
        if match := re.match(r"Unicast lids .* of switch Lid (\d+) guid 0x([0-9a-f]+)", line):
            guid = int(match[2], 16)
            lids[guid] = int(match[1])
            entries = tables[guid] = []
        elif line.startswith("0x"):
            entries.append(line[:10])  # such as "0x0001 012", as in the output of ibroute
    return tables, lids


def check_tables(sim, folder):
    tables, lids = dumped_tables(folder)
    for table in tables.values():
        if int(table[-1].split()[0], 16) % 64 == 0:
            del table[-1]  # ibroute omits a top LID that begins a block, for any subnet manager

    def check_switch(guid):
        text = sim.client(["ibroute", "-n", str(lids[guid])]).stdout
        held = re.findall(r"^(0x[0-9a-f]+ \d+)\s", text, re.M)
        check(held == tables[guid], f"ibroute of 0x{guid:x} differs from Weft's dump: {sorted(set(held) ^ set(tables[guid]))[:10]}")
        return len(held)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sum(pool.map(check_switch, sorted(tables)))


def check_traces(sim, nodes, pairs):
    lids = sorted(lid for kind, owned in nodes.values() if kind != "Switch" for lid in owned)
    if len(lids) < 2:
        return 0
    rng = random.Random(1)
    chosen = [tuple(rng.sample(lids, 2)) for _ in range(pairs)]

    def check_pair(pair):
        text = sim.client(["ibtracert", *map(str, pair)], check=False)
        check(text.returncode == 0 and re.search(rf"To \w+ .* lid {pair[1]}-", text.stdout),
              f"ibtracert {pair} does not arrive:\n{text.stdout}{text.stderr}")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(check_pair, chosen))
    return len(chosen)


def port_infos(sim, ports):
    """[{field: value}] of PortInfo for (lid, port) pairs, decoded by libibmad."""
    text = sim.client([interop.portinfo_of()], input="".join(f"{lid} {number}\n" for lid, number in ports)).stdout
    blocks = re.split(r"^# \d+ \d+\n", text, flags=re.M)[1:]
    check(len(blocks) == len(ports), f"PortInfo of {len(blocks)} ports, expected {len(ports)}")
    return [dict(re.findall(r"^(\w+):\.+(.*)$", block, re.M)) for block in blocks]


def all_ports(sim, nodes):
    """[(node guid, lid, port)] of every port that smpquery can query."""
    ports = []
    text = sim.client(["ibnetdiscover"]).stdout
    guid = kind = count = lid = None
    for line in text.splitlines():
        if match := re.match(r'(Switch|Ca|Rt)\s+(\d+) "[SHR]-([0-9a-f]{16})"', line):
            kind, count, guid = match[1], int(match[2]), int(match[3], 16)
            if kind == "Switch":
                ports += [(guid, nodes[guid][1][0], number) for number in range(count + 1)]
        elif kind in ("Ca", "Rt") and (match := re.match(r"\[(\d+)\].*# lid (\d+) lmc", line)):
            ports.append((guid, int(match[2]), int(match[1])))
    return sorted(ports)


def compare_port_infos(weft_sim, opensm_sim, weft_nodes, opensm_nodes):
    """Checks that PortInfo of each port is equal on both fabrics, each on its own ibsim; returns the number of ports."""
    weft_ports, opensm_ports = all_ports(weft_sim, weft_nodes), all_ports(opensm_sim, opensm_nodes)
    check([(g, n) for g, _, n in weft_ports] == [(g, n) for g, _, n in opensm_ports], "the ports of the two fabrics differ")
    left = port_infos(weft_sim, [port[1:] for port in weft_ports])
    right = port_infos(opensm_sim, [port[1:] for port in opensm_ports])
    for port, weft_fields, opensm_fields in zip(weft_ports, left, right):
        check(weft_fields and set(weft_fields) == set(opensm_fields),
              f"PortInfo of {port}: different fields: {set(weft_fields) ^ set(opensm_fields)}")
        wrong = {field: (weft_fields[field], opensm_fields[field]) for field in weft_fields
                 if weft_fields[field] != opensm_fields[field] and field not in EXPLAINED}
        check(not wrong, f"PortInfo of 0x{port[0]:x} port {port[2]}, weft against opensm: {wrong}")
    return len(left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("net", help="an ibsim net, or any fabric file or spec that weft convert reads")
    parser.add_argument("--pairs", type=int, default=100, help="random pairs to trace")
    parser.add_argument("--as-is", action="store_true", help="pass the net to ibsim without conversion")
    parser.add_argument("--engine", default="minhop")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-bringup-") as scratch:
        scratch = pathlib.Path(scratch)
        net = pathlib.Path(options.net)
        if not options.as_is:
            net = scratch / "fabric.net"
            interop.weft("convert", options.net, net, "--to", "ibsim")
        links = interop.weft_json("diff", net, net)["a"]["links"]
        with interop.Ibsim(net) as weft_sim:
            interop.weft_once(weft_sim, scratch / "weft", "-R", options.engine)
            nodes = discovered(weft_sim)
            check_lids(nodes)
            check_links(weft_sim, links)
            entries = check_tables(weft_sim, scratch / "weft")
            traces = check_traces(weft_sim, nodes, options.pairs)
            with interop.Ibsim(net) as opensm_sim:
                interop.opensm_once(opensm_sim, scratch / "opensm", "-R", options.engine)
                compared = compare_port_infos(weft_sim, opensm_sim, nodes, discovered(opensm_sim))
    print(f"{options.net}: {len(nodes)} nodes, {links} cables active, {entries} LFT entries read back, "
          f"{traces} pairs traced, PortInfo of {compared} ports equal to OpenSM's")


if __name__ == "__main__":
    sys.exit(main())
