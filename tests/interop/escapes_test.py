#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests node descriptions with newlines and terminal control characters: no output of a manager or of a subcommand has a control character, or
a line that comes from a description.

Standard library only. Usage: escapes_test.py
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile

import weft_interop as interop
from hostile_names import check_clean, hostile_fabric
from manager import Manager
from weft_interop import check, weft_binary


def on_terminal(*words):
    """The output of a subcommand that writes to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([weft_binary(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    data = b""
    try:
        while piece := os.read(master, 65536):
            data += piece
    except OSError:  # the other end is closed
        pass
    os.close(master)
    process.wait(timeout=interop.PATIENCE)
    return data


def check_manager(folder, fabric):
    folder.mkdir(exist_ok=True)
    config = folder / "opensm.conf"
    config.write_text("perfmgr TRUE\nperfmgr_sweep_time_s 1\n")
    with Manager(folder, "-F", config, "-V", "--events", folder / "events", "--history", folder / "history", "--dump_files_dir",
                 folder / "dumps", emulate=fabric, http=True, console="unix") as manager:
        session = manager.session()
        commands = re.findall(r"^([a-z_]+)", session.command("help"), re.M)
        check(len(commands) > 15, f"commands of the console: {commands}")
        for line in (*commands, "querylid 1", "switchbalance verbose", "pm print_counters", "emulate list", "dump_portguid node", "status"):
            if line.split()[0] not in ("quit", "exit"):
                check_clean(f"console: {line}", session.command(line).encode())
        manager.wait_for_up(2)  # the command reroute caused a sweep
        session.command("emulate cut 0x0010000000000001 2")
        manager.wait_for_up(3)
        server = f"http://127.0.0.1:{manager.http.port}"
        for words in (("events", "--server", server), ("top", "--once", "--wait", "1", "--server", server),
                      ("events", "--history", folder / "history")):
            check_clean(f"weft {words[0]}", on_terminal(*words))
        for path in ("/metrics", "/api/v1/nodes", "/api/v1/links", "/api/v1/events", "/api/v1/fabric"):
            check_clean(f"HTTP {path}", manager.http.get(path)[1])
    checked = 0
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p != fabric and p.name not in ("history", "opensm.conf")):
        if not path.name.startswith("history") and path.suffix != ".sqlite":  # databases contain names unescaped
            check_clean(str(path), path.read_bytes())
            checked += 1
    check(checked > 8 and "\\x1b[2J" in manager.log(), f"{checked} files checked, expected more than 8 and an escaped description in the log")


def check_subcommands(folder, fabric):
    out = folder / "routed"
    check_clean("weft route", on_terminal("route", fabric, "-R", "ftree", "-o", out))
    for path in out.iterdir():
        if path.suffix != ".json":
            check_clean(path.name, path.read_bytes())
    other = folder / "other.json"
    text = json.loads(fabric.read_text())
    for node in text["nodes"]:
        node["description"] = "renamed " + node["description"]
    other.write_text(json.dumps(text))
    for words in (("diff", fabric, other), ("verify", fabric, "--lfts", out / "opensm-lfts.dump"), ("check", fabric),
                  ("route", fabric, "-R", "dor,no_fallback"), ("convert", fabric, "-", "--to", "dot"),
                  ("convert", fabric, "-", "--to", "ibnetdiscover"), ("convert", fabric, "-", "--to", "lst"),
                  ("convert", fabric, "-", "--to", "json"), ("export", "slurm", fabric), ("export", "names", fabric),
                  ("sm", "--emulate", fabric, "--once", "-f", folder / "once.log"), ("no\x1b[2J\nsuch",), ("verify", "none\x1b[2J")):
        check_clean(f"weft {' '.join(map(str, words[:2]))}", on_terminal(*words))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fabric = hostile_fabric(folder)
        check_subcommands(folder, fabric)
        check_manager(folder / "manager", fabric)
    print("escapes: passed")


if __name__ == "__main__":
    main()
