#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the HTTP service on an emulated fabric. The responses of the endpoints that no other test covers must conform to the served OpenAPI
description. Also tests health, metrics, tokens, malformed requests, clients that send nothing, and streams.

Needs python3-jsonschema. Usage: http_test.py
"""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time

import prometheus_text
import weft_interop as interop
from http_client import TOKEN, HttpClient, bearer, token_file
from manager import Manager
from openapi import check_answer, check_description
from weft_interop import check, wait_for

SPEC = "fattree2:k=8"
ROOT = interop.ROOT


def examples(manager):
    """[(path in the OpenAPI description, path of a GET request, expected status)]"""
    nodes = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
    guid, other = nodes[0]["guid"], nodes[-1]
    return [
        ("/healthz", "/healthz", 200), ("/readyz", "/readyz", 200), ("/metrics", "/metrics", 200),
        ("/api/v1/openapi.json", "/api/v1/openapi.json", 200), ("/api/v1/fabric", "/api/v1/fabric", 200),
        ("/api/v1/nodes", "/api/v1/nodes", 200), ("/api/v1/nodes", "/api/v1/nodes?name=leaf&limit=3&offset=1", 200),
        ("/api/v1/nodes", "/api/v1/nodes?type=hub", 400), ("/api/v1/nodes", "/api/v1/nodes?limit=99999999", 400),
        ("/api/v1/node/{guid}", f"/api/v1/node/{guid}", 200), ("/api/v1/node/{guid}", "/api/v1/node/0x1", 404),
        ("/api/v1/node/{guid}", "/api/v1/node/rack%2f../etc", 400),
        ("/api/v1/ports", "/api/v1/ports?connected=true", 200), ("/api/v1/ports", "/api/v1/ports?offset=-1", 400),
        ("/api/v1/links", "/api/v1/links", 200), ("/api/v1/links", "/api/v1/links?limit=x", 400),
        ("/api/v1/routes/path", f"/api/v1/routes/path?from={guid}&to={other['lids'][0]}", 200),
        ("/api/v1/routes/path", f"/api/v1/routes/path?from={guid}&to=unknown", 404),
        ("/api/v1/routes/path", "/api/v1/routes/path", 400),
        ("/api/v1/partitions", "/api/v1/partitions", 200), ("/api/v1/partition/{pkey}", "/api/v1/partition/0xffff", 200),
        ("/api/v1/partition/{pkey}", "/api/v1/partition/0x0007", 404), ("/api/v1/partition/{pkey}", "/api/v1/partition/x", 400),
        ("/api/v1/partitions/{pkey}", "/api/v1/partitions/0x7fff", 200), ("/api/v1/partitions/{pkey}", "/api/v1/partitions/0x8000", 400),
        ("/api/v1/partitions/{pkey}", "/api/v1/partitions/0x7", 404),
        ("/api/v1/emulation/cut", "/api/v1/emulation/cut", 200),  # emulate_test.py tests the other requests of emulation
        ("/api/v1/planes", "/api/v1/planes", 200),  # check_planes tests a fabric with planes
        ("/api/v1/aports", "/api/v1/aports", 200), ("/api/v1/aports", f"/api/v1/aports?node={guid}", 200),
        ("/api/v1/aports", "/api/v1/aports?node=rack", 400), ("/api/v1/aports", "/api/v1/aports?limit=x", 400),
        ("/api/v1/aports", "/api/v1/aports?node=0x1", 404),
        ("/api/v1/topology-findings", "/api/v1/topology-findings", 200),
        ("/api/v1/topology-findings", "/api/v1/topology-findings?limit=x", 400),
        ("/api/v1/replication", "/api/v1/replication", 200),
        ("/api/v1/replication/changes", "/api/v1/replication/changes?standby=0x1", 401),  # replication_test.py tests replication with two managers
        ("/api/v1/replication/history", "/api/v1/replication/history", 401),
        ("/api/v1/vports", "/api/v1/vports", 200), ("/api/v1/vports", "/api/v1/vports?host=rack", 400),
        ("/api/v1/multicast", "/api/v1/multicast", 200), ("/api/v1/subscriptions", "/api/v1/subscriptions", 200),
        ("/api/v1/services", "/api/v1/services", 200),
        ("/api/v1/configuration", "/api/v1/configuration", 200),
        ("/api/v1/events", "/api/v1/events", 200), ("/api/v1/events", "/api/v1/events?after=3&limit=2", 200),
        ("/api/v1/events", "/api/v1/events?after=soon", 400),
        ("/api/v1/alarms", "/api/v1/alarms", 409), ("/metrics/infiniband_exporter", "/metrics/infiniband_exporter", 409),
        ("/api/v1/unhealthy-ports", "/api/v1/unhealthy-ports", 200), ("/api/v1/unhealthy-ports", "/api/v1/unhealthy-ports?limit=x", 400),
        ("/api/v1/jobs", "/api/v1/jobs", 200), ("/api/v1/jobs/{id}", "/api/v1/jobs/none", 404),  # job_test.py tests registered jobs
        ("/api/v1/drawing", "/api/v1/drawing", 200), ("/api/v1/engines", "/api/v1/engines", 200),
        ("/api/v1/search", "/api/v1/search?q=leaf&limit=3", 200), ("/api/v1/search", "/api/v1/search?q=", 400),
        ("/api/v1/errors", "/api/v1/errors", 200), ("/api/v1/counters/{guid}", f"/api/v1/counters/{guid}", 200),
        ("/api/v1/counters/{guid}", "/api/v1/counters/x", 400), ("/api/v1/counters", "/api/v1/counters", 200),
        ("/api/v1/counters", "/api/v1/counters?limit=x", 400), ("/api/v1/history/events", "/api/v1/history/events", 404),
        ("/api/v1/history/sweeps", "/api/v1/history/sweeps", 404),  # history_test.py tests managers with a history
        ("/api/v1/history/counters/{guid}", f"/api/v1/history/counters/{guid}", 404),
        ("/api/v1/history/traffic", f"/api/v1/history/traffic?node={guid}", 404),  # check_performance_counters tests traffic with counters
    ]


def check_endpoints(manager):
    status, document = manager.http.json("/api/v1/openapi.json")
    check(status == 200 and document["openapi"].startswith("3."), document.get("openapi"))
    checked_in = json.loads((ROOT / "src/service/http/openapi.json").read_text())
    check(document == checked_in, "the served description differs from the source")
    check_description(document)
    tested = set()
    for template, path, wanted in examples(manager):
        status, body, headers = manager.http.get(path)
        check(status == wanted, f"{path}: {status}, expected {wanted}: {body[:300]}")
        check_answer(document, template, status, body, headers)
        head_status, head_body, head = manager.http.get(path, method="HEAD")
        check((head_status, head_body) == (status, b""), f"HEAD {path}: {head_status} {head_body[:80]}")
        tested.add(template)
    ufm = {path for path in document["paths"] if path.startswith("/ufmRest/")}  # ufm_test.py tests these paths
    never = set(document["paths"]) - tested - ufm - {"/api/v1/unhealthy-ports/{port}", "/api/v1/alarms/{id}", "/api/v1/handover", "/api/v1/emulation/mend", "/api/v1/sweep", "/api/v1/events/stream", "/api/v1/compare", "/api/v1/what-if"}
    check(not never, f"described, but not tested: {never}")
    return document


def check_studies(manager, document):
    """Comparisons of engines and what-if studies have the results of `weft` on the same fabric, and do not change the state of the manager."""
    def post(path, body, wanted, kind="application/json"):
        status, answer, headers = manager.http.get(path, method="POST", body=json.dumps(body), headers={"Content-Type": kind})
        check(status == wanted, f"{path} {body}: {status}, expected {wanted}: {answer[:300]}")
        check_answer(document, path, status, answer, headers, method="post")
        return json.loads(answer)
    before = manager.http.json("/api/v1/fabric")[1]
    row = post("/api/v1/compare", {"engine": "dfsssp"}, 200)
    alone = interop.weft_json("route", SPEC, "-R", "dfsssp,no_fallback")
    check(row["served"] and row["verify"]["ok"] and row["quality"]["link_load_max"] == alone["quality"]["link_load_max"], f"{row} {alone}")
    row = post("/api/v1/compare", {"engine": "torus-2QoS"}, 200)
    check(not row["served"] and row["reason"], row)
    for body in ({"engine": "best"}, {"engine": 1}, {}, [], {"engine": "nue", "more": 1}):
        post("/api/v1/compare", body, 400)
    post("/api/v1/compare", {"engine": "nue"}, 415, kind="text/plain")
    switch = manager.http.json("/api/v1/drawing")[1]
    cable = {"node": switch["switches"]["guid"][switch["cables"]["a"][0]], "port": switch["cables"]["a_port"][0]}
    loss = post("/api/v1/what-if", cable, 200)
    result = interop.weft_json("simulate", SPEC, "--failures", "1", "--json", "--top", "1000")["rows"]
    check(any(abs(loss["ebb_left"] - one["ebb_left"]) < 1e-5 and loss["pairs_cut"] == one["pairs_cut"] for one in result), f"{loss} {result[:2]}")
    check(loss["routed"] and loss["pairs_lost"] == 0 and loss["pairs_cut"] > 0, loss)
    check(switch["cables"]["there"][0] + switch["cables"]["back"][0] == loss["pairs_cut"],
          "the load of a link differs from the pairs that the study cuts")
    loss = post("/api/v1/what-if", {"node": cable["node"]}, 200)
    check(loss["pairs_cut"] >= loss["pairs_lost"], loss)
    post("/api/v1/what-if", {"node": "0x1"}, 404)
    post("/api/v1/what-if", {"node": cable["node"], "port": 255}, 404)
    for body in ({"port": 1}, {"node": "x"}, dict(cable, port=-1), dict(cable, port=256), dict(cable, port="1"), dict(cable, more=1)):
        post("/api/v1/what-if", body, 400)
    after = manager.http.json("/api/v1/fabric")[1]
    check(before == after, f"a study changed the state: {before} {after}")


def check_contents(manager):
    fabric = manager.http.json("/api/v1/fabric")[1]
    check(fabric["ready"] and fabric["state"] == "MASTER", fabric)
    check((fabric["fabric"]["switches"], fabric["fabric"]["hosts"], fabric["fabric"]["links"]) == (12, 32, 64), fabric["fabric"])
    check(fabric["routes"]["verify"]["ok"] and fabric["routes"]["engine"], fabric["routes"])
    nodes = manager.http.json("/api/v1/nodes")[1]
    check(nodes["total"] == len(nodes["nodes"]) == 44, nodes["total"])
    page = manager.http.json("/api/v1/nodes?offset=40&limit=10")[1]
    check(page["nodes"] == nodes["nodes"][40:] and page["total"] == 44, page)
    links = manager.http.json("/api/v1/links")[1]
    check(links["total"] == 64 and sum(link["between_switches"] for link in links["links"]) == 32, links["total"])
    check({link["state"] for link in links["links"]} == {"active"}, "links are not active")
    hosts = [node for node in nodes["nodes"] if node["type"] == "CA"]
    path = manager.http.json(f"/api/v1/routes/path?from={hosts[0]['guid']}&to={hosts[-1]['guid']}")[1]
    hops = path["hops"]
    check(path["hop_count"] == 3, path)
    check(len(hops) == 4 and hops[0]["from"]["node"] == hosts[0]["guid"] and hops[-1]["to"]["node"] == hosts[-1]["guid"], path)
    check(all(a["to"]["node"] == b["from"]["node"] for a, b in zip(hops, hops[1:])), "a hop does not begin at the end of the previous hop")
    same = manager.http.json(f"/api/v1/routes/path?from={hosts[0]['lids'][0]}&to={hosts[0]['guid']}")[1]
    check(same["hops"] == [], "a path from a host to itself has hops")
    partition = manager.http.json("/api/v1/partition/0x7fff")[1]
    check(len(partition["members"]) == 44, len(partition["members"]))
    settings = {row["key"]: row for row in manager.http.json("/api/v1/configuration")[1]["settings"]}
    for key in ("m_key", "sm_key", "sa_key", "cc_key"):
        check(settings[key]["secret"] and settings[key]["value"] is None, f"{key} is shown")
    check(settings["http"]["value"] == "127.0.0.1:0" and not settings["http"]["default"], settings["http"])
    events = manager.http.json("/api/v1/events")[1]
    ids = [event["id"] for event in events["events"]]
    check(ids == list(range(1, events["total"] + 1)), "the ids of events are not 1, 2, 3 ..")
    check("sweep_ended" in {event["event"] for event in events["events"]}, "no event of the first sweep")


def check_metrics(manager):
    samples = prometheus_text.parse(manager.http.get("/metrics")[1])
    one = lambda name, **labels: samples[name][tuple(sorted(labels.items()))]
    check(one("weft_fabric_switches") == 12 and one("weft_fabric_hosts") == 32 and one("weft_fabric_links") == 64,
          "metrics do not have 12 switches, 32 hosts and 64 links")
    check(one("weft_verify_ok") == 1 and one("weft_sm_ready") == 1 and one("weft_sm_state", state="MASTER") == 1,
          "metrics do not show a verified, ready subnet with a MASTER")
    check(one("weft_sm_sweeps_total", kind="heavy") == 1, "metrics do not count one heavy sweep")
    check(one("weft_sm_sweep_duration_seconds_count", kind="heavy") == 1, "metrics do not have the duration of one heavy sweep")
    check(one("weft_smps_sent_total") > 100 and one("weft_smp_timeouts_total") == 0, "metrics do not count more than 100 SMPs without timeouts")
    check(one("weft_fabric_ports", state="active") == 128, samples["weft_fabric_ports"])
    check(len(samples["weft_routing_engine_info"]) == 1 and one("weft_vls_used") >= 1, "metrics do not have one engine and at least one VL")
    return samples


def check_reading_traffic(manager, document):
    """Without a history, traffic comes from the counter database."""
    check(manager.http.json("/api/v1/fabric")[1]["traffic"], "the API does not report that traffic is available")
    database = manager.folder / "cache" / "perfmgr.sqlite"
    wait_for("the counter database", database.exists)
    node, now = 0x7001, int(time.time())
    with contextlib.closing(sqlite3.connect(database, timeout=interop.PATIENCE)) as file, file:
        columns = [row[1] for row in file.execute("PRAGMA table_info(reading)")]
        for ago, words in ((50, 1000), (40, 500)):
            row = dict.fromkeys(columns, 0) | {"time": now - ago, "guid": node, "port": 1, "seconds": 10, "xmit_data": words, "symbol_err_cnt": 2, "xmit_wait": 7}
            file.execute(f"INSERT INTO reading VALUES ({','.join('?' * len(columns))})", [row[column] for column in columns])
    path = f"/api/v1/history/traffic?node={node:#x}&port=1&step=3600&since=1h"
    status, body, headers = manager.http.get(path)
    check(status == 200, body)
    check_answer(document, "/api/v1/history/traffic", status, body, headers)
    intervals = json.loads(body)["intervals"]
    total = lambda name: sum(one[name] for one in intervals)
    check((total("sent_bytes"), total("errors"), total("wait_ticks"), total("received_bytes")) == (6000, 4, 14, 0), intervals)
    check(max(one["sent_peak"] for one in intervals) == 400, intervals)
    for query, wanted in (("node=x", 400), (f"node={node:#x}&step=0", 400), ("job=none", 404), (f"node={node:#x}&port=2", 200)):
        status = manager.http.get(f"/api/v1/history/traffic?{query}")[0]
        check(status == wanted, f"traffic?{query}: status {status}, expected {wanted}")


def check_performance_counters(folder):
    with Manager(folder, "--perfmgr", "--perfmgr_sweep_time_s", "1", emulate=SPEC, http=True) as manager:
        def counted():
            samples = prometheus_text.parse(manager.http.get("/metrics")[1])
            return samples.get("weft_port_symbol_errors_total") and samples
        samples = wait_for("counters of ports", counted)
        check(len(samples["weft_port_transmit_bytes_total"]) == 128, len(samples["weft_port_transmit_bytes_total"]))
        check(samples["weft_alarms"][(("rule", "bit_error_rate"),)] == 0, samples["weft_alarms"])
        document = manager.http.json("/api/v1/openapi.json")[1]
        for path, wanted in (("/api/v1/alarms?ended=true", 200), ("/api/v1/alarms?ended=x", 400), ("/metrics/infiniband_exporter", 200)):
            status, body, headers = manager.http.get(path)
            check(status == wanted, f"{path}: {status}: {body[:300]}")
            check_answer(document, path.split("?")[0], status, body, headers)
        check_reading_traffic(manager, document)
        status, body, headers = manager.http.get("/metrics/infiniband_exporter")
        exported = prometheus_text.parse(body)
        check(len(exported["infiniband_switch_port_symbol_error_total"]) == 96 and len(exported["infiniband_hca_port_symbol_error_total"]) == 32,
              "not one series for each connected port")


def check_sweep(manager, document):
    def post(body, headers):
        status, answer, got = manager.http.get("/api/v1/sweep", method="POST", body=body, headers=headers)
        check_answer(document, "/api/v1/sweep", status, answer, got, method="post")
        return status
    before = manager.http.json("/api/v1/fabric")[1]["heavy_sweeps"]
    check(post(None, bearer()) == 202, "a request without a body for a sweep is refused")
    wait_for("the sweep", lambda: manager.http.json("/api/v1/fabric")[1]["heavy_sweeps"] > before)
    check(post('{"kind": "light"}', bearer()) == 202, "a request for a light sweep is refused")
    check(post('{"kind": "reroute"}', bearer()) == 202, "a request to reroute is refused")
    wait_for("the reroute", lambda: manager.http.json("/api/v1/fabric")[1]["heavy_sweeps"] > before + 1)
    for wrong in ('{"kind": "deep"}', '{"kind": 7}', "[", "[]", '{"kind": "heavy", "x": 1}', "[" * 60000, "\xff"):
        check(post(wrong.encode("latin1"), bearer()) == 400, f"{wrong[:20]!r} is not refused")
    check(post(None, {}) == 401, "a sweep without a token is not refused")
    for wrong in (TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        begun = time.monotonic()
        check(post(None, bearer(wrong)) == 401, "a sweep with a wrong token is not refused")
        check(time.monotonic() - begun > 0.9, "the answer to a wrong token is not delayed")
    check(manager.http.get("/api/v1/sweep")[0] == 405 and manager.http.get("/metrics", method="DELETE")[0] == 405, "other methods are not refused")
    check(manager.http.get("/api/v1/nothing")[0] == 404 and manager.http.get("/../etc/passwd")[0] == 404, "unknown paths are not answered with 404")


def check_malformed_requests(manager):
    good = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    def status(data, timeout=interop.PATIENCE):
        answer = manager.http.raw(data, timeout=timeout)
        return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else answer
    close = b"Connection: close\r\n\r\n"
    check(status(good + close) == 200, "no status 200 for a valid request")
    check(status(good + b"X: " + b"y" * 9000 + b"\r\n\r\n") == 431, "no status 431 for a long header")
    check(status(b"GET /" + b"a" * 20000) == 414, "no status 414 for a long path")
    check(status(b"POST /api/v1/sweep HTTP/1.1\r\nContent-Length: 70000\r\n\r\n") == 413, "no status 413 for a long body")
    check(status(b"POST /api/v1/sweep HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n") == 413,
          "no status 413 for a body of unlimited length")
    check(status(b"POST /api/v1/sweep HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx") == 400, "no status 400 for two lengths")
    check(status(b"POST /api/v1/sweep HTTP/1.1\r\nContent-Length: -1\r\n\r\n") == 400, "no status 400 for a negative length")
    check(status(b"POST /api/v1/sweep HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 501, "no status 501 for a chunked body")
    check(status(b"GET /healthz\0 HTTP/1.1\r\n\r\n") == 400, "no status 400 for a path with a NUL byte")
    for data in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET\r\n\r\n", b"GET /healthz HTTP/9.9\r\n\r\n", os.urandom(2000) + b"\r\n\r\n",
                 b"GET /%zz%00%ff HTTP/1.1\r\n" + close, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
        answer = status(data, timeout=3)  # some of the texts are no complete request
        check(answer == b"" or (isinstance(answer, int) and answer >= 400), f"{data[:40]!r}: {answer!r}")
    check(status(good + b"Range: bytes=" + b"0-1," * 1800 + b"0-1\r\n" + close) == 200, "no status 200 for a header with many ranges")
    check(status(good.replace(b"localhost", b"evil.example") + close) == 421, "no status 421 for a foreign name in Host")
    check(status(good.replace(b"localhost", b"[::1]:80") + close) == 200, "no status 200 for a name of this machine")
    for bare in (good + b"X: y\n" + close, good.replace(b"\r\n", b"\n", 1) + close, good + b"X: a\r\n b\r\n" + close):
        check(status(bare) == 400, f"a lone line feed or a folded line: {bare!r}")
    answer = manager.http.raw((good + b"\r\n") * 5 + good + close)
    check(answer.count(b"HTTP/1.1 200 OK") == 6, "six requests sent at once on one connection are not all answered")
    one_by_one = b""
    with socket.create_connection(("127.0.0.1", manager.http.port), timeout=interop.PATIENCE) as peer:
        for byte in good + close:
            peer.sendall(bytes([byte]))
        while piece := peer.recv(4096):
            one_by_one += piece
    check(one_by_one.startswith(b"HTTP/1.1 200"), "a request sent byte by byte is not answered")


def check_idle_connections(manager):
    """Opens more connections than the limit, without requests or with incomplete requests. Other clients are served before these connections time
    out (10 s)."""
    def seconds_during_idle_connections():
        with contextlib.ExitStack() as peers:
            for number in range(400):
                peer = peers.enter_context(socket.create_connection(("127.0.0.1", manager.http.port), timeout=interop.PATIENCE))
                if number % 2:
                    peer.sendall(b"GET /healthz HTTP/1.1\r\nX-Half: ")
            begun = time.monotonic()
            for _ in range(20):
                check(manager.http.get("/healthz")[0] == 200, "/healthz is not answered during idle connections")
            return time.monotonic() - begun
    took = [seconds_during_idle_connections()]
    while min(took) > 5 and len(took) < 5:  # on a busy machine some attempts may take longer
        took.append(seconds_during_idle_connections())
    check(min(took) < 5, f"20 requests took at least {min(took):.1f} s during idle connections in {len(took)} attempts")
    half = manager.http.raw(b"GET /healthz HTTP/1.1\r\nX-Half: ")
    check(half.startswith(b"HTTP/1.1 408"), f"no status 408 for an incomplete request: {half[:60]!r}")


def check_stream(manager):
    """Events arrive once and in order; a client that reconnects continues after its last event."""
    def open_stream(headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", manager.http.port, timeout=interop.PATIENCE)
        connection.request("GET", "/api/v1/events/stream", headers=headers or {})
        response = connection.getresponse()
        check(response.status == 200 and response.headers["Content-Type"] == "text/event-stream", response.status)
        return connection, response
    def next_event(response):
        fields = {}
        while True:
            line = response.readline().decode().rstrip("\n")
            if not line and "data" in fields:
                return int(fields["id"]), json.loads(fields["data"])
            if ": " in line:
                name, value = line.split(": ", 1)
                fields[name] = value
    total = manager.http.json("/api/v1/events")[1]["total"]
    connection, response = open_stream()
    check(manager.http.get("/api/v1/sweep", method="POST", headers=bearer())[0] == 202, "a request for a sweep is refused")
    number, event = next_event(response)
    check(number == event["id"] == total + 1 and event["event"] == "sweep_begun" and event["reason"] == "HTTP", event)
    number, event = next_event(response)
    check(number == total + 2, event)
    connection.close()
    connection, response = open_stream({"Last-Event-ID": str(total)})
    check(next_event(response)[0] == total + 1, "a reader does not continue after its last event")
    connection.close()
    check(manager.http.get("/api/v1/events/stream", headers={"Last-Event-ID": "x"})[0] == 400, "an invalid Last-Event-ID is not refused")


def check_on_ibsim(folder):
    """On an InfiniBand device, here of ibsim, the SA has a separate thread, and the metrics count the queries of clients."""
    net = folder / "fabric.net"
    interop.weft("convert", SPEC, net, "--to", "ibsim")
    with interop.Ibsim(net) as sim, Manager(folder, "--perfmgr", "--perfmgr_sweep_time_s", "1", sim=sim, http=True) as manager:
        check("NodeRecord dump" in sim.client(["saquery"], host="host-2").stdout, "saquery receives no NodeRecord")
        sim.client(["saquery", "--src-to-dst", "1:2"], host="host-2")
        samples = prometheus_text.parse(manager.http.get("/metrics")[1])
        good = lambda attribute: samples["weft_sa_requests_total"][(("attribute", attribute), ("status", "good"))]
        check(good("NodeRecord") >= 1 and good("PathRecord") >= 1, samples["weft_sa_requests_total"])
        took = samples["weft_sa_request_duration_seconds_sum"][(("attribute", "NodeRecord"),)]
        check(0 < took < interop.PATIENCE, f"a table of 44 nodes took {took} s")
        groups = manager.http.json("/api/v1/multicast")[1]["groups"]
        check(len(groups) == samples["weft_multicast_groups"][()] > 0, groups)
        check(manager.http.json("/api/v1/subscriptions")[1]["subscriptions"] == [], "the API lists a subscription, expected none")
        wait_for("counters of ports", lambda: b"weft_port_symbol_errors_total{" in manager.http.get("/metrics")[1])
        sim.console('unlink "S-0010000000000005"[1]')
        wait_for("the lost link", lambda: manager.http.json("/api/v1/fabric")[1]["fabric"]["links"] == 63)
        wait_for("the event of the lost link",
                 lambda: any(event["event"] == "link_gone" for event in manager.http.json("/api/v1/events")[1]["events"]))


def check_starts(folder):
    """Errors of the configuration are reported before the start."""
    token = folder / "open-token"
    token.write_text("secret of 16 letters\n")
    token.chmod(0o644)
    for options, messages in ((["--http", "0.0.0.0:0"], "is reachable from other machines"), (["--http", "9115"], "expected ADDRESS:PORT"),
                          (["--http", "example.org:80"], "expected ADDRESS:PORT"), (["--http", "127.0.0.1:99999"], "expected ADDRESS:PORT"),
                          (["--http", "127.0.0.1:0", "--http-token-file", token], "expected 0600"),
                          (["--http", "127.0.0.1:0", "--http_token_file", folder / "none"], "none")):
        done = interop.weft("sm", "--emulate", SPEC, *options, check=False)
        check(done.returncode in (2, 3) and messages in done.stderr, f"{options}: {done.returncode} {done.stderr}")


def check_adaptive(folder):
    """Responses show which switches use adaptive routing."""
    with Manager(folder, "-R", "ar_updn", "--emulate-adaptive", "all", "--emulate-notifications", emulate=SPEC, http=True) as manager:
        document = manager.http.json("/api/v1/openapi.json")[1]
        status, body, headers = manager.http.get("/api/v1/fabric")
        check_answer(document, "/api/v1/fabric", status, body, headers)
        result = json.loads(body)["routes"]["adaptive"]
        check(result == {"switches": 12, "notifying": 12, "errors": 0, "failures": [], "ended": False}, result)
        samples = prometheus_text.parse(manager.http.get("/metrics")[1])
        check(samples["weft_adaptive_switches"][()] == samples["weft_adaptive_notifying_switches"][()] == 12,
              "metrics do not count 12 switches with adaptive routing and notifications")
        check(samples["weft_adaptive_errors"][()] == 0, "metrics count errors of adaptive routing")


def check_planes(folder, token):
    """Tests planes, and the aggregated ports of hosts and of switch systems, before and after a host loses its link in a plane."""
    hosts, systems, switch_ports = 8, 6, 4
    expected, config = folder / "expected.json", folder / "topology.conf"
    interop.weft("convert", "fattree2:k=4,planes=2", expected)
    config.write_text(f"topo_config_enabled TRUE\ntopo_config_file {expected}\n")
    with Manager(folder, "-F", config, "--http_token_file", token, "-s", "0", emulate="fattree2:k=4,planes=2", http=True) as manager:
        document = manager.http.json("/api/v1/openapi.json")[1]

        def get(path):
            status, body, headers = manager.http.get(path)
            check_answer(document, path.split("?")[0], status, body, headers)
            return json.loads(body)
        state = get("/api/v1/planes")
        check([(plane["state"], plane["aports_without_link"]) for plane in state["planes"]] == [("verified", 0)] * 2, state)
        aports = get("/api/v1/aports")["aports"]
        check([len(one["ports"]) for one in aports] == [2] * len(aports) and not any(one["without_link"] for one in aports), aports)
        check([sum(one["type"] == kind for one in aports) for kind in ("CA", "SW")] == [hosts, systems * switch_ports], len(aports))
        host = [one for one in aports if one["type"] == "CA"][-1]  # the manager is on the first host
        lost = next(one["port"] for one in host["ports"] if one["plane"] == 1)
        check(lost["peer"] and get(f"/api/v1/aports?node={host['device']}")["aports"] == [host], host)
        leaf = get(f"/api/v1/aports?node={lost['peer']['node']}")
        check(leaf["total"] == switch_ports and get("/api/v1/aports?limit=3&offset=2")["aports"] == aports[2:5], leaf)

        status, body, headers = manager.http.get(f"/api/v1/node/{host['device']}")
        check_answer(document, "/api/v1/node/{guid}", status, body, headers)
        positions = [port["position"] for port in json.loads(body)["port_list"]]
        check([position["cage"] for position in positions] == [1, 1] and "cage 1, port 2" in positions[1]["label"], positions)

        cut = json.dumps({"node": lost["node"], "port": lost["port"]})
        check(manager.http.json("/api/v1/emulation/cut", method="POST", headers=bearer(), body=cut)[0] == 200,
              "the emulation refuses to cut the link")
        state = wait_for("the lost link", lambda: (now := get("/api/v1/planes"))["devices"]["aports_incomplete"] and now)
        check([(plane["hosts"], plane["aports_without_link"]) for plane in state["planes"]] == [(hosts - 1, 2), (hosts, 0)], state)
        check((state["devices"]["aports"], state["devices"]["aports_incomplete"]) == (len(aports), 2), state)
        findings = get("/api/v1/topology-findings")
        check(findings["compared"] and [one["finding"] for one in findings["findings"]] == ["missing link"], findings)
        warnings = [event for event in get("/api/v1/events?limit=1000")["events"] if "topology differs from" in str(event)]
        check(warnings and {event["event"] for event in warnings} == {"warning"} and "missing link: " in str(warnings[0]), warnings)
        left = get(f"/api/v1/aports?node={host['device']}")["aports"][0]
        check(left["without_link"] == [1] and [one["port"]["peer"] is None for one in left["ports"]] == [True, False], left)
        samples = prometheus_text.parse(manager.http.get("/metrics")[1])
        check([samples["weft_plane_aports_without_link"][(("plane", plane),)] for plane in "12"] == [2, 0],
              "metrics do not count 2 aggregated ports without a link in plane 1")
        check(samples["weft_topology_findings"][()] == 1, samples["weft_topology_findings"])
        expected.write_text("zebra")  # SIGHUP keeps the topology that was read before
        manager.send(signal.SIGHUP)
        wait_for("the error about the damaged file", lambda: "expected.json" in manager.log())
        check(get("/api/v1/topology-findings")["findings"] == findings["findings"], "the findings changed after SIGHUP with a damaged file")
        check(samples["weft_aports"][()] == len(aports) and samples["weft_plane_contradictions"][()] == 0,
              "metrics have other numbers of aggregated ports and contradictions")
        server = ("--server", f"http://127.0.0.1:{manager.http.port}", "--once", "--wait", "0")
        check(interop.weft_json("top", *server, check=False)["planes"] == state, "weft top --json and the API have different planes")
        shown = interop.weft("top", *server, check=False).stdout.splitlines()
        check(shown[:3] == [f"plane 1: verified, {hosts - 1} of {hosts} hosts, 2 aggregated ports without a link", f"plane 2: verified, {hosts} of {hosts} hosts",
                            f"{len(aports)} aggregated ports, 2 incomplete: /api/v1/aports lists them"], shown)


def check_open_to_all(folder, token):
    with Manager(folder, "--http-token-file", token, emulate=SPEC, http="0.0.0.0:0") as manager:
        check(manager.http.get("/healthz")[0] == 200 and manager.http.get("/readyz")[0] == 200, "/healthz and /readyz require a token")
        for path in ("/metrics", "/api/v1/fabric", "/api/v1/events/stream"):
            check(manager.http.get(path)[0] == 401, f"{path} without a token is not refused")
        check(manager.http.get("/metrics", headers={**bearer(), "Host": "weft.example"})[0] == 200, "/metrics with a token is refused")


def check_example():
    """Tests the command that `make page` runs after the build."""
    if not (pathlib.Path(interop.weft_binary()).parents[1] / "web/index.html").exists():
        return print("page not built: the example is not tested")
    port = interop.free_port()
    process = subprocess.Popen([ROOT / "examples" / "page", interop.weft_binary()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=dict(os.environ, PAGE=f"127.0.0.1:{port}", FABRIC="fattree2:k=4"))
    try:
        check("weft sm --emulate fattree2:k=4" in process.stdout.readline(), "the example prints no command with weft sm")
        check(f"http://127.0.0.1:{port}/" in process.stdout.readline(), "the example does not print the address of the page")

        def read_state():
            with contextlib.suppress(OSError):
                return HttpClient(port).json("/api/v1/fabric")[1]
        seen = wait_for("the example", lambda: (found := read_state()) and found["up"] and found)
        check(seen["fabric"]["hosts"] == 8 and seen["history"], seen)
    finally:
        process.terminate()
        process.wait(timeout=interop.PATIENCE)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-http-") as name:
        folder = pathlib.Path(name)
        token = token_file(folder)
        with Manager(folder, "--http_token_file", token, "-s", "0", emulate=SPEC, http=True) as manager:
            check_metrics(manager)
            document = check_endpoints(manager)
            check_contents(manager)
            check_studies(manager, document)
            check_malformed_requests(manager)
            check_sweep(manager, document)
            check_stream(manager)
            check_idle_connections(manager)
            check(manager.http.get("/healthz")[0] == 200 and manager.process.poll() is None, "the manager ended, or does not answer /healthz")
            prometheus_text.parse(manager.http.get("/metrics")[1])
        with Manager(folder, "-s", "0", emulate=SPEC, http=True) as manager:
            status, body = manager.http.get("/api/v1/sweep", method="POST")[:2]
            check(status == 403 and b"http_token_file" in body, f"answer to a change without a token file: {status} {body[:200]}")
        check_performance_counters(folder)
        check_on_ibsim(folder)
        check_adaptive(folder)
        check_planes(folder, token)
        check_open_to_all(folder, token)
        check_starts(folder)
    check_example()
    print("http: passed")


if __name__ == "__main__":
    main()
