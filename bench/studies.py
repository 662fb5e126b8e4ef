"""What benchmarks share: the commit; and the studies of adaptive routing their arguments, a figure out of weft, a line in a file of figures."""
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
    """Exit status 1 says that something is wrong with the routes, which the JSON tells too."""
    done = subprocess.run([weft, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def keep(output, figures):
    """Adds them to the file of lines, if there is to be one."""
    if output:
        with open(output, "a", encoding="utf-8") as file:
            file.write(json.dumps({**figures, "commit": commit(), "machine": platform.node()}) + "\n")
