#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes the pictures of reports that the documentation shows, and with --dark the same pictures in the dark scheme, for a review.

report_pictures.py docs/pictures [--dark FOLDER] [NAME..]   WEFT is the program.
"""
import argparse
import pathlib
import tempfile

from webdriver import Browser  # must be first: adds the folder of tests/interop to the path
import weft_interop as interop
from report_page_test import choose_host

# name: (fabric, engines, whether a path is marked). The picture with a path shows the whole section, the other pictures only the drawing.
PICTURES = {
    "tree": ("fattree3:k=16", "minhop,ftree,dfsssp", True),
    "torus": ("torus:6x6x6,hosts=2", "updn", False),
    "dragonfly": ("dragonfly:a=6,h=3,p=3", "updn", False),
    "boxes": ("fattree3:k=64,pods=42", "ftree", False),
}
HOSTS = "return JSON.parse(document.getElementById('data').textContent).hosts"


def mark_path(browser):
    hosts = browser.run(HOSTS)
    data = {"hosts": hosts}
    choose_host(browser, "from", data, 0, "name")
    choose_host(browser, "to", data, len(hosts["name"]) - 1, "name")
    browser.wait("return drawing.stage.painter.marks.channels.length > 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("to", type=pathlib.Path)
    parser.add_argument("--dark", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=list(PICTURES))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-pictures-") as folder, Browser(width=980, height=760) as browser:
        for name in arguments.names:
            fabric, engines, has_path = PICTURES[name]
            page = pathlib.Path(folder) / f"{name}.html"
            interop.weft("report", fabric, "-R", engines, "-o", page, "--runs", 0, timeout=interop.PATIENCE)
            for theme, where in (("light", arguments.to), ("dark", arguments.dark)):
                if where is None:
                    continue
                browser.theme(theme)
                browser.open(page)
                browser.wait("return document.documentElement.dataset.ready && document.getElementById('canvas').dataset.paintMs")
                if has_path:
                    mark_path(browser)
                browser.run("document.querySelector('#drawing').scrollIntoView()")
                browser.screenshot(where / f"{name}.png", "#drawing" if has_path else "#canvas")
                print(where / f"{name}.png", flush=True)


if __name__ == "__main__":
    main()
