#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cuts and restores links of an emulated fabric while its manager runs: by `weft emulate`, over HTTP and at the console. As on a
real fabric, the manager receives a trap, sweeps, programs routes without the link and reports events. After the restoration the links and
the lengths of paths are those before the cut. A manager on ibsim refuses these requests. Also tests the capabilities of emulated devices.

Needs python3-jsonschema. Usage: emulate_test.py
"""
import json
import pathlib
import tempfile

import weft_interop as interop
from http_client import token_file
from manager import Manager
from openapi import User
from weft_interop import check, wait_for

SPEC = "fattree2:k=8"


class Emulation(User):
    """Requests to one manager by `weft emulate` and by its API."""

    def __init__(self, manager, token):
        super().__init__(manager, token, "emulate")

    def ask(self, method, what, body=None, **options):
        return super().ask(method, f"/api/v1/emulation/{what}", body, **options)

    def last_event(self):
        return self.get("/api/v1/events?limit=1")["events"][-1]["id"]

    def events(self, after):
        return self.get(f"/api/v1/events?after={after}")["events"]

    def event(self, after, kind, **fields):
        return wait_for(lambda: f"{kind} {fields} in {[e['event'] for e in self.events(after)]}",
                        lambda: next((e for e in self.events(after) if e["event"] == kind and all(e.get(k) == v for k, v in fields.items())), None))

    def wait_for_sweep(self, after):
        ended = self.event(after, "sweep_ended")
        check(ended["up"], ended)
        wait_for("the results of the sweep in the API", lambda: self.get("/api/v1/fabric")["sweep"]["number"] >= ended["sweep"])

    def channels(self, source, target):
        """(node GUID, output port) of each hop of the path."""
        hops = self.get(f"/api/v1/routes/path?from={source['guid']}&to={target['guid']}")["hops"]
        return [(hop["from"]["node"], hop["from"]["port"]) for hop in hops]

    def links(self):
        return {frozenset((link[e]["node"], link[e]["port"]) for e in "ab") for link in self.get("/api/v1/links")["links"]}


def check_between_switches(emulation):
    """Cuts the link on the path of two hosts: after the cut, packets take another path of the same length; after the
    restoration, the links and the length of the path are those before the cut."""
    check(emulation.weft("list") == "no cable is cut\n", "links are cut at the start")
    hosts = emulation.get("/api/v1/nodes?type=CA")["nodes"]
    first, last = hosts[0], hosts[-1]
    before, links = emulation.channels(first, last), emulation.links()
    node, port = before[1]
    state = emulation.get(f"/api/v1/node/{node}")
    peer = next(one["peer"] for one in state["port_list"] if one["port"] == port)
    cable = frozenset([(node, port), (peer["node"], peer["port"])])
    check(cable in links, f"the API does not list the link {cable}")

    since = emulation.last_event()
    text = emulation.weft("cut", state["name"], str(port))
    check(text == f"'{state['name']}' ({node}) port {port} - '{peer['name']}' ({peer['node']}) port {peer['port']}: cut\n", text)
    gone = emulation.event(since, "link_gone")
    check(frozenset([(gone["node"], gone["port"]), (gone["peer"], gone["peer_port"])]) == cable, gone)
    check(emulation.event(since, "trap", trap=128), "no trap 128 for the cut link")
    emulation.wait_for_sweep(since)
    check(emulation.links() == links - {cable}, "the links differ from all links except the cut link")
    for a, b in ((first, last), (last, first)):
        detour = emulation.channels(a, b)
        check(not set(detour) & cable and len(detour) == len(before), f"{detour} does not avoid {cable}")
    check(emulation.get("/api/v1/fabric")["routes"]["verify"]["ok"], "the routes without the link are not verified")
    check(emulation.weft("list") == text.replace(": cut", ""), "weft emulate list does not list the cut link")
    check(emulation.weft("cut", peer["node"], str(peer["port"])).endswith(": already cut\n"), "the link is not reported as cut at the other end")

    since = emulation.last_event()
    restored = emulation.json("mend", peer["node"], str(peer["port"]))
    check(restored == {"action": "mend", "changed": True, "cut_now": 0,
                     "cable": {"a": peer, "b": {"node": node, "name": state["name"], "port": port}}}, restored)
    emulation.event(since, "link_appeared")
    emulation.wait_for_sweep(since)
    check(emulation.links() == links and len(emulation.channels(first, last)) == len(before),
          "the links or the length of the path differ from those before the cut")
    check(emulation.get("/api/v1/fabric")["routes"]["verify"]["ok"], "the routes with the restored link are not verified")
    check(emulation.json("list") == {"cables": []}, "links are cut at the end")
    check(emulation.weft("mend", node, str(port)).endswith(": not cut\n"), "a second restoration is not reported as unnecessary")


def check_host(emulation):
    """Cuts the only link of a host: the host leaves the fabric. The restoration finds the link by name although the manager no longer discovers
    the host, and the host gets its previous LID."""
    host = emulation.get("/api/v1/nodes?type=CA")["nodes"][-1]
    since = emulation.last_event()
    check(emulation.ask("POST", "cut", {"node": host["name"], "port": 1})["changed"], "the link is not cut over HTTP")
    emulation.event(since, "node_gone", node=host["guid"])
    emulation.wait_for_sweep(since)
    check(emulation.manager.http.get(f"/api/v1/node/{host['guid']}")[0] == 404, "the host is still present")
    listed = emulation.ask("GET", "cut")["cables"]
    check(len(listed) == 1 and {listed[0][e]["node"] for e in "ab"} >= {host["guid"]}, listed)
    since = emulation.last_event()
    check(emulation.ask("POST", "mend", {"node": host["name"], "port": 1})["changed"], "the link is not restored over HTTP")
    emulation.event(since, "node_appeared", node=host["guid"])
    emulation.wait_for_sweep(since)
    check(emulation.get(f"/api/v1/node/{host['guid']}")["lids"] == host["lids"], "the LID of the host has changed")


def check_refusals(emulation):
    switch = emulation.get("/api/v1/nodes?type=SW")["nodes"][0]
    links = emulation.links()
    for body, wanted in (({"node": "no such node", "port": 1}, 404), ({"node": "0x77", "port": 1}, 404),
                         ({"node": switch["guid"], "port": 200}, 404), ({"node": switch["guid"], "port": 0}, 400),
                         ({"node": switch["guid"]}, 400), ({"port": 1}, 400), ({"node": switch["guid"], "port": "1"}, 400)):
        emulation.ask("POST", "cut", body, wanted=wanted)
    emulation.ask("POST", "cut", {"node": switch["guid"], "port": 1}, wanted=401, token=None)
    check("'no?such': no node of the emulated fabric" in emulation.weft("cut", "no\nsuch", "1", wanted=2), "no error message for an unknown node")
    check("expected a port from 1 to 8" in emulation.weft("cut", switch["name"], "9", wanted=2), "no error message for an invalid port")
    check("expected NODE and PORT" in emulation.weft("cut", switch["name"], wanted=2), "no error message without a port")
    check("expected no arguments" in emulation.weft("list", switch["name"], "1", wanted=2), "no error message for arguments of list")
    emulation.weft("burn", switch["name"], "1", wanted=2)
    no_token = {k: v for k, v in emulation.environment.items() if not k.startswith("WEFT_TOKEN")}
    check("Bearer TOKEN" in emulation.weft("cut", switch["name"], "1", wanted=3, environment=no_token), "no error message without a token")
    check("no cable is cut" in emulation.weft("list", environment=no_token), "weft emulate list requires a token on the same machine")
    check("--http" in emulation.weft("list", "--server", "http://127.0.0.1:1", wanted=3), "no error message without a manager")
    check(emulation.links() == links and emulation.json("list") == {"cables": []}, "a refused request changed the links or the list of cut links")


def check_console(emulation):
    session = emulation.manager.session()
    switch = emulation.get("/api/v1/nodes?type=SW")["nodes"][-1]
    since = emulation.last_event()
    check(session.command("emulate list") == "No cable is cut\n", "links are cut before the test of the console")
    check(session.command(f"emulate cut {switch['name']} 1").endswith(": cut\n"), "the link is not cut at the console")
    emulation.event(since, "link_gone")
    emulation.wait_for_sweep(since)
    check(switch["guid"] in session.command("emulate list") and len(emulation.json("list")["cables"]) == 1,
          "console and API do not list the same cut link")
    since = emulation.last_event()
    check(session.command(f"emulate mend {switch['guid']} 1").endswith(": restored\n"), "the link is not restored at the console")
    emulation.event(since, "link_appeared")
    emulation.wait_for_sweep(since)
    check("no node of the emulated fabric" in session.command("emulate cut nothing 1"), "the console does not refuse an unknown node")
    session.close()


def check_node_name_map(folder, token):
    """A node with a name in node_name_map_name is found by this name and by its description."""
    names = folder / "names"
    switch = json.loads(interop.weft("generate", SPEC, "--to", "json").stdout)["nodes"][0]
    names.write_text(f'{switch["guid"]} "the first switch"\n')
    config = folder / "opensm.conf"
    config.write_text(f"node_name_map_name {names}\n")
    with Manager(folder, "--http_token_file", token, "-s", "0", "-F", config, emulate=SPEC, http=True) as manager:
        emulation = Emulation(manager, token)
        check(emulation.get(f"/api/v1/node/{switch['guid']}")["name"] == "the first switch", "the node name map is not active")
        check(emulation.json("cut", "the first switch", "1")["changed"], "the link is not cut by the name in the node name map")
        check(emulation.json("mend", switch["description"], "1")["changed"], "the link is not restored by the node description")


def check_on_ibsim(folder, token):
    net = folder / "fabric.net"
    interop.weft("convert", "fattree2:k=4", net, "--to", "ibsim")
    with interop.Ibsim(net) as sim, Manager(folder, "--http_token_file", token, "-s", "0", sim=sim, http=True, console="unix") as manager:
        emulation = Emulation(manager, token)
        switch = emulation.get("/api/v1/nodes?type=SW")["nodes"][0]
        check(emulation.get("/api/v1/fabric")["emulated"] is False, "the API reports ibsim as an emulated fabric")
        for answer in (emulation.ask("POST", "cut", {"node": switch["guid"], "port": 1}, wanted=409), emulation.ask("GET", "cut", wanted=409)):
            check("the fabric is not emulated" in answer["error"] and "weft sm --emulate" in answer["error"], answer)
        check("the fabric is not emulated" in emulation.weft("mend", switch["guid"], "1", wanted=2), "weft emulate does not refuse a fabric of ibsim")
        session = manager.session()
        check("the fabric is not emulated" in session.command(f"emulate cut {switch['guid']} 1"), "the console does not refuse a fabric of ibsim")
        session.close()


def check_devices():
    """Switches are emulated with the capabilities of the named devices: SwitchX switches do not support adaptive routing. An unknown device is an
    error."""
    names = [device["name"] for device in interop.weft_json("emulate", "devices")["devices"]]
    check({"switchx", "quantum-3", "connectx-8", "aggregation-node"} <= set(names), f"weft emulate devices lacks devices: {names}")
    report = interop.weft_json("sm", "--emulate", "fattree2:k=4", "--emulate-devices", "switchx,quantum-2,connectx-7",
                               "--emulate-adaptive", "all", "-R", "ar_updn", "--once")
    check(report["up"] and 1 <= report["adaptive"]["switches"] <= 3, f"adaptive routing: {report['adaptive']}")
    done = interop.weft("sm", "--emulate", "fattree2:k=4", "--emulate-devices", "quantum-9", "--once", check=False)
    check(done.returncode == 2 and "found 'quantum-9', expected one or more of switchx, " in done.stderr, f"an unknown device: {done}")


def main():
    check_devices()
    with tempfile.TemporaryDirectory(prefix="weft-emulate-") as name:
        folder = pathlib.Path(name)
        token = token_file(folder)
        with Manager(folder, "--http_token_file", token, "-s", "0", emulate=SPEC, http=True, console="unix") as manager:
            emulation = Emulation(manager, token)
            check(emulation.get("/api/v1/fabric")["emulated"] is True, "the API does not show that the fabric is emulated")
            check_between_switches(emulation)
            check_host(emulation)
            check_refusals(emulation)
            check_console(emulation)
            check("Emulation: link cut: '" in manager.log(), "the log does not report the cut")
        check_node_name_map(folder, token)
        check_on_ibsim(folder, token)
    print("emulate: passed")


if __name__ == "__main__":
    main()
