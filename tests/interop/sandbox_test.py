#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the sandbox of a running manager: every thread is restricted and has no capabilities (except possibly CAP_DAC_OVERRIDE), programs may
be started only if a plugin is configured, and an option disables the sandbox with a warning. Files that other users can write cause a log
line about forbidden programs. The other interop tests run with the sandbox, and therefore show that the tested features work in it.

Standard library only. Usage: sandbox_test.py
"""
import os
import pathlib
import re
import signal
import stat
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
DAC_OVERRIDE = 1 << 1


def threads(process):
    """{field: value} of the status of each thread."""
    for status in pathlib.Path(f"/proc/{process.pid}/task").glob("*/status"):
        yield dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)


def check_restricted(folder):
    token = folder / "token"
    token.write_text("a-token-of-the-test-4711\n")
    token.chmod(0o600)
    with Manager(folder, "--http_token_file", token, "--perfmgr", emulate=SPEC, http=True, console="unix") as manager:
        if "has a sanitizer" in manager.log():
            print("a build with a sanitizer: system calls are not restricted")
        else:
            wait_for("the log line about restricted system calls", lambda: "sandbox: system calls restricted, programs forbidden" in manager.log())
            statuses = list(threads(manager.process))
            check(len(statuses) > 1 and all(s["Seccomp"] == "2" and s["NoNewPrivs"] == "1" for s in statuses), f"threads without restriction: {statuses}")
        for status in threads(manager.process):
            for kind in ("CapPrm", "CapEff", "CapInh", "CapAmb") + (("CapBnd",) if os.geteuid() == 0 else ()):
                check(int(status[kind], 16) & ~DAC_OVERRIDE == 0, f"{kind} of {status['Name']}: {status[kind]}")
        ups = manager.ups()
        manager.session().command("resweep heavy")
        wait_for("a sweep in the sandbox", lambda: manager.ups() > ups)
        check(manager.http.get("/metrics")[0] == 200, "no metrics from a manager in the sandbox")
    with Manager(folder, "--no_sandbox", emulate=SPEC) as manager:
        check("SANDBOX OFF" in manager.log(), "the log has no warning SANDBOX OFF")
        check(all(s["Seccomp"] == "0" for s in threads(manager.process)), "threads are restricted in spite of --no_sandbox")


def check_refused_files(folder):
    config, partitions = folder / "opensm.conf", folder / "partitions.conf"
    partitions.write_text("Default=0x7fff: ALL=full;\n")
    config.write_text(f"partition_config_file {partitions}\n")
    arguments = ("sm", "--emulate", SPEC, "--once", "-F", config, "-f", folder / "once.log")
    check(interop.weft(*arguments, check=False).returncode == 0, "files that only the owner can write are refused")
    for path in (config, partitions):
        path.chmod(0o666)
        done = interop.weft(*arguments, check=False)
        check(done.returncode == 2 and f"{path}: users other than its owner can write it: found mode 0666" in done.stderr, f"{path}: {done}")
        path.chmod(0o644)
    with Manager(folder, "-F", config, emulate=SPEC) as manager:
        partitions.chmod(0o666)
        manager.send(signal.SIGHUP)
        manager.wait_for("the refusal", lambda: "found mode 0666" in manager.log() and "the previous settings remain active" in manager.log())
        partitions.chmod(0o644)
    check(stat.S_IMODE(created(folder).stat().st_mode) == 0o600, "mode of a configuration written by -c is not 0600")


def created(folder):
    path = folder / "created.conf"
    interop.weft("sm", "-c", path)
    check(re.search(r"^sm_key 0x", path.read_text(), re.M), "no keys in the file of -c")
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_restricted(folder)
        check_refused_files(folder)
    print("sandbox: good")


if __name__ == "__main__":
    main()
