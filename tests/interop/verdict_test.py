#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the verdict of weft route and weft verify. The last line is PASS, or FAIL with the reason, and the exit status corresponds to the verdict.
The cases include files without routes to verify, tables without a LID of the fabric, VLs that links do not have, and replies.

Standard library only. Usage: verdict_test.py
"""
import pathlib
import re
import tempfile

import weft_interop as interop
from weft_interop import check


def run(*words, status, last):
    done = interop.weft(*words, check=False)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    line = done.stdout.rstrip().split("\n")[-1]
    check(re.fullmatch(last, line), f"{words}: the last line is {line!r}, expected {last}")
    return done.stdout


def damaged_trees():
    for engine in ("ftree", "updn", "dnup", "minhop"):
        text = run("route", "fattree2:k=8,fail=1,seed=1", "-R", f"{engine},no_fallback", status=0, last="PASS")
        check("CA to switch:      384 of 384 arrive" in text, text)
        check("switch to CA:      384 of 384 arrive" in text, text)
        check("all traffic on one SL: deadlock-free on SLs 0-15" in text, text)
    run("route", "fattree3:k=8,fail=6,seed=1", "-R", "ftree,no_fallback", status=0, last="PASS")


def replies():
    for spec in ("random:n=32,degree=5,hosts=2,seed=1", "torus:4x4,hosts=2"):
        for engine in ("dfsssp", "nue", "lash"):
            text = run("route", spec, "-R", f"{engine},no_fallback", status=0, last="PASS")
            check("WARNING" not in text, text)
    text = run("route", "torus:4x4,hosts=2", "-R", "dfsssp,no_fallback", "--replies=ignore", status=0, last="PASS")
    check("WARNING: replies ignored: the proof holds for one-way traffic only" in text, text)
    report = interop.weft_json("route", "torus:4x4,hosts=2", "-R", "dfsssp,no_fallback", "--replies=ignore")["verify"]
    check(report["replies"] == "ignored" and report["pass"] and report["why"] == "", str(report)[:500])


def loops():
    text = run("route", "ring:n=6,hosts=2", "-R", "minhop,no_fallback", status=1, last=r"FAIL: a credit loop over 6 channels")
    check("all traffic on one SL: deadlock-free on no SL" in text, text)


def nothing_to_prove(folder):
    (folder / "whole").write_text(interop.weft("generate", "fattree2:k=4").stdout)
    switch = '\nswitchguid=0x10(10)\nSwitch\t4 "S-0000000000000010"\t\t# "alone" base port 0 lid 1 lmc 0\n'
    (folder / "alone").write_text(switch)
    run("route", folder / "alone", "-R", "minhop,no_fallback", status=1, last="FAIL: the fabric has no CA with a link")
    run("route", folder / "alone", "-R", "minhop,no_fallback", "--allow-empty", status=0, last="FAIL: the fabric has no CA with a link")
    run("route", folder / "whole", "-R", "minhop,no_fallback", status=0, last="PASS")


def tables(folder):
    """The verification of dumps has the result of the verification in the process. If the fabric file has no LIDs, the message states this reason."""
    dumps = folder / "dumps"
    run("route", folder / "whole", "-R", "updn,no_fallback", "-o", dumps, status=0, last="PASS")
    run("verify", dumps / "opensm-subnet.lst", "--lfts", dumps / "opensm.fdbs", status=0, last="PASS")
    lids = (dumps / "opensm.fdbs").read_text()
    moved = re.sub(r"^0x([0-9a-fA-F]{4})", lambda found: f"0x{int(found[1], 16) + 0x400:04x}", lids, flags=re.M)
    (folder / "moved.fdbs").write_text(moved)
    text = run("verify", folder / "whole", "--lfts", folder / "moved.fdbs", status=1, last="FAIL: .*")
    check("the fabric file has no LIDs to match the tables" in text, text[-800:])


def lanes(folder):
    """An SL2VL table maps SL 0 to a VL that the links do not have."""
    dumps = folder / "dumps"
    interop.weft("route", "torus:4x4,hosts=2", "-R", "lash,no_fallback", "-o", dumps)
    words = ("verify", dumps / "opensm-subnet.lst", "--lfts", dumps / "opensm.fdbs", "--psl", dumps / "weft.psl", "--slvl")
    run(*words, dumps / "weft.slvl", status=0, last="PASS")
    report = (dumps / "weft.slvl").read_text()
    beyond = re.sub(r"^(0x\S+ \d+ \d+) .*", lambda found: found[1] + " 0xEE" * 8, report, flags=re.M)
    check(beyond != report, f"weft.slvl has another form:\n{report[:300]}")
    (folder / "beyond.slvl").write_text(beyond)
    text = run(*words, folder / "beyond.slvl", status=1, last="FAIL: .*ports use VLs that their links do not have.*")
    check("packets on VL 14, the link has 8 data VLs" in text, text[-1500:])


def main():
    with tempfile.TemporaryDirectory(prefix="weft-verdict-") as scratch:
        folder = pathlib.Path(scratch)
        damaged_trees()
        loops()
        nothing_to_prove(folder)
        tables(folder)
        lanes(folder)
        replies()
    print("verdict: last lines and exit statuses agree")


if __name__ == "__main__":
    main()
