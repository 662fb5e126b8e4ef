#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests Weft and OpenSM as the subnet managers of one ibsim fabric, each as master and as standby: election, standby, kill -9 of the master,
handover in both directions, and SMInfo commands. Weft keeps LIDs and forwarding tables of OpenSM, and reports as written exactly the blocks that differ."""
import argparse
import pathlib
import re
import tempfile
import time

import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
# A standby takes over if the master does not answer for 8 s: four polls with four tries each.
KEYS = "sminfo_polling_timeout 1000\npolling_retry_number 4\nsweep_interval 2\n"
TIMEOUT_MS = 500


class Net:
    """A fabric on ibsim and its managers. The managers end at the end of the with block."""

    def __init__(self, spec, folder):
        self.folder = folder
        self.net = folder / "fabric.net"
        interop.weft("convert", spec, self.net, "--to", "ibsim")
        self.hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', self.net.read_text(), re.M)
        self.config = folder / "opensm.conf"
        self.config.write_text(KEYS)
        self.managers = []

    def __enter__(self):
        self.sim = interop.Ibsim(self.net).__enter__()
        return self

    def __exit__(self, *_):
        for manager in self.managers:
            manager.kill()
        self.sim.__exit__()

    def start(self, program, host, priority, *options):
        host = self.hosts[host]
        extra = {"opensm": [], "weft": ["-D", "0x07"]}[program]
        manager = Manager(self.folder / f"{program}-{host}-{priority}", "-F", self.config, "-t", TIMEOUT_MS, "-p", priority, *extra, *options,
                          program=program, sim=self.sim, host=host, up=False, through=interop.preloaded if program == "opensm" else list)
        self.managers.append(manager)
        return manager

    def observer(self):
        """A host without a manager."""
        return self.hosts[-1]

    def lids(self):
        text = self.sim.client(["ibnetdiscover"], host=self.observer()).stdout
        lids = {name: int(lid) for name, lid in
                re.findall(r'^Switch\s+\d+ "(\S+)".* lid (\d+) lmc', text, re.M)}
        lids.update({name: int(lid) for name, lid in
                     re.findall(r'"(H-\w+)"\[\d+\]\(\w+\).* lid (\d+) ', text)})
        check(len(lids) > len(self.hosts), f"ibnetdiscover names {len(lids)} ports with LIDs")
        return lids

    def tables(self):
        """{(switch GUID, LID): port}, read from the switches."""
        text = self.sim.client(["dump_fts"], host=self.observer()).stdout
        tables, at = {}, None
        for line in text.splitlines():
            if found := re.match(r"Unicast lids .* guid (0x\w+)", line):
                at = found[1]
            elif found := re.match(r"(0x[0-9a-fA-F]+) (\d+)", line):
                tables[at, int(found[1], 16)] = int(found[2])
        check(tables, "dump_fts shows no table:\n" + text[:500])
        return tables


def blocks_written(manager):
    """The number of blocks written in all sweeps, from Weft's log."""
    return sum(map(int, re.findall(r"table blocks read, (\d+) written", manager.log())))


def differing_blocks(before, after):
    return len({(switch, lid // 64) for switch, lid in before.keys() | after.keys()
                if before.get((switch, lid)) != after.get((switch, lid))})


def test_opensm_is_master(folder):
    with Net(SPEC, folder) as net:
        opensm = net.start("opensm", 0, 5)
        opensm.becomes("MASTER")
        opensm.wait_for_up()
        lids, tables = net.lids(), net.tables()
        weft = net.start("weft", 3, 2)
        weft.becomes("STANDBY")
        check("Entering STANDBY state" in weft.log(), weft.log())
        interop.stays("OpenSM is master", lambda: opensm.state() == "MASTER", 3)
        check(net.lids() == lids and net.tables() == tables, "LIDs or forwarding tables changed while Weft was standby")

        opensm.kill()
        weft.becomes("MASTER")
        weft.wait_for_up()
        check(net.lids() == lids, "LIDs changed when Weft took over")
        check(net.tables() == tables, "forwarding tables changed when Weft took over")
        check(blocks_written(weft) == 0, f"{blocks_written(weft)} blocks written, expected 0")

        again = net.start("opensm", 0, 5)  # the killed manager returns with higher priority, so Weft hands over
        again.becomes("MASTER")
        weft.becomes("STANDBY")
        check(net.lids() == lids, "LIDs changed when OpenSM took over")


def test_weft_is_master(folder):
    with Net(SPEC, folder) as net:
        weft = net.start("weft", 0, 5)
        weft.becomes("MASTER")
        weft.wait_for_up()
        lids = net.lids()
        opensm = net.start("opensm", 3, 2)
        opensm.becomes("STANDBY")
        wait_for(lambda: f"the log of Weft has the GUID, LID and priority of OpenSM: {weft.log()[-3000:]}",
                 lambda: re.search(r"another subnet manager: .*port GUID 0x\w+, LID \d+, priority 2, ", weft.log()))
        interop.stays("OpenSM is standby, Weft is master", lambda: opensm.state() == "STANDBY" and weft.state() == "MASTER", 3)

        weft.kill()
        opensm.becomes("MASTER")
        opensm.wait_for_up()
        check(net.lids() == lids, "LIDs changed when OpenSM took over")
        tables = net.tables()

        again = net.start("weft", 0, 5)  # OpenSM hands over
        again.becomes("MASTER")
        opensm.becomes("STANDBY")
        again.wait_for_up()
        # OpenSM may send a HANDOVER before a new manager is ready, and becomes standby nevertheless.
        check(re.search("HANDOVER from|command 1 refused: .* invalid in state DISCOVERING", again.log()), again.log())
        check(net.lids() == lids, "LIDs changed when Weft took over")
        now = net.tables()
        check(now == tables, f"forwarding tables changed when Weft took over: {set(now.items()) ^ set(tables.items())}")
        check(blocks_written(again) == 0, f"{blocks_written(again)} blocks written, expected 0")


def during(seconds):
    """Yields repeatedly during this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(0.2)


def test_equal_priorities(folder):
    """A Weft master hands over to an OpenSM that starts with a lower GUID, and takes over again when that OpenSM is killed, although another OpenSM with a
    higher GUID is standby. When the OpenSM with the higher GUID is master and Weft starts with a lower GUID, one of the two is master and the other is
    standby."""
    with Net(SPEC, folder) as net:
        weft = net.start("weft", 3, 4)
        weft.becomes("MASTER")
        weft.wait_for_up()
        lower = net.start("opensm", 0, 4)
        lower.becomes("MASTER")
        weft.becomes("STANDBY")
        higher = net.start("opensm", 5, 4)
        higher.becomes("STANDBY")
        lower.kill()
        weft.becomes("MASTER")  # OpenSM, which is standby too, remains standby
        higher.becomes("STANDBY")
        weft.kill()
        higher.becomes("MASTER")
        # OpenSM hands over to a manager of equal priority and lower GUID in state DISCOVERING, but not to a standby.
        discovering = net.start("weft", 1, 4)
        have_one_master = lambda: sorted([higher.state(), discovering.state()]) == ["MASTER", "STANDBY"]
        wait_for("one master and one standby for 4 s", lambda: all(have_one_master() for _ in during(4)))


def test_commands(folder):
    """Sends SMInfo commands from a tool that reports the state MASTER."""
    def command(net, host, number, state=3):
        return net.sim.client(["sminfo", "-s", state, "-D", "0", number], host=host, check=False).returncode == 0

    with Net(SPEC, folder) as net:
        opensm = net.start("opensm", 0, 5, "--smkey", "0")
        opensm.wait_for_up()
        weft = net.start("weft", 3, 2, "--smkey", "0")
        weft.becomes("STANDBY")
        host = weft.host
        check(not command(net, host, 3, state=2), "a command from a standby was accepted")
        check(not command(net, host, 4), "a standby accepted the command STANDBY")
        check(not command(net, host, 9), "the undefined command 9 was accepted")
        check(weft.state() == "STANDBY", "a refused command changed the state")
        check(command(net, host, 3), "the command DISABLE was refused")
        weft.becomes("NOTACT")
        check(not command(net, host, 5), "a manager in state NOTACTIVE accepted the command DISCOVER")
        check(command(net, host, 4), "the command STANDBY was refused")
        weft.becomes("STANDBY")
        check(command(net, host, 5), "the command DISCOVER was refused")
        wait_for("Weft is standby again after DISCOVER",
                 lambda: weft.log().count("Entering DISCOVERING state") == 2 and weft.state() == "STANDBY")
        check(opensm.state() == "MASTER", "OpenSM is not master")

        inactive = net.start("weft", 5, 9, "--smkey", "0", "-I")
        inactive.becomes("NOTACT")
        interop.stays("a manager with -I waits for a command", lambda: inactive.state() == "NOTACT" and opensm.state() == "MASTER", 4)

        other_key = net.start("weft", 4, 1, "--smkey", "0x77")
        other_key.becomes("STANDBY")
        check(not command(net, other_key.host, 3), "a command with another SM_Key was accepted")
        alone = net.start("weft", 6, 0, "--smkey", "0", "-d0")
        alone.becomes("MASTER")


def test_left_by_opensm(folder):
    """Weft starts after OpenSM has ended. With the same engine and OpenSM's balancing (--balance=local) Weft writes no blocks; with another engine and
    --rebalance Weft writes the blocks that differ."""
    for engine, options, same in (("minhop", ["--balance=local"], True), ("updn", ["--rebalance"], False),
                                  ("ftree", ["--rebalance"], False)):
        case = folder / engine
        case.mkdir()
        with Net("fattree2:k=8", case) as net:
            interop.opensm_once(net.sim, case / "before", "-R", "minhop")
            lids, before = net.lids(), net.tables()
            weft = net.start("weft", 0, 2, "-R", engine, *options)
            weft.wait_for_up()
            after = net.tables()
            differ, written = differing_blocks(before, after), blocks_written(weft)
            print(f"{engine}: {written} blocks written, {differ} differ")
            check(net.lids() == lids, f"{engine}: LIDs changed")
            check(written == differ, f"{engine}: {written} blocks written, {differ} differ")
            check((differ == 0) == same, f"{engine}: {differ} blocks differ, expected {'0' if same else 'at least 1'}")


TESTS = {name[len("test_"):]: test for name, test in list(globals().items()) if name.startswith("test_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("test", choices=TESTS)
    test = parser.parse_args().test
    with tempfile.TemporaryDirectory(prefix="weft-managers-") as scratch:
        TESTS[test](pathlib.Path(scratch))
    print(f"{test}: good")


if __name__ == "__main__":
    main()
