#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests weft simulate with the command lines of ORCS: options, standard input and output, the name orcs, exit statuses, an interrupt.

Usage: simulate_test.py
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")


def run(*words, program=(WEFT, "simulate"), stdin=b"", status=0):
    done = subprocess.run([*program, *map(str, words)], input=stdin, capture_output=True, timeout=interop.PATIENCE)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def input_and_output(scratch):
    graph = scratch / "tree.dot"
    interop.weft("route", "fattree3:k=4", "-R", "ftree", "--dot", graph)
    text = graph.read_bytes()
    study = ["-p", "bruck", "--metric", "hist_max_cong", "--seed", 4]
    wanted, _ = run("-i", graph, *study)
    lines = wanted.splitlines()
    check(all(re.fullmatch(r"weight \d+: \d+ of the 64 connections", line) for line in lines[:-1]), wanted)
    check(sum(int(line.split()[2]) for line in lines[:-1]) == 64, wanted)
    bandwidth = sum(int(line.split()[2]) / int(line.split()[1][:-1]) for line in lines[:-1]) / 64
    check(lines[-1] == f"BW: {bandwidth:.6f}", wanted)
    check(run(*study, stdin=text)[0] == wanted, "standard input gives other results")
    check(run("-i", "-", *study, stdin=text)[0] == wanted, "-i - gives other results")
    check(run(graph, *study)[0] == wanted, "the argument gives other results")
    run("--input_file", graph, "-o", scratch / "out", "--ptrn", "bruck", *study[2:])
    check((scratch / "out").read_text() == wanted, "-o gives other results")
    orcs = scratch / "orcs"
    orcs.symlink_to(WEFT)
    check(run(*study, program=(orcs,), stdin=text)[0] == wanted, "orcs gives other results")
    check(run("-V", program=(orcs,))[0].startswith("weft "), "orcs -V prints no version of weft")
    check("Patterns:" in run("-h", program=(orcs,))[0], "orcs -h prints no list of patterns")
    return graph


def options(graph):
    text, _ = run("-i", graph, "-s", 4, "-p", "tree", "--printptrn", "--printnamelist")
    check("level 0:\n0 -> 1\nlevel 1:\n0 -> 2\n1 -> 3\n" in text, text)
    check(len(re.findall(r"^H[0-9a-f]{16}$", text, re.M)) == 4, text)
    text, _ = run("-i", graph, "-s", 8, "-p", "tree", "-l", 2, "--printptrn")
    check("level 2:\n0 -> 4\n" in text and "level 1" not in text, text)
    _, messages = run("-i", graph, "-s", 4, "-p", "tree", "-n", 2, "-v")
    check(messages.count(" simulated") == 4, messages)
    _, messages = run("-i", graph, "--commsize", 7, "--num_runs", 3)
    check("7 ranks: an odd number, so the last rank is idle" in messages, messages)
    report = json.loads(run("-i", graph, "-p", "ptrnvsptrn", "-f", "tree", "-c", "bisect", "-z", 8, "--metric", "dep_max_delay",
                            "-n", 20, "--subset", "rand", "--json")[0])
    check(report["runs"] == 20 and sum(o["runs"] for o in report["occurrences"]) == 20, report)
    check(report["pattern"] == {"name": "ptrnvsptrn(tree, bisect)", "ranks": 16, "levels": 3}, report)
    for metric in ("get_cable_cong", "get_cong_map"):
        text, _ = run("-i", graph, "--metric", metric, "-n", 5)
        shares = [float(x) for x in re.findall(r'congestion="([0-9.]+)"', text)]
        check(len(shares) == 2 * 48 and max(shares) == 1, f"{len(shares)} edges, the fullest {max(shares)}")
        check(run("-p", "bruck", stdin=text.encode())[0] == run("-i", graph, "-p", "bruck")[0], "the congestion map gives other results as input")
    for study in (["fattree3:k=4", "-R", "updn", "--lmc", 2, "--paths", "all"], ["torus:3x3,hosts=2", "--link-rates"],
                  ["ring:n=6", "-p", "adversarial"], ["ring:n=6", "--metric", "worst_permutation"],
                  ["fattree3:k=4", "--metric", "get_cable_cong"]):
        text = run(*study)[0]
        check(len(text) > 50, f"weft simulate {study}: {len(text)} characters of output, expected more than 50: {text}")
    limited = json.loads(run("-i", graph, "--metric", "hist_acc_band", "--until-error", "0.02", "--json")[0])
    check(limited["by_run"]["error99"] <= 0.02 and limited["runs"] % 100 == 0 and limited["runs"] >= 100, limited["by_run"])


def refusals(graph, scratch):
    for words, wanted in [
        (["-p", "brook"], "pattern: found 'brook', expected one of rand,"),
        (["--metric", "max"], "--metric: found 'max', expected one of sum_max_cong"),
        (["-s", 17], "--commsize: found 17, expected at most the 16 hosts"),
        (["-p", "bisect", "-l", 1], "pattern bisect with 16 ranks has 1 level, the first is 0"),
        (["--subset", "some"], "--subset: found 'some', expected rand, linear_bfs"),
        (["-p", "ptrnvsptrn", "-z", 20], "found 20 ranks for the first pattern, expected at most the 16"),
        (["--metric", "get_cable_cong", "--until-error", 1], "has no average over runs"),
    ]:
        messages = run("-i", graph, *words, status=2)[1]
        check(wanted in messages, f"{words}: no {wanted!r} in {messages}")
    check("bad.dot:2:" in run("-i", write(scratch / "bad.dot", "digraph g {\nH1 -> ;\n}"), status=2)[1],
          "expected an error with file and line of the DOT file")
    check("/no/such" in run("-i", "/no/such", status=3)[1], "expected an error that names the absent file")
    check("" != run("-i", graph, "-o", "/no/such/file", status=3)[1], "expected an error for an output file in an absent folder")
    broken = write(scratch / "broken.dot", """digraph g {
        H1 -> S1 [comment="*"]; H2 -> S2 [comment="*"]; H3 -> S2 [comment="*"];
        S1 -> S2 [comment="H2 H3"]; S2 -> S1 [comment="H1 H3"]; S1 -> H1 [comment="H1"]; S2 -> H2 [comment="H2"]; }""")
    text, messages = run("-i", broken, "-p", "scatter", "--mapping", "linear", "--metric", "hist_max_cong", status=1)
    check('"H1" to "H3": forwarding loop at "S1"' in messages, messages)
    check("1 of 2 connections have no route" in messages and "weight 1: 1 of the 1 connections" in text, text + messages)


def write(path, text):
    path.write_text(text)
    return path


def interrupt(scratch):
    """After SIGINT weft prints partial results with their number of runs, and ends with status 1."""
    with open(scratch / "out", "w") as out, open(scratch / "err", "w") as err:
        job = subprocess.Popen([WEFT, "simulate", "fattree3:k=8", "-R", "updn", "-n", "1000000000", "--metric", "hist_acc_band"],
                               stdout=out, stderr=err)
        interop.wait_for("3 s of processor time", lambda: interop.cpu_seconds(job.pid) > 3)
        job.send_signal(signal.SIGINT)
        check(job.wait(timeout=interop.PATIENCE) == 1, "exit status after SIGINT is not 1")
    messages = (scratch / "err").read_text()
    match = re.search(r"incomplete simulation: these are the results of (\d+) of 1000000000 runs", messages)
    check(match and int(match[1]) > 0, messages)
    counts = re.findall(rf"(\d+) of the {match[1]} runs", (scratch / "out").read_text())
    check(sum(map(int, counts)) == int(match[1]), "the sum of the bins differs from the number of runs")


if __name__ == "__main__":
    os.environ.pop("TERM", None)
    with tempfile.TemporaryDirectory(prefix="weft-simulate-") as folder:
        folder = pathlib.Path(folder)
        dot = input_and_output(folder)
        options(dot)
        refusals(dot, folder)
        interrupt(folder)
    print("input, options, refusals and interrupts as documented")
