#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the SA with OpenSM's, on one ibsim fabric with the same LIDs. OpenSM runs first, then Weft manages the fabric and gets the same
queries. The queries cover all attributes, every component bit with a matching and a non-matching value, path queries with every selector, invalid
requests, and the program saquery. docs/reference/differences-from-opensm.md and the tables here list the allowed differences.

OpenSM and saquery use the functions of the kernel that ibsim lacks (umad_kernel.cpp), so that tables of OpenSM have all records and a length.

Standard library only. Usage: saquery_test.py [--lmc N] [--net SPEC] [--show]
"""
import argparse
import pathlib
import re
import tempfile

import weft_interop as interop
from manager import Manager
from sa_client import (CPI, GET, GET_TABLE, LFT, LINK, MFT, NODE, PATH, PKEYS, PORT, PREFIX, RECORD, SL2VL, SM, SWITCH, VLARB, ask, ask_line,
                       lids_of, path)
from weft_interop import check, preloaded

KEY = 1
# Widths of the components of each record in bits, in the order of the component mask; (offset, width) for a component at another offset.
FIELDS = {
    NODE: [16, 16, 8, 8, 8, 8, 64, 64, 64, 16, 16, 32, 8, 24, (352, 512)],
    PORT: [16, 8, 8, 64, 64, 16, 16, 32, 16, 16, 8, 8, 8, 8, 4, 4, 4, 4, 2, 3, 3, 4, 4, 4, 4, 4, 4, 8, 8, 8, 4, 4, 3, 5, 4,
           1, 1, 1, 1, 16, 16, 16, 8, 1, 2, 5, 3, 5, 4, 4, 16, (480, 8), 24, (512, 16), 4, 4, 3, 5],
    SL2VL: [16, 8, 8],
    SWITCH: [16, 16],
    LFT: [16, 16],
    SM: [16, 16, 64, 64, 32, 4, 4],
    LINK: [16, 8, 8, 16],
    PKEYS: [16, 16, 8],
    VLARB: [16, 8, 8],
}
# Component bits that OpenSM ignores, or handles differently from the specification: InitTypeReply, ClientReregister, MaxCreditHint,
# LinkRoundTripLatency, and the number of a P_Key block.
OTHER_RULES = {PORT: {10, 30, 43, 50, 52}, PKEYS: {1}}
# Bits of CapabilityMask2 of ClassPortInfo that only Weft sets.
NEWER_SPEEDS = 1 << 17 | 1 << 19 | 1 << 20


def fields_of(attribute):
    """(bit, offset, width) of each component."""
    at, result = 0, []
    for bit, field in enumerate(FIELDS[attribute]):
        offset, width = field if isinstance(field, tuple) else (at, field)
        result.append((bit, offset, width))
        at = offset + width
    return result


def other_value(attribute, bit, record, offset, width):
    """The record with another value of the field. A port or block number still exists, because OpenSM crashes on numbers that do not exist, such as
    InputPort 255 of SL2VL."""
    if attribute in (SL2VL, PKEYS, VLARB) and bit > 0:
        offset, width = offset + width - 1, 1
    value = int.from_bytes(record, "big") ^ (((1 << width) - 1) << (len(record) * 8 - offset - width))
    return value.to_bytes(len(record), "big")


def component_queries(samples):
    """Queries with each component alone, with the value of the record and with another value; with the component and the LID; with all
    components."""
    for attribute, record in samples.items():
        for bit, offset, width in fields_of(attribute):
            for value in (record, other_value(attribute, bit, record, offset, width)):
                for mask in (1 << bit, 1 << bit | 1):
                    for key in (0, KEY):
                        yield attribute, ask_line(GET_TABLE, attribute, mask, value, key)
            yield attribute, ask_line(GET, attribute, 1 << bit | 1, record, KEY)
        everything = (1 << len(FIELDS[attribute])) - 1
        yield attribute, ask_line(GET_TABLE, attribute, everything, record, KEY)
        if everything < 16:  # few components: all combinations
            for mask in range(1, everything):
                yield attribute, ask_line(GET_TABLE, attribute, mask, record, KEY)
        yield attribute, ask_line(GET_TABLE, attribute, 1 << 60, record, KEY)


def path_queries(hosts, switches, lids):
    """`hosts` and `switches`: port GUIDs; `lids`: the LIDs of these ports."""
    a, b, s, t = PREFIX | hosts[0], PREFIX | hosts[-1], PREFIX | switches[0], PREFIX | switches[-1]
    pair = {"sgid": a, "dgid": b}
    la, lb = lids[hosts[0]], lids[hosts[-1]]
    for method in (GET, GET_TABLE):
        for one, other in ((a, b), (a, a), (s, t), (s, s), (a, s), (s, a)):
            yield path(method, sgid=one, dgid=other)
        for numb in (0, 1, 2, 3, 127):
            yield path(method, numb=numb, **pair)
        for wanted in ({"slid": la, "dlid": lb}, {"slid": la + 1, "dlid": lb}, {"slid": la, "dlid": lb + 1},
                       {"slid": la, "dgid": b}, {"sgid": a, "dlid": lb}, {"sgid": a, "slid": lb, "dgid": b},
                       {"sgid": a, "slid": la, "dgid": b}, {"sgid": a, "dgid": b, "dlid": la}, {"sgid": a}, {"dgid": a},
                       {"slid": lb}, {"dlid": lb}, {}, {"slid": 0, "dgid": b}, {"sgid": a, "dlid": 0xFFFF},
                       {"sgid": PREFIX | 0x999, "dgid": b}, {"sgid": a, "dgid": PREFIX | 0x999}, {"slid": 0x333, "dgid": b},
                       {"sgid": (0xfec0 << 112) | hosts[0], "dgid": b}, {"sgid": a, "dgid": (0xfec0 << 112) | hosts[-1]}):
            yield path(method, **wanted)
        for name in ("reversible", "raw", "resv"):
            for value in (0, 1):
                yield path(method, **{name: value}, **pair)
        for name in ("hop", "tclass", "flow", "qos", "sl", "service_id"):
            for value in (0, 3):
                yield path(method, **{name: value}, **pair)
        for pkey in (0xFFFF, 0x7FFF, 0x8001, 1, 0):
            yield path(method, pkey=pkey, **pair)
    for selector in range(4):
        for value in range(0, 64, 1):
            yield path(mtusel=selector, mtu=value, **pair)
            yield path(lifesel=selector, life=value, **pair)
            if value not in (23, 24, 25, 26):  # rates of NDR and XDR, which OpenSM 3.3.23 does not support
                yield path(ratesel=selector, rate=value, **pair)
    for name in ("mtu", "mtusel", "rate", "ratesel", "life", "lifesel"):
        for value in (0, 1, 3):
            yield path(**{name: value}, **pair)


def all_tables():
    for attribute in RECORD:
        if attribute == MFT:
            continue  # joined groups are compared in sa_multicast_test.py
        for method in (GET, GET_TABLE):
            for key in (0, KEY):
                yield attribute, ask_line(method, attribute, key=key)
        for modifier in (1, 0x80000000, 0xFFFFFFFF):
            yield attribute, ask_line(GET_TABLE, attribute, key=KEY, modifier=modifier)
    for modifier in (0, 1, 0xFFFFFFFF):
        yield CPI, ask_line(GET, CPI, modifier=modifier)


def capability_queries():
    """Queries for PortInfoRecords by CapabilityMask: with an equal mask, or, with the highest bit of the modifier, with all bits of the mask set."""
    for mask in (1 << 1, 1 << 6, 1 << 1 | 1 << 6, 0, 0xFFFFFFFF):
        record = bytearray(72)
        record[24:28] = mask.to_bytes(4, "big")
        for modifier in (0, 0x80000000, 0x40000000):
            yield PORT, ask_line(GET_TABLE, PORT, 1 << 7, bytes(record), modifier=modifier)
            yield PORT, ask_line(GET_TABLE, PORT, 1 << 7 | 1 << 53, bytes(record), modifier=modifier)


def with_newer_speeds(attribute, answer):
    """OpenSM's answer with the bits of CapabilityMask2 that only Weft sets: NDR, LinkSpeedExt2 and XDR."""
    if attribute == CPI and not answer.silent and len(answer.data) >= 8:
        data = bytearray(answer.data)
        word = int.from_bytes(data[4:8], "big") | NEWER_SPEEDS << 5
        data[4:8] = word.to_bytes(4, "big")
        answer.data = bytes(data)
    return answer


def compare(queries, from_opensm, from_weft, show, may_not_respond=False):
    """Compares the answers. `may_not_respond`: on a fabric of a thousand hosts OpenSM computes all paths for minutes, and does not respond meanwhile."""
    differences = []
    unanswered = 0
    for (attribute, line), opensm_answer, weft_answer in zip(queries, from_opensm, from_weft):
        mask = int(line.split()[3], 16)
        if any(mask >> bit & 1 for bit in OTHER_RULES.get(attribute, ())):
            continue
        if opensm_answer.silent and not weft_answer.silent and weft_answer.status == 0x0C:
            continue  # unknown methods and attributes: OpenSM does not respond
        if opensm_answer.silent and not weft_answer.silent and may_not_respond:
            unanswered += 1
            continue
        one, other = with_newer_speeds(attribute, opensm_answer).compared(attribute), weft_answer.compared(attribute)
        if one != other:
            differences.append(f"{line}\n    OpenSM {one}\n    Weft   {other}")
    if show:
        print("\n".join(differences))
    check(unanswered <= len(queries) // 10, f"OpenSM did not respond to {unanswered} of {len(queries)} queries")
    if unanswered:
        print(f"{unanswered} of {len(queries)} queries have a response from Weft and no response from OpenSM")
    check(not differences, f"{len(differences)} of {len(queries)} responses differ, first:\n" + "\n".join(differences[:5]))


def saquery_lines(sim, host, *words):
    """The output of saquery, without values that change with time, and with the CapabilityMask2 of Weft."""
    text = sim.client(preloaded(["saquery", *words]), host=host, check=False).stdout
    return [line.replace("0x0000B5E8", "0x001AB5E8") for line in text.splitlines() if not re.search(r"ActCount|act_count", line)]


def saquery_arguments(lids, hosts):
    la, lb = lids[hosts[0]], lids[hosts[-1]]
    yield from (["-c"], ["SMIR"], ["NR", str(la)], ["PIR", f"{lb}/1"], ["-O", str(la)], ["-U", f"0x{hosts[0] - 1:x}"],
                ["--src-to-dst", f"{la}:{lb}"], ["PR", "--slid", str(la), "--dlid", str(lb)],
                ["PR", "--slid", str(la), "--dlid", str(lb), "-n", "1", "-r", "1", "-M", "3", "-R", "2"],
                ["LR", f"{la}/1"], ["-x", "--smkey", "1", f"{la}/1"], ["-s"])


def run(spec, lmc, show):
    with tempfile.TemporaryDirectory(prefix="weft-saquery-") as scratch:
        folder = pathlib.Path(scratch)
        net = folder / "fabric.net"
        interop.weft("convert", spec, net, "--to", "ibsim")
        text = net.read_text()
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)
        ports = [int(guid, 16) for guid in re.findall(r"^\[\d+\]\((\w+)\)", text, re.M)]
        switches = [int(guid, 16) for guid in re.findall(r"^switchguid=(0x\w+)", text, re.M)]
        client_host = host_of_client(text, hosts)
        with interop.Ibsim(net) as sim:
            with Manager(folder / "opensm", *(["-l", lmc] if lmc else []), program="opensm", sim=sim, host=hosts[0],
                         through=preloaded) as opensm:
                opensm.wait_for_sa(client_host)
                lids = lids_of(sim, client_host, ports + switches)
                ports, switches = [guid for guid in ports if guid in lids], [guid for guid in switches if guid in lids]
                check(len(ports) > 1 and switches, f"NodeRecords of {len(ports)} ports of hosts, {len(switches)} switches")
                samples = samples_of(sim, client_host)
                queries = list(all_tables()) + list(component_queries(samples)) + list(capability_queries())
                queries += [(PATH, line) for line in path_queries(ports, switches, lids)]
                lines = [line for _, line in queries]
                from_opensm = ask(sim, client_host, lines, patience_ms=patience_ms(ports))
                opensm_text = [saquery_lines(sim, client_host, *words) for words in saquery_arguments(lids, ports)]
            config = folder / "public.conf"
            config.write_text("trust_public_sa_key TRUE\n")
            with Manager(folder / "weft", "-F", config, "-D", "0x07", "-l", lmc, sim=sim, host=hosts[0]) as weft:
                weft.wait_for_sa(client_host)
                check(lids_of(sim, client_host, ports + switches) == lids, "LIDs of Weft differ from LIDs of OpenSM")
                from_weft = ask(sim, client_host, lines, patience_ms=patience_ms(ports))
                weft_text = [saquery_lines(sim, client_host, *words) for words in saquery_arguments(lids, ports)]
                compare(queries, from_opensm, from_weft, show, may_not_respond=len(ports) > 1000)
                for words, one, other in zip(saquery_arguments(lids, ports), opensm_text, weft_text):
                    check(one == other, f"saquery {' '.join(words)}:\n" + "\n".join(
                        f"{x!r:60} {y!r}" for x, y in zip(one, other) if x != y) + f"\n{len(one)} and {len(other)} lines")
                whole_tables(sim, client_host)
        print(f"saquery: {len(queries)} responses and {len(opensm_text)} outputs equal to those of OpenSM ({spec}, LMC {lmc})")


def patience_ms(ports):
    return 0 if len(ports) < 200 else 120_000


def host_of_client(text, hosts):
    """A host that does not run the manager, if such a host exists: programs use the first port of a host of ibsim."""
    cabled = re.findall(r'^Ca\s+\d+\s+"([^"]+)".*\n\[1\]', text, re.M)
    return next((host for host in cabled if host != hosts[0]), hosts[0])


def samples_of(sim, host):
    """{attribute: first record of the table of all records}"""
    lines = [ask_line(GET_TABLE, attribute, key=KEY) for attribute in FIELDS]
    return {attribute: answer.data[:RECORD[attribute]] for attribute, answer in zip(FIELDS, ask(sim, host, lines))}


def whole_tables(sim, host):
    """Weft's table of NodeRecords has every node that ibnetdiscover finds, for any window of the receiver."""
    nodes = len(re.findall(r'^(?:Ca|Switch)\s', sim.client(["ibnetdiscover"], host=host).stdout, re.M))
    for window in (1, 3, 64):
        answer = sim.sa_ask([ask_line(GET_TABLE, NODE)], "-t", 20_000, "-w", window, host=host)
        data = bytes.fromhex(answer[0].split()[4])
        records = [data[at:at + RECORD[NODE]] for at in range(0, len(data), RECORD[NODE])]
        check(len(data) % RECORD[NODE] == 0 and len(records) >= nodes,
              f"window {window}: {len(data)} bytes of NodeRecords, {nodes} nodes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lmc", type=int, default=0)
    parser.add_argument("--net", default="fattree2:k=4")
    parser.add_argument("--show", action="store_true", help="print every difference")
    arguments = parser.parse_args()
    run(arguments.net, arguments.lmc, arguments.show)


if __name__ == "__main__":
    main()
