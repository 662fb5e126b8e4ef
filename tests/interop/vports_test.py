#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests virtual ports: `weft sm --emulate-vports` with the HTTP service, partition changes by the GUID of a virtual port, metrics and `weft top`.
On ibsim, which has no virtual ports, the number of SMPs of each attribute equals the number from a manager that ignores virtualization.

Standard library only. Usage: vports_test.py
"""
import pathlib
import tempfile

import mkey_test
import prometheus_text
import weft_interop as interop
from http_client import token_file
from manager import Manager
from openapi import User
from smp_tap import SmpTap
from weft_interop import check

SPEC = "fattree2:k=4"
HOSTS, VPORTS = 8, 4
# Number of directed-route SMPs until the fabric of mkey_test is up, by method and attribute. Devices that announce no attributes of virtual
# ports, planes or adaptive routing get only these requests.
SMPS = {"Get 0x0010": 5, "Get 0x0011": 9, "Get 0x0012": 2, "Get 0x0015": 101, "Get 0x0016": 14, "Set 0x0012": 4, "Set 0x0015": 32,
        "Set 0x0017": 178, "Set 0x0018": 20, "Set 0x0019": 2}


def vports(manager):
    status, answer = manager.http.json("/api/v1/vports")
    check(status == 200, answer)
    return answer


def check_emulated(folder):
    token = token_file(folder)
    fixed_vports = ["--emulate-vports", VPORTS, "--emulate-vport-interval", 0, "--http_token_file", token]
    with Manager(folder, *fixed_vports, emulate=SPEC, http=True) as manager:
        answer = vports(manager)
        check(answer["total"] == HOSTS * VPORTS and answer["hosts"] == HOSTS and answer["absent"] == [], answer)
        check({vport["state"] for vport in answer["vports"]} == {"active"}, "expected the state active of all virtual ports")
        first = answer["vports"][0]
        host = manager.http.json(f"/api/v1/vports?host={first['host_guid']}")[1]
        check(host["total"] == VPORTS and manager.http.json(f"/api/v1/vports?host={first['host']['node']}")[1] == host, host)

        user = User(manager, token, "partition")
        user.weft("create", "0x8010", "blue", f"{first['guid']}=full")
        changed = vports(manager)["vports"]
        check(["0x8010" in vport["pkeys"] for vport in changed] == [vport["guid"] == first["guid"] for vport in changed], changed)
        members = manager.http.json("/api/v1/partitions/0x10")[1]["members"]
        check([(member["guid"], member["vport"]) for member in members] == [(first["guid"], first["index"])], members)

        samples = prometheus_text.parse(manager.http.get("/metrics")[1])
        check(samples["weft_vports"][()] == HOSTS * VPORTS and samples["weft_vport_hosts"][()] == HOSTS,
              "numbers of virtual ports and hosts in the metrics")
        fabric = manager.http.json("/api/v1/fabric")[1]["fabric"]
        check((fabric["vports"], fabric["vport_hosts"]) == (HOSTS * VPORTS, HOSTS), fabric)
        shown = interop.weft_json("top", "--server", f"http://127.0.0.1:{manager.http.port}", "--once", "--wait", "0", check=False)
        check((shown["vports"], shown["vport_hosts"]) == (HOSTS * VPORTS, HOSTS), shown)

    dump = folder / "vports.dump"
    config = folder / "lids.conf"
    config.write_text(f"virt_dump_file {dump}\n")
    with Manager(folder / "lids", "-F", config, "--emulate-vports", VPORTS, "--emulate-vport-lids", "--emulate-vport-interval", 0,
                 emulate=SPEC, http=True) as manager:
        answer = vports(manager)
        lids = {vport["lid"] for vport in answer["vports"]}
        check(len(lids) == HOSTS * VPORTS, f"{len(lids)} different LIDs of virtual ports, expected {HOSTS * VPORTS}")
        lines = [line.split() for line in dump.read_text().splitlines() if line[:1].isdigit()]
        shown = {(vport["guid"], str(vport["lid"])) for vport in answer["vports"]}
        check({(words[1], words[4]) for words in lines} == shown, lines)

    config.write_text("virt_max_own_lids 3\n")
    with Manager(folder / "limited", "-F", config, "--emulate-vports", VPORTS, "--emulate-vport-lids", "--emulate-vport-interval", 0,
                 emulate=SPEC, http=True) as manager:
        beyond = [vport for vport in vports(manager)["vports"] if vport["over_lid_limit"]]
        check({(vport["index"], vport["lid"], vport["state"]) for vport in beyond} == {(VPORTS, 0, "init")} and len(beyond) == HOSTS, beyond)

    with Manager(folder / "changing", "--emulate-vports", VPORTS, "--emulate-vport-interval", 0.05, emulate=SPEC, http=True) as manager:
        def counts():
            samples = prometheus_text.parse(manager.http.get("/metrics")[1])
            changes = {dict(labels)["kind"]: value for labels, value in samples["weft_vport_changes_total"].items()}
            sweeps = {dict(labels)["kind"]: value for labels, value in samples["weft_sm_sweeps_total"].items()}
            return changes, sweeps["heavy"]
        before = counts()[1]
        manager.wait_for(lambda: f"vports that move and go down: {counts()}", lambda: min(counts()[0].values()) > 0 and counts()[0]["moved"] > 10)
        check(counts()[1] == before, "changes of virtual ports caused a sweep")


def sent(folder, net, enabled):
    folder.mkdir()
    config = folder / "opensm.conf"
    config.write_text(f"virt_enabled {enabled}\n")
    tap = SmpTap(folder / "tap")
    with interop.Ibsim(net) as sim, Manager(folder, "-F", config, "-s", "0", sim=sim, through=tap.through, environment=tap.environment):
        pass
    return tap.counts()


def names(smps):
    methods = {1: "Get", 2: "Set"}
    return {f"{methods.get(method, method)} 0x{attribute:04x}": count for (method, attribute), count in sorted(smps.items())}


def check_ibsim(folder):
    net = folder / "fabric.net"
    net.write_text(mkey_test.NET)
    ignored, enabled = sent(folder / "ignored", net, 0), sent(folder / "enabled", net, 2)
    check(ignored == enabled, f"virtual ports change the SMPs to ibsim: without {ignored}\nwith {enabled}")
    check(names(enabled) == SMPS, f"found {names(enabled)}, expected {SMPS}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-vports-") as name:
        folder = pathlib.Path(name)
        check_emulated(folder)
        check_ibsim(folder)
    print("virtual ports: lists, partitions and changes as expected; no further SMPs on ibsim")


if __name__ == "__main__":
    main()
