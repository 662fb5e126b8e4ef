#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that weft check reports every invalid line of every file, and the effect of the settings on a fabric. Outputs of complete runs are
compared with files (UPDATE_GOLDEN=1 writes these files), and predictions with the results of weft sm.

Standard library only. Usage: check_test.py [FOLDER_OF_TOPOLOGIES]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")
STABLE_ENGINES = ("--compare", "minhop,updn,ftree")  # for stored outputs: engines that seldom change
GOLDENS = pathlib.Path(__file__).parent / "check_goldens"


def run(folder, *words, status):
    done = subprocess.run([WEFT, "check", *map(str, words)], capture_output=True, text=True, timeout=interop.PATIENCE, cwd=folder)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}:\n{done.stdout}{done.stderr}")
    return done.stdout


def run_json(folder, *words, status):
    report = json.loads(run(folder, *words, "--json", status=status))
    check(report["ok"] == (status == 0), f"{words}: ok is {report['ok']}, expected {status == 0}")
    return report


def golden(name, text):
    path = GOLDENS / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    wanted = path.read_text()
    check(text == wanted, f"{name} differs: found\n{text}\nexpected\n{wanted}")


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text)


def write_net(path, hosts, cables):
    """Writes a fabric: `hosts` is the number of hosts of each switch, `cables` are pairs of switches. Switch N has GUID 0x200000 + N."""
    lines = {f"sw-{sw}": [] for sw in hosts} | {f"host-{sw}-{n}": [] for sw, count in hosts.items() for n in range(count)}
    ends = [(f"sw-{a}", f"sw-{b}") for a, b in cables] + [(f"sw-{sw}", f"host-{sw}-{n}") for sw, count in hosts.items() for n in range(count)]
    for a, b in ends:
        at_a, at_b = len(lines[a]) + 1, len(lines[b]) + 1
        lines[a].append(f'[{at_a}] "{b}"[{at_b}]\n')
        lines[b].append(f'[{at_b}] "{a}"[{at_a}]\n')
    nodes = [f'switchguid={0x200000 + sw:#x}\nSwitch 8 "sw-{sw}"\n' + "".join(lines[f"sw-{sw}"]) for sw in hosts]
    nodes += [f'Hca 1 "{name}"\n' + "".join(ports) for name, ports in lines.items() if name.startswith("host-")]
    path.write_text("\n".join(nodes))


def check_invalid_lines(folder):
    write(folder,
          conf="lmc 8\nrouting_engine ftree\nsweep_interval x\nno_such_key 1\nmax_op_vls 5\n"
               f"root_guid_file {folder}/roots\nhop_weights_file {folder}/weights\nqos TRUE\n"
               f"partition_config_file {folder}/partitions\nqos_policy_file {folder}/policy\n",
          roots="# spines\nspine\n0x10\n0x1 0x2\n",
          weights="0x1 1 0\n0x2 1 2\nleaf 1 1\n0x3 300 1\n",
          partitions="Default=0x7fff : ALL=limited, SELF=full ;\nA=0x99999 : ALL ;\nB=0x2 : ALL,\n  full=unknown ;\n"
                     "C=0x3, nonsense=1 : ALL ;\nD=0x4 : ALL=full ;\n",
          policy="port-groups\n  port-group\n    name: storage\n    port-guid: x\n  end-port-group\nend-port-groups\n")
    report = run_json(folder, "-F", "conf", status=2)
    check(not report["would_start"], "would_start is true with invalid files")
    places = {(pathlib.Path(f["file"]).name, f["line"], f["severity"]) for f in report["findings"] if "line" in f}
    wanted = {("conf", 1, "error"), ("conf", 3, "error"), ("conf", 4, "problem"), ("roots", 2, "problem"),
              ("roots", 4, "problem"), ("weights", 1, "error"), ("weights", 3, "error"), ("weights", 4, "error"),
              ("partitions", 2, "error"), ("partitions", 5, "error"), ("policy", 4, "error")}
    check(wanted <= places, f"not found: {wanted - places}; found {sorted(places)}")
    check(all(not text.startswith("/proc") for text in (f["text"] for f in report["findings"])), "a finding has the name of a temporary copy")
    check(("partitions", 3, "error") in places or ("partitions", 4, "error") in places, str(sorted(places)))
    files = {f["key"]: f["good"] for f in report["files"]}
    check(files["root_guid_file"] and not files["hop_weights_file"] and not files["config"], str(files))
    # Policy files of a routing chain after an invalid file are not read.
    write(folder, groups="port-group\n  name: g\nend-port-group\n", topologies="invalid\n", chain="invalid\n")
    report = run_json(folder, "--pgrp_policy_file", "groups", "--topo_policy_file", "topologies", "--rch_policy_file", "chain", status=2)
    check([(f["key"], f["good"]) for f in report["files"]] == [("pgrp_policy_file", False)], str(report["files"]))
    unread = [f["text"].split(" is not read")[0] for f in report["findings"] if "is not read" in f["text"]]
    check(unread == ["topo_policy_file topologies", "rch_policy_file chain"], str(report["findings"]))
    # Alarms require counters, and replication requires an HTTP service.
    write(folder, alarms="alarm_webhook http://127.0.0.1:1/\n", replication="replication_peers http://127.0.0.1:1\n")
    for name, text in (("alarms", "error: alarm_webhook requires perfmgr"), ("replication", "error: replication_peers: the peers copy from the HTTP")):
        found = run(folder, "-F", name, status=2)
        check(text in found, f"no {text!r} in\n{found}")
    # weft sm does not start with any of these files.
    for option, name in (("-F", "conf"), ("-F", "alarms"), ("-F", "replication"), ("-w", "weights"), ("-P", "partitions")):
        done = subprocess.run([WEFT, "sm", "--emulate", "fattree2:k=4", "--once", option, folder / name, "-f", "stdout"],
                              capture_output=True, timeout=interop.PATIENCE, cwd=folder)
        check(done.returncode == 2, f"weft sm {option} {name}: exit status {done.returncode}, expected 2")
    run(folder, "-a", "/none/there", status=3)
    run(folder, "-F", "/none/there", status=3)
    run(folder, "-R", "none", status=2)
    run(folder, "-R", "./nothing.so", status=2)
    run(folder, "--lmc", "9", status=2)
    run(folder, "/none/there", status=3)
    run(folder, "fattree2:k=4", "--compare", "no_such_engine", status=2)
    # Without files there are no problems.
    check(run(folder, status=0).endswith("weft sm would start: no problems\n"), "weft check without files finds problems")


def check_service_files(folder):
    write(folder, alarms="perfmgr TRUE\nalarm_webhook http://127.0.0.1:1/\nalarm_webhook_token_file /none/there\n")
    check("error: alarm_webhook_token_file: /none/there" in run(folder, "-F", "alarms", status=3), "no error for an absent token file of the webhook")
    # The files of replication are read for each connection.
    write(folder, token="0123456789abcdef\n")
    (folder / "token").chmod(0o600)
    replication = f"http 127.0.0.1:0\nhttp_token_file {folder}/token\nreplication_peers http://127.0.0.1:1\n"
    write(folder, good=f"{replication}replication_token_file {folder}/token\n", bad=f"{replication}replication_token_file /none/there\n")
    run(folder, "-F", "good", status=0)
    text = run(folder, "-F", "bad", status=1)
    check("problem: replication_peers: cannot connect to http://127.0.0.1:1: /none/there" in text, text)


def check_outcome(folder):
    golden("tree.txt", run(folder, "fattree2:k=4", *STABLE_ENGINES, status=0))
    report = run_json(folder, "fattree2:k=4", "-R", "ftree", status=0)
    check(report["engine"] == "ftree" and report["vls_offered"] == 8 and len(report["roots"]["guids"]) == 2, str(report))
    # Files with unknown GUIDs, a leaf as root, and a partition without members.
    write(folder, roots="0x0010000000000001\n0xdeadbeef\n",
          partitions="Default=0x7fff : ALL=full ;\nghosts=0x2 : 0xdead=full ;\nmute=0x3 : ALL=limited ;\n")
    text = run(folder, "fattree2:k=4", "-R", "updn", "-a", "roots", "-P", "partitions", *STABLE_ENGINES, status=1)
    golden("unknown.txt", text)
    for words in ("roots:2: root GUID 0x00000000deadbeef", "has 2 hosts: it is a leaf", "partitions:2: port GUID",
                  "partition 'ghosts' (0x0002) has no member", "partition 'mute' (0x0003) has limited members only"):
        check(words in text, f"no {words!r} in\n{text}")
    # The only root is now a leaf; the options without effect below name this file.
    write(folder, roots="0x0020000000000001\n")
    # On a ring minhop's routes have a credit loop: the verification rejects them, and nue is the fallback.
    report = run_json(folder, "ring:n=6,hosts=2", "-R", "ftree,minhop", status=1)
    check([a["engine"] for a in report["fallbacks"]] == ["ftree", "minhop"] and report["engine"] == "nue", str(report["fallbacks"]))
    check("credit loop" in report["fallbacks"][1]["reason"], str(report["fallbacks"]))
    golden("ring.txt", run(folder, "ring:n=6,hosts=2", "-R", "ftree,minhop,updn", *STABLE_ENGINES, status=1))
    report = run_json(folder, "ring:n=6,hosts=2", "-R", "minhop,no_fallback", "--compare", "none", status=1)
    check(report["engine"] is None and report["engines"] == [] and report["best"] is None, str(report))
    # The prediction equals the result of weft sm.
    for spec, engines in (("fattree2:k=4", "ftree"), ("ring:n=6,hosts=2", "ftree,minhop"), ("torus:4x4,hosts=1", "dfsssp"),
                          ("torus:4x4,hosts=1", "updn")):
        report = json.loads(subprocess.run([WEFT, "check", spec, "-R", engines, "--json", "--compare", "none"],
                                         capture_output=True, text=True, timeout=interop.PATIENCE).stdout)
        done = json.loads(subprocess.run([WEFT, "sm", "--emulate", spec, "-R", engines, "--once", "--json", "-f", folder / "log"],
                                         capture_output=True, text=True, timeout=interop.PATIENCE).stdout)
        check((report["engine"], report["vls"], len(report["fallbacks"])) == (done["engine"], done["vls"], len(done["fallbacks"])),
              f"{spec} {engines}: {report['engine']} on {report['vls']}, but {done['engine']} on {done['vls']}")
    # A port GUID for the manager that does not exist, and options without effect.
    check("no port with this GUID" in run(folder, "fattree2:k=4", "-g", "0xbad", status=2), "no error for an unknown port GUID")
    check("has no effect" in run(folder, "fattree2:k=4", "-R", "minhop", "-a", "roots", status=1), "no finding for root GUIDs with minhop")
    check("without qos" in run(folder, "-Y", "roots", status=1), "no finding for a QoS policy without qos")
    # SLs of a QoS policy have no effect if the routes determine the SLs, also on VLs that only spread load.
    write(folder, levels="qos-levels\n  qos-level\n    name: DEFAULT\n    sl: 3\n  end-qos-level\nend-qos-levels\n")
    seed = "".join(f"{link}_link 0x0010000000000001 0x{0x10000000000000 + sw:016x}\n" for link, sw in (("xp", 2), ("xm", 4), ("yp", 5), ("ym", 13)))
    write(folder, torus=f"torus 4 4 1\n{seed}")
    no_effect = "determine the SL of each path: SLs of the QoS policy have no effect"
    for engine, expected in (("dfsssp", [no_effect]), ("updn", []), ("torus-2QoS", [no_effect + " except bit 3 (SLs 0 to 7 or 8 to 15)"])):
        text = run(folder, "torus:4x4,hosts=1", "-R", engine, "--torus_config", "torus", "--compare", "none", "-Q", "-Y", "levels",
                   status=0 if engine == "torus-2QoS" else 1)
        check([line[line.index("determine"):] for line in text.splitlines() if "SLs of the QoS policy" in line] == expected, text)
    # weft check names the best engine, with its metrics and the gain.
    report = run_json(folder, "torus:4x4,hosts=2", "-R", "updn", status=0)
    best = next(e for e in report["engines"] if e["engine"] == report["best"])
    check(best["quality"]["ebb"] >= max(e["quality"]["ebb"] for e in report["engines"] if e["serves"]) - 0.011, str(best))
    check(any(f["severity"] == "note" and "is better" in f["text"] for f in report["findings"]), str(report["findings"]))
    check(run(folder, "torus:4x4,hosts=2", "--threads", "1", status=1) == run(folder, "torus:4x4,hosts=2", "--threads", "4", status=1),
          "the output depends on the number of threads")


def check_roots_of_parts(folder):
    star_hosts, star_cables = {1: 0, 2: 2, 3: 2}, [(1, 2), (1, 3)]
    # Part 1 has roots at equal distance from its hosts, part 2 has none.
    ring = range(4, 10)
    write_net(folder / "star-and-ring.net", star_hosts | {sw: 1 for sw in ring}, star_cables + [*zip(ring, ring[1:]), (ring[-1], ring[0])])
    # Both parts are trees, with two and with three ranks.
    write_net(folder / "trees.net", star_hosts | {4: 0, 5: 0, 6: 0, 7: 2, 8: 2, 9: 2, 10: 2},
              star_cables + [(4, 5), (4, 6), (5, 7), (5, 8), (6, 9), (6, 10)])
    for net, how in (("star-and-ring.net", "equal distance from nearly all hosts; "
                                           "no switches at equal distance from nearly all hosts: the most central leaf"),
                     ("trees.net", "top rank of the tree")):
        roots = run_json(folder, net, "-R", "updn", "--compare", "none", status=1)["roots"]
        check(roots == {"how": how, "guids": ["0x0000000000200001", "0x0000000000200004"]}, f"{net}: {roots}")


def check_topology(folder):
    """The fabric of the second topology lacks two cables, one of the third has another rate, and the first equals the checked fabric."""
    config = folder / "topology.conf"
    for spec, status, findings in (("fattree2:k=4", 0, []),
                                   ("fattree2:k=4,fail=2", 1, ["unexpected link"] * 2),
                                   ("fattree2:k=4,speed=HDR", 1, ["link with another rate"] * 16)):
        expected = folder / "expected.json"
        interop.weft("convert", spec, expected)
        config.write_text(f"topo_config_enabled TRUE\ntopo_config_file {expected}\nrouting_engine ftree\n")
        report = run_json(folder, "-F", config, "fattree2:k=4", "--compare", "none", status=status)
        start = f"topology differs from {expected}: "
        found = [finding for finding in report["findings"] if finding["text"].startswith(start)]
        check([finding["text"].removeprefix(start).split(": ")[0] for finding in found] == findings, report["findings"])
        check(all(finding["severity"] == "problem" for finding in found), found)
        text = run(folder, "-F", config, "fattree2:k=4", "--compare", "none", status=status)
        check(text.count(start) == len(findings), text)
    config.write_text("topo_config_enabled FALSE\n" + config.read_text().split("\n", 1)[1])
    check("topology differs" not in run(folder, "-F", config, "fattree2:k=4", "--compare", "none", status=0), "compared without topo_config_enabled")
    config.write_text("topo_config_enabled TRUE\ntopo_config_file /no/such/file\n")
    report = run_json(folder, "-F", config, "fattree2:k=4", "--compare", "none", status=3)
    check(any("/no/such/file" in finding["text"] and finding["severity"] == "error" for finding in report["findings"]), report["findings"])


def check_real_fabrics(folder, topologies):
    for name, path, options, status in (
            ("x5-psmn.txt", "x5-psmn/X5.topofile", ["-R", "ftree,minhop"], 0),
            ("gb200-ndr.txt", "gb200-ndr/example.out", ["-R", "updn"], 0),
            ("hdr-1336-bom.txt", "hdr-1336-bom/ibnetdiscover.txt", ["-R", "updn"], 0),
            ("selene-storage.txt", "selene-storage/ibnetdiscover.txt", ["-R", "updn"], 0)):
        golden(name, run(folder, topologies / path, *options, *STABLE_ENGINES, status=status))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_invalid_lines(folder)
        check_service_files(folder)
        check_outcome(folder)
        check_roots_of_parts(folder)
        check_topology(folder)
        if len(sys.argv) > 1:
            check_real_fabrics(folder, pathlib.Path(sys.argv[1]))
    print("check: passed")


if __name__ == "__main__":
    main()
