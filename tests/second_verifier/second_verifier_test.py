#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares Weft's verdict with the verdict of the second verifier, on fabrics of the generators in SHAPES, most of them damaged, routed by the
engines in ENGINES.

One seed determines each case: fabric, damage, LMC, VLs of ports, multicast groups, engine and its options. Weft routes the fabric
and writes the dumps. The second verifier reads only the dumps. Both verifiers must count the same pairs, copies and loops, find credit
loops in the same traffic, and agree on PASS or FAIL. The quality figures must equal those of a plain model. `weft verify` on the dumps must
agree with `weft route`. Then some entries of the dumps are changed at random, and both verifiers must agree again.

Standard library only. Usage: second_verifier_test.py cases [COUNT [SEED]] [--findings] [--engine E]   COUNT seeds from SEED on
                              second_verifier_test.py figures [COUNT [SEED]] quality figures only
                              second_verifier_test.py broken                broken dumps, each of which must be found
--findings prints the findings on the routes, which are not failures of the test. A failure prints the command that repeats it.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import quality_model
import second_verifier

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "build/release/bin/weft"))


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def weft(*words):
    """Runs Weft. Exit status 1 (verdict FAIL) is no error here."""
    done = subprocess.run([WEFT, *map(str, words)], capture_output=True, text=True, timeout=900)
    check(done.returncode >= 0, f"weft {' '.join(map(str, words))} ended by signal {-done.returncode}\n{done.stderr}")
    return done


def route(fabric, folder, *words):
    """The report of `weft route -o`; its engine is null if all engines failed."""
    done = weft("route", fabric, *words, "--threads", 1, "--psl", "--patterns", "--quality-values", values_file(folder), "-o", folder, "--json")
    return json.loads(done.stdout) if done.stdout else {"engine": None}


def values_file(folder):
    """The file of --quality-values in a folder of dumps."""
    return folder / "quality-values.json"


def compare_figures(report, dumps, words, model=None):
    """The differences between the quality figures of a report and those of the model. `words`: the arguments of `weft route`."""
    return quality_model.compare(report, dumps, json.loads(values_file(dumps.folder).read_text()), words[words.index("--seed") + 1], model)


def verify(folder, *words):
    """The report of `weft verify` on a folder of dumps."""
    done = weft("verify", folder, "--threads", 1, *words, "--json")
    check(done.stdout, f"weft verify refuses the dumps: {done.stderr}")
    return json.loads(done.stdout)


def prove(folder):
    return second_verifier.Proof(second_verifier.Dumps(folder))


# Fabrics -----------------------------------------------------------------------------------------------------------------

def sizes(rng, switches_max, dimensions):
    drawn = [rng.randint(2, 6) for _ in range(rng.choice(dimensions))]
    while math.prod(drawn) > switches_max:
        drawn[drawn.index(max(drawn))] -= 1
    return "x".join(map(str, drawn))


SHAPES = {
    "fattree2": lambda r: f"fattree2:k={r.choice((4, 6, 8))},trunks={r.choice((1, 1, 2))}",
    "fattree3": lambda r: f"fattree3:k=4,pods={r.choice((2, 3, 4))}",
    "xgft": lambda r: "xgft:" + r.choice(("m=2x3x2,w=1x2x2", "m=3x3,w=1x3", "m=2x2x3,w=1x2x3", "m=2x3x2,w=1x2x1,trunks=1x1x2")),
    "torus": lambda r: f"torus:{sizes(r, 24, (2, 2, 3))},hosts={r.randint(1, 2)},trunks={r.choice((1, 1, 2))}",
    "mesh": lambda r: f"mesh:{sizes(r, 20, (2, 3))},hosts={r.randint(1, 2)}",
    "ring": lambda r: f"ring:n={r.randint(3, 12)},hosts={r.randint(1, 3)},trunks={r.choice((1, 1, 2))}",
    "line": lambda r: f"line:n={r.randint(2, 8)},hosts={r.randint(1, 3)}",
    "hypercube": lambda r: f"hypercube:n={r.randint(2, 4)},hosts={r.randint(1, 2)}",
    "hyperx": lambda r: f"hyperx:{sizes(r, 16, (1, 2, 2))},hosts={r.randint(1, 2)}",
    "dragonfly": lambda r: "dragonfly:" + r.choice(("a=2,h=1,p=2", "a=4,h=1,p=1", "a=2,h=2,p=2", "a=3,h=2,p=1,g=5")),
    "dragonflyplus": lambda r: f"dragonflyplus:leaves=2,spines=2,h={r.choice((1, 2))},hosts={r.randint(1, 2)}",
    "slimfly": lambda r: "slimfly:q=3,hosts=1",
    "kautz": lambda r: f"kautz:b={r.choice((2, 3))},n=1,hosts={r.randint(1, 2)}",
    "full": lambda r: f"full:n={r.randint(3, 8)},hosts={r.randint(1, 2)},trunks={r.choice((1, 2))}",
    "random": lambda r: f"random:n={r.choice((8, 12, 16, 20))},degree={r.choice((3, 4, 5))},hosts={r.randint(1, 2)}",
}
GRIDS_AND_GROUPS = ("torus-2QoS", "dfp", "dfp2")  # engines for these fabrics only
TREES, GRIDS, GROUPS = ("fattree2", "fattree3", "xgft"), ("torus", "torus", "mesh"), ("dragonfly", "dragonflyplus")
ANY_FABRIC = ("minhop", "updn", "dnup", "lash", "dor", "sssp", "dfsssp", "nue", "hoplanes", "file", "chain", "auto", "ar_updn", "ar_dor", "ar_minhop", "kdor-hc", "kdor-ghc")
ENGINES = {"ftree": TREES, "ar_ftree": TREES, "torus-2QoS": GRIDS, "ar_torus": GRIDS, "dfp": GROUPS, "ar_dfp": GROUPS,
           "dfp2": ("dragonflyplus",),
           **{engine: sorted(SHAPES) for engine in ANY_FABRIC}}
# For comparisons of quality figures: fabrics with several ports for each host, and engines by the kind of their routes.
RAILS = {
    "rail": lambda r: f"rail:su={r.randint(1, 2)},servers={r.randint(2, 4)},nics={r.randint(2, 3)},k=8",
    "railonly": lambda r: f"railonly:su=2,servers={r.randint(2, 4)},nics=2,k=8",
}
FIGURES = {engine: [*ENGINES[engine], *(RAILS if engine not in GRIDS_AND_GROUPS else ())] for engine in (
    "minhop", "updn", "dnup", "lash", "sssp", "dfsssp", "nue", "ftree", "hoplanes", "dor", "dfp", "torus-2QoS", "ar_updn", "ar_minhop", "dfp2")}


def draw_fabric(rng, engine, folder, shapes=None):
    """Writes a random fabric for an engine to a file. In three of four cases nodes or links may be missing. In one of four cases some or all ports
    have few VLs. In three of ten cases some links are slow."""
    shape, seed, path = {**SHAPES, **RAILS}[rng.choice(shapes or ENGINES[engine])](rng), rng.randint(1, 10**6), folder / "fabric.json"
    fail, dead, connected = 0, 0, 1
    if rng.random() < 0.75:
        fail, dead, connected = rng.choice((0, 1, 2, 3, 5)), rng.choice((0, 0, 1, 2)), rng.choice((0, 1, 1))
    while True:  # with less damage in each pass, since a small shape may have too few cables or switches
        spec = f"{shape},seed={seed},fail={fail},dead={dead},connected={connected}"
        done = weft("generate", spec, "-o", path)
        if done.returncode == 0:
            break
        check(fail + dead > 0, f"{spec}: {done.stderr}")
        fail, dead = max(0, fail - 1), dead if fail > 0 else 0
    if rng.random() < 0.25:
        everywhere, vls = rng.random() < 0.5, rng.choice((1, 2, 4))
        edit_ports(path, lambda node, port: everywhere or rng.random() < 0.05, vls)
        spec += f" with {vls} VLs on {'all' if everywhere else 'some'} ports"
    if rng.random() < 0.3:
        degraded_links(rng, path)
        spec += " with slow links"
    return spec, path


def degraded_links(rng, path):
    fabric = json.loads(path.read_text())
    for link in fabric["links"]:
        if rng.random() < 0.2:
            link["width"], link["speed"] = rng.choice(("1x", "4x")), rng.choice(("SDR", "QDR", "FDR", "EDR"))
    path.write_text(json.dumps(fabric))


def edit_ports(path, chosen, vls):
    fabric = json.loads(path.read_text())
    for node in fabric["nodes"]:
        for port in node["ports"]:
            if chosen(node, port):
                port["data_vls"] = vls
    path.write_text(json.dumps(fabric))


def draw_groups(rng, fabric, path):
    nodes = json.loads(fabric.read_text())["nodes"]
    guids = [port["guid"] for node in nodes for port in node["ports"] if (port["port"] == 0) == (node["type"] == "switch")]
    hosts = [guid for guid in guids if guid.startswith("0x002")]
    lines = []
    for number in range(rng.randint(1, 3)):
        pool = rng.choice((hosts, hosts, guids))
        chosen = rng.sample(pool, rng.randint(min(2, len(pool)), len(pool)))
        cut = rng.choice((0, 0, 1)) if len(chosen) > 2 else 0
        lines.append(f"0x{0xC000 + number:X} {' '.join(chosen[cut:])}" + (f" send {chosen[0]}" if cut else ""))
    path.write_text("\n".join(lines) + "\n")


def torus_config(spec, path):
    """Writes torus-2QoS.conf with two seeds, because a switch or link of one seed may be missing."""
    dims = [int(size) for size in re.match(r"\w+:([\dx]+)", spec)[1].split("x")]
    dims += [1] * (3 - len(dims))
    strides = (1, dims[0], dims[0] * dims[1])
    mesh = spec.startswith("mesh")
    lines = [" ".join(["torus", *(f"{size}{'m' if mesh and size > 1 else ''}" for size in dims)])]
    for number, corner in enumerate(([0, 0, 0], [max(0, size - 2) for size in dims])):
        lines += ["next_seed"] if number else []
        base = sum(at * stride for at, stride in zip(corner, strides))
        for axis, size in enumerate(dims):
            for sign in (1, -1) if size > 1 else ():
                to = corner[axis] + sign
                if sign == -1 and (size < 3 or mesh and to < 0):
                    continue
                other = base + (to % size - corner[axis]) * strides[axis]
                name = f"{'xyz'[axis]}{'p' if sign == 1 else 'm'}_link"
                lines.append(f"{name} 0x{0x10000000000001 + base:016x} 0x{0x10000000000001 + other:016x}")
    path.write_text("\n".join(lines) + "\n")


def options_for(rng, engine, spec, fabric, folder):
    """The required options of the engine, and randomly selected further options."""
    words = ["--seed", rng.randint(0, 1000)]
    if engine not in ("lash", "chain"):
        words += ["--lmc", rng.choice((0, 0, 1, 2))]
    if engine == "file":
        route(fabric, folder / "first", "-R", rng.choice(("minhop", "updn", "dnup")) + ",no_fallback", *words)
        words += ["-U", folder / "first/opensm-lfts.dump"]
    if engine == "chain":
        steps = enumerate(rng.sample(("updn", "ftree", "lash", "dfsssp", "nue", "minhop"), 2))
        (folder / "chain.conf").write_text("".join(
            f"unicast-step\nid: {i + 1}\nengine: {step}\n{'fallback-to: 1' if i else ''}\nend-unicast-step\n" for i, step in steps))
        words += ["--rch_policy_file", folder / "chain.conf"]
    if engine in ("torus-2QoS", "ar_torus"):
        torus_config(spec, folder / "torus.conf")
        words += ["--torus_config", folder / "torus.conf"]
    if engine == "nue":
        words += ["--nue_max_num_vls", rng.choice((0, 1, 2, 3, 4, 8))]
    if engine == "dfp" and rng.random() < 0.3:
        words += ["--dfp_detours"]
    if engine == "hoplanes" and rng.random() < 0.5:
        words += ["--hoplanes_detours"]
    if engine not in ("file", "chain") and rng.random() < 0.3:
        words += ["--balance=local"]
    elif engine not in ("file", "chain") and rng.random() < 0.5:
        words += ["--reweight", rng.choice((1, 4, 20, "auto")), "--objective", rng.choice(("bisection", "alltoall", "shift", "balanced"))]
    if rng.random() < 0.5:
        draw_groups(rng, fabric, folder / "members")
        words += ["--multicast", folder / "members"]
    return words


# Verdicts ----------------------------------------------------------------------------------------------------------------

def compare(verdict, proof, all_sls=False):
    """The differences between the verdicts of Weft and the second verifier."""
    differences = []

    def same(what, weft_value, second_value):
        if weft_value != second_value:
            differences.append(f"{what}: Weft {weft_value}, second verifier {second_value}")

    for pair in ("ca_to_ca", "switch_to_ca", "ca_to_switch"):
        same(f"{pair} pairs", verdict[pair]["pairs"], proof.counts[f"{pair}.pairs"])
        same(f"{pair} cut off", verdict[pair]["cut_off"], proof.counts[f"{pair}.cut_off"])
        if "drop" not in proof.findings:
            same(f"{pair} arrived", verdict[pair]["arrived"], proof.counts[f"{pair}.arrived"])
    same("loops", verdict["loops"], proof.counts["loop"])
    same("multicast copies", verdict["multicast"]["copies"], proof.counts["copies.wanted"])
    same("multicast copies arrived", verdict["multicast"]["arrived"], proof.counts["copies.arrived"])
    if verdict["lanes"]["missing"] != len(proof.lacking):
        differences.append(f"lanes missing: Weft at {[row['port'] for row in verdict['lanes']['failures']]}, second verifier at "
                           f"{[f'0x{node:x} port {port}' for node, port in sorted(proof.lacking)]}")
    deadlocks = {kind.partition(".")[2] for kind in proof.findings if kind.startswith("deadlock")}
    same("credit loop", bool(verdict["credit_loop"]), bool(deadlocks & {"ca", "ca_reply"}))
    same("credit loop with multicast", bool(verdict["multicast"]["credit_loop"]), "multicast" in deadlocks)
    same("credit loop with switches", bool(verdict["switch_credit_loop"]), bool(deadlocks & {"switch", "switch_reply"}))
    cut_off = proof.counts["ca_to_ca.cut_off"] + proof.counts["copies.wanted"] - proof.counts["copies.arrived"]
    same("PASS", verdict["pass"], not proof.findings and not cut_off)
    if all_sls and "drop" not in proof.findings:
        sls = second_verifier.single_sls(proof.dumps)
        if len(set(proof.dumps.vls.values())) > 1:  # Weft reports an SL as unsafe if some link does not have its VL
            sls = [sl for sl in sls if sl in verdict["single_sls"]]
        same("SLs that all traffic may use", verdict["single_sls"], sls)
    return differences


def change_entries(rng, folder, proof):
    """Changes ports, SLs and VLs in a few rows of the dumps. SL2VL tables of CAs stay, because Weft has one table for all CAs."""
    name = rng.choice(("opensm-lfts.dump", "opensm-lfts.dump", "weft.psl", "opensm-sl2vl.dump", "opensm.mcfdbs"))
    if proof.dumps.inputs and rng.random() < 0.5:
        return change_private_tables(rng, folder)
    path = folder / name
    lines = path.read_text().splitlines()
    rows = [i for i, line in enumerate(lines) if re.match(r"0x\w+ (\d|: )|0x\w+ \d+ \d+$|\d+ +[1-9]\d* +:", line)]
    for i in sorted(rng.sample(rows, min(len(rows), rng.choice((1, 1, 3, 10))))):
        if name == "opensm-lfts.dump":
            lines[i] = re.sub(r" \d+ ", f" {rng.randint(0, 6):03} ", lines[i], count=1) if rng.random() < 0.8 else ""
        elif name == "weft.psl":  # all sources at one switch have the same SL to a LID
            switch_of = {end[0]: entry[0] for end, entry in proof.entry.items()}
            (source, lid, _), sl = lines[i].split(), rng.randint(0, 7)
            lines = [f"{words[0]} {lid} {sl}" if words[1] == lid and switch_of[int(words[0], 16)] == switch_of[int(source, 16)]
                     else " ".join(words) for words in map(str.split, lines)]
        elif name == "opensm-sl2vl.dump":
            vls = lines[i].split(":")
            lines[i] = vls[0] + ": " + " ".join(str(rng.choice((0, 1, 2, 3, 7))) for _ in range(16))
        else:
            lines[i] += f" 0x{rng.randint(0, 6):03X} "
    path.write_text("\n".join(lines) + "\n")
    return name


def change_private_tables(rng, folder):
    """Changes groups of any table, and input ports and SLs of private tables."""
    path = folder / "weft.ar"
    lines = path.read_text().splitlines()
    rows = [i for i, line in enumerate(lines) if line.startswith(("group", "inputs"))]
    for i in rng.sample(rows, min(len(rows), rng.choice((1, 3, 10)))):
        words = lines[i].split()
        if words[0] == "group":
            words[3] = ",".join(map(str, sorted(rng.sample(range(1, 7), rng.randint(1, 3)))))
        else:
            words[1], words[3] = str(rng.randint(0, 6)), rng.choice(("0", "0-15", "1", "3-5"))
        lines[i] = " ".join(words)
    path.write_text("\n".join(lines) + "\n")
    return path.name


def one_case(seed, stats, only_engine):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="weft-second-verifier-") as scratch:
        folder = pathlib.Path(scratch)
        engine = rng.choice(sorted(ENGINES))
        engine = only_engine or engine
        spec, fabric = draw_fabric(rng, engine, folder)
        while True:  # until an engine succeeds
            words = options_for(rng, engine, spec, fabric, folder)
            report = route(fabric, folder / "dumps", "-R", f"{engine},no_fallback", *words)
            if report["engine"]:
                break
            stats["refused", engine] += 1
            engine = rng.choice(ANY_FABRIC)
        proof = prove(folder / "dumps")
        stats["cases", engine] += 1
        stats["private tables", engine] += bool(proof.dumps.inputs)
        for kind in proof.findings:
            stats[kind, engine] += 1
        differences = compare(report["verify"], proof, all_sls=seed % 8 == 0)
        differences += compare_figures(report, proof.dumps, words)
        again = verify(folder / "dumps")
        differences += [f"{key} of the dumps read back: {again[key]}, not {report[key]}"
                        for key in ("fabric", "adaptive", "verify") if again[key] != report[key]]
        if not differences:
            name = change_entries(rng, folder / "dumps", proof)
            changed = prove(folder / "dumps")
            differences = [f"after changes of {name}: {text}" for text in compare(verify(folder / "dumps")["verify"], changed)]
            stats["changed: found", engine] += bool(changed.findings.keys() - proof.findings.keys())
            differences += [f"{kind}: {text}" for kind, text in changed.findings.items()] if differences else []
        return f"{spec} -R {engine} {' '.join(map(str, words))}", differences, proof.findings


def add_aggregation_nodes(rng, path):
    """Makes some CAs aggregation nodes, by description or device ID."""
    fabric = json.loads(path.read_text())
    for node in fabric["nodes"]:
        if node["type"] == "ca" and rng.random() < 0.2:
            node.update(rng.choice(({"description": "Mellanox Technologies Aggregation Node"}, {"device_id": 0xCF09})))
    path.write_text(json.dumps(fabric))


def figures_of_case(seed, stats):
    """Compares the figures of one case. Returns the differences as text, or None if the engine refuses the fabric."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="weft-second-verifier-") as scratch:
        folder = pathlib.Path(scratch)
        engine = rng.choice(sorted(FIGURES))
        spec, fabric = draw_fabric(rng, engine, folder, FIGURES[engine])
        if rng.random() < 0.2:
            add_aggregation_nodes(rng, fabric)
        sample = ["--shift-flows", rng.choice((10, 40, 160))] if rng.random() < 0.25 else []
        words = ["-R", f"{engine},no_fallback", "--verify=off", *options_for(rng, engine, spec, fabric, folder), *sample]
        if "--lmc" in words and rng.random() < 0.1:
            words[words.index("--lmc") + 1] = 3
        report = route(fabric, folder / "dumps", *words)
        if not report["engine"]:
            stats["refused"] += 1
            return None
        figures, model = report["quality"], quality_model.Quality(second_verifier.Dumps(folder / "dumps"))
        found = compare_figures(report, model.dumps, words, model)
        if seed % 4 == 0:
            again = verify(folder / "dumps", "--patterns", "--seed", words[words.index("--seed") + 1], *sample)["quality"]
            found += [f"{name}: {value} by weft verify, {figures[name]} by weft route" for name, value in again.items() if value != figures[name]]
            stats["read back"] += 1
        stats["compared"] += len(model.hosts) > 1
        stats["with a bound"] += bool(figures["link_load_bound"])
        stats["with a bound of any paths"] += bool(figures["link_load_bound"]) and figures["link_load_bound_basis"] == "any paths"
        stats["with different rates"] += len(set(map(model.rate, model.channels))) > 1
        stats["with a sample of shifts"] += figures["shifts"] is not None and figures["shifts"]["measured"] < len(model.units) - 1
        stats["with several ports for a host"] += max(map(len, model.units), default=0) > 1
        stats["with aggregation nodes"] += bool(model.dumps.aggregation_nodes)
        stats["with adaptive routing"] += figures["ebb_adaptive"] is not None
        stats["with several LIDs"] += figures["lid_paths"] is not None
        stats[engine] += 1
        return [f"seed {seed}: {spec} {' '.join(map(str, words))}: {text}" for text in found]


# Least part of the compared cases that have a property.
FIGURE_SHARES = {"with a bound": 0.5, "with a bound of any paths": 0.02, "with different rates": 0.1, "with a sample of shifts": 0.1,
                 "with several ports for a host": 0.03, "with aggregation nodes": 0.05, "with adaptive routing": 0.03, "with several LIDs": 0.2,
                 "read back": 0.1, **dict.fromkeys(FIGURES, 0.01)}


def figures(count, first):
    """Compares the quality figures of routes, without verdicts, until `count` cases are compared."""
    stats, different = collections.Counter(), []
    for seed in range(first, first + 3 * count):
        if stats["compared"] == count:
            break
        different += figures_of_case(seed, stats) or []
    print(dict(stats))
    check(not different, "\n".join(different[:20]))
    check(stats["compared"] == count, f"{stats['compared']} cases compared, expected {count}")
    for what, share in FIGURE_SHARES.items():
        check(count < 100 or stats[what] >= share * count, f"{stats[what]} of {count} cases {what}, expected at least {share:.0%}")


def cases(count, first, findings, engine):
    stats, failed = collections.Counter(), 0
    for seed in range(first, first + count):
        repeat = f"repeat with: {sys.argv[0]} cases 1 {seed} --findings" + (f" --engine {engine}" if engine else "")
        try:
            shown, differences, found = one_case(seed, stats, engine)
        except AssertionError as refused:
            shown, differences, found = "not compared", [str(refused)], {}
        except Exception:
            print(repeat)
            raise
        failed += bool(differences)
        lines = differences + ([f"{kind}: {text}" for kind, text in found.items()] if findings else [])
        if lines:
            print("\n  ".join([f"seed {seed}: {shown}", *lines, repeat]), flush=True)
    kinds = ["cases", "refused", *sorted({kind for kind, _ in stats} - {"cases", "refused"})]
    print(" | ".join(["engine", *kinds]))
    for name in [*sorted({name for _, name in stats}), "all"]:
        total = [sum(n for (k, e), n in stats.items() if k == kind and name in (e, "all")) for kind in kinds]
        print(" | ".join([name, *map(str, total)]))
    check(failed == 0, f"{failed} of {count} cases have different verdicts")
    private, of_dfp2 = stats["private tables", "dfp2"], stats["cases", "dfp2"]
    check(engine != "dfp2" or 2 * private > of_dfp2, f"{private} of {of_dfp2} cases of dfp2 have private tables, expected more than half")


# Broken dumps ------------------------------------------------------------------------------------------------------------

class Ring:
    """Dumps of a ring of five switches with one host each. Shortest paths have up to two hops in either direction, so they close
    a cycle on one VL. `sls` maps (first switch, last switch) to the SL of the path, by default 0; SL n uses VL n. With CUT, in
    each direction some paths are on another VL, so that no VL has a cycle."""

    CUT = {(0, 2): 1, (2, 0): 1, (1, 4): 1, (4, 1): 1}

    def __init__(self, folder, sls, of_switches=None, lmc=0):
        self.folder = folder
        report = route("ring:n=5,hosts=1", folder, "-R", "minhop,no_fallback", "--lmc", lmc)
        check(report["verify"]["credit_loops"] == 1, f"{report['verify']['credit_loops']} credit loops of shortest paths on a ring, expected 1")
        self.dumps = second_verifier.Dumps(folder)
        self.switches = sorted(self.dumps.switches)
        self.place = {end: self.switches.index(self.switch(end)) for end in self.dumps.lids}
        of_switches = sls if of_switches is None else of_switches
        rows = []
        for source in self.dumps.lids:
            for lid, owner in self.dumps.owner.items():
                table = of_switches if source[1] == 0 or owner[1] == 0 else sls
                rows.append(f"0x{source[0]:016x} {lid} {table.get((self.place[source], self.place[owner]), 0)}")
        self.write("weft.psl", "\n".join(rows))
        identity = " ".join(map(str, range(16)))
        self.edit("opensm-sl2vl.dump", r"(?m)^(\d+ +\d+ +:).*$", rf"\1 {identity}")

    def switch(self, end):
        return end[0] if end[1] == 0 else self.dumps.peer[end][0]

    def host(self, place):
        return next(end for end, at in self.place.items() if at == place and end[1] != 0)

    def lid(self, end):
        return self.dumps.lids[end][0]

    def port(self, place, to):
        """The port of a switch that is cabled to another switch, or to its host if `to` is None."""
        ends = [a for a, b in self.dumps.peer.items() if a[0] == self.switches[place]
                and b[0] == (self.switches[to] if to is not None else self.host(place)[0])]
        return ends[0][1]

    def write(self, name, text):
        (self.folder / name).write_text(text + "\n")

    def edit(self, name, pattern, into):
        text = (self.folder / name).read_text()
        changed = re.sub(pattern, into, text)
        check(changed != text, f"{name} has no {pattern}")
        self.write(name, changed)

    def set_route(self, place, end, port):
        """Sets the entries of a switch for the LIDs of an endport to a port; None removes the entries."""
        head, *tables = re.split(r"(?m)^(?=Unicast lids)", (self.folder / "opensm-lfts.dump").read_text())
        for i, table in enumerate(tables):
            if f"guid 0x{self.switches[place]:016x} (" in table:
                for lid in self.dumps.lids[end]:
                    row = "" if port is None else f"0x{lid:04x} {port:03} #"
                    tables[i] = re.sub(rf"(?m)^0x{lid:04x} \d+ #" + ("" if row else r".*\n"), row, tables[i])
        self.write("opensm-lfts.dump", head + "".join(tables))

    def tree(self, members=range(5), sl=None):
        """Adds multicast group 0xC000 along the line of switches 3, 4, 0, 1, 2. The turns of its tree include the turns of the paths that CUT has on
        SL 1."""
        text = ""
        for place in range(5):
            ports = [self.port(place, near % 5) for near in (place - 1, place + 1) if {place, near % 5} != {2, 3}]
            ports += [self.port(place, None)] if place in members else []
            text += f"\nSwitch 0x{self.switches[place]:016x}\nLID    : Out Port(s)\n"
            text += "0xC000 :" + "".join(f" 0x{port:03X} " for port in sorted(ports)) + "\n"
        self.write("opensm.mcfdbs", text)
        if sl is not None:
            self.write("weft.msl", f"0xC000 {sl}")


CUT, HALF = Ring.CUT, {(0, 2): 1, (1, 4): 1}  # HALF: requests form no cycle, but replies on the SLs of the requests form a cycle


def no_entry(ring):
    ring.set_route(0, ring.host(2), None)


def port_of_another_host(ring):
    ring.set_route(2, ring.host(2), ring.port(2, 1))
    ring.set_route(1, ring.host(2), ring.port(1, None))


def two_switches_in_a_loop(ring):
    ring.set_route(0, ring.host(2), ring.port(0, 1))
    ring.set_route(1, ring.host(2), ring.port(1, 0))


def switch_not_reached(ring):
    ring.set_route(0, (ring.switches[1], 0), None)


def wrong_port_0(ring):
    ring.set_route(0, (ring.switches[1], 0), 0)


def one_vl_on(ring, place, to):
    edit_ports(ring.folder / "weft-fabric.json",
               lambda node, port: (int(node["guid"], 16), port["port"]) == (ring.switches[place], ring.port(place, to)), 1)


def vl_15(ring):
    ring.edit("opensm-sl2vl.dump", r"(?m)^(\d+ +\d+ +: 0) 1 ", r"\1 15 ")


def second_copy(ring):
    ring.tree()
    for place, to in ((2, 3), (3, 2)):
        ring.edit("opensm.mcfdbs", rf"(Switch 0x{ring.switches[place]:016x}\n.*\n0xC000 :)", rf"\1 0x{ring.port(place, to):03X} ")


def member_without_copy(ring):
    ring.tree(members=(0, 1, 2, 3))
    guids = {end: guid for guid, end in ring.dumps.endports.items()}
    ring.write("weft.groups", "0xC000 " + " ".join(f"0x{guids[ring.host(place)]:016x}" for place in range(5)))


def group_without_tree(ring):
    member_without_copy(ring)
    ring.write("opensm.mcfdbs", "")


def adaptive(place, neighbors):
    """Returns a function that changes the dumps of a ring: a switch selects among these neighbors for packets to the host of switch 2."""
    def change(ring):
        numbers = ",".join(str(ring.port(place, to)) for to in neighbors)
        ring.write("weft.ar", f"switch 0x{ring.switches[place]:016x}\ngroup 0 ports {numbers}\n"
                              f"lids {ring.lid(ring.host(2))} free group 0")
    return change


def private(place, inputs, sl, neighbors):
    """As adaptive(), for packets with an SL that enter from `inputs`, which are neighbors, or None for the host of the switch."""
    def change(ring):
        ports = ",".join(str(ring.port(place, near)) for near in inputs)
        numbers = ",".join(str(ring.port(place, to)) for to in neighbors)
        ring.write("weft.ar", f"switch 0x{ring.switches[place]:016x}\ntable 1\ninputs {ports} sls {sl}\ngroup 0 ports {numbers}\n"
                              f"lids {ring.lid(ring.host(2))} free group 0")
    return change


# {name: (change of the ring, SLs between CAs, SLs to and from port 0 of switches, or None for the same SLs, expected findings, LMC if not 0)}
BROKEN = {
    "no damage": (None, CUT, None, set()),
    "no damage, 4 LIDs for each port": (None, CUT, None, set(), 2),
    "a multicast tree on SL 1": (lambda ring: ring.tree(sl=1), CUT, None, set()),
    "an AR group that closes no cycle": (adaptive(0, (1, 4)), CUT, None, set()),
    "all paths on one lane": (None, {}, None, {"deadlock.ca"}),
    "paths of switches on one lane": (None, CUT, {}, {"deadlock.switch"}),
    "replies on other lanes than packets": (None, HALF, None, {"deadlock.ca_reply"}),
    "replies of switches only": (None, CUT, HALF, {"deadlock.switch_reply"}),
    "replies of CAs only": (None, HALF, CUT, {"deadlock.ca_reply"}),
    "no entry for a host": (no_entry, CUT, None, {"reach"}),
    "an entry with the port of another host": (port_of_another_host, CUT, None, {"reach"}),
    "two switches that send to each other": (two_switches_in_a_loop, CUT, None, {"reach", "loop"}),
    "no entry for a switch": (switch_not_reached, CUT, None, {"reach"}),
    "port 0 for another switch's LID": (wrong_port_0, CUT, None, {"reach"}),
    "one VL between switches": (lambda ring: one_vl_on(ring, 0, 1), CUT, None, {"lane"}),
    "one VL to a host": (lambda ring: one_vl_on(ring, 2, None), CUT, None, {"lane"}),
    "SL 1 on VL 15": (vl_15, CUT, None, {"drop"}),
    "no SLs of switches": (lambda ring: ring.edit("weft.psl", r"(?m)^0x001.*\n", ""), CUT, None, {"sl"}),
    "no SL2VL tables of a switch": (lambda ring: ring.edit("opensm-sl2vl.dump", r"Switch 0x0010000000000001", "Router 0x0020000000000011"),
                                    CUT, None, {"sl2vl"}),
    "a multicast tree on SL 0": (lambda ring: ring.tree(), CUT, None, {"deadlock.multicast"}),
    "a multicast tree on SL 1, one VL": (lambda ring: (ring.tree(sl=1), one_vl_on(ring, 3, 4)), CUT, None, {"lane"}),
    "a multicast tree with a cycle": (second_copy, CUT, None, {"copies"}),
    "a member without a copy": (member_without_copy, CUT, None, {"copies"}),
    "a group without a tree": (group_without_tree, CUT, None, {"copies"}),
    "an AR group that sends packets back": (adaptive(1, (2, 0)), CUT, None, {"reach", "loop"}),
    "an AR group that closes a cycle": (adaptive(4, (3, 0)), CUT, None, {"deadlock.ca"}),
    "a private table for packets of the host": (private(1, (None,), 0, (2, 0)), CUT, None, set()),
    "a private table for an SL that no path has": (private(1, (None, 0), 5, (2, 0)), CUT, None, set()),
    "a private table that sends packets back": (private(1, (None, 0), 0, (2, 0)), CUT, None, {"reach", "loop"}),
    "a private table that closes a cycle": (private(4, (0, None), 0, (3, 0)), CUT, None, {"deadlock.ca"}),
}


def broken():
    for name, (change, sls, of_switches, want, *lmc) in BROKEN.items():
        with tempfile.TemporaryDirectory(prefix="weft-second-verifier-") as scratch:
            ring = Ring(pathlib.Path(scratch), sls, of_switches, *lmc)
            if change:
                change(ring)
            found = prove(ring.folder).findings
            print(f"{name}: {found or 'nothing found'}")
            check(want <= found.keys() if want else not found, f"{name}: found {found}, expected {want}")


def incomplete_folders():
    """Checks `weft verify DIR` on folders in which a file is missing, and with files that options name instead."""
    with tempfile.TemporaryDirectory(prefix="weft-second-verifier-") as scratch:
        ring = Ring(pathlib.Path(scratch), Ring.CUT)

        def refused(text):
            done = weft("verify", ring.folder)
            check(done.returncode == 2 and text in done.stderr, f"weft verify: status {done.returncode}, expected 2 and {text!r}: {done.stderr}")

        found = weft("verify", ring.folder).stdout
        check(found.endswith("\nPASS\n"), f"expected PASS for the complete folder: {found}")
        elsewhere = ring.folder / "elsewhere"
        elsewhere.write_text("# all paths use SL 0\n")
        found = weft("verify", ring.folder, "--psl", elsewhere).stdout
        check("FAIL" in found, f"expected FAIL with SL 0 for all paths in the file of --psl: {found}")
        psl = (ring.folder / "weft.psl").rename(ring.folder / "moved.psl")
        refused("no weft.psl")
        done = weft("verify", ring.folder, "--psl", psl)
        check(done.returncode == 0, f"status {done.returncode}, expected 0 with the file of --psl in place of weft.psl: {done.stderr}")
        for name in ("opensm-lfts.dump", "opensm.fdbs"):
            (ring.folder / name).unlink()
        refused("no forwarding tables")
        for name in ("weft-fabric.json", "opensm-subnet.lst"):
            (ring.folder / name).unlink()
        refused("no fabric")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("cases", "figures", "broken"))
    parser.add_argument("count", nargs="?", type=int, default=300)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--engine", choices=sorted(ENGINES), help="route by this engine first")
    parser.add_argument("--findings", action="store_true")
    options = parser.parse_args()
    if options.what == "cases":
        cases(options.count, options.seed, options.findings, options.engine)
    elif options.what == "figures":
        figures(options.count, options.seed)
    else:
        broken()
        incomplete_folders()


if __name__ == "__main__":
    sys.exit(main())
