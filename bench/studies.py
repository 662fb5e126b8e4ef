# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Code that benchmarks share: commit, machine and date of a run, and its JSON file; for the studies of adaptive routing also arguments, JSON
output of weft, and a file of results."""
import argparse
import datetime
import json
import os
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
    """Runs weft with --json. Exit status 1 means a failed verdict, which the JSON contains too."""
    done = subprocess.run([weft, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def commit():
    """The commit of the sources, with "-changed" if files differ from it."""
    done = subprocess.run(["git", "describe", "--always", "--match=", "--dirty=-changed"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def machine():
    """The properties of the machine that affect times. The load is the load at the start of the run."""
    model = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {"processor": model[0] if model else platform.processor(), "architecture": platform.machine(), "cores": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "system": f"{platform.system()} {platform.release()}",
            "load": round(os.getloadavg()[0], 1)}


def stamp():
    """The first members of every JSON file: commit, machine and date."""
    return {"commit": commit(), "machine": machine(), "date": datetime.date.today().isoformat()}


def machine_line(stamped):
    at = stamped["machine"]
    return (f"commit {stamped['commit']}, {stamped['date']}, {at['cores']} cores of {at['processor']} ({at['architecture']}), "
            f"load {at['load']} at the start")


def write(path, stamped, figures):
    """Writes the figures of a run, with the stamp of its start, to the file if one is given."""
    if path:
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**stamped, **figures}, indent=1) + "\n")
        print(f"written to {path}")


def keep(output, figures):
    """Appends the figures as a line of JSON, with a stamp, to the file if one is given."""
    if output:
        with open(output, "a", encoding="utf-8") as file:
            file.write(json.dumps({**stamp(), **figures}) + "\n")
