#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests multicast with independent tools. ibdmchk finds each planned group connected and free of loops, and `ibroute -M` reads from the
switches of ibsim the tables that `weft sm --multicast` planned. Compares torus-2QoS with OpenSM. The SL2VL tables are equal, and the
LFTs have routes to the same LIDs.

Standard library only. Usage: multicast_test.py
"""
import pathlib
import re
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

CONFIG = interop.ROOT / "examples/torus-6x5.conf"
TORUS = "torus:6x5,hosts=1"


def host_guids(net):
    """Port GUIDs of hosts in an ibnetdiscover file."""
    return sorted(set(re.findall(r"^\[\d+\]\(([0-9a-f]+)\)", net.read_text(), re.M)))


def groups_file(folder, net):
    guids = ["0x" + guid for guid in host_guids(net)]
    path = folder / "groups"
    path.write_text("# groups of all hosts, of a third of the hosts, and of two hosts with a send-only member\n"
                    f"0xC000 {' '.join(guids)}\n0xC001 {' '.join(guids[::3])}\n"
                    f"0xC025 {guids[0]} {guids[-1]} send {guids[1]}\n")
    return path, {0xC000: len(guids), 0xC001: len(guids[::3]), 0xC025: 2}


def check_with_ibdmchk(spec, engine, *options):
    with tempfile.TemporaryDirectory(prefix="weft-multicast-") as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        interop.weft("generate", spec, "-o", net)
        groups, members = groups_file(folder, net)
        report = interop.weft_json("route", net, "-R", f"{engine},no_fallback", "--multicast", groups, "-o", folder, *options)
        check(report["verify"]["multicast"]["ok"] and report["verify"]["multicast"]["strangers"] == 0, report)
        text = interop.ibdmchk(folder).output
        for mlid, hosts in members.items():
            found = re.search(rf"Multicast Group:0x{mlid:X} has:(\d+) switches and:(\d+) HCAs", text)
            check(found, f"{spec} {engine}: ibdmchk has no group 0x{mlid:X}\n{text}")
            check(int(found[2]) == hosts, f"{spec} {engine} 0x{mlid:X}: {found[0]}, expected {hosts} HCAs")
        group_report = text[text.index("Scanning all multicast groups"):text.index("credit loop check")]
        # ibdmchk does not count the path of a send-only member as part of the tree, and warns. Only the group 0xC025 has a send-only member.
        warnings = [line for line in group_report.splitlines() if "-W-" in line and "group:0xC025 but is disc" not in line]
        check("-E-" not in group_report and not warnings, f"{spec} {engine}: {group_report}")
        again = interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", "--psl",
                                  folder / "weft.psl", "--slvl", folder / "weft.slvl", "--mcfdbs",
                                  folder / "opensm.mcfdbs", "--multicast", groups)
        check(again["verify"]["multicast"] == report["verify"]["multicast"], f"{spec} {engine}: {again}")


def multicast_of(text):
    """{guid: {mlid: ports}} of opensm.mcfdbs."""
    tables = {}
    for line in text.splitlines():
        if found := re.match(r"Switch 0x([0-9a-f]+)", line):
            table = tables.setdefault(int(found[1], 16), {})
        elif found := re.match(r"0x([0-9A-F]{4}) :(.*)", line):
            table[int(found[1], 16)] = {int(port, 16) for port in found[2].split()}
    return tables


def ibroute_ports(text):
    """{mlid: ports} of `ibroute -M`: two characters per port, from 0."""
    table = {}
    for line in text.splitlines():
        if found := re.match(r"0x([0-9a-fA-F]{4})(.*)", line):
            cells = found[2]
            start = text.splitlines()[[i for i, l in enumerate(text.splitlines()) if "Ports:" in l][0]].index("Ports:") + 7
            table[int(found[1], 16)] = {i for i, at in enumerate(range(start, len(line), 2)) if line[at] == "x"}
            check(cells.count("x") == len(table[int(found[1], 16)]), f"columns of ibroute: {text}")
    return table


def check_tables_of_switches():
    with tempfile.TemporaryDirectory(prefix="weft-multicast-") as name:
        folder = pathlib.Path(name)
        net, sim_net = folder / "fabric.net", folder / "sim.net"
        interop.weft("generate", "fattree2:k=6,hosts=2", "-o", net)
        interop.weft("convert", "--to", "ibsim", net, sim_net)
        groups, _ = groups_file(folder, net)
        with interop.Ibsim(sim_net) as sim:
            done = interop.weft_once(sim, folder / "sm", "-R", "updn", "--multicast", groups)
            planned = multicast_of((done.folder / "opensm.mcfdbs").read_text())
            check(planned, "no multicast table was planned")
            lids = {}
            for line in done.lst.read_text().splitlines():
                for guid, lid in re.findall(r"SW Ports:\w+ SystemGUID:\w+ NodeGUID:(\w+) .*?LID:(\w+) ", line):
                    lids[int(guid, 16)] = int(lid, 16)
            for guid, table in planned.items():
                text = sim.client(["ibroute", "-M", str(lids[guid])]).stdout
                check(ibroute_ports(text) == table, f"switch 0x{guid:x} has\n{text}\nplanned {table}")


def lids_of(text):
    """{switch: {LID: whether it is reachable}} of opensm.fdbs."""
    tables = {}
    for line in text.splitlines():
        if found := re.search(r"Switch 0x([0-9a-f]+)", line):
            table = tables.setdefault(int(found[1], 16), {})
        elif found := re.match(r"0x([0-9A-F]{4}) : (\w+)", line):
            table[int(found[1], 16)] = found[2] != "UNREACHABLE"
    return tables


def compare_torus_with_opensm():
    with tempfile.TemporaryDirectory(prefix="weft-torus-") as name:
        folder = pathlib.Path(name)
        sim_net = folder / "sim.net"
        interop.weft("generate", TORUS, "--to", "ibsim", "-o", sim_net)
        with interop.Ibsim(sim_net) as sim:
            by_opensm = interop.opensm_once(sim, folder / "opensm", "-R", "torus-2QoS,no_fallback", "-Q", "--torus_config", CONFIG)
        check("torus-2QoS tables configured" in by_opensm.log, by_opensm.log[-2000:])
        folder_of_weft = folder / "weft"
        report = interop.weft_json("route", by_opensm.lst, "-R", "torus-2QoS,no_fallback", "--torus_config", CONFIG, "-o", folder_of_weft)
        check(report["verify"]["ok"] and report["notes"] == [], report)
        check((folder_of_weft / "opensm-sl2vl.dump").read_text() == (by_opensm.folder / "opensm-sl2vl.dump").read_text(), "SL2VL tables differ")
        check(lids_of((folder_of_weft / "opensm.fdbs").read_text()) == lids_of(by_opensm.fdbs.read_text()), "LFTs reach different LIDs")


def main():
    for spec, engine, *options in (("fattree3:k=4", "minhop"), ("fattree2:k=8", "ftree"), ("torus:4x4,hosts=2", "updn"),
                                   ("torus:4x4,hosts=2", "dfsssp"), ("ring:n=7,hosts=2", "lash"),
                                   ("random:n=24,degree=4,hosts=2,seed=3", "nue"),
                                   (TORUS, "torus-2QoS", "--torus_config", CONFIG)):
        check_with_ibdmchk(spec, engine, *options)
    check_tables_of_switches()
    compare_torus_with_opensm()


if __name__ == "__main__":
    sys.exit(main())
