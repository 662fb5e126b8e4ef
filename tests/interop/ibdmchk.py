# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibdmchk, an independent verifier of a folder of dumps."""
import dataclasses
import pathlib
import re

from processes import needs, run


@dataclasses.dataclass
class IbdmchkVerdict:
    """The result of ibdmchk on a folder of dumps. `accepted`: ibdmchk read every file and completed."""
    accepted: bool
    ca_paths: int
    missing: int
    credit_loops: bool
    output: str


def ibdmchk(folder, timeout=900):
    """Runs ibdmchk on a folder of dumps."""
    needs("ibdmchk")
    folder = pathlib.Path(folder)
    (folder / "opensm.mcfdbs").touch()  # required, may be empty
    command = ["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
    for flag, name in (("-c", "weft.psl"), ("-d", "weft.slvl")):
        if (folder / name).exists():
            command += [flag, name]
    done = run(command, check=False, timeout=timeout, cwd=folder)
    text = done.stdout + done.stderr
    scanned = re.search(r"Scanned:(\d+) CA to CA paths", text)
    missing = re.search(r"Found (\d+) missing paths out of:(\d+) paths", text)
    free, loops = "-I- no credit loops found" in text, "-E- credit loops in routing" in text
    return IbdmchkVerdict(accepted=bool(scanned or missing) and (free or loops),
                          ca_paths=int(scanned[1]) if scanned else int(missing[2]) if missing else 0,
                          missing=int(missing[1]) if missing else 0, credit_loops=loops, output=text)
