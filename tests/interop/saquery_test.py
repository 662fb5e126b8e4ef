#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The SA compared with OpenSM's, on one ibsim fabric with the same LIDs: OpenSM runs first, Weft takes the fabric over and gets the same
queries. All attributes, every component bit with a matching and a non-matching value, path queries with every selector, invalid
requests; then saquery itself. docs/reference/differences-from-opensm.md and the tables here list the allowed differences.

Under ibsim OpenSM's tables are truncated after the first 168 bytes (reason in sa_ask.cpp): only these bytes are compared.

Standard library only. Usage: saquery_test.py [--lmc N] [--net SPEC] [--show]
"""
import argparse
import pathlib
import re
import shutil
import tempfile

import weft_interop as interop
from weft_interop import check

GET, SET, GET_TABLE, GET_MULTI, DELETE = 0x01, 0x02, 0x12, 0x14, 0x15
NODE, PORT, SL2VL, SWITCH, LFT, RFT, MFT, SM, LINK = 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x20
PKEYS, PATH, VLARB, CPI = 0x33, 0x35, 0x36, 0x01
KEY = 1
SEEN = 168
# Components of a record: (bits wide), in the order of the mask.
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
# Bytes of each record that are not compared, with the reason.
NOT_COMPARED = {
    SL2VL: range(8, 16),   # OpenSM returns a value that it never read; Weft the one that it set
    VLARB: range(8, 72),   # the same
    LFT: range(8, 72),     # Weft has its own routes; tests with ibroute verify them
    SM: range(20, 24),     # ActCount increases
    PORT: [32],            # LocalPortNum: depends on which of two equal paths a manager used
    PKEYS: list(range(2, 4)) + list(range(8, 72)),  # OpenSM's block numbers are byte-swapped; tables of unmanaged ports
}
RECORD = {NODE: 112, PORT: 72, SL2VL: 16, SWITCH: 24, LFT: 72, MFT: 72, SM: 32, LINK: 8, PKEYS: 72, VLARB: 72, PATH: 64}
# Component bits that OpenSM ignores, or handles unlike the specification: InitTypeReply, ClientReregister,
# MaxCreditHint and LinkRoundTripLatency; the number of a P_Key block.
OTHER_RULES = {PORT: {10, 30, 43, 50, 52}, PKEYS: {1}}


def ask_line(method, attribute, mask=0, record=b"", key=0, modifier=0):
    return f"{method:x} {attribute:x} {modifier:x} {mask:x} {key:x} {record.hex()}"


class Answer:
    """One line of sa_ask."""

    def __init__(self, line):
        words = line.split()
        self.silent = words[0] == "silence"
        if self.silent:
            return
        self.method, self.status, self.offset = (int(word, 16) for word in words[:3])
        self.data = bytes.fromhex(words[4])[:SEEN] if len(words) > 4 else b""

    def compared(self, attribute):
        if self.silent:
            return "silence"
        head = f"method {self.method:x} status {self.status:x} offset {self.offset}"
        if self.status != 0 or (self.offset == 0 and attribute != CPI):
            return head
        data = bytearray(self.data.ljust(SEEN, b"\0"))
        size = self.offset * 8 or SEEN
        if self.method == GET | 0x80:
            data = data[:size]
        for start in range(0, len(data), size):
            for at in NOT_COMPARED.get(attribute, ()):
                if start + at < len(data):
                    data[start + at] = 0
        return f"{head} {data.hex()}"


class Manager:
    def __init__(self, sim, folder, host, command):
        self.folder, self.sim = folder, sim
        (folder / "cache").mkdir(parents=True)
        self.log = folder / "log"
        self.process = sim.start([*command, "-f", self.log], host=host,
                                 extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder)})

    def is_up(self):
        text = lambda: self.log.read_text(errors="replace") if self.log.exists() else ""
        interop.wait_for(lambda: f"SUBNET UP in {self.log}: {text()[-1500:]}", lambda: "SUBNET UP" in text())
        interop.stays("the manager runs", lambda: self.process.poll() is None, 0.5)  # and can begin to answer

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def ask(sim, host, lines, timeout_ms=300, patience_ms=0):
    """The responses to all queries. Queries without a response are repeated with longer timeouts, because of other load on the
    machine; `patience_ms` extends them: OpenSM takes seconds to compute all paths of a thousand hosts, without responding meanwhile."""
    answers = ask_once(sim, host, lines, timeout_ms)
    for wait_ms in (2 * timeout_ms, max(patience_ms, 5000)):
        silent = [i for i, answer in enumerate(answers) if answer.silent]
        for i, answer in zip(silent, ask_once(sim, host, [lines[i] for i in silent], wait_ms)):
            answers[i] = answer
    return answers


def ask_once(sim, host, lines, timeout_ms):
    warm = [ask_line(GET, CPI)] * 2  # the first may still be sent to a killed manager
    answers = [Answer(line) for line in sim.sa_ask(warm + lines, "-t", timeout_ms, host=host, timeout=1800)]
    check(len(answers) == len(lines) + len(warm), f"sa_ask: {len(answers)} responses to {len(lines)} queries")
    return answers[len(warm):]


def fields_of(attribute):
    """(bit, offset, width) of each component."""
    at, result = 0, []
    for bit, field in enumerate(FIELDS[attribute]):
        offset, width = field if isinstance(field, tuple) else (at, field)
        result.append((bit, offset, width))
        at = offset + width
    return result


def other_value(attribute, bit, record, offset, width):
    """Another value of a field. OpenSM crashes on ports and blocks that do not exist (SL2VL: InputPort 255)."""
    if attribute in (SL2VL, PKEYS, VLARB) and bit > 0:
        offset, width = offset + width - 1, 1
    value = int.from_bytes(record, "big") ^ (((1 << width) - 1) << (len(record) * 8 - offset - width))
    return value.to_bytes(len(record), "big")


def component_questions(samples):
    """Each component alone, with the record's own value and with another; combined with the LID; all together."""
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


PATH_FIELDS = [("service_id", 64, 3), ("dgid", 128, 1 << 2), ("sgid", 128, 1 << 3), ("dlid", 16, 1 << 4), ("slid", 16, 1 << 5),
               ("raw", 1, 1 << 6), ("resv", 3, 1 << 7), ("flow", 20, 1 << 8), ("hop", 8, 1 << 9), ("tclass", 8, 1 << 10),
               ("reversible", 1, 1 << 11), ("numb", 7, 1 << 12), ("pkey", 16, 1 << 13), ("qos", 12, 1 << 14),
               ("sl", 4, 1 << 15), ("mtusel", 2, 1 << 16), ("mtu", 6, 1 << 17), ("ratesel", 2, 1 << 18), ("rate", 6, 1 << 19),
               ("lifesel", 2, 1 << 20), ("life", 6, 1 << 21), ("preference", 8, 0), ("resv2", 48, 0)]
PREFIX = 0xfe80000000000000 << 64


def path(method=GET, **wanted):
    mask, value = 0, 0
    for name, width, bits in PATH_FIELDS:
        value = value << width | wanted.get(name, 0)
        if name in wanted:
            mask |= bits
    return ask_line(method, PATH, mask, value.to_bytes(64, "big"))


def path_questions(hosts, switches, lids):
    """`hosts` and `switches`: port GUIDs; `lids`: their LIDs."""
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
            if value not in (23, 24):  # of NDR, which OpenSM 3.3.23 does not support
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


def capability_questions():
    """PortInfoRecord by CapabilityMask: equal, or containing all bits with the highest bit of the modifier."""
    for mask in (1 << 1, 1 << 6, 1 << 1 | 1 << 6, 0, 0xFFFFFFFF):
        record = bytearray(72)
        record[24:28] = mask.to_bytes(4, "big")
        for modifier in (0, 0x80000000, 0x40000000):
            yield PORT, ask_line(GET_TABLE, PORT, 1 << 7, bytes(record), modifier=modifier)
            yield PORT, ask_line(GET_TABLE, PORT, 1 << 7 | 1 << 53, bytes(record), modifier=modifier)


def compare(questions, theirs, ours, show, may_be_deaf=False):
    """`may_be_deaf`: on a fabric of a thousand hosts OpenSM computes all paths for minutes, without responding to other queries."""
    differences = []
    deaf = 0
    for (attribute, line), their, our in zip(questions, theirs, ours):
        mask = int(line.split()[3], 16)
        if any(mask >> bit & 1 for bit in OTHER_RULES.get(attribute, ())):
            continue
        if their.silent and not our.silent and our.status == 0x0C:
            continue  # unknown methods and attributes: OpenSM does not respond
        if their.silent and not our.silent and may_be_deaf:
            deaf += 1
            continue
        one, other = their.compared(attribute), our.compared(attribute)
        if one != other:
            differences.append(f"{line}\n    OpenSM {one}\n    Weft   {other}")
    if show:
        print("\n".join(differences))
    check(deaf <= len(questions) // 10, f"OpenSM did not respond to {deaf} of {len(questions)} queries")
    if deaf:
        print(f"{deaf} of {len(questions)} questions OpenSM did not answer, and Weft did")
    check(not differences, f"{len(differences)} of {len(questions)} responses differ, first:\n" + "\n".join(differences[:5]))


def saquery_lines(sim, host, *words):
    """The output of saquery, without values that change."""
    text = sim.client(["saquery", *words], host=host, check=False).stdout
    return [line for line in text.splitlines() if not re.search(r"ActCount|act_count", line)]


def saquery_questions(lids, hosts):
    la, lb = lids[hosts[0]], lids[hosts[-1]]
    yield from (["-c"], ["SMIR"], ["NR", str(la)], ["PIR", f"{lb}/1"], ["-O", str(la)], ["-U", f"0x{hosts[0] - 1:x}"],
                ["--src-to-dst", f"{la}:{lb}"], ["PR", "--slid", str(la), "--dlid", str(lb)],
                ["PR", "--slid", str(la), "--dlid", str(lb), "-n", "1", "-r", "1", "-M", "3", "-R", "2"],
                ["LR", f"{la}/1"], ["-x", "--smkey", "1", f"{la}/1"], ["-s"])


def run(spec, lmc, show):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-saquery-"))
    managers = []
    try:
        net = folder / "fabric.net"
        interop.weft("convert", spec, net, "--to", "ibsim")
        text = net.read_text()
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)
        ports = [int(guid, 16) for guid in re.findall(r"^\[\d+\]\((\w+)\)", text, re.M)]
        switches = [int(guid, 16) for guid in re.findall(r"^switchguid=(0x\w+)", text, re.M)]
        asking = asking_host(text, hosts)
        with interop.Ibsim(net) as sim:
            try:
                opensm = Manager(sim, folder / "opensm", hosts[0], ["opensm", "-d", "2", *(["-l", str(lmc)] if lmc else [])])
                managers.append(opensm)
                opensm.is_up()
                lids = lids_of(sim, asking, ports + switches)
                ports, switches = [guid for guid in ports if guid in lids], [guid for guid in switches if guid in lids]
                check(len(ports) > 1 and switches, f"NodeRecords of {len(ports)} ports of hosts, {len(switches)} switches")
                samples = samples_of(sim, asking)
                questions = list(all_tables()) + list(component_questions(samples)) + list(capability_questions())
                questions += [(PATH, line) for line in path_questions(ports, switches, lids)]
                lines = [line for _, line in questions]
                theirs = ask(sim, asking, lines, patience_ms=patience_ms(ports))
                their_text = [saquery_lines(sim, asking, *words) for words in saquery_questions(lids, ports)]
                opensm.end()
                weft = Manager(sim, folder / "weft", hosts[0], [interop.weft_binary(), "sm", "-D", "0x07", "-l", str(lmc)])
                managers.append(weft)
                weft.is_up()
                check(lids_of(sim, asking, ports + switches) == lids, "Weft gave other LIDs than OpenSM")
                ours = ask(sim, asking, lines, patience_ms=patience_ms(ports))
                our_text = [saquery_lines(sim, asking, *words) for words in saquery_questions(lids, ports)]
                compare(questions, theirs, ours, show, may_be_deaf=len(ports) > 1000)
                for words, one, other in zip(saquery_questions(lids, ports), their_text, our_text):
                    check(one == other, f"saquery {' '.join(words)}:\n" + "\n".join(
                        f"{x!r:60} {y!r}" for x, y in zip(one, other) if x != y) + f"\n{len(one)} and {len(other)} lines")
                whole_tables(sim, asking)
                print(f"saquery: {len(questions)} answers and {len(their_text)} outputs are OpenSM's ({spec}, LMC {lmc})")
            finally:
                for manager in managers:
                    manager.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def patience_ms(ports):
    return 0 if len(ports) < 200 else 120_000


def asking_host(text, hosts):
    """Another port than that of the manager if there is one: ibsim uses the first port of a host for programs."""
    cabled = re.findall(r'^Ca\s+\d+\s+"([^"]+)".*\n\[1\]', text, re.M)
    return next((host for host in cabled if host != hosts[0]), hosts[0])


def lids_of(sim, host, guids):
    """By NodeRecords, queried by port GUID, of those that exist: ibsim derives GUIDs of ports from those of nodes."""
    lines = []
    for guid in guids:
        record = bytearray(112)
        record[24:32] = guid.to_bytes(8, "big")
        lines.append(ask_line(GET_TABLE, NODE, 1 << 8, bytes(record)))
    answers = ask(sim, host, lines)
    check(not any(answer.silent for answer in answers), f"no response to {host}")
    return {guid: int.from_bytes(answer.data[:2], "big") for guid, answer in zip(guids, answers) if answer.offset > 0}


def samples_of(sim, host):
    """The first record of each table."""
    lines = [ask_line(GET_TABLE, attribute, key=KEY) for attribute in FIELDS]
    return {attribute: answer.data[:RECORD[attribute]] for attribute, answer in zip(FIELDS, ask(sim, host, lines))}


def whole_tables(sim, host):
    """Weft's tables are complete, for any window of the receiver: every node that ibnetdiscover finds."""
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
