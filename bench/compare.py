#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares Weft with Debian's OpenSM on the same fabrics, in one run: `make bench`.

For each fabric and engine, both subnet managers bring up the same net on ibsim. OpenSM's pure routing time is read from
its log (-D 0x47: from "building routing with" to "tables configured on all switches"); Weft routes the subnet that
OpenSM programmed (its opensm-subnet.lst, so the same LIDs) and reports seconds.route, the same span. `weft verify` verifies and
measures both sets of tables. Times are the minimum of several runs, because other work on the machine only adds
to them; compare the ratio of times, not the times.
"""
import argparse
import ctypes
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time

import demands
import fabrics
import studies
from fabrics import interop

BRING_UP = ["fattree3:k=16"]
# OpenSM's slowest engines take minutes: above this time there is one run only.
PATIENCE_SECONDS = 20
OPENSM_TIMEOUT_SECONDS = 3600


def verified(folder):
    """The verdict and the quality of a folder of dumps. Exit status 1 means a failed verdict."""
    return interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", check=False)


def row_of(side, seconds, engine, vls, verdict):
    quality = verdict["quality"]
    return {"side": side, "engine": engine, "seconds": seconds, "link_load_max": quality["link_load_max"],
            "ebb": quality["ebb"], "vls": vls, "nonminimal": quality["nonminimal"], "ok": verdict["verify"]["ok"],
            "credit_loops": verdict["verify"]["credit_loops"]}


# nue stays within --nue_max_num_vls, by default 1.
ONE_VL = {"minhop", "updn", "dnup", "ftree", "dor", "sssp", "nue", "file"}


def opensm_vls(log, engine):
    """The number of VLs that the engine needs by OpenSM's log; None if the log does not contain it."""
    if engine in ONE_VL:
        return 1
    found = re.findall(r"(?:Virtual Lanes needed|Lanes needed): *(\d+)", log)
    return int(found[-1]) if found else None


def opensm_side(net, folder, engine, options, runs, again):
    """OpenSM's row, and its dumps in the folder. A row of an earlier run is reused; with `again` it is measured once more for a lower time."""
    kept = folder / "row.json"
    before = json.loads(kept.read_text()) if kept.exists() else None
    if before and not (again and before["seconds"] < PATIENCE_SECONDS):
        return before
    seconds = []
    while len(seconds) < runs and sum(seconds) < PATIENCE_SECONDS:
        with interop.Ibsim(net) as sim:
            done = interop.opensm_once(sim, folder, "-R", engine, *fabrics.OPENSM_OPTIONS.get(engine, []), *options,
                                       timeout=OPENSM_TIMEOUT_SECONDS)
        elapsed, routed_by = interop.opensm_route_seconds(done.log)
        seconds.append(elapsed)
    row = before or row_of("opensm", 0, routed_by, opensm_vls(done.log, routed_by), verified(folder))
    row["seconds"] = min(seconds + ([before["seconds"]] if before else []))
    kept.write_text(json.dumps(row))
    return row


def compare(spec, net, engine, work, runs, again=False):
    """One fabric, one engine, both managers."""
    folder = work / "opensm"
    options = fabrics.engine_options(spec, engine, work)
    theirs = opensm_side(net, folder, engine, options, runs, again)

    route = ["route", folder / "opensm-subnet.lst", "-R", engine, *options]
    # Short runs are repeated: other load disturbs times of a millisecond.
    reports = [interop.weft_json(*route, check=False) for _ in range(runs)]
    while len(reports) < 5 * runs and reports[-1]["seconds"]["route"] < 0.1:
        reports.append(interop.weft_json(*route, check=False))
    ours = row_of("weft", min(report["seconds"]["route"] for report in reports), reports[0]["engine"],
                  reports[0]["vls_needed"], reports[0])
    return {"fabric": spec, "requested": engine, "switches": reports[0]["fabric"]["switches"], "opensm": theirs, "weft": ours,
            "time_ratio": theirs["seconds"] / max(ours["seconds"], 1e-9)}


def bring_up(spec, net, work, runs):
    """Wall time of a whole cold bring-up on ibsim, process start to end, alternately."""
    times = {"opensm": [], "weft": []}
    for index in range(runs):
        for side, once in (("opensm", interop.opensm_once), ("weft", interop.weft_once)):
            with interop.Ibsim(net) as sim:
                times[side].append(once(sim, work / f"up-{side}-{index}").seconds)
    return {"fabric": spec, **{side: statistics.median(values) for side, values in times.items()}}


def memset_seconds(size):
    """The time to fill a block of resident memory, the minimum of five."""
    block = (ctypes.c_char * size)()
    times = []
    for _ in range(6):
        started = time.perf_counter()
        ctypes.memset(block, 0xFF, size)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def alone(spec, engine, options, runs):
    """Weft alone: time and memory, and a memset of as many bytes as the tables have."""
    reports = [interop.weft_json("route", spec, "-R", f"{engine},no_fallback", *options, check=False, timeout=1800)
               for _ in range(runs)]
    report = reports[0]
    fabric = report["fabric"]
    row = {"fabric": spec, "engine": engine, "hosts": fabric["cas"], "switches": fabric["switches"]}
    if not report["engine"]:
        return {**row, "error": report["error"]}
    size = fabric["switches"] * ((fabric["switches"] + fabric["cas"]) // 64 + 1) * 64
    return {**row, "seconds": min(each["seconds"]["route"] for each in reports), "table_bytes": size,
            "memset_seconds": memset_seconds(size), "peak_rss_bytes": max(each["peak_rss_bytes"] for each in reports),
            "vls": report["vls_needed"], "link_load_max": report["quality"]["link_load_max"],
            "ebb": report["quality"]["ebb"], "ok": report["verify"]["ok"] if report["verify"] else None}


HEADER = ("fabric", "engine", "routed by", "seconds", "ratio", "max load", "ebb", "nonminimal", "VLs", "verdict", "meets")


def table(rows):
    """The lines of the comparison, two per row."""
    lines = []
    for row in rows:
        for side in ("opensm", "weft"):
            cell = row[side]
            ratio = f"{row['time_ratio']:.1f}x" if side == "weft" else ""
            # OpenSM's dumps contain no path SLs: if it uses several VLs, deadlock freedom is not verified.
            verdict = ("connected" if side == "opensm" and cell["vls"] != 1 else "ok" if cell["ok"] else
                       "credit loop" if cell["credit_loops"] else "not connected")
            lines.append((row["fabric"], f"{side} {row['requested']}", cell["engine"], f"{cell['seconds']:.5f}", ratio,
                          str(cell["link_load_max"]), f"{cell['ebb']:.3f}", str(cell["nonminimal"]), str(cell["vls"] or "?"),
                          verdict, "" if side == "opensm" else "no" if row.get("misses") else "yes"))
    return lines


ALONE_HEADER = ("fabric", "hosts", "switches", "engine", "seconds", "of memset", "peak MB", "max load", "ebb", "VLs", "verdict")


def alone_table(rows):
    lines = []
    for row in rows:
        begin = (row["fabric"], str(row["hosts"]), str(row["switches"]), row["engine"])
        if "error" in row:
            lines.append((*begin, "", "", "", "", "", "", row["error"]))
            continue
        verdict = "not verified" if row["ok"] is None else "ok" if row["ok"] else "failed"
        lines.append((*begin, f"{row['seconds']:.3f}", f"{row['seconds'] / row['memset_seconds']:.0f}x",
                      f"{row['peak_rss_bytes'] / 1e6:.0f}", str(row["link_load_max"]), f"{row['ebb']:.3f}", str(row["vls"]),
                      verdict))
    return lines


def plain(header, lines):
    lines = [header, *lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def markdown(header, lines):
    rule = "|" + "---|" * len(header)
    return "\n".join(["| " + " | ".join(header) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def bring_up_lines(result):
    return [f"bring-up of {row['fabric']} on ibsim: opensm {row['opensm']:.2f} s, weft {row['weft']:.2f} s"
            for row in result["bring_up"]]


def missed(result):
    """A line for each requirement that a row violates."""
    return [f"{row['fabric']} {row['requested']}: {miss}" for row in result["rows"] for miss in row["misses"]]


PAGE = """# Benchmarks

Weft compared with Debian's OpenSM. Command: `bench/compare.py --markdown docs/reference/benchmarks.md` (`make bench` prints the same), commit
{commit}, {cores} cores of {machine}. Times are pure routing time, the minimum of {runs} runs or more: OpenSM's from its log
(`building routing with` to `tables configured on all switches`), Weft's `seconds.route` on the same subnet. `weft verify`
verifies and measures both sets of tables. "routed by" is the engine that succeeded. "meets" shows whether the
row meets the requirements of `bench/demands.py`; if OpenSM's engine failed there is no ratio.

{table}

{bring_up}

## Weft alone

Time and peak memory of the whole process; "of memset" is the ratio to the time of a memset of as many bytes as the tables have,
in resident memory.

{alone}

## Requirements not met

{missed}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--quick", action="store_true", help="one small fabric, to test the harness")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="only rows where 'FABRIC ENGINE' matches this regular expression; rows of Weft alone are "
                        "'FABRIC ENGINE alone'")
    parser.add_argument("--kept", help="folder of OpenSM's rows and dumps: existing rows are reused (some engines of OpenSM take "
                        "an hour), so their times are of an earlier run")
    parser.add_argument("--again", action="store_true", help="with --kept: run OpenSM's fast engines again, and keep the lower time")
    parser.add_argument("--markdown", help="write the page of docs/ to this file")
    parser.add_argument("--json", default="build/bench.json", help="write the figures to this file")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())

    def wanted(spec, engine):
        return re.search(options.only, f"{spec} {engine}") is not None

    result = {"commit": studies.commit(), "machine": platform.processor() or platform.machine(), "cores": os.cpu_count(),
              "runs": options.runs, "rows": [], "bring_up": [], "alone": []}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        work = pathlib.Path(options.kept or scratch).resolve()
        for spec, engines in fabrics.QUICK if options.quick else fabrics.GENERATED + fabrics.REAL:
            name = spec.parent.name if isinstance(spec, pathlib.Path) else spec
            engines = [engine for engine in engines if wanted(name, engine)]
            if not engines or (isinstance(spec, pathlib.Path) and not spec.exists()):
                continue
            net = scratch / "fabric.net"
            interop.weft("convert", spec, net, "--to", "ibsim")
            for engine in engines:
                try:
                    row = compare(name, net, engine, work / name.replace(":", "-") / engine, options.runs, options.again)
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    print(f"{name} {engine}: {error}", flush=True)  # for example if ibsim cannot load the net
                    continue
                result["rows"].append(row)
                row["misses"] = demands.misses(row, result["rows"])
                print(plain(HEADER, table([row])), *row["misses"], sep="\n", flush=True)
            if (spec in BRING_UP or options.quick) and wanted(name, "bring-up"):
                result["bring_up"].append(bring_up(spec, net, scratch, options.runs))
    for spec, engines, extra in [] if options.quick else fabrics.ALONE:
        for engine in engines:
            if wanted(spec, f"{engine} alone"):
                result["alone"].append(alone(spec, engine, extra, options.runs))
                print(plain(ALONE_HEADER, alone_table(result["alone"][-1:])), flush=True)
    for row in result["rows"]:
        row["misses"] = demands.misses(row, result["rows"])
    lines = table(result["rows"])
    print("\n" + plain(HEADER, lines))
    print("\n".join(bring_up_lines(result)))
    print(plain(ALONE_HEADER, alone_table(result["alone"])))
    print(f"\n{len(missed(result))} requirements not met", *missed(result), sep="\n  ")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(PAGE.format(
            table=markdown(HEADER, lines), alone=markdown(ALONE_HEADER, alone_table(result["alone"])),
            bring_up="\n".join(f"* {line}" for line in bring_up_lines(result)),
            missed="\n".join(f"* {line}" for line in missed(result)) or "None.",
            **{key: result[key] for key in ("commit", "cores", "machine", "runs")}))
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
