#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cuts a link between switches on emulated fabrics, and compares the repair by AR groups and FRN (pairs repaired, time, messages)
with the sweep of the subnet manager. Exit status 1 if the
manager does not bring up the subnet after a cut, or if a repair has a credit loop.

Usage: bench/notified_repair.py [--weft BINARY] [--trials 20] [--fabric SPEC --engine ENGINE] [--output FILE.jsonl]
"""
import statistics
import sys

import studies

FABRICS = [
    ("fattree3:k=8", "ar_updn"),
    ("fattree3:k=8", "ar_ftree"),
    ("fattree3:k=16", "ar_updn"),
    ("fattree3:k=16", "ar_ftree"),
    ("fattree2:k=36,trunks=2", "ar_ftree"),
    ("dragonflyplus:leaves=4,spines=4,h=2,hosts=4", "ar_dfp"),
    ("dragonflyplus:leaves=4,spines=4,h=2,hosts=4,g=5", "ar_dfp"),
    ("dragonfly:a=8,h=4,p=4", "ar_updn"),
    ("torus:6x6x6,hosts=4", "ar_updn"),
]


def spread(values):
    return f"{statistics.median(values):,.1f} ({max(values):,.1f})"


def main():
    parser = studies.parser()
    parser.add_argument("--trials", type=int, default=20)
    options = parser.parse_args()
    fabrics = [(options.fabric, options.engine)] if options.fabric else FABRICS
    print(f"{options.trials} links of each fabric, one at a time, at commit {studies.commit()}; median (largest)\n")
    print("| fabric | engine | pairs cut | noticed | waiting | repaired after us | messages | used | manager after us | SMPs | computing us | times |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    failed = []
    for fabric, engine in fabrics:
        result = studies.weft_json(options.weft, "simulate", fabric, "-R", engine, "--failures", "1", "--trials", str(options.trials),
                                   "--seed", "1", "--repair", "all")
        rows = result["rows"]
        for what, count in (("in which the subnet did not come up again", sum(not row["routed_anew"] for row in rows)), ("with a credit loop", sum(row["credit_loop"] for row in rows))):
            failed += [f"{fabric}, {engine}: {count} of {len(rows)} failures {what}, expected 0"] if count else []
        studies.keep(options.output, {"fabric": fabric, "engine": engine, **result})
        notified = [row for row in rows if row["repaired_after_us"] > 0]
        ratio = f"{statistics.median(row['manager']['after_us'] / row['repaired_after_us'] for row in notified):,.0f}" if notified else "-"
        print(f"| {fabric} | {engine} | " + " | ".join(spread(values) for values in (
            [row["pairs_cut"] for row in rows], [row["pairs_noticed"] for row in rows], [row["pairs_waiting"] for row in rows],
            [row["repaired_after_us"] for row in rows], [row["notifications"]["sent"] for row in rows],
            [row["notifications"]["consumed"] + row["notifications"]["passed_on"] for row in rows],
            [row["manager"]["after_us"] for row in rows], [row["manager"]["smps"] for row in rows],
            [1e6 * row["manager"]["seconds"] for row in rows])) + f" | {ratio} |", flush=True)
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
