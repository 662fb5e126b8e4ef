#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests every view of the page of `weft sm --http` in headless Chromium by the keyboard (a simulation also by the pointer), on a fabric in ibsim
with alarms, traffic, a job and a lost link. axe-core must find no violation in the light and dark schemes, and every view must fit the width of
a phone.

page_views_test.py [--keep docs/pictures]   WEFT is the program; the page is from the same build.
"""
import argparse
import contextlib
import json
import math
import pathlib
import sqlite3
import tempfile
import time

from webdriver import DOWN, ENTER, SPACE, Browser  # must be first: adds the folder of tests/interop to the path
from page import address, performance_options, page_or_skip, tab_order, tab_to, wait_for_text, violations, visit, wider_than_window
import weft_interop as interop
from http_client import TOKEN, bearer, token_file
from manager import Manager
from weft_interop import check, wait_for

SPEC = "fattree2:k=4"
COUNTED = {"link_downed": "PortCounters.LinkDownedCounter", "errors": "PortCounters.SymbolErrorCounter"}


class Fabric:
    """The fabric in ibsim. Port 1 of leaf 1 has a host, the link of this leaf to the first spine raises alarms, and another link is lost."""

    def __init__(self, sim, manager, history):
        self.sim, self.manager, self.history = sim, manager, history
        drawing = manager.http.json("/api/v1/drawing")[1]
        cables, switches = drawing["cables"], drawing["switches"]
        self.guids, self.names = switches["guid"], switches["name"]
        self.a, self.port = cables["a"][0], cables["a_port"][0]
        self.lost, self.lost_port = cables["a"][-1], cables["a_port"][-1]
        self.lost_peer = cables["b"][-1]
        self.hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
        self.sent = 0

    def name_of(self, switch):
        return f'"S-{int(self.guids[switch], 16):016x}"'

    def count(self, what, value):
        self.sim.console(f"PerformanceSet {self.name_of(self.a)}[{self.port}] {COUNTED[what]}={value}")

    def get(self, path):
        status, body = self.manager.http.json(path)
        check(status == 200, f"{path}: {status} {body}")
        return body

    def before_loss(self, browser):
        """The time one millisecond before the loss of the link, in the format of the page."""
        lost = self.get("/api/v1/history/events?kind=link_gone")["events"][0]["time"]
        return browser.run("return new Date(Date.parse(arguments[0]) - 1).toISOString()", lost)

    def write_traffic(self):
        """Writes ten minutes of traffic of the port, and of a host of the job, to the history. The manager itself writes
        such rows every 30 s (tests/interop/history_test.py)."""
        now, rows = int(time.time()), []
        for i in range(60):
            sent = int(6e9 * (1 + math.sin(i / 6)) + 1e9)
            rows += ((now - 600 + 10 * i, 10, int(node, 16), port, sent, sent // 3, 4000 * (i % 17 == 4), 3 * (i % 23 == 5))
                     for node, port in ((self.guids[self.a], self.port), (self.hosts[0]["guid"], 1)))
        with contextlib.closing(sqlite3.connect(self.history, timeout=interop.PATIENCE)) as database, database:
            database.executemany("INSERT INTO counter VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def prepare(self):
        """Increases counters after a first reading, which raises alarms; takes a link down; starts a job."""
        read = lambda: self.get(f"/api/v1/counters/{self.guids[self.a]}")["ports"]
        wait_for("a first reading", lambda: [port for port in read() if port["port"] == self.port])
        self.count("link_downed", 5)
        self.count("errors", 20)
        wait_for("the alarms", lambda: self.get("/api/v1/alarms")["total"] >= 1)
        self.sim.console(f"unlink {self.name_of(self.lost)}[{self.lost_port}]")
        status, body = self.manager.http.json("/api/v1/jobs", method="POST", headers=bearer(), body=json.dumps(
            {"id": "71", "hosts": [host["name"] for host in self.hosts[:3]], "name": "train", "user": "ada"}))
        check(status == 201, body)
        wait_for("the lost link in the history", lambda: self.get("/api/v1/history/events?kind=link_gone")["events"])
        self.write_traffic()


def enter(browser, selector):
    """Moves to the control by Tab, and presses Enter."""
    tab_to(browser, selector)
    browser.press(ENTER)


def check_alarms(browser, fabric):
    """An alarm appears in the header of every view; it is acknowledged with a comment, after a prompt for the token."""
    visit(browser, fabric.manager, "", "#alarm-count")
    enter(browser, "#alarm-count")
    wait_for_text(browser, "#alarms", fabric.names[fabric.a], "link_downed", "critical", "link failures within an hour")
    row = "[aria-label^='Comment on link_downed']"
    tab_to(browser, row)
    browser.press(*"new cable", ENTER)
    browser.wait("return document.querySelector('#alarms .unlock input') !== null")
    tab_to(browser, "#alarms .unlock input")
    browser.press(*TOKEN, ENTER)
    wait_for_text(browser, "#alarms", "acknowledged: new cable")
    alarm = next(one for one in fabric.get("/api/v1/alarms")["alarms"] if one["rule"] == "link_downed")
    check(alarm["acknowledged"] and alarm["comment"] == "new cable", alarm)
    enter(browser, "[data-change=Withdraw] button")
    browser.wait("return document.querySelector(arguments[0]) !== null", row)
    wait_for("the withdrawal", lambda: not next(one for one in fabric.get("/api/v1/alarms")["alarms"] if one["rule"] == "link_downed")["acknowledged"])
    rules = fabric.get("/api/v1/alarms")["rules"]
    check(len(browser.cells("#alarm-rules table")) == len(rules) >= 8, "the table of rules does not have one row per rule")


def saved(browser, selector):
    """The CSV that the button saves, and the name of its file."""
    browser.run("""window.csv = null;
        URL.createObjectURL = blob => { blob.text().then(text => window.csv = [text, window.csvName]); return 'about:blank#'; };
        HTMLAnchorElement.prototype.click = function () { window.csvName = this.download; };""")
    enter(browser, selector)
    return browser.wait("return window.csv && window.csvName ? [window.csv[0], window.csvName] : null")


def rows(count):
    return f"{count} row{'' if count == 1 else 's'}"


def check_tables(browser, fabric):
    """Each table has the entries of the API. The keyboard operates sorting, filters and CSV."""
    totals = {"ports": fabric.get("/api/v1/ports")["total"], "nodes": fabric.get("/api/v1/nodes")["total"], "links": fabric.get("/api/v1/links")["total"],
              "partitions": len(fabric.get("/api/v1/partitions")["partitions"]), "groups": len(fabric.get("/api/v1/multicast")["groups"]),
              "services": len(fabric.get("/api/v1/services")["services"]), "subscriptions": len(fabric.get("/api/v1/subscriptions")["subscriptions"]),
              "vports": fabric.get("/api/v1/vports")["total"], "planes": 0, "aports": 0, "managers": len(fabric.get("/api/v1/fabric")["managers"]), "jobs": 1}
    visit(browser, fabric.manager, "tables", "#table-ports")
    enter(browser, ".subviews [href='#/tables/groups']")
    wait_for_text(browser, "#table-groups [role=status]", rows(totals["groups"]))
    for name, total in totals.items():
        browser.run("location.hash = '#/tables/' + arguments[0]", name)
        wait_for_text(browser, f"#table-{name} [role=status]", rows(total))
    check(totals["groups"] > 0 and totals["partitions"] > 0, totals)
    browser.visit(address(fabric.manager, "tables/nodes"))
    wait_for_text(browser, "#table-nodes [role=status]", f"{totals['nodes']} rows")
    enter(browser, "[data-column=lids]")
    lids = [int(row[3]) for row in browser.cells("#table-nodes table")]
    check(lids == sorted(lids), lids)
    browser.press(ENTER)
    browser.wait("return document.querySelector('#table-nodes th[aria-sort=descending] [data-column=lids]') !== null")
    check([int(row[3]) for row in browser.cells("#table-nodes table")] == lids[::-1], "the LIDs are not in descending order")
    enter(browser, "[data-column=name]")  # host-2 is before host-10
    names = [row[0] for row in browser.cells("#table-nodes table") if row[0].startswith("host-")]
    check(names == sorted(names, key=lambda name: int(name[5:])) and len(names) == len(fabric.hosts), names)
    tab_to(browser, "[data-filter-of=type]")
    browser.press(*"host")
    wait_for_text(browser, "#table-nodes [role=status]", f"{len(fabric.hosts)} of {totals['nodes']} rows")
    tab_to(browser, "[data-filter-of=lids]")
    browser.press(*f">{fabric.hosts[1]['lids'][0]}")
    wanted = [host for host in fabric.hosts if host["lids"][0] > fabric.hosts[1]["lids"][0]]
    wait_for_text(browser, "#table-nodes [role=status]", f"{len(wanted)} of {totals['nodes']} rows")
    text, name = saved(browser, "#table-nodes .csv")
    lines = text.split("\r\n")
    check(name == "nodes.csv" and lines[0] == "name,type,guid,lids,ports,connected" and len(lines) == len(wanted) + 2, (name, text))
    check({line.split(",")[2] for line in lines[1:-1]} == {host["guid"] for host in wanted}, text)
    browser.visit(address(fabric.manager, "tables/ports"))
    tab_to(browser, "[data-filter-of=errors]")
    browser.press(*">0")
    browser.wait("return document.querySelectorAll('#table-ports tbody tr').length === 1")
    check(browser.cells("#table-ports table")[0][1] == str(fabric.port), browser.cells("#table-ports table"))


def check_partition(browser, fabric):
    """A partition is created, a member added, and the partition deleted. The effect is shown before the first two changes."""
    visit(browser, fabric.manager, "tables/partitions", "#table-partitions")
    enter(browser, "[href='#/partition/new']")
    browser.wait("return document.getElementById('pkey') !== null")
    for box, text in (("#pkey", "0x8010"), ("#partition-name", "blue"), ("#members", f"{fabric.hosts[0]['name']} unknown")):
        tab_to(browser, box)
        browser.press(*text)
    wait_for_text(browser, "#preview", "Not on the fabric: unknown", "1 port would change")
    check(browser.run("return document.querySelector(\"[data-change='Create partition'] button\").disabled"),
          "the button is enabled for a partition with an unknown member")
    browser.type("#members", fabric.hosts[0]["name"])
    wait_for_text(browser, "#preview", "1 port would change")
    enter(browser, "[data-change='Create partition'] button")
    wait_for_text(browser, "h1", "Partition 0x0010", "blue")
    wait_for_text(browser, "#table-members tbody", fabric.hosts[0]["name"], "full")
    tab_to(browser, "#members")
    browser.press(*f"{fabric.hosts[0]['name']}, {fabric.hosts[1]['name']}")
    wait_for_text(browser, "#preview", "1 port would change; 1 port already has this membership", "no member")
    enter(browser, "#change-members .change button")
    wait_for_text(browser, "#table-members tbody", fabric.hosts[1]["name"])
    members = fabric.get("/api/v1/partitions/0x0010")["members"]
    check({member["name"] for member in members} >= {host["name"] for host in fabric.hosts[:2]}, members)
    tab_to(browser, "#delete-partition input")
    browser.press(SPACE)
    enter(browser, "#delete-partition .change button")
    browser.wait("return location.hash === '#/tables/partitions'")
    check(fabric.manager.http.json("/api/v1/partitions/0x0010")[0] == 404, "the deleted partition still exists")


def check_traffic(browser, fabric):
    """The pages of a link and of its node have charts of the traffic of the link; a button selects another period."""
    for view in (f"node/{fabric.guids[fabric.a]}", f"cable/{fabric.guids[fabric.a]}/{fabric.port}"):
        visit(browser, fabric.manager, view, "#traffic .chart canvas")
        browser.wait("return Number(document.querySelector('#traffic .chart').dataset.points) > 50")
        label = browser.run("return document.querySelector('#traffic .chart [role=img]').getAttribute('aria-label')")
        check("sent: at most 10.4 Gbit/s at" in label and "received: at most 3.47 Gbit/s at" in label, label)
        wait_for_text(browser, "#traffic", "Data, Gbit/s", "Wait time, ticks/s", "Errors, errors/min")
    enter(browser, "#traffic [data-seconds='86400']")
    browser.wait("return document.querySelector('#traffic [data-seconds=\"86400\"]').getAttribute('aria-pressed') === 'true' && document.querySelector('#traffic .chart canvas') !== null")


def check_job(browser, fabric):
    visit(browser, fabric.manager, "tables/jobs", "#table-jobs tbody a")
    enter(browser, "#table-jobs tbody a")
    wait_for_text(browser, "h1", "Job 71", "train of ada")
    job = fabric.get("/api/v1/jobs/71")
    wait_for_text(browser, "#table-job-71 [role=status]", f"{len(job['links'])} rows")
    wait_for_text(browser, "#job", "3 hosts")
    enter(browser, "#traffic [data-seconds='3600']")
    browser.wait("return document.querySelector('#traffic .chart [role=img]')?.getAttribute('aria-label').includes('sent: at most 10.4 Gbit/s at')")


def check_differences(browser, fabric):
    """The lost link is a difference between a time before its loss and now, and is in the drawing of that time. Between the start of the manager
    and now the link is no difference, because it came up and went down."""
    visit(browser, fabric.manager, "differences", "#table-differences tbody")
    check(not any(row[:1] == ["link"] and "lost" in row[1] for row in browser.cells("#table-differences table")),
          "a link that came up and went down is a difference")
    links = fabric.get("/api/v1/drawing")["cables"]["a"]
    visit(browser, fabric.manager, f"differences?from={fabric.before_loss(browser)}", "#past-drawing")
    wait_for_text(browser, "#table-differences tbody", "link", "lost", fabric.names[fabric.lost], fabric.names[fabric.lost_peer])
    wait_for_text(browser, "#past-drawing", "1 link between switches that is not up now, without 0 links")
    wait_for_text(browser, "main", f"{len(links) + 1} links between switches")
    enter(browser, "[aria-label='Time of the drawing'] button:last-of-type")
    wait_for_text(browser, "#past-drawing", "0 links between switches", "without 0 links")
    wait_for_text(browser, "main", f"{len(links)} links between switches")
    tab_to(browser, "#time-to")
    browser.run("const e = document.activeElement; e.value = arguments[0]; e.dispatchEvent(new Event('input', {bubbles: true}))", "2020-01-01T00:00:00")
    wait_for_text(browser, "main", "The first time must be before the second")


def check_what_if(browser, fabric):
    """A link that is selected in the drawing by keys, then by the pointer, is simulated while the drawing stays open."""
    visit(browser, fabric.manager, "fabric", "#canvas[data-drawn]")
    enter(browser, "#simulates")
    tab_to(browser, "#canvas")
    browser.press("n", "c")
    wait_for_text(browser, "#drawing-focus", "At the link", fabric.names[0])
    browser.press(ENTER)
    wait_for_text(browser, "#simulated #loss", "pairs of hosts", "effective bisection")
    check("#/fabric" in browser.run("return location.hash"), "selecting a link opens another view")
    first = browser.text("#simulated a")
    tab_to(browser, "#canvas")
    browser.press("c", ENTER)
    browser.wait("return document.querySelector('#simulated a').textContent !== arguments[0]", first)
    wait_for_text(browser, "#simulated #loss", "pairs of hosts")
    # With the pointer: after `n` the next switch is in the middle of the drawing.
    browser.press("n")
    browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    browser.point("#canvas", 0, 0)
    browser.click("#canvas")
    wait_for_text(browser, "#simulated a", fabric.names[1])
    enter(browser, "#opens")
    tab_to(browser, "#canvas")
    browser.press("n", "c", ENTER)
    browser.wait("return location.hash.startsWith('#/cable/')")


def check_engines(browser, fabric):
    visit(browser, fabric.manager, "engines", "#engines")
    for engine in ("minhop", "updn"):
        enter(browser, f"[data-engine={engine}] button")
        wait_for_text(browser, f"[data-engine={engine}]", "verified", "%")
    browser.wait("return document.querySelectorAll('#engine-chart [data-bar]').length === 2")
    tab_to(browser, "#engine-chart select")
    browser.press(DOWN)
    wait_for_text(browser, "#engine-chart thead", "paths on the most loaded link")
    loads = [int(row[2].replace(",", "")) for row in browser.cells("#engine-chart table")]
    check(loads == sorted(loads), loads)


def check_path_and_events(browser, fabric):
    visit(browser, fabric.manager, "path", "#path-from")
    for box, host in (("#path-from", fabric.hosts[0]), ("#path-to", fabric.hosts[-1])):
        tab_to(browser, box)
        browser.press(*host["name"])
        browser.wait("const o = document.querySelector('main [aria-selected=true]'); return o && o.textContent.includes(arguments[0])", host["guid"])
        browser.press(ENTER)
    wait_for_text(browser, "#path", "service level")
    visit(browser, fabric.manager, "events", ".timeline .event")
    tab_to(browser, "[data-filter=cables]")
    browser.press(SPACE)
    browser.wait("return document.querySelector('[data-filter=cables]').getAttribute('aria-pressed') === 'true'")
    enter(browser, ".timeline a")
    browser.wait("return !location.hash.startsWith('#/events')")


def check_replication(browser, fabric):
    """The overview and the table of managers show the copies of standbys; the response of the API is replaced by a response with a standby."""
    visit(browser, fabric.manager, "", "#managers")
    check(browser.run("return document.getElementById('replication')") is None, "the page shows replication without peers")
    guid = fabric.get("/api/v1/fabric")["managers"][0]["guid"]
    answer = {"enabled": True, "role": "source", "copy": None, "dropped_count": 2,
              "standbys": [{"guid": guid, "address": "192.0.2.1", "confirmed": 3, "missing": 4, "in_step": False, "silence_ms": 2500}]}
    browser.run("""location.hash = '#/path';
        const ask = window.fetch; window.fetch = (path, options) => path === '/api/v1/replication' ? Promise.resolve(Response.json(JSON.parse(arguments[0]))) : ask(path, options)""", json.dumps(answer))
    browser.wait("return document.getElementById('path-from') !== null")
    browser.run("location.hash = '#/'")
    wait_for_text(browser, "#replication", guid, "lacks 4 changes, last request 2.50 s ago", "2 registrations dropped")
    browser.run("location.hash = '#/tables/managers'")
    wait_for_text(browser, "#table-managers tbody", guid, "no", "4")


def check_planes(browser, fabric):
    """An emulated fabric with two planes, in one of which a host has lost its link. Tests the overview, the tables, and the pages of the host and
    of its other link. axe-core checks each of these pages too."""
    with tempfile.TemporaryDirectory(prefix="weft-planes-") as name, Manager(
            pathlib.Path(name), "--http_token_file", token_file(pathlib.Path(name)), "-s", "0", emulate="fattree2:k=4,planes=2", http=True) as manager:
        host = [one for one in manager.http.json("/api/v1/aports")[1]["aports"] if one["type"] == "CA"][-1]  # the manager is on the first host
        cut = json.dumps({"node": host["device"], "port": 1})
        check(manager.http.json("/api/v1/emulation/cut", method="POST", headers=bearer(), body=cut)[0] == 200,
              "the emulation refuses to cut the link")
        wait_for("the lost link", lambda: manager.http.json("/api/v1/planes")[1]["devices"]["aports_incomplete"])
        aports = manager.http.json("/api/v1/aports")[1]["aports"]
        found = []

        def access(view):
            found.extend(f"{view}: {line}" for line in violations(browser))
            browser.theme("dark")
            found.extend(f"{view}, dark: {line}" for line in violations(browser, ["color-contrast"]))
            browser.theme("light")
            browser.narrow(390, 844)
            found.extend(wider_than_window(browser, view))
            browser.narrow(0, 0)
        visit(browser, manager, "", "#planes")
        wait_for_text(browser, "#planes", "Plane 1: verified, 7 of 8 hosts, 2 aggregated ports without a link", "Plane 2: verified, 8 of 8 hosts")
        access("overview")
        enter(browser, "#planes [href='#/tables/planes']")
        wait_for_text(browser, "#table-planes [role=status]", rows(2))
        check([row[:6] for row in browser.cells("#table-planes table")] == [["1", "! verified", "yes", "7", "1", "2"], ["2", "✓ verified", "yes", "8", "0", "0"]],
              browser.cells("#table-planes table"))
        access("planes")
        enter(browser, ".subviews [href='#/tables/aports']")
        wait_for_text(browser, "#table-aports [role=status]", rows(len(aports)))
        tab_to(browser, "[data-filter-of=without_link]")
        browser.press(*">0")
        wait_for_text(browser, "#table-aports [role=status]", f"2 of {len(aports)} rows")
        tab_to(browser, "[data-filter-of=type]")
        browser.press(*"host")
        wait_for_text(browser, "#table-aports [role=status]", f"1 of {len(aports)} rows")
        wait_for_text(browser, "#table-aports tbody", host["device"], "2, none in 1")
        access("aggregated ports")
        found += tab_order(browser, "aggregated ports")
        enter(browser, "#table-aports tbody a")
        wait_for_text(browser, "#plane-ports tbody", "no link", "active")
        access("host")
        found += tab_order(browser, "host")
        enter(browser, "#plane-ports tbody a[href*=cable]")
        wait_for_text(browser, "#plane-of-link", "2 of 2, aggregated port 1", "the aggregated port has no link in plane 1")
        access("link")
        browser.visit("about:blank")  # leaves the page before the manager ends
        check(not found, "\n".join(found))


def check_failed_requests(browser, fabric):
    """A response that cannot be shown ends only its view. After a failed request the view keeps the old data, with their time, and requests
    continue."""
    visit(browser, fabric.manager, "alarms", "#alarms")
    sweep = lambda: fabric.manager.http.json("/api/v1/sweep", method="POST", headers=bearer(), body="{\"kind\": \"heavy\"}")
    browser.run("""window.ask = window.fetch; window.failing = true;
        window.fetch = (path, options) => window.failing && String(path).startsWith('/api/v1/alarms') ? Promise.reject(new TypeError('gone')) : window.ask(path, options)""")
    sweep()  # publishes a change, after which views send their requests again
    wait_for_text(browser, ".stale", "Not updated since", "no response from the service")
    wait_for_text(browser, "#alarms", "link_downed")
    browser.run("window.failing = false")
    browser.wait("return document.querySelector('.stale') === null")
    browser.run("window.fetch = (path, options) => String(path).startsWith('/api/v1/engines') ? Promise.resolve(Response.json({})) : window.ask(path, options)")
    browser.run("location.hash = '#/engines'")
    wait_for_text(browser, "#view-error", "Error in this view")
    browser.press("1")
    wait_for_text(browser, "#fabric-verdict", "Subnet up")
    browser.run("window.fetch = (path, options) => path === '/api/v1/fabric' ? Promise.reject(new TypeError('gone')) : window.ask(path, options)")
    sweep()
    wait_for_text(browser, "#connection", "The state of the manager cannot be read", "Time of the state shown:")
    browser.run("window.fetch = window.ask")


def views_of(fabric):
    guid, hosts = fabric.guids[fabric.a], fabric.hosts
    return {"": "#fabric-verdict", "fabric": "#canvas[data-drawn]", f"path?from={hosts[0]['guid']}&to={hosts[-1]['guid']}": "#path table",
            "events": ".timeline .event", "engines": "#engines", "alarms": "#alarms tbody", "tables/nodes": "#table-nodes tbody",
            "differences": "#past-drawing", f"node/{guid}": "#traffic .chart", f"cable/{guid}/{fabric.port}": "#traffic .chart", "job/71": "#table-job-71 tbody", "partition/0x7fff": "#table-members tbody",
            f"cable/{fabric.guids[fabric.lost]}/{fabric.lost_port}": "#no-cable"}


def check_access(browser, fabric):
    """Checks all rules of axe-core in the light scheme, the contrast also in the dark scheme, that Tab reaches all controls, and the width of
    a phone."""
    found, papers = [], {}
    visit(browser, fabric.manager, "", "#fabric-verdict")
    for theme in ("dark", "light"):
        browser.theme(theme)
        papers[theme] = browser.run("return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
    check(max(papers["dark"]) < 64 and min(papers["light"]) > 192, papers)
    for view, selector in views_of(fabric).items():
        # Opens the view without loading the page and axe-core again.
        for hash, place in (("none", "main > p:only-child"), (view, selector)):
            browser.run("location.hash = '#/' + arguments[0]", hash)
            browser.wait("return document.querySelector(arguments[0]) !== null", place)
        found += tab_order(browser, view)
        found += [f"{view}: {line}" for line in violations(browser)]
        browser.theme("dark")
        found += [f"{view}, dark: {line}" for line in violations(browser, ["color-contrast"])]
        browser.theme("light")
        browser.narrow(390, 844)
        found += wider_than_window(browser, view)
        browser.narrow(0, 0)
    check(not found, "\n".join(found))
    visit(browser, fabric.manager, "", "#fabric-verdict")
    browser.press("?")
    browser.wait("return document.querySelector('dialog').open")
    check(not violations(browser), f"help: {violations(browser)}")


def keep(browser, fabric, to):
    """Stores pictures of the views in the light and dark schemes, and with the width of a phone."""
    to.mkdir(parents=True, exist_ok=True)
    def store_pictures(name):
        browser.run("document.activeElement.blur(); return new Promise(done => setTimeout(done, 300))")
        for theme in ("dark", "light"):
            browser.theme(theme)
            browser.run("return new Promise(done => setTimeout(done, 300))")
            browser.screenshot(to / f"page-{name}{'-dark' if theme == 'dark' else ''}.png")
    for name, view in (("alarms", "alarms"), ("tables", "tables/ports"), ("differences", f"differences?from={fabric.before_loss(browser)}"), ("job", "job/71"), ("overview", "")):
        visit(browser, fabric.manager, view, views_of(fabric).get(view, "main"))
        if name != "overview":
            store_pictures(name)
        browser.narrow(390, 844)
        if name in ("overview", "alarms"):
            browser.run("return new Promise(done => setTimeout(done, 300))")
            browser.screenshot(to / f"page-phone-{name}.png")
        browser.narrow(0, 0)
    visit(browser, fabric.manager, f"cable/{fabric.guids[fabric.a]}/{fabric.port}", "#traffic .chart canvas")
    enter(browser, "#traffic [data-seconds='600']")
    browser.run("document.getElementById('traffic').scrollIntoView({block: 'start'}); return new Promise(done => setTimeout(done, 500))")
    store_pictures("traffic")
    visit(browser, fabric.manager, "fabric", "#canvas[data-drawn]")
    enter(browser, "#simulates")
    tab_to(browser, "#canvas")
    browser.press("n", "c", ENTER)
    wait_for_text(browser, "#simulated #loss", "pairs of hosts")
    store_pictures("what-if")
    visit(browser, fabric.manager, "engines", "#engines")
    enter(browser, "#compare-all")
    browser.wait("return !document.getElementById('compare-all').disabled && document.querySelectorAll('#engine-chart [data-bar]').length > 5")
    browser.run("document.getElementById('engine-chart').scrollIntoView({block: 'start'})")
    store_pictures("engine-chart")


CHECKS = (check_alarms, check_tables, check_partition, check_traffic, check_job, check_differences, check_what_if, check_engines, check_path_and_events, check_access, check_replication, check_planes, check_failed_requests)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=pathlib.Path, help="only write pictures of the views to this folder")
    arguments = parser.parse_args()
    page_or_skip()
    with tempfile.TemporaryDirectory(prefix="weft-views-") as name, Browser(height=1000) as browser:
        folder = pathlib.Path(name)
        net, token, partitions = folder / "fabric.net", token_file(folder), folder / "partitions.conf"
        partitions.write_text("Default=0x7fff, ipoib: ALL=full;\n")
        interop.weft("convert", SPEC, net, "--to", "ibsim")
        with interop.Ibsim(net) as sim, Manager(folder, *performance_options(folder), "--history", folder / "history.sqlite", "--http_token_file", token, "-P", partitions,
                                            sim=sim, http=True) as manager:
            fabric = Fabric(sim, manager, folder / "history.sqlite")
            fabric.prepare()
            browser.theme("light")
            if arguments.keep:
                return keep(browser, fabric, arguments.keep)
            for test in CHECKS:
                begun = time.monotonic()
                test(browser, fabric)
                print(f"{test.__name__} {time.monotonic() - begun:.1f} s", flush=True)
                # The prompt for the token and the requests of check_failed_requests cause expected messages.
                problems = [line for line in browser.problems() if "401" not in line and test is not check_failed_requests]
                check(not problems, f"{test.__name__}: {problems}")
    print("every view can be operated by the keyboard, and axe-core finds no violation")


main()
