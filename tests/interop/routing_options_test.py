#!/usr/bin/env python3
"""Wrong files and values for every routing option, as `weft route` and `weft sm --emulate` answer them: the exit status,
and a message with file, line and column. And the chain of engines as its user sees it.

Standard library only. Usage: routing_options_test.py
"""
import json
import pathlib
import sys
import tempfile

import weft_interop as interop

FABRIC = "fattree2:k=4"
BAD_GUIDS = "found '{}', want a GUID in hex: the line is dropped"
ABSENT_GUID = "0x00000000deadbeef"

# option -> [(content, line:column or line, what the message says, exit status)]
WRONG = {
    "-a": [("0x1\nspine\n", "2", BAD_GUIDS.format("spine"), 0),
           ("deadbeef\n", "1", f"root GUID {ABSENT_GUID} is no switch or CA of this fabric", 0)],
    "-X": [("one\n", "1", BAD_GUIDS.format("one"), 0), ("\n0xdeadbeef\n", "2", ABSENT_GUID, 0)],
    "-u": [("one\n", "1", BAD_GUIDS.format("one"), 0), ("0xdeadbeef\n", "1", ABSENT_GUID, 0)],
    "-G": [("one\n", "1", BAD_GUIDS.format("one"), 0), ("0xdeadbeef\n", "1", ABSENT_GUID, 0)],
    "-i": [("host-1\n", "1:1", "found 'host-1', want the GUID of a port or node in hex", 2),
           ("0x1 256\n", "1:5", "found '256', want a port number from 1 to 254", 2),
           ("# all\n0xdeadbeef\n", "2", f"port GUID {ABSENT_GUID} is not in this fabric", 0)],
    "-w": [("0x1 1\n", "1:6", "found the end of the line, want a weight from 1 to 255", 2),
           ("0x1 1 0\n", "1:7", "found '0', want a weight from 1 to 255", 2),
           ("0xdeadbeef 1 2\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-O": [("0x1 2 1 2\n", "1:9", "found '2', want a port that the line does not list already", 2),
           ("0x1 0\n", "1:5", "found '0', want a port number from 1 to 254", 2),
           ("0xdeadbeef 1\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-m": [("0x1 one\n", "1:5", "found 'one', want an ID, a number of 64 bits", 2),
           ("0x1 99999999999999999999\n", "1:5", "want an ID, a number of 64 bits", 2),
           ("0xdeadbeef 7\n", "1", f"GUID {ABSENT_GUID} is no switch of this fabric", 0)],
    "-U": [("Unicast lids [0-1] of switch Lid 1 guid nobody\n", "1:41", "want the GUID of a switch", 2),
           ("Unicast lids [0-1] of switch Lid 1 guid 0x1\n0xffff 001\n", "2:1", "want a LID from 0x0001 to 0xbfff", 2),
           ("Unicast lids [0-1] of switch Lid 1 guid 0xdeadbeef\n", "1", f"no switch {ABSENT_GUID} in this fabric", 0)],
    "-M": [("Switch: guid 0x1\n0x0001: 00 100\n", "2:12", "found '100', want hops from 00 to ff", 2),
           ("Switch: guid\n", "1:13", "found the end of the line, want the GUID of a switch", 2),
           ("Switch: guid 0xdeadbeef\n", "1", f"no switch {ABSENT_GUID} in this fabric", 0)],
}
ENGINES = {"-u": "ftree", "-G": "ftree", "-U": "minhop", "-M": "updn"}
VALUES = [("--scatter-ports", "-1"), ("--scatter-ports", "many"), ("-l", "8"), ("-H", "-2"), ("--balance", "some"),
          ("-R", "magic"), ("--threads", "x")]


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def route(*words):
    return interop.weft("route", FABRIC, *words, check=False)


def emulate(*words):
    return interop.weft("sm", "--emulate", FABRIC, "--once", *words, check=False)


def wrong_files(scratch):
    count = 0
    absent = scratch / "absent"
    for option, cases in WRONG.items():
        engine = ENGINES.get(option, "updn")
        for command in (route, emulate):
            done = command("-R", engine, option, absent)
            check(done.returncode == 3 and str(absent) in done.stderr,
                  f"{command.__name__} {option} without its file: exit {done.returncode}\n{done.stderr}")
            for number, (content, place, message, status) in enumerate(cases):
                path = scratch / f"{option[1:]}{number}"
                path.write_text(content)
                done = command("-R", engine, option, path)
                check(done.returncode == status, f"{command.__name__} {option} {content!r}: exit {done.returncode}, "
                      f"want {status}\n{done.stderr}")
                check(any(f"{path}:{place}: " in line and message in line for line in done.stderr.splitlines()),
                      f"{command.__name__} {option} {content!r}: want '{place}: .. {message}' in\n{done.stderr}")
                count += 1
    return count


def wrong_values():
    for option, value in VALUES:
        for command in (route, emulate):
            done = command(f"{option}={value}" if option.startswith("--") else f"{option}{value}")
            check(done.returncode == 2 and done.stderr, f"{option} {value}: exit {done.returncode}\n{done.stderr}")
    return len(VALUES)


def chain(scratch):
    """What was tried, why it failed and who routed: JSON, log and exit status."""
    served = json.loads(route("-R", "file,minhop", "--json").stdout)
    check(served["engine"] == "minhop" and served["requested"] == "file,minhop", served)
    check([f["engine"] for f in served["fallbacks"]] == ["file"] and "-U" in served["fallbacks"][0]["reason"], served)
    fallen = route("-R", "file", "--verify=enforce", "--json")
    check(fallen.returncode == 0 and "'file' did not serve" in fallen.stderr, fallen.stderr)
    check(json.loads(fallen.stdout)["engine"] not in ("file", None), fallen.stdout)

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
    """A dump of one engine is the input of engine file."""
    route("-R", "updn", "-o", scratch / "updn")
    again = json.loads(route("-R", "file,no_fallback", "-U", scratch / "updn/opensm-lfts.dump", "--json").stdout)
    check(again["engine"] == "file" and again["verify"]["ok"], again)
    again = json.loads(route("-R", "file,no_fallback", "-M", scratch / "updn/opensm-lid-matrix.dump", "--json").stdout)
    check(again["engine"] == "file" and again["verify"]["ok"], again)
    half = scratch / "half"
    lines = (scratch / "updn/opensm-lfts.dump").read_text().splitlines(keepends=True)
    half.write_text("".join(line for number, line in enumerate(lines) if number % 3 or line.startswith("Unicast")))
    holes = route("-R", "file,no_fallback", "-U", half, "--json")
    check(holes.returncode == 1 and json.loads(holes.stdout)["verify"]["unreachable"] > 0, holes.stdout)
    filled = route("-R", "file,no_fallback", "-U", half, "--calculate_missing_routes", "--json")
    check(json.loads(filled.stdout)["verify"]["unreachable"] == 0, filled.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-options-") as scratch:
        scratch = pathlib.Path(scratch)
        wrong = wrong_files(scratch)
        values = wrong_values()
        chain(scratch)
        files(scratch)
    print(f"{wrong} wrong files, {values} wrong values, chains and files as documented")


if __name__ == "__main__":
    sys.exit(main())
