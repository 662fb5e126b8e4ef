#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the performance manager with OpenSM: both dumps of the same fabric have the counters that the console of ibsim sets, both managers
clear the same counters before these saturate, and both remove nodes that have left the fabric.

The counts of management packets by ibsim differ in each run and are ignored; ports without a link have none.
"""
import http.server
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading

import mkey_test
import weft_interop as interop
from console_session import Session
from http_client import token_file
from manager import Manager
from weft_interop import check, wait_for

# Counters of the hardware, by their names in the dump.
ERRORS = {"symbol_err_cnt": "SymbolErrorCounter", "link_err_recover": "LinkErrorRecoveryCounter",
          "link_downed": "LinkDownedCounter", "rcv_err": "PortRcvErrors", "rcv_rem_phys_err": "PortRcvRemotePhysicalErrors",
          "rcv_switch_relay_err": "PortRcvSwitchRelayErrors", "xmit_discards": "PortXmitDiscards",
          "xmit_constraint_err": "PortXmitConstraintErrors", "rcv_constraint_err": "PortRcvConstraintErrors",
          "link_integrity_err": "LocalLinkIntegrityErrors", "buf_overrun_err": "ExcessiveBufferOverrunErrors",
          "vl15_dropped": "VL15Dropped", "xmit_wait": "PortXmitWait"}
DATA = {"xmit_data": "PortXmitData", "rcv_data": "PortRcvData", "xmit_pkts": "PortXmitPkts", "rcv_pkts": "PortRcvPkts",
        "unicast_xmit_pkts": "PortUnicastXmitPkts", "unicast_rcv_pkts": "PortUnicastRcvPkts",
        "multicast_xmit_pkts": "PortMulticastXmitPkts"}  # ibsim does not store PortMulticastRcvPkts
CABLED = {(node, int(port)) for node, lines in re.findall(r'^\w+ \d+ "(\w+)"\n((?:\[.*\n)+)', mkey_test.NET, re.M)
          for port in re.findall(r"^\[(\d+)\]", lines, re.M)}
UNCABLED = [port for port in range(1, 25) if ("S1", port) not in CABLED]  # ports of S1 without a cable
# (switch, port without a link): {name in the dump: value}
SET = {("S1", UNCABLED[i]): {name: 3 + i % 5} for i, name in enumerate(ERRORS)}
SET |= {("S2", 5 + i): {name: (i + 1) * 1_500_000_000} for i, name in enumerate(DATA)}
# Values at the clearing threshold, as {(switch, port): (name of the counter, value, whether the counter is cleared)}
THRESHOLDS = {("S2", 13): ("symbol_err_cnt", 49151, False), ("S2", 14): ("symbol_err_cnt", 49152, True),
              ("S2", 15): ("link_downed", 191, False), ("S2", 16): ("link_downed", 192, True),
              ("S2", 17): ("buf_overrun_err", 9, False), ("S2", 18): ("buf_overrun_err", 10, True),
              ("S2", 19): ("xmit_wait", 0xBFFFFFFF, False), ("S2", 20): ("xmit_wait", 0xC0000000, True),
              ("S2", 21): ("xmit_data", 0xBFFFFFFFFFFFFFFF, False), ("S2", 22): ("xmit_data", 0xC000000000000000, True)}


def set_counter(sim, switch, port, name, value):
    attribute = "PortCounters" if name in ERRORS else "PortCountersExtended"
    sim.console(f'PerformanceSet "{switch}"[{port}] {attribute}.{(ERRORS | DATA)[name]}={value}')


def parsed(text):
    """{(node, guid, active, port): {name: number as text, with its rounded form}}"""
    ports, current = {}, None
    for line in text.splitlines():
        if head := re.fullmatch(r'"([^"]*)" (0x[0-9a-f]+) active (TRUE|FALSE) port (\d+)', line):
            current = ports.setdefault((head[1], head[2], head[3], int(head[4])), {})
        else:
            name, value = re.fullmatch(r"     (.{20}) : (.*)", line).groups()
            current[name.rstrip()] = value
    return ports


def without_times(ports):
    return {key: {name: value for name, value in fields.items() if not name.startswith("Last ")}
            for key, fields in ports.items()}


def configuration(folder, extra=""):
    folder.mkdir()
    path = folder / "perfmgr.conf"
    path.write_text(f"perfmgr TRUE\nperfmgr_sweep_time_s 1\nperfmgr_xmit_wait_log TRUE\nevent_db_dump_file {folder}/counters\n"
                    f"perfmgr_xmit_wait_threshold 1000\ndump_files_dir {folder}\n{extra}")
    return path


def set_counters(sim):
    for (switch, port), fields in SET.items():
        for name, value in fields.items():
            set_counter(sim, switch, port, name, value)
    for (switch, port), (name, value, _) in THRESHOLDS.items():
        set_counter(sim, switch, port, name, value)
    wait_for("ibsim has set all counters", lambda: sim.output().count("has been set to") >= len(SET) + len(THRESHOLDS))


def read_counters(sim, lid, port):
    """{field: value} of the counters in the port."""
    text = sim.client(["perfquery", str(lid), str(port)]).stdout + sim.client(["perfquery", "-x", str(lid), str(port)]).stdout
    return {(name, i): int(value) for i, part in enumerate(text.split("# Port ext"))
            for name, value in re.findall(r"^(\w+):\.+(\d+)$", part, re.M)}


def check_cleared(sim, lid, program):
    for (_, port), (name, value, cleared) in THRESHOLDS.items():
        field = (ERRORS | DATA)[name], 0 if name in ERRORS else 1
        wait_for(f"{program}: {name}={value} is {'not ' if cleared else ''}cleared",
                 lambda: read_counters(sim, lid, port)[field] == (0 if cleared else value))


def lid_of(sim, name):
    text = sim.client(["ibnetdiscover"]).stdout
    return int(re.search(rf'"{name}" \w+ port 0 lid (\d+)', text)[1])


def errors_logged(log):
    """The log messages about errors of ports without a link, without the GUID of the peer (OpenSM logs it with swapped bytes)."""
    lines = re.finditer(r'ERR 54\w\w: (\w+ : \d+ : node "(\w+)" \(NodeGUID: 0x[0-9a-f]+\) : port (\d+))', log)
    return sorted(line[1] for line in lines if (line[2], int(line[3])) not in CABLED)


def run_opensm(net, folder):
    """Runs OpenSM and requests its dump at the console, the only interface that writes a dump."""
    config = configuration(folder, f"console loopback\nconsole_port {(port := interop.free_port())}\n")
    with interop.Ibsim(net) as sim:
        set_counters(sim)
        with Manager(folder / "opensm", "-F", config, program="opensm", sim=sim) as opensm:
            opensm.wait_for("OpenSM logs all errors", lambda: len(errors_logged(opensm.log())) >= len(ERRORS))
            check_cleared(sim, lid_of(sim, "S2"), "OpenSM")
            Session(port, prompt="OpenSM $ ").command("perfmgr dump_counters")
            before = opensm.wait_for("OpenSM's dump", lambda: parsed_file(folder / "counters"))
            sim.console('Unlink "H2"')
            opensm.wait_for("OpenSM removes H2", lambda: '5407: Node "H2"' in opensm.log())
            return before, opensm.log()


def parsed_file(path):
    return parsed(path.read_text()) if path.exists() else {}


def check_events(sim, folder):
    """An increase of an error counter causes an event; the values of the first reading cause no event."""
    def events():
        done = subprocess.run([interop.weft_binary(), "events", "--history", folder / "history.sqlite", "--kind", "counter_errors", "--json"],
                              capture_output=True, text=True, timeout=interop.PATIENCE)
        check(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)["events"]

    check(events() == [], f"events without an increase of a counter: {events()}")
    port = UNCABLED[0]
    set_counter(sim, "S1", port, "symbol_err_cnt", 40)
    found = wait_for("the event", events)
    check(len(found) == 1, found)
    result = {name: found[0][name] for name in ("name", "port", "counter", "before", "value")}
    check(result == {"name": "S1", "port": port, "counter": "SymbolErrorCounter", "before": 3, "value": 40}, found)


class Webhook(http.server.ThreadingHTTPServer):
    """A receiver of alarms; `changes` are the received changes of alarms."""

    def __init__(self):
        changes = self.changes = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                changes.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["changes"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def check_alarms(sim, weft, webhook, token):
    """A link that fails repeatedly raises an alarm, which is sent to the webhook and can be acknowledged."""
    def alarms(*words, wanted):
        done = subprocess.run([interop.weft_binary(), "alarms", "--server", f"http://127.0.0.1:{weft.http.port}", "--token-file", token, *words],
                              capture_output=True, text=True, timeout=interop.PATIENCE)
        check(done.returncode == wanted, f"{words}: status {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout) if "--json" in words and wanted < 2 else done.stdout
    before = {change["id"] for change in webhook.changes}
    port = UNCABLED[list(ERRORS).index("link_downed")]
    set_counter(sim, "S1", port, "link_downed", 5 + 3)  # an increase by 5
    change = wait_for("the alarm", lambda: next((one for one in webhook.changes if one["rule"] == "link_downed"), None))
    wanted = {"change": "raised", "severity": "critical", "name": "S1", "port": port, "value": 3, "limit": 2, "acknowledged": False}
    check({name: change[name] for name in wanted} == wanted and change["id"] not in before, change)
    listed = alarms("--json", wanted=1)
    check(change["id"] in {alarm["id"] for alarm in listed["alarms"]} and listed["receivers"][0]["lost"] == 0, listed)
    check("link_downed critical: link failures within an hour: 3 failures/h, limit 2" in alarms(wanted=1),
          "the list of alarms does not have the alarm link_downed")
    check("bit_error_rate" in alarms("--rules", wanted=1), "the list of rules does not have bit_error_rate")
    for alarm in listed["alarms"]:
        alarms("--ack", alarm["id"], "--comment", "known", wanted=0)
    check(", acknowledged: known" in alarms(wanted=0), "the list of alarms does not have the comment of the acknowledgement")
    wait_for("the acknowledgement", lambda: [one for one in webhook.changes if one["change"] == "acknowledged" and one["id"] == change["id"]])
    alarms("--withdraw", change["id"], wanted=0)
    alarms("--ended", wanted=1)
    alarms("--ack", "load:0x1:1", wanted=2)
    check(f"alarm raised: S1 (0x{int(change['node'], 16):016x}) port {port}: link_downed critical" in weft.log(),
          "the log does not have the alarm link_downed")
    environment = dict(os.environ, WEFT_SERVER=f"http://127.0.0.1:{weft.http.port}")

    def events():
        done = subprocess.run([interop.weft_binary(), "events", "--kind", "alarm_raised", "--json"], env=environment, capture_output=True, text=True,
                              timeout=interop.PATIENCE)
        return [event for event in json.loads(done.stdout)["events"] if event["rule"] == "link_downed" and event["port"] == port]
    wait_for("the event in the history", events)


def run_weft(net, folder):
    webhook = Webhook()
    config = configuration(folder, f"alarm_webhook http://127.0.0.1:{webhook.server_address[1]}/\n")
    token = token_file(folder)
    with interop.Ibsim(net) as sim:
        set_counters(sim)
        with Manager(folder, "-F", config, "--history", folder / "history.sqlite", "--http_token_file", token,
                     sim=sim, http=True) as weft:
            weft.wait_for("Weft logs all errors", lambda: len(errors_logged(weft.log())) >= len(ERRORS))
            check_cleared(sim, lid_of(sim, "S2"), "Weft")
            before = weft.wait_for("Weft's dump", lambda: parsed_file(folder / "counters"))
            sim.console('Unlink "H2"')
            weft.wait_for("Weft removes H2", lambda: '5407: Node "H2"' in weft.log())
            weft.wait_for("the dump has no ports of H2", lambda: not [key for key in parsed_file(folder / "counters") if key[0] == "H2"])
            log = weft.log()
            check_events(sim, folder)
            check_alarms(sim, weft, webhook, token)
    webhook.shutdown()
    webhook.server_close()
    return before, log


def check_same(weft_ports, opensm_ports):
    check(set(weft_ports) == set(opensm_ports), f"ports in only one of the dumps: {set(weft_ports) ^ set(opensm_ports)}")
    for key, fields in weft_ports.items():
        check(list(fields) == list(opensm_ports[key]), f"{key}: fields or their order differ: {fields} {opensm_ports[key]}")
    weft_counters, opensm_counters = without_times(weft_ports), without_times(opensm_ports)
    for key, fields in weft_counters.items():
        differ = {name for name in fields if fields[name] != opensm_counters[key][name]}
        if (key[0], key[3]) in SET or (key[0], key[3]) in THRESHOLDS:
            check(not differ, f"{key}: {[(name, fields[name], opensm_counters[key][name]) for name in differ]}")
        else:
            check(differ <= set(DATA), f"{key}: unexpected errors: {differ}")
    for (switch, port), fields in SET.items():
        found = next(value for key, value in weft_counters.items() if (key[0], key[3]) == (switch, port))
        for name, value in fields.items():
            check(found[name].split()[0] == str(value), f"{switch} port {port}: {name} is {found[name]}, expected {value}")


def check_database(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        ports, = database.execute("SELECT count(*) FROM port").fetchone()
        total, = database.execute("SELECT xmit_discards FROM port JOIN node USING (guid) WHERE name = 'S1' AND port = ?",
                                  (UNCABLED[list(ERRORS).index("xmit_discards")],)).fetchone()
        rows = database.execute("SELECT name, port, xmit_discards FROM reading JOIN node USING (guid)").fetchall()
        read = sum(discards for name, port, discards in rows if (name, port) not in CABLED)
    check(ports == 50, f"the database has {ports} ports, expected 50")
    check(total == read == 3 + list(ERRORS).index("xmit_discards") % 5,
          f"xmit_discards: port table {total}, readings {read}, expected {3 + list(ERRORS).index('xmit_discards') % 5}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-perfmgr-") as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        net.write_text(mkey_test.NET)
        opensm_ports, opensm_log = run_opensm(net, folder / "opensm_run")
        weft_ports, weft_log = run_weft(net, folder / "weft_run")
        check_same(weft_ports, opensm_ports)
        check(errors_logged(weft_log) == errors_logged(opensm_log),
              f"errors in only one of the logs: {set(errors_logged(weft_log)) ^ set(errors_logged(opensm_log))}")
        check_database(folder / "weft_run" / "cache" / "perfmgr.sqlite")
        print(f"{len(weft_ports)} ports, {len(errors_logged(weft_log))} errors logged: equal to OpenSM")


if __name__ == "__main__":
    sys.exit(main())
