#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares Weft with Debian's OpenSM on the same fabrics, in one run (part of `make bench`).

For each fabric and engine, OpenSM brings up a net on ibsim, and Weft routes the subnet that OpenSM programmed (with the same LIDs, from
opensm-subnet.lst). The two managers are measured alternately and equally often. A row has the median of each with an interval (samples.py),
and the ratio of the medians. `weft verify` verifies and measures the tables of OpenSM, `weft route` those of Weft.

Exit status 1 if a row fails or misses a requirement of demands.py. All these rows are named at the end.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import demands
import fabrics
import samples
import studies
from fabrics import interop

BRING_UP = ["fattree3:k=16"]
# Engines that take minutes are measured less often: no round begins once the samples of OpenSM have taken this time in total.
OPENSM_TOTAL_SECONDS_MAX = 60
# If even the worst pair of samples exceeds the requirement by this factor, more samples are not needed.
CLEAR_MARGIN = 3
OPENSM_TIMEOUT_SECONDS = 3600
CLOCKS = {
    "opensm": "time of day in the log of OpenSM, resolution 1 us: from 'building routing with' to 'tables configured on all switches'",
    "weft": "monotonic clock in the process, resolution 1 ns: seconds.route, from the subnet read to the tables complete",
    "bring-up": "monotonic clock of the benchmark: from start to end of the process, of both; to SUBNET UP: time of day in their logs; "
                "by then OpenSM has written its dumps, Weft has not",
    "alone": "as weft",
}


def verified(folder):
    """Returns verdict and quality of the tables in a folder of dumps. A failed verdict (exit status 1) is no error."""
    return interop.weft_json("verify", folder / "opensm-subnet.lst", "--lfts", folder / "opensm.fdbs", check=False)


def timed(seconds):
    """The times of one manager in a row: the median, its interval, and all samples in the order of measurement."""
    return {"seconds": samples.summary(seconds).median, "interval": samples.as_json(samples.summary(seconds)), "samples": seconds}


def row_of(side, seconds, engine, vls, verdict):
    quality = verdict["quality"]
    return {"side": side, "engine": engine, **timed(seconds), "link_load_max": quality["link_load_max"],
            "ebb": quality["ebb"], "vls": vls, "nonminimal": quality["nonminimal"], "ok": verdict["verify"]["ok"],
            "credit_loops": verdict["verify"]["credit_loops"]}


# Engines with one VL. nue uses at most --nue_max_num_vls VLs, by default 1.
ONE_VL = {"minhop", "updn", "dnup", "ftree", "dor", "sssp", "nue", "file"}


def opensm_vls(log, engine):
    """The number of VLs that the engine needs by OpenSM's log; None if the log does not contain it."""
    if engine in ONE_VL:
        return 1
    found = re.findall(r"(?:Virtual Lanes needed|Lanes needed): *(\d+)", log)
    return int(found[-1]) if found else None


def opensm_samples(kept):
    """The times of OpenSM in a stored row. Older rows have one time, the minimum of several."""
    return kept.get("samples", [kept["seconds"]])


def opensm_sample(net, folder, engine, options):
    """Runs one bring-up by OpenSM with its dumps in the folder; returns (seconds, engine, log)."""
    with interop.Ibsim(net) as sim:
        done = interop.opensm_once(sim, folder, "-R", engine, *fabrics.OPENSM_OPTIONS.get(engine, []), *options,
                                   timeout=OPENSM_TIMEOUT_SECONDS)
    return *interop.opensm_route_seconds(done.log), done.log


def is_enough(opensm, weft, wanted, clear_after):
    """Whether the samples are sufficient: OpenSM's total time exceeds its limit, or there are `clear_after` pairs with a clear ratio."""
    clear = len(opensm) >= clear_after and min(opensm) > CLEAR_MARGIN * wanted * max(weft)
    return clear or sum(opensm) > OPENSM_TOTAL_SECONDS_MAX


def both_sides(opensm, weft, count, kept, enough):
    """Returns OpenSM's samples and equally many of Weft, in seconds, and whether they were measured alternately. `kept`: OpenSM's samples of
    an earlier run, or None. `enough(opensm, weft)`: whether these samples are sufficient."""
    if kept:
        return kept, [weft() for _ in kept], False
    taken = samples.interleaved({"opensm": opensm, "weft": weft}, count, lambda so_far: enough(so_far["opensm"], so_far["weft"]))
    return taken["opensm"], taken["weft"], True


def compare(spec, net, engine, work, runs, clear_after, again=False):
    """Measures both managers on one fabric with one engine."""
    folder = work / "opensm"
    kept_row = folder / "row.json"
    options = fabrics.engine_options(spec, engine, work)
    kept = None if again or not kept_row.exists() else json.loads(kept_row.read_text())
    if not kept:
        first, routed_by, log = opensm_sample(net, folder, engine, options)
        taken = [first]  # the first sample; its subnet is the one that Weft routes
        kept_by = row_of("opensm", [0], routed_by, opensm_vls(log, routed_by), verified(folder))
    reports = []

    def measure_weft():
        reports.append(interop.weft_json("route", folder / "opensm-subnet.lst", "-R", engine, *options, check=False))
        return reports[-1]["seconds"]["route"]

    def measure_opensm():
        return taken.pop() if taken else opensm_sample(net, work / "opensm-again", engine, options)[0]

    def enough(opensm, weft):
        wanted = demands.ratio_wanted(engine, reports[0]["fabric"]["switches"], samples.summary(opensm).median)
        return is_enough(opensm, weft, wanted, clear_after)

    times = both_sides(measure_opensm, measure_weft, runs, kept and opensm_samples(kept), enough)
    opensm_row = {**(kept or kept_by), **timed(times[0])}
    if not kept:
        opensm_row |= studies.stamp()
        kept_row.write_text(json.dumps(opensm_row))
    return {"fabric": spec, "requested": engine, "switches": reports[0]["fabric"]["switches"], "opensm": opensm_row,
            "weft": row_of("weft", times[1], reports[0]["engine"], reports[0]["vls_needed"], reports[0]), "interleaved": times[2],
            **ratio_of(*times[:2])}


def ratio_of(opensm, weft):
    """The ratio of the medians, OpenSM's to Weft's, with its interval."""
    interval = samples.ratio(samples.summary(opensm), samples.summary([max(each, 1e-9) for each in weft]))
    return {"time_ratio": interval.median, "ratio_interval": samples.as_json(interval)}


def bring_up(spec, net, work, runs):
    """Measures cold bring-ups of both managers on ibsim, alternately: of the whole process with its dumps, and to SUBNET UP."""
    up = {"opensm": [], "weft": []}

    def side(name, once):
        def sample():
            with interop.Ibsim(net) as sim, tempfile.TemporaryDirectory(dir=work, prefix=name) as folder:
                run = once(sim, folder)
                up[name].append(run.seconds_to_subnet_up)
                return run.seconds
        return sample

    taken = samples.interleaved({"opensm": side("opensm", interop.opensm_once), "weft": side("weft", interop.weft_once)}, runs)
    return {"fabric": spec, **times_of_both(taken), "to_subnet_up": times_of_both(up)}


def times_of_both(taken):
    """The times of both managers and the ratio of the times."""
    return {**{name: timed(values) for name, values in taken.items()}, **ratio_of(taken["opensm"], taken["weft"])}


def memset_seconds(size):
    """Returns the time in seconds to fill a block of resident memory."""
    block = (ctypes.c_char * size)()
    ctypes.memset(block, 0, size)
    started = time.perf_counter()
    ctypes.memset(block, 0xFF, size)
    return time.perf_counter() - started


def alone(spec, engine, options, runs):
    """Time and memory of Weft, measured alternately with a memset of the size of the tables."""
    reports = []

    def route():
        reports.append(interop.weft_json("route", spec, "-R", f"{engine},no_fallback", *options, check=False, timeout=1800))
        return reports[-1]["seconds"]["route"]

    fabric = interop.weft_json("route", spec, "-R", "minhop", "--verify=off", timeout=1800)["fabric"]
    size = fabric["switches"] * ((fabric["switches"] + fabric["cas"]) // 64 + 1) * 64
    taken = samples.interleaved({"route": route, "memset": lambda: memset_seconds(size)}, runs)
    report = reports[0]
    if not report["engine"]:
        raise AssertionError(f"{engine}: {report['error']}")
    interop.check(report["verify"] is None or report["verify"]["ok"], f"{spec}: the routes of {engine} fail the verification")
    return {"fabric": spec, "engine": engine, "hosts": fabric["cas"], "switches": fabric["switches"], **timed(taken["route"]),
            "table_bytes": size, "memset": timed(taken["memset"]), "peak_rss_bytes": max(each["peak_rss_bytes"] for each in reports),
            "vls": report["vls_needed"], "link_load_max": report["quality"]["link_load_max"],
            "ebb": report["quality"]["ebb"], "ok": report["verify"]["ok"] if report["verify"] else None}


HEADER = ("fabric", "engine", "routed by", "seconds", "ratio", "max load", "ebb", "nonminimal", "VLs", "verdict", "meets")


def table(rows):
    """The lines of the comparison, two per row."""
    lines = []
    for row in rows:
        for side in ("opensm", "weft"):
            cell = row[side]
            ratio = f"{samples.from_json(row['ratio_interval'])}" if side == "weft" else ""
            # OpenSM's dumps contain no path SLs: if OpenSM uses several VLs, deadlock freedom is not verified.
            verdict = ("connected" if side == "opensm" and cell["vls"] != 1 else "ok" if cell["ok"] else
                       "credit loop" if cell["credit_loops"] else "not connected")
            lines.append((row["fabric"], f"{side} {row['requested']}", cell["engine"], str(samples.from_json(cell["interval"])), ratio,
                          str(cell["link_load_max"]), f"{cell['ebb']:.3f}", str(cell["nonminimal"]), str(cell["vls"] or "?"),
                          verdict, "" if side == "opensm" else "no" if row.get("misses") else "yes"))
    return lines


ALONE_HEADER = ("fabric", "hosts", "switches", "engine", "seconds", "of memset", "peak MB", "max load", "ebb", "VLs", "verdict")


def alone_table(rows):
    lines = []
    for row in rows:
        begin = (row["fabric"], str(row["hosts"]), str(row["switches"]), row["engine"])
        verdict = "not verified" if row["ok"] is None else "ok" if row["ok"] else "failed"
        lines.append((*begin, str(samples.from_json(row["interval"])), f"{row['seconds'] / row['memset']['seconds']:.0f}x",
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
    return [f"bring-up of {row['fabric']} on ibsim, {part}, s: opensm {samples.from_json(times['opensm']['interval'])}, "
            f"weft {samples.from_json(times['weft']['interval'])}, ratio {samples.from_json(times['ratio_interval'])}"
            for row in result["bring_up"] for part, times in (("whole process", row), ("to SUBNET UP", row["to_subnet_up"]))]


def missed(result):
    """A line for each requirement that a row violates."""
    return [f"{row['fabric']} {row['requested']}: {miss}" for row in result["rows"] for miss in row["misses"]]


def conclusion(result):
    """(status, lines): the rows that failed, the real fabrics that are not on this machine, and the requirements that are not met."""
    failed = [f"{row['row']}: {row['error']}" for row in result["failed"]]
    absent = [f"{name}: not on this machine" for name in result["absent"]]
    misses = missed(result)
    lines = [f"{len(failed)} rows failed", *failed, f"{len(absent)} fabrics not measured", *absent,
             f"{len(misses)} requirements not met", *misses]
    return (1 if failed or misses else 0), [line if re.match(r"\d+ (rows|fabrics|requirements) ", line) else f"  {line}" for line in lines]


def attempt(result, name, measure):
    """Returns the row that measure() returns. If measure() fails, for example because ibsim cannot load the net, adds `name` to the failed
    rows and returns None."""
    try:
        return measure()
    except (AssertionError, subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
        text = f"{type(error).__name__}: {error}"
        print(f"{name}: {text}", flush=True)
        result["failed"].append({"row": name, "error": text.splitlines()[0][:300]})
        return None


def markdown_of(result):
    """The tables of docs/reference/benchmarks.md."""
    return "\n".join([
        f"{studies.machine_line(result)}; {result['runs']} samples of each side, in turn; medians with {samples.CONFIDENCE:.0%} intervals", "",
        *(f"* {side}: {clock}" for side, clock in result["clocks"].items()), "",
        markdown(HEADER, table(result["rows"])), "", *(f"* {line}" for line in bring_up_lines(result)), "",
        markdown(ALONE_HEADER, alone_table(result["alone"])), "", *(f"* {line.strip()}" for line in conclusion(result)[1]), ""])


def wanted_rows(options):
    """(name, spec, engines) of each fabric with rows, or a bring-up, that `--only` selects."""
    for spec, engines in fabrics.QUICK if options.quick else fabrics.GENERATED + fabrics.REAL:
        name = spec.parent.name if isinstance(spec, pathlib.Path) else spec
        engines = [engine for engine in engines if is_wanted(options, name, engine)]
        if engines or includes_bring_up(options, name, spec):
            yield name, spec, engines


def includes_bring_up(options, name, spec):
    return (spec in BRING_UP or options.quick) and is_wanted(options, name, "bring-up")


def is_wanted(options, name, engine):
    return re.search(options.only, f"{name} {engine}") is not None


def compare_all(result, options, scratch):
    work = pathlib.Path(options.kept or scratch).resolve()
    for name, spec, engines in wanted_rows(options):
        if isinstance(spec, pathlib.Path) and not spec.exists():
            result["absent"].append(name)
            continue
        net = scratch / "fabric.net"
        interop.weft("convert", spec, net, "--to", "ibsim")
        for engine in engines:
            row = attempt(result, f"{name} {engine}", lambda: compare(  # noqa: B023
                name, net, engine, work / name.replace(":", "-") / engine, options.runs, options.clear_after, options.again))
            if row:
                result["rows"].append(row)
                row["misses"] = demands.misses(row, result["rows"], options.quick)
                print(plain(HEADER, table([row])), *row["misses"], sep="\n", flush=True)
        if includes_bring_up(options, name, spec):
            row = attempt(result, f"{name} bring-up", lambda: bring_up(spec, net, scratch, options.runs))  # noqa: B023
            result["bring_up"] += [row] if row else []


def route_alone(result, options):
    for spec, engines, extra in [] if options.quick else fabrics.ALONE:
        for engine in engines:
            if not is_wanted(options, spec, f"{engine} alone"):
                continue
            row = attempt(result, f"{spec} {engine} alone", lambda: alone(spec, engine, extra, options.runs))  # noqa: B023
            if row:
                result["alone"].append(row)
                print(plain(ALONE_HEADER, alone_table([row])), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--quick", action="store_true", help="one small fabric without requirements on time, to test the harness")
    parser.add_argument("--runs", type=int, default=7, help="samples of each side (default 7, of which the range is a 98%% interval); fewer "
                        f"if OpenSM takes more than {OPENSM_TOTAL_SECONDS_MAX} s in all")
    parser.add_argument("--clear-after", type=int, default=7, metavar="N", help="after N samples of each side (7), end a row of which the worst "
                        f"pair of samples is {CLEAR_MARGIN} times above the required ratio")
    parser.add_argument("--only", default="", help="only rows where 'FABRIC ENGINE' matches this regular expression; rows of Weft alone are "
                        "'FABRIC ENGINE alone'")
    parser.add_argument("--kept", help="folder of OpenSM's rows and dumps: existing rows are reused (some engines of OpenSM take "
                        "an hour), so their times are of an earlier run; Weft is measured as often")
    parser.add_argument("--again", action="store_true", help="with --kept: measure OpenSM again")
    parser.add_argument("--markdown", help="write the tables to this file, for docs/reference/benchmarks.md")
    parser.add_argument("--json", default="build/bench/compare.json", help="write the figures to this file")
    return parser.parse_args()


def main():
    options = arguments()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())
    result = {**studies.stamp(), "clocks": CLOCKS, "runs": options.runs, "rows": [], "bring_up": [], "alone": [], "failed": [], "absent": []}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        compare_all(result, options, pathlib.Path(scratch))
    route_alone(result, options)
    for row in result["rows"]:
        row["misses"] = demands.misses(row, result["rows"], options.quick)
    status, lines = conclusion(result)
    print("\n" + studies.machine_line(result))
    print(*(f"clock of {side}: {clock}" for side, clock in CLOCKS.items()), sep="\n")
    print(plain(HEADER, table(result["rows"])), *bring_up_lines(result), plain(ALONE_HEADER, alone_table(result["alone"])), *lines, sep="\n")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown_of(result))
    studies.write(options.json, result, {})
    return status


if __name__ == "__main__":
    sys.exit(main())
