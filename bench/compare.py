#!/usr/bin/env python3
"""Weft beside Debian's OpenSM on the same fabrics, in one run: `make bench`.

For each fabric and engine, both subnet managers bring up the same net on ibsim. OpenSM's pure routing time is read from
its log (-D 0x47: from "building routing with" to "tables configured on all switches"); Weft routes the very subnet that
OpenSM left (its opensm-subnet.lst, so the same LIDs) and reports seconds.route, the same span. Both sets of tables are
judged and measured by `weft verify`. Figures are medians; the ratio of times is what counts, not the times.
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
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "interop"))
import weft_interop as interop  # noqa: E402

TREE_ENGINES = ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue"]
ANY_ENGINES = ["minhop", "updn", "dnup", "sssp", "dfsssp", "lash", "nue"]
QUICK = [("fattree2:k=16", ["minhop", "updn"])]
FULL = [
    ("fattree2:k=36", TREE_ENGINES),
    ("fattree3:k=16", TREE_ENGINES),
    ("fattree3:k=16,fail=41,seed=1", TREE_ENGINES),
    ("fattree3:k=24", ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "nue"]),
    ("torus:6x6x6,hosts=4", ANY_ENGINES),
    ("torus:10x10x10,hosts=1", ["minhop", "updn", "sssp", "dfsssp", "nue"]),
    ("dragonfly:a=8,h=4,p=4", ANY_ENGINES),
    ("hyperx:6x6,hosts=6", ANY_ENGINES + ["dor"]),
    ("hypercube:n=6,hosts=4", ANY_ENGINES + ["dor"]),
    ("random:n=128,degree=8,hosts=4,seed=1", ANY_ENGINES),
    ("random:n=256,degree=10,hosts=4,seed=1", ANY_ENGINES),
    ("random:n=1000,degree=16,hosts=4,seed=1", ["minhop", "updn", "sssp", "dfsssp", "nue"]),
]
# What OpenSM wants beside -R for engines that spread paths over service levels.
OPENSM_OPTIONS = {engine: ["-Q"] for engine in ("dfsssp", "lash", "nue", "torus-2QoS")}
REAL = [(interop.TOPOLOGIES / "selene-storage/ibnetdiscover.txt", TREE_ENGINES)]
BRING_UP = ["fattree3:k=16"]
LARGEST = "fattree3:k=64,pods=42"
LARGEST_ENGINES = ["minhop", "updn", "ftree"]
# OpenSM's slowest engines take minutes: past this, one run has to do.
PATIENCE_SECONDS = 20


def judged(folder):
    """The verifier's and the simulator's word on a folder of dumps. Exit status 1 only says that the verdict is bad."""
    return interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", check=False)


def row_of(side, seconds, engine, vls, verdict):
    quality = verdict["quality"]
    return {"side": side, "engine": engine, "seconds": seconds, "link_load_max": quality["link_load_max"],
            "ebb": quality["ebb"], "vls": vls, "nonminimal": quality["nonminimal"], "ok": verdict["verify"]["ok"],
            "credit_loops": verdict["verify"]["credit_loops"]}


ONE_VL = {"minhop", "updn", "dnup", "ftree", "dor", "sssp", "file"}


def opensm_vls(log, engine):
    """How many VLs OpenSM's log says its engine needs; None where it does not say."""
    if engine in ONE_VL:
        return 1
    found = re.findall(r"(?:Virtual Lanes needed|Lanes needed): *(\d+)", log)
    return int(found[-1]) if found else None


def compare(spec, net, engine, work, runs):
    """One fabric, one engine, both sides."""
    folder = work / "opensm"
    seconds = []
    while len(seconds) < runs and sum(seconds) < PATIENCE_SECONDS:
        with interop.Ibsim(net) as sim:
            done = interop.opensm_once(sim, folder, "-R", engine, *OPENSM_OPTIONS.get(engine, []))
        elapsed, routed_by = interop.opensm_route_seconds(done.log)
        seconds.append(elapsed)
    theirs = row_of("opensm", statistics.median(seconds), routed_by, opensm_vls(done.log, routed_by), judged(folder))

    route = ["route", folder / "opensm-subnet.lst", "-R", engine]
    # A millisecond is soon disturbed: short runs are repeated.
    reports = [interop.weft_json(*route, check=False) for _ in range(runs)]
    while len(reports) < 5 * runs and reports[-1]["seconds"]["route"] < 0.1:
        reports.append(interop.weft_json(*route, check=False))
    ours = row_of("weft", statistics.median(report["seconds"]["route"] for report in reports), reports[0]["engine"],
                  reports[0]["vls_needed"], reports[0])
    return {"fabric": spec, "requested": engine, "opensm": theirs, "weft": ours,
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


def largest(engine):
    """The largest subnet that the unicast LIDs hold: time and memory beside a memset of the same tables."""
    report = interop.weft_json("route", LARGEST, "-R", engine, "--verify=off", timeout=1800)
    fabric = report["fabric"]
    endports = fabric["switches"] + fabric["cas"]
    size = fabric["switches"] * (endports // 64 + 1) * 64
    return {"fabric": LARGEST, "engine": engine, "seconds": report["seconds"]["route"], "table_bytes": size,
            "memset_seconds": memset_seconds(size), "peak_rss_bytes": report["peak_rss_bytes"]}


HEADER = ("fabric", "engine", "routed by", "seconds", "ratio", "max load", "ebb", "nonminimal", "VLs", "verdict")


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
                          verdict))
    return lines


def plain(lines):
    lines = [HEADER, *lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def markdown(lines):
    rule = "|" + "---|" * len(HEADER)
    return "\n".join(["| " + " | ".join(HEADER) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def other_figures(result):
    lines = [f"bring-up of {row['fabric']} on ibsim: opensm {row['opensm']:.2f} s, weft {row['weft']:.2f} s"
             for row in result["bring_up"]]
    for row in result["largest"]:
        lines.append(f"{row['fabric']}: {row['engine']} in {row['seconds']:.3f} s, memset of its "
                     f"{row['table_bytes'] / 1e6:.0f} MB of tables {row['memset_seconds']:.3f} s "
                     f"({row['seconds'] / row['memset_seconds']:.0f}x), peak memory {row['peak_rss_bytes'] / 1e9:.2f} GB")
    return lines


PAGE = """# Benchmarks

Weft beside Debian's OpenSM, made by `bench/compare.py --markdown docs/benchmarks.md` (`make bench` prints the same): commit
{commit}, {cores} cores of {machine}. Times are medians of {runs} runs and pure routing time on both sides: OpenSM's from its log
(`building routing with` to `tables configured on all switches`), Weft's `seconds.route` on the very subnet that OpenSM left. Both
sets of tables are judged and measured by `weft verify`. "routed by" is the engine that served in the end.

{table}

{others}
"""


def commit():
    return subprocess.run(["git", "-C", interop.ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--quick", action="store_true", help="one small fabric, to see that the harness works")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="only fabrics and engines of which 'FABRIC ENGINE' matches this regex")
    parser.add_argument("--markdown", help="write the page of docs/ here")
    parser.add_argument("--json", default="build/bench.json", help="where the figures go")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())

    def wanted(spec, engine):
        return re.search(options.only, f"{spec} {engine}") is not None

    result = {"commit": commit(), "machine": platform.processor() or platform.machine(), "cores": os.cpu_count(),
              "runs": options.runs, "rows": [], "bring_up": [], "largest": []}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        for spec, engines in QUICK if options.quick else FULL + REAL:
            engines = [engine for engine in engines if wanted(spec, engine)]
            if not engines or (isinstance(spec, pathlib.Path) and not spec.exists()):
                continue
            net = scratch / "fabric.net"
            interop.weft("convert", spec, net, "--to", "ibsim")
            for engine in engines:
                name = spec.parent.name if isinstance(spec, pathlib.Path) else spec
                row = compare(name, net, engine, scratch / engine, options.runs)
                result["rows"].append(row)
                print(plain(table([row])), flush=True)
            if (spec in BRING_UP or options.quick) and wanted(spec, "bring-up"):
                result["bring_up"].append(bring_up(spec, net, scratch, options.runs))
    if not options.quick:
        result["largest"] = [largest(engine) for engine in LARGEST_ENGINES if wanted(LARGEST, engine)]
    lines = table(result["rows"])
    print("\n" + plain(lines))
    print("\n".join(other_figures(result)))
    if options.markdown:
        pathlib.Path(options.markdown).write_text(PAGE.format(
            table=markdown(lines), others="\n".join(f"* {line}" for line in other_figures(result)),
            **{key: result[key] for key in ("commit", "cores", "machine", "runs")}))
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
