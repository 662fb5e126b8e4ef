#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests unhealthy ports on an emulated fabric: ports that the file marks, the list of the HTTP service, and ports that are marked as healthy.

Usage: unhealthy_test.py
"""
import pathlib
import signal
import tempfile

import prometheus_text
from http_client import token_file
from manager import Manager
from openapi import User
from weft_interop import check, wait_for

ALL, ONE = "/api/v1/unhealthy-ports", "/api/v1/unhealthy-ports/{port}"


def check_marked(manager, user, marks):
    host = next(node for node in user.get("/api/v1/nodes")["nodes"] if node["name"] == "host-8")
    marks.write_text(f"{host['guid']} 1 unhealthy\n")
    manager.process.send_signal(signal.SIGHUP)
    listed = wait_for("the marked port in the list", lambda: user.get(ALL)["ports"])
    port = listed[0]
    check(len(listed) == 1 and port["conditions"] == ["manual"] and port["action"] == "isolate" and port["name"] == "host-8", listed)
    wait_for("the host is isolated", lambda: user.get("/api/v1/fabric")["fabric"]["hosts"] == 7)
    check(user.get("/api/v1/fabric")["unhealthy_ports"] == 1, "the overview does not have 1 unhealthy port")
    samples = prometheus_text.parse(manager.http.get("/metrics")[1])["weft_unhealthy_ports"]
    check(samples[(("action", "isolate"),)] == 1 and samples[(("action", "disable"),)] == 0, samples)
    check("1 unhealthy ports" in user.weft("--once", wanted=1), "weft top does not show 1 unhealthy port")
    return port


def check_healthy_again(user, port):
    user.ask("DELETE", f"{ALL}/0x1:1", wanted=404, template=ONE)
    for wrong in ("0x1", "host:1", "0x1:256"):
        user.ask("DELETE", f"{ALL}/{wrong}", wanted=400, template=ONE)
    user.ask("DELETE", f"{ALL}/{port['node']}:{port['port']}", wanted=401, token=None, template=ONE)
    user.ask("DELETE", f"{ALL}/{port['node']}:{port['port']}", wanted=202, template=ONE)
    wait_for("the host is used again", lambda: user.get("/api/v1/fabric")["fabric"]["hosts"] == 8)
    check(user.get(ALL) == {"total": 0, "offset": 0, "checks": True, "ports": []}, user.get(ALL))
    events = [event for event in user.get("/api/v1/events")["events"] if event["event"].startswith("port_")]
    check([(event["event"], event["text"], event["node"]) for event in events] ==
          [("port_unhealthy", "manual: isolate", port["node"]), ("port_healthy", "marked as healthy", port["node"])], events)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-unhealthy-") as name:
        folder = pathlib.Path(name)
        token = token_file(folder)
        marks, config = folder / "health", folder / "opensm.conf"
        config.write_text(f"hm_unhealthy_ports_checks TRUE\nhm_ca_manual_action isolate\nhm_ports_health_policy_file {marks}\n")
        marks.touch()
        with Manager(folder, "-F", config, "--http_token_file", token, emulate="fattree2:k=4", http=True) as manager:
            user = User(manager, token, "top")
            check_healthy_again(user, check_marked(manager, user, marks))
    print("an unhealthy port is listed, isolated and used again")


if __name__ == "__main__":
    main()
