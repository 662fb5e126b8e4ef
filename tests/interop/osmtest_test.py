#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs osmtest, the test program of OpenSM, with OpenSM and with Weft on the same ibsim net.

Runs each flow on ibsim alone, and with the kernel functions that ibsim lacks (umad_kernel.cpp). A flow that passes with OpenSM must pass with
Weft. With the kernel functions every flow must pass with Weft.
"""
import argparse
import concurrent.futures
import subprocess
import sys
import time

import weft_interop as interop
from manager import Manager
from weft_interop import check, preloaded

NET = interop.TOPOLOGIES / "ibsim-examples" / "net.2sw2path4hca2port"
HOST = "Hca2"
MANAGERS = ("OpenSM", "Weft")

# The order matters: c writes the inventory that the other flows read.
FLOWS = ["c",        # create the inventory
         "q",        # SL2VL and VL arbitration
         "e", "t",   # events, traps 64 and 65: osmtest prints "not implemented yet"
         "s",        # services and their leases
         "m -M 1", "m -M 2", "m",  # multicast, short
         "v",        # compares the inventory with all queries
         "a"]        # all flows but QoS and stress
STRESS = ["f -s 1",  # 100,000 single PortInfoRecords
          "f -s 4",  # 100,000 single PathRecords
          "m -M 3", "m -M 4"]  # multicast, long
SEGMENTS = ["f -s 2",  # tables in many segments
            "f -s 3"]  # tables of paths in many segments
# With OpenSM on ibsim alone these flows do not finish, and are aborted early.
ENDLESS = {"v", "a"}


def run_flow(sim, flow, timeout, start, log):
    log.unlink(missing_ok=True)
    try:
        done = sim.client(start(["osmtest", "-f", *flow.split(), "-i", sim.folder / "osmtest.dat", "-l", log]), host=HOST,
                          check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "HANG"
    return "PASS" if done.returncode == 0 and "PASS" in done.stdout else "FAIL"


def outcome(sim, flow, timeout, start):
    """Runs a flow; returns (outcome, seconds, end of the log). Repeats the run if osmtest did not start the flow, because ibsim may refuse a client,
    and the library of ibsim may crash at the start (Ibsim.client)."""
    log = sim.folder / f"osmtest-{flow.replace(' ', '')}.log"
    for _ in range(3):
        began = time.monotonic()
        result = run_flow(sim, flow, timeout, start, log)
        text = log.read_text(errors="replace") if log.exists() else ""
        if "SA Class Port Info" in text:
            break
    return result, time.monotonic() - began, text[-1500:]


def run_flows(manager, flows, kernel):
    """Runs the flows on an ibsim server; returns {flow: (outcome, seconds, end of the log)}."""
    start = preloaded if kernel else list
    with interop.Ibsim(NET) as sim:
        return run_flows_on(sim, manager, flows, kernel, start)


def run_flows_on(sim, manager, flows, kernel, start):
    """Runs the flows as run_flows() does. Weft needs trust_public_sa_key, because osmtest sends the public sa_key from another port."""
    config = sim.folder / "public.conf"
    config.write_text("trust_public_sa_key TRUE\n")
    words = ["-F", config] if manager == "Weft" else []
    with Manager(sim.folder, *words, program=manager.lower(), sim=sim, through=start) as running:
        running.wait_for_sa(HOST)
        results = {}
        for flow in flows:
            never_ends = manager == "OpenSM" and not kernel and flow in ENDLESS
            results[flow] = outcome(sim, flow, 4 if never_ends else 900, start)
        return results


def compare(flows, kernel):
    print("with kernel functions" if kernel else "plain ibsim")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = {manager: pool.submit(run_flows, manager, flows, kernel) for manager in MANAGERS}
        results = {manager: run.result() for manager, run in runs.items()}
    for flow in flows:
        (opensm, opensm_time, _), (weft, weft_time, log) = results["OpenSM"][flow], results["Weft"][flow]
        print(f"  osmtest -f {flow:8} OpenSM {opensm} {opensm_time:5.1f} s, Weft {weft} {weft_time:5.1f} s", flush=True)
        check(weft == "PASS" or (opensm != "PASS" and not kernel), f"osmtest -f {flow} with Weft: {weft}\n{log}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stress", action="store_true", help="run the stress flows instead of the other flows, on ibsim alone; "
                        "run the flows of many segments also with the kernel functions")
    arguments = parser.parse_args()
    for kernel in (False, True):
        if not arguments.stress:
            compare(FLOWS, kernel)
        else:
            compare(["c", *([] if kernel else STRESS), *SEGMENTS], kernel)


if __name__ == "__main__":
    sys.exit(main())
