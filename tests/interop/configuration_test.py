#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the configuration with OpenSM. Every key of `opensm -c` exists, with the same default unless OWN_DEFAULTS has the key, and every
option of `opensm --help` exists except RUN_OPTIONS. A fabric comes up with OpenSM's file. docs/reference/configuration.md has a row for every key,
which states whether the key has an effect.

Standard library only. Usage: configuration_test.py
"""
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import weft_interop as interop
from weft_interop import check, wait_for

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "configuration.md"
# Keys with a default other than OpenSM's, which docs/reference/configuration.md explains.
OWN_DEFAULTS = {"max_wire_smps"}
# Options of opensm without a key, because they apply only to one run. These options are not compared.
RUN_OPTIONS = {"--version", "--help", "-h", "-?", "--V", "--D"}


def keys_of(path):
    """{key: value} and {key: comment above it} of a configuration file."""
    values, comments, comment = {}, {}, ""
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            comment += line[1:] + " "
        elif line.strip():
            key, value = line.split(None, 1)
            values[key], comments[key], comment = value.strip(), comment, ""
        else:
            comment = ""
    return values, comments


def same(weft, opensm):
    try:
        return int(weft, 0) == int(opensm, 0)
    except ValueError:
        return weft == opensm


def check_keys(opensm, weft):
    for key, value in opensm.items():
        check(key in weft, f"{key} of opensm.conf is not known")
        check(same(weft[key], value) != (key in OWN_DEFAULTS), f"{key}: the default of Weft is {weft[key]}, OpenSM's {value}")


def check_options():
    """Checks that `weft sm` has all options of opensm: the options at the start of a line of the help of opensm."""
    text = subprocess.run(["opensm", "--help"], capture_output=True, text=True, check=False)
    wanted = {word for line in (text.stdout + text.stderr).splitlines()
              for word in re.findall(r"(?:^|, )(--?[A-Za-z?][\w-]*)", line) if line.startswith("-")}
    check(len(wanted) > 80, f"opensm's help lists {len(wanted)} options only")
    known = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", interop.weft("sm", "--help").stdout))
    missing = sorted(wanted - known - RUN_OPTIONS)
    check(not missing, f"options of opensm missing in weft sm: {missing}")


def state_of(comment):
    return "no effect" if "Without effect:" in comment else "yes"


def check_docs(weft, comments):
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (yes, live|yes|no effect)[^|]*\|", DOCS.read_text(), re.M))
    for key in weft:
        check(key in rows, f"docs/reference/configuration.md has no row for {key}")
        check(rows[key].split(",")[0] == state_of(comments[key]),
              f"docs/reference/configuration.md: {key} is '{rows[key]}', expected '{state_of(comments[key])}'")
    check(set(rows) == set(weft), f"docs/reference/configuration.md: no such keys {sorted(set(rows) - set(weft))}")


def check_starts(opensm, folder):
    """A manager starts with OpenSM's own file; the command line overrides the file; an invalid line prevents the start."""
    report = interop.weft_json("sm", "--emulate", "fattree2:k=4", "--once", "-F", opensm)
    check(report["up"] and not report["warnings"], f"OpenSM's own file: {report}")
    changed = folder / "changed.conf"
    changed.write_text(opensm.read_text() + "lmc 1\nrouting_engine ftree,no_fallback\n")
    merged = folder / "merged.conf"
    interop.weft("sm", "--emulate", "fattree2:k=4", "-F", changed, "-l", "2", "-c", merged)
    values, _ = keys_of(merged)
    check((values["lmc"], values["routing_engine"], values["max_wire_smps"]) == ("2", "ftree,no_fallback", "4"),
          f"file and command line: {values}")
    report = interop.weft_json("sm", "--emulate", "fattree2:k=4", "--once", "-F", changed)
    check(report["engine"] == "ftree", f"the engine of the file is not active: {report['engine']}")
    changed.write_text("lmc 9\nsweep_interval soon\nno_such_key 1\n")
    done = interop.weft("sm", "--emulate", "fattree2:k=4", "--once", "-F", changed, check=False)
    for text in (f"{changed}:1:5: lmc: found '9', expected a number from 0 to 7",
                 f"{changed}:2:16: sweep_interval: found 'soon'"):
        check(text in done.stderr, f"no {text!r} in {done.stderr}")
    check(done.returncode == 2 and "SUBNET UP" not in done.stdout + done.stderr, "weft sm starts with an invalid file")


def check_daemon(folder):
    """With -B the called process ends after the start and the daemon runs until a signal. force_heavy_sweep causes sweeps."""
    pid_file, log, config = folder / "weft.pid", folder / "weft.log", folder / "daemon.conf"
    config.write_text(f"daemon TRUE\nforce_heavy_sweep TRUE\nsweep_interval 1\nlog_file {log}\n")
    interop.weft("sm", "--emulate", "fattree2:k=4", "-F", config, "-J", pid_file)
    pid = int(pid_file.read_text())
    text = lambda: log.read_text() if log.exists() else ""
    try:
        wait_for(lambda: f"sweeps in the background: {text()[-1500:]}", lambda: text().count("SUBNET UP") >= 3)
    finally:
        os.kill(pid, signal.SIGTERM)
    wait_for(lambda: f"the end of the daemon: {text()[-1500:]}", lambda: "Exiting SM" in text())
    done = interop.weft("sm", "--emulate", "fattree2:k=4", "-B", "-f", log, "-J", "/no/such/folder/pid", check=False)
    check(done.returncode == 3 and "/no/such/folder" in done.stderr, f"a pidfile in a folder that does not exist: {done}")


def check_default_log():
    """On an emulated fabric the manager writes the default log only if -f names it; tested with a private /var/log."""
    script = ("mount -t tmpfs none /var/log && \"$0\" sm --emulate fattree2:k=4 --once >/dev/null 2>&1 && test ! -e /var/log/opensm.log && "
              "\"$0\" sm --emulate fattree2:k=4 --once -f /var/log/opensm.log >/dev/null && cat /var/log/opensm.log")
    own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    done = subprocess.run([*own, "sh", "-c", script, interop.weft_binary()], capture_output=True, text=True, check=False, timeout=interop.PATIENCE)
    check(done.returncode == 0 and "SUBNET UP" in done.stdout, f"the default log by name: {done}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        opensm, weft = folder / "opensm.conf", folder / "weft.conf"
        subprocess.run(["opensm", "-c", opensm], capture_output=True, check=False, timeout=interop.PATIENCE)
        interop.weft("sm", "--emulate", "fattree2:k=4", "-c", weft)
        opensm_values, _ = keys_of(opensm)
        weft_values, weft_comments = keys_of(weft)
        check(len(opensm_values) > 150, f"opensm -c wrote {len(opensm_values)} keys only")
        check_keys(opensm_values, weft_values)
        check_options()
        check_docs(weft_values, weft_comments)
        check_starts(opensm, folder)
        check_daemon(folder)
        check_default_log()
    print(f"{len(opensm_values)} keys of opensm.conf, {len(weft_values)} keys of Weft")


if __name__ == "__main__":
    main()
