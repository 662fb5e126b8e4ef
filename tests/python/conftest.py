# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fixtures for the tests of the Python package. To run the tests: pytest tests/python, with the package in PYTHONPATH and the program in WEFT."""
import json
import os
import subprocess

import pytest


@pytest.fixture
def command_line():
    """Runs the program with arguments and --json, and returns the JSON."""
    def run(*arguments, status=0):
        done = subprocess.run([os.environ["WEFT"], *arguments, "--json"], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)
    return run
