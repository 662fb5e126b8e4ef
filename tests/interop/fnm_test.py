#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests fabric-management (FNM) rings of planarized switch systems: routes and a manager without FNM links in the planes, and the findings about a
ring after its cable was cut and restored, in the API, the metrics, the events and `weft top`.

Needs python3-jsonschema. Usage: fnm_test.py
"""
import json
import pathlib
import tempfile

import prometheus_text
import weft_interop as interop
from http_client import token_file
from manager import Manager
from openapi import User
from weft_interop import check, wait_for

SPEC, PLANES, SYSTEMS, HOSTS = "fattree2:k=4,planes=4,fnm=1", 4, 6, 8
VERIFIED = [f"plane {plane}: verified, {HOSTS} of {HOSTS} hosts, {SYSTEMS} switches" for plane in range(1, PLANES + 1)]
CLOSED = f"FNM links           {PLANES * SYSTEMS} in {SYSTEMS} systems, all rings closed"


def check_routes():
    """Each plane is verified, and there are as many links as without FNM rings."""
    plain = interop.weft_json("route", SPEC.replace(",fnm=1", ""), "-R", "ftree,no_fallback")
    rings = interop.weft_json("route", SPEC, "-R", "ftree,no_fallback")
    check(rings["fabric"]["links"] == plain["fabric"]["links"] and rings["quality"] == plain["quality"], "FNM links change routes")
    lines = interop.weft("route", SPEC, "-R", "ftree,no_fallback").stdout.splitlines()
    check([line for line in lines if line.startswith("plane ")] == VERIFIED and CLOSED in lines and lines[-1] == "PASS", lines)


def check_first_sweep():
    lines = interop.weft("sm", "--emulate", SPEC, "--once").stdout.splitlines()
    check([line for line in lines if line.startswith("plane ")] == VERIFIED and CLOSED in lines and lines[-1] == "PASS", lines)
    report = interop.weft_json("sm", "--emulate", SPEC, "--once")
    check(report["fnm"] == {"ports": 2 * PLANES * SYSTEMS, "links": PLANES * SYSTEMS, "systems": SYSTEMS, "findings": []}, report["fnm"])
    check(report["warnings"] == [], report["warnings"])
    # The switches of plane 2 are missing in all rings.
    done = interop.weft("sm", "--emulate", SPEC + ",plane_down=2", "--once").stdout.splitlines()
    check(f"FNM links           {2 * SYSTEMS} in {SYSTEMS} systems, {2 * SYSTEMS} switches in rings that are not closed" in done, done)
    check(done[-1] == "PASS", done)
    # The manager sends by one port, and reaches the other planes by FNM links.
    with tempfile.TemporaryDirectory() as name:
        config = pathlib.Path(name) / "one.conf"
        config.write_text("manager_ports one\n")
        lines = interop.weft("sm", "--emulate", SPEC, "--once", "-F", config).stdout.splitlines()
    check([line for line in lines if line.startswith("plane ")] == VERIFIED and lines[-1] == "PASS", lines)


def check_cut(folder):
    token = token_file(folder)
    with Manager(folder, "--http_token_file", token, "-s", "1", emulate=SPEC, http=True) as manager:
        user = User(manager, token, "emulate")

        def get(path, template=None):
            return user.ask("GET", path, template=template or path.split("?")[0])
        links = get("/api/v1/links?limit=1000")["links"]
        fnm = [link for link in links if link["kind"] == "fnm"]
        check(len(fnm) == PLANES * SYSTEMS and all(link["state"] == "init" and link["between_switches"] for link in fnm), fnm[:1])
        check({link["state"] for link in links if link["kind"] == "data"} == {"active"}, "expected all data links to be active")
        near, far = fnm[0]["a"], fnm[0]["b"]
        ports = get(f"/api/v1/node/{near['node']}", template="/api/v1/node/{guid}")["port_list"]
        check([port["fnm_peer"] for port in ports if port["port"] == near["port"]] == [far] and ports[0]["peer"] and "fnm_peer" not in ports[0], ports)

        user.weft("cut", near["node"], str(near["port"]))
        planes = wait_for("the findings", lambda: (now := get("/api/v1/planes"))["fnm"]["findings"] and now)
        found = planes["fnm"]["findings"]
        check([(one["node"], one["ports_without_link"], one["links"], one["expected_links"]) for one in found]
              == [(near["node"], [near["port"]], 1, 2), (far["node"], [far["port"]], 1, 2)], found)
        check(found[0]["text"] == f"FNM ring of system {found[0]['system']} is not closed: '{near['name']}' ({near['node']}) port {near['port']} "
              "without a link: FNM links in the system: 1, expected 2", found)
        check([plane["state"] for plane in planes["planes"]] == ["verified"] * PLANES, planes["planes"])
        samples = prometheus_text.parse(manager.http.get("/metrics")[1])
        check((samples["weft_fnm_links"][()], samples["weft_fnm_ring_findings"][()]) == (PLANES * SYSTEMS - 1, 2), "numbers in the metrics")
        shown = interop.weft("top", "--server", f"http://127.0.0.1:{manager.http.port}", "--once", "--wait", "0", check=False).stdout
        check(all(one["text"] in shown for one in found), shown)
        events = get("/api/v1/events?limit=1000")["events"]
        gone = [event for event in events if event["event"] == "link_gone"]
        check([(event["node"], event["port"], event["link"]) for event in gone] == [(near["node"], near["port"], gone[0]["link"])]
              and gone[0]["link"].endswith(" FNM"), gone)
        check(any(event["event"] == "warning" and event["text"] == found[0]["text"] for event in events), "no event warning with the finding")

        user.weft("mend", near["node"], str(near["port"]))
        wait_for("the closed ring", lambda: not get("/api/v1/planes")["fnm"]["findings"])
        check(json.dumps(get("/api/v1/links?limit=1000")["links"]) == json.dumps(links), "the links differ from those before the cut")


def main():
    check_routes()
    check_first_sweep()
    with tempfile.TemporaryDirectory() as name:
        check_cut(pathlib.Path(name))
    print("FNM rings: planes without FNM links, and findings about a cut ring")


if __name__ == "__main__":
    main()
