#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft sm` on ibsim with an emulated kernel: with the limits and faults of umad_kernel.cpp, every node and every link comes up.

The kernel refuses a request with the transaction id of a pending request. Therefore each retry must have a different id. Otherwise a node
would be missing after a lost SMP.
"""
import json
import pathlib
import tempfile

import weft_interop as interop
from bringup_test import check_lids, check_links, discovered
from weft_interop import check, preloaded

SPEC = "fattree2:k=4"


def bring_up(net, scratch, links, limits):
    """Runs `weft sm --once`, checks that all nodes and links come up, and returns the counters of the emulated kernel."""
    folder = scratch / limits.replace("=", "-").replace(",", "-")
    (folder / "cache").mkdir(parents=True)
    counts = folder / "counts.json"
    command = [interop.weft_binary(), "sm", "--once", "-f", folder / "sm.log", "--dump_files_dir", folder]
    with interop.Ibsim(net) as sim:
        done = sim.client([str(word) for word in preloaded(command)], check=False,
                          extra={"OSM_CACHE_DIR": str(folder / "cache"), "UMAD_KERNEL": limits, "UMAD_KERNEL_COUNTS": str(counts)})
        check(done.returncode == 0, f"{limits}: status {done.returncode} {counts.read_text()}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        nodes = discovered(sim)
        check_lids(nodes)
        check_links(sim, links)
    result = json.loads(counts.read_text())
    print(limits, result, flush=True)
    check(result["duplicates"] == 0, f"{limits}: the kernel refused duplicates: {result}")
    return result


def main():
    with tempfile.TemporaryDirectory(prefix="weft-kernel-") as scratch:
        scratch = pathlib.Path(scratch)
        net = scratch / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        links = interop.weft_json("diff", net, net)["a"]["links"]
        check(bring_up(net, scratch, links, "lose=10")["lost"] > 0, "umad_kernel lost no SMP")
        check(bring_up(net, scratch, links, "send_max=8")["refused"] > 0, "umad_kernel refused no SMP")
        check(bring_up(net, scratch, links, "receive_max=24")["overflowed"] > 0, "umad_kernel dropped no MAD")


if __name__ == "__main__":
    main()
