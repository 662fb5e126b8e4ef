#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that `make demo` works without the npm registry: the program is built without the page, and the demo reports that the page is missing,
with the reason.

Standard library only. Usage: demo_test.py
"""
import os
import pathlib
import re
import shutil
import tempfile

import weft_interop as interop
from weft_interop import check, run


def commands_of(target):
    return run(["make", "-n", "-C", interop.ROOT, target, "BUILD=build/none", "WEFT=none/bin/weft"], timeout=60).stdout


def test_page_is_not_required(folder):
    """The build step of the page succeeds without the registry, so that a build with the targets weft and web succeeds."""
    commands = commands_of("demo")
    check(re.search(r"cmake --build .*--target weft web", commands) and "examples/demo none/bin/weft" in commands, commands)
    nowhere = {**os.environ, "npm_config_registry": "http://127.0.0.1:1/", "npm_config_fetch_retries": "0", "npm_config_cache": str(folder / "cache")}
    built = run([interop.ROOT / "web/build", folder / "web", folder / "work"], env=nowhere)
    check("page not built: npm ci failed" in built.stderr, built.stderr)
    check("ECONNREFUSED" in (folder / "web.missing").read_text(), "web.missing has no reason")


def demo(folder):
    return run([interop.ROOT / "examples/demo", folder / "bin/weft"], env={**os.environ, "OUT": str(folder / "demo")}, timeout=300).stdout


def main():
    with tempfile.TemporaryDirectory(prefix="weft-demo-") as name:
        folder = pathlib.Path(name)
        binary = folder / "bin/weft"
        binary.parent.mkdir()
        binary.symlink_to(interop.weft_binary())
        if shutil.which("npm") is None:
            (folder / "web.missing").write_text("npm not found\n")
        else:
            test_page_is_not_required(folder)
        shown = demo(folder)
        reason = (folder / "web.missing").read_text().strip()
        check("SUBNET UP" in shown and "PASS" in shown and "Next steps" in shown, shown)
        check(f"The web page is missing: {reason}\nmake page tries again" in shown, shown)

        (folder / "web").mkdir(exist_ok=True)
        (folder / "web/index.html").write_text("<html></html>")
        check("page is missing" not in demo(folder), "the demo reports a missing page although the page exists")


if __name__ == "__main__":
    main()
