#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the frame times of the page's drawing in headless Chromium during drag and zoom.

page_frames.py [--weft BINARY] [FABRIC..]   Prints a line for each fabric: switches, cables, the time of one full picture,
and the times between frames (median, 95th percentile, maximum).
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
for part in ("tests/interop", "tests/browser"):
    sys.path.insert(0, str(ROOT / part))

MOVE = """
const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
const x = box.left + box.width / 2, y = box.top + box.height / 2;
const fire = (type, more) => canvas.dispatchEvent(type === 'wheel'
  ? new WheelEvent('wheel', {clientX: x, clientY: y, cancelable: true, ...more})
  : new PointerEvent(type, {clientX: x, clientY: y, pointerId: 1, ...more}));
canvas.setPointerCapture = () => {};
const kind = arguments[0], frames = [], work = [];
return new Promise(done => {
  let n = 0, last = performance.now();
  if (kind === 'drag') fire('pointerdown', {});
  const step = now => {
    if (n > 0) frames.push(now - last);
    last = now;
    if (++n > 120) { if (kind === 'drag') fire('pointerup', {clientX: x + 200}); return done({frames, paint: Number(canvas.dataset.paintMs)}); }
    if (kind === 'drag') fire('pointermove', {clientX: x + 150 * Math.sin(n / 12), clientY: y + 90 * Math.sin(n / 9)});
    else fire('wheel', {deltaY: n <= 60 ? -45 : 45});
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
"""


def spread(frames):
    frames = sorted(frames)
    return f"{statistics.median(frames):5.1f} {frames[int(0.95 * len(frames))]:5.1f} {frames[-1]:5.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(ROOT / "build/release/bin/weft"))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for screenshots")
    parser.add_argument("fabrics", nargs="*", default=["fattree3:k=16", "torus:17x17x17,hosts=1", "xgft:m=8x54x54,w=1x27x27"])
    arguments = parser.parse_args()
    os.environ["WEFT"] = arguments.weft
    from manager import Manager
    from webdriver import Browser
    print(f"{'fabric':34} switches  cables  picture  drag: median 95% worst   zoom: median 95% worst   zoomed in, drag (ms)")
    for spec in arguments.fabrics:
        with tempfile.TemporaryDirectory() as folder, Browser(width=1400, height=1000) as browser:
            with Manager(pathlib.Path(folder), "-s", "0", "-R", "updn", emulate=spec, http=True) as manager:
                browser.visit(f"http://127.0.0.1:{manager.http.port}/#/fabric")
                browser.wait("return document.querySelector('#canvas[data-drawn]') !== null", seconds=120)
                drawing = manager.http.json("/api/v1/drawing", timeout=60)[1]
                paint = browser.run("return document.getElementById('canvas').dataset.paintMs")
                if arguments.keep:
                    browser.screenshot(arguments.keep / f"{spec.split(':')[0]}.png")
                drag = browser.run(MOVE, "drag")
                zoom = browser.run(MOVE, "zoom")
                browser.run("document.getElementById('canvas').focus()")
                browser.press("n", "n", "n")
                browser.run("return new Promise(done => setTimeout(done, 500))")
                close = browser.run(MOVE, "drag")
                print(f"{spec:34} {len(drawing['switches']['guid']):8} {len(drawing['cables']['a']):7} {float(paint):7.1f}  "
                      f"{spread(drag['frames']):>23}   {spread(zoom['frames']):>23}   {spread(close['frames'])}", flush=True)
                manager.kill()


main()
