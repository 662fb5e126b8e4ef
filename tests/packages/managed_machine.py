# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service weft-sm of an installed package on a machine, with a port on an ibsim server of this host. Machines use the network of the
host, and therefore reach ibsim's sockets and each other's HTTPS services."""
import contextlib
import json
import os
import pathlib
import sys

from machine import run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
import http_client  # noqa: E402
from http_tls_test import Service  # noqa: E402
from processes import check, free_port, wait_for  # noqa: E402

DROP_IN = """[Service]
ExecStart=
ExecStart=/usr/bin/ibsim-run /usr/bin/weft sm
Environment=IBSIM_SOCKNAME={name} SIM_HOST={host}
WorkingDirectory=/var/lib/weft
# The library of ibsim may crash at its start.
RestartSec=200ms
"""
FILES = "/etc/weft"
LOG = "/var/log/weft/opensm.log"
# ibsim loses no packets: if an answer is late, the machine is busy.
CONFIG = "transaction_timeout 2000\ntrust_public_sa_key TRUE\n"
HTTP = """http 127.0.0.1:{port}
http_token_file {files}/token
http_certificate_file {files}/http.pem
http_key_file {files}/http.key
replication_peers https://127.0.0.1:{peer}
replication_token_file {files}/token
replication_ca_file {files}/ca.pem
"""


class ManagedMachine:
    """`number` is the index of the machine in a test. Each machine gets a separate range of process ids, because ibsim names its clients by process
    ids."""

    def __init__(self, machine, number, fabric, host):
        self.machine, self.fabric, self.host = machine, fabric, fabric.net.hosts[host]
        last = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text()) - 3000 * (number + 1)
        run(["nsenter", "-t", machine.init, "-p", "sh", "-c", f"echo {last} > /proc/sys/kernel/ns_last_pid"])
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"

    def install(self, deb, *more):
        """Installs the package as an administrator does. The package restarts a running service."""
        self.machine.apt("install", self.machine.put(deb, f"/root/{deb.name}"), *more)

    def version(self):
        return self.machine.run("dpkg-query", "-W", "-f", "${Version}", "weft").stdout

    def configure(self, text):
        self.machine.write("/etc/opensm/opensm.conf", CONFIG + text)
        self.machine.write("/etc/systemd/system/weft-sm.service.d/ibsim.conf",
                           DROP_IN.format(name=self.fabric.sim.environment["IBSIM_SOCKNAME"], host=self.host))
        self.machine.run("systemctl", "daemon-reload")

    def configure_replication(self, authority, certificate, peer, priority):
        """Configures replication with the other machine as peer."""
        self.service = Service(self.port, authority.certificate)
        os.makedirs(self.machine.root / FILES[1:])
        for source, name in ((certificate[0], "http.pem"), (certificate[1], "http.key"), (authority.certificate, "ca.pem")):
            self.machine.put(source, f"{FILES}/{name}")
        self.machine.write(f"{FILES}/token", f"{http_client.TOKEN}\n")
        self.machine.run("sh", "-c", f"chown weft:weft {FILES}/* && chmod 0600 {FILES}/*")
        self.configure(f"sm_priority {priority}\n" + HTTP.format(files=FILES, port=self.port, peer=peer.port))

    def start(self):
        self.machine.run("weft-manager", "weft", check=False)  # systemd starts the service again after a crash of ibsim's library
        self.wait_until_active()

    def wait_until_active(self):
        wait_for(lambda: f"weft-sm is active: {self.log()[-3000:]}\n{self.machine.run('systemctl', 'status', 'weft-sm', check=False).stdout}",
                 lambda: self.machine.run("systemctl", "is-active", "weft-sm.service", check=False).stdout.strip() == "active")

    def log(self):
        path = self.machine.root / LOG[1:]
        return path.read_text(errors="replace") if path.exists() else ""

    def replication(self):
        """The status of the replication; None while the service does not answer."""
        with contextlib.suppress(OSError):
            status, body = self.service.get("/api/v1/replication")
            return json.loads(body) if status == 200 else None
        return None

    def becomes(self, role):
        """Waits until the replication has this role: `source` for a master, `follower` for a standby."""
        wait_for(lambda: f"role {role}: {self.replication()}\n{self.log()[-3000:]}", lambda: (self.replication() or {}).get("role") == role)

    def wait_until_in_step(self):
        wait_for(lambda: f"the standby is in step: {self.replication()}\n{self.log()[-3000:]}",
                 lambda: ((self.replication() or {}).get("copy") or {}).get("in_step"))

    def hand_over(self):
        done = self.machine.run("weft", "handover", "--server", self.url, "--ca-file", f"{FILES}/ca.pem", "--token-file", f"{FILES}/token")
        print(done.stdout.strip())

    def check_equal_states(self, master):
        """Checks that the parts of the state that both versions have are equal."""
        def equal():
            standby_parts, master_parts = (self.replication() or {}).get("parts"), (master.replication() or {}).get("parts")
            common = (standby_parts or {}).keys() & (master_parts or {}).keys()
            return standby_parts and master_parts and all(standby_parts[name] == master_parts[name] for name in common)
        wait_for(lambda: f"equal states: {self.replication()}\n{master.replication()}", equal)
        parts = master.replication()["parts"]
        check(parts["registrations"]["records"] > 0 and parts["lids"]["records"] > 0, f"nothing was copied: {parts}")
