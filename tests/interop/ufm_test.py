#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests UFM's REST interface. Sends the requests of open-source clients to a manager of an ibsim net, and reads the P_Keys of ports with smpquery.
For ib-kubernetes, tests the version, the list, adding and removing GUIDs, and errors. For carbide, nv-config-manager and the Slurm integration,
tests their requests, and the members of answers that these clients use.

Usage: ufm_test.py
"""
import base64
import json
import pathlib
import re
import tempfile

import weft_interop as interop
from http_client import TOKEN, token_file
from manager import Manager
from openapi import check_answer
from partitions_test import NET, again
from weft_interop import check, wait_for

PORTS = {1: "0000000000100001", 2: "0000000000100004", 3: "0000000000100007", 4: "000000000010000a"}
MANAGER = "0000000000200000"  # port GUID of S1, on which the manager runs
PODS = [f"02000000000000{i:02x}" for i in range(4)]  # virtual GUIDs: no port has them
FILE = "# rules of this cluster\nDefault=0x7fff, ipoib : ALL=limited, SELF=full ;\n"


class Ufm:
    """A client of UFM, with user and password, or with a token for paths below /ufmRestV3."""

    def __init__(self, manager):
        self.http, self.sent = manager.http, set()
        self.document = manager.http.json("/api/v1/openapi.json")[1]

    def ask(self, method, path, body=None, wanted=200, base="/ufmRest", password=TOKEN, kind="application/json; charset=utf-8"):
        word = password if base.endswith("V3") else base64.b64encode(f"admin:{password}".encode()).decode()
        headers = {"Authorization": f"Basic {word}" if password else ""}
        if kind:
            headers["Content-Type"] = kind
        status, answer, heads = self.http.get(base + path, method=method, headers=headers, body=body if body is None or isinstance(body, str) else json.dumps(body))
        check(status == wanted, f"{method} {path} {body}: {status}, expected {wanted}: {answer[:500]}")
        template = self.template("/ufmRest" + path.split("?")[0].rstrip("/"), method.lower())
        if template:
            check_answer(self.document, template, status, answer, heads, method=method.lower())
            self.sent.add((method.lower(), template))
        check(heads["Date"], "no header Date, from which TogetherAI's client reads the time")
        return json.loads(answer)

    def template(self, path, method):
        paths = sorted((p for p in self.document["paths"] if method in self.document["paths"][p]), key=lambda p: p.count("{"))
        return next((p for p in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", p), path)), None)

    def described(self):
        return {(method, path) for path, methods in self.document["paths"].items() for method in methods if path.startswith("/ufmRest")}


class IbKubernetes:
    """The requests of ib-kubernetes, in the order of its plug-in ufm and its daemon. Only status 200 counts as success."""

    def __init__(self, ufm):
        self.ufm = ufm

    def validate(self):
        self.ufm.ask("GET", "/app/ufm_version")

    def guids_in_use(self):
        """The GUIDs that ib-kubernetes reads from the list. Each GUID must be 16 hex digits in lower case without separators, each P_Key 0x and hex
        digits."""
        known = {}
        for pkey, data in self.ufm.ask("GET", "/resources/pkeys?guids_data=true").items():
            check(re.fullmatch(r"0x[0-9a-fA-F]+", pkey), pkey)
            for member in data.get("guids") or []:
                check(re.fullmatch(r"[0-9a-f]{16}", member["guid"]), member)
                if member["guid"].startswith("02"):
                    known[member["guid"]] = int(pkey, 16)
        return known

    def add(self, pkey, guids, **options):
        data = {"pkey": f"0x{pkey:04X}", "index0": True, "ip_over_ib": True, "membership": "full", "guids": guids}
        return self.ufm.ask("POST", "/resources/pkeys", data, **options)

    def remove(self, pkey, guids, **options):
        return self.ufm.ask("POST", "/actions/remove_guids_from_pkey", {"pkey": f"0x{pkey:04X}", "guids": guids}, **options)


def pkeys(sim, host):
    """The P_Keys of a host's port, by index, read by smpquery."""
    lid = re.search(r"\d+", sim.client(["smpquery", "-G", "nodeinfo", f"0x{PORTS[host]}"], check=False).stdout)
    text = sim.client(["smpquery", "-G", "pkeys", f"0x{PORTS[host]}"]).stdout
    table = [int(word, 16) for line in text.splitlines() if re.match(r"\s*\d+:", line) for word in re.findall(r"0x([0-9a-f]{4})", line)]
    check(table, f"smpquery of host {host}, {lid}:\n{text}")
    while table and table[-1] == 0:
        table.pop()
    return table


def check_ib_kubernetes(sim, ufm, path):
    client = IbKubernetes(ufm)
    client.validate()
    check(client.guids_in_use() == {}, "GUIDs are in use before the first request")
    client.add(0xA1, PODS[:2])
    check(client.guids_in_use() == {PODS[0]: 0xA1, PODS[1]: 0xA1}, client.guids_in_use())
    listed = ufm.ask("GET", "/resources/pkeys?guids_data=true")
    check(listed["0xa1"] == {"partition": "api_pkey_0xa1", "ip_over_ib": True, "guids": [
        {"guid": guid, "membership": "full", "index0": True} for guid in PODS[:2]]}, listed["0xa1"])
    check("0x7fff" in listed and listed["0x7fff"]["membership"] == "limited", listed)
    client.add(0xA1, PODS[:3])  # adds one more GUID: existing members do not change
    client.remove(0xA1, PODS[1:2])
    client.remove(0xA1, PODS[1:2])  # a repeated request, as after a lost answer
    check(set(client.guids_in_use()) == {PODS[0], PODS[2]}, client.guids_in_use())
    check(path.read_text().startswith(FILE), path.read_text())
    client.add(0xA1, [PORTS[2]])  # a physical port, with this P_Key at index 0 of its P_Key table
    check(pkeys(sim, 2) == [0x80A1, 0x7FFF], f"host 2: {pkeys(sim, 2)}")
    check(pkeys(sim, 3) == [0x7FFF], f"host 3: {pkeys(sim, 3)}")
    client.remove(0xA1, [PORTS[2]])
    check(pkeys(sim, 2) == [0x7FFF], f"host 2 afterwards: {pkeys(sim, 2)}")
    client.remove(0xA1, PODS)
    check("0xa1" not in ufm.ask("GET", "/resources/pkeys?guids_data=true"), "a partition without members remains")
    client.remove(0xA1, PODS)  # the partition no longer exists
    client.add(0xA1, PODS[:1])  # this partition must remain after the restart


def check_errors(sim, ufm):
    """The client of ib-kubernetes treats all these answers as failures and tries again."""
    client = IbKubernetes(ufm)
    before = ufm.ask("GET", "/resources/pkeys?guids_data=true")
    for password in ("wrong-0123456789abcdef", TOKEN[:-1]):
        ufm.ask("GET", "/app/ufm_version", wanted=401, password=password)
        client.add(0xA2, PODS[:1], wanted=401, password=password)
    ufm.ask("GET", "/app/ufm_version", wanted=401, base="/ufmRestV3", password="wrong")
    client.add(0xA2, PODS[:1], wanted=401, password="")
    ufm.ask("GET", "/resources/systems/nowhere", wanted=404)
    status, answer, heads = ufm.http.get("/ufmRest/app/ufm_version", headers={"Authorization": "Basic %%%"})
    check(status == 401 and heads["WWW-Authenticate"].startswith("Basic"), (status, answer))
    status, answer, _ = ufm.http.get("/api/v1/sweep", method="POST", headers={"Authorization": "Basic " + base64.b64encode(b"a:" + TOKEN.encode()).decode()})
    check(status == 401, f"Basic is for UFM's interface only: {status} {answer}")
    client.add(0xA2, PODS[:1], wanted=415, kind=None)
    for body in ("", "[]", "{", {"pkey": "0xA2"}, {"pkey": "0xA2", "guids": []}, {"pkey": "0x8000", "guids": PODS}, {"pkey": "0x10000", "guids": PODS},
                 {"pkey": 162, "guids": PODS}, {"pkey": "0xA2", "guids": ["0200"] + ["xyz"]}, {"pkey": "0xA2", "guids": [7]},
                 {"pkey": "0xA2", "guids": PODS, "membership": "both"}, {"pkey": "0xA2", "guids": PODS, "memberships": ["full"]},
                 {"pkey": "0xA2", "guids": PODS, "index0": 1}, {"pkey": "0xA2", "guids": PODS, "colour": "red"}):
        ufm.ask("POST", "/resources/pkeys", body, wanted=400)
    ufm.ask("GET", "/resources/pkeys?guids_data=true&qos_conf=true", wanted=400)
    ufm.ask("GET", "/resources/pkeys/colour", wanted=400)
    # The P_Key table is full: ports of ibsim have 64 entries.
    for base in range(0x100, 0x100 + 62):
        ufm.ask("POST", "/resources/pkeys", {"pkey": f"{base:x}", "guids": [PORTS[4]], "ip_over_ib": False})
    full = ufm.ask("POST", "/resources/pkeys", {"pkey": "0x300", "guids": [PORTS[4]]}, wanted=200)
    check(full["applied"] and len(pkeys(sim, 4)) == 64, f"the last entry: {full}, {len(pkeys(sim, 4))}")
    refused = ufm.ask("POST", "/resources/pkeys", {"pkey": "0x301", "guids": [PORTS[4]]}, wanted=400)
    check("is full: no entry for" in refused["error"], refused)
    for base in [*range(0x100, 0x100 + 62), 0x300]:
        ufm.ask("DELETE", f"/resources/pkeys/0x{base:x}", kind=None)
    check(ufm.ask("GET", "/resources/pkeys?guids_data=true") == before, "refused requests changed partitions")


def check_other_clients(sim, ufm):
    # carbide uses paths below /ufmRestV3 with a token. For an unknown P_Key it expects the answer {}.
    asked = {"base": "/ufmRestV3"}
    check(ufm.ask("GET", "/app/ufm_version", **asked)["ufm_release_version"], "ufm_version has no ufm_release_version")
    status, answer, _ = ufm.http.get("/ufmRestV3/resources/pkeys/0xb1?guids_data=true&qos_conf=true", headers={"Authorization": f"Basic {TOKEN}"})
    check((status, answer) == (200, b"{}"), (status, answer))
    default = ufm.ask("GET", "/resources/pkeys/0x7fff?guids_data=true&qos_conf=true", **asked)
    check(default["qos_conf"] == {"mtu_limit": 2, "service_level": 0, "rate_limit": 10}, default)
    check({member["guid"]: member["membership"] for member in default["guids"]}[MANAGER] == "full", default)
    ufm.ask("POST", "/resources/pkeys", {"pkey": "0xb1", "ip_over_ib": True, "membership": "limited", "index0": False, "guids": [PORTS[3]]}, **asked)
    ufm.ask("PUT", "/resources/pkeys/qos_conf", {"pkey": "0xb1", "mtu_limit": 4, "service_level": 2, "rate_limit": 100}, **asked)
    bound = ufm.ask("GET", "/resources/pkeys/0xB1?guids_data=true&qos_conf=true", **asked)
    check(bound == {"partition": "api_pkey_0xb1", "ip_over_ib": True, "guids": [{"guid": PORTS[3], "membership": "limited", "index0": False}],
                    "qos_conf": {"mtu_limit": 4, "service_level": 2, "rate_limit": 100}}, bound)
    check(pkeys(sim, 3) == [0x7FFF, 0x00B1], f"host 3: {pkeys(sim, 3)}")
    ufm.ask("PUT", "/resources/pkeys/qos_conf", {"pkey": "0xb1", "rate_limit": 99}, wanted=400, **asked)
    # nv-config-manager sends paths that end with a slash, creates an empty partition, and has single GUIDs in the path.
    ufm.ask("POST", "/resources/pkeys/add", {"pkey": "0xc1", "index0": True, "ip_over_ib": False, "mtu_limit": 2, "service_level": 0,
                                             "rate_limit": 2.5, "partition_name": "tenant-c"})
    check("exists" in ufm.ask("POST", "/resources/pkeys/add", {"pkey": "0xc1"}, wanted=400)["error"], "expected an error for a partition that exists")
    check(ufm.ask("GET", "/resources/pkeys/0xc1/?guids_data=true")["guids"] == [], "a new partition has members")
    ufm.ask("POST", "/resources/pkeys/", {"pkey": "0xc1", "guids": [PORTS[3], PORTS[4]], "memberships": ["full", "limited"]})
    check(pkeys(sim, 4) == [0x7FFF, 0x00C1], f"host 4: {pkeys(sim, 4)}")
    ufm.ask("PUT", "/resources/pkeys/", {"pkey": "0xc1", "guids": ["0x" + PORTS[4].upper()], "ip_over_ib": False, "index0": True})
    check(pkeys(sim, 4) == [0x80C1, 0x7FFF] and 0x80C1 not in pkeys(sim, 3), f"hosts 4 and 3: {pkeys(sim, 4)}, {pkeys(sim, 3)}")
    check(ufm.ask("GET", "/resources/pkeys") == ["0xa1", "0xb1", "0xc1", "0x7fff"], ufm.ask("GET", "/resources/pkeys"))
    ufm.ask("DELETE", f"/resources/pkeys/0xc1/guids/{PORTS[4]},{PODS[0]}")
    ufm.ask("DELETE", f"/resources/pkeys/0xc1/guids/{PORTS[4]}", wanted=404)
    ufm.ask("DELETE", "/resources/pkeys/0x7fff", wanted=400)
    ufm.ask("DELETE", "/resources/pkeys/0xb1")
    # The Slurm integration adds all ports of hosts.
    ufm.ask("POST", "/resources/pkeys/hosts", {"hosts_names": "H[2,4]", "pkey": "0xd1", "ip_over_ib": True, "index0": False, "membership": "full"})
    check(pkeys(sim, 2) == pkeys(sim, 4) == [0x7FFF, 0x80D1], f"hosts 2 and 4: {pkeys(sim, 2)} {pkeys(sim, 4)}")
    ufm.ask("POST", "/resources/pkeys/hosts", {"hosts_names": "H2,nowhere", "pkey": "0xd1"}, wanted=404)
    ufm.ask("DELETE", "/resources/pkeys/0xd1/hosts/H2,H4")
    check(pkeys(sim, 2) == [0x7FFF], f"host 2: {pkeys(sim, 2)}")
    check(re.fullmatch(r"\w{3} \w{3} [ \d]\d [\d:]{8} UTC \d{4}", ufm.ask("GET", "/resources/pkeys/last_updated")["last_updated"]),
          "last_updated is not a time like 'Mon Jan  1 00:00:00 UTC 2024'")


def check_inventory(ufm):
    # carbide requires these members for every port, and reads the security of the manager's keys.
    for port in ufm.ask("GET", "/resources/ports", base="/ufmRestV3"):
        check(all(isinstance(port[name], str) for name in ("guid", "name", "systemID", "dname", "system_name", "physical_state", "logical_state")), port)
        check(isinstance(port["lid"], int) and port["lid"] > 0 and port["logical_state"] == "Active" and port["physical_state"] == "Link Up", port)
    keys = ufm.ask("GET", "/app/smconf", base="/ufmRestV3")
    check(keys == {"subnet_prefix": "0xfe80000000000000", "m_key": "0x" + "0" * 16, "sm_key": "0x" + "0" * 15 + "1", "sa_key": "0x" + "0" * 15 + "1",
                   "m_key_per_port": False}, keys)
    # Volcano reads the leaf of each host.
    leaves = {(port["system_name"], port["peer_node_name"]) for port in ufm.ask("GET", "/resources/ports") if "Computer" in port["description"]}
    check(leaves == {("H1", "S1"), ("H2", "S1"), ("H3", "S2"), ("H4", "S2")}, leaves)
    check(len(ufm.ask("GET", "/resources/links?page_number=1&rpp=3")["data"]) == 3 and len(ufm.ask("GET", "/resources/links")) == 7,
          "expected 3 links on a page and 7 links in all")
    check({system["system_name"]: system["role"] for system in ufm.ask("GET", "/resources/systems?type=switch")} == {"S1": "tor", "S2": "tor"},
          "expected the role tor for S1 and S2")
    check(ufm.ask("GET", "/resources/vports") == [], "vports on a net without alias GUIDs")
    ufm.ask("GET", "/resources/ports?high_ber_only=true", wanted=501)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-ufm-") as name:
        folder = pathlib.Path(name)
        token, path, net = token_file(folder), folder / "partitions.conf", folder / "fabric.net"
        path.write_text(FILE)
        net.write_text(NET)
        options = ("-P", path, "--http_token_file", token, "-s", "0")
        with interop.Ibsim(net) as sim:
            with Manager(folder, *options, sim=sim, http=True) as manager:
                ufm = Ufm(manager)
                check_ib_kubernetes(sim, ufm, path)
                check_errors(sim, ufm)
                check_other_clients(sim, ufm)
                check_inventory(ufm)
                check(ufm.described() == ufm.sent, f"described, but not tested: {ufm.described() - ufm.sent}")
                before = ufm.ask("GET", "/resources/pkeys?guids_data=true")
            with Manager(folder, *options, sim=sim, http=True) as manager:
                check(Ufm(manager).ask("GET", "/resources/pkeys?guids_data=true") == before, "partitions differ after a restart")
            check(again(sim, folder, path, [])["pkey_blocks_written"] == 0, "a restart wrote P_Keys")
    print("requests of clients of UFM: responses as expected")


if __name__ == "__main__":
    main()
