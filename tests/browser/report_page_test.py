#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that the page of weft report in headless Chromium shows the data of its JSON and of the dumps of `weft route`.

report_page_test.py FABRIC [--shape TEXT] [--engines NAMES] [--failures] [--keep DIR]   WEFT is the program.
"""
import argparse
import json
import os
import pathlib
import re
import tempfile

from webdriver import Browser  # must be first: adds the folder of tests/interop to the path
import weft_interop as interop


def weft(*words):
    return interop.weft(*words, timeout=interop.PATIENCE).stdout


class Dumps:
    """The files of `weft route`, read independently of Weft. Of the large files only the entries on the paths are parsed."""

    def __init__(self, folder):
        tables = (folder / "opensm.fdbs").read_text().split("dump_ucast_routes: Switch ")[1:]
        self.table = {table[:table.index("\n")].split()[0].rstrip(","): table for table in tables}  # by switch GUID
        self.far = {}  # (node GUID, port): (node GUID, port) at the other end
        end = re.compile(r"NodeGUID:(\w+) PortGUID:(\w+).*?LID:(\w+) PN:(\w+) \}")
        for line in (folder / "opensm-subnet.lst").read_text().splitlines():
            (a, a_guid, _, a_port), (b, b_guid, _, b_port) = end.findall(line)
            self.far["0x" + a, int(a_port, 16)] = ("0x" + b, int(b_port, 16), "0x" + b_guid)
            self.far["0x" + b, int(b_port, 16)] = ("0x" + a, int(a_port, 16), "0x" + a_guid)
        self.sl = {}  # (source node GUID, LID): SL
        if (folder / "weft.psl").exists():
            for line in (folder / "weft.psl").read_text().splitlines():
                guid, lid, sl = line.split()
                self.sl[guid, int(lid)] = int(sl)
        self.slvl = "\n" + (folder / "weft.slvl").read_text()

    def port(self, guid, lid):
        """The egress port of a switch to a LID; None if the node is no switch or has no entry."""
        entry = re.search(rf"^0x{lid:04X} : (\d+) ", self.table.get(guid, ""), re.M)
        return int(entry.group(1)) if entry else None

    def vls(self, guid, entry, out):
        """VLs by SL."""
        start = self.slvl.index(f"\n{guid} {entry} {out} ") + 1
        pairs = self.slvl[start:self.slvl.index("\n", start)].split()[3:]
        return [int(vl, 16) for pair in pairs for vl in pair[2:]]

    def path(self, host_node, port, lid):
        """Returns ([(switch GUID, in port, out port, VL) of each hop], SL)."""
        sl = self.sl.get((host_node, lid), 0)
        at, entry, _ = self.far[host_node, port]
        hops = []
        while (out := self.port(at, lid)) is not None:
            hops.append((at, entry, out, self.vls(at, entry, out)[sl]))
            at, entry, _ = self.far[at, out]
            assert len(hops) < 100, "the path has a forwarding loop"
        return hops, sl


def check_side_by_side(browser, data):
    rows = browser.cells("#runs")
    assert len(rows) == len(data["runs"])
    for row, run in zip(rows, data["runs"]):
        assert row[0] == run["name"], row
        if not run["served"]:
            assert run["reason"] in row[1], row
            continue
        assert row[1].startswith("✗ no" if run["verify"]["credit_loops"] else "✓ yes"), row
        assert row[2].startswith("✓" if run["verify"]["unreachable"] == 0 else "✗"), row
        quality = run["quality"]
        wanted = [str(run["vls"]), f"{quality['ebb']:.3f}", f"{quality['alltoall']:.3f}",
                  f"{run['traffic'][0]['bandwidth']['mean']:.3f}", f"{quality['link_load_max']:,}"]
        assert row[3:8] == wanted, (row, wanted)
        assert row[10] == str(quality["hops_max"]), row


def check_glance(browser, run):
    text = browser.text("#cards")
    assert run["name"] in text and f"{100 * run['quality']['ebb']:.1f}%" in text, text
    assert f"{100 * run['quality']['alltoall']:.1f}% if all send to all" in text, text
    verdict = browser.text("#verdict")
    assert ("sound" in verdict) == run["verify"]["ok"], verdict
    assert ("can deadlock" in verdict) == bool(run["verify"]["credit_loops"]), verdict


def choose_host(browser, end, data, host, by):
    """Selects the source or destination of the path by its name or its LID."""
    browser.click(f"#{end}-input")
    browser.type(f"#{end}-input", str(data["hosts"]["lid"][host]) if by == "lid" else data["hosts"]["name"][host])
    rows = browser.wait("return [...document.querySelectorAll('#' + arguments[0] + ' li')].map(li => Number(li.dataset.item))", end)
    assert host in rows, (rows, host)
    browser.click(f"#{end} li[data-item=\"{host}\"]")


def check_path(browser, data, number, dumps, source, target, by):
    choose_host(browser, "from", data, source, by)
    choose_host(browser, "to", data, target, by)
    run, hosts, switches = data["runs"][number], data["hosts"], data["switches"]
    lid = hosts["lid"][target]
    browser.wait("const rows = document.querySelector('#path').tBodies[0].rows;"
                 "return !document.querySelector('#path').hidden && rows[0].textContent.includes(`LID ${arguments[0]}`)"
                 " && rows[rows.length - 1].textContent.includes(`LID ${arguments[1]}`)", hosts["lid"][source], lid)
    rows = browser.cells("#path")
    # The node of the host's port is the peer of its link.
    leaf = switches["guid"][hosts["sw"][source]]
    node, port, guid = dumps.far[leaf, hosts["port"][source]]
    assert guid == hosts["guid"][source]
    hops, sl = dumps.path(node, port, lid)
    assert len(rows) == len(hops) + 2, (rows, hops)
    assert rows[0][1].startswith(hosts["name"][source]) and rows[-1][1].startswith(hosts["name"][target])
    channel_of = {}
    for i, (a, b) in enumerate(zip(data["cables"]["a"], data["cables"]["b"])):
        channel_of[switches["guid"][a], data["cables"]["a_port"][i]] = 2 * i
        channel_of[switches["guid"][b], data["cables"]["b_port"][i]] = 2 * i + 1
    for row, (at, entry, out, vl) in zip(rows[1:], hops):
        assert at in row[1], (row, at)
        assert row[2:6] == [str(entry), str(out), str(sl), str(vl)], (row, entry, out, sl, vl)
        load = channel_of.get((at, out))
        assert row[6] == ("" if load is None else f"{run['load'][load]:,}"), row
    marked = browser.run("return drawing.stage.painter.marks.channels.map(channel => 2 * channel.cable + (channel.back ? 1 : 0))")
    assert marked == [channel_of[at, out] for at, _, out, _ in hops[:-1]], marked


def colours_on_canvas(browser):
    return browser.run("""const canvas = document.getElementById('canvas'), seen = new Set();
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
        return seen.size""")


def check_drawing(browser, data):
    browser.wait("return document.getElementById('canvas').dataset.paintMs")
    drawn, boxed = browser.run("const {painter, model} = drawing.stage; return [model.trunks.members.length, painter.boxed]")
    assert drawn == len(data["cables"]["a"]) and boxed == data["layout"]["boxed"]
    assert colours_on_canvas(browser) > 20
    if boxed:
        # A click on a box shows its switches.
        box = data["layout"]["boxes"][0]
        middle = [box["x"] / 100 + box["width"] / 200, box["y"] / 100 + box["height"] / 200]
        browser.point("#canvas", *browser.run("const p = drawing.stage.painter; return [Math.round(p.sx(arguments[0]) - p.width / 2), Math.round(p.sy(arguments[1]) - p.height / 2)]", *middle))
        browser.wait("return document.querySelector('#tip').textContent.includes(arguments[0])", f"{box['switches']} switch")
        browser.click_here()
        browser.wait("return !drawing.stage.painter.boxed")
    # The pointer on a switch shows its name.
    browser.run("drawing.find(0)")
    browser.point("#canvas", 0, 0)
    browser.wait("return document.querySelector('#tip').textContent.includes(arguments[0])", data["switches"]["name"][0])
    # The keyboard moves from switch to switch.
    browser.run("document.getElementById('canvas').focus()")
    browser.press("n")
    browser.wait("return document.getElementById('canvas').getAttribute('aria-label').includes(arguments[0])", data["switches"]["name"][0])
    browser.press("0")
    browser.wait("return drawing.stage.driver.untouched")


def check_loop(browser, data):
    """The run with a credit loop shows the loop."""
    loops = [i for i, run in enumerate(data["runs"]) if run["served"] and run["verify"]["credit_loop"]]
    for number in loops[:1]:
        browser.click(f"#engines button[data-run=\"{number}\"]")
        browser.click("#show-loop")
        marked = browser.run("return drawing.stage.painter.marks.channels.map(channel => channel.cable)")
        assert marked == [hop["cable"] for hop in data["runs"][number]["verify"]["credit_loop"]]


def check_what_if(browser, page, data):
    """Tests the table of failures with rows that the test adds; the page itself has no rows."""
    assert browser.run("return document.getElementById('what-if').hidden")
    rows = [{"name": f"cable <b>{i}</b>", "cables": [i], "pairs_cut": 1000 - i, "pairs_lost": i, "ebb_left": 0.5,
             "blocks": 7 * i, "vls": 1, "seconds": 0} for i in range(3)]
    empty = '"what_if":{"engine":"","rows":[]}'
    html = page.read_text()
    assert html.count(empty) == 1
    with_rows = page.with_name("what-if.html")
    block = json.dumps({"engine": "minhop", "rows": rows}).replace("<", "\\u003c")
    with_rows.write_text(html.replace(empty, '"what_if":' + block))
    browser.open(with_rows)
    browser.wait("return document.documentElement.dataset.ready")
    shown = browser.cells("#failures")
    assert [row[1:6] for row in shown] == [[row["name"], f"{row['pairs_cut']:,}", str(row["pairs_lost"]), "50.0%", str(row["blocks"])]
                                          for row in rows], shown
    browser.click("#failures tbody tr:nth-child(2)")
    assert browser.run("return drawing.stage.painter.marks.channels.map(channel => channel.cable)") == [1]
    assert browser.run("return drawing.stage.painter.marks.switches") == [data["cables"]["a"][1], data["cables"]["b"][1]]


def check_real_what_if(browser, folder):
    """weft report --what-if and weft simulate --failures have the same results."""
    weft("report", "fattree2:k=4,trunks=1", "-R", "updn", "-o", folder / "failures.html", "--what-if", "both", "--runs", 0)
    result = json.loads(weft("simulate", "fattree2:k=4,trunks=1", "-R", "updn,no_fallback", "--failures", 1, "--victims", "both",
                           "--no-times", "--json"))
    browser.open(folder / "failures.html")
    browser.wait("return document.documentElement.dataset.ready")
    shown = browser.cells("#failures")
    assert len(shown) == len(result["rows"]) > 8
    for row, loss in zip(shown, result["rows"]):
        assert row[1:3] == [loss["name"], f"{loss['pairs_cut']:,}"], (row, loss)
        if loss["routed"]:
            assert [row[3], *row[5:7]] == [f"{loss['pairs_lost']:,}", f"{loss['blocks']:,}", str(loss["vls"])], (row, loss)
            assert abs(float(row[4].rstrip("%")) - 100 * loss["ebb_left"]) < 0.0501, (row, loss)
    browser.click("#failures tbody tr")
    assert len(browser.run("return drawing.stage.painter.marks.channels")) >= 1


def check_themes(browser):
    first = browser.run("return document.documentElement.dataset.theme")
    browser.run("window.scrollTo(0, 0)")
    browser.click("#theme")
    assert {first, browser.run("return document.documentElement.dataset.theme")} == {"dark", "light"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fabric")
    parser.add_argument("--shape", default="")
    parser.add_argument("--engines", default="minhop,updn,dfsssp,ftree")
    parser.add_argument("--failures", action="store_true", help="test the table of failures of another, small fabric too")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for screenshots")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-report-"))
    page, beside = folder / "report.html", folder / "report.json"
    title = pathlib.Path(arguments.fabric).parent.name if os.path.exists(arguments.fabric) else arguments.fabric
    weft("report", arguments.fabric, "-R", arguments.engines, "-o", page, "--json", beside, "--title", title, "--threads", 2)
    data = json.loads(beside.read_text())
    weft("report", arguments.fabric, "-R", arguments.engines, "-o", folder / "again.html", "--title", title, "--threads", 1)
    assert page.read_bytes() == (folder / "again.html").read_bytes(), "the page depends on the number of threads"
    assert data["layout"]["about"].startswith(arguments.shape), data["layout"]["about"]

    with Browser(height=1500) as browser:
        browser.open(page)
        browser.wait("return document.documentElement.dataset.ready")
        browser.requests()
        block = browser.run("return document.getElementById('data').textContent")
        assert json.loads(block) == data, "the page's data is not the JSON beside it"
        check_side_by_side(browser, data)
        check_glance(browser, data["runs"][0])
        check_drawing(browser, data)
        number = [run["name"] for run in data["runs"]].index("dfsssp")
        weft("route", arguments.fabric, "-R", "dfsssp,no_fallback", "-o", folder / "dumps")
        dumps = Dumps(folder / "dumps")
        browser.click(f"#engines button[data-run=\"{number}\"]")
        check_glance(browser, data["runs"][number])
        last = len(data["hosts"]["name"]) - 1
        for source, target, by in [(0, last, "lid"), (last // 2, 1, "name"), (last, last // 3, "lid")]:
            check_path(browser, data, number, dumps, source, target, by)
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            browser.run("window.scrollTo(0, 0)")
            for part in ("glance", "drawing", "explorer", "compare", "plots"):
                browser.screenshot(arguments.keep / f"{part}.png", f"#{part}")
        check_themes(browser)
        if arguments.keep:
            browser.screenshot(arguments.keep / "dark.png", "#drawing")
        check_loop(browser, data)
        check_what_if(browser, page, data)
        if arguments.failures:
            check_real_what_if(browser, folder)
        assert browser.problems() == [], browser.problems()
        requested = [address for address in browser.requests() if not address.startswith((folder.as_uri() + "/", "data:"))]
        assert requested == [], f"requests to other servers: {requested}"
    print(f"{title}: {data['layout']['about']}; {page.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
