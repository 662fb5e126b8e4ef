#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the real process on ibsim with faults: the process is killed at random times, the disk is full, files are unreadable, ibsim is stopped or
ends, memory is short, the clock jumps. In the tests of kills, disk, files and memory, a manager afterwards brings the fabric up from the remaining
files. Weft verifies the tables that independent tools read.

Usage: kills_test.py kills [N] | disk | files | frozen | gone | memory | clock
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import weft_interop as interop
from faults_test import Verifier, switches_of
from manager import Manager
from weft_interop import check

SPEC = "fattree2:k=4"
SEED = 20261121
CLIENTS_OF_IBSIM = 10


class Bench:
    """A net, its ibsim, a folder for the manager's files, and the verification."""

    def __init__(self, scratch):
        self.folder = pathlib.Path(scratch)
        self.net = self.folder / "fabric.net"
        interop.weft("convert", SPEC, self.net, "--to", "ibsim")
        size = interop.weft_json("route", SPEC, "-R", "updn")["fabric"]
        self.switches, self.links = size["switches"], size["links"]
        self.cache = self.folder / "cache"
        self.cache.mkdir()

    def __enter__(self):
        self.sim = interop.Ibsim(self.net)
        self.sim.__enter__()
        self.verifier = Verifier(self.sim, self.folder)
        return self

    def __exit__(self, *reason):
        self.sim.__exit__(*reason)

    def lids(self):
        """{port GUID: first LID} from the file guid2lid. Every line must be complete."""
        found = {}
        for line in (self.cache / "guid2lid").read_text().splitlines():
            if line.strip():
                match = re.fullmatch(r"0x([0-9a-f]{16}) 0x([0-9a-f]{4}) 0x([0-9a-f]{4})", line)
                check(match, f"guid2lid: an incomplete line: {line!r}")
                found[match[1]] = int(match[2], 16)
        return found

    def manager(self, *options, **more):
        return Manager(self.folder, "-s", "1", *options, sim=self.sim, **more)

    def check_bring_up(self, what):
        """A new manager brings the fabric up, tools discover all nodes and links, and guid2lid is complete; returns the LIDs."""
        with self.manager() as manager:
            self.verifier.expect(what, self.switches, self.links)
            check(manager.end() == 0, f"{what}: the exit status after SIGTERM is not 0")
        lids = self.lids()
        check(len(set(lids.values())) == len(lids) >= self.switches,
              f"{what}: guid2lid has {len(set(lids.values()))} different LIDs of {len(lids)} ports, expected at least {self.switches}")
        return lids


def kills(bench, count):
    rng = random.Random(SEED)
    before = bench.check_bring_up("before the first kill")
    switch_links = [(name, port) for name, peers in switches_of(bench.sim).items() for port, peer in peers.items() if peer.startswith("S-")]
    out = []
    begun = time.monotonic()
    for kill in range(count):
        with bench.manager(up=False) as manager:
            if rng.random() < 0.3:  # changes a link, so that the manager is at work at the time of the kill
                if out:
                    name, port = out.pop()
                    bench.sim.console(f'relink "{name}"[{port}]')
                else:
                    name, port = rng.choice(switch_links)
                    bench.sim.console(f'unlink "{name}"[{port}]')
                    out.append((name, port))
            # Most kills happen during the bring-up, which takes about 50 ms here, some during light sweeps. ibsim ends if a client that has
            # requested a connection is killed before the reply.
            time.sleep(rng.random() * (0.12 if rng.random() < 0.8 else 1.5))
            manager.kill()
        # ibsim does not detect that a client has ended.
        bench.sim.console(*(f"X {client}" for client in range(CLIENTS_OF_IBSIM)))
        if kill % 50 == 49:
            bench.lids()
    for name, port in out:
        bench.sim.console(f'relink "{name}"[{port}]')
    switches_of(bench.sim)  # a client that receives the traps: otherwise the traps would crash ibsim's library in the next manager
    after = bench.check_bring_up(f"after {count} kills")
    check(after == before, "LIDs changed although the cache was preserved")
    print(f"{count} kills in {time.monotonic() - begun:.0f} s: the fabric is complete, and no LID changed")


def disk(bench):
    """A full file system of 64 KiB: writes fail, and existing files are preserved."""
    before = bench.check_bring_up("before")
    small = bench.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], capture_output=True).returncode != 0:
        interop.skip("no file system can be mounted")
    try:
        for file in bench.cache.iterdir():
            shutil.copy(file, small)
        subprocess.run(["dd", "if=/dev/zero", f"of={small / 'filler'}", "bs=4096"], capture_output=True)  # writes until the file system is full
        kept, bench.cache = bench.cache, small
        with bench.manager("-r", environment={"OSM_CACHE_DIR": small}) as manager:
            bench.verifier.expect("on a full disk", bench.switches, bench.links)
            manager.kill()
        check(bench.lids() == before, "the previous content of the cache is lost")
        check("No space left" in manager.log(), "the log does not report the full disk")
        bench.cache = kept
    finally:
        subprocess.run(["umount", small], check=True)
    print("disk: passed")


def files(bench):
    """guid2lid is a folder, empty, truncated within a line, or has binary content."""
    before = bench.check_bring_up("before")
    whole = (bench.cache / "guid2lid").read_bytes()
    for what, content in (("empty", b""), ("cut", whole[: len(whole) // 2 - 7]), ("bytes", bytes(range(256)) * 40), ("folder", None)):
        path = bench.cache / "guid2lid"
        path.unlink()
        if content is None:
            path.mkdir()
            with bench.manager() as manager:
                bench.verifier.expect("guid2lid is a folder", bench.switches, bench.links)
            check("guid2lid" in manager.log(), "the log does not name the file that cannot be read")
            path.rmdir()
        else:
            path.write_bytes(content)
            bench.check_bring_up(f"guid2lid {what}")
            check(bench.lids() == before, f"guid2lid {what}: LIDs changed although the ports still had LIDs")
    print("files: passed")


def frozen(bench):
    """ibsim is stopped and continued: the manager gets no responses, then all responses at the same time."""
    with bench.manager("-t", "200") as manager:
        for pause in (0.3, 3):
            bench.sim.process.send_signal(signal.SIGSTOP)
            time.sleep(pause)
            bench.sim.process.send_signal(signal.SIGCONT)
            ups = manager.ups()
            manager.send(signal.SIGHUP)
            manager.wait_for_up(ups + 1)
            bench.verifier.expect(f"after {pause} s without responses", bench.switches, bench.links)
        check(manager.end() == 0, "the exit status after SIGTERM is not 0")
    print("frozen: passed")


def gone(bench):
    """ibsim ends. The manager may end too, but not by a signal."""
    manager = bench.manager()
    try:
        before, logged = bench.lids(), manager.log()
        bench.sim.process.kill()
        interop.wait_for("the manager reports a failed sweep or ends", lambda: manager.process.poll() is not None or manager.log() != logged)
        status = manager.end()
    finally:
        manager.kill()
    check(status >= 0, f"the manager ended by signal {-status}")
    check(bench.lids() == before, "the cache is damaged")
    print(f"gone: exit status {status}")


def memory(bench):
    """With too little or barely enough address space the manager works, or reports an error and ends."""
    worked = 0
    program = os.path.getsize(interop.weft_binary()) >> 20  # with less address space the kernel kills the process before its first instruction
    crash_of_ibsim = -signal.SIGSEGV  # ibsim's library crashes at exit if it cancels a thread that failed to start
    for mebibytes in (program + more for more in (3, 6, 10, 14, 18, 22, 26, 34, 54, 194)):
        log = bench.folder / f"memory-{mebibytes}.log"
        done = bench.sim.client(["prlimit", f"--as={mebibytes << 20}", interop.weft_binary(), "sm", "--once", "-f", log], check=False,
                                extra={"OSM_CACHE_DIR": str(bench.cache)})
        messages = "weft: " in done.stderr or done.returncode != crash_of_ibsim
        check(done.returncode in (0, 1, 3, 127, crash_of_ibsim) and messages, f"{mebibytes} MiB: status {done.returncode}: {done.stderr[-300:]}")
        worked += done.returncode == 0
    check(worked > 0, "no size of the address space is large enough")
    bench.check_bring_up("after runs with little memory")
    print(f"memory: worked in {worked} of 10 sizes")


def clock(bench):
    """The wall clock jumps by a day and back. This has no effect, because the manager uses the monotonic clock."""
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        interop.skip("libfaketime is not installed")
    stamp = bench.folder / "stamp"
    stamp.write_text("+0")
    # The library is preloaded after ibsim's library, which ibsim-run sets.
    with_fake_clock = lambda command: ["sh", "-c", f'LD_PRELOAD="$LD_PRELOAD:{library}" exec "$@"', "sh", *command]
    variables = {"FAKETIME_TIMESTAMP_FILE": stamp, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    with bench.manager(environment=variables, through=with_fake_clock) as manager:
        for jump in ("+1d", "-1d", "+0"):
            stamp.write_text(jump)
            interop.stays(f"the manager runs after the clock jumped by {jump}", lambda: manager.process.poll() is None, 1.5)
        name, peers = next((name, peers) for name, peers in switches_of(bench.sim).items() if any(p.startswith("S-") for p in peers.values()))
        port = next(port for port, peer in peers.items() if peer.startswith("S-"))
        ups = manager.ups()
        bench.sim.console(f'unlink "{name}"[{port}]')
        manager.wait_for("a sweep after the jumps", lambda: manager.ups() > ups)
        check(manager.end() == 0, "the exit status after SIGTERM is not 0")
    print("clock: passed")


def main():
    what = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="weft-kills-") as scratch, Bench(scratch) as bench:
        if what == "kills":
            kills(bench, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
        else:
            {"disk": disk, "files": files, "frozen": frozen, "gone": gone, "memory": memory, "clock": clock}[what](bench)


if __name__ == "__main__":
    main()
