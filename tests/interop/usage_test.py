#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests usage errors: messages for mistyped words and wrong files name the value found, the value expected and the closest match. The help
gives units and defaults. Truncated or incomplete files cause errors or warnings.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check

X5 = interop.TOPOLOGIES / "x5-psmn"


def messages_of(*words, wanted, **options):
    done = interop.run([interop.weft_binary(), *words], check=False, timeout=interop.PATIENCE, **options)
    check(done.returncode == wanted, f"weft {words}: status {done.returncode}, expected {wanted}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stderr


def expect(text, *parts):
    for part in parts:
        check(part in text, f"no {part!r} in:\n{text[-2000:]}")


def option_help(text, name):
    """The help of one option as one line."""
    found = re.search(rf"^  (-\w,)?{re.escape(name)}\b.*?(?=^  -|^\S|\Z)", text, re.M | re.S)
    check(found, f"no {name} in the help")
    return " ".join(found[0].split())


def test_help(_):
    text = interop.weft("sm", "--help").stdout
    expect(option_help(text, "--erase_log_file"), "Erase the log")
    check("instead of appending" in option_help(text, "--erase_log_file"), "-e does not describe the default")
    expect(option_help(text, "--stay_on_fatal"), "Continue instead of exiting if two nodes have the same GUID")
    for name, parts in {"--sweep": ("Seconds", "(default: 10)"), "--timeout": ("Milliseconds", "(default: 200)"), "--maxsmps": ("(default: 64)",), "--max_device_smps": ("(default: 4)",),
                        "--retries": ("(default: 3)",), "--log_limit": ("MiB", "(default: 0)"), "--lmc": ("(default: 0)",),
                        "--routing_engine": ("(default: minhop)",), "--verify": ("(default: enforce)",), "--http": ("(default: none)",),
                        "--Pconfig": ("(default: /etc/opensm/partitions.conf)",), "--perfmgr_sweep_time_s": ("Seconds", "(default: 180)"),
                        "--log_file": ("(default: /var/log/opensm.log)",), "--console-port": ("(default: 10000)",)}.items():
        expect(option_help(text, name), *parts)
    for block in re.findall(r"^  -\S.*?(?=^  -|^\S|\Z)", text, re.M | re.S):
        none = ("--create-config", "--pidfile", "--emulate ", "--format")  # options without a default
        if re.match(r"  \S+ (FILE|N|TEXT)\b", block) and not any(name in block for name in none):
            check("(default: " in " ".join(block.split()) or "[" in block, f"no default: {block}")
    expect(option_help(interop.weft("route", "--help").stdout, "--verify"), "(default: warn)")


def test_ports(_):
    """Tests messages in a mount namespace without /sys/class/infiniband: there is no device on any machine."""
    script = "mount -t tmpfs none /sys/class && exec \"$0\" sm -g 0"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, interop.weft_binary()], capture_output=True, text=True, check=False, timeout=interop.PATIENCE)
    check(done.returncode == 3, f"status {done.returncode}, expected 3")
    expect(done.stderr, "no InfiniBand")


def test_partition_numbers(folder):
    path = folder / "partitions.conf"
    interop.weft("partition", "create", "0x10", "blue", "--file", path)
    result = interop.weft("partition", "add", "16", "0x0020000000000010=limited", "--file", path).stdout
    expect(result, "0x0010 'blue'")
    expect(messages_of("partition", "show", "80f", wanted=2), "'80f'", "in hexadecimal with 0x", "did you mean 0x80f")
    expect(messages_of("partition", "delete", "0", "--file", path, wanted=2), "found '0'", "decimal without")


def test_misspelled_words(folder):
    expect(messages_of("rout", "x", wanted=2), "unknown subcommand 'rout': did you mean 'route'", "weft --help")
    expect(messages_of("bandwidth", wanted=2), "unknown subcommand 'bandwidth'\n")
    expect(messages_of("--versoin", wanted=2), "unknown option '--versoin': did you mean --version")
    expect(messages_of("route", "fattree2:k=4", "--engine", "ftree", wanted=2), "weft route: unknown option '--engine': did you mean -R,--routing_engine",
           "weft route --help")
    expect(messages_of("sm", "--swep=3", wanted=2), "weft sm: unknown option '--swep': did you mean -s,--sweep")
    expect(messages_of("route", "fattree2:k=4", "more", wanted=2), "weft route: unexpected argument 'more'")
    expect(messages_of("route", "fattree2:k=4", "-R", "ftre", wanted=2), "routing engine 'ftre' is not known: did you mean 'ftree'", "minhop")
    for words in (("route", "fattre3:k=8"), ("sm", "--once", "--emulate", "fattre3:k=8")):
        expect(messages_of(*words, wanted=2), "no such file", "fattre3:k=8", "did you mean 'fattree3'")
    expect(messages_of("generate", "fattre3:k=8", wanted=2), "did you mean 'fattree3'")
    expect(messages_of("route", folder / "not-there.net", wanted=3), "not-there.net: cannot open")


def test_wrong_file(folder):
    interop.weft("route", "fattree2:k=8", "-R", "ar_updn", "-o", folder)
    for name, what in {"opensm.fdbs": "a dump of forwarding tables", "opensm-lfts.dump": "a dump of forwarding tables",
                       "opensm-lid-matrix.dump": "a dump of hop counts", "opensm-sl2vl.dump": "a dump of SL2VL tables",
                       "weft.psl": "a file of path SLs", "weft.slvl": "a file of SL2VL tables", "weft.ar": "a file of adaptive-routing groups"}.items():
        expect(messages_of("route", folder / name, wanted=2), f"{folder / name}: found {what}", "expected a fabric")
    (folder / "partitions.conf").write_text("# mine\nDefault=0x7fff, ipoib : ALL=full ;\n")
    expect(messages_of("route", folder / "partitions.conf", wanted=2), "found a file of partitions", "expected a fabric")
    for name in ("json", "ibnetdiscover", "ibsim"):
        interop.weft("generate", "fattree2:k=8", "--to", name, "-o", folder / name)
    for name in ("json", "ibnetdiscover", "ibsim", "opensm-subnet.lst"):
        output = messages_of("verify", folder / "ibnetdiscover", "--lfts", folder / name, wanted=2)
        expect(output, f"{folder / name}: found a fabric (", "expected forwarding tables")
        check(len(output.splitlines()) == 1, f"{len(output.splitlines())} lines, expected only the error")


def events(history, wanted=0):
    """Runs `weft events` as a user other than the user of the manager."""
    done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", interop.weft_binary(), "events", "--history",
                           str(history), "--json"], capture_output=True, text=True, check=False, timeout=interop.PATIENCE)
    check(done.returncode == wanted, f"status {done.returncode}, expected {wanted}: {done.stderr}")
    return done.stderr, json.loads(done.stdout)["events"] if wanted == 0 else []


def manage(folder, history):
    """Starts a manager that writes events to the history. TMPDIR is set, because a killed manager leaves its folder there."""
    manager = Manager(folder / "manager", "--history", history, emulate="fattree2:k=4", environment={"TMPDIR": folder})
    manager.wait_for("events in the history", lambda: interop.weft("events", "--history", history, check=False).stdout)
    return manager


def test_history_of_another_user(folder):
    """Another user reads the history of a running, a killed and an ended manager, with and without the auxiliary files of SQLite."""
    if os.geteuid() != 0:
        print("  skipped: only root can run a program as another user", flush=True)
        return
    folder.chmod(0o755)
    history, log, shared = folder / "history.sqlite", folder / "history.sqlite-wal", folder / "history.sqlite-shm"
    with manage(folder, history) as manager:
        check(events(history)[1], "no events while the manager runs")
        manager.kill()
    check(events(history)[1], "no events after a kill of the manager")
    shared_content = shared.read_bytes()
    shared.unlink()
    expect(events(history)[0], "newest events are missing", "history.sqlite-wal", "--server")
    log.unlink()
    shared.write_bytes(shared_content)
    check(events(history)[0] == "", "a message about a history that has its shared-memory file, but no log")
    shared.unlink()
    history.unlink()
    with manage(folder, history):
        pass
    folder.chmod(0o1777)
    check(events(history)[1], "no events after the end of the manager")
    check(not log.exists() and not shared.exists(), "the reader leaves files that the manager could not write to")
    history.chmod(0o600)
    expect(events(history, 3)[0], f"{history}: cannot be read: Permission denied", "the manager's user")


def links(path):
    done = interop.weft("route", path, "--json", "--verify=off")
    return json.loads(done.stdout)["fabric"]["links"], done.stderr


def test_slurm_links(_):
    if not X5.exists():
        return
    count, output = links(X5 / "X5.topology.conf")
    check(count == 113 and links(X5 / "X5.topofile")[0] == 159, f"{count} links in X5.topology.conf, expected 113; X5.topofile must have 159")
    expect(output, "X5.topology.conf: Slurm's topology has no link counts: assumed 24 links between switches")


def cut(path, size, folder):
    content = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    short = folder / f"cut-{path.name}"
    short.write_bytes(content[:size])
    return short, content


def test_truncated_files(folder):
    """Truncates a file of each format at many offsets. An error or a warning names file and line, except if the file is truncated at the end of a
    line."""
    interop.weft("route", "fattree2:k=4", "-o", folder)
    files = {"lst": folder / "opensm-subnet.lst"}
    for kind in ("ibnetdiscover", "ibsim", "json", "dot"):
        files[kind] = folder / kind
        interop.weft("generate", "fattree2:k=4", "--to", kind, "-o", files[kind])
    if X5.exists():
        files |= {"slurm": X5 / "X5.topology.conf", "db-csv": interop.TOPOLOGIES / "sequoia-ndr/ibdiagnet2.db_csv"}
    for kind, path in files.items():
        size = path.stat().st_size
        without_message = []
        for place in range(size // 2, size - 1, max(1, size // 13)):
            short, content = cut(path, place, folder)
            done = interop.run([interop.weft_binary(), "convert", short, "-", "--format", kind, "--to", "json"], check=False)
            output = re.search(rf"{re.escape(str(short))}:(\d+).*(cut off|expected|found|end of the file)", done.stderr)
            if not output and not content[:place].endswith(b"\n"):
                without_message.append(place)
        check(not without_message, f"{kind}: no message for a file that is truncated at {without_message}")


def main():
    for test in (test_help, test_ports, test_partition_numbers, test_misspelled_words, test_wrong_file, test_history_of_another_user,
                 test_slurm_links, test_truncated_files):
        with tempfile.TemporaryDirectory(prefix="weft-usage-") as folder:
            test(pathlib.Path(folder))
        print(f"{test.__name__}: good", flush=True)


if __name__ == "__main__":
    main()
