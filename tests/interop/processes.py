# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Helpers for processes of a test: run programs to their end, wait for conditions, skip a test. Standard library only."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import time

# Seconds until a wait fails. It does not limit times under test, because the machine may be busy with other tests.
PATIENCE = 240
ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # exit status of a skipped test
TOPOLOGIES = ROOT.parent / "shared" / "topologies"


def weft_binary():
    """The program under test: the environment variable WEFT, or the release build."""
    return str(pathlib.Path(os.environ.get("WEFT", ROOT / "build/release/bin/weft")).resolve())


def tool(name):
    """The path of a test tool in the folder of the binary, such as portinfo_of or pkeys_of."""
    return str(pathlib.Path(weft_binary()).parent / name)


def portinfo_of():
    """The test tool that prints PortInfo of many ports."""
    return tool("portinfo_of")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait_for(what, found, timeout=PATIENCE, pause=0.1):
    """Waits until found() returns a true value; returns this value. Fails after `timeout` seconds with the text `what`, which may be a function."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(pause)
    raise AssertionError(f"{what() if callable(what) else what}: not within {timeout} s")


def stays(what, is_so, seconds, pause=0.1):
    """Checks during `seconds` that is_so() remains true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        check(is_so(), what() if callable(what) else what)
        time.sleep(pause)


def cpu_seconds(pid):
    """Processor time of a process and its threads, in seconds."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    """{pid: name} of the child processes of a process that have not ended."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, rest = stat.read_text().split("(", 1)[1].rsplit(")", 1)
            state, parent = rest.split()[:2]
            if int(parent) == pid and state not in "ZX":
                found[int(stat.parent.name)] = name
    return found


def skip(reason):
    """Ends a test that lacks a program or a permission; ctest reports it as skipped."""
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def needs(*programs):
    """Skips the test if a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed (scripts/install-deps)")


def free_port():
    """A TCP port of this machine without a listener, outside of the range of ports that the kernel assigns."""
    numbers = random.SystemRandom()
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", numbers.randrange(12000, 32000)))
            return probe.getsockname()[1]


def run(command, check=True, timeout=600, env=None, **options):
    """Runs a command to its end; returns the CompletedProcess. With `check`, fails if the exit status is not 0, and reports command and output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout,
                          env=env, errors="replace", **options)
    if check:
        must_be_good(done)
    return done


def must_be_good(done):
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def rss_bytes(pid):
    """Resident memory of a process, in bytes."""
    return int(re.search(r"^VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) * 1024


def weft(*words, check=True, timeout=600):
    return run([weft_binary(), *words], check=check, timeout=timeout)


def weft_json(*words, check=True, timeout=600):
    return json.loads(weft(*words, "--json", check=check, timeout=timeout).stdout)
