#!/usr/bin/env python3
"""Weft beside Debian's OpenSM on the same fabrics, in one run: `make bench`.

For each fabric and engine, both subnet managers bring up the same net on ibsim. OpenSM's pure routing time is read from
its log (-D 0x47: from "building routing with" to "tables configured on all switches"); Weft routes the very subnet that
OpenSM left (its opensm-subnet.lst, so the same LIDs) and reports seconds.route, the same span. Both sets of tables are
judged and measured by `weft verify`. Figures are medians; the ratio of times is what counts, not the times.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "interop"))
import weft_interop as interop  # noqa: E402

QUICK = [("fattree2:k=16", ["minhop", "updn"])]
FULL = [
    ("fattree2:k=36", ["minhop", "updn"]),
    ("fattree3:k=16", ["minhop", "updn"]),
    ("fattree3:k=24", ["minhop", "updn"]),
    ("random:n=256,degree=10,hosts=4,seed=1", ["minhop"]),
]
BRING_UP = ["fattree3:k=16"]
LARGEST = "fattree3:k=64,pods=42"


def median_of(runs, measure):
    return statistics.median(measure() for _ in range(runs))


def judged(folder):
    """The verifier's and the simulator's word on a folder of dumps. Exit status 1 only says that the verdict is bad."""
    return interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", check=False)


def row_of(side, seconds, engine, verdict):
    quality = verdict["quality"]
    return {"side": side, "engine": engine, "seconds": seconds, "link_load_max": quality["link_load_max"],
            "ebb": quality["ebb"], "nonminimal": quality["nonminimal"], "ok": verdict["verify"]["ok"],
            "credit_loops": verdict["verify"]["credit_loops"]}


def compare(spec, net, engine, work, runs):
    """One fabric, one engine, both sides."""
    folder = work / "opensm"
    seconds = []
    for _ in range(runs):
        with interop.Ibsim(net) as sim:
            done = interop.opensm_once(sim, folder, "-R", engine)
        elapsed, routed_by = interop.opensm_route_seconds(done.log)
        seconds.append(elapsed)
    theirs = row_of("opensm", statistics.median(seconds), routed_by, judged(folder))

    ours_folder = work / "weft"
    route = ["route", folder / "opensm-subnet.lst", "-R", engine]
    reports = [interop.weft_json(*route, check=False) for _ in range(runs + 2)]
    interop.weft(*route, "-o", ours_folder, check=False)
    ours = row_of("weft", statistics.median(report["seconds"]["route"] for report in reports), reports[0]["engine"],
                  judged(ours_folder))
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


def largest():
    """The largest subnet that the unicast LIDs hold: time and memory beside a memset of the same tables."""
    report = interop.weft_json("route", LARGEST, "-R", "updn", "--verify=off", timeout=1800)
    fabric = report["fabric"]
    endports = fabric["switches"] + fabric["cas"]
    size = fabric["switches"] * (endports // 64 + 1) * 64
    block = bytearray(size)
    started = time.perf_counter()
    block[:] = b"\xff" * 1 * size
    filled = time.perf_counter() - started
    return {"fabric": LARGEST, "seconds": report["seconds"]["route"], "table_bytes": size, "memset_seconds": filled,
            "peak_rss_bytes": report["peak_rss_bytes"]}


def print_table(rows):
    header = ("fabric", "engine", "by", "seconds", "ratio", "max load", "ebb", "nonmin", "verdict")
    lines = [header]
    for row in rows:
        for side in ("opensm", "weft"):
            cell = row[side]
            ratio = f"{row['time_ratio']:.1f}x" if side == "weft" else ""
            verdict = "ok" if cell["ok"] else ("credit loop" if cell["credit_loops"] else "not connected")
            lines.append((row["fabric"], f"{side} {row['requested']}", cell["engine"], f"{cell['seconds']:.5f}", ratio,
                          str(cell["link_load_max"]), f"{cell['ebb']:.3f}", str(cell["nonminimal"]), verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def commit():
    return subprocess.run(["git", "-C", interop.ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--quick", action="store_true", help="one small fabric, to see that the harness works")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", default="build/bench.json", help="where the figures go")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())

    result = {"commit": commit(), "machine": platform.processor() or platform.machine(), "cores": os.cpu_count(),
              "rows": [], "bring_up": [], "largest": None}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        for spec, engines in QUICK if options.quick else FULL:
            net = scratch / "fabric.net"
            interop.weft("generate", spec, "-o", net, "--to", "ibsim")
            for engine in engines:
                result["rows"].append(compare(spec, net, engine, scratch / engine, options.runs))
            if spec in BRING_UP or options.quick:
                result["bring_up"].append(bring_up(spec, net, scratch, options.runs))
    print_table(result["rows"])
    for row in result["bring_up"]:
        print(f"bring-up of {row['fabric']} on ibsim: opensm {row['opensm']:.2f} s, weft {row['weft']:.2f} s")
    if not options.quick:
        row = result["largest"] = largest()
        print(f"{row['fabric']}: updn in {row['seconds']:.3f} s, memset of its {row['table_bytes'] / 1e6:.0f} MB of tables "
              f"{row['memset_seconds']:.3f} s ({row['seconds'] / row['memset_seconds']:.0f}x), "
              f"peak memory {row['peak_rss_bytes'] / 1e9:.2f} GB")
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
