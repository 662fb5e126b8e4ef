#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares congestion control with OpenSM. With the same file both managers send MADs of the same contents, except for the transaction
ids, to the same number of ports. ibsim does not store these settings, so a preloaded library records the sent MADs.
Also tests programmable congestion control and invalid lines of the file.
"""
import pathlib
import re
import signal
import sys
import tempfile

import mkey_test
import weft_interop as interop
from manager import Manager
from smp_tap import MadTap
from weft_interop import check

COMMON = """congestion_control TRUE
cc_key 0x1122334455667788
cc_sw_cong_setting_control_map 0x1f
cc_sw_cong_setting_threshold 0x0f
cc_sw_cong_setting_packet_size 3
cc_ca_cong_setting_control_map 0x0003
cc_ca_cong_setting_ccti_timer 0 100
cc_ca_cong_setting_ccti_timer 15 77
cc_ca_cong_setting_ccti_increase 0 2
cc_ca_cong_setting_trigger_threshold 0 5
cc_ca_cong_setting_ccti_min 0 1
"""
# Contents of configuration files. A table of 70 entries is not tested: OpenSM sends the table and then hangs.
CASES = [(COMMON + "cc_sw_cong_setting_victim_mask 0x102\ncc_sw_cong_setting_marking_rate 999\n"
          "cc_sw_cong_setting_credit_mask 0x8000000000000000000000000000000000000000000000000000000000000001\n"
          "cc_sw_cong_setting_credit_starvation_threshold 7\ncc_sw_cong_setting_credit_starvation_return_delay 3:16383\n"
          "cc_ca_cong_setting_port_control 1\ncc_cct 0:1,1:2,2:3,3:4000\n"),
         COMMON, "congestion_control TRUE\n"]
MADS = 2 + 2 * 3  # two switches; three CAs with settings and a table


def record_mads(net, folder, program, config):
    """{(LID, bytes without the transaction id)} of the MADs of class 0x21 that the manager sends."""
    tap = MadTap(folder / "tap", 0x21)
    with interop.Ibsim(net) as sim, Manager(folder, "-F", config, program=program, sim=sim, through=tap.through, up=False,
                                            environment=tap.environment) as manager:
        def mads():
            return {(lid, text[:16] + text[32:]) for lid, text in tap.mads()}
        manager.wait_for(lambda: f"{program} sends {MADS} MADs, not {len(mads())}", lambda: len(mads()) >= MADS)
        manager.end()
        return mads()


def by_content(mads):
    """{content: number of MADs}. LIDs differ between the two managers, so destinations are not compared."""
    contents = [text for _, text in mads]
    return {text: contents.count(text) for text in contents}


# Emulated adapters have the algorithms 0x101 (version 1.2), 0x102 and 0x201.
ALGORITHMS = """algorithm
  name: reactive
  id: 0x101
  version: 1.2
  parameters: rate 100 1 400000, gain 3
end-algorithm
"""


def policy(gain):
    return f"congestion-control\n  group: ALL_CAS\n  algorithm: reactive\n  sls: 0-3\n  set: gain {gain}\nend-congestion-control\n"


def check_programmable(folder):
    """Tests programmable congestion control from the files to the devices. Of the emulated adapters a quarter each has it, lacks it, announces it
    but does not respond, and refuses all requests. The manager writes each setting once, and after SIGHUP only the settings that changed.
    """
    algorithms, groups, config = folder / "algorithms", folder / "policy", folder / "ppcc.conf"
    algorithms.mkdir()
    (algorithms / "reactive").write_text(ALGORITHMS)
    groups.write_text(policy(5))

    config.write_text(f"mlnx_congestion_control 2\nppcc_algo_dir {algorithms}\ncongestion_control_policy_file {groups}\n")
    with Manager(folder / "programmable", "-F", config, "-s", "1", "--emulate-ppcc", "mixed", emulate="fattree2:k=4", http=True) as manager:
        def metrics():
            text = manager.http.get("/metrics")[1].decode()
            return [int(re.search(rf"^weft_congestion_{name} (\d+)$", text, re.M)[1]) for name in
                    ("programmable_ports", "programmable_failed_ports", "algorithms_enabled", "programmable_changes_total")]

        def wait_for(enabled, changes):
            manager.wait_for(lambda: f"{enabled} algorithms after {changes} changes, not {metrics()}",
                             lambda: metrics() == [4, 2, enabled, changes])

        wait_for(2, 2 * 2)  # the parameters, and the configuration of the slot
        groups.write_text(policy(6))
        manager.send(signal.SIGHUP)
        wait_for(2, 3 * 2)
        groups.write_text(policy("many"))  # an invalid file: the previous settings remain active
        manager.send(signal.SIGHUP)
        manager.wait_for("an error with the line of the invalid file", lambda: f"{groups}:5" in manager.log())
        groups.write_text("# algorithms without a paragraph are disabled\n")
        manager.send(signal.SIGHUP)
        wait_for(0, 4 * 2)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-cc-") as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        net.write_text(mkey_test.NET)
        for number, text in enumerate(CASES):
            config = folder / f"{number}.conf"
            config.write_text(text)
            from_opensm = by_content(record_mads(net, folder / f"opensm{number}", "opensm", config))
            from_weft = by_content(record_mads(net, folder / f"weft{number}", "weft", config))
            check(from_weft == from_opensm, f"{text}\nWeft {from_weft}\nOpenSM {from_opensm}")
            check(sorted(from_weft.values()) == [2, 3, 3], f"number of ports to which each MAD is sent: {from_weft}")
        check_programmable(folder)
        # The file has an invalid line of each kind: the error names all these lines, and weft sm does not start.
        wrong = folder / "wrong.conf"
        lines = ["cc_cct 0:1,5:2", "cc_sw_cong_setting_threshold 0x1f", "cc_ca_cong_setting_ccti_timer 99 5",
                 "cc_ca_cong_setting_ccti_min 5", "cc_sw_cong_setting_victim_mask 12", "cc_key soon"]
        wrong.write_text("congestion_control TRUE\n" + "\n".join(lines) + "\n")
        done = interop.weft("sm", "--emulate", "fattree2:k=4", "--once", "-F", wrong, check=False)
        check(done.returncode == 2, f"weft sm starts with an invalid file: {done}")
        for place, line in enumerate(lines, 2):
            key = line.split()[0]
            check(f"{wrong}:{place}:{len(key) + 2}: {key}: " in done.stderr, f"{line}: {done.stderr}")
    print(f"{len(CASES)} files: the same MADs as OpenSM")


if __name__ == "__main__":
    sys.exit(main())
