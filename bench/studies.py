# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared parts of the benchmarks: the commit; for the studies of adaptive routing also arguments, JSON output of weft, and a file of results."""
import argparse
import json
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def parser():
    made = argparse.ArgumentParser()
    made.add_argument("--weft", default=str(ROOT / "build/release/bin/weft"))
    made.add_argument("--fabric")
    made.add_argument("--engine", default="ar_updn")
    made.add_argument("--output")
    return made


def weft_json(weft, *arguments):
    """Exit status 1 means a failed verdict, which is also in the JSON."""
    done = subprocess.run([weft, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def keep(output, figures):
    """Appends a line to the file, if one is given."""
    if output:
        with open(output, "a", encoding="utf-8") as file:
            file.write(json.dumps({**figures, "commit": commit(), "machine": platform.node()}) + "\n")
