# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gets the routes of OpenSM on ibsim with the SL of each path. OpenSM dumps cables, forwarding tables and SLtoVL tables. OpenSM's SA is
queried for the reversible path of each pair of hosts; the SLs of the answers are written as weft.psl."""
import json
import re

from fabrics import interop  # must be first: adds the folder of the interop tests to the path
from manager import Manager
from sa_client import ask, path

SL_AT, SL_MASK = 53, 0xF  # byte and bits of the SL in a PathRecord
PATIENCE_MS = 20_000


class Dumps:
    """A folder of dumps: the fabric, and the options of weft verify and credit_load that name the other files."""

    def __init__(self, folder, fabric):
        self.fabric = folder / fabric
        self.options = [word for option, name in (("--lfts", "opensm.fdbs"), ("--psl", "weft.psl"), ("--slvl", "opensm-sl2vl.dump"))
                        if (folder / name).exists() for word in (option, str(folder / name))]


def of_opensm(net, folder, engine, *options):
    """(engine used, Dumps) of one bring-up."""
    hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', net.read_text(), re.M)
    with interop.Ibsim(net) as sim:
        with Manager(folder, "-R", engine, *options, "-D", "0x47", "--dump_files_dir", folder, program="opensm", sim=sim, host=hosts[0]) as opensm:
            opensm.wait_for_sa(hosts[1])
            _, routed_by = interop.opensm_route_seconds(opensm.log())
            write_path_sls(sim, hosts[1], folder)
    return routed_by, Dumps(folder, "opensm-subnet.lst")


def host_lids(lst):
    """[(node GUID, LID)] of the first port of each host."""
    interop.weft("convert", lst, lst.with_suffix(".json"), "--to", "json")
    nodes = json.loads(lst.with_suffix(".json").read_text())["nodes"]
    return [(node["guid"], next(port["lid"] for port in node["ports"] if port["lid"])) for node in nodes if node["type"] == "ca"]


def write_path_sls(sim, host, folder):
    ends = host_lids(folder / "opensm-subnet.lst")
    pairs = [(guid, slid, dlid) for guid, slid in ends for _, dlid in ends if slid != dlid]
    answers = ask(sim, host, [path(slid=slid, dlid=dlid, reversible=1, numb=1) for _, slid, dlid in pairs], patience_ms=PATIENCE_MS)
    lines = []
    for (guid, slid, dlid), answer in zip(pairs, answers):
        interop.check(not answer.silent and answer.status == 0, f"OpenSM has no path from LID {slid} to {dlid}: "
                      f"{'no response' if answer.silent else f'status {answer.status:#x}'}")
        lines.append(f"{guid} {dlid} {answer.data[SL_AT] & SL_MASK}\n")
    (folder / "weft.psl").write_text("".join(lines))
