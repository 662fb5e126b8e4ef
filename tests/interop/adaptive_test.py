#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests adaptive routing from the command line. On ibsim, with switches that report the device id of Quantum but lack AR attributes, the subnet
comes up with static routes, without additional warnings and with at most one timeout. Emulated switches of mixed capability use AR where supported. An
invalid ar_mgr.conf prevents a start, and changes nothing on SIGHUP. Also tests fault routing notifications.

Standard library only. Usage: adaptive_test.py
"""
import json
import pathlib
import re
import signal
import sys
import tempfile

import weft_interop as interop
from manager import Manager
from smp_tap import SmpTap
from weft_interop import check, held_routes

FABRIC = "fattree2:k=4"
NODE_INFO = 0x0011


def write_quantum_net(folder):
    net = folder / "fabric.net"
    interop.weft("generate", FABRIC, "-o", net)
    lines = []
    for line in net.read_text().splitlines():
        if line.startswith("Switch"):
            lines += ["vendid=0x2c9", "devid=0xd2f0"]
        lines.append(line)
    net.write_text("\n".join(lines) + "\n")
    return net


def count_smps(sim, folder, *engine):
    """Runs weft, which must use minhop; returns the number of SMPs by (method, attribute)."""
    tap = SmpTap(folder.with_suffix(".tap"))
    used = json.loads(interop.weft_once(sim, folder, *engine, "--json", tap=tap).output)["engine"]
    check(used == "minhop", f"weft sm {' '.join(engine)}: engine {used}, expected minhop")
    counts = tap.counts()
    check(counts[1, NODE_INFO] > 0, f"no Get(NodeInfo) among {counts}")
    return counts


def check_static_routes_on_ibsim(sim, folder):
    plain = interop.weft_once(sim, folder / "plain", "-R", "updn,no_fallback", "--json")
    run = interop.weft_once(sim, folder / "adaptive", "-R", "ar_updn,no_fallback", "--json")
    report = json.loads(run.output)
    check(report["up"] and report["engine"] == "ar_updn", report)
    check(report["adaptive"]["switches"] == 0 and report["adaptive"]["errors"] == 0, report["adaptive"])
    check(report["warnings"] == json.loads(plain.output)["warnings"], report["warnings"])
    check(report["lft_blocks_written"] == 0, "the plain tables of ar_updn differ from the tables of updn")
    check(report["smps"]["timed_out"] <= 1, report["smps"])  # only one switch is queried for AR attributes
    check(not re.search(r"daptive|ff20", run.log, re.I), run.log[-2000:])
    interop.weft_once(sim, folder / "minhop", "-R", "minhop")  # programs the tables of minhop before the next runs
    with_default, with_minhop = count_smps(sim, folder / "default"), count_smps(sim, folder / "given", "-R", "minhop")
    check(with_default == with_minhop, (with_default, with_minhop))  # no switch is queried for AR attributes
    lid = int(re.search(r"base LID (\d+)", (folder / "adaptive/opensm-sl2vl.dump").read_text())[1])
    check(held_routes(sim, lid), "the switch has no routes")


def check_invalid_file(sim, folder):
    conf = folder / "ar_mgr.conf"
    conf.write_text("ENABLE: true\nAR_MODE: sometimes\n")
    done = sim.client([interop.weft_binary(), "sm", "--once", "-R", "ar_updn", "--ar_mgr_conf_file", conf], check=False)
    check(done.returncode == 2 and f"{conf}:2: AR_MODE: found 'sometimes', expected bounded or free" in done.stderr, done.stderr)
    done = interop.weft("route", FABRIC, "-R", "ar_updn", "--ar_mgr_conf_file", conf, check=False)
    check(done.returncode == 2 and f"{conf}:2: " in done.stderr, done.stderr)
    conf.write_text("AR_MODE: free\n")
    with Manager(folder / "resident", "-R", "ar_updn", "--ar_mgr_conf_file", conf, sim=sim) as manager:
        conf.write_text("MAX_ERRORS: 65536\n")
        manager.send(signal.SIGHUP)
        manager.wait_for("the error about ar_mgr.conf",
                         lambda: f"{conf}:1: MAX_ERRORS: found '65536', expected a number from 0 to 65535" in manager.log())
        manager.wait_for_up(2)  # the previous settings remain active


def run_emulated(kind, engine="ar_updn", *options):
    done = interop.weft("sm", "--emulate", "fattree3:k=4", "--emulate-adaptive", kind, "-R", f"{engine},no_fallback", "--once", "--json",
                        *options)
    return json.loads(done.stdout)


def check_notifications(folder):
    """Switches send fault routing notifications if configured; `weft simulate --repair` computes the effect of the notifications."""
    result = run_emulated("all", "ar_updn", "--emulate-notifications")
    check(result["adaptive"]["notifying"] == result["adaptive"]["switches"] == 20, result["adaptive"])
    off = folder / "opensm.conf"
    off.write_text("shield_mode 0\n")
    check(run_emulated("all", "ar_updn", "--emulate-notifications", "-F", off)["adaptive"]["notifying"] == 0,
          "switches send notifications with shield_mode 0")
    study = ["simulate", "fattree3:k=4", "-R", "ar_updn", "--failures", "1", "--victims", "both", "--repair"]
    whole = interop.weft_json(*study, "all", "--no-times")
    check(len(whole["rows"]) == whole["played"] == 32 + 20, whole["played"])
    for row in whole["rows"]:
        check(row["routed_anew"] and not row["credit_loop"] and row["pairs_waiting"] == 0, row)
        check(row["pairs_noticed"] == 0 or row["notifications"]["consumed"] > 0, row)
        check(row["repaired_after_us"] < row["manager"]["after_us"], row)
    check(any(row["pairs_noticed"] > 0 for row in whole["rows"]), "no failure requires notifications")
    check(interop.weft_json(*study, "all", "--no-times") == whole, "a second run has other results")
    mixed = interop.weft_json(*study, "mixed", "--no-times")
    check(mixed["notifying"] < whole["notifying"],
          f"{mixed['notifying']} switches send notifications with mixed devices, expected fewer than {whole['notifying']}")
    check(any(row["waiting"] for row in mixed["rows"]), "no pair waits although some switches are not AR-capable")
    for row in [*whole["rows"], *mixed["rows"]]:
        check(bool(row["waiting"]) == (row["pairs_waiting"] > 0) and len(row["waiting"]) <= 10, row)
        check(all(pair["from"] != pair["to"] for pair in row["waiting"]), row)
    done = interop.weft("simulate", "fattree3:k=4", "-R", "ar_updn", "--repair", "all", check=False)
    check(done.returncode == 2 and "expected --failures N" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-adaptive-") as scratch:
        folder = pathlib.Path(scratch)
        with interop.Ibsim(write_quantum_net(folder)) as sim:
            check_static_routes_on_ibsim(sim, folder)
            check_invalid_file(sim, folder)
        switches = {kind: run_emulated(kind) for kind in ("none", "all", "mixed", "silent")}
        for kind, report in switches.items():
            check(report["up"] and report["verify"]["ok"] and report["adaptive"]["errors"] == 0, f"{kind}: {report['adaptive']}")
        ar_switches = {kind: report["adaptive"]["switches"] for kind, report in switches.items()}
        check(ar_switches["none"] == ar_switches["silent"] == 0 < ar_switches["mixed"] < ar_switches["all"] == 16, ar_switches)
        conf = folder / "off.conf"
        conf.write_text("ENABLE: false\n")
        check(run_emulated("all", "ar_updn", "--ar_mgr_conf_file", conf)["adaptive"]["switches"] == 0,
              "switches use adaptive routing with ENABLE: false")
        check_notifications(folder)
        print(f"static on ibsim; switches with adaptive routing: {ar_switches}")


if __name__ == "__main__":
    sys.exit(main())
