#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests partition changes at run time on ibsim, over HTTP and by `weft partition`. libibmad reads the P_Keys back (the tool pkeys_of), and
saquery queries paths from the SA. The rest of the partition file is preserved, and no sweep happens. A second start with the same file
writes no P_Keys.
"""
import pathlib
import re
import tempfile
import threading

import prometheus_text
import weft_interop as interop
from http_client import token_file
from manager import Manager
from openapi import User
from partitions_test import NET, again, tables
from weft_interop import check, wait_for

H = {1: 0x100001, 2: 0x100004, 3: 0x100007, 4: 0x10000a}  # first ports of hosts
S1, S2 = 0x200000, 0x200001
FILE = """# rules of this cluster
Default=0x7fff, ipoib : ALL=limited, SELF=full ;   # as ever

blue=0x10 : 0x100001=full,   # the first
            0x100004=full ;
"""


class Partitions(User):
    """Requests about partitions to one manager, by `weft partition` and by the API."""

    def __init__(self, manager, token):
        super().__init__(manager, token, "partition")

    def ask(self, method, path, body=None, **options):
        template = "/api/v1/partitions/{pkey}" if path else "/api/v1/partitions"
        return super().ask(method, "/api/v1/partitions" + path, body, template=template, **options)


def holds(table, pkey):
    return f"{pkey:04x}" in table


def expect_pkey(sim, pkey, full, limited=()):
    """Checks that exactly these hosts have the P_Key, and that exactly the switch ports of their links allow the P_Key."""
    now = tables(sim)
    leaf_ports = {1: (S1, 1), 2: (S1, 2), 3: (S2, 1), 4: (S2, 2)}
    for host, guid in H.items():
        wanted = {pkey | 0x8000: host in full, pkey: host in limited}
        for key, held in wanted.items():
            for port, table in ((f"host {host}", now[guid - 1, 1]), (f"the switch port of host {host}", now[leaf_ports[host]])):
                check(holds(table, key) == held, f"{port}: P_Key {key:04x} is {'missing from' if held else 'in'} the table {table[1:]}")


def has_path(sim, a, b, pkey):
    """Whether the SA returns a path between two hosts in that partition."""
    gid = lambda guid: f"fe80::{guid >> 48:x}:{guid >> 32 & 0xffff:x}:{guid >> 16 & 0xffff:x}:{guid & 0xffff:x}"
    text = sim.client(["saquery", "PR", "--sgid", gid(a), "--dgid", gid(b), "--pkey", hex(pkey)], host="H1", check=False).stdout
    return "PathRecord dump" in text


def sweeps(manager):
    samples = prometheus_text.parse(manager.http.get("/metrics")[1])
    counts = {dict(labels)["kind"]: value for labels, value in samples["weft_sm_sweeps_total"].items()}
    return counts["heavy"], counts["light"], counts.get("local", 0)


def check_changes(sim, manager, parts, path):
    before = sweeps(manager)
    expect_pkey(sim, 0x10, {1, 2})
    check(has_path(sim, H[1], H[2], 0x8010), "no path from host 1 to host 2 in P_Key 0x8010")
    check(not has_path(sim, H[1], H[3], 0x8010), "path from host 1 to host 3 in P_Key 0x8010, expected none before the change")

    added = parts.json("add", "0x8010", f"{H[3]:#x}=limited")
    check(added["changed"] and added["applied"] and added["ports"] == 1 and added["nodes"] == 2, added)
    expect_pkey(sim, 0x10, {1, 2}, {3})
    check(has_path(sim, H[1], H[3], 0x8010), "no path from host 1 to host 3 in P_Key 0x8010 after host 3 was added")
    check("no change" in parts.weft("add", "0x10", f"{H[3]:#x}=limited"), "a change without effect is not reported")

    parts.ask("PATCH", "/0x10", {"add": [{"guid": f"{H[3]:#x}", "membership": "full"}], "remove": [f"{H[2]:#x}"]})
    expect_pkey(sim, 0x10, {1, 3})
    check(not has_path(sim, H[1], H[2], 0x8010), "path from host 1 to host 2 in P_Key 0x8010, expected none after host 2 was removed")

    parts.ask("POST", "", {"pkey": "0x8020", "name": "green", "ipoib": True, "members": [f"{H[1]:#x}", f"{H[4]:#x}"]}, wanted=201)
    expect_pkey(sim, 0x20, {1, 4})
    mgid = "ff12401b802000000000" + "0000ffffffff"
    wait_for("the broadcast group of the partition", lambda: any(group["mgid"].replace(":", "") == mgid for group in manager.http.json("/api/v1/multicast")[1]["groups"]))
    listed = {row["pkey"]: row for row in parts.json("list")["partitions"]}
    check(listed["0x0020"] == {"pkey": "0x0020", "name": "green", "ipoib": True, "full_members": 2, "limited_members": 0}, listed)
    shown = parts.weft("show", "0x20")
    check("'green', IPoIB" in shown and f"0x{H[4]:016x}  full" in shown, shown)
    text = path.read_text()
    for kept in ("# rules of this cluster\n", "   # as ever\n", "# the first\n"):
        check(kept in text, f"{kept!r} is lost:\n{text}")

    check("0x0020" in parts.weft("delete", "0x20"), "weft partition delete does not report the P_Key")
    expect_pkey(sim, 0x20, set())
    wait_for("the end of the broadcast group", lambda: not any(group["mgid"].replace(":", "") == mgid for group in manager.http.json("/api/v1/multicast")[1]["groups"]))
    check("green" not in path.read_text(), path.read_text())
    parts.ask("DELETE", "/0x20", wanted=404)
    check(sweeps(manager) == before, f"a sweep happened: {before}, {sweeps(manager)}")
    result = lambda: [event for event in manager.http.json("/api/v1/events")[1]["events"] if event["event"] == "partition_changed"]
    wait_for("an event of each change", lambda: len(result()) == 4)
    check(result()[0]["pkey"] == "0x0010", result())


def check_refusals(sim, parts, path):
    text, before = path.read_text(), tables(sim)
    member = f"{H[4]:#x}"
    for method, where, body, wanted in (
            ("POST", "", {"pkey": "0x10", "name": "again"}, 409), ("POST", "", {"pkey": "0x7fff", "name": "x"}, 409),
            ("POST", "", {"pkey": "0x30", "name": "blue"}, 409), ("POST", "", {"pkey": "0x0", "name": "x"}, 400),
            ("POST", "", {"pkey": "0x30", "name": "x", "members": ["0xdead"]}, 404),
            ("POST", "", {"pkey": "0x30", "name": "x", "rate": 3}, 400), ("POST", "", "[" * 60000, 400),
            ("PATCH", "/0x10", {"add": ["0xdead"]}, 404), ("PATCH", "/0x10", {"remove": [member]}, 404),
            ("PATCH", "/0x10", {"add": [member], "remove": [member]}, 400), ("PATCH", "/0x99", {"add": [member]}, 404),
            ("PATCH", "/0x10", {"add": [{"guid": member, "membership": "some"}]}, 400), ("PATCH", "/0x10", {}, 400),
            ("PATCH", "/0x10", {"add": [f"{H[4] - 1:#x}"]}, 404),
            ("PATCH", "/0x7fff", {"remove": [member]}, 409), ("DELETE", "/0x7fff", None, 409), ("DELETE", "/0xzz", None, 400)):
        parts.ask(method, where, body, wanted=wanted)
    parts.ask("DELETE", "/0x10", wanted=401, token=None)
    check("is no port of this fabric" in parts.weft("add", "0x10", "0xdead", wanted=2), "no message 'is no port of this fabric' for 0xdead")
    check("expected a P_Key" in parts.weft("add", "0x8000", member, wanted=2), "no message 'expected a P_Key' for 0x8000")
    check(path.read_text() == text and tables(sim) == before, "a refused request changed the partition file or the P_Key tables")


def check_concurrent_changes(sim, parts, path):
    """Concurrent changes all take effect; reads continue meanwhile."""
    threads = [threading.Thread(target=parts.weft, args=("create", hex(0x40 + i), f"p{i}", f"{H[1 + i % 4]:#x}")) for i in range(8)]
    for thread in threads:
        thread.start()
    check(parts.manager.http.get("/healthz")[0] == 200, "no status 200 of /healthz during concurrent changes")
    for thread in threads:
        thread.join()
    names = {row["name"] for row in parts.json("list")["partitions"]}
    check(names >= {f"p{i}" for i in range(8)}, names)
    for i in range(8):
        expect_pkey(sim, 0x40 + i, {1 + i % 4})
        check(f"p{i}=0x" in path.read_text(), path.read_text())


def check_writing_fails(sim, parts, path):
    before = tables(sim)
    text = path.read_text()
    path.unlink()
    path.mkdir()
    parts.ask("PATCH", "/0x10", {"add": [f"{H[4]:#x}"]}, wanted=500)
    path.rmdir()
    path.write_text(text + "# edited by hand\nlate=0x70 : ALL ;\n")
    refused = parts.ask("PATCH", "/0x10", {"add": [f"{H[4]:#x}"]}, wanted=409)
    check("SIGHUP" in refused["error"], refused)
    path.write_text(text)
    check(tables(sim) == before, "a failed or refused change changed the P_Key tables")


def check_offline(folder):
    path = folder / "offline.conf"
    path.write_text(FILE)
    done = interop.weft("partition", "add", "0x10", f"{H[3]:#x}=limited", "--file", path)
    check(f"{path} written" in done.stdout, done.stdout)
    check(re.search(r"0x100004=full,\s+0x0000000000100007=limited ;\n", path.read_text()), path.read_text())
    check(path.read_text().startswith(FILE.split("0x100004")[0]), path.read_text())
    done = interop.weft("partition", "delete", "0x7fff", "--file", path, check=False)
    check(done.returncode == 2 and "cannot be deleted" in done.stderr, done.stderr)
    done = interop.weft("partition", "list", "--server", "127.0.0.1:1", check=False)
    check(done.returncode == 3 and "check that weft sm runs" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-changes-") as name:
        folder = pathlib.Path(name)
        token, path, net = token_file(folder), folder / "partitions.conf", folder / "fabric.net"
        path.write_text(FILE)
        net.write_text(NET)
        with interop.Ibsim(net) as sim:
            with Manager(folder, "-P", path, "--http_token_file", token, "-s", "0", sim=sim, http=True) as manager:
                parts = Partitions(manager, token)
                check_changes(sim, manager, parts, path)
                check_refusals(sim, parts, path)
                check_concurrent_changes(sim, parts, path)
                check_writing_fails(sim, parts, path)
            held = tables(sim)
            report = again(sim, folder, path, [])
            check(report["pkey_blocks_written"] == 0, f"a restart wrote {report['pkey_blocks_written']} blocks")
            check(tables(sim) == held, "the P_Key tables differ after a restart")
        check_offline(folder)
    print("partition changes: passed")


if __name__ == "__main__":
    main()
