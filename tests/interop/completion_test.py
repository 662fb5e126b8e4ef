#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the script of `weft completion bash` in bash, by calls of the function _weft and by the Tab key at a terminal.

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


def ask(script, scratch, *words):
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


def offers(script, scratch):
    (scratch / "fabric.topo").write_text("")
    (scratch / "engine.so").write_text("")
    messages = subprocess.run(["bash", "--norc", "-c", f"source {script}; complete -p weft"], capture_output=True, text=True)
    check(messages.stdout == "complete -F _weft weft\n", messages.stdout + messages.stderr)
    subcommands = ask(script, scratch, "")
    for name in ("sm", "route", "check", "export", "simulate"):
        check(name in subcommands, str(subcommands))
    check(ask(script, scratch, "ro") == ["route"], "a part of a subcommand")
    for name in subcommands:
        if name.startswith("-"):
            continue
        offered = set(ask(script, scratch, name, "-"))
        known = options_in_help(name)
        check(offered == known, f"{name}: offered {sorted(offered - known)}, not offered {sorted(known - offered)}")
    check("dfsssp" in ask(script, scratch, "route", "-R", ""), "engines")
    check(ask(script, scratch, "route", "-R", "updn,dfs") == ["updn,dfsssp"], "the second engine")
    check(ask(script, scratch, "sm", "--routing_engine", "=", "tor") == ["torus-2QoS"], "behind =")
    check(ask(script, scratch, "route", "-R", "ftree,./eng") == ["ftree,./engine.so"], "an engine's file")
    check(ask(script, scratch, "route", "fab") == ["fabric.topo"], "a file")
    check(ask(script, scratch, "route", "fatt") == ["fattree2:", "fattree3:"], "generators")
    check(ask(script, scratch, "route", "x", "--verify", "e") == ["enforce"], "one of a few words")
    check(ask(script, scratch, "export", "sl") == ["slurm", "slurm-yaml"], "what to export")
    check(ask(script, scratch, "export", "--plugin", "block", "slurm", "fab") == ["fabric.topo"], "the second argument")
    check(ask(script, scratch, "export", "slurm", "fabric.topo", "--plugin", "b") == ["block"], "behind arguments")
    check(ask(script, scratch, "sm", "-a", "fab") == ["fabric.topo"], "the file of an option")
    check(ask(script, scratch, "sm", "-t", "") == [], "a number")


def typed(script, scratch):
    """Tab completes the word at a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(scratch)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], dict(os.environ, PS1="READY> ", TERM="dumb"))
    text = ""

    def until(wanted):
        nonlocal text
        end = time.monotonic() + interop.PATIENCE
        while wanted not in text and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 4096).decode(errors="replace")
        check(wanted in text, f"no {wanted!r} in {text!r}")

    try:
        until("READY> ")
        os.write(terminal, f"source {script}\r".encode())
        until("READY> ")
        os.write(terminal, b"weft gen\t")
        until("weft generate ")
        os.write(terminal, b"\x15weft route --routing_en\t")
        until("--routing_engine ")
        os.write(terminal, b"minh\t")
        until("minhop ")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        script = scratch / "weft.bash"
        script.write_text(weft("completion", "bash"))
        offers(script, scratch)
        typed(script, scratch)
        zsh = scratch / "_weft"
        zsh.write_text(weft("completion", "zsh"))
        check(zsh.read_text().startswith("#compdef weft\n"), "compdef")
        check("'(-R --routing_engine)'" not in zsh.read_text() and "(-R --routing_engine)-R[" in zsh.read_text(), "zsh")
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", zsh], check=True)
    print("completion: good")


if __name__ == "__main__":
    main()
