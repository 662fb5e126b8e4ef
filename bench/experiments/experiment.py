# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Code that the experiments share: their arguments, and a Markdown table that is printed row by row."""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import studies  # noqa: E402


def parser(only="only fabrics with this text in their names"):
    """The arguments of all experiments; `only`: help text of --only."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--weft", default=str(studies.ROOT / "build/release/bin/weft"))
    arguments.add_argument("--only", help=only)
    arguments.add_argument("--output", help="append each row to this file, as a line of JSON")
    arguments.add_argument("--quick", action="store_true", help="small fabrics, to test the experiment")
    arguments.add_argument("--table", help="print the table of the rows in this file")
    return arguments


def run(options, rows, head, line, faults):
    """Prints the machine, the head, and line(row) for each row of rows(options). With --table prints the head, and line(row) for each stored row.
    Exits with status 1 if a row has faults(row).
    """
    if options.table:
        kept = map(json.loads, pathlib.Path(options.table).read_text().splitlines())
    else:
        os.environ["WEFT"] = options.weft  # the program of the functions of tests/interop
        print(studies.machine_line(studies.stamp()) + "\n")
        kept = rows(options)
    print(head)
    bad = []
    for row in kept:
        print(line(row), flush=True)
        bad += [f"{row['fabric']}, {row['engine']}: {fault}" for fault in faults(row)]
        if not options.table:
            studies.keep(options.output, row)
    if bad:
        sys.exit("\n".join(bad))
