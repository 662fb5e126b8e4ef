#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares P_Key tables: OpenSM and Weft bring up the same ibsim net with the same partitions.conf, and all tables are equal.

Each case is a list of files that become active one after another, so that the indexes of existing P_Keys have an effect. After each file
libibmad reads the P_Keys of every port of both nets (the tool pkeys_of). A second Weft on the net of each case
writes no P_Keys.
"""
import json
import pathlib
import sys
import tempfile

import bringup_test as bringup
import weft_interop as interop

NET = """
Switch 8 "S1"
[1] "H1"[1]
[2] "H2"[1]
[3] "S2"[3]
[4] "S2"[4]

Switch 8 "S2"
[1] "H3"[1]
[2] "H4"[1]
[3] "S1"[3]
[4] "S1"[4]
[5] "H4"[2]

Hca 2 "H1"
[1] "S1"[1]

Hca 2 "H2"
[1] "S1"[2]

Hca 2 "H3"
[1] "S2"[1]

Hca 2 "H4"
[1] "S2"[2]
[2] "S2"[5]
"""

THREE = "A=0x10: ALL; B=0x20: ALL; C=0x30: ALL;"
MANUAL = """# from the manual page, with GUIDs of this net
Default=0x7fff : ALL, SELF=full ;
NewPartition , ipoib : 0x100001=full, 0x100004=limi, 0x2134af2306 ;
YetAnotherOne = 0x300 : SELF=full ;
YetAnotherOne = 0x300 : ALL=limited ;
ShareIO = 0x80 , defmember=full : 0x100001, 0x100004;
# 0x100007 and 0x10000a will be limited
ShareIO = 0x80 : 0x100007, 0x10000a, 0x10000b=full;
ShareIO = 0x80 , defmember=full : 0x200000, 0x100004=limited, 2097153;
Groups=0x7fff,ipoib:
       mgid=ff12:401b::0707,sl=1 # random IPv4 group
       mgid=ff12:601b::16    # MLDv2-capable routers
       mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2
       ALL=full;
"""


def many(count, members="ALL"):
    return "".join(f"P{i}=0x{0x100 + i:x}: {members};\n" for i in range(count))


# name: (options of both managers, the files in order; None: no file)
CASES = {
    "no file": ([], [None]),
    "no rule for the default partition": ([], ["A=0x10 : ALL=full;"]),
    "manual": ([], [MANUAL]),
    "numbers": ([], ["C: 0x100007=full; D: 0x10000a; B=0x3: ALL; E: ALL; A=0x8040: ALL=full; :SELF; Default: ALL=full;"]),
    "kinds": ([], ["A=48: ALL_CAS=full, ALL_SWITCHES=limited, ALL_ROUTERS; B=0x31: 1048577=f, 0x100004=lim,,\n SELF=full;"]),
    "last entry counts": ([], ["A=0x30: 0x100001=full, 0x100001; B=0x31: ALL; B=0x31: 0x100004=both; Default=0x7fff: SELF;"]),
    "indexes stay": ([], [THREE, "A=0x10: ALL; C=0x30: ALL;", "A=0x10: ALL=full; C=0x30: ALL; D=0x5: ALL; E=0x50: ALL;"]),
    "indx0": ([], [THREE, "A=0x10: ALL; B=0x20: ALL; C=0x30,indx0: ALL;", "A=0x10,indx0: ALL; B=0x20: ALL; C=0x30: ALL;",
                   THREE, "A=0x20,indx0: ALL; B=0x10,indx0: ALL; A=0x20: 0x100001; B=0x10: 0x100004;"]),
    "both": (["-W"], [THREE, "A=0x10: ALL=both; B=0x20: ALL, 0x100001=both;", "A=0x10: ALL=full; B=0x20: ALL=both;",
                      "Default=0x7fff, defmember=both: ALL; A=0x10,indx0: ALL=both;"]),
    "capacity": ([], [many(9), many(4) + "X=0x5: ALL; Y=0x4: ALL;", many(70, "0x100001")]),
    "not enforced": (["-Z", "off"], [THREE, "A=0x10: ALL_CAS=full;"]),
    "not enforced, old option": (["-N"], [THREE]),
    "order": (["-W"], ["A=0x10: ALL=both; B=0x210: ALL=both; C=0x11: ALL; D=0x7f10: ALL=both; E=0x1001: ALL;"]),
    "inbound": (["-Z", "in"], [THREE]),
}


def tables(sim):
    """{(node guid, port): [capacity, P_Key, ..]} of every port."""
    ports = bringup.all_ports(sim, bringup.discovered(sim))
    text = sim.client([interop.tool("pkeys_of")], input="".join(f"{lid} {number}\n" for _, lid, number in ports)).stdout
    lines = [line.split() for line in text.splitlines()]
    bringup.check([line[:2] for line in lines] == [[str(lid), str(number)] for _, lid, number in ports],
                  f"output of pkeys_of has other ports than the input:\n{text[:2000]}")
    return {(guid, number): line[2:] for (guid, _, number), line in zip(ports, lines)}


def trimmed(table):
    while table and table[-1] == "0000":
        table = table[:-1]
    return " ".join(table)


def compare(name, index, weft_tables, opensm_tables):
    bringup.check(weft_tables.keys() == opensm_tables.keys(), f"{name}: Weft and OpenSM have different ports")
    wrong = [f"0x{guid:x} port {port}: weft {trimmed(weft_tables[guid, port])}, opensm {trimmed(opensm_tables[guid, port])}"
             for guid, port in sorted(weft_tables) if weft_tables[guid, port] != opensm_tables[guid, port]]
    bringup.check(not wrong, f"{name}, file {index}: {len(wrong)} tables differ:\n" + "\n".join(wrong[:12]))


def run_case(name, net, scratch, options, files):
    with interop.Ibsim(net) as weft_net, interop.Ibsim(net) as opensm_net:
        for index, text in enumerate(files):
            path = scratch / f"{index}.conf"
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)
            interop.opensm_once(opensm_net, scratch / f"opensm{index}", "-P", path, *options)
            interop.weft_once(weft_net, scratch / f"weft{index}", "-P", path, *options)
            compare(name, index, tables(weft_net), tables(opensm_net))
        report = again(weft_net, scratch, path, options)
        bringup.check(report["pkey_blocks_written"] == 0,
                      f"{name}: the second run of Weft wrote {report['pkey_blocks_written']} blocks of P_Keys")


def again(sim, scratch, path, options):
    """Runs weft sm once more with this partition file; returns its report."""
    done = sim.client([interop.weft_binary(), "sm", "--once", "--json", "-f", scratch / "again.log", "-P", path, *options],
                      check=False, extra={"OSM_CACHE_DIR": str(scratch / "again")})
    return json.loads(done.stdout)


def main():
    chosen = sys.argv[1:] or list(CASES)
    with tempfile.TemporaryDirectory(prefix="weft-partitions-") as folder:
        folder = pathlib.Path(folder)
        net = folder / "fabric.net"
        net.write_text(NET)
        for number, name in enumerate(chosen):
            scratch = folder / str(number)
            scratch.mkdir()
            run_case(name, net, scratch, *CASES[name])
            print(f"{name}: equal")


if __name__ == "__main__":
    sys.exit(main())
