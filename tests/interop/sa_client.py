# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Queries to the SA on an ibsim server by the tool sa_ask: makes the lines of queries, and removes the parts of answers that differ between
OpenSM and Weft.

    answers = ask(sim, host, [ask_line(GET_TABLE, NODE)])
"""
from processes import check

GET, SET, GET_TABLE, GET_MULTI, DELETE = 0x01, 0x02, 0x12, 0x14, 0x15
NODE, PORT, SL2VL, SWITCH, LFT, RFT, MFT, SM, LINK = 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x20
PKEYS, PATH, VLARB, CPI = 0x33, 0x35, 0x36, 0x01
# Bytes of each record that are not compared, with the reason.
NOT_COMPARED = {
    SL2VL: range(8, 16),   # OpenSM returns a value that it did not read from the port; Weft returns the value that it set
    VLARB: range(8, 72),   # for the same reason as SL2VL
    LFT: range(8, 72),     # Weft and OpenSM compute different routes; tests with ibroute verify the tables
    SM: range(20, 24),     # ActCount increases
    PORT: [32],            # LocalPortNum: depends on which of two equal paths a manager used
    PKEYS: list(range(2, 4)) + list(range(8, 72)),  # OpenSM swaps the bytes of block numbers; tables of ports that are not managed differ
}
RECORD = {NODE: 112, PORT: 72, SL2VL: 16, SWITCH: 24, LFT: 72, MFT: 72, SM: 32, LINK: 8, PKEYS: 72, VLARB: 72, PATH: 64}


def ask_line(method, attribute, mask=0, record=b"", key=0, modifier=0):
    return f"{method:x} {attribute:x} {modifier:x} {mask:x} {key:x} {record.hex()}"


class Answer:
    """One line of the output of sa_ask."""

    def __init__(self, line):
        words = line.split()
        self.silent = words[0] == "silence"
        if self.silent:
            return
        self.method, self.status, self.offset = (int(word, 16) for word in words[:3])
        self.data = bytes.fromhex(words[4]) if len(words) > 4 else b""

    def compared(self, attribute):
        if self.silent:
            return "silence"
        head = f"method {self.method:x} status {self.status:x} offset {self.offset}"
        if self.status != 0 or (self.offset == 0 and attribute != CPI):
            return head
        data = bytearray(self.data)
        size = self.offset * 8 or len(data)
        if self.method == GET | 0x80:
            data = data[:size]
        for start in range(0, len(data), size):
            for at in NOT_COMPARED.get(attribute, ()):
                if start + at < len(data):
                    data[start + at] = 0
        return f"{head} {data.hex()}"


def ask(sim, host, lines, timeout_ms=300, patience_ms=0):
    """The responses to all queries. On a machine with other load, queries without a response are repeated with longer timeouts. `patience_ms` extends
    the timeouts: OpenSM does not respond for seconds while it computes all paths of a thousand hosts."""
    answers = ask_once(sim, host, lines, timeout_ms)
    for wait_ms in (2 * timeout_ms, max(patience_ms, 5000)):
        if silent := [i for i, answer in enumerate(answers) if answer.silent]:
            for i, answer in zip(silent, ask_once(sim, host, [lines[i] for i in silent], wait_ms)):
                answers[i] = answer
    return answers


def ask_once(sim, host, lines, timeout_ms):
    warm_up = [ask_line(GET, CPI)] * 2  # the first query may be sent to a manager that was killed before
    answers = [Answer(line) for line in sim.sa_ask(warm_up + lines, "-t", timeout_ms, host=host, timeout=1800)]
    check(len(answers) == len(lines) + len(warm_up), f"sa_ask: {len(answers)} responses to {len(lines)} queries")
    return answers[len(warm_up):]


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


def lids_of(sim, host, guids):
    """The LIDs of the ports with these GUIDs, from NodeRecords. GUIDs without a port are left out. In ibsim a port GUID may
    differ from the node GUID."""
    lines = []
    for guid in guids:
        record = bytearray(112)
        record[24:32] = guid.to_bytes(8, "big")
        lines.append(ask_line(GET_TABLE, NODE, 1 << 8, bytes(record)))
    answers = ask(sim, host, lines)
    check(not any(answer.silent for answer in answers), f"no response to {host}")
    return {guid: int.from_bytes(answer.data[:2], "big") for guid, answer in zip(guids, answers) if answer.offset > 0}
