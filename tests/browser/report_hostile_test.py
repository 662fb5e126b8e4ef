#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that untrusted text, such as node names and titles, neither creates markup nor runs as script, in the page and in pictures. Also tests
the error messages of weft report."""
import json
import pathlib
import tempfile
import xml.etree.ElementTree

from webdriver import ENTER, Browser  # must be first: adds the folder of tests/interop to the path
import weft_interop as interop

NAMES = ["<script>window.hacked=1</script>", "\\\"><img src=x onerror=window.hacked=1>", "</script><script>window.hacked=1</script>",
         "<!--<script>", "]]>&lt;b&gt;&amp;'x'", "{{data}}", "\u202e\u2028 <svg/onload=hacked=1>", "caf\u00e9 \U0001f980"]


def fabric():
    """Two switches and six hosts, in the format of ibnetdiscover."""
    host = [f"H-00000000000010{i:02d}" for i in range(6)]
    text = ""
    for s in range(2):
        text += f"\nswitchguid=0x200{s}\nSwitch\t8 \"S-000000000000200{s}\"\t\t# \"{NAMES[s]}\" base port 0 lid {s + 1} lmc 0\n"
        for i in range(3):
            text += f"[{i + 1}]\t\"{host[3 * s + i]}\"[1]\n"
        text += f"[4]\t\"S-000000000000200{1 - s}\"[4]\n"
    for i, name in enumerate(host):
        text += f"\ncaguid=0x10{i:02d}\nCa\t1 \"{name}\"\t\t# \"{NAMES[i + 2]}\"\n[1]\t\"S-000000000000200{i // 3}\"[{i % 3 + 1}]\n"
    return text


def weft(*words, status=0, env=None):
    done = interop.run([interop.weft_binary(), *words], check=False, timeout=interop.PATIENCE, env=env)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-hostile-"))
(folder / "hostile.txt").write_text(fabric())
out = folder / "out"
title = "</title><script>window.hacked=1</script>"
weft("report", folder / "hostile.txt", "-R", "minhop,updn", "-o", out, "--title", title, "--simulate", "bisect", "--simulate",
     "tree+null", "--simulate", "tree+bisect", "--runs", 50)
data = json.loads((out / "report.json").read_text())
assert data["title"] == title
names = data["switches"]["name"] + data["hosts"]["name"]
assert len(names) == 8 and any("<script>" in name for name in names), names

pictures = sorted(out.glob("*.svg"))
assert {"fabric-1-minhop.svg", "bandwidth-1.svg", "delay-1-minhop.svg", "link-load.svg", "congestion-3-2-updn.svg"} <= {p.name for p in pictures}
for picture in pictures:
    root = xml.etree.ElementTree.parse(picture).getroot()
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "line", "path", "circle", "polyline", "text"}, (picture, tags)
    assert not any(name.startswith("on") or "href" in name for element in root.iter() for name in element.attrib), picture

with Browser() as browser:
    browser.open(out / "report.html")
    browser.wait("return document.documentElement.dataset.ready")
    assert browser.text("h1") == title
    for i in range(6):
        browser.click("#from-input")
        browser.type("#from-input", str(data["hosts"]["lid"][i]))
        browser.click(f"#from li[data-item=\"{i}\"]")
        browser.type("#to-input", str(data["hosts"]["lid"][(i + 3) % 6]) + ENTER)
        browser.wait("return document.querySelector('#path').tBodies[0].rows.length === 4 &&"
                     " document.querySelector('#path').tBodies[0].rows[0].cells[1].firstChild.data === arguments[0]",
                     data["hosts"]["name"][i])
        row = browser.cells("#path")[1][1]
        assert any(name in row for name in data["switches"]["name"]), row
    browser.run("for (let sw = 0; sw < 2; ++sw) drawing.stage.frame.tip({x: 0, y: 0, words: drawing.stage.frame.words({sw})})")
    assert browser.run("return document.querySelectorAll('main script, main img, header img').length") == 0
    assert browser.run("return window.hacked === undefined")
    assert browser.problems() == [], browser.problems()

# Error messages.
output = weft("report", "ring:n=4", "-o", folder / "png", "--png", status=3, env={"PATH": "/nonexistent"}).stderr
assert "rsvg-convert" in output and "librsvg2-bin" in output, output
output = weft("report", "ring:n=4", "-o", folder / "x.html", "--png", status=2).stderr
assert "folder" in output, output
output = weft("report", "ring:n=4", "-o", "/proc/none/x.html", status=3).stderr
assert "/proc/none" in output, output
output = weft("report", "ring:n=4", "-o", folder / "x.html", "--simulate", "nonsense", status=2).stderr
assert "nonsense" in output and "bisect" in output, output
output = weft("report", "ring:n=4", "-R", "nonsense", "-o", folder / "x.html", status=2).stderr
assert "nonsense" in output, output
assert not (folder / "x.html").exists()
weft("report", "ring:n=6", "-R", "minhop", "-o", folder / "loop.html", status=1)  # the routes of minhop on a ring have a credit loop
weft("report", "fattree2:k=4", "-o", folder / "pngs", "--png", "--runs", 20)
assert (folder / "pngs" / "fabric-1-minhop.png").read_bytes()[:4] == b"\x89PNG"
print("names with markup are shown as text")
