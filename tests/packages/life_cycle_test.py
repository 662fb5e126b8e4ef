#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The life cycle of the packages: installed, started, queried, replaced by OpenSM and back, upgraded, removed, purged.
life_cycle_test.py BUILD_FOLDER [FOLDER_OF_DEBS]"""
import os
import pathlib
import shutil
import sys
import tempfile

from machine import Machine, Unreachable, base, run

SKIPPED = 77
# No InfiniBand here: the manager runs on an emulated fabric, and so does not use the default log and cache.
LOG = "/var/log/opensm.emulated.log"
DROP_IN = f"""[Service]
ExecStart=
ExecStart=/usr/bin/weft sm --emulate fattree2:k=4 --log_file {LOG}
"""
OPENSM_DROP_IN = """[Unit]
ConditionPathExists=
[Service]
ExecCondition=
ExecStart=
ExecStart=/bin/true
"""


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def is_active(machine, unit):
    return machine.run("systemctl", "is-active", unit, check=False).stdout.strip()


def build_packages(build, where):
    run(["cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", where], cwd=build)
    debs = sorted(where.glob("*.deb"))
    check({deb.name.split("_")[0] for deb in debs} == {"weft", "weft-mpi", "weft-dev"}, f"packages are {debs}")
    return {deb.name.split("_")[0]: deb for deb in debs}


def next_version(deb, where):
    """The same package as version 99."""
    tree = where / "next"
    run(["dpkg-deb", "-R", deb, tree])
    control = tree / "DEBIAN/control"
    lines = control.read_text().splitlines()
    control.write_text("\n".join("Version: 99.0" if line.startswith("Version:") else line for line in lines) + "\n")
    result = where / "weft_99.0_amd64.deb"
    run(["dpkg-deb", "--root-owner-group", "-b", tree, result])
    return result


def installs(machine, deb):
    machine.apt("install", machine.put(deb, "/root/weft.deb"))
    check(machine.run("weft", "--version").stdout.startswith("weft 0."), "weft does not print its version")
    routed = machine.run("weft", "route", "fattree2:k=4", "-R", "ftree").stdout
    check("no credit loops" in routed, f"weft route on the machine: {routed}")
    for page in ("weft", "weft-sm", "weft-route"):
        check(page in machine.run("man", page).stdout, f"man {page} shows nothing")
    check(is_active(machine, "weft-sm.service") == "inactive", "a manager runs although not enabled")
    check("ExecStart=/usr/bin/weft sm\n" in machine.run("systemctl", "cat", "weft-sm.service").stdout, "the unit starts something else")
    verified = machine.run("systemd-analyze", "verify", "--man=no", "weft-sm.service", "weft-sm@0x0002c903000e0b72.service",
                           check=False)
    check("weft" not in verified.stderr, verified.stderr)


def runs(machine):
    machine.write("/etc/systemd/system/weft-sm.service.d/emulate.conf", DROP_IN + "Environment=OSM_CACHE_DIR=/var/cache/opensm\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "weft-sm.service")  # READY is sent after the first sweep
    check(is_active(machine, "weft-sm.service") == "active", "weft-sm does not run")
    log = (machine.root / LOG[1:]).read_text()
    check("SUBNET UP" in log, f"the subnet is not up when systemd thinks so: {log}")
    machine.run("systemctl", "reload", "weft-sm.service")
    check(is_active(machine, "weft-sm.service") == "active", "weft-sm does not survive a reload")


def rotates(machine):
    machine.run("logrotate", "--force", "/etc/logrotate.d/weft")
    machine.run("systemctl", "reload", "weft-sm.service")
    fresh = machine.root / LOG[1:]
    for _ in range(1200):
        if fresh.exists() and fresh.stat().st_size > 0:
            break
        machine.run("sleep", "0.2")
    check(fresh.exists() and fresh.stat().st_size > 0, "the log is not written after its rotation")


def templates(machine):
    """A unit for a port: with its own cache and log."""
    port = "0x0002c903000e0b72"
    machine.write("/etc/systemd/system/weft-sm@.service.d/emulate.conf", DROP_IN.replace(LOG, "/var/log/opensm.%I.log"))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", f"weft-sm@{port}.service")
    check(is_active(machine, f"weft-sm@{port}.service") == "active", "the templated unit does not run")
    check(is_active(machine, "weft-sm.service") == "inactive", "two managers that may share a port run")
    check(machine.is_there(f"/var/cache/opensm/{port}/guid2lid"), "no LIDs are kept for the port")
    machine.run("systemctl", "stop", f"weft-sm@{port}.service")


def swaps(machine):
    machine.apt("install", "opensm")
    machine.write("/etc/systemd/system/opensm.service.d/no-hardware.conf", OPENSM_DROP_IN)
    machine.run("systemctl", "daemon-reload")
    version = lambda: machine.run("opensm", "--version", check=False).stdout
    check("weft" not in version(), "opensm is not OpenSM before anything was swapped")
    machine.run("weft-manager", "weft")
    check(is_active(machine, "weft-sm.service") == "active", "weft-manager weft does not start it")
    check(is_active(machine, "opensm.service") != "active", "OpenSM still runs")
    check("weft" in version(), f"opensm is not Weft: {version()}")
    check("opensm is weft" in machine.run("weft-manager", "status").stdout, "status does not show it")
    machine.run("weft-manager", "weft")  # a repeated start has no effect
    machine.run("weft-manager", "opensm")
    check(is_active(machine, "opensm.service") == "active", "weft-manager opensm does not start it")
    check(is_active(machine, "weft-sm.service") != "active", "Weft still runs")
    check("weft" not in version(), "opensm is still Weft")
    check("duplicate" not in machine.run("logrotate", "--debug", "/etc/logrotate.conf").stderr, "two owners of one log")
    machine.run("weft-manager", "weft")


def upgrades(machine, deb):
    pid = lambda: machine.run("systemctl", "show", "-P", "MainPID", "weft-sm.service").stdout.strip()
    before = pid()
    lids = (machine.root / "var/cache/opensm/guid2lid").read_text()
    machine.apt("install", machine.put(deb, "/root/weft-next.deb"))
    check(is_active(machine, "weft-sm.service") == "active", "no manager runs after the upgrade")
    check(pid() != before, "the old program still runs after the upgrade")
    check((machine.root / "var/cache/opensm/guid2lid").read_text() == lids, "the upgrade changed LIDs")


def goes(machine, before):
    machine.apt("remove", "weft")
    check(is_active(machine, "weft-sm.service") != "active", "a removed manager runs")
    check("weft" not in machine.run("opensm", "--version", check=False).stdout, "opensm is not given back")
    check(machine.is_there("/var/cache/opensm/guid2lid"), "LIDs are lost though it was not purged")
    machine.apt("purge", "weft", "opensm")
    left = {path for path in files(machine) if "weft" in path and not path.startswith(
        ("/root/", "/etc/systemd/system/weft-sm", "/var/log/", "/var/cache/", "/var/lib/systemd/"))}
    check(not left - before, f"left behind: {sorted(left - before)}")
    check(not machine.is_there("/etc/logrotate.d/opensm.disabled"), "a diversion is left behind")


def files(machine):
    return {"/" + str(path.relative_to(machine.root)) for top in ("etc", "usr", "var", "lib") for path in
            (machine.root / top).rglob("*")}


def main():
    if os.geteuid() != 0:
        print("skipped: debootstrap and systemd-nspawn need root")
        return SKIPPED
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(dir=build) as folder:
        where = pathlib.Path(folder)
        debs = build_packages(build, where)
        with Machine(base(build / "debian-12"), where / "machine") as machine:
            before = files(machine)
            for step in (lambda: installs(machine, debs["weft"]), lambda: runs(machine), lambda: rotates(machine),
                         lambda: templates(machine), lambda: swaps(machine),
                         lambda: upgrades(machine, next_version(debs["weft"], where)), lambda: goes(machine, before)):
                step()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreachable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
