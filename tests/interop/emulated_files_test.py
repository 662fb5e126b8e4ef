#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the files of a manager with an emulated fabric. Such a manager neither reads nor writes files of the machine's manager (/etc/opensm,
/var/log, /var/cache/opensm, OSM_TMP_DIR): the test mounts private folders there. Each manager has a private folder, and removes this
folder at its end. Status and log show that the fabric is emulated. A folder named by OSM_TMP_DIR is not created.
"""
import json
import os
import pathlib
import re
import signal
import stat
import tempfile

import weft_interop as interop
from http_client import token_file
from manager import Manager
from openapi import User
from weft_interop import check

SPEC = "fattree2:k=4"
FULL_MEMBER = "Default=0x7fff, ipoib : ALL=full ;\n"
DEFAULTS = {"partitions.conf": FULL_MEMBER + "Mine=0x1234 : ALL ;\n", "prefix-routes.conf": "wrong\n", "qos-policy.conf": "wrong\n",
            "per-module-logging.conf": "wrong\n", "torus-2QoS.conf": "wrong\n", "ib-node-name-map": "wrong\n",
            "opensm.conf": "lmc 99\n"}

# In a separate mount namespace the folders of the test are mounted over the folders of the machine.
INSIDE = ("mkdir -p /etc/opensm /var/cache/opensm && mount --bind \"$0/etc\" /etc/opensm && mount --bind \"$0/log\" /var/log && "
          "mount --bind \"$0/cache\" /var/cache/opensm && exec \"$@\"")


class Machine:
    """The machine's default files, each but partitions.conf with invalid content, and a check that the files do not change."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("etc", "cache", "log", "tmp"):
            (folder / name).mkdir()
        for name, content in DEFAULTS.items():
            (folder / "etc" / name).write_text(content)

    def in_private_namespace(self, command):
        return ["unshare", "-m", "bash", "-c", INSIDE, str(self.folder), *command]

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OSM_")}
        return dict(kept, TMPDIR=str(self.folder / "tmp"), **more)

    def check_unchanged(self):
        found = {path.name: path.read_text() for path in (self.folder / "etc").iterdir()}
        check(found == DEFAULTS, f"/etc/opensm is changed: {found.keys()}")
        for name in ("cache", "log"):
            check(not list((self.folder / name).iterdir()), f"{name} has {list((self.folder / name).iterdir())}")


def test_once(folder):
    machine = Machine(folder)
    command = [interop.weft_binary(), "sm", "--once", "--emulate", SPEC, "--qos", "-D", "0x43", "--json", "-R", "updn"]
    done = interop.run(machine.in_private_namespace(command), check=False, env=machine.environment(OSM_TMP_DIR=str(folder / "not-there")))
    check(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
    check(json.loads(done.stdout)["emulated"] is True, "the report does not show the emulation")
    check("dumps are not written: name a folder with --dump_files_dir" in done.stderr, done.stderr)
    check(not (folder / "not-there").exists(), "the folder of OSM_TMP_DIR is created")
    machine.check_unchanged()
    check(not list((folder / "tmp").iterdir()), "files are left in the temporary folder")


def emulated(machine, name, *options):
    """A manager without environment variables for its folders."""
    variables = {variable: None for variable in ("OSM_CACHE_DIR", "OSM_TMP_DIR", *os.environ) if variable.startswith("OSM_")}
    return Manager(machine.folder / name, "--http_token_file", token_file(machine.folder), *options, emulate=SPEC, http=True,
                   environment={**variables, "TMPDIR": machine.folder / "tmp"}, through=machine.in_private_namespace)


def own_folder(manager):
    return pathlib.Path(re.search(r"default files are in (\S+)", manager.log())[1])


def user_of(machine, manager):
    return User(manager, machine.folder / "token", "partition")


def test_resident(folder):
    machine = Machine(folder)
    with emulated(machine, "first") as first, emulated(machine, "second") as second:
        check("an emulated fabric (fattree2:k=4)" in first.log(), first.log())
        check(first.http.json("/api/v1/fabric")[1]["emulated"] is True, "the status does not show the emulation")
        own, user = own_folder(first), user_of(machine, first)
        check(own != own_folder(second), "two managers share a folder")
        check(stat.S_IMODE(own.stat().st_mode) == 0o700, f"mode of the folder is {own.stat().st_mode:o}, expected 0700")
        check("0x1234" not in user.weft("list"), "the machine's partitions are read")
        user.weft("create", "0x10", "blue")
        check("blue=0x0010" in (own / "partitions.conf").read_text().replace(" ", ""), (own / "partitions.conf").read_text())
        check("blue" in user.weft("list"), "the new partition is not listed")
        check("blue" not in user_of(machine, second).weft("list"), "the other manager has the new partition")
        first.send(signal.SIGHUP)
        first.wait_for_up(2)
        check("blue" in user.weft("list"), "the partition is missing after SIGHUP")
    check(not list((folder / "tmp").iterdir()), f"files remain in the temporary folder: {list((folder / 'tmp').iterdir())}")
    machine.check_unchanged()


def test_named(folder):
    """The manager reads configured files, but refuses to write the partition file of the machine's manager."""
    machine = Machine(folder)
    config = folder / "conf"
    config.write_text("partition_config_file /etc/opensm/partitions.conf\n")
    with emulated(machine, "named", "-F", config) as manager:
        user = user_of(machine, manager)
        check("Mine" in user.weft("list"), "the partition file named by -F is not read")
        check("belongs to the subnet manager of the machine" in user.weft("create", "0x10", "blue", wanted=2),
              "no error message about the partition file of the machine")
    machine.check_unchanged()


def test_temporary_folder(folder):
    done = interop.run([interop.weft_binary(), "sm", "--emulate", SPEC], check=False,
                       env=dict(os.environ, TMPDIR=str(folder / "not-there")))
    check(done.returncode == 3 and "set TMPDIR" in done.stderr, f"{done.returncode}: {done.stderr}")


def test_tmp_dir(folder):
    """Without an emulated fabric: OSM_TMP_DIR is not created, the subnet comes up, and the status reports the missing dumps."""
    net = folder / "fabric.net"
    interop.weft("generate", SPEC, "--to", "ibsim", "-o", net)
    with interop.Ibsim(net) as sim:
        done = sim.client([interop.weft_binary(), "sm", "--once", "-f", "stdout"], check=False,
                          extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder / "not-there")})
        messages = done.stdout + done.stderr
        check(done.returncode == 3, f"status {done.returncode}: {messages}")
        check("SUBNET UP" in messages, messages)
        check(f"OSM_TMP_DIR: {folder / 'not-there'}: no such folder" in messages and "--dump_files_dir" in messages, messages)
        check(not (folder / "not-there").exists(), "the folder of OSM_TMP_DIR is created")
        (folder / "there").mkdir()
        sim.client([interop.weft_binary(), "sm", "--once", "-f", "stdout"],
                   extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder / "there")})
        check((folder / "there" / "opensm.fdbs").exists(), "no dumps in the existing folder of OSM_TMP_DIR")


def main():
    for test in (test_once, test_resident, test_named, test_temporary_folder, test_tmp_dir):
        with tempfile.TemporaryDirectory(prefix="weft-emulated-files-") as folder:
            test(pathlib.Path(folder))
        print(f"{test.__name__}: passed", flush=True)


if __name__ == "__main__":
    main()
