#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests `weft fleet`, once and as a service, with several managers. Some managers are down, do not respond, or send invalid answers.
Tests also the commands alarms, emulate, job, partition and top with a manager that sends invalid answers.

Usage: fleet_test.py
"""
import http.server
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import threading

from http_client import HttpClient
from manager import Manager
from processes import PATIENCE, check, free_port, wait_for, weft_binary

ALARM = {"id": "load:0x1:1", "rule": "load", "severity": "info", "node": "0x1", "name": "leaf\x1b[31m", "port": 1, "text": "load info: high",
         "raised": "2026-11-28T10:00:00.000000Z", "acknowledged": False}
SEVERE = {**ALARM, "id": "link_downed:0x1:1", "severity": "critical", "acknowledged": False}
# Answers with valid members, and with members of wrong types or values. weft fleet ignores wrong types.
INVALID_ANSWERS = {"/api/v1/fabric": {"state": 7, "ready": "yes", "fabric": [1], "routes": "none", "version": None},
                   "/api/v1/alarms": {"total": -3, "unacknowledged": 2, "alarms": [ALARM, 5, SEVERE, {"acknowledged": []}]},
                   "/api/v1/events": {"events": [{"time": "2026-11-28T10:00:00Z", "event": "link_gone", "name": {}}, None]},
                   "/api/v1/search": {"nodes": "many"}}


class InvalidManager(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(INVALID_ANSWERS[self.path.split("?")[0]]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# Answers that lack members.
BARE = {"alarms": [{}], "cables": [{}], "jobs": [{}], "links": [{}], "partitions": [{}], "ports": [], "fabric": {}, "planes": []}


class BareManager(InvalidManager):
    def do_GET(self):
        body = json.dumps(BARE).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class EndlessManager(BareManager):
    """Answers each request with 600,000 links and a total of 10^9, so the client finds no last page."""
    BODY = json.dumps({"fabric": {}, "planes": [], "links": [{}] * 600_000, "total": 10**9}).encode()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.BODY)))
        self.end_headers()
        self.wfile.write(self.BODY)


class FailingManager(InvalidManager):
    def do_GET(self):
        body = json.dumps({"error": {"code": 502}}).encode()
        self.send_response(502)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def fleet(config, *words, wanted):
    done = subprocess.run([weft_binary(), "fleet", "--config", config, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    check(done.returncode == wanted, f"{words}: status {done.returncode}, expected {wanted}: {done.stdout}{done.stderr}")
    return done.stderr if done.returncode > 1 else json.loads(done.stdout) if "--json" in words else done.stdout


def check_files(folder):
    for text, message in (("", "found no manager"), ("a\n", "1: found 1 words"), ("a http://x\n\na http://y # b\n", "3: found 'a' twice"),
                          ("a ftp://x", "1: URL of the server: found 'ftp://x'"), ("a http://x colour red", "1: found 'colour'"),
                          ("a http://x token_file t token_file u", "1: found 'token_file'"),
                          ("\n".join(f"m{i} http://x" for i in range(257)), "257: found manager number 257")):
        (folder / "wrong").write_text(text)
        found = fleet(folder / "wrong", "--once", wanted=2)
        check(message in found and "wrong" in found, f"{text[:60]!r}: found {found!r}, expected {message!r} and the file name 'wrong'")
    (folder / "right").write_text("a http://127.0.0.1:1\n")
    fleet(folder / "right", "--json", wanted=2)
    fleet(folder / "right", "--once", "--alarms", "--events", wanted=2)


def check_error_of_wrong_type(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FailingManager)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (folder / "failing").write_text(f"failing http://127.0.0.1:{server.server_address[1]}\n")
    status = fleet(folder / "failing", "--once", "--json", "--timeout", PATIENCE, wanted=1)
    check(status["unreachable"] == 1 and "response status 502, no reason given" in status["managers"][0]["error"], status)
    server.shutdown()


def check_answers_without_members():
    """The commands that show answers report a missing member."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BareManager)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    for words in (["alarms"], ["emulate", "list"], ["job"], ["job", "7"], ["partition", "list"], ["top", "--once"]):
        done = subprocess.run([weft_binary(), *words, "--server", url], capture_output=True, text=True, timeout=PATIENCE)
        check(done.returncode == 3 and "not found" in done.stderr, f"{words}: found {done}, expected status 3 and 'not found'")
    server.shutdown()


def check_endless_lists():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EndlessManager)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    done = subprocess.run([weft_binary(), "top", "--once", "--server", url], capture_output=True, text=True, timeout=PATIENCE)
    message = f"{url}/api/v1/links: found more than 1000000 entries"
    check(done.returncode == 3 and message in done.stderr, f"found {done}, expected status 3 and {message!r}")
    server.shutdown()


def check_once(config):
    def current_status():
        return fleet(config, "--once", "--json", "--timeout", "1", wanted=1)

    # On a loaded machine alpha, beta and invalid may also take longer than a second.
    def status_with_answers():
        status = current_status()
        return status["unreachable"] == 2 and status
    status = wait_for(lambda: f"unreachable managers: found {current_status()['unreachable']}, expected 2", status_with_answers)
    members = {member["name"]: member for member in status["managers"]}
    check(list(members) == ["alpha", "beta", "gone", "silent", "invalid"], members)
    for name in ("alpha", "beta"):
        check(members[name]["reachable"] and members[name]["ready"] and members[name]["state"] == "MASTER" and members[name]["age_seconds"] is not None, members)
    check(members["alpha"]["hosts"] == 8 and members["beta"]["hosts"] == 32, members)
    check(members["beta"]["reads_counters"] and not members["alpha"]["reads_counters"], members)
    for name in ("gone", "silent"):
        check(not members[name]["reachable"] and members[name]["error"] and members[name]["age_seconds"] is None, members[name])
    invalid = members["invalid"]
    check(invalid["reachable"] and not invalid["ready"] and invalid["state"] == "" and invalid["alarms"] == 0, invalid)
    check((status["total"], status["unreachable"], status["not_ready"], status["unacknowledged"]) == (5, 2, 1, 2), status)


def check_lists(config):
    """Tests the lists of alarms, events and nodes. `config` lacks the manager that does not respond, since the commands would wait for its answer."""
    def once(*words):
        return fleet(config, "--once", "--timeout", PATIENCE, *words, wanted=1)
    text = once()
    check("    unreachable: " in text and ": no connection: check that weft sm runs with --http" in text and "4 managers, 1 unreachable" in text, text)
    alarms = once("--alarms", "--json")
    check(alarms["total"] == 3 and alarms["alarms"][0]["id"] == SEVERE["id"] and alarms["alarms"][0]["manager"] == "invalid", alarms)
    text = once("--alarms")
    check("\x1b" not in text, f"fleet --alarms: found {text!r}, expected no escape sequences")
    events = once("--events", "--json")["events"]
    names = sorted({event["manager"] for event in events})
    check(names == ["alpha", "beta", "invalid"], f"managers of the events: found {names}, expected alpha, beta and invalid")
    times = [event["time"] for event in events]
    check(times == sorted(times), f"times of the events: found {times}, expected ascending times")
    found = once("--search", "leaf-1", "--json")
    check({node["manager"] for node in found["nodes"]} == {"alpha", "beta"} and [row["manager"] for row in found["unreachable"]] == ["gone"], found)


def check_service(config, beta):
    process = subprocess.Popen([weft_binary(), "fleet", "--config", config, "--http", "127.0.0.1:0", "--interval", "1", "--timeout", str(PATIENCE)],
                               stdout=subprocess.PIPE, text=True)
    try:
        client = HttpClient(int(re.search(r"HTTP on 127.0.0.1:(\d+)", process.stdout.readline())[1]))

        def managers():
            return client.json("/api/v1/fleet")[1]["managers"]

        def member(name):
            return next(row for row in managers() if row["name"] == name)

        def unreachable():
            return [row["name"] for row in managers() if not row["reachable"]]
        wait_for(lambda: f"unreachable managers: found {unreachable()}, expected gone and silent", lambda: unreachable() == ["gone", "silent"])
        beta.end()
        lost = wait_for("beta is unreachable", lambda: not member("beta")["reachable"] and member("beta"))
        check(lost["hosts"] == 32 and lost["age_seconds"] is not None and lost["error"], lost)
        wait_for("the age of the data of beta increases", lambda: member("beta")["age_seconds"] > lost["age_seconds"])
        alpha = member("alpha")
        check(alpha["reachable"] and alpha["age_seconds"] < PATIENCE, f"found {alpha}, expected a reachable manager with data younger than {PATIENCE} s")
        total = client.json("/api/v1/fleet/alarms")[1]["total"]
        check(total == 3, f"/api/v1/fleet/alarms: found {total} alarms, expected 3")
        count = len(client.json("/api/v1/fleet/events?limit=2")[1]["events"])
        check(count == 2, f"/api/v1/fleet/events?limit=2: found {count} events, expected 2")
        found = client.json("/api/v1/fleet/search?q=leaf-1")[1]
        check([node["manager"] for node in found["nodes"]] == ["alpha"], found)
        status, body, headers = client.get("/")
        check(status == 200 and b"fleet.js" in body and "default-src 'none'" in headers["Content-Security-Policy"], headers)
        for path, wanted in (("/fleet.js", 200), ("/fleet.css", 200), ("/healthz", 200), ("/other", 404), ("/api/v1/fleet/search", 400),
                             ("/api/v1/fleet/events?limit=x", 400)):
            status = client.get(path)[0]
            check(status == wanted, f"{path}: status {status}, expected {wanted}")
        status = client.get("/api/v1/fleet", method="POST")[0]
        check(status == 405, f"POST /api/v1/fleet: status {status}, expected 405")
        status = client.get("/api/v1/fleet", headers={"Host": "evil.example"})[0]
        check(status == 421, f"/api/v1/fleet with a foreign Host: status {status}, expected 421")
        process.terminate()
        status = process.wait(timeout=PATIENCE)
        check(status == 0, f"weft fleet: exit status {status}, expected 0")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def main():
    silent = socket.create_server(("127.0.0.1", 0))  # accepts connections and never answers
    invalid = http.server.ThreadingHTTPServer(("127.0.0.1", 0), InvalidManager)
    threading.Thread(target=invalid.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="weft-fleet-") as name:
        folder = pathlib.Path(name)
        check_files(folder)
        check_error_of_wrong_type(folder)
        check_answers_without_members()
        check_endless_lists()
        with Manager(folder / "alpha", emulate="fattree2:k=4", http=True) as alpha, \
                Manager(folder / "beta", "--perfmgr", emulate="fattree2:k=8", http=True) as beta:
            config = folder / "fleet.conf"
            config.write_text(f"# name URL\nalpha http://127.0.0.1:{alpha.http.port}\nbeta http://127.0.0.1:{beta.http.port}/\n"
                              f"gone http://127.0.0.1:{free_port()}\nsilent http://127.0.0.1:{silent.getsockname()[1]}\n"
                              f"invalid http://127.0.0.1:{invalid.server_address[1]}  # sends invalid answers\n")
            check_once(config)
            lines = config.read_text().splitlines()
            (folder / "answering").write_text("\n".join(line for line in lines if not line.startswith("silent")))
            check_lists(folder / "answering")
            check_service(config, beta)
    invalid.shutdown()
    silent.close()
    print("fleet: all managers are shown, also managers that do not respond")


if __name__ == "__main__":
    main()
