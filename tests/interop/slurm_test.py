#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the exports of ten fabrics with a real slurmctld. slurmctld reads each topology.conf without an error, and `scontrol show topology` has
the switches, levels and nodes of the file.

Needs slurmctld, slurm-client. Usage: slurm_test.py
"""
import concurrent.futures
import os
import pathlib
import pwd
import re
import subprocess
import tempfile

import weft_interop as interop
from export_test import expand, read_slurm, run
from processes import free_port
from weft_interop import check, wait_for

FABRICS = ("fattree2:k=4", "fattree3:k=4", "xgft:m=4x2x2,w=1x2x2", "torus:4x4,hosts=2", "hyperx:3x3,hosts=2", "dragonfly:a=4,h=2,p=2", "ring:n=4,hosts=3",
           "kautz:b=2,n=2,hosts=2", "random:n=12,degree=4,hosts=2,seed=3", "fattree3:k=4,fail=5,seed=2")
CONFIGURATION = """ClusterName=weft
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
ProctrackType=proctrack/linuxproc
MailProg=/bin/true
TopologyPlugin=topology/tree
NodeName={nodes} NodeAddr=127.0.0.1 Port=[{first}-{last}] State=FUTURE
PartitionName=all Nodes=ALL Default=YES
"""


def shown(text):
    """{switch name: (level, nodes)} of the output of `scontrol show topology`."""
    return {found[1]: (int(found[2]), set(expand(found[3]))) for found in re.finditer(r"SwitchName=(\S+) Level=(\d+) .*?Nodes=(\S+)", text)}


def nodes_below(lines, name):
    nodes, switches = lines[name]
    return set(nodes).union(*(nodes_below(lines, child) for child in switches))


def level_of(lines, name):
    return max((level_of(lines, child) + 1 for child in lines[name][1]), default=0)


def in_slurmctld(folder, text):
    """The topology that slurmctld reads from a topology.conf, and the lines of its log about the file."""
    (folder / "state").mkdir(parents=True)
    (folder / "topology.conf").write_text(text)
    nodes = sorted({node for listed, _ in read_slurm(text).values() for node in listed})
    (folder / "slurm.conf").write_text(CONFIGURATION.format(
        user=pwd.getpwuid(os.getuid()).pw_name, folder=folder, port=free_port(), nodes=",".join(nodes), first=30001, last=30000 + len(nodes)))
    environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
    log = folder / "log"
    with log.open("w") as output:
        daemon = subprocess.Popen(["slurmctld", "-D", "-c", "-f", folder / "slurm.conf"], stdout=output, stderr=subprocess.STDOUT, env=environment)
    try:
        def topology():
            check(daemon.poll() is None, f"slurmctld ended:\n{log.read_text()[-2000:]}")
            done = subprocess.run(["scontrol", "show", "topology"], capture_output=True, text=True, env=environment, timeout=interop.PATIENCE)
            return shown(done.stdout) if done.returncode == 0 else None
        found = wait_for(lambda: f"scontrol answers:\n{log.read_text()[-2000:]}", topology)
    finally:
        daemon.kill()
        daemon.wait(timeout=interop.PATIENCE)
    return found, [line for line in log.read_text().splitlines() if re.search(r"(?i)topology|switch", line)]


def check_fabric(folder, fabric):
    text, _ = run("export", "slurm", fabric)
    lines = read_slurm(text)
    found, problems = in_slurmctld(folder, text)
    wanted = {name: (level_of(lines, name), nodes_below(lines, name)) for name in lines}
    check(found == wanted, f"{fabric}: slurmctld has {found}, the file {wanted}")
    check(not problems, f"{fabric}: {problems}")


def main():
    interop.needs("slurmctld")
    with tempfile.TemporaryDirectory(prefix="weft-slurm-") as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # slurmctld waits most of the time
            list(pool.map(lambda fabric: check_fabric(folder / str(FABRICS.index(fabric)), fabric), FABRICS))
        text_without_top = "".join(line for line in run("export", "slurm", FABRICS[0])[0].splitlines(True) if not line.startswith("SwitchName=top"))
        check(in_slurmctld(folder / "no-top", text_without_top)[1], "expected an error of slurmctld for a file without a common top switch")
    print(f"slurmctld accepts {len(FABRICS)} fabrics")


if __name__ == "__main__":
    main()
