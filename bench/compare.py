#!/usr/bin/env python3
"""Weft beside Debian's OpenSM on the same fabrics, in one run: `make bench`.

For each fabric and engine, both subnet managers bring up the same net on ibsim. OpenSM's pure routing time is read from
its log (-D 0x47: from "building routing with" to "tables configured on all switches"); Weft routes the very subnet that
OpenSM left (its opensm-subnet.lst, so the same LIDs) and reports seconds.route, the same span. Both sets of tables are
judged and measured by `weft verify`. Times are the least of several runs, because other work on the machine only ever adds
to them; the ratio of times is what counts, not the times.
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
# OpenSM's slowest engines take minutes: past this, one run has to do.
PATIENCE_SECONDS = 20
OPENSM_TIMEOUT_SECONDS = 3600


def judged(folder):
    """The verifier's and the simulator's word on a folder of dumps. Exit status 1 only says that the verdict is bad."""
    return interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", check=False)


def row_of(side, seconds, engine, vls, verdict):
    quality = verdict["quality"]
    return {"side": side, "engine": engine, "seconds": seconds, "link_load_max": quality["link_load_max"],
            "ebb": quality["ebb"], "vls": vls, "nonminimal": quality["nonminimal"], "ok": verdict["verify"]["ok"],
            "credit_loops": verdict["verify"]["credit_loops"]}


# nue stays within --nue_max_num_vls, whose default is 1.
ONE_VL = {"minhop", "updn", "dnup", "ftree", "dor", "sssp", "nue", "file"}


def opensm_vls(log, engine):
    """How many VLs OpenSM's log says its engine needs; None where it does not say."""
    if engine in ONE_VL:
        return 1
    found = re.findall(r"(?:Virtual Lanes needed|Lanes needed): *(\d+)", log)
    return int(found[-1]) if found else None


def opensm_side(net, folder, engine, options, runs, again):
    """OpenSM's row, and its dumps in the folder. What is there from an earlier session is made again only to better its time."""
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
    row = before or row_of("opensm", 0, routed_by, opensm_vls(done.log, routed_by), judged(folder))
    row["seconds"] = min(seconds + ([before["seconds"]] if before else []))
    kept.write_text(json.dumps(row))
    return row


def compare(spec, net, engine, work, runs, again=False):
    """One fabric, one engine, both sides."""
    folder = work / "opensm"
    options = fabrics.engine_options(spec, engine, work)
    theirs = opensm_side(net, folder, engine, options, runs, again)

    route = ["route", folder / "opensm-subnet.lst", "-R", engine, *options]
    # A millisecond is soon disturbed: short runs are repeated.
    reports = [interop.weft_json(*route, check=False) for _ in range(runs)]
    while len(reports) < 5 * runs and reports[-1]["seconds"]["route"] < 0.1:
        reports.append(interop.weft_json(*route, check=False))
    ours = row_of("weft", min(report["seconds"]["route"] for report in reports), reports[0]["engine"],
                  reports[0]["vls_needed"], reports[0])
    return {"fabric": spec, "requested": engine, "switches": reports[0]["fabric"]["switches"], "opensm": theirs, "weft": ours,
            "time_ratio": theirs["seconds"] / max(ours["seconds"], 1e-9)}


def bring_up(spec, net, work, runs):
    """Wall time of a whole cold bring-up on ibsim, process start to end, by turns."""
    times = {"opensm": [], "weft": []}
    for index in range(runs):
        for side, once in (("opensm", interop.opensm_once), ("weft", interop.weft_once)):
            with interop.Ibsim(net) as sim:
                times[side].append(once(sim, work / f"up-{side}-{index}").seconds)
    return {"fabric": spec, **{side: statistics.median(values) for side, values in times.items()}}


def memset_seconds(size):
    """The time to fill so many bytes that are in memory already, the best of five."""
    block = (ctypes.c_char * size)()
    times = []
    for _ in range(6):
        started = time.perf_counter()
        ctypes.memset(block, 0xFF, size)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def alone(spec, engine, options, runs):
    """Weft without OpenSM beside it: time and memory, and a memset of as many bytes as the tables have."""
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
    """The lines of the comparison, two a row."""
    lines = []
    for row in rows:
        for side in ("opensm", "weft"):
            cell = row[side]
            ratio = f"{row['time_ratio']:.1f}x" if side == "weft" else ""
            # The dumps of OpenSM hold no path SLs: where it spreads paths over VLs its deadlock freedom is not judged.
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
        verdict = "not judged" if row["ok"] is None else "ok" if row["ok"] else "refused"
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
    """A line for each demand that a row does not meet."""
    return [f"{row['fabric']} {row['requested']}: {miss}" for row in result["rows"] for miss in row["misses"]]


PAGE = """# Benchmarks

Weft beside Debian's OpenSM, made by `bench/compare.py --markdown docs/reference/benchmarks.md` (`make bench` prints the same): commit
{commit}, {cores} cores of {machine}. Times are the least of {runs} runs or more and pure routing time on both sides: OpenSM's from its log
(`building routing with` to `tables configured on all switches`), Weft's `seconds.route` on the very subnet that OpenSM left. Both
sets of tables are judged and measured by `weft verify`. "routed by" is the engine that served in the end; "meets" says whether the
row meets what is asked of it (`bench/demands.py`; where OpenSM's engine did not serve there is no ratio to ask for).

{table}

{bring_up}

## Weft alone

Time and peak memory of the whole process; "of memset" is the time beside filling as many bytes as the tables have, in memory that
is there already.

{alone}

## Demands not met

{missed}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--quick", action="store_true", help="one small fabric, to see that the harness works")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="only rows of which 'FABRIC ENGINE' matches this regex; those of Weft alone are "
                        "'FABRIC ENGINE alone'")
    parser.add_argument("--kept", help="a folder that keeps OpenSM's rows and dumps: what is there already is not made again (OpenSM "
                        "stays what it is; some of its engines take an hour). Its times are then of another run")
    parser.add_argument("--again", action="store_true", help="with --kept: runs OpenSM again where it is fast, and keeps the lesser time")
    parser.add_argument("--markdown", help="write the page of docs/ here")
    parser.add_argument("--json", default="build/bench.json", help="where the figures go")
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
                    print(f"{name} {engine}: {error}", flush=True)  # such as: ibsim cannot bring it up
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
    print(f"\n{len(missed(result))} demands not met", *missed(result), sep="\n  ")
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
