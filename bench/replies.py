#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the cost of replies on the SL of the request.

For each fabric and engine of the benchmark it computes the VLs that the routes need and their effective bisection bandwidth, with requests alone
(--replies=ignore) and with replies, and whether all traffic may use one SL. The figures do not depend on the machine.
Exit status 1 if routes of a deadlock-free engine pass the verification with requests alone, but not with replies.

Usage: replies.py [--weft BINARY] [--quick] [--json FILE] [--markdown] [FABRIC ..]
"""
import argparse
import os
import pathlib
import sys
import tempfile

import auto
import fabrics
import studies
from fabrics import interop

DEADLOCK_FREE = {"updn", "dnup", "ftree", "dfsssp", "lash", "nue", "torus-2QoS", "dor"}  # other engines may have credit loops without replies too


def figures(spec, engine, options, replies):
    report = interop.weft_json("route", spec, "-R", f"{engine},no_fallback", f"--replies={replies}", *options, check=False, timeout=3600)
    if not report["engine"]:
        return None
    verify = report["verify"]
    return {"pass": verify["pass"], "vls": report["vls_needed"], "ebb": report["quality"]["ebb"], "seconds": report["seconds"]["route"],
            "single_sls": verify["single_sls"], "why": verify["why"]}


def rows(selection, folder):
    for spec, engines in selection:
        for engine in engines:
            options = fabrics.engine_options(spec, engine, folder)
            yield {"fabric": auto.name_of(spec), "engine": engine,
                   "requests": figures(spec, engine, options, "ignore"), "replies": figures(spec, engine, options, "count")}


def text(part):
    if part is None:
        return "refused | "
    return f"{part['vls']}{'' if part['pass'] else ' (fails)'} | {part['ebb']:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=os.environ.get("WEFT", "build/release/bin/weft"))
    parser.add_argument("--quick", action="store_true", help="one small fabric")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--markdown", action="store_true", help="print a table for docs/explanation/replies.md")
    parser.add_argument("fabrics", nargs="*", help="only these fabrics")
    arguments = parser.parse_args()
    stamped = studies.stamp()
    os.environ["WEFT"] = arguments.weft
    selection = [("torus:4x4,hosts=2", ["dfsssp", "nue", "lash"])] if arguments.quick else \
        [row for row in fabrics.GENERATED + fabrics.REAL if not arguments.fabrics or str(row[0]) in arguments.fabrics]
    found, worse = [], []
    if arguments.markdown:
        print("| fabric | engine | VLs, requests | bisection | VLs, with replies | bisection | any one SL |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(selection, pathlib.Path(folder)):
            found.append(row)
            before, after = row["requests"], row["replies"]
            if row["engine"] in DEADLOCK_FREE and before and before["pass"] and not (after and after["pass"]):
                worse.append(f"{row['fabric']}, {row['engine']}: with replies {after['why'] if after else 'no routes'}, expected PASS as with requests alone")
            single = after and ("yes" if len(after["single_sls"]) == 16 else "no" if not after["single_sls"] else "some")
            line = f"| {row['fabric']} | {row['engine']} | {text(before)} | {text(after)} | {single or ''} |"
            print(line if arguments.markdown else line.strip("| "), flush=True)
    for engine in ("dfsssp", "nue"):
        both = [row for row in found if row["engine"] == engine and row["requests"] and row["replies"]]
        if both:
            more = sum(row["replies"]["vls"] - row["requests"]["vls"] for row in both) / len(both)
            part = sum(row["replies"]["ebb"] / row["requests"]["ebb"] for row in both) / len(both)
            print(f"\n{engine}: {more:+.2f} VLs and {part:.3f} of the bisection on average over {len(both)} fabrics")
    studies.write(arguments.json, stamped, {"rows": found})
    sys.exit("\n".join(worse) if worse else 0)


if __name__ == "__main__":
    main()
