# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Node descriptions with newlines and terminal control characters, and the check that no output contains them unescaped. Standard library only."""
import json
import re

import weft_interop as interop
from weft_interop import check

FORGED = "FORGED-LINE"
HOSTILE = f"node\n{FORGED}\r\x1b[2J\x1b]0;title\x07\x7f\u009b31m\u202e\u2028{FORGED}"
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]")


def hostile_fabric(folder, spec="fattree2:k=4"):
    """Writes a JSON file of the fabric `spec` in which every node description has control characters; returns the path of the file."""
    path = folder / "fabric.json"
    interop.weft("convert", spec, path, "--to", "json")
    fabric = json.loads(path.read_text())
    for number, node in enumerate(fabric["nodes"]):
        node["description"] = f"{number} {HOSTILE}"
    path.write_text(json.dumps(fabric))
    return path


def check_clean(what, data):
    """Checks that `data` (text or bytes) has neither control characters nor a line that a node description forged."""
    data = data.encode(errors="surrogateescape") if isinstance(data, str) else data
    data = data.replace(b"\r\n", b"\n")  # line ends of a terminal
    found = CONTROLS.search(data)
    check(not found, f"{what} has a control character: {data[max(0, found.start() - 60):found.end() + 60] if found else ''}")
    check(not re.search(rb"^\s*" + FORGED.encode(), data, re.M), f"{what} has a forged line: {data[:2000]}")
