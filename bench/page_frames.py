#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the work for each frame of the page's drawing in headless Chromium: while the drawing is dragged and zoomed, and when it stops.

page_frames.py [--weft BINARY] [--keep FOLDER] [FABRIC..]   Prints a line for each fabric: switches, links, and for each movement the median, the
95th percentile and the maximum of the milliseconds that a frame takes: script, and drawing of its pixels by the processor.
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

# Reading a pixel makes the browser execute its pending draw commands.
MOVE = """
const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect(), context = canvas.getContext('2d');
const x = box.left + box.width / 2, y = box.top + box.height / 2;
const fire = (type, more) => canvas.dispatchEvent(type === 'wheel'
  ? new WheelEvent('wheel', {clientX: x, clientY: y, cancelable: true, ...more})
  : new PointerEvent(type, {clientX: x, clientY: y, pointerId: 1, ...more}));
canvas.setPointerCapture = () => {};
const kind = arguments[0], work = [], request_frame = window.requestAnimationFrame;
let spent = 0;
const timed = call => {
  const begun = performance.now();
  call();
  context.getImageData(0, 0, 1, 1);
  spent += performance.now() - begun;
};
window.requestAnimationFrame = call => request_frame(now => timed(() => call(now)));
return new Promise(done => {
  let n = 0;
  if (kind === 'drag') fire('pointerdown', {});
  const step = () => {
    if (n > 0) work.push(spent);
    spent = 0;
    if (++n > 200) { window.requestAnimationFrame = request_frame; return done(work); }
    if (n === 121 && kind === 'drag') timed(() => fire('pointerup', {clientX: x + 200}));
    if (n <= 120) timed(() => {
      if (kind === 'drag') fire('pointermove', {clientX: x + 150 * Math.sin(n / 12), clientY: y + 90 * Math.sin(n / 9)});
      else fire('wheel', {deltaY: n <= 60 ? -45 : 45});
    });
    request_frame(step);
  };
  request_frame(step);
});
"""


def spread(work):
    work = sorted(work)
    return f"{statistics.median(work):5.1f} {work[int(0.95 * len(work))]:5.1f} {work[-1]:5.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(ROOT / "build/release/bin/weft"))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for screenshots")
    parser.add_argument("fabrics", nargs="*", default=["fattree3:k=16", "torus:17x17x17,hosts=1", "xgft:m=8x54x54,w=1x27x27"])
    arguments = parser.parse_args()
    os.environ["WEFT"] = arguments.weft
    from manager import Manager
    from webdriver import Browser
    print(f"{'fabric':34} switches   links   drag: median 95% worst   zoom: median 95% worst   zoomed in, drag (ms)")
    for spec in arguments.fabrics:
        with tempfile.TemporaryDirectory() as folder, Browser(width=1400, height=1000) as browser:
            with Manager(pathlib.Path(folder), "-s", "0", "-R", "updn", emulate=spec, http=True) as manager:
                browser.visit(f"http://127.0.0.1:{manager.http.port}/#/fabric")
                browser.wait("return document.querySelector('#canvas[data-drawn]') !== null", seconds=120)
                browser.run("return new Promise(done => setTimeout(done, 1000))")
                drawing = manager.http.json("/api/v1/drawing", timeout=60)[1]
                if arguments.keep:
                    browser.screenshot(arguments.keep / f"{spec.split(':')[0]}.png")
                drag = browser.run(MOVE, "drag")
                zoom = browser.run(MOVE, "zoom")
                browser.run("document.getElementById('canvas').focus()")
                browser.press("n", "n", "n")
                browser.run("return new Promise(done => setTimeout(done, 500))")
                zoomed_in = browser.run(MOVE, "drag")
                print(f"{spec:34} {len(drawing['switches']['guid']):8} {len(drawing['cables']['a']):7}  "
                      f"{spread(drag):>23}   {spread(zoom):>23}   {spread(zoomed_in)}", flush=True)
                manager.kill()


main()
