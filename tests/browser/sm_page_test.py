#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the page of `weft sm --http` in headless Chromium: the views overview, fabric, node, link, path, events and engines show the data of the
API, and link failures appear without a reload. Also tests wrong tokens, a restart of the service, node names with markup, and the keyboard.

sm_page_test.py [--keep docs/pictures]   WEFT is the program; the page is from the same build.
"""
import argparse
import contextlib
import json
import pathlib
import random
import sqlite3
import tempfile
import time

from webdriver import DOWN, ENTER, ESCAPE, RIGHT, Browser  # must be first: adds the folder of tests/interop to the path
from page import address, performance_options, drawn, page_or_skip, wait_for_text, visit
import weft_interop as interop
from http_client import TOKEN, bearer, token_file
from manager import Manager
from weft_interop import check

SPEC = "fattree2:k=8"
DAY = 24 * 3600 * 10**9

HOSTILE = ["<script>window.hacked=1</script>", "\"><img src=x onerror=window.hacked=1>", "</script><svg/onload=window.hacked=1>",
           "javascript:window.hacked=1", "{{7*7}}", "\u202e&lt;b&gt;&amp;", "caf\u00e9 \U0001f980", "a" * 64]


def check_overview(browser, manager):
    visit(browser, manager, "", "#fabric-verdict")
    glance = manager.http.json("/api/v1/fabric")[1]
    wait_for_text(browser, "#fabric-verdict", "Subnet up", f"{glance['fabric']['hosts']} hosts", f"{glance['fabric']['links']} links up")
    wait_for_text(browser, "#routes-verdict", "Routes verified", glance["routes"]["engine"])
    wait_for_text(browser, "#last-change", "Last change")
    wait_for_text(browser, ".pill", "master")
    shown = browser.run("return document.getElementById('emulated')?.textContent ?? ''")
    check(shown == ("emulated" if glance["emulated"] else ""), f"the page shows {shown!r}, emulated is {glance['emulated']}")
    wait_for_text(browser, "#full-sweep", f"Sweep {glance['full_sweep']['number']}, reason: {glance['full_sweep']['reason'] or 'start'}.")
    browser.wait("return document.querySelectorAll('#changes .event').length > 3")


def colours(browser):
    return browser.run("""const canvas = document.getElementById('canvas'), seen = new Set(), copy = document.createElement('canvas');
        copy.width = canvas.width, copy.height = canvas.height;
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
        for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
        return seen.size""")


def check_fabric(browser, manager):
    drawing = manager.http.json("/api/v1/drawing")[1]
    visit(browser, manager, "fabric", "#canvas")
    for mode in ("load", "state", "errors", "speed"):
        browser.click(f"[data-mode={mode}]")
        drawn(browser, f"{drawing['sweep']} {mode}")
        interop.wait_for(lambda: f"more than 5 colours for {mode}: {colours(browser)}", lambda: colours(browser) > 5)
    wait_for_text(browser, "main", drawing["layout"]["about"], "routed by")
    browser.click("[data-mode=load]")
    # Keyboard: focus the first switch, zoom in, open the next switch.
    browser.run("document.getElementById('canvas').focus()")
    browser.press("n")
    browser.wait("return document.getElementById('canvas').getAttribute('aria-label').includes(arguments[0])", drawing["switches"]["name"][0])
    before = browser.run("return document.getElementById('canvas').toDataURL()")
    browser.press("+", RIGHT)
    browser.wait("return document.getElementById('canvas').toDataURL() !== arguments[0]", before)
    browser.press("n", ENTER)
    browser.wait("return location.hash === '#/node/' + arguments[0]", drawing["switches"]["guid"][1])
    # Pointer: the switch in the middle shows its name and opens on a click.
    visit(browser, manager, "fabric", "#canvas")
    drawn(browser, f"{drawing['sweep']} load")
    browser.run("document.getElementById('canvas').focus()")
    browser.press("n")
    browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    browser.point("#canvas", 0, 0)
    wait_for_text(browser, "#tip", drawing["switches"]["name"][0], drawing["switches"]["guid"][0])
    browser.click("#canvas")
    browser.wait("return location.hash === '#/node/' + arguments[0]", drawing["switches"]["guid"][0])


def check_search(browser, manager):
    nodes = manager.http.json("/api/v1/nodes")[1]["nodes"]
    visit(browser, manager, "", "#fabric-verdict")
    for node, by in ((nodes[-1], "name"), (nodes[0], "guid"), (nodes[3], "lid")):
        wanted = str(node["lids"][0]) if by == "lid" else node[by]
        browser.run("document.activeElement.blur()")
        browser.press("/")
        browser.type("#search", wanted)
        browser.wait("const o = document.querySelector('header [aria-selected=true]'); return o && o.textContent.includes(arguments[0])", node["guid"])
        browser.press(ENTER)
        browser.wait("return location.hash === '#/node/' + arguments[0]", node["guid"])
        wait_for_text(browser, "h1", node["name"])
    browser.run("document.activeElement.blur()")
    browser.press("/")
    browser.type("#search", "unused name")
    wait_for_text(browser, "header [role=listbox]", "nothing found")
    browser.press(ESCAPE)


def check_node(browser, manager):
    drawing = manager.http.json("/api/v1/drawing")[1]
    guid = drawing["switches"]["guid"][-1]
    node = manager.http.json(f"/api/v1/node/{guid}")[1]
    visit(browser, manager, f"node/{guid}", "#ports table")
    browser.wait("return document.querySelector('#ports tbody').rows.length === arguments[0]", len(node["port_list"]))
    browser.wait("return [...document.querySelector('#ports tbody').rows].some(row => row.cells[4].textContent.includes('out'))")
    rows = browser.cells("#ports table")
    for row, port in zip(rows, node["port_list"]):
        check(row[0] == str(port["port"]) and port["state"] in row[1], f"{row} {port}")
        check((port["peer"]["name"] in row[2]) if port["peer"] else row[2] == "none", f"{row} {port}")
    wait_for_text(browser, "main", node["guid"], str(node["lids"][0]))
    browser.click("#what-if button")
    wait_for_text(browser, "#loss", "pairs of hosts")
    host = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"][0]
    visit(browser, manager, f"node/{host['guid']}", "#ports table")
    wait_for_text(browser, "h1", host["name"], "host")
    visit(browser, manager, "node/0x77", "main .bad-text")


def check_cable(browser, manager):
    drawing = manager.http.json("/api/v1/drawing")[1]
    cables, switches = drawing["cables"], drawing["switches"]
    i = len(cables["a"]) // 2
    a, b = cables["a"][i], cables["b"][i]
    visit(browser, manager, f"cable/{switches['guid'][a]}/{cables['a_port'][i]}", "#carries")
    wait_for_text(browser, "h1", switches["name"][a], f"port {cables['a_port'][i]}", switches["name"][b], f"port {cables['b_port'][i]}")
    wait_for_text(browser, "#carries", f"{cables['there'][i]:,} paths", f"{cables['back'][i]:,} paths")
    browser.click("#what-if button")
    wait_for_text(browser, "#loss", f"{cables['there'][i] + cables['back'][i]:,} pairs of hosts", "no pairs lost")
    drawn(browser, f"{drawing['sweep']} load")


def check_path(browser, manager):
    hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
    first, last = hosts[0], hosts[-1]
    visit(browser, manager, "path", "#path-from")
    for box, node in (("#path-from", first), ("#path-to", last)):
        browser.type(box, node["name"])
        browser.wait("const o = document.querySelector('main [aria-selected=true]'); return o && o.textContent.includes(arguments[0])", node["guid"])
        browser.press(ENTER)
    browser.wait("return document.querySelector('#path tbody') !== null")
    path = manager.http.json(f"/api/v1/routes/path?from={first['guid']}&to={last['guid']}")[1]
    wait_for_text(browser, "#path", f"service level {path['sl']}", f"{path['hop_count']} hops, over {len(path['hops'])} links")
    rows = browser.cells("#path table")
    check(len(rows) == len(path["hops"]), f"{rows} {path}")
    for row, hop in zip(rows, path["hops"]):
        check(row[1] == f"{hop['from']['name']} port {hop['from']['port']}" and row[2] == f"{hop['to']['name']} port {hop['to']['port']}", f"{row} {hop}")
        check(row[3:5] == [str(path["sl"]), str(hop["vl"])], f"{row} {hop}")
    visit(browser, manager, f"path?from={first['guid']}&to=unknown", "#no-path")


def check_events(browser, manager):
    visit(browser, manager, "events", ".timeline .sweep")
    wait_for_text(browser, ".timeline", "links up", "Sweep ended")
    browser.click(".timeline details summary")
    browser.wait("return document.querySelectorAll('.timeline details[open] .event').length > 12")
    browser.click("[data-filter=nodes]")
    browser.wait("return [...document.querySelectorAll('.timeline strong')].every(e => /^(Node|[0-9,]+ nodes) /.test(e.textContent))")
    browser.click("[data-filter=all]")
    wait_for_text(browser, "#history[data-history=none]", "keeps no history", "--history FILE")
    check(browser.run("return document.querySelectorAll('[data-span]').length") == 0, "the page has periods to select without a history")
    browser.type("main input[type=search]", "no such name")
    wait_for_text(browser, "main", "No matching events")


def strip(browser):
    """({row of the timeline: number of events}, number of columns with events)"""
    names = browser.run("return [...document.querySelectorAll('.strip-names div')].map(e => e.textContent)")
    return {name.rsplit(" ", 1)[0]: int(name.rsplit(" ", 1)[1].replace(",", "")) for name in names}, browser.run(
        "return document.querySelectorAll('.column:not(:disabled)').length")


def stamp(ns):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9 // 1000:06}Z"


def write_sweeps(past, sweeps):
    """Adds sweeps to a history file, in the format of the manager. `sweeps`: (age in ns, number, events) of each sweep."""
    with contextlib.closing(sqlite3.connect(past)) as database, database:
        for ago, number, found in sweeps:
            failed = [what for kind, what in found if kind == "error"]
            end = {"up": not failed, **({"error": failed[0]["text"]} if failed else {})}
            for i, (kind, what) in enumerate([("sweep_begun", {"reason": "a trap"}), *found, ("sweep_ended", end)]):
                at = time.time_ns() - ago + i * 10**7
                line = {"time": stamp(at), "event": kind, "sweep": number, **what}
                database.execute("INSERT INTO event (time, kind, node, peer, line) VALUES (?, ?, 0, 0, ?)", (at, kind, json.dumps(line)))


def wait_for_history(manager):
    """Waits for the first sweep of this run in the history."""
    interop.wait_for("the history", lambda: any(
        e["event"] == "sweep_ended" for e in manager.http.json("/api/v1/history/events?since=1h")[1].get("events", [])))


def check_history(browser, folder):
    """A link loss three days ago, in the history of an earlier run, appears in a longer period and in its column."""
    past = folder / "history.sqlite"
    with Manager(folder, "-s", "0", "--history", past, emulate=SPEC, http=True) as manager:
        wait_for_history(manager)
    with contextlib.closing(sqlite3.connect(past)) as database, database:
        database.execute("UPDATE event SET time = time - ?, line = replace(line, substr(line, 1, 37), ?)",
                         (5 * DAY, '{"time":"' + stamp(time.time_ns() - 5 * DAY) + '"'))
    cable = {"node": "0x0010000000000001", "name": "leaf-old", "port": 3, "peer": "0x0010000000000005", "peer_name": "spine-old", "peer_port": 1, "link": "4xEDR"}
    write_sweeps(past, [(3 * DAY, 7, [("link_gone", cable)])])
    with Manager(folder, "-s", "0", "--history", past, emulate=SPEC, http=True) as manager:
        wait_for_history(manager)
        visit(browser, manager, "events", ".strip")
        wait_for_text(browser, "#history[data-history=kept]", "events; the first")
        def shows(lost, sweeps, columns):
            rows, used = strip(browser)
            return rows["lost, failed"] == lost and rows["up, new"] > 100 and rows["sweeps"] == sweeps and used == columns
        interop.wait_for(lambda: f"the last day in one column: {strip(browser)}", lambda: shows(0, 1, 1))
        check("leaf-old" not in browser.text(".timeline"), "an event of three days ago appears in the last day")
        browser.click("[data-span='604800000']")
        wait_for_text(browser, ".timeline", "leaf-old", "Link lost")
        interop.wait_for(lambda: f"a week in three columns: {strip(browser)}", lambda: shows(1, 3, 3))
        browser.wait("return [...document.querySelectorAll('.timeline h2')].map(e => e.textContent.split(' ')[1]).join() === '1,7,1'")
        # Keyboard: select the column, and return to the period.
        browser.run("document.querySelector('.cell i.bad:not([style*=\"height: 0\"])').closest('button').focus()")
        browser.press(ENTER)
        browser.wait("return document.querySelectorAll('.timeline .sweep').length === 1")
        wait_for_text(browser, ".timeline", "leaf-old", "Sweep 7")
        wait_for_text(browser, "#history", "3 events; the first")
        browser.click("#whole")
        browser.wait("return document.querySelectorAll('.timeline .sweep').length === 3")
        # The last hour, after the clock has advanced: no events, and a button for the longer period.
        browser.run("const real = Date.now.bind(Date); Date.now = () => real() + 3 * 3600e3")
        browser.click("[data-span='3600000']")
        wait_for_text(browser, ".empty", "No events in this period")
        browser.click("#history button")
        wait_for_text(browser, ".timeline", "leaf-old", "Sweep ended")


def check_engines(browser, manager):
    visit(browser, manager, "engines", "#engines")
    answer = manager.http.json("/api/v1/engines")[1]
    check(len(browser.cells("#engines")) == len(answer["engines"]) > 8, "the table does not have one row per engine")
    browser.click("[data-engine=dfsssp] button")
    wait_for_text(browser, "[data-engine=dfsssp]", "verified", "%")
    browser.click("[data-engine=torus-2QoS] button")
    wait_for_text(browser, "[data-engine=torus-2QoS]", "cannot route this fabric")
    wait_for_text(browser, f"[data-engine={answer['in_force']}]", "active")


def check_keys(browser, manager):
    visit(browser, manager, "", "#fabric-verdict")
    for key, view in (("2", "fabric"), ("3", "path"), ("4", "events"), ("5", "engines"), ("6", "alarms"), ("7", "tables"), ("8", "differences"), ("1", "")):
        browser.run("document.activeElement.blur()")
        browser.press(key)
        browser.wait("return location.hash === '#/' + arguments[0] && document.querySelector('nav [aria-current]').hash === location.hash", view)
    browser.press("6")
    wait_for_text(browser, "#no-alarms", "start the manager with --perfmgr")
    browser.press("1")
    wait_for_text(browser, "#fabric-verdict", "Subnet up")
    browser.press("?")
    browser.wait("return document.querySelector('dialog').open")
    browser.press(ESCAPE)
    browser.wait("return !document.querySelector('dialog').open")
    browser.run("document.querySelector('#changes [data-stop]').focus()")
    first = browser.run("return document.activeElement.outerHTML")
    browser.press(DOWN)
    check(browser.run("return document.activeElement.matches('#changes a, #changes [data-stop]') && document.activeElement.outerHTML") not in (False, first), "the down key does not move the focus")
    unnamed = browser.run("return [...document.querySelectorAll('button, a, input, canvas')].filter(e => !(e.textContent.trim() || e.getAttribute('aria-label'))).length")
    check(unnamed == 0, f"{unnamed} controls without a name")


def check_live(browser, folder):
    """A link of the fabric in ibsim is cut and restored: an open page shows both without a reload."""
    net = folder / "fabric.net"
    interop.weft("convert", SPEC, net, "--to", "ibsim")
    with interop.Ibsim(net) as sim, Manager(folder, *performance_options(folder), "--history", folder / "live.sqlite", sim=sim, http=True) as manager:
        visit(browser, manager, "", "#fabric-verdict")
        wait_for_text(browser, "#fabric-verdict", "64 links up")
        browser.run("window.sameDocument = true")
        sim.console('unlink "S-0010000000000005"[1]')
        wait_for_text(browser, "#fabric-verdict", "63 links up", "Subnet up")
        browser.wait("return /just now|[0-9]+ (s|min) ago/.test(document.getElementById('last-change').textContent)")
        wait_for_text(browser, "#changes", "Link lost")
        browser.run("location.hash = '#/cable/0x0010000000000005/1'")
        wait_for_text(browser, "#no-cable", "No link at this port")
        sim.console('link "S-0010000000000005"[1] "S-0010000000000001"[5]')
        browser.run("location.hash = '#/events'")
        wait_for_text(browser, ".timeline", "Link up", "Link lost")
        wait_for_text(browser, "#history[data-history=kept]", "events; the first")
        interop.stays("the event appears once, not from the history and from the stream",
                      lambda: browser.run("return document.querySelectorAll('.timeline [data-event=link_gone]').length") == 1, 1)
        check(browser.run("return window.sameDocument"), "the page was reloaded")
        visit(browser, manager, "fabric", "#canvas[data-drawn]")
        browser.click("[data-mode=errors]")
        browser.wait("return !document.querySelector('main').textContent.includes('No counters')")


def check_token(browser, folder, token):
    with Manager(folder, "--http-token-file", token, emulate=SPEC, http="0.0.0.0:0") as manager:
        visit(browser, manager, "", "#token")
        browser.type("#token", "wrong" + ENTER)
        wait_for_text(browser, "#wrong-token", "Authentication failed")
        check(browser.run("return document.getElementById('fabric-verdict')") is None, "the page shows data without a token")
        browser.type("#token", TOKEN + ENTER)
        wait_for_text(browser, "#fabric-verdict", "Subnet up")
        browser.visit(address(manager, "events"))
        wait_for_text(browser, ".timeline", "Sweep ended")
        check(TOKEN not in browser.run("return document.documentElement.outerHTML + location.href"), "the page contains the token")
        browser.run("sessionStorage.clear()")
        problems = browser.problems()
        check(all("401" in line or f":{manager.http.port}/" not in line for line in problems), problems)


def check_emulation(browser, folder, token):
    """Buttons cut and restore a link of the emulated fabric; the page prompts for the token once."""
    with Manager(folder, "--http_token_file", token, "-s", "0", emulate=SPEC, http=True) as manager:
        drawing = manager.http.json("/api/v1/drawing")[1]
        cables, switches = drawing["cables"], drawing["switches"]
        a, b = cables["a"][0], cables["b"][0]
        guid, port = switches["guid"][a], cables["a_port"][0]
        links = manager.http.json("/api/v1/fabric")[1]["fabric"]["links"]
        cut = lambda: manager.http.json("/api/v1/emulation/cut")[1]["cables"]
        visit(browser, manager, f"cable/{guid}/{port}", "#cut-cable [data-action=cut] button")
        check(browser.run("return document.querySelector('#cut-cable .unlock')") is None,
              "the page prompts for the token before a change is requested")
        browser.click("#cut-cable [data-action=cut] button")
        browser.wait("return document.querySelector('#cut-cable .unlock input') !== null")
        check(not cut(), "the link was cut without the token")
        browser.type("#cut-cable .unlock input", "wrong" + ENTER)
        wait_for_text(browser, "#cut-cable", "Authentication failed")
        browser.type("#cut-cable .unlock input", TOKEN + ENTER)
        wait_for_text(browser, "#no-cable", "No link at this port")
        wait_for_text(browser, "#cut-cable", f"The link to {switches['name'][b]} port {cables['b_port'][0]} is cut")
        check(len(cut()) == 1 and manager.http.json("/api/v1/fabric")[1]["fabric"]["links"] == links - 1, f"not one link is cut: {cut()}")
        visit(browser, manager, "", "#fabric-verdict")
        wait_for_text(browser, "#fabric-verdict", f"{links - 1} links up")
        wait_for_text(browser, "#cut-cables", switches["name"][a], switches["name"][b])
        visit(browser, manager, f"node/{guid}", "#cut-cables")
        wait_for_text(browser, "#ports table", f"cut link to {switches['name'][b]} port {cables['b_port'][0]}")
        rows = browser.cells("#ports table")
        check(any(row[0] == str(port) and row[2] == f"cut link to {switches['name'][b]} port {cables['b_port'][0]}" for row in rows), rows)
        browser.click("#cut-cables [data-action=mend] button")
        browser.wait("return document.querySelector('#cut-cables') === null")
        check(not cut(), "the link was not restored")
        visit(browser, manager, f"cable/{guid}/{port}", "#cut-cable [data-action=cut] button")
        browser.run("sessionStorage.clear()")
        browser.problems()  # removes the message about the wrong token (401)


def check_restart(browser, folder):
    port = interop.free_port()
    with Manager(folder, "-s", "0", emulate=SPEC, http=f"127.0.0.1:{port}") as manager:
        visit(browser, manager, "", "#fabric-verdict")
        browser.wait("return document.getElementById('connection').dataset.connection === 'live'")
        manager.process.terminate()
        wait_for_text(browser, "#connection", "No response since", "data shown is outdated")
        wait_for_text(browser, ".pill", "not connected")
        wait_for_text(browser, "#fabric-verdict", "Subnet up")  # the last known state
        manager.process.wait(interop.PATIENCE)
    with Manager(folder, "-s", "0", "-R", "ar_updn", "--emulate-adaptive", "mixed", emulate=SPEC, http=f"127.0.0.1:{port}") as manager:
        wait_for_text(browser, "#connection", "Reconnected after", "restarted")
        wait_for_text(browser, "#fabric-verdict", "Subnet up")
        wait_for_text(browser, ".pill", "master")
        adaptive = manager.http.json("/api/v1/fabric")[1]["routes"]["adaptive"]["switches"]
        check(0 < adaptive < 12, f"{adaptive} of 12 switches use adaptive routing")
        wait_for_text(browser, "#routing", "ar_updn", f"{adaptive} of 12 switches use adaptive routing")
    browser.problems()  # removes messages about requests without a response


def check_hostile(browser, folder):
    """The views overview, events, fabric, node, link and path show node names with markup as text."""
    text = ""
    for s in range(2):
        text += f'\nswitchguid=0x200{s}\nSwitch\t8 "S-000000000000200{s}"\t\t# "{HOSTILE[s]}" base port 0 lid {s + 1} lmc 0\n'
        text += "".join(f'[{i + 1}]\t"H-00000000000010{3 * s + i:02d}"[1]\n' for i in range(3)) + f'[4]\t"S-000000000000200{1 - s}"[4]\n'
    for i in range(6):
        text += f'\ncaguid=0x10{i:02d}\nCa\t1 "H-00000000000010{i:02d}"\t\t# "{HOSTILE[i + 2]}"\n[1]\t"S-000000000000200{i // 3}"[{i % 3 + 1}]\n'
    (folder / "hostile.txt").write_text(text)
    with Manager(folder, "-s", "0", emulate=folder / "hostile.txt", http=True) as manager:
        names = [node["name"] for node in manager.http.json("/api/v1/nodes")[1]["nodes"]]
        check(len(names) == 8 and any("<script>" in name for name in names), names)
        hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
        for view, selector in (("", "#changes"), ("events", ".timeline"), ("fabric", "#canvas[data-drawn]"), ("node/0x0000000000002000", "#ports"),
                               ("cable/0x0000000000002000/4", "#carries"), (f"path?from={hosts[0]['guid']}&to={hosts[-1]['guid']}", "#path"),
                               ("node/%22%3E%3Cimg%20src=x%20onerror=window.hacked=1%3E", ".bad-text")):
            visit(browser, manager, view, selector)
            check(browser.run("return window.hacked === undefined"), f"view {view!r}: markup of a node name ran as a script")
            check(browser.run("return document.querySelectorAll('main script, main img, main svg, main b').length") == 0,
                  f"view {view!r}: markup of a node name became elements")
        visit(browser, manager, "node/0x0000000000002000", "#ports")
        check(any(name in browser.text("#ports") for name in HOSTILE[2:5]), browser.text("#ports"))
        check(browser.run("try { const s = document.createElement('script'); s.textContent = 'window.hacked=1'; document.body.append(s); } catch (e) {} return window.hacked === undefined"), "the Content-Security-Policy allows inline scripts")
        problems = [line for line in browser.problems() if "Failed to load" not in line and "Content Security Policy" not in line]
        check(not problems, problems)


def keep_events(browser, folder, to):
    """Stores pictures of a month of events: reboots of hosts, a link that fails increasingly often, a day with failed sweeps."""
    past, spec = folder / "month.sqlite", "fattree3:k=8"
    with Manager(folder, "-s", "0", emulate=spec, http=True) as manager:
        drawing = manager.http.json("/api/v1/drawing")[1]
        hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
        visit(browser, manager, "events", ".strip")
        wait_for_text(browser, "#history[data-history=none]", "keeps no history")
        browser.screenshot(to / "page-events-live.png")
    with Manager(folder, "-s", "0", "--history", past, emulate=spec, http=True) as manager:
        wait_for_history(manager)
    with contextlib.closing(sqlite3.connect(past)) as database, database:
        database.execute("DELETE FROM event")
    cables, switches, draw = drawing["cables"], drawing["switches"], random.Random(5)
    def cable(i):
        a, b = cables["a"][i], cables["b"][i]
        return {"node": switches["guid"][a], "name": switches["name"][a], "port": cables["a_port"][i],
                "peer": switches["guid"][b], "peer_name": switches["name"][b], "peer_port": cables["b_port"][i], "link": "4xHDR"}
    happened = []
    for _ in range(24):
        host, ago = draw.choice(hosts), draw.randint(DAY, 29 * DAY)
        happened += [(ago, [("node_gone", {"node": host["guid"], "name": host["name"]})]),
                     (ago - DAY // 200, [("node_appeared", {"node": host["guid"], "name": host["name"]})])]
    for i in range(30):
        ago = int(11 * DAY * (1 - (i / 30)**0.5)) + DAY // 20
        happened += [(ago, [("link_gone", cable(17)), ("routes_changed", {"engine": "updn", "blocks": 22})]),
                     (ago - DAY // 300, [("link_appeared", cable(17)), ("routes_changed", {"engine": "updn", "blocks": 22})])]
    end = cable(40)
    warning = f"the node behind '{end['name']}' ({end['node']}) port {end['port']} does not answer: left out"
    happened += [(20 * DAY + i * DAY // 8, [("warning", {"text": warning})]) for i in range(4)]
    happened += [(16 * DAY - i * DAY // 24, [("error", {"text": f"{3 - i} switches did not answer"})]) for i in range(3)]
    happened.sort(key=lambda one: -one[0])
    write_sweeps(past, [(ago, 100 + i, found) for i, (ago, found) in enumerate(happened)])
    with Manager(folder, "-s", "0", "--history", past, emulate=spec, http=True) as manager:
        wait_for_history(manager)
        visit(browser, manager, "events", ".strip")
        browser.click(f"[data-span='{30 * 24 * 3600 * 1000}']")
        wait_for_text(browser, ".timeline", "Link lost")
        browser.screenshot(to / "page-events.png")


def keep_managers(browser, folder, to):
    """Stores a picture of a standby manager and of a partition that was created at run time."""
    net, token, partitions = folder / "managers.net", token_file(folder), folder / "partitions.conf"
    partitions.write_text("Default=0x7fff, ipoib: ALL=full;\n")
    interop.weft("convert", "fattree2:k=8", net, "--to", "ibsim")
    with interop.Ibsim(net) as sim, Manager(folder, "-p", "10", "-P", partitions, "--http_token_file", token, sim=sim, http=True) as manager:
        hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
        with Manager(folder / "other", "-p", "5", sim=sim, host=f"H-{hosts[9]['guid'][2:]}", up=False):
            members = [manager.http.json(f"/api/v1/node/{host['guid']}")[1]["port_list"][0]["guid"] for host in hosts[:3]]
            status, answer = manager.http.json("/api/v1/partitions", method="POST", headers=bearer(), body=json.dumps(
                {"pkey": "0x8010", "name": "blue", "ipoib": True, "members": members}))
            check(status == 201, answer)
            visit(browser, manager, "", "#fabric-verdict")
            wait_for_text(browser, "#managers", "STANDBY", hosts[9]["name"])
            wait_for_text(browser, "#changes", "Partition changed", "blue", "Other SM found")
            browser.screenshot(to / "page-managers.png")


def keep(browser, folder, to):
    """Stores the pictures of the overview, fabric, path, link, node, engines and events: a tree of 128 hosts, after the loss of a link."""
    to.mkdir(parents=True, exist_ok=True)
    keep_events(browser, folder, to)
    keep_managers(browser, folder, to)
    net = folder / "pictures.net"
    interop.weft("convert", "fattree3:k=8", net, "--to", "ibsim")
    with interop.Ibsim(net) as sim, Manager(folder, *performance_options(folder), "-R", "updn", sim=sim, http=True) as manager:
        drawing = manager.http.json("/api/v1/drawing")[1]
        cables, switches = drawing["cables"], drawing["switches"]
        number = int(switches["guid"][cables["a"][0]], 16)
        sim.console(f'unlink "S-{number:016x}"[{cables["a_port"][0]}]')
        visit(browser, manager, "", "#fabric-verdict")
        wait_for_text(browser, "#changes", "Link lost")
        browser.screenshot(to / "page-overview.png")
        visit(browser, manager, "fabric", "#canvas[data-drawn]")
        browser.point("#canvas", 300, 20)
        browser.screenshot(to / "page-fabric.png")
        browser.theme("dark")
        browser.click("[data-mode=speed]")
        browser.click("[data-mode=state]")
        browser.screenshot(to / "page-dark.png")
        browser.theme("light")
        hosts = manager.http.json("/api/v1/nodes?type=CA")[1]["nodes"]
        visit(browser, manager, f"path?from={hosts[3]['guid']}&to={hosts[-20]['guid']}", "#path table")
        browser.wait("return document.querySelector('#canvas[data-drawn]') !== null")
        browser.run("return new Promise(done => setTimeout(done, 500))")
        browser.screenshot(to / "page-path.png")
        visit(browser, manager, f"cable/{switches['guid'][cables['a'][40]]}/{cables['a_port'][40]}", "#carries")
        browser.click("#what-if button")
        wait_for_text(browser, "#loss", "pairs of hosts")
        browser.screenshot(to / "page-cable.png")
        visit(browser, manager, f"node/{switches['guid'][2]}", "#ports table")
        browser.screenshot(to / "page-node.png")
        visit(browser, manager, "engines", "#engines")
        browser.click("#compare-all")
        browser.wait("return document.querySelectorAll('#engines .small').length === 0 && !document.getElementById('compare-all').disabled")
        browser.screenshot(to / "page-engines.png")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=pathlib.Path, help="only write pictures of the page to this folder")
    arguments = parser.parse_args()
    page_or_skip()
    with tempfile.TemporaryDirectory(prefix="weft-page-") as name, Browser(height=1000) as browser:
        folder = pathlib.Path(name)
        token = token_file(folder)
        browser.theme("light")
        if arguments.keep:
            keep(browser, folder, arguments.keep)
            return
        with Manager(folder, "-s", "0", emulate=SPEC, http=True) as manager:
            for test in (check_overview, check_fabric, check_search, check_node, check_cable, check_path, check_events, check_engines, check_keys):
                test(browser, manager)
                print(test.__name__, flush=True)
            problems = [line for line in browser.problems() if "404" not in line]
            check(not problems, problems)
            foreign = [url for url in browser.requests() if not url.startswith((f"http://127.0.0.1:{manager.http.port}/", "about:", "data:"))]
            check(not foreign, f"requests to other servers: {foreign}")
        for test in (check_restart, check_hostile, check_live, check_history):
            test(browser, folder)
            print(test.__name__, flush=True)
        check_emulation(browser, folder, token)
        check_token(browser, folder, token)
    print("overview, fabric, node, link, path, events and engines show the data of the API")


main()
