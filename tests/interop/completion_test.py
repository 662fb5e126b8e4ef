#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the script of `weft completion bash` in bash, by calls of the function _weft and by the Tab key at a terminal. Of the script for zsh it
tests the first line, one option and, if zsh is installed, the syntax.

Standard library only. Usage: completion_test.py
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")


def weft(*words):
    return subprocess.run([WEFT, *words], capture_output=True, text=True, check=True, timeout=interop.PATIENCE).stdout


def completions(script, scratch, *words):
    """The completions that bash returns for the last word."""
    done = subprocess.run(
        ["bash", "--norc", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft; '
         'printf "%s\\n" "${COMPREPLY[@]}"', "bash", script, "weft", *words],
        capture_output=True, text=True, timeout=interop.PATIENCE, cwd=scratch)
    check(done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}")
    return [line for line in done.stdout.splitlines() if line]


def options_in_help(subcommand):
    text = weft(subcommand, "--help")
    return set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", "\n".join(
        re.match(r"\s*((?:-[\w-]+,?)+)", line)[1] for line in text.splitlines() if re.match(r"\s+-", line))))


def check_completions(script, scratch):
    (scratch / "fabric.topo").write_text("")
    (scratch / "engine.so").write_text("")
    messages = subprocess.run(["bash", "--norc", "-c", f"source {script}; complete -p weft"], capture_output=True, text=True)
    check(messages.stdout == "complete -F _weft weft\n", messages.stdout + messages.stderr)
    subcommands = completions(script, scratch, "")
    for name in ("sm", "route", "check", "export", "simulate"):
        check(name in subcommands, str(subcommands))
    check(completions(script, scratch, "ro") == ["route"], "no completion of a part of a subcommand")
    for name in subcommands:
        if name.startswith("-"):
            continue
        offered = set(completions(script, scratch, name, "-"))
        known = options_in_help(name)
        check(offered == known, f"{name}: offered {sorted(offered - known)}, not offered {sorted(known - offered)}")
    check("dfsssp" in completions(script, scratch, "route", "-R", ""), "no completion of engines after -R")
    check(completions(script, scratch, "route", "-R", "updn,dfs") == ["updn,dfsssp"], "no completion of the second engine of a list")
    check(completions(script, scratch, "sm", "--routing_engine", "=", "tor") == ["torus-2QoS"], "no completion after =")
    check(completions(script, scratch, "route", "-R", "ftree,./eng") == ["ftree,./engine.so"], "no completion of the file of an engine")
    check(completions(script, scratch, "route", "fab") == ["fabric.topo"], "no completion of a fabric file")
    check(completions(script, scratch, "route", "fatt") == ["fattree2:", "fattree3:"], "no completion of generators")
    check(completions(script, scratch, "route", "x", "--verify", "e") == ["enforce"], "no completion of the values of --verify")
    check(completions(script, scratch, "export", "sl") == ["slurm", "slurm-yaml"], "no completion of the formats of weft export")
    check(completions(script, scratch, "export", "--plugin", "block", "slurm", "fab") == ["fabric.topo"], "no completion of the second argument")
    check(completions(script, scratch, "export", "slurm", "fabric.topo", "--plugin", "b") == ["block"], "no completion of an option after arguments")
    check(completions(script, scratch, "sm", "-a", "fab") == ["fabric.topo"], "no completion of the file of an option")
    check(completions(script, scratch, "sm", "-t", "") == [], "completions for an option with a number")


def check_tab_key(script, scratch):
    """Tab completes the word at a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(scratch)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], dict(os.environ, PS1="READY> ", TERM="dumb"))
    text = ""

    def read_until(wanted):
        nonlocal text
        end = time.monotonic() + interop.PATIENCE
        while wanted not in text and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 4096).decode(errors="replace")
        check(wanted in text, f"no {wanted!r} in {text!r}")

    try:
        read_until("READY> ")
        os.write(terminal, f"source {script}\r".encode())
        read_until("READY> ")
        os.write(terminal, b"weft gen\t")
        read_until("weft generate ")
        os.write(terminal, b"\x15weft route --routing_en\t")
        read_until("--routing_engine ")
        os.write(terminal, b"minh\t")
        read_until("minhop ")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        script = scratch / "weft.bash"
        script.write_text(weft("completion", "bash"))
        check_completions(script, scratch)
        check_tab_key(script, scratch)
        zsh = scratch / "_weft"
        zsh.write_text(weft("completion", "zsh"))
        check(zsh.read_text().startswith("#compdef weft\n"), "the zsh script does not begin with #compdef weft")
        check("'(-R --routing_engine)'" not in zsh.read_text() and "(-R --routing_engine)-R[" in zsh.read_text(),
              "the zsh script has no option -R that excludes --routing_engine")
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", zsh], check=True)
    print("completion: passed")


if __name__ == "__main__":
    main()
