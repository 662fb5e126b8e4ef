#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm` as a resident process on ibsim: routes avoid a cut link and use it again after its restoration, SIGHUP causes a sweep, and the
manager ends with status 0 on SIGTERM and SIGINT, also during a sweep. Also tests the exit statuses of --once."""
import os
import pathlib
import re
import resource
import signal
import tempfile
import time

import weft_interop as interop
from manager import Manager
from weft_interop import check, held_routes, wait_for

SPEC = "fattree2:k=4"


def trunk(sim):
    """(ibsim's node id, LID, port) of a switch end of a link between two switches."""
    for line in sim.client(["ibnetdiscover"]).stdout.splitlines():
        if match := re.match(r'Switch\s+\d+ "(S-[0-9a-f]{16})"\s+# .* lid (\d+) lmc', line):
            name, lid = match[1], int(match[2])
        elif match := re.match(r'\[(\d+)\]\s+"S-', line):
            return name, lid, int(match[1])
    raise AssertionError("no cable between switches")


def test_cable_and_signals(net, folder):
    with interop.Ibsim(net) as sim, Manager(folder, "-s", "2", sim=sim) as manager:
        name, lid, port = trunk(sim)
        check(port in held_routes(sim, lid).values(), f"'{name}' does not use port {port} before the cable is cut")
        ups = manager.ups()
        sim.console(f'unlink "{name}"[{port}]')
        manager.wait_for_up(ups + 1)
        check(port not in held_routes(sim, lid).values(), f"'{name}' still uses port {port}, although the cable is cut")
        ups = manager.ups()
        sim.console(f'relink "{name}"[{port}]')
        manager.wait_for_up(ups + 1)
        wait_for(f"'{name}' uses port {port} again", lambda: port in held_routes(sim, lid).values())
        wait_for("all links are active again", lambda: not re.search(
            r"==\(.*?(Armed|Initialized)\s*/\s*LinkUp\)", sim.client(["iblinkinfo", "-l"]).stdout))
        ups = manager.ups()
        manager.send(signal.SIGHUP)
        manager.wait_for_up(ups + 1)
        check("SIGHUP" in manager.log(), "the log does not name SIGHUP")
        check(manager.end() == 0, "the exit status after SIGTERM is not 0")
        check("Exiting SM" in manager.log(), "the log does not report the end of the manager")


def test_stop_anywhere(net, folder):
    """If a manager is stopped during a sweep, the next manager brings the fabric up."""
    stopped_in_time = 0
    with interop.Ibsim(net) as sim:
        for number, delay in enumerate([0, 0.02, 0.05, 0.1] + [0] * 20):  # more than four runs if a busy machine delays the signals
            if number >= 4 and stopped_in_time:
                break
            with Manager(folder, sim=sim, up=False) as manager:
                manager.wait_for("the manager starts discovery", lambda: "DISCOVERING" in manager.log(), pause=0.001)
                time.sleep(delay)
                status = manager.end(signal.SIGINT)
                check(status == 0, f"exit status {status} after SIGINT after {delay} s, expected 0")
                stopped_in_time += manager.ups() == 0
        check(stopped_in_time > 0, "every sweep ended before the signal")
        with Manager(folder, sim=sim) as manager:
            check(manager.end() == 0, "the exit status after SIGTERM is not 0")


def once(*options, cache=None, **more):
    environment = dict(os.environ, **({"OSM_CACHE_DIR": str(cache)} if cache else {}))
    return interop.run([interop.weft_binary(), "sm", "--once", "--emulate", SPEC, "-f", "stdout", *options], check=False,
                       env=environment, **more)


def test_exit_statuses(folder):
    done = once("--dump_files_dir", "/proc/no-such-folder")
    check(done.returncode == 3, f"an unwritable dump folder: exit {done.returncode}, expected 3")
    check("/proc/no-such-folder" in done.stderr, f"the message does not name the folder: {done.stderr}")
    check("SUBNET UP" in done.stdout, "no SUBNET UP, expected in spite of the error")

    done = once(cache="/proc/no-such-folder")
    check(done.returncode == 0, f"an unwritable cache: exit {done.returncode}, expected 0")
    check("/proc/no-such-folder" in done.stdout + done.stderr, f"the message does not name the folder: {done.stdout}")
    check("SUBNET UP" in done.stdout, "no SUBNET UP, expected in spite of the error")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
    done = once("--dump_files_dir", folder / "dumps", cache=folder / "cache", preexec_fn=small_files)
    check(done.returncode == 3, f"a full disk: exit {done.returncode}, expected 3")
    check("SUBNET UP" in done.stdout, "no SUBNET UP, expected in spite of the error")
    # A dump without lines needs no space.
    left = [path.name for path in [*(folder / "dumps").iterdir(), *(folder / "cache").iterdir()]
            if path.stat().st_size > 0 or ".new." in path.name]
    check(not left, f"incomplete files after a full disk: {left}")

    done = interop.run([interop.weft_binary(), "sm", "--once", "--emulate", "fattree2:k=32", "--lmc", "7"], check=False)
    check(done.returncode == 1, f"LIDs exhausted: exit {done.returncode}, expected 1")
    check("unicast LIDs, there are 49151" in done.stderr, f"LIDs exhausted: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-resident-") as scratch:
        folder = pathlib.Path(scratch)
        test_exit_statuses(folder)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        test_cable_and_signals(net, folder)
        larger = folder / "larger.net"
        interop.weft("convert", "fattree3:k=8", larger, "--to", "ibsim")
        test_stop_anywhere(larger, folder)
    print("resident: good")


if __name__ == "__main__":
    main()
