#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cuts a cable between two switches while the subnet manager runs, and measures the time from the trap to SUBNET UP and the number
of forwarding-table blocks that Weft writes. Runs Weft and OpenSM alternately on the same net of ibsim; both route by updn.

The times are from the log of each manager: from trap 128 to SUBNET UP.
"""
import argparse
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

import samples
import studies
from fabrics import interop

BLOCKS_SHARE_MAX = 0.05
BLOCKS_MIN = 10_000
SPEED_RATIO_MIN = 5
OPENSM = {"trap": r"Received Generic Notice type:1 num:128", "command": ["opensm", "-D", "0x07"]}
WEFT = {"trap": r"Received trap 128", "command": ["weft", "sm", "-D", "0x0f"]}


def first(lines, pattern):
    return next((line for line in lines if re.search(pattern, line)), None)


def switch_link(net):
    """Returns (name in ibsim, port) of the first switch with a link to another switch."""
    for name, ports in re.findall(r'^Switch\s+\d+\s+"([^"]+)".*\n((?:\[.*\n)+)', net.read_text(), re.M):
        if found := re.search(r'^\[(\d+)\]\s+"S-', ports, re.M):
            return name, int(found[1])
    raise AssertionError(f"{net}: no cable between switches")


def cut_and_measure(net, folder, name_of_manager, command, options=("-R", "updn"), ends=()):
    """Brings up one manager, cuts cables, and waits for SUBNET UP. `ends`: (name of the node in ibsim, port) of each cable; by default one
    cable between switches. Returns the seconds from the trap to SUBNET UP, and the log from the trap on."""
    folder.mkdir(parents=True)
    log = folder / "log"
    program = [interop.weft_binary(), *command[1:]] if command[0] == "weft" else command
    with interop.Ibsim(net) as sim:
        manager = sim.start([*program, "-f", log, "-e", *options],
                            extra={"OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)})

        def lines():
            return log.read_text(errors="replace").splitlines() if log.exists() else []

        try:
            interop.wait_for(f"{name_of_manager}: SUBNET UP", lambda: first(lines(), "SUBNET UP"), timeout=600)
            time.sleep(3)  # the manager is idle after that time
            before = len(lines())
            sim.console(*(f'unlink "{name}"[{port}]' for name, port in ends or [switch_link(net)]))

            def after_trap():
                seen = lines()[before:]
                trap = first(seen, OPENSM["trap"] if command[0] == "opensm" else WEFT["trap"])
                return seen[seen.index(trap):] if trap else []

            end = interop.wait_for(f"{name_of_manager}: SUBNET UP again", lambda: first(after_trap(), "SUBNET UP"), timeout=600)
            rest = after_trap()
        finally:
            manager.send_signal(signal.SIGTERM)
            manager.wait(timeout=60)
    return interop.log_stamp(end) - interop.log_stamp(rest[0]), rest


def measure(spec, work, runs, with_opensm=True):
    net = work / "fabric.net"
    interop.weft("convert", spec, net, "--to", "ibsim")
    size = interop.weft_json("route", spec, "-R", "updn")["fabric"]
    blocks = size["switches"] * ((size["switches"] + size["cas"]) // 64 + 1)
    written, rounds = [], iter(range(10 ** 9))

    def measure_weft():
        seconds, log = cut_and_measure(net, work / f"weft-{next(rounds)}", "weft", WEFT["command"])
        written.append(int(re.search(r"table blocks read, (\d+) written", "\n".join(log))[1]))
        return seconds

    def measure_opensm():
        return cut_and_measure(net, work / f"opensm-{next(rounds)}", "opensm", OPENSM["command"])[0]

    taken = samples.interleaved({"weft": measure_weft, **({"opensm": measure_opensm} if with_opensm else {})}, runs)
    row = {"fabric": spec, "samples": taken, "blocks": blocks, "written": written[-1], "share": written[-1] / blocks,
           **{side: samples.as_json(samples.summary(seconds)) for side, seconds in taken.items()}}
    if with_opensm:
        row["ratio"] = samples.as_json(samples.ratio(samples.summary(taken["opensm"]), samples.summary(taken["weft"])))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--fabric", default="fattree3:k=24", help="spec of the generator (default: fattree3:k=24, 3,456 hosts)")
    parser.add_argument("--runs", type=int, default=7, help="times of each manager (default 7)")
    parser.add_argument("--alone", action="store_true", help="measure Weft only, without OpenSM")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())
    stamped = studies.stamp()
    with tempfile.TemporaryDirectory(prefix="weft-cable-") as scratch:
        row = measure(options.fabric, pathlib.Path(scratch), options.runs, not options.alone)
    times = {side: samples.from_json(row[side]) for side in ("weft", "opensm", "ratio") if side in row}
    print(f"{row['fabric']}: a cable cut: {row['written']} of {row['blocks']} blocks written ({row['share']:.1%}); "
          f"from the trap to SUBNET UP, s: weft {times['weft']}"
          + (f", opensm {times['opensm']}: {times['ratio']} times" if "ratio" in row else "") + f"; {studies.machine_line(stamped)}")
    studies.write(options.json, stamped, row)
    # On a small fabric one cable affects a larger share of the tables.
    large = row["blocks"] >= BLOCKS_MIN
    interop.check(row["written"] > 0, f"{row['fabric']}: 0 table blocks written after the cut, expected at least 1")
    interop.check(not large or row["share"] <= BLOCKS_SHARE_MAX, f"{row['fabric']}: {row['share']:.1%} of the blocks written, expected at most {BLOCKS_SHARE_MAX:.0%}")
    if "ratio" in times and times["ratio"].median < SPEED_RATIO_MIN:
        print(f"requirement not met: {row['fabric']}: {times['ratio'].median:.1f} times OpenSM's speed, expected at least {SPEED_RATIO_MIN}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
