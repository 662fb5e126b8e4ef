#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests routing options of `weft route` and `weft sm --emulate`: for invalid files the exit status and a message with file and line, for invalid
values the exit status. Also tests lists of engines, options that an engine does not support, and the effect of options on routes.

Standard library only. Usage: routing_options_test.py
"""
import json
import pathlib
import re
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

FABRIC = "fattree2:k=4"
TORUS = "torus:3x3,hosts=1"
BAD_GUIDS = "found '{}', expected a GUID in hex: the line is dropped"
ABSENT_GUID = "0x00000000deadbeef"
LEAF = "0x0010000000000001"
LEAF_PORTS = "'leaf-1' (0x0010000000000001) has 4 ports, not port 99"
TABLE = f"Unicast lids [0-1] of switch Lid 1 guid {LEAF}\n"


def guid_list(absent):
    """Cases for a file with one GUID on each line; `absent`: the message for a GUID that is not in the fabric."""
    return [("0x1\nspine\n", "2", BAD_GUIDS.format("spine"), 0),
            ("0x1ffffffffffffffff\n", "1", BAD_GUIDS.format("0x1ffffffffffffffff"), 0),
            ("0\n", "1", BAD_GUIDS.format("0"), 0),
            ("0x1 0x2\n", "1", BAD_GUIDS.format("0x1 0x2"), 0),
            ("\x1b[2J\n", "1", BAD_GUIDS.format("?[2J"), 0),  # no terminal control characters
            ("\n0xdeadbeef\n", "2", absent, 0)]


# {option: [(content of its file, expected line:column or line, expected message, expected exit status)]}
INVALID = {
    "-a": guid_list(f"root GUID {ABSENT_GUID} is no switch of this fabric and no CA or router cabled to one"),
    "-X": guid_list(f"port GUID {ABSENT_GUID} is not in this fabric"),
    "-u": guid_list(f"GUID {ABSENT_GUID} is no CA or router port of this fabric"),
    "-G": guid_list(f"GUID {ABSENT_GUID} is no CA or router port of this fabric"),
    "-i": [("host-1\n", "1:1", "found 'host-1', expected the GUID of a port or node in hex", 2),
           ("0x1ffffffffffffffff\n", "1:1", "expected the GUID of a port or node in hex", 2),
           ("0x1 256\n", "1:5", "found '256', expected a port number from 1 to 254", 2),
           ("0x1 2 3\n", "1:7", "found '3', expected the end of the line", 2),
           (f"{LEAF} 99\n", "1", LEAF_PORTS, 0),
           (f"{LEAF} 3\n", "1", "is not cabled to an endport: only endports can be left out", 0),
           ("# all\n0xdeadbeef\n", "2", f"port GUID {ABSENT_GUID} is not in this fabric", 0)],
    "-w": [("leaf 1 1\n", "1:1", "found 'leaf', expected the GUID of a switch in hex", 2),
           ("0x1 1\n", "1:6", "found the end of the line, expected a weight from 1 to 255", 2),
           ("0x1 1 0\n", "1:7", "found '0', expected a weight from 1 to 255", 2),
           ("0x1 1 256\n", "1:7", "found '256', expected a weight from 1 to 255", 2),
           (f"{LEAF} 99 2\n", "1", LEAF_PORTS, 0),
           ("0xdeadbeef 1 2\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-O": [("leaf 1\n", "1:1", "found 'leaf', expected the GUID of a switch in hex", 2),
           ("0x1 2 1 2\n", "1:9", "found '2', expected a port that the line does not list already", 2),
           ("0x1 0\n", "1:5", "found '0', expected a port number from 1 to 254", 2),
           (f"{LEAF} 1 99\n", "1", LEAF_PORTS, 0),
           ("0xdeadbeef 1\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-m": [("leaf 1\n", "1:1", "found 'leaf', expected the GUID of a switch in hex", 2),
           ("0x1 one\n", "1:5", "found 'one', expected an ID, a number of 64 bits", 2),
           ("0x1 99999999999999999999\n", "1:5", "expected an ID, a number of 64 bits", 2),
           ("0xdeadbeef 7\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-U": [("Unicast lids [0-1] of switch Lid 1 guid unknown\n", "1:41", "expected the GUID of a switch", 2),
           ("0x0001 001\n", "1:1", "found '0x0001 001', expected \"Unicast lids", 2),
           (TABLE + "0xffff 001\n", "2:1", "expected a LID from 0x0001 to 0xbfff", 2),
           (TABLE + "0x0001 256\n", "2:8", "found '256', expected a port number from 0 to 255", 2),
           (TABLE + "0x0001 099\n", "1", "found output port 99 of switch 'leaf-1'", 0),
           ("Unicast lids [0-1] of switch Lid 1 guid 0xdeadbeef\n", "1", f"no switch {ABSENT_GUID} in this fabric", 0)],
    "--multicast": [("0xBFFF 0x1\n", "1:1", "found '0xBFFF', expected a multicast LID from 0xC000 to 0xFFFE", 2),
                    ("0xC000 0x1\n0xC000 0x2\n", "2:1", "found '0xC000', expected a multicast LID that no earlier line has", 2),
                    ("0xC000 0x1 send all\n", "1:17", "found 'all', expected a port GUID in hex", 2),
                    ("0xC000\n", "1:7", "expected the port GUID of a member in hex", 2),
                    ("0xC000 0xdeadbeef\n", "1", f"port GUID {ABSENT_GUID} is not in this fabric", 0)],
    "-M": [("Switch: guid 0x1\n0x0001: 00 100\n", "2:12", "found '100', expected hops from 00 to ff", 2),
           ("Switch: guid\n", "1:13", "found the end of the line, expected the GUID of a switch", 2),
           ("Switch: guid 0x1\n0xc001: 00\n", "2:1", "found '0xc001:', expected a LID from 0x0001: to 0xbfff:", 2),
           ("Switch: guid 0xdeadbeef\n", "1", f"no switch {ABSENT_GUID} in this fabric", 0)],
    "--torus_config": [
        ("", "1", "found the end of the file, expected torus or mesh and three radices", 2),
        ("ring 3\n", "1", "found 'ring', expected torus or mesh as the first keyword", 2),
        ("torus 3 3\n", "1", "found the end of the line, expected the z radix", 2),
        ("torus 3 3 99999\n", "1", "found '99999', expected the z radix: 1 to 49151", 2),
        ("torus 3 3 1\nxp_link leaf 0x2\n", "2", "found 'leaf', expected two switch GUIDs in hex after xp_link", 2),
        ("torus 3 3 1\nportgroup_max_ports 300\n", "2", "found '300', expected a number from 1 to 254", 2),
        ("torus 3 3 1\nxp_link 0xdeadbeef 0x2\nyp_link 0xdeadbeef 0x4\n", "1",
         f"switch {ABSENT_GUID} is not in the fabric", 0)],  # torus-2QoS fails, and nue routes the fabric
    "--ar_mgr_conf_file": [
        ("ENABLE: yes\n", "1", "ENABLE: found 'yes', expected true or false", 2),
        ("ENABLE: true\nAR_ALGORITHM: BUSH\n", "2", "found 'BUSH', expected LAG, TREE or DF_PLUS", 2),
        ("MAX_ERRORS: 65536\n", "1", "MAX_ERRORS: found '65536', expected a number from 0 to 65535", 2),
        ("SWITCH 0x1 {\nAR_MODE: free\n}\n", "2", "found option 'AR_MODE' of a switch, expected ENABLE or AGEING_TIME", 2)],
}
ENGINES = {"-u": "ftree", "-G": "ftree", "-U": "minhop", "-M": "updn", "--torus_config": "torus-2QoS"}
FABRICS = {"--torus_config": TORUS}
VALUES = [("--scatter-ports", "-1"), ("--scatter-ports", "many"), ("-l", "8"), ("-H", "-2"), ("--balance", "some"),
          ("-R", "magic"), ("--threads", "x"), ("--lash_start_vl", "15"), ("--nue_max_num_vls", "-1"),
          ("--nue_max_num_vls", "x"), ("--seed", "-1"), ("--reweight", "101"), ("--reweight", "often")]


def route(*words, fabric=FABRIC):
    return interop.weft("route", fabric, *words, check=False)


def emulate(*words, fabric=FABRIC):
    return interop.weft("sm", "--emulate", fabric, "--once", *words, check=False)


def invalid_files(scratch):
    count = 0
    absent = scratch / "absent"
    for option, cases in INVALID.items():
        engine = ENGINES.get(option, "updn")
        for command in (route, emulate):
            fabric = FABRICS.get(option, FABRIC)
            done = command("-R", engine, option, absent, fabric=fabric)
            check(done.returncode == 3 and str(absent) in done.stderr,
                  f"{command.__name__} {option} without its file: exit {done.returncode}\n{done.stderr}")
            for number, (content, place, message, status) in enumerate(cases):
                path = scratch / f"{option.strip('-')}{number}"
                path.write_text(content)
                done = command("-R", engine, option, path, fabric=fabric)
                check(done.returncode == status, f"{command.__name__} {option} {content!r}: exit {done.returncode}, "
                      f"expected {status}\n{done.stderr}")
                check(any(f"{path}:{place}: " in line and message in line for line in done.stderr.splitlines()),
                      f"{command.__name__} {option} {content!r}: expected '{place}: .. {message}' in\n{done.stderr}")
                count += 1
    return count


def invalid_values():
    for option, value in VALUES:
        for command in (route, emulate):
            done = command(f"{option}={value}" if option.startswith("--") else f"{option}{value}")
            check(done.returncode == 2 and done.stderr, f"{command.__name__} {option} {value}: exit {done.returncode}, expected 2 and a message\n{done.stderr}")
    return len(VALUES)


def chain(scratch):
    """Tests JSON, log and exit status of a list of engines: the attempts, their errors and the successful engine."""
    report = json.loads(route("-R", "file,minhop", "--json").stdout)
    check(report["engine"] == "minhop" and report["requested"] == "file,minhop", report)
    check([f["engine"] for f in report["fallbacks"]] == ["file"] and "-U" in report["fallbacks"][0]["reason"], report)
    fallback = route("-R", "file", "--verify=enforce", "--json")
    check(fallback.returncode == 0 and "'file' failed" in fallback.stderr, fallback.stderr)
    check(json.loads(fallback.stdout)["engine"] not in ("file", None), fallback.stdout)

    failed = route("-R", "file,no_fallback", "--json")
    answer = json.loads(failed.stdout)
    check(failed.returncode == 1 and answer["engine"] is None and answer["error"], answer)
    check(answer["fallbacks"] == [{"engine": "file", "reason": answer["fallbacks"][0]["reason"]}], answer)
    failed = emulate("-R", "file,no_fallback", "--json")
    answer = json.loads(failed.stdout)
    check(failed.returncode == 1 and answer["engine"] is None and not answer["up"], answer)
    check([f["engine"] for f in answer["fallbacks"]] == ["file"], answer)

    ring = interop.weft("route", "ring:n=6,hosts=1", "-R", "minhop", "--verify=enforce", "--json")
    answer = json.loads(ring.stdout)
    check(answer["engine"] != "minhop" and "credit loop" in answer["fallbacks"][0]["reason"], answer)
    refused = interop.weft("route", "ring:n=6,hosts=1", "-R", "minhop,no_fallback", "--verify=enforce", check=False)
    check(refused.returncode == 1 and "credit loop" in refused.stderr, refused.stderr)


def files(scratch):
    """The engine `file` routes with the dump of another engine."""
    route("-R", "updn", "-o", scratch / "updn")
    again = json.loads(route("-R", "file,no_fallback", "-U", scratch / "updn/opensm-lfts.dump", "--json").stdout)
    check(again["engine"] == "file" and again["verify"]["ok"], again)
    again = json.loads(route("-R", "file,no_fallback", "-M", scratch / "updn/opensm-lid-matrix.dump", "--json").stdout)
    check(again["engine"] == "file" and again["verify"]["ok"], again)
    half = scratch / "half"
    lines = (scratch / "updn/opensm-lfts.dump").read_text().splitlines(keepends=True)
    half.write_text("".join(line for number, line in enumerate(lines) if number % 3 or line.startswith("Unicast")))
    incomplete = route("-R", "file,no_fallback", "-U", half, "--json")
    check(incomplete.returncode == 1 and json.loads(incomplete.stdout)["verify"]["unreachable"] > 0, incomplete.stdout)
    filled = route("-R", "file,no_fallback", "-U", half, "--calculate_missing_routes", "--json")
    check(json.loads(filled.stdout)["verify"]["unreachable"] == 0, filled.stdout)


def unsupported_options(scratch):
    """An option that the engine does not support causes a warning on standard error and in the JSON."""
    weights = scratch / "weights"
    weights.write_text(f"{LEAF} 3 2\n")
    cases = [("ftree", ["-w", weights], "-w, --hop_weights_file"), ("lash", ["--port-shifting"], "--port-shifting"),
             ("sssp", ["--scatter-ports", "3"], "--scatter-ports"), ("minhop", ["-z"], "-z, --connect_roots"),
             ("dfsssp", ["--balance=local"], "--balance=local"), ("nue", ["-w", weights], "-w, --hop_weights_file"),
             ("updn", ["--nue_max_num_vls", "2"], "--nue_max_num_vls"), ("dor", ["--reweight", "auto"], "--reweight")]
    for engine, options, name in cases:
        want = f"{name} has no effect: routing engine '{engine}' does not support it"
        for command in (route, emulate):
            done = command("-R", engine, "--json", *options)
            check(done.returncode == 0 and want in done.stderr, f"{engine} {options}: {done.returncode} {done.stderr}")
            check(want in json.loads(done.stdout)["warnings"], done.stdout)
    for command in (route, emulate):
        done = command("-R", "minhop", "--json", "-w", weights, "--port-shifting")
        check(json.loads(done.stdout)["warnings"] == [] and not done.stderr, done.stderr)


def tables(folder):
    """{(switch GUID, LID): port} of opensm-lfts.dump."""
    found, guid = {}, None
    for line in (folder / "opensm-lfts.dump").read_text().splitlines():
        if match := re.match(r"Unicast lids .* guid 0x([0-9a-f]{16})", line):
            guid = int(match[1], 16)
        elif match := re.match(r"0x([0-9a-f]{4}) (\d{3})", line):
            found[guid, int(match[1], 16)] = int(match[2])
    return found


def degraded(scratch):
    """In a ring of three switches with a host each, the link from switch 1 to switch 2 has the width 1x instead of 4x. Routes use this link unless
    --avoid_throttled_links is given. The width comes from a file, or from the ports of a running fabric."""
    fabric = scratch / "slow.json"
    interop.weft("convert", "full:n=3,hosts=1", fabric)
    data = json.loads(fabric.read_text())
    ends = [f"0x001000000000000{end}" for end in (1, 2)]
    for link in data["links"]:
        if [link["a"], link["b"]] == ends:
            link["width"], slow = "1x", link["a_port"]
    fabric.write_text(json.dumps(data))
    for engine in ("minhop", "sssp", "dfsssp", "nue"):
        for command in (route, emulate):
            for options in ([], ["--avoid_throttled_links"]):
                folder = scratch / f"slow-{engine}-{command.__name__}-{len(options)}"
                where = ["-o", folder] if command == route else ["--dump_files_dir", folder]
                done = command("-R", f"{engine},no_fallback", "--json", *where, *options, fabric=fabric)
                check(done.returncode == 0 and not json.loads(done.stdout)["warnings"], done.stdout + done.stderr)
                lids = {guid: int(lid) for lid, guid in re.findall(
                    r"base LID (\d+), \"host-(\d)", (folder / "opensm-sl2vl.dump").read_text())}
                port = tables(folder)[0x10000000000001, lids["2"]]
                check((port == slow) == (not options), f"{engine} {command.__name__} {options}: leaves by port {port}")


def missing(scratch):
    """--calculate_missing_routes applies to the tables that `weft sm` programs."""
    half = scratch / "half"
    words = ["-R", "file,no_fallback", "-U", half, "--json"]
    refused = emulate(*words)
    check(refused.returncode == 1 and "not connected" in json.loads(refused.stdout)["fallbacks"][0]["reason"],
          refused.stdout)
    filled = emulate(*words, "--calculate_missing_routes")
    answer = json.loads(filled.stdout)
    check(filled.returncode == 0 and answer["up"] and answer["verify"]["unreachable"] == 0, filled.stdout)


def reweighted(scratch):
    """--reweight reduces the largest link load, also of the tables that `weft sm` programs. The report shows the lower bound."""
    fabric, words = "kautz:b=2,n=2,hosts=3", ["-R", "dfsssp,no_fallback"]
    plain, passes = (json.loads(route(*words, *more, "--json", fabric=fabric).stdout) for more in ([], ["--reweight", "8"]))
    keys = [key for key in passes["quality"] if key.startswith("link_load")]
    check(keys == ["link_load_max", "link_load_mean", "link_load_sd", "link_load_bound", "link_load_bound_basis"], keys)
    loads = [report["quality"]["link_load_max"] for report in (plain, passes)]
    bound = passes["quality"]["link_load_bound"]
    check(bound <= loads[1] < loads[0] and passes["vls_needed"] <= plain["vls_needed"], f"{loads} {bound}")
    check(passes["quality"]["link_load_bound_basis"] == "shortest paths" and passes["verify"]["ok"], passes)
    text = route(*words, "--reweight", "8", fabric=fabric).stdout
    check(f"\nlargest load        {loads[1]}, at least {bound} with shortest paths\n" in text, text)
    for option, load in ([], loads[0]), (["--reweight", "8"], loads[1]):
        managed = json.loads(emulate(*words, *option, "--json", fabric=fabric).stdout)
        check(managed["quality"]["link_load_max"] == load and managed["verify"]["ok"], managed)
    folders = [scratch / "alone", scratch / "many"]
    for folder, threads in zip(folders, ("1", "7")):
        route(*words, "--reweight", "auto", "--threads", threads, "-o", folder, fabric=fabric)
    check(tables(folders[0]) == tables(folders[1]), "tables differ with the number of threads")


def dot_fabric(scratch):
    """Options have the same effect on a fabric from a DOT file."""
    dot, roots, order = scratch / "fabric.dot", scratch / "dot-roots", scratch / "dot-order"
    interop.weft("convert", FABRIC, dot)
    roots.write_text("0x0010000000000005\n0x77\n")
    order.write_text(f"{LEAF} 4 3\n")
    for command in (route, emulate):
        done = command("-R", "updn,no_fallback", "-a", roots, "-O", order, "--json", fabric=dot)
        check(done.returncode == 0, done.stderr)
        check(f"{roots}:2: root GUID 0x0000000000000077 is no switch" in done.stderr, done.stderr)
        answer = json.loads(done.stdout)
        check(answer["engine"] == "updn" and answer["fabric"]["cas"] == 8 and answer["verify"]["ok"], answer)
    for options in ([], ["-O", order]):
        folder = scratch / f"dot{len(options)}"
        route("-R", "minhop,no_fallback", "-o", folder, *options, fabric=dot)
    check(tables(scratch / "dot0") != tables(scratch / "dot2"), "-O has no effect on a DOT file")


def all_lids():
    """--patterns reports the paths to all LIDs only with LMC."""
    report = json.loads(route("-R", "minhop,no_fallback", "--patterns", "-l", "1", "--json").stdout)["quality"]["lid_paths"]
    check(report["lids"] == 2 and report["disjoint_min"] == 2 and report["kept"] == [1, 0, 0], report)
    text = route("-R", "minhop,no_fallback", "--patterns", "-l", "1").stdout
    check("\nall 2   LIDs" in text and "1.000 of the pairs keep a path whichever link fails" in text, text)
    check(json.loads(route("-R", "minhop,no_fallback", "--patterns", "--json").stdout)["quality"]["lid_paths"] is None,
          "the report has lid_paths without LMC")


def peak_memory():
    """The peak memory in the report is the memory of `weft`, not of the program that started `weft`."""
    held = bytearray(300_000_000)
    held[::4096] = bytes(len(held[::4096]))
    peak = json.loads(route("-R", "minhop,no_fallback", "--json").stdout)["peak_rss_bytes"]
    check(1_000_000 < peak < 100_000_000, f"peak memory {peak} bytes, expected 1 to 100 MB")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-options-") as scratch:
        scratch = pathlib.Path(scratch)
        wrong = invalid_files(scratch)
        values = invalid_values()
        chain(scratch)
        all_lids()
        peak_memory()
        files(scratch)
        missing(scratch)
        unsupported_options(scratch)
        degraded(scratch)
        reweighted(scratch)
        dot_fabric(scratch)
    print(f"{wrong} invalid files, {values} invalid values, chains and files: as documented")


if __name__ == "__main__":
    sys.exit(main())
