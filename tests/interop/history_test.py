#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the history on ibsim: events, sweeps and counters of a manager in SQLite. `weft events` reads them from the file and over HTTP, while the
manager runs and after its end, and a restart continues the file. Also tests `weft top`, and that the manager runs with an unwritable or
damaged file.
"""
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile

import weft_interop as interop
from manager import Manager
from openapi import check_answer
from weft_interop import check, wait_for

SPEC = "fattree2:k=8"


def events(*words, server=None, wanted=0):
    environment = dict(os.environ, **({"WEFT_SERVER": f"http://127.0.0.1:{server.http.port}"} if server else {}))
    done = interop.run([interop.weft_binary(), "events", *words], check=False, env=environment)
    check(done.returncode == wanted, f"events {words}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def listed(*words, **options):
    return json.loads(events(*words, "--json", **options).stdout)["events"]


def is_readable(history):
    return interop.weft("events", "--history", history, check=False).returncode == 0


def check_file_in_creation(folder, history):
    """If the manager has not yet written the tables of the history file, a reader reports this and waits for a limited time."""
    early = folder / "early.sqlite"
    early.touch()
    messages = events("--history", early, wanted=3).stderr
    check("is being created: waiting" in messages and "weft sm --history creates it" in messages, messages)
    whole, messages = folder / "whole.sqlite", folder / "messages"
    with contextlib.closing(sqlite3.connect(history)) as source, contextlib.closing(sqlite3.connect(whole)) as copy:
        source.backup(copy)
    with open(messages, "w") as err:
        reader = subprocess.Popen([interop.weft_binary(), "events", "--history", early, "--json"], stdout=subprocess.PIPE, stderr=err, text=True)
    wait_for("the reader waits", lambda: "waiting" in messages.read_text(), pause=0.01)
    whole.rename(early)
    out, _ = reader.communicate(timeout=interop.PATIENCE)
    check(reader.returncode == 0 and json.loads(out)["events"], f"{reader.returncode} {out[:300]} {messages.read_text()}")


def check_endpoints(manager, guid):
    document = manager.http.json("/api/v1/openapi.json")[1]
    for template, path, wanted in (
            ("/api/v1/history/events", "/api/v1/history/events?kind=link_gone,sweep_ended&since=1h&limit=5", 200),
            ("/api/v1/history/events", f"/api/v1/history/events?node={guid}", 200), ("/api/v1/history/events", "/api/v1/history/events?kind=x", 400),
            ("/api/v1/history/events", "/api/v1/history/events?since=later", 400), ("/api/v1/history/events", "/api/v1/history/events?node=x", 400),
            ("/api/v1/history/sweeps", "/api/v1/history/sweeps", 200), ("/api/v1/history/sweeps", "/api/v1/history/sweeps?until=2020-01-01", 200),
            ("/api/v1/history/counters/{guid}", f"/api/v1/history/counters/{guid}", 200),
            ("/api/v1/history/counters/{guid}", "/api/v1/history/counters/x", 400),
            ("/api/v1/history/traffic", f"/api/v1/history/traffic?node={guid}&port=1&step=5&since=1h", 200), ("/api/v1/history/traffic", "/api/v1/history/traffic?node=x", 400),
            ("/api/v1/history/traffic", f"/api/v1/history/traffic?node={guid}&job=7", 400), ("/api/v1/history/traffic", "/api/v1/history/traffic?job=7", 404),
            ("/api/v1/history/traffic", f"/api/v1/history/traffic?node={guid}&step=0", 400), ("/api/v1/history/traffic", f"/api/v1/history/traffic?node={guid}&port=256", 400),
            ("/api/v1/counters", "/api/v1/counters?limit=7&offset=3", 200)):
        status, body, headers = manager.http.get(path)
        check(status == wanted, f"{path}: {status}, expected {wanted}: {body[:300]}")
        check_answer(document, template, status, body, headers)


def check_follow(sim, manager, history):
    """`weft events --follow` shows lost links: first the link of port 1, which was lost before and is in the file, then the link of port 2, from
    the stream."""
    environment = dict(os.environ, WEFT_SERVER=f"http://127.0.0.1:{manager.http.port}")
    followers = [subprocess.Popen([interop.weft_binary(), "events", "--follow", "--kind", "link_gone", "--json", "--since", "1h", *words],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) for words in ([], ["--history", str(history)])]
    try:
        past = [json.loads(follower.stdout.readline()) for follower in followers]
        sim.console('unlink "S-0010000000000005"[2]')
        for follower, before in zip(followers, past):
            event = json.loads(follower.stdout.readline())
            check(event["event"] == "link_gone" and event["link"] and event["time"] > before["time"], event)
    finally:
        for follower in followers:
            follower.kill()
            follower.wait()


def check_top(manager):
    environment = dict(os.environ, WEFT_SERVER=f"http://127.0.0.1:{manager.http.port}")
    done = interop.run([interop.weft_binary(), "top", "--once", "--json", "--wait", str(interop.PATIENCE), "--rows", "5"], env=environment)
    top = json.loads(done.stdout)
    check(top["counted"] and top["total"] == 62 and len(top["links"]) == 5, top)
    link = top["links"][0]
    check(link["there_gbps"] is not None and link["load"] >= 0 and link["kind"], link)
    loads = [row["load"] for row in top["links"]]
    check(loads == sorted(loads, reverse=True), loads)
    text = interop.run([interop.weft_binary(), "top", "--once", "--sort", "name", "--rows", "3"], env=environment).stdout
    check(len(text.splitlines()) == 4 and text.startswith("from"), text)
    # On a terminal of script(1), weft top draws continuously and ends with q.
    live = subprocess.Popen(["script", "-qec", f"{interop.weft_binary()} top --interval 0.5", "/dev/null"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, env=dict(environment, TERM="xterm"))
    out = b""
    for key in (b"e", b"n", b"q"):
        drawn = len(out)
        while b"weft top: http://127.0.0.1" not in out[drawn:]:  # weft top draws again after the last key
            piece = os.read(live.stdout.fileno(), 65536)
            check(piece, f"weft top ended: {out[-500:]}")
            out += piece
        live.stdin.write(key)
        live.stdin.flush()
    rest, _ = live.communicate(timeout=interop.PATIENCE)
    check(live.returncode == 0 and b"\x1b[?1049l" in out + rest, f"{live.returncode} {(out + rest)[-500:]}")


def check_on_ibsim(folder):
    net, history = folder / "fabric.net", folder / "kept" / "history.sqlite"
    interop.weft("convert", SPEC, net, "--to", "ibsim")
    options = ["--history", history, "--perfmgr", "--perfmgr_sweep_time_s", "1", "-s", "2"]
    with interop.Ibsim(net) as sim:
        with Manager(folder, *options, sim=sim, http=True) as manager:
            sim.console('unlink "S-0010000000000005"[1]')
            wait_for("the file", lambda: is_readable(history))
            gone = wait_for("the lost link", lambda: listed("--history", history, "--kind", "link_gone"))
            check(len(gone) == 1 and gone[0]["peer"], gone)
            node = gone[0]["node"]
            check([event["id"] for event in listed("--kind", "link_gone", server=manager)] == [gone[0]["id"]], "events by HTTP differ from the file")
            check(listed("--history", history, "--node", node) == listed("--node", node, server=manager) != [],
                  "events of a node by HTTP differ from the file")
            check(listed("--history", history, "--node", gone[0]["name"], "--kind", "link_gone") == gone,
                  "events by node name differ from events by kind")
            check(not listed("--history", history, "--until", "2020-01-01"), "found events before 2020")
            check("link_gone" in events("--history", history, "--since", "1h").stdout, "no event in the text output")
            check_endpoints(manager, node)
            check_follow(sim, manager, history)
            check_top(manager)
        sweeps = sqlite3.connect(history).execute("SELECT number, up, changes FROM sweep ORDER BY ended").fetchall()
        check(len(sweeps) >= 2 and sweeps[0][1] == 1 and sweeps[0][2] == 44 + 64, sweeps)
        before = len(listed("--history", history, "--limit", "10000"))
        with Manager(folder, *options, sim=sim, http=True):
            wait_for("a second run adds events to the file", lambda: len(listed("--history", history, "--limit", "10000")) > before)
    check("not found" in events("--history", folder / "none", wanted=3).stderr, "no error message for a missing file")
    check_file_in_creation(folder, history)
    check("--kind" in events("--history", history, "--kind", "rain", wanted=2).stderr, "no error message for an unknown kind")


def check_damaged_files(folder):
    """A damaged file is renamed. While the file cannot be created, events wait in memory. The manager runs in both cases."""
    history = folder / "trouble" / "history.sqlite"
    history.parent.mkdir()
    history.write_bytes(b"\xaa" * 50000)
    with Manager(folder, "--history", history, "-s", "0", emulate=SPEC, http=True) as manager:
        wait_for("the new file", lambda: is_readable(history) and listed("--history", history, "--kind", "sweep_ended"))
        check((folder / "trouble" / "history.sqlite.damaged").read_bytes() == b"\xaa" * 50000, "the damaged file is not kept without changes")
        check("starting a new history" in manager.log(), manager.log()[-1000:])
    blocking_file = folder / "file"
    blocking_file.write_text("")
    with Manager(folder, "--history", blocking_file / "history.sqlite", "-s", "0", emulate=SPEC, http=True) as manager:
        wait_for("a log message about events in memory", lambda: "events for the history are queued in memory" in manager.log())
        check(manager.http.get("/readyz")[0] == 200, "the manager is not ready without the history")
        status, _, _ = manager.http.get("/api/v1/history/events")
        check(status == 503, f"status {status}, expected 503 for a history that cannot be read")
        blocking_file.unlink()
        wait_for("a log message that the history is written again", lambda: "the history is written again" in manager.log())
        check(any(event["event"] == "sweep_ended" for event in listed(server=manager)), "the events that waited in memory are lost")
    with Manager(folder, "-s", "0", emulate=SPEC, http=True) as manager:
        done = events(server=manager)
        check("keeps no history" in done.stderr and "sweep_ended" in done.stdout, done.stderr)
        check(manager.http.get("/api/v1/history/events")[0] == 404, "status is not 404 without a history")
        done = interop.run([interop.weft_binary(), "top", "--once", "--server", f"127.0.0.1:{manager.http.port}"], check=False)
        check(done.returncode == 1 and "no port counters" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-history-") as name:
        check_on_ibsim(pathlib.Path(name))
        check_damaged_files(pathlib.Path(name))
    print("history: passed")


if __name__ == "__main__":
    main()
