#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests examples/chain on ibsim. `weft sm --once -F examples/chain/opensm.conf` brings the fabric up with the chain, ibroute and smpquery
read back the planned tables, and a second run writes nothing. An invalid policy file changes nothing in a running manager.

Standard library only. Usage: chain_test.py
"""
import json
import pathlib
import shutil
import signal
import sys
import tempfile

import readback_test
import weft_interop as interop
from manager import Manager
from weft_interop import check

EXAMPLE = interop.ROOT / "examples/chain"
ENGINES = ["updn", "ftree", "torus-2QoS"]


def copy_of_example(folder):
    """A copy of the example with absolute paths in its files, so that it runs in any folder."""
    shutil.copytree(EXAMPLE, folder)
    for name in ("opensm.conf", "chain.conf", "torus-step.conf"):
        path = folder / name
        path.write_text(path.read_text().replace("examples/chain/", f"{folder}/"))
    return folder


def check_chain(report):
    check(report["engine"] == "chain", report)
    check([step["engine"] for step in report["steps"]] == ENGINES, report["steps"])
    check(not any(step["failed"] for step in report["steps"]), report["steps"])
    check(report["verify"]["ok"], report["verify"])


def check_tables(folder):
    example = copy_of_example(folder / "example")
    check_chain(interop.weft_json("route", example / "fabric.net", "-R", "chain,no_fallback", "-a", example / "roots.conf",
                             "--pgrp_policy_file", example / "groups.conf", "--topo_policy_file",
                             example / "topologies.conf", "--rch_policy_file", example / "chain.conf"))
    with interop.Ibsim(example / "fabric.net") as sim:
        words = ["-F", example / "opensm.conf", "--json"]
        first = json.loads(interop.weft_once(sim, folder / "first", *words).output)
        check_chain(first)
        check(first["vls"] >= 3, f"updn and torus-2QoS on {first['vls']} VLs, expected at least 3")
        tables, hosts = readback_test.same_tables(sim, folder / "first")
        check(hosts == 31 and tables > 3 * hosts, f"{tables} tables of {hosts} hosts, expected more than 93 of 31")
        again = json.loads(interop.weft_once(sim, folder / "again", *words).output)
        for what in ("lft_blocks_written", "sl2vl_written", "vl_arb_written"):
            check(again[what] == 0, f"a second run has {what} {again[what]}, expected 0")
        print(f"{tables} tables as planned")
    # With a torus configuration that does not match the fabric, the torus-2QoS step falls back.
    (example / "torus.conf").write_text("torus 6 6 1\nxp_link 0x1 0x2\nyp_link 0x1 0x3\n")
    report = interop.weft_json("sm", "--emulate", example / "fabric.net", "--once", "-F", example / "opensm.conf")
    check([step["engine"] for step in report["steps"]] == [*ENGINES, "dfsssp"], report["steps"])
    check([bool(step["failed"]) for step in report["steps"]] == [False, False, True, False], report["steps"])
    check(report["engine"] == "chain" and report["verify"]["ok"], report)


# (file, valid text, invalid text that replaces it, expected log message)
WRONG = [("groups.conf", "name: tree-hosts", "name: tree:hosts", ":10:7: found 'tree:hosts', expected a value without a colon"),
         ("topologies.conf", "sw-grp: torus-switches", "sw-grp: torus", ":11:9: sw-grp: port group 'torus' is not defined in"),
         ("chain.conf", "fallback-to: 3", "fallback-to: 4", ":30:14: fallback-to: found '4', expected a step that does not fall back"),
         ("chain.conf", "engine: ftree", "motor: ftree", ":14:1: found 'motor', expected id, engine"),
         ("roots.conf", "group:spines", "group:spine", ":2: port group 'spine' is not defined in"),
         ("torus-step.conf", "torus_config", "lash_start_vl 99 #", ":2:15: lash_start_vl: found '99'")]


def check_invalid_files(folder):
    folder.mkdir()
    example = copy_of_example(folder / "example")
    with interop.Ibsim(example / "fabric.net") as sim:
        with Manager(folder, "-F", example / "opensm.conf", sim=sim) as manager:
            for name, good, bad, problem in WRONG:
                path = example / name
                text = path.read_text()
                check(good in text, f"{name} has no {good}")
                path.write_text(text.replace(good, bad))
                manager.send(signal.SIGHUP)
                manager.wait_for(f"{name}{problem}", lambda: f"{name}{problem}" in manager.log())
                path.write_text(text)
            manager.wait_for("one log message for each invalid file",
                             lambda: manager.log().count("the previous settings remain active") == len(WRONG))
            check(manager.process.poll() is None and manager.log().count("'chain' failed") == 0, manager.log()[-2000:])
            ups = manager.ups()
            manager.send(signal.SIGHUP)
            manager.wait_for_up(ups + 1)
            check("chain tables configured on all switches" in manager.log(), manager.log()[-2000:])
    found = interop.weft("check", "-F", example / "opensm.conf", example / "fabric.net", check=False)
    check("ftree" in found.stdout + found.stderr, found)
    (example / "chain.conf").write_text("unicast-step\nid: 1\nengine: magic\nend-unicast-step\nunicast-step\nid: 2\nend-unicast-step\n")
    found = interop.weft("check", "-F", example / "opensm.conf", example / "fabric.net", check=False)
    for text in ("chain.conf:3:9: engine: found 'magic', expected one of", "chain.conf:5: this unicast-step has no 'engine'"):
        check(text in found.stdout + found.stderr, f"{text!r}: {found}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-chain-") as scratch:
        check_tables(pathlib.Path(scratch))
        check_invalid_files(pathlib.Path(scratch) / "wrong")


if __name__ == "__main__":
    sys.exit(main())
