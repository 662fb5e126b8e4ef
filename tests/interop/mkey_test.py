#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares M_Keys with OpenSM. The same configuration results in the same PortInfo, and each manager reads the files guid2mkey and neighbors of the
other manager.

ibsim neither checks nor stores M_Keys (docs/reference/keys.md). The test checks this to detect a change of ibsim. The effect of the keys is
tested on the emulator (tests/unit/sm/keys_test.cpp). OpenSM's requests are read from its log.
"""
import pathlib
import re
import sys
import tempfile

import bringup_test as bringup
import weft_interop as interop

NET = """
Switch 24 "S1"
[1] "H1"[1]
[2] "H2"[1]
[13] "S2"[24]
[4] "S2"[4]

Switch 24 "S2"
[1] "H3"[1]
[24] "S1"[13]
[4] "S1"[4]

Hca 2 "H1"
[1] "S1"[1]

Hca 2 "H2"
[1] "S1"[2]

Hca 2 "H3"
[1] "S2"[1]
"""

CASES = [{"m_key": "0x1122334455667788", "m_key_lease_period": 60, "m_key_protection_level": 2},
         {"m_key": "0x77", "m_key_lease_period": 0, "m_key_protection_level": 1},
         {"m_key": "0x0", "m_key_lease_period": 30, "m_key_protection_level": 3}]


def configuration(folder, values):
    path = folder / "keys.conf"
    path.write_text("".join(f"{key} {value}\n" for key, value in values.items()))
    return path


def keys_of(sim):
    """{(node guid, port): M_Key fields, decoded by libibmad} of every port."""
    ports = bringup.all_ports(sim, bringup.discovered(sim))
    text = sim.client([interop.portinfo_of()], input="".join(f"{lid} {number}\n" for _, lid, number in ports)).stdout
    infos = text.split("# ")[1:]
    interop.check(len(infos) == len(ports), f"portinfo_of answered for {len(infos)} of {len(ports)} ports")
    return {(guid, number): re.findall(r"^(Mkey\w*|ProtectBits):\.*(.*)$", info, re.M)
            for (guid, _, number), info in zip(ports, infos)}


def lines_of(path):
    return sorted(line for line in path.read_text().splitlines() if line)


def check_same_settings(net, scratch, values):
    config = configuration(scratch, values)
    with interop.Ibsim(net) as weft_sim, interop.Ibsim(net) as opensm_sim:
        opensm = interop.opensm_once(opensm_sim, scratch / "opensm", "-F", config, "-x")
        weft = interop.weft_once(weft_sim, scratch / "weft", "-F", config)
        a, b = keys_of(weft_sim), keys_of(opensm_sim)
        interop.check(len(a) > 5 and all(len(fields) == 4 for fields in a.values()), f"portinfo_of prints too little: {a}")
        interop.check(a == b, f"{values}: PortInfo differs: {[(port, a[port], b[port]) for port in a if a[port] != b[port]]}")
        interop.check(any(("MkeyLeasePeriod", "4089") in fields for fields in a.values()), "ibsim stores leases: the test must compare more")
    weft_cache, opensm_cache = weft.folder / "cache", opensm.folder / "cache"
    interop.check(lines_of(weft_cache / "neighbors") == lines_of(opensm_cache / "neighbors"), "the files neighbors of Weft and OpenSM differ")
    guids = [[line.split()[0] for line in lines_of(cache / "guid2mkey")] for cache in (weft_cache, opensm_cache)]
    interop.check(guids[0] == guids[1], f"the files guid2mkey of Weft and OpenSM have different ports: {guids}")
    key = f"0x{int(values['m_key'], 0):016x}"
    interop.check({line.split()[1] for line in lines_of(weft_cache / "guid2mkey")} == {key}, "guid2mkey of Weft has other keys")
    for name in ("guid2mkey", "neighbors"):
        interop.check((weft_cache / name).stat().st_mode & 0o777 == 0o600, f"{name} can be read by others")


def check_opensm_reads_files_of_weft(net, scratch):
    """With files written by Weft, OpenSM queries each port with its key from guid2mkey, before it has discovered the port."""
    with interop.Ibsim(net) as sim:
        first = interop.weft_once(sim, scratch / "first", "-F", configuration(scratch, {"m_key": "0xabcdef"}))
        second = interop.opensm_once(sim, first.folder, "-F", configuration(scratch, {"m_key": "0x0"}), "-D", "0x4f")
    sent_keys = re.findall(r"Getting NodeInfo \(0x11\).*MKey (0x[0-9a-f]+)", second.log)
    interop.check(sent_keys.count("0x0000000000abcdef") >= 3, f"OpenSM did not use the keys in the files of Weft: {sent_keys}")


def check_weft_reads_files_of_opensm(net, scratch):
    with interop.Ibsim(net) as sim:
        first = interop.opensm_once(sim, scratch / "first", "-F", configuration(scratch, {"m_key": "0x55"}))
        before = lines_of(first.folder / "cache/neighbors")
        second = interop.weft_once(sim, first.folder, "-F", configuration(scratch, {"m_key": "0x55"}))
        interop.check(lines_of(first.folder / "cache/neighbors") == before, "the links in the file neighbors have changed")
        for name in ("guid2mkey:", "neighbors:"):
            interop.check(name not in second.log, f"a problem about OpenSM's {name}\n{second.log[-2000:]}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-mkey-") as folder:
        folder = pathlib.Path(folder)
        net = folder / "fabric.net"
        net.write_text(NET)
        for number, values in enumerate(CASES):
            scratch = folder / str(number)
            scratch.mkdir()
            check_same_settings(net, scratch, values)
            print(f"{values}: equal")
        for check in (check_opensm_reads_files_of_weft, check_weft_reads_files_of_opensm):
            scratch = folder / check.__name__
            scratch.mkdir()
            check(net, scratch)
            print(f"{check.__name__}: passed")


if __name__ == "__main__":
    sys.exit(main())
