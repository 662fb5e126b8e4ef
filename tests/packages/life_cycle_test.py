#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the life cycle of the packages: the upgrade from a version with a service that runs as root, start, queries, replacement by OpenSM
and back, a further upgrade, removal, purge; or the life cycle of the Python package.
life_cycle_test.py manager|python BUILD_FOLDER FOLDER_OF_DEBS TAR_OF_DEBIAN"""
import json
import pathlib
import sys

from machine import SKIPPED, Machine, Memory, Unreachable, begin, run

# The machine has no InfiniBand: the manager runs on an emulated fabric, and therefore does not use the default log and cache.
LOG = "/var/log/weft/emulated.log"
DROP_IN = f"""[Service]
ExecStart=
ExecStart=/usr/bin/weft sm --emulate fattree2:k=4 -F /etc/opensm/opensm.conf --log_file {LOG}
"""
CACHE = "/var/cache/opensm"
PORT = "0x0002c903000e0b72"
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


def unit_state(machine, unit):
    return machine.run("systemctl", "is-active", unit, check=False).stdout.strip()


def packages(where):
    debs = sorted(where.glob("*.deb"))
    check({deb.name.split("_")[0] for deb in debs} == {"weft", "weft-mpi", "weft-dev", "python3-weft"}, f"packages are {debs}")
    return {deb.name.split("_")[0]: deb for deb in debs}


def other_version(deb, where, version, change=lambda tree: None):
    """Writes a copy of the package with another version number, after `change` of its unpacked tree; returns the path."""
    tree = where / version
    run(["dpkg-deb", "-R", deb, tree])
    control = tree / "DEBIAN/control"
    lines = control.read_text().splitlines()
    control.write_text("\n".join(f"Version: {version}" if line.startswith("Version:") else line for line in lines) + "\n")
    change(tree)
    result = where / f"weft_{version}_amd64.deb"
    run(["dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "-b", tree, result])
    return result


def run_by_root(tree):
    """Changes the unpacked package like the first versions: the service runs as root, and the package creates no user."""
    unit = tree / "usr/lib/systemd/system/weft-sm.service"
    left_out = ("User=", "Group=", "SupplementaryGroups=", "ExecStartPre=", "CapabilityBoundingSet=", "SystemCallFilter=~")
    unit.write_text("".join(line for line in unit.read_text().splitlines(True) if not line.startswith(left_out)))
    for name in ("postinst", "postrm"):
        (tree / "DEBIAN" / name).write_text("#!/bin/sh\nset -e\nif [ -d /run/systemd/system ]; then systemctl daemon-reload; fi\n")


def main_process(machine):
    return machine.run("systemctl", "show", "-P", "MainPID", "weft-sm.service").stdout.strip()


def mode_and_owner(machine, path):
    return machine.run("stat", "-c", "%a %U:%G", path).stdout.strip()


def check_upgrade_of_a_root_service(machine, deb, old_deb):
    """The upgrade changes the owner of the service's files to the user of the service. Only this user and root can read configuration and token."""
    machine.apt("install", machine.put(old_deb, "/root/weft-old.deb"))
    machine.write("/etc/systemd/system/weft-sm.service.d/emulate.conf", DROP_IN + f"Environment=OSM_CACHE_DIR={CACHE}\n")
    machine.write("/etc/opensm/opensm.conf", "http 127.0.0.1:0\nhttp_token_file /etc/opensm/token\nlog_file /var/log/opensm.log\n")
    machine.write("/etc/opensm/token", "a token of the life cycle test, long enough\n")
    machine.write("/etc/opensm/mine", "left alone\n")
    for name in ("opensm.conf", "token", "mine"):
        machine.run("chmod", "0600", f"/etc/opensm/{name}")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "weft-sm.service")
    check(mode_and_owner(machine, f"{CACHE}/guid2lid").endswith("root:root"), "the old version does not run as root")
    lids = (machine.root / "var/cache/opensm/guid2lid").read_text()
    machine.apt("install", machine.put(deb, "/root/weft.deb"))
    check(unit_state(machine, "weft-sm.service") == "active", "no manager runs after the upgrade")
    check((machine.root / "var/cache/opensm/guid2lid").read_text() == lids, "the upgrade changed LIDs")
    check_privileges(machine)
    check("cannot set the niceness" not in (machine.root / LOG[1:]).read_text(), "the threads of the HTTP service keep their priority")
    for path, wanted in ((CACHE, "700 weft:weft"), (f"{CACHE}/guid2lid", "weft:weft"), ("/etc/opensm/opensm.conf", "640 root:weft"),
                         ("/etc/opensm/token", "600 weft:weft"), ("/etc/opensm/mine", "600 root:root")):
        found = mode_and_owner(machine, path)
        check(found.endswith(wanted), f"{path}: {found}, expected {wanted}")
    check_no_restart_without_access(machine, deb)
    machine.run("systemctl", "stop", "weft-sm.service")


def check_no_restart_without_access(machine, deb):
    """The upgrade does not restart a manager if the new user cannot write the manager's files."""
    before = main_process(machine)
    text = (machine.root / "etc/opensm/opensm.conf").read_text()
    machine.write("/etc/opensm/opensm.conf", text + "history_file /srv/history.sqlite\n")
    done = machine.run("/var/lib/dpkg/info/weft.postinst", "configure", "0.0.9")
    check("history_file /srv/history.sqlite" in done.stderr and "not restarted" in done.stderr, f"no warning: {done.stderr}")
    check(main_process(machine) == before, "a manager was restarted although it could not write its files")
    machine.write("/etc/opensm/opensm.conf", text)


def check_privileges(machine):
    status = machine.run("cat", f"/proc/{main_process(machine)}/status").stdout
    user = machine.run("id", "-u", "weft").stdout.strip()
    group = machine.run("sh", "-c", "getent group umad | cut -d: -f3").stdout.strip()
    check(f"Uid:\t{user}\t{user}\t{user}\t{user}\n" in status and user != "0", f"the manager runs as another user: {status}")
    check(group in [line for line in status.splitlines() if line.startswith("Groups:")][0].split(), "the manager is not in the group umad")
    for what in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        check(f"{what}:\t0000000000000000\n" in status, f"the manager has capabilities: {status}")


def check_installation(machine):
    check(machine.run("weft", "--version").stdout.startswith("weft 0."), "weft does not print its version")
    routed = machine.run("weft", "route", "fattree2:k=4", "-R", "ftree").stdout
    check("no credit loops" in routed, f"weft route on the machine: {routed}")
    for page in ("weft", "weft-sm", "weft-route"):
        check(page in machine.run("man", page).stdout, f"man {page} shows nothing")
    check(unit_state(machine, "weft-sm.service") == "inactive", "a manager runs although the service is not enabled")
    check("ExecStart=/usr/bin/weft sm\n" in machine.run("systemctl", "cat", "weft-sm.service").stdout, "the unit does not start /usr/bin/weft sm")
    verified = machine.run("systemd-analyze", "verify", "--man=no", "weft-sm.service", "weft-sm@0x0002c903000e0b72.service",
                           check=False)
    check("weft" not in verified.stderr, verified.stderr)


PYTHON = """
import weft
routes = weft.generate("fattree2:k=4").route("ftree")
assert routes.verify() and routes.lfts.shape == (6, 15)
print(routes.engine, routes.quality().link_load_max)
"""


def check_python_package(machine, deb, weft):
    """`import weft` works on a Debian with only the packages on which python3-weft depends, and gives the numbers of the command line."""
    check(not machine.is_there("/usr/bin/weft") and not machine.is_there("/usr/bin/python3"), "the machine is not a clean Debian")
    machine.apt("install", machine.put(deb, "/root/python3-weft.deb"))
    check(not machine.is_there("/usr/bin/g++"), "a compiler was installed")
    check(machine.is_there("/usr/lib/python3/dist-packages/weft/__pycache__"), "the package is not compiled")
    printed = machine.run("/usr/bin/python3", "-c", PYTHON).stdout
    report = json.loads(run([weft, "route", "fattree2:k=4", "-R", "ftree", "--json"]).stdout)
    check(printed == f"ftree {report['quality']['link_load_max']}\n", f"from Python: {printed}")
    machine.apt("purge", "--autoremove", "python3-weft")
    for path in ("/usr/lib/python3/dist-packages/weft", "/usr/bin/python3"):
        check(not machine.is_there(path), f"{path} remains after the removal")


def check_service(machine):
    machine.run("systemctl", "start", "weft-sm.service")  # returns after READY=1, which is sent after the first sweep
    check(unit_state(machine, "weft-sm.service") == "active", "weft-sm does not run")
    log = (machine.root / LOG[1:]).read_text()
    check("SUBNET UP" in log, f"the subnet is not up when systemd reports the service as active: {log}")
    machine.run("systemctl", "reload", "weft-sm.service")
    check(unit_state(machine, "weft-sm.service") == "active", "weft-sm does not run after a reload")
    check_privileges(machine)
    machine.run("systemctl", "stop", "weft-sm.service")
    machine.run("sh", "-c", f"chown root:root {CACHE}/guid2lid && chmod 0600 {CACHE}/guid2lid")  # the state after a manager that ran as root
    machine.run("sh", "-c", f"echo secret > /root/secret && ln /root/secret {CACHE}/link")
    machine.run("systemctl", "start", "weft-sm.service")
    check(mode_and_owner(machine, f"{CACHE}/guid2lid") == "600 weft:weft", "a file that root wrote does not belong to the user of the service")
    check(mode_and_owner(machine, "/root/secret").endswith("root:root"), "the owner of a file outside the folder was changed through a hard link")
    machine.run("rm", f"{CACHE}/link")


def check_log_rotation(machine):
    machine.run("logrotate", "--force", "/etc/logrotate.d/weft")
    machine.run("systemctl", "reload", "weft-sm.service")
    fresh = machine.root / LOG[1:]
    for _ in range(1200):
        if fresh.exists() and fresh.stat().st_size > 0:
            break
        machine.run("sleep", "0.2")
    check(fresh.exists() and fresh.stat().st_size > 0, "the log is not written after its rotation")


def check_templated_unit(machine):
    """The unit of a port has its own cache and log."""
    machine.write("/etc/systemd/system/weft-sm@.service.d/emulate.conf", DROP_IN.replace(LOG, "/var/log/weft/%i/emulated.log"))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", f"weft-sm@{PORT}.service")
    check(unit_state(machine, f"weft-sm@{PORT}.service") == "active", "the templated unit does not run")
    check(unit_state(machine, "weft-sm.service") == "inactive", "two managers that may share a port run")
    check(machine.is_there(f"{CACHE}/{PORT}/guid2lid"), "no LIDs are kept for the port")
    check(machine.is_there(f"/var/log/weft/{PORT}/emulated.log"), "no log of the port")
    machine.run("systemctl", "stop", f"weft-sm@{PORT}.service")


def check_replacement_by_opensm(machine):
    machine.apt("install", "opensm")
    machine.write("/etc/systemd/system/opensm.service.d/no-hardware.conf", OPENSM_DROP_IN)
    machine.run("systemctl", "daemon-reload")
    version = lambda: machine.run("opensm", "--version", check=False).stdout
    check("weft" not in version(), "the command opensm is not OpenSM before weft-manager was run")
    machine.run("weft-manager", "weft")
    check(unit_state(machine, "weft-sm.service") == "active", "weft-manager weft does not start weft-sm")
    check(unit_state(machine, "opensm.service") != "active", "OpenSM still runs")
    check("weft" in version(), f"opensm is not Weft: {version()}")
    check("opensm is weft" in machine.run("weft-manager", "status").stdout, "weft-manager status does not show that opensm is weft")
    machine.run("weft-manager", "weft")  # a repeated start has no effect
    machine.run("ln", "-s", "/etc/passwd", f"{CACHE}/planted")  # a link that an attacker who controls the manager could create
    machine.run("weft-manager", "opensm")
    check(mode_and_owner(machine, CACHE) == "700 root:root" and not machine.is_there(f"{CACHE}/planted"),
          "OpenSM runs as root on files of another user")
    check(unit_state(machine, "opensm.service") == "active", "weft-manager opensm does not start OpenSM")
    check(unit_state(machine, "weft-sm.service") != "active", "Weft still runs")
    check("weft" not in version(), "opensm is still Weft")
    check("duplicate" not in machine.run("logrotate", "--debug", "/etc/logrotate.conf").stderr, "two logrotate files name the same log")
    machine.run("weft-manager", "weft")


def check_upgrade(machine, deb):
    before = main_process(machine)
    lids = (machine.root / "var/cache/opensm/guid2lid").read_text()
    machine.apt("install", machine.put(deb, "/root/weft-next.deb"))
    check(unit_state(machine, "weft-sm.service") == "active", "no manager runs after the upgrade")
    check(main_process(machine) != before, "the old program still runs after the upgrade")
    check((machine.root / "var/cache/opensm/guid2lid").read_text() == lids, "the upgrade changed LIDs")


def check_removal(machine, before):
    machine.apt("remove", "weft")
    check(unit_state(machine, "weft-sm.service") != "active", "a removed manager runs")
    check("weft" not in machine.run("opensm", "--version", check=False).stdout, "the command opensm is still Weft after the removal")
    check(machine.is_there(f"{CACHE}/guid2lid"), "the removal deleted guid2lid, which only a purge may delete")
    for place in ("", f"{PORT}/"):
        machine.write(f"{CACHE}/{place}guid2mkey", f"keys of {place}\n")
    machine.write("/var/backups/weft-guid2mkey", "of an earlier time\n")
    machine.apt("purge", "opensm")
    machine.apt("purge", "weft")
    check_key_backups(machine)
    left = {path for path in files(machine) if "weft" in path and not path.startswith(
        ("/root/", "/etc/systemd/system/weft-sm", "/var/log/apt", "/var/cache/man/", "/var/backups/weft-", "/var/lib/systemd/"))}
    check(not left - before, f"files remain after the purge: {sorted(left - before)}")
    check(not machine.is_there("/etc/logrotate.d/opensm.disabled"), "a diverted file remains after the removal")


def check_key_backups(machine):
    """A purge saves the M_Keys in backups: without the M_Keys no manager could access the ports."""
    check(not machine.is_there(CACHE), "the cache remains after the purge")
    for path, text in (("weft-guid2mkey", "keys of \n"), ("weft-guid2mkey.~1~", "of an earlier time\n"),
                       (f"weft-{PORT}-guid2mkey", f"keys of {PORT}/\n")):
        check(machine.is_there(f"/var/backups/{path}"), f"no backup {path}")
        check((machine.root / "var/backups" / path).read_text() == text, f"{path} has other content")
    for path in ("weft-guid2mkey", f"weft-{PORT}-guid2mkey"):
        check(mode_and_owner(machine, f"/var/backups/{path}") == "600 root:root", f"other users can read {path}")


def files(machine):
    return {"/" + str(path.relative_to(machine.root)) for top in ("etc", "usr", "var", "lib") for path in
            (machine.root / top).rglob("*")}


def check_manager_package(machine, deb, where):
    before = files(machine)
    check_upgrade_of_a_root_service(machine, deb, other_version(deb, where, "0.0.9", run_by_root))
    check_installation(machine)
    check_service(machine)
    check_log_rotation(machine)
    check_templated_unit(machine)
    check_replacement_by_opensm(machine)
    check_upgrade(machine, other_version(deb, where, "99.0"))
    check_removal(machine, before)


def main():
    begin()
    build, folder_of_debs, tar = (pathlib.Path(word).resolve() for word in sys.argv[2:])
    debs = packages(folder_of_debs)
    if not tar.exists():
        print("skipped: Debian could not be downloaded")
        return SKIPPED
    with Memory() as memory, Machine(tar, memory / "machine") as machine:
        if sys.argv[1] == "python":
            check_python_package(machine, debs["python3-weft"], build / "bin/weft")
        else:
            check_manager_package(machine, debs["weft"], memory)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreachable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
