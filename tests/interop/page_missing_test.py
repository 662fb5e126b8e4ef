#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that without access to the npm registry the build continues without the page and reports the reason, and `make page` fails.

Standard library only. Usage: page_missing_test.py
"""
import os
import pathlib
import shutil
import tempfile

import weft_interop as interop
from weft_interop import check, run


def main():
    if shutil.which("npm") is None:
        interop.skip("npm is not installed")
    with tempfile.TemporaryDirectory(prefix="weft-page-") as name:
        folder = pathlib.Path(name)
        nowhere = {**os.environ, "npm_config_registry": "http://127.0.0.1:1/", "npm_config_fetch_retries": "0", "npm_config_cache": str(folder / "cache")}
        built = run([interop.ROOT / "web/build", folder / "web", folder / "work"], env=nowhere)
        check("page not built: npm ci failed" in built.stderr, built.stderr)
        check("ECONNREFUSED" in built.stderr and "retries" in built.stderr, built.stderr)
        check(not (folder / "web/index.html").exists(), "the page was built without packages")
        binary = folder / "bin/weft"
        binary.parent.mkdir()
        binary.symlink_to(interop.weft_binary())
        shown = run([interop.ROOT / "examples/page", binary], check=False)
        check(shown.returncode == 1 and "the page is not built" in shown.stderr, f"{shown.returncode} {shown.stderr}")
        check("Open http" not in shown.stdout, shown.stdout)


if __name__ == "__main__":
    main()
