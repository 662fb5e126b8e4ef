#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Crafted files. Vulnerabilities: files that other users can write were read as configuration, keys were written with mode 0644, names of
temporary files could be predicted, and a symbolic link in a folder that other users can write would be followed.

`modes`: configuration, partition and token files that other users can write or read. `links`: symbolic links at the paths of written files.
`bytes`: huge, binary and damaged configurations, keys, LIDs, partitions and topologies. `names`: a topology with control characters
in descriptions; no terminal output and no log contains them. Standard library only. Usage: files_attack_test.py modes|links|bytes|names
"""
import os
import pathlib
import random
import stat
import subprocess
import sys
import tempfile

import attackers
import weft_interop as interop
from hostile_names import check_clean, hostile_fabric
from http_client import TOKEN, token_file
from manager import Manager
from weft_interop import check

SPEC = "fattree2:k=4"
HOSTILE_TEXT = "x\x1b[2J\nFORGED line\r\x07\x9b31m\x7f"


def once(*options, timeout=120):
    return interop.weft("sm", "--once", "--emulate", SPEC, *options, check=False, timeout=timeout)


def test_modes(folder):
    config, partitions = folder / "conf", folder / "partitions"
    config.write_text("lmc 1\n")
    partitions.write_text("Default=0x7fff : ALL=full ;\n")
    for path, option in ((config, "-F"), (partitions, "-P")):
        path.chmod(0o644)
        done = once(option, path)
        check(done.returncode == 0, f"{option} with mode 0644: {done.stderr}")
        for mode in (0o666, 0o664, 0o646, 0o622):
            path.chmod(mode)
            done = once(option, path)
            check(done.returncode == 2 and str(path) in done.stderr, f"{option} with mode {mode:o}: status {done.returncode} {done.stderr}")
        path.chmod(0o644)
        os.chown(path, 65534, 65534)  # another user can change the mode
        done = once(option, path)
        check(done.returncode == 2 and str(path) in done.stderr, f"{option} of another user: status {done.returncode} {done.stderr}")
        os.chown(path, os.geteuid(), os.getegid())
    token = token_file(folder)
    for mode in (0o644, 0o640, 0o606, 0o666):
        token.chmod(mode)
        done = once("--http", "127.0.0.1:0", "--http_token_file", token)
        check(done.returncode == 2 and str(token) in done.stderr, f"a token file with mode {mode:o}: status {done.returncode} {done.stderr}")
    token.chmod(0o600)
    token.write_text("short\n")
    done = once("--http", "127.0.0.1:0", "--http_token_file", token)
    check(done.returncode == 2 and str(token) in done.stderr and "short\n" not in done.stderr, f"a short token: status {done.returncode} {done.stderr}")
    written = folder / "written"
    config.write_text("sm_key 0x5a5b5c5d5e5f6061\n")
    config.chmod(0o600)
    interop.weft("sm", "-F", config, "-c", written, check=False)
    check(written.exists(), "weft sm -c writes no file")
    check(stat.S_IMODE(written.stat().st_mode) == 0o600, f"weft sm -c writes keys with mode {stat.S_IMODE(written.stat().st_mode):o}")


def start_with_files(folder):
    """Starts a manager that writes all its files into `folder`, and ends it."""
    folder.mkdir(exist_ok=True)
    config = folder / "conf"
    config.write_text(f"sa_db_dump TRUE\nm_key 0x1122334455667788\nm_key_protection_level 1\ndump_files_dir {folder}/dumps\n")
    with Manager(folder, "-D", "0x47", "-F", config, emulate=SPEC):
        pass


def test_links(folder):
    """A symbolic link at the path of a written file is never followed, also in a folder that other users can write."""
    start_with_files(folder / "first")
    names = {where: [path.name for path in (folder / "first" / where).iterdir() if path.is_file()] for where in ("cache", "dumps")}
    check(len(names["cache"]) >= 2 and len(names["dumps"]) >= 3, f"files of a manager: {names}")
    second, elsewhere = folder / "second", folder / "elsewhere"
    elsewhere.mkdir()
    for where, files in names.items():
        (second / where).mkdir(parents=True)
        for name in files:
            (elsewhere / name).write_text("precious\n")
            (second / where / name).symlink_to(elsewhere / name)
            for suffix in (".new", ".tmp", "~"):
                (second / where / f"{name}{suffix}").symlink_to(elsewhere / name)
    start_with_files(second)
    changed = [path.name for path in elsewhere.iterdir() if path.read_text() != "precious\n"]
    check(not changed, f"written through symbolic links: {changed}")
    rest = [path.name for path in second.rglob("*") if ".new." in path.name or ".tmp." in path.name]
    check(not rest, f"temporary files remain: {rest}")


def hostile_contents(rng):
    yield "nothing", b""
    yield "zeros", bytes(1_000_000)
    yield "bytes", bytes(rng.randrange(256) for _ in range(100_000))
    yield "a long line", b"a" * 5_000_000
    yield "many lines", b"0x0020000000000011 0x0001 0x0001\n" * 150_000
    yield "huge numbers", b"0x" + b"f" * 10_000 + b" 0x99999 -1\n"
    yield "nested brackets", b"{[(" * 200_000
    yield "escapes", HOSTILE_TEXT.encode("latin-1") * 100
    yield "includes", b"#include \"/etc/shadow\"\n%{PATH}\n$(id)\n`id`\n"


def check_no_crash(done, what):
    check(done.returncode >= 0 and done.returncode < 128, f"{what}: ended by a signal: {done.returncode}\n{done.stderr[-2000:]}")
    shown = attackers.control_characters(done.stdout + done.stderr)
    check(not shown, f"{what}: the output contains control characters {shown}")
    check("root:" not in done.stdout + done.stderr, f"{what}: the output contains a line of /etc/shadow")


def test_bytes(folder):
    rng = random.Random(3)
    for what, content in hostile_contents(rng):
        path = folder / "file"
        path.write_bytes(content)
        for option in ("-F", "-P", "--root_guid_file", "--guid_routing_order_file"):
            check_no_crash(once(option, path), f"{option}: {what}")
        for words in (["convert", path, "-"], ["check", path], ["verify", path]):
            check_no_crash(interop.weft(*words, check=False, timeout=300), f"{words[0]}: {what}")
        cache = folder / f"cache-{what.replace(' ', '-')}"
        cache.mkdir()
        for name in ("guid2lid", "guid2mkey", "neighbors", "opensm-sa.dump"):
            (cache / name).write_bytes(content)
            (cache / name).chmod(0o600)
        done = interop.run([interop.weft_binary(), "sm", "--once", "--emulate", SPEC, "-D", "0x03"], check=False,
                           env=dict(os.environ, OSM_CACHE_DIR=str(cache), OSM_TMP_DIR=str(cache)))
        check_no_crash(done, f"caches: {what}")
    for special in ("/dev/zero", "/proc/self/mem", str(folder)):
        check_no_crash(once("-P", special, timeout=60), f"-P {special}")


def test_names(folder):
    fabric = hostile_fabric(folder, SPEC)
    commands = (["convert", fabric, "-"], ["convert", fabric, "-", "--to", "dot"], ["convert", fabric, "-", "--to", "lst"],
                ["convert", fabric, "-", "--to", "ibsim"], ["convert", fabric, "-", "--to", "json"], ["route", fabric], ["route", fabric, "--json"],
                ["diff", fabric, SPEC], ["diff", SPEC, fabric], ["export", "slurm", fabric], ["export", "dot", fabric])
    for words in commands:
        done = interop.weft(*words, check=False)
        check_clean(" ".join(map(str, words)), done.stdout + done.stderr)
    token = token_file(folder)
    options = ["-D", "0x47", "-s", "1", "--console_token_file", token, "--http_token_file", token]
    with Manager(folder, *options, emulate=fabric, http=True, console="loopback") as manager:
        session = manager.session(TOKEN)
        for command in ("status", "portstatus", "querylid 1", "querylid 9", "switchbalance verbose", "lidbalance", "dump_portguid .", "dump_conf",
                        "emulate list"):
            check_clean(f"the console's {command}", session.command(command))
        for path in ("/metrics", "/api/v1/nodes", "/api/v1/links", "/api/v1/fabric", "/api/v1/events"):
            check_clean(path, manager.http.get(path)[1])
        server = f"http://127.0.0.1:{manager.http.port}"
        environment = dict(os.environ, WEFT_TOKEN_FILE=str(token))
        for words in (["top", "--once", "--server", server], ["emulate", "list", "--server", server]):
            done = subprocess.run([interop.weft_binary(), *words], capture_output=True, env=environment, timeout=120, check=False)
            check_clean(" ".join(words), done.stdout + done.stderr)
        check_clean("the log", manager.log())
        check_clean("the output", manager.output())
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name in ("cache", "dumps")):
        check_clean(path.name, path.read_bytes())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        {"modes": test_modes, "links": test_links, "bytes": test_bytes, "names": test_names}[sys.argv[1]](pathlib.Path(where))
    print(f"files, {sys.argv[1]}: passed")
