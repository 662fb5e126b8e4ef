#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares SA queries of Weft and OpenSM on the same net of ibsim: PathRecord Gets, one at a time and 64
outstanding; GetTable of all NodeRecords and of all PathRecords from one port; then, only for Weft on the first fabric, a million Gets
(--million), to check that memory does not grow.

ibsim forwards each query and answer in one thread, and the client sa_load is another process. `sa_load answer`, a server that
returns each query, measures the minimum time of ibsim and client: the floor. Rates depend on the floor, so that the result also has the
processor time of the manager per query, and its user part. Exit status 1 if a requirement is not met.
OpenSM relies on the kernel for the segmentation of tables. Therefore OpenSM is restarted for the GetTables with
tests/interop/umad_kernel.cpp, which implements the kernel's functions. "first" is the time until the first segment arrives.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

import studies
from fabrics import interop

RATE_RATIO_MIN = 5
RSS_GROWTH_MAX = 0.05
FABRICS = ["fattree3:k=16", "fattree3:k=24", "fattree3:k=36"]
UP_TIMEOUT = 1200


def cpu_seconds(pid):
    """Returns the processor time of all threads of a process in seconds, from the scheduler's statistics."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            pass  # the thread ended
    return total / 1e9


def user_seconds(pid):
    """Returns the user time of a process in seconds, with the resolution of clock ticks."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[11]) / os.sysconf("SC_CLK_TCK")


class Server:
    """A program that answers queries, on the first host of an ibsim server; the client runs on the last host."""

    def __init__(self, sim, command, folder):
        self.sim = sim
        self.process = sim.start(command, extra={"OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)})

    def load(self, host, guids, *words, timeout=900):
        """The result of sa_load, with the processor time of server and ibsim."""
        pid = self.process.pid
        before = cpu_seconds(pid), user_seconds(pid), cpu_seconds(self.sim.process.pid), interop.rss_bytes(pid)
        done = self.sim.client([interop.tool("sa_load"), *words], host=host, input=guids, timeout=timeout)
        result = json.loads(done.stdout)
        result["cpu"] = cpu_seconds(pid) - before[0]
        result["user"] = user_seconds(pid) - before[1]
        result["ibsim_cpu"] = cpu_seconds(self.sim.process.pid) - before[2]
        result["rss_before"], result["rss"] = before[3], interop.rss_bytes(pid)
        return result

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except BaseException:
            self.process.kill()
            raise


class Manager(Server):
    """One subnet manager; with the emulated kernel functions if `kernel`."""

    def __init__(self, sim, folder, name, kernel=False):
        folder.mkdir(parents=True)
        self.log = folder / "log"
        command = ["opensm", "-d", "2"] if name == "opensm" else [interop.weft_binary(), "sm", "-D", "0x03"]
        command += ["-R", "updn", "-f", self.log]
        super().__init__(sim, interop.preloaded(command) if kernel else command, folder)
        interop.wait_for(f"{name}: SUBNET UP", self.is_up, timeout=UP_TIMEOUT)
        time.sleep(2)

    def is_up(self):
        interop.check(self.process.poll() is None, f"{self.process.args[0]} ended before SUBNET UP with status {self.process.returncode}")
        return self.log.exists() and "SUBNET UP" in self.log.read_text(errors="replace")


def floor_server(sim, folder):
    """The floor server, on a subnet that a manager has brought up before it ended."""
    folder.mkdir(parents=True)
    interop.weft_once(sim, folder / "once", "-R", "updn")
    server = Server(sim, [interop.tool("sa_load"), "answer"], folder)
    time.sleep(2)
    return server


def best(rounds):
    """Returns the smallest times and processor times, because other load only increases times. The
    resolution of clock ticks is too low for one round, so that user time is the mean of all rounds."""
    rounds = list(rounds)
    result = dict(min(rounds, key=lambda got: got["seconds"] / got["count"]))
    for key in ("cpu", "ibsim_cpu"):
        result[key] = min(got[key] for got in rounds)
    result["user"] = sum(got["user"] for got in rounds) / len(rounds)
    result["lost"], result["refused"] = (sum(got[key] for got in rounds) for key in ("lost", "refused"))
    return result


def measure(net, folder, side, options, million):
    text = net.read_text()
    host = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)[-1]
    guids = "\n".join(re.findall(r"^\[1\]\((\w+)\)", text, re.M))
    result = {}
    with interop.Ibsim(net, nodes=16384) as sim:
        server = floor_server(sim, folder) if side == "floor" else Manager(sim, folder, side)
        try:
            server.load(host, guids, "gets", 100, 1)
            result["one"] = best(server.load(host, guids, "gets", options.gets // 4, 1) for _ in range(options.rounds))
            result["many"] = best(server.load(host, guids, "gets", options.gets, 64) for _ in range(options.rounds))
            if side == "floor":
                return result
            if side == "opensm":
                server.end()
                server = Manager(sim, folder / "kernel", side, kernel=True)
            result["nodes"] = server.load(host, guids, "nodes", options.tables)
            result["paths"] = server.load(host, guids, "paths", options.tables)
            if million:
                result["million"] = server.load(host, guids, "gets", million, 64, timeout=7200)
        finally:
            server.end()
    return result


def lines_of(row):
    sides = [side for side in ("weft", "opensm") if side in row]
    with_floor = [side for side in (*sides, "floor") if side in row]

    def ratio(figure):
        return f": {figure(row['weft']) / figure(row['opensm']):.1f} times" if len(sides) == 2 else ""

    for name, what in (("one", "one at a time"), ("many", "64 outstanding")):
        def figures(side):
            got = row[side][name]
            each = {key: 1e6 * got[key] / got["count"] for key in ("cpu", "user", "ibsim_cpu")}
            return (f"{side} {got['count'] / got['seconds']:,.0f}/s (median {got['median_us']:.0f} us, processor time {each['cpu']:.1f} us, "
                    f"user {each['user']:.1f} us, ibsim {each['ibsim_cpu']:.1f} us)")
        yield (f"{row['fabric']}: Get(PathRecord), {what}: " + ", ".join(map(figures, with_floor))
               + ratio(lambda side: side[name]["count"] / side[name]["seconds"]) + ", processor time"
               + ratio(lambda side: side[name]["count"] / side[name]["cpu"]) + ", user time"
               + ratio(lambda side: side[name]["count"] / max(side[name]["user"], 0.01)))
    for name, what in (("nodes", "all NodeRecords"), ("paths", "PathRecords of one source")):
        yield (f"{row['fabric']}: GetTable of {what}: "
               + ", ".join(f"{side} first segment after {1e3 * row[side][name]['first_s']:.2f} ms, whole after "
                           f"{1e3 * row[side][name]['whole_s']:.2f} ms ({row[side][name]['bytes']:,} bytes), processor time "
                           f"{1e3 * row[side][name]['cpu'] / row[side][name]['count']:.2f} ms" for side in sides)
               + ratio(lambda side: 1 / side[name]["whole_s"]) + ", processor time"
               + ratio(lambda side: side[name]["count"] / side[name]["cpu"]))
    for side in sides:
        if "million" in row[side]:
            before, after = row[side]["million"]["rss_before"], row[side]["million"]["rss"]
            yield (f"{row['fabric']}: {side} after {row[side]['million']['count']:,} more Gets: {after / 2**20:.1f} MB, "
                   f"{before / 2**20:.1f} MB before")


def misses(row):
    weft = row["weft"]
    for name, result in weft.items():
        if result.get("refused") or result.get("lost"):
            yield f"{row['fabric']}, {name}: {result['refused']} refused, {result['lost']} lost, expected 0"
    if "million" in weft and weft["million"]["rss"] > (1 + RSS_GROWTH_MAX) * weft["million"]["rss_before"]:
        yield f"{row['fabric']}: memory grows from {weft['million']['rss_before']} to {weft['million']['rss']} bytes, expected at most {RSS_GROWTH_MAX:.0%} more"
    if "opensm" not in row:
        return
    opensm = row["opensm"]
    for name in ("one", "many"):
        rate = weft[name]["count"] / weft[name]["seconds"] * opensm[name]["seconds"] / opensm[name]["count"]
        if rate < RATE_RATIO_MIN:
            yield f"{row['fabric']}, {name}: {rate:.1f} times OpenSM's rate, expected at least {RATE_RATIO_MIN}"
    for name in ("nodes", "paths"):
        if opensm[name]["whole_s"] < RATE_RATIO_MIN * weft[name]["whole_s"]:
            yield f"{row['fabric']}, {name}: {opensm[name]['whole_s'] / weft[name]['whole_s']:.1f} times OpenSM's rate, expected at least {RATE_RATIO_MIN}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the binary (default: the release build)")
    parser.add_argument("--fabric", action="append", help=f"generator's spec (default: {', '.join(FABRICS)})")
    parser.add_argument("--gets", type=int, default=40_000, help="PathRecord Gets of a round with 64 outstanding, and a quarter of them one at a time (default 40000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of Gets; the fastest counts (default 5)")
    parser.add_argument("--tables", type=int, default=5, help="GetTables of NodeRecords and of PathRecords (default 5)")
    parser.add_argument("--million", type=int, default=1_000_000, help="Gets of Weft on the first fabric, to check memory (default 1000000); 0: none")
    parser.add_argument("--alone", action="store_true", help="without OpenSM")
    parser.add_argument("--ignore-requirements", action="store_true", help="exit status 0 if a requirement is not met, but no Get is refused and every "
                        "GetTable is complete; for machines with other load")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    stamped = studies.stamp()
    if options.weft:
        os.environ["WEFT"] = str(pathlib.Path(options.weft).resolve())
    rows, missed = [], []
    for index, spec in enumerate(options.fabric or FABRICS):
        with tempfile.TemporaryDirectory(prefix="weft-sa-") as scratch:
            folder = pathlib.Path(scratch)
            net = folder / "fabric.net"
            interop.weft("convert", spec, net, "--to", "ibsim")
            row = {"fabric": spec}
            if not options.alone:
                row["opensm"] = measure(net, folder / "opensm", "opensm", options, 0)
            row["weft"] = measure(net, folder / "weft", "weft", options, 0 if index else options.million)
            row["floor"] = measure(net, folder / "floor", "floor", options, 0)
        rows.append(row)
        print("\n".join(lines_of(row)), flush=True)
        missed += misses(row)
    studies.write(options.json, stamped, {"rows": rows})
    print(f"{len(missed)} requirements not met", *missed, sep="\n  ")
    # Errors that do not depend on the load of the machine.
    for row in rows:
        weft = row["weft"]
        for name in ("one", "many"):
            interop.check(not weft[name]["refused"], f"{row['fabric']}, {name}: {weft[name]['refused']} Gets refused, expected 0")
        for name in ("nodes", "paths"):
            interop.check(weft[name]["bytes"] >= weft[name]["record"] > 0,
                          f"{row['fabric']}, {name}: a GetTable of {weft[name]['bytes']} bytes, expected at least one record of {weft[name]['record']} bytes")
    return 1 if missed and not options.ignore_requirements else 0


if __name__ == "__main__":
    sys.exit(main())
