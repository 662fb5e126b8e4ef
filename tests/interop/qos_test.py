#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares QoS: OpenSM and Weft bring up the same ibsim net with the same opensm.conf, and every port has the same tables.

libibmad reads SL2VL, VL arbitration and OperVLs of all ports of both nets (the tool lanes_of). ibsim does not store VLHighLimit: the table
HIGH_LIMITS has the values that OpenSM sends according to its log, and a unit test with the same table tests Weft on the emulator. A second run
of Weft writes no tables.
"""
import json
import pathlib
import re
import sys
import tempfile

import bringup_test as bringup
import weft_interop as interop

NET = """
Switch 5 "S1"
[1] "H1"[1]
[2] "S2"[2]
[3] "H2"[1]
[4] "S2"[4]

Switch 5 "S2"
[1] "H3"[1]
[2] "S1"[2]
[3] "H1"[2]
[4] "S1"[4]

Hca 2 "H1"
[1] "S1"[1]
[2] "S2"[3]

Hca 1 "H2"
[1] "S1"[3]

Hca 1 "H3"
[1] "S2"[1]
"""
EVEN = "0:4,1:4,2:4,3:4,4:4,5:4,6:4,7:4"
TORUS = str(interop.ROOT / "examples/torus-6x5.conf")

# name: (options of both managers, lines of opensm.conf, number of runs of OpenSM: 2 if OpenSM must read the VLs that its first run set)
CASES = {
    "defaults": (["-Q"], "", 1),
    "key": ([], "qos TRUE", 1),
    "all ports": (["-Q"], "qos_vlarb_high 1:2,2:7\nqos_vlarb_low 0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8\n"
                  "qos_sl2vl 3,2,1,0,4,5,6,7,8,9,10,11,12,13,14,15", 1),
    "manual": (["-Q"], "qos_max_vls 15\nqos_high_limit 0\n"
               "qos_vlarb_low 0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4\n"
               "qos_vlarb_high 0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0\n"
               "qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7", 1),
    "document": (["-Q"], "".join(f"qos_{kind}_max_vls 15\nqos_{kind}_high_limit 6\nqos_{kind}_vlarb_high 0:4\n"
                                 f"qos_{kind}_vlarb_low 0:0,1:64,2:128,3:192,4:0,5:64,6:64,7:64\n"
                                 f"qos_{kind}_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n" for kind in ("ca", "swe")), 1),
    "own before all": (["-Q"], "qos_vlarb_high 0:2,2:7\nqos_vlarb_low 0:1\nqos_sl2vl 3,2,1,0\nqos_ca_sl2vl 2\n"
                       "qos_swe_vlarb_high 1:5,3:5\nqos_swe_sl2vl 1,1,1,1\nqos_sw0_sl2vl 7,7\nqos_ca_vlarb_low 2:9,3:1\n"
                       "qos_rtr_sl2vl 6", 1),
    "cut and folded": (["-Q"], "qos_sl2vl 0,1,2,3,5,5,5,12,12,0,\nqos_vlarb_low 8:1,9:2,1:3,1:4,14:5,1:6,1:7,0:8,1:9,1:10,\n"
                       "qos_vlarb_high 0x3:0x10", 1),
    "two VLs": (["-Q"], "max_op_vls 2\nqos_vlarb_low 0:1,1:2,2:3,3:4\nqos_vlarb_high 7:9", 2),
    "one VL": (["-Q"], "max_op_vls 1\nqos_sl2vl 4,5,6,15,15,15", 2),
    "lash": (["-Q", "-R", "lash"], f"qos_vlarb_low {EVEN}\nqos_vlarb_high {EVEN}", 1),
    "dfsssp": (["-Q", "-R", "dfsssp"], f"qos_vlarb_low {EVEN}\nqos_vlarb_high {EVEN}", 1),
    "torus-2QoS, uneven": (["-Q", "-R", "torus-2QoS", "--torus_config", TORUS],
                           "qos_vlarb_low 0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8\n"
                           "qos_swe_vlarb_high 7:1,6:2,5:3,4:4,3:5,8:3,2:6,1:7,0:8\nqos_ca_vlarb_high 1:2", 1),
    "torus-2QoS": (["-Q", "-R", "torus-2QoS", "--torus_config", TORUS],
                   f"qos_ca_vlarb_low 0:4,1:4\nqos_ca_vlarb_high 0:1,1:1\nqos_swe_vlarb_low {EVEN}\nqos_swe_vlarb_high 0:0\n"
                   "qos_swe_sl2vl 1,2,3", 1),
}
SPECS = {"lash": "torus:4x4,hosts=1", "dfsssp": "torus:4x4,hosts=1", "torus-2QoS": "torus:6x5,hosts=1",
         "torus-2QoS, uneven": "torus:6x5,hosts=1"}

# {lines of opensm.conf: (VLHighLimit that OpenSM sends to CAs, VLHighLimit for connected ports of switches)}.
# LanesByKeys.HighLimitsAreThoseOfTheKeys in tests/unit/sm/administered_lanes_test.cpp has the same table.
HIGH_LIMITS = {
    "": (0, 0),
    "qos_high_limit 9": (9, 9),
    "qos_high_limit 9\nqos_ca_high_limit 255\nqos_swe_high_limit 0": (255, 0),
    "qos_ca_high_limit 3\nqos_high_limit -1": (3, 0),
}


def ports(sim):
    """[(kind, node guid, lid, port, inputs)] of all ports that have a LID for queries, and all ports of switches."""
    found, kind, guid, count = [], None, None, 0
    for line in sim.client(["ibnetdiscover"]).stdout.splitlines():
        if match := re.match(r'(Switch|Ca|Rt)\s+(\d+) "[SHR]-([0-9a-f]{16})".*?(?:lid (\d+) lmc \d+)?$', line):
            kind, count, guid = match[1], int(match[2]), int(match[3], 16)
            if kind == "Switch":
                found += [(kind, guid, int(match[4]), port, count + 1) for port in range(count + 1)]
        elif kind != "Switch" and (match := re.match(r"\[(\d+)\].*# lid (\d+) lmc", line)):
            found.append((kind, guid, int(match[2]), int(match[1]), 0))
    return found


def lanes(sim):
    """{(kind, node guid, port): [line of lanes_of without LID and port]} of every port."""
    queried = ports(sim)
    text = "".join(f"{lid} {port} {2 if kind == 'Switch' else 1} {inputs}\n" for kind, _, lid, port, inputs in queried)
    owner = {(lid, port): (kind, guid, port) for kind, guid, lid, port, _ in queried}
    tables = {key: [] for key in owner.values()}
    for line in sim.client([interop.tool("lanes_of")], input=text).stdout.splitlines():
        lid, port, rest = line.split(" ", 2)
        tables[owner[int(lid), int(port)]].append(rest)
    bringup.check(tables and all(len(lines) >= 4 for lines in tables.values()), f"lanes_of printed fewer than 4 lines for a port: {tables}")
    return tables


def compare(name, weft_tables, opensm_tables):
    bringup.check(weft_tables.keys() == opensm_tables.keys(), f"{name}: Weft and OpenSM have different ports")
    wrong = [f"{key[0]} 0x{key[1]:x} port {key[2]}: weft {weft_line} opensm {opensm_line}" for key in sorted(weft_tables)
             for weft_line, opensm_line in zip(weft_tables[key], opensm_tables[key]) if weft_line != opensm_line]
    bringup.check(not wrong, f"{name}: {len(wrong)} tables differ:\n" + "\n".join(wrong[:12]))


def run_case(name, folder, options, text, runs):
    net = folder / "fabric.net"
    if name in SPECS:
        interop.weft("generate", SPECS[name], "-o", net)
    else:
        net.write_text(NET)
    conf = folder / "opensm.conf"
    conf.write_text(text + "\n")
    with interop.Ibsim(net) as weft_net, interop.Ibsim(net) as opensm_net:
        for run in range(runs):
            interop.opensm_once(opensm_net, folder / f"opensm{run}", "-F", conf, *options)
        interop.weft_once(weft_net, folder / "weft", "-F", conf, *options)
        tables = lanes(weft_net)
        compare(name, tables, lanes(opensm_net))
        report = again(weft_net, folder, conf, options)
        for key in ("sl2vl_written", "vl_arb_written"):
            bringup.check(report[key] == 0, f"{name}: the second run of Weft wrote: {key} {report[key]}")
        return len(tables)


def again(sim, folder, conf, options):
    done = sim.client([interop.weft_binary(), "sm", "--once", "--json", "-F", conf, "-f", folder / "again.log", *options],
                      check=False, extra={"OSM_CACHE_DIR": str(folder / "again")})
    bringup.check(done.returncode == 0, f"the second run of Weft failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
    return json.loads(done.stdout)


def high_limits_sent(log):
    """VLHighLimit of the Sets of PortInfo with link parameters, {(hops, port modifier): limit}."""
    sent = {}
    for block in re.split(r"\n(?=\w{3} +\d+ \d\d:\d\d:\d\d )", log):
        if "SMP dump" not in block or "(SubnSet)" not in block or "(PortInfo)" not in block:
            continue
        modifier = int(re.search(r"attr_mod\.+0x(\w+)", block)[1], 16)
        hops = re.search(r"Initial path: ([\d,]+)", block)[1]
        rows = re.findall(r"^\s*((?:[0-9A-F]{2} ?){8}  +(?:[0-9A-F]{2} ?){8})", block, re.M)
        data = bytes.fromhex("".join(rows).replace(" ", ""))
        if modifier >> 31:
            sent[hops, modifier & 0xFF] = data[38]
    return sent


def check_high_limits(folder):
    net = folder / "fabric.net"
    net.write_text(NET)
    for number, (text, (ca, external)) in enumerate(HIGH_LIMITS.items()):
        conf = folder / f"{number}.conf"
        conf.write_text(text + "\n")
        with interop.Ibsim(net) as sim:
            log = interop.opensm_once(sim, folder / f"high{number}", "-F", conf, "-Q", "-D", "0xff").log
        sent = high_limits_sent(log)
        # The manager runs on S1: the path "0" ends at S1, the paths "0,2" and "0,4" at S2, other paths with one hop at CAs.
        of_switches = {limit for (hops, _), limit in sent.items() if hops in ("0", "0,2", "0,4")}
        of_cas = {limit for (hops, _), limit in sent.items() if hops not in ("0", "0,2", "0,4")}
        bringup.check((of_cas, of_switches) == ({ca}, {external}), f"{text!r}: OpenSM sends {sent}")


def main():
    chosen = sys.argv[1:] or [*CASES, "high limits"]
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="weft-qos-") as folder:
            folder = pathlib.Path(folder)
            if name == "high limits":
                check_high_limits(folder)
                print(f"{name}: equal to the values of OpenSM")
            else:
                print(f"{name}: {run_case(name, folder, *CASES[name])} ports equal")


if __name__ == "__main__":
    sys.exit(main())
