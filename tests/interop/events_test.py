#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests events of a resident `weft sm`: a link is cut on ibsim, and the stream of JSON lines and the example plugin report it. Also tests
invalid plugins, a stream to a pipe, notifications to systemd, the handover to OpenSM on SIGTERM, and names and modules in the log.

Standard library only. Usage: events_test.py
"""
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
PLUGIN = interop.ROOT / "examples/event-plugin/event_plugin.c"
SPINE = "S-0010000000000005"


def text_of(path):
    return path.read_text(errors="replace") if path.exists() else ""


def events_of(path, kind):
    """The events of one kind, from complete lines only: the last line may be incomplete."""
    events = [json.loads(line) for line in text_of(path).split("\n")[:-1]]
    return [event for event in events if event["event"] == kind]


def test_cable(net, folder):
    plugin, cables, stream = (folder / name for name in ("libcables.so", "cables", "events"))
    compiler = shutil.which("cc") or shutil.which("gcc")
    interop.run([compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC",
                 "-I", interop.ROOT / "src/service/events", "-o", plugin, PLUGIN])
    config = folder / "weft.conf"
    config.write_text(f"event_plugin_name {plugin}\nevent_plugin_options {cables}\nevent_log {stream}\nsweep_interval 1\n")
    with interop.Ibsim(net) as sim, Manager(folder, "-F", config, sim=sim) as manager:
        wait_for("the end of the first sweep", lambda: events_of(stream, "sweep_ended"))
        check(events_of(stream, "sweep_ended")[0]["up"], "the subnet is not up after the first sweep")
        for kind, count in (("node_appeared", 14), ("link_appeared", 16), ("lid_changed", 14), ("routes_changed", 1)):
            check(len(events_of(stream, kind)) == count, f"{kind}: {len(events_of(stream, kind))}, expected {count}")
        sim.console(f'unlink "{SPINE}"[1]')
        gone = wait_for("the loss of the link", lambda: events_of(stream, "link_gone"))[0]
        ends = {(gone["node"], gone["port"]), (gone["peer"], gone["peer_port"])}
        check(("0x0010000000000005", 1) in ends, f"the event has another link: {gone}")
        check(not events_of(stream, "node_gone"), "an event reports a lost node")
        wait_for("changed routes", lambda: len(events_of(stream, "routes_changed")) > 1)
        moved = stream.rename(folder / "events.old")
        manager.send(signal.SIGUSR1)
        wait_for("a new event file after the renaming", stream.exists)
        sim.console(f'relink "{SPINE}"[1]')
        wait_for("the event of the restored link", lambda: events_of(stream, "link_appeared"))
        check(len(events_of(moved, "link_appeared")) == 16, "the renamed file has changed")
    lines = cables.read_text().splitlines()
    check(sum(line.startswith("appeared") for line in lines) == 17 and sum(line.startswith("gone") for line in lines) == 1,
          f"the plugin wrote {lines}")
    check(lines[-1].endswith(" events") and int(lines[-1].split()[0]) > 40, f"the plugin was not ended: {lines[-1]}")
    check("plugin: watching cables" in manager.log(), "the log has no line of the plugin")


def test_invalid_plugins(folder):
    bad = folder / "bad.c"
    bad.write_text('#include "event_plugin.h"\nstatic void* create(const char* o, weft_log_function l) '
                   "{ (void)o; (void)l; return 0; }\nstatic void report(void* s, const weft_event* e) { (void)s; (void)e; }\n"
                   'const struct weft_event_plugin_interface weft_event_plugin = {VERSION, "bad", create, report, 0};\n')
    for version, message in ((99, "version 99"), (1, "create() failed")):
        library, config = folder / f"libbad{version}.so", folder / "bad.conf"
        interop.run(["gcc", "-shared", "-fPIC", f"-DVERSION={version}", "-I", interop.ROOT / "src/service/events", "-o", library, bad])
        config.write_text(f"event_plugin_name {library}\n")
        done = interop.weft("sm", "--emulate", SPEC, "--once", "-F", config, check=False)
        check(done.returncode == 3 and message in done.stderr, f"{message}: {done}")


def test_stream_to_a_pipe():
    done = interop.weft("sm", "--emulate", SPEC, "--once", "--events", "-", "--json")
    lines = done.stdout.splitlines()
    events = [line for line in lines if line.startswith('{"time"')]
    check(json.loads(events[0])["event"] == "sweep_begun", f"the first event: {events[:1]}")
    closed = subprocess.run(f"{interop.weft_binary()} sm --once --emulate {SPEC} --events - | true", shell=True,
                            capture_output=True, text=True, timeout=interop.PATIENCE, check=False)
    check(closed.returncode == 0, f"a pipe without a reader: {closed}")


def test_systemd(folder):
    path = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(path))
        heard.settimeout(interop.PATIENCE)
        variables = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"}
        with Manager(folder, emulate=SPEC, environment=variables, up=False) as manager:
            messages = []
            while "READY=1" not in messages or messages.count("WATCHDOG=1") < 3 or not any("SUBNET UP" in line for line in messages):
                messages.append(heard.recv(4096).decode())
            manager.send(signal.SIGHUP)
            while not any(line.startswith("RELOADING=1\nMONOTONIC_USEC=") for line in messages):
                messages.append(heard.recv(4096).decode())
            manager.send(signal.SIGTERM)
            while "STOPPING=1" not in messages:
                messages.append(heard.recv(4096).decode())
            manager.process.wait(interop.PATIENCE)


def test_handover(net, folder):
    """OpenSM accepts the handover before Weft ends. The test does not check whether OpenSM then sweeps the fabric:
    a newly started OpenSM may become master without a sweep."""
    with interop.Ibsim(net) as sim, Manager(folder / "master", "-p", "9", sim=sim, host="H-0020000000000010") as weft:
        with Manager(folder / "standby", "-p", "3", program="opensm", sim=sim, host="H-0020000000000020", up=False) as opensm:
            opensm.wait_for("OpenSM is standby", lambda: "Entering STANDBY" in opensm.log())
            weft.wait_for("Weft finds OpenSM", lambda: "another subnet manager: " in weft.log())
            check(weft.end() == 0, "the exit status of Weft is not 0")
            check("with priority 3 is master" in weft.log(), "OpenSM has not accepted the handover")
            opensm.wait_for("OpenSM is master", lambda: "Entering MASTER" in opensm.log())


def test_names_and_modules(folder):
    names, modules, log = folder / "names", folder / "modules.conf", folder / "names.log"
    names.write_text('0x0010000000000001 "upper left"\n')
    modules.write_text("mastership.cpp 0x01\nosm_sm.c=0xFF\nsweep.cpp\t0x07\n")
    config = folder / "names.conf"
    config.write_text(f"node_name_map_name {names}\nper_module_logging_file {modules}\nlog_file {log}\n"
                      f"dump_files_dir {folder / 'dumps'}\n")
    interop.weft("sm", "--emulate", SPEC, "--once", "-F", config)
    text = log.read_text()
    check("Entering MASTER" not in text and "SUBNET UP" in text and "sweep 1:" in text, f"levels by module: {text}")
    check(f"{modules}:2: found module 'osm_sm.c', expected a source file that logs" in text, f"an unknown module: {text}")
    check("{upper left}" in (folder / "dumps/opensm-subnet.lst").read_text(), "the dump does not have the name of the map")
    for path, content in ((modules, "mastership.cpp loud\n"), (names, '0x1 "a\n')):
        before = path.read_text()
        path.write_text(content)
        done = interop.weft("sm", "--emulate", SPEC, "--once", "-F", config, check=False)
        check(done.returncode == 2 and f"{path}:1" in done.stderr, f"{content!r}: {done}")
        path.write_text(before)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        net = folder / "fabric.net"
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        test_cable(net, folder)
        test_invalid_plugins(folder)
        test_stream_to_a_pipe()
        test_systemd(folder)
        test_names_and_modules(folder)
        test_handover(net, folder)
    print("events: passed")


if __name__ == "__main__":
    main()
