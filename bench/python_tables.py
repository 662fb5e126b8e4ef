#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Generates a fat tree of 43,008 hosts in Python, routes it by the default engine, verifies it and gets its tables as a NumPy array. The
shortest of three times must be at most 2 seconds.

Usage: bench/python_tables.py [--weft BINARY] [--python PYTHON] [--json FILE]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import studies

SECONDS_MOST = 2
MEASURED = """
import time
import weft
seconds = []
for _ in range(3):
    start = time.monotonic()
    routes = weft.generate("fattree3:k=64,pods=42").route()
    tables = routes.lfts
    seconds.append(time.monotonic() - start)
    assert tables.shape == (3712, 46721)
    engine = routes.engine
    del tables, routes
print(engine, *seconds)
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(studies.ROOT / "build/release/bin/weft"))
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter with NumPy, for which the package was built")
    parser.add_argument("--json")
    options = parser.parse_args()
    package = pathlib.Path(options.weft).resolve().parents[1] / "python"
    done = subprocess.run([options.python, "-B", "-c", MEASURED], env={**os.environ, "PYTHONPATH": str(package)}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    engine, *seconds = done.stdout.split()
    least = min(map(float, seconds))
    print(f"{least:.2f} s to the tables of fattree3:k=64,pods=42, routed by auto with {engine}; expected at most {SECONDS_MOST} s")
    studies.write(options.json, studies.stamp(), {"engine": engine, "seconds": [float(one) for one in seconds]})
    return 0 if least <= SECONDS_MOST else 1


if __name__ == "__main__":
    sys.exit(main())
