# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Headless Chromium for page tests, by the protocol of chromedriver (W3C WebDriver), without other packages.

with Browser() as browser:
    browser.open("/tmp/page.html")
    browser.click("#engines button")
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
from processes import PATIENCE, wait_for  # noqa: E402

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
ENTER, TAB, SPACE = "\ue007", "\ue004", "\ue00d"
DOWN, RIGHT, ESCAPE = "\ue015", "\ue014", "\ue00c"


class Browser:
    def __init__(self, width=1280, height=900):
        self.width, self.height = width, height

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="weft-browser-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{found.group(1)}"
        options = {"binary": shutil.which("chromium"),
                   "args": FLAGS + [f"--user-data-dir={self.profile}", f"--window-size={self.width},{self.height}"]}
        wanted = {"alwaysMatch": {"browserName": "chrome", "timeouts": {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE}, "goog:chromeOptions": options,
                                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}
        self.session = ""
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": wanted})["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(PATIENCE)
            shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + self.session + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE + 60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {json.load(error)['value']['message']}") from None

    def open(self, path):
        self.visit(pathlib.Path(path).resolve().as_uri())

    def visit(self, address):
        self.call("POST", "/url", {"url": address})

    def theme(self, name):
        """Sets the preferred colour scheme: "dark" or "light"."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})

    def narrow(self, width, height):
        """Sets the size of the page to the size of a phone with these pixels; 0, 0 restores the size of the window."""
        if width:
            call = {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}}
        else:
            call = {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}}
        self.call("POST", "/goog/cdp/execute", call)

    def run(self, script, *arguments):
        """Runs the script; returns the value of its `return` statement, or None."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=PATIENCE):
        """Runs the script until it returns a true value; returns this value."""
        return wait_for(f"true value of {script} {arguments}", lambda: self.run(script, *arguments), seconds, pause=0.05)

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """Clicks with the pointer. Fails if another element covers the target."""
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        element = self.find(selector)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        """Presses the keys one after another in the element with the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hold(self, key, times):
        """Sends `times` key-down events of a key, then one key-up event."""
        actions = [{"type": "keyDown", "value": key}] * times + [{"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, selector, x, y):
        """Moves the pointer to an offset from the middle of an element."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        move = {"type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": {ELEMENT: self.find(selector)}}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                                    "actions": [move]}]})

    def click_here(self):
        """Presses and releases the pointer button at the current position of the pointer."""
        actions = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def cells(self, selector):
        """Rows of the body of a table as lists of text."""
        return self.run("return [...document.querySelector(arguments[0]).tBodies[0].rows]"
                        ".map(row => [...row.cells].map(cell => cell.textContent))", selector)

    def screenshot(self, path, selector=None):
        where = f"/element/{self.find(selector)}/screenshot" if selector else "/screenshot"
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", where)))

    def problems(self):
        """The messages of the browser console since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The URLs that pages requested since the last call. Requests of the browser itself, such as for a new tab, are left out."""
        addresses = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent" and not message["params"]["documentURL"].startswith("chrome"):
                addresses.append(message["params"]["request"]["url"])
        return addresses
