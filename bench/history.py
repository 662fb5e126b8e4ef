# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the JSON files of benchmark runs, and finds the figures that differ between two runs: times by more than noise, figures that do not depend
on the machine by any amount."""
import json
import pathlib

import samples
import studies

# Members of a row of compare.py that do not depend on the machine, and whether a higher value is better.
EXACT = {"ebb": True, "vls": False, "link_load_max": False, "nonminimal": False, "ok": True}
# Members of a row of repair.py that do not depend on the machine.
EXACT_OF_REPAIR = {"smps": False, "blocks": False, "us_at_1": False, "us_at_10": False}


def figures_of(content):
    """(ratios, exact values) of one file: {name: Interval}, for which a lower value is better, and {name: (value, whether higher is better)}."""
    ratios, exact = {}, {}
    for row in content.get("figures", []):
        ratios[f"{row['name']} / T"] = samples.from_json(row["of_t"])
    for row in content.get("rows", []):
        if "ratio_interval" in row:
            name = f"{row['fabric']} {row['requested']}"
            ratios[f"{name}: weft / opensm"] = inverse(samples.from_json(row["ratio_interval"]))
            exact |= {f"{name}: {member}": (row["weft"][member], more) for member, more in EXACT.items()}
        elif "of_t" in row:
            ratios[f"{row['name']} / T"] = samples.from_json(row["of_t"])
            exact |= {f"{row['name']}: {member}": (row[member], more) for member, more in EXACT_OF_REPAIR.items() if member in row}
        elif "ratio_to_opensm" in row:
            ratios[f"{row['name']}: weft / opensm"] = inverse(samples.from_json(row["ratio_to_opensm"]))
    for row in content.get("bring_up", []):
        ratios[f"{row['fabric']} bring-up: weft / opensm"] = inverse(samples.from_json(row["ratio_interval"]))
    return ratios, exact


def inverse(interval):
    return samples.Interval(1 / interval.median, 1 / interval.high, 1 / interval.low, interval.coverage, interval.samples)


def read(path):
    """Returns the figures of a JSON file, or of all JSON files of a folder. Raises ValueError if there are no figures."""
    path = pathlib.Path(path)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    ratios, exact, stamps = {}, {}, []
    for file in files:
        try:
            content = json.loads(file.read_text())
        except json.JSONDecodeError as error:
            raise ValueError(f"{file}: {error}") from None
        found = figures_of(content) if isinstance(content, dict) else ({}, {})
        if any(found):
            stamps.append(f"{file.name}: {studies.machine_line(content)}")
            ratios |= found[0]
            exact |= found[1]
    if not stamps:
        raise ValueError(f"{path}: no figures, expected JSON files of bench/compare.py, bench/figures.py or bench/repair.py")
    return {"ratios": ratios, "exact": exact, "stamps": stamps}


def compare(old, new):
    """Returns (status, lines): the lines of the report, and status 1 if a figure of `new` is worse than in `old` or missing."""
    worse, better, changed = [], [], []
    for name, before in old["ratios"].items():
        after = new["ratios"].get(name)
        if after and samples.has_moved(before, after):
            (worse if after.median > before.median else better).append(
                f"{name}: {before} -> {after}, {samples.number(max(after.median / before.median, before.median / after.median))} times")
    for name, (before, more_is_better) in old["exact"].items():
        after = new["exact"].get(name, (before,))[0]
        if after == before:
            continue
        if before is None or after is None:
            changed.append(f"{name}: {before} -> {after}")
        else:
            (better if (after > before) == more_is_better else worse).append(f"{name}: {before} -> {after}")
    missing = sorted({**old["ratios"], **old["exact"]}.keys() - {**new["ratios"], **new["exact"]}.keys())
    fresh = sorted({**new["ratios"], **new["exact"]}.keys() - {**old["ratios"], **old["exact"]}.keys())
    lines = [*(f"old  {line}" for line in old["stamps"]), *(f"new  {line}" for line in new["stamps"])]
    for title, found in (("worse", worse), ("better", better), ("changed", changed), ("missing", missing), ("new", fresh)):
        if found:
            lines += [f"{len(found)} {title}", *(f"  {line}" for line in found)]
    compared = len(old["ratios"].keys() & new["ratios"].keys()) + len(old["exact"].keys() & new["exact"].keys())
    return (1 if worse or missing else 0), [*lines, f"{compared} figures compared"]
