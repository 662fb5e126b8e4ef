# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs of subnet managers that bring a fabric of ibsim up once and end: their dumps, log and time."""
import dataclasses
import datetime
import pathlib
import re
import time

from ibsim import PATIENT
from processes import needs, weft_binary


@dataclasses.dataclass
class SmRun:
    """A completed run of a subnet manager: the folder of its dumps, its log, its output, and the time."""
    folder: pathlib.Path
    log: str
    output: str
    seconds: float

    @property
    def lst(self):
        return self.folder / "opensm-subnet.lst"

    @property
    def fdbs(self):
        return self.folder / "opensm.fdbs"

    @property
    def seconds_to_subnet_up(self):
        """Seconds from the first line of the log to SUBNET UP. OpenSM writes its dumps before SUBNET UP, Weft after it."""
        lines = [line for line in self.log.splitlines() if _STAMP.match(line)]
        return log_stamp(next(line for line in lines if "SUBNET UP" in line)) - log_stamp(lines[0])


def opensm_once(sim, folder, *options, timeout=900):
    """Runs OpenSM once, with the log flags for all dumps and for the times of routing."""
    needs("opensm")
    return _sm_once(sim, folder, ["opensm", "-o", "-D", "0x47"], options, timeout)


def weft_once(sim, folder, *options, timeout=900, tap=None):
    """Runs Weft once. `tap`: a MadTap that records the sent MADs."""
    return _sm_once(sim, folder, [weft_binary(), "sm", "--once", *PATIENT], options, timeout, tap)


def _sm_once(sim, folder, command, options, timeout, tap=None):
    folder = pathlib.Path(folder)
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    log = folder / "opensm.log"
    started = time.monotonic()
    command = [*command, "-f", log, "--dump_files_dir", folder, *options]
    done = sim.client(tap.through(map(str, command)) if tap else command, timeout=timeout,
                      extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder), **(tap.environment if tap else {})})
    seconds = time.monotonic() - started
    text = log.read_text(errors="replace") if log.exists() else ""
    if "SUBNET UP" not in text:
        raise AssertionError(f"no SUBNET UP in {log}: {done.stdout[-1000:]}{done.stderr[-1000:]}{text[-2000:]}")
    return SmRun(folder, text, done.stdout, seconds)


_STAMP = re.compile(r"^(\w+ +\d+ \d+:\d+:\d+) (\d{6}) ")


def log_stamp(line):
    """The time of a log line of either manager, in seconds; the logs do not contain the year."""
    second, micros = _STAMP.match(line).groups()
    return datetime.datetime.strptime(f"2000 {second}", "%Y %b %d %H:%M:%S").timestamp() + int(micros) / 1e6


def opensm_route_seconds(log):
    """Routing time of the engine that succeeded: (seconds, engine). From the last "building routing with" before
    the last "tables configured on all switches", so it excludes failed attempts."""
    begins = [(line, re.search(r"building routing with '([^']+)'", line)) for line in log.splitlines()]
    begins = [(log_stamp(line), found.group(1)) for line, found in begins if found]
    ends = [(log_stamp(line), re.search(r"process: (\S+) tables configured", line).group(1)) for line in log.splitlines()
            if "tables configured on all switches" in line]
    if not begins or not ends:
        raise AssertionError("OpenSM's log has no line about routing")
    end, engine = ends[-1]
    begin = [stamp for stamp, name in begins if stamp <= end][-1]
    return end - begin, engine
