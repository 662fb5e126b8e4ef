# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A small ibsim fabric on which OpenSM and Weft run one after the other with the same configuration.

    with ManagedFabric("Default=0x7fff: ALL=full;\\n") as fabric:
        with fabric.manager("first", "opensm"):
            by_opensm = sa_client.ask(fabric.sim, fabric.net.hosts[2], lines)
        with fabric.manager("second", "weft"):
            by_weft = sa_client.ask(fabric.sim, fabric.net.hosts[2], lines)
"""
import pathlib
import re
import tempfile

import sa_client
import weft_interop as interop
from manager import Manager
from weft_interop import check


class Net:
    """The links between the nodes of an ibsim file."""

    def __init__(self, text):
        self.peers, name = {}, None
        for line in text.splitlines():
            if found := re.match(r'(Ca|Switch|Hca)\s+\d+\s+"([^"]+)"', line):
                name = found[2]
            elif found := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\]', line):
                self.peers[name, int(found[1])] = found[2], int(found[3])
        self.hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', text, re.M)
        self.switches = re.findall(r'^Switch\s+\d+\s+"([^"]+)"', text, re.M)

    def copies(self, tables, mlid, source):
        """The sorted hosts that receive a copy of a multicast packet from `source`, once for each copy. Fails if `tables`
        ({switch: {mlid: ports}}) have a loop."""
        got, arrivals, steps = [], [self.peers[source, 1]], 0
        while arrivals:
            steps += len(arrivals)
            check(steps < 1000, f"forwarding loop of 0x{mlid:x} from {source}")
            following = []
            for switch, entry in arrivals:
                for port in tables[switch].get(mlid, ()):
                    peer = self.peers.get((switch, port))
                    if port == entry or peer is None:
                        continue
                    (following if peer[0] in self.switches else got).append(peer if peer[0] in self.switches else peer[0])
            arrivals = following
        return sorted(got)


class ManagedFabric:
    """The fabric, with files in a private folder. `partitions`: text of partitions.conf, with {N} for the port GUID of host N."""

    def __init__(self, partitions, config=""):
        self.scratch = tempfile.TemporaryDirectory(prefix="weft-sa-")
        self.folder = pathlib.Path(self.scratch.name)
        path = self.folder / "fabric.net"
        interop.weft("convert", "fattree2:k=4", path, "--to", "ibsim")
        text = path.read_text()
        self.net = Net(text)
        self.guids = [int(guid, 16) for guid in re.findall(r"^\[1\]\((\w+)\)", text, re.M)]
        self.switches = [int(guid, 16) for guid in re.findall(r"^switchguid=(0x\w+)", text, re.M)]
        self.ports = [sa_client.PREFIX | guid for guid in self.guids]
        (self.folder / "partitions").write_text(partitions.format(*(f"0x{guid:x}" for guid in self.guids)))
        self.configure(config)
        self.sim = interop.Ibsim(path)

    def configure(self, config):
        """Writes the configuration file of the managers that start later."""
        (self.folder / "conf").write_text(config)

    def manager(self, name, program, *options, through=None):
        """A manager on the first host, with an SA that answers. The manager ends at the end of the with block.
        `name`: the folder of its files. `through`: see Manager; by default OpenSM gets the functions of the kernel that ibsim lacks."""
        config = self.folder / "conf"
        if program == "weft":  # OpenSM trusts the public SM_Key from any port, Weft only with this option
            config = self.folder / "conf-weft"
            config.write_text((self.folder / "conf").read_text() + "trust_public_sa_key TRUE\n")
        files = ["-P", self.folder / "partitions", "-F", config]
        if program == "weft":
            files += ["-D", "0x07"]
        manager = Manager(self.folder / name, *files, *options, program=program, sim=self.sim, host=self.net.hosts[0],
                          through=through or (interop.preloaded if program == "opensm" else list))
        try:
            manager.wait_for_sa(self.net.hosts[1])
        except BaseException:
            manager.kill()
            raise
        return manager

    def __enter__(self):
        self.sim.__enter__()
        return self

    def __exit__(self, *why):
        self.sim.__exit__(*why)
        self.scratch.cleanup()
