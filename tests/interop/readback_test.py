#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm --once -R ENGINE` on ibsim for the engines in CASES: ibroute, smpquery sl2vl and smpquery vlarb read back the tables of Weft's
dumps, and a second run writes nothing.

Standard library only. Usage: readback_test.py
"""
import concurrent.futures
import json
import pathlib
import re
import sys
import tempfile

import weft_interop as interop
from weft_interop import check, held_routes

# {small fabric: [(engine, options, minimum number of VLs of its routes)]}. The engines run one after another on the same ibsim, so that each
# engine starts with the tables of the previous engine.
CASES = {
    "fattree2:k=2": [(engine, [], 1) for engine in ("minhop", "updn", "ar_updn", "dnup", "ftree", "ar_ftree", "sssp")],
    "ring:n=5,hosts=1": [("dfsssp", [], 2), ("lash", [], 2), ("nue", ["--nue_max_num_vls", "4"], 4)],
    "mesh:2x2,hosts=1": [("dor", [], 1)],
    "torus:3x3,hosts=1": [("torus-2QoS", ["--torus_config", "torus.conf"], 4)],
}
TORUS = """torus 3 3 1
xp_link 0x0010000000000001 0x0010000000000002
yp_link 0x0010000000000001 0x0010000000000004
"""


def planned_routes(folder):
    """{switch GUID: {LID: port}} of opensm-lfts.dump."""
    tables = {}
    for line in (folder / "opensm-lfts.dump").read_text().splitlines():
        if match := re.match(r"Unicast lids .* guid 0x([0-9a-f]{16})", line):
            table = tables.setdefault(int(match[1], 16), {})
        elif match := re.match(r"0x([0-9a-f]{4}) (\d{3})", line):
            table[int(match[1], 16)] = int(match[2])
    return tables


def planned_maps(folder):
    """{(is a switch, base LID): (GUID of the switch, {(in, out): VLs of SL 0 to 15})} of opensm-sl2vl.dump."""
    owners = {}
    for line in (folder / "opensm-sl2vl.dump").read_text().splitlines():
        if match := re.match(r"(Switch|Channel Adapter) 0x([0-9a-f]+), base LID (\d+)", line):
            maps = {}
            owners[match[1] == "Switch", int(match[3])] = int(match[2], 16), maps
        elif match := re.match(r"(\d+)\s+(\d+)\s+: ([\d ]+)", line):
            maps[int(match[1]), int(match[2])] = [int(vl) for vl in match[3].split()]
    return owners


def planned_arbitration(folder):
    """{node GUID: {(port, "low" or "high"): [(VL, weight), ..]}} of weft-vlarb.dump."""
    owners = {}
    for line in (folder / "weft-vlarb.dump").read_text().splitlines():
        if match := re.match(r"(?:Switch|Channel Adapter) 0x([0-9a-f]+),", line):
            tables = owners.setdefault(int(match[1], 16), {})
        elif match := re.match(r"(\d+)\s+(low|high)\s+:(.*)", line):
            tables[int(match[1]), match[2]] = [tuple(map(int, entry.split(":"))) for entry in match[3].split()]
    return owners


def read_maps(sim, lid, port):
    text = sim.client(["smpquery", "sl2vl", str(lid), str(port)]).stdout
    rows = re.findall(r"^ports: in +(\d+), out +(\d+): \|([ \d|]+)$", text, re.M)
    return {(int(i), int(o)): [int(vl) for vl in row.split("|")[:16]] for i, o, row in rows}


def read_arbitration(sim, lid, port):
    """Returns (entries of the low table, entries of the high table), as many entries as the port supports."""
    text = sim.client(["smpquery", "vlarb", str(lid), str(port)]).stdout
    low, high = text.split("# High priority VL Arbitration Table:")
    caps = re.search(r"LowCap (\d+) HighCap (\d+)", text)

    def entries(part, cap):
        numbers = {name: [int(word, 16) for line in re.findall(rf"^{name}\s*: \|(.*)$", part, re.M)
                          for word in line.split("|") if word.strip()] for name in ("VL", "WEIGHT")}
        return list(zip(numbers["VL"], numbers["WEIGHT"]))[:cap]

    return entries(low, int(caps[1])), entries(high, int(caps[2]))


def same_tables(sim, folder):
    """Compares the tables of every port with the dumps; returns the numbers of tables and of hosts."""
    routes, maps, arbitration = planned_routes(folder), planned_maps(folder), planned_arbitration(folder)
    hosts = {lid: guid for (is_switch, lid), (guid, _) in maps.items() if not is_switch}

    def switch(owner):
        (_, lid), (guid, planned) = owner
        found = held_routes(sim, lid)
        check(found == routes[guid], f"ibroute of 0x{guid:x}: {found}, expected {routes[guid]}")
        count = 1
        for port in sorted({out for _, out in planned}):
            want = {pair: vls for pair, vls in planned.items() if pair[1] == port}
            read = read_maps(sim, lid, port)
            check(read == want, f"SL2VL of 0x{guid:x} port {port}: {read}, expected {want}")
            same_arbitration(lid, port, arbitration[guid])
            count += len(want) + 2
        return count

    def host(owner):
        (_, lid), (guid, planned) = owner
        read = read_maps(sim, lid, 0)
        check(list(read.values()) == list(planned.values()), f"SL2VL of host LID {lid}: {read}, expected {planned}")
        tables = arbitration[guid - 1]  # node GUID: one less than the port GUID
        same_arbitration(lid, 1, tables)
        return 3

    def same_arbitration(lid, port, tables):
        found = read_arbitration(sim, lid, port)
        want = tables[port, "low"], tables[port, "high"]
        check(found == want, f"VL arbitration of LID {lid} port {port}: {found}, expected {want}")
        weighted_vls = {vl for entries in found for vl, weight in entries if weight}
        check(weighted_vls == set(range(8)),
              f"VL arbitration of LID {lid} port {port} has weights for VLs {sorted(weighted_vls)}, expected VLs 0 to 7")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        switches = pool.map(switch, [item for item in maps.items() if item[0][0]])
        return sum(switches) + sum(pool.map(host, [item for item in maps.items() if not item[0][0]])), len(hosts)


def one_fabric(spec, folder):
    folder.mkdir()
    (folder / "torus.conf").write_text(TORUS)
    net = folder / "fabric.net"
    interop.weft("generate", spec, "-o", net)
    done = {}
    with interop.Ibsim(net) as sim:
        for engine, options, lanes in CASES[spec]:
            words = ["-R", f"{engine},no_fallback", "--json",
                     *[folder / word if word == "torus.conf" else word for word in options]]
            first = json.loads(interop.weft_once(sim, folder / engine, *words).output)
            check(first["engine"] == engine and first["vls"] >= lanes,
                  f"{engine}: found engine {first['engine']} with {first['vls']} VLs, expected {lanes} or more")
            # The initial tables of ibsim equal neither Weft's SL2VL nor its arbitration tables.
            check(done or first["sl2vl_written"] > 0 and first["vl_arb_written"] > 0, first)
            done[engine], hosts = same_tables(sim, folder / engine)
            check(hosts > 0 and done[engine] > 3 * hosts, f"{engine}: {done[engine]} tables compared")
            again = json.loads(interop.weft_once(sim, folder / "again", *words).output)
            for what in ("lft_blocks_written", "sl2vl_written", "vl_arb_written"):
                check(again[what] == 0, f"{engine}: a second run has {what} {again[what]}")
    return done


def main():
    with tempfile.TemporaryDirectory(prefix="weft-readback-") as scratch:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            fabrics = [pool.submit(one_fabric, spec, pathlib.Path(scratch) / str(number))
                       for number, spec in enumerate(CASES)]
            for fabric in fabrics:
                for engine, tables in fabric.result().items():
                    print(f"{engine}: {tables} tables as planned")


if __name__ == "__main__":
    sys.exit(main())
