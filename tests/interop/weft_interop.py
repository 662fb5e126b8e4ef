# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared by the interop tests and the benchmarks: private ibsim servers, clients on them, OpenSM runs, and the Weft binary.

Standard library only. Every server has its own folder and socket name, so that tests can run in parallel.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Seconds until a wait fails. Not the time that something may take: the machine may be busy with other tests.
PATIENCE = 240
ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # exit status of a skipped test
TOPOLOGIES = ROOT.parent / "shared" / "topologies"


def weft_binary():
    """The program under test: WEFT, else the release build."""
    return str(pathlib.Path(os.environ.get("WEFT", ROOT / "build/release/bin/weft")).resolve())


def tool(name):
    """A test tool beside the binary: portinfo_of, pkeys_of."""
    return str(pathlib.Path(weft_binary()).parent / name)


def portinfo_of():
    """The test tool that prints PortInfo of many ports."""
    return tool("portinfo_of")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait_for(what, found, timeout=PATIENCE, pause=0.1):
    """Waits for the first true value of found(). `what` may be a function, which is called only on failure."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(pause)
    raise AssertionError(f"{what() if callable(what) else what}: not within {timeout} s")


def stays(what, is_so, seconds, pause=0.1):
    """Checks for this time that is_so() remains true: that something does not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        check(is_so(), what() if callable(what) else what)
        time.sleep(pause)


def cpu_seconds(pid):
    """Processor time of a process and its threads."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def skip(reason):
    """Ends a test that lacks a program or a permission; ctest reports it as skipped."""
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def needs(*programs):
    """Skips the test if a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed (scripts/install-deps)")


def free_port():
    """A TCP port of this machine without a listener, outside of the range from which the kernel chooses ports itself."""
    numbers = random.SystemRandom()
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", numbers.randrange(12000, 32000)))
            return probe.getsockname()[1]


def run(command, check=True, timeout=600, env=None, **options):
    """Runs a command to its end; on failure reports the command and its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout,
                          env=env, errors="replace", **options)
    if check:
        must_be_good(done)
    return done


def must_be_good(done):
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def rss_bytes(pid):
    """Resident memory of a process."""
    return int(re.search(r"^VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) * 1024


def weft(*words, check=True, timeout=600):
    return run([weft_binary(), *words], check=check, timeout=timeout)


def weft_json(*words, check=True, timeout=600):
    return json.loads(weft(*words, "--json", check=check, timeout=timeout).stdout)


def preloaded(command):
    """A program with the functions of the kernel that ibsim lacks (umad_kernel.cpp), as started by ibsim-run. OpenSM needs them beside a
    manager that ends: it waits for an answer or a timeout of each request."""
    return ["sh", "-c", f'LD_PRELOAD="$LD_PRELOAD:{tool("libumad_kernel.so")}" exec "$@"', "sh", *command]


class Ibsim:
    """A private ibsim server for one net file. Use as a context manager."""

    def __init__(self, net, nodes=8192, switches=4096, ports=262144, linear_cap=49152, folder=None):
        needs("ibsim", "ibsim-run", "smpquery")
        self.net = pathlib.Path(net)
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="weft-ibsim-"))
        self.owned = folder is None
        self.limits = ["-N", nodes, "-S", switches, "-P", ports, "-L", linear_cap]
        self.process = None
        self.marks = 0
        # Socket names are in an abstract namespace shared by the machine, so they must be unique.
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"weft-{os.getpid()}-{self.folder.name}")

    def __enter__(self):
        self.log = open(self.folder / "ibsim.log", "w+")
        self.process = subprocess.Popen(["ibsim", "-s", *map(str, self.limits), str(self.net.name)], cwd=self.net.parent,
                                        stdin=subprocess.PIPE, stdout=self.log, stderr=subprocess.STDOUT, text=True,
                                        env=self.environment)
        self._wait_until_ready()
        return self

    def _wait_until_ready(self):
        """A client that gets NodeInfo of the first node proves that the net is parsed and served."""
        def is_ready():
            check(self.process.poll() is None, f"ibsim ended: {self.output()[-2000:]}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.client(["smpquery", "-D", "nodeinfo", "0"], check=False, timeout=20).returncode == 0
        wait_for(lambda: f"ibsim is ready: {self.output()[-2000:]}", is_ready)

    def output(self):
        self.log.flush()
        return (self.folder / "ibsim.log").read_text(errors="replace")

    def console(self, *lines, timeout=PATIENCE):
        """Commands on the console of ibsim, such as: unlink "S1"[3]. They are complete on return: ibsim has rejected the unknown word
        after them."""
        self.marks += 1
        mark = f"done-{self.marks}"
        try:
            self.process.stdin.write("".join(f"{line}\n" for line in (*lines, mark)))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"ibsim has ended: status {self.process.wait()}: {self.output()[-2000:]}") from None
        deadline = time.monotonic() + timeout
        while f"'{mark}'" not in self.output():
            check(self.process.poll() is None, f"ibsim has ended: status {self.process.returncode}: {self.output()[-2000:]}")
            check(time.monotonic() < deadline, f"ibsim has not done {lines} after {timeout} s: {self.output()[-2000:]}")
            time.sleep(0.005)

    def client_environment(self, host=None, extra=None):
        environment = dict(self.environment, **(extra or {}))
        if host is not None:
            environment["SIM_HOST"] = host
        return environment

    def client(self, command, host=None, check=True, timeout=600, extra=None, **options):
        """Runs a tool to its end. A tool that did nothing is started again: the receiving thread of ibsim's library crashes (signal 11)
        on a MAD that arrives before the program has opened its port, a busy ibsim refuses connections, and libibnetdisc frees memory
        twice (signal 6) if a response comes late. Subnet managers are not restarted: their crashes must be visible."""
        # In the folder of the server: a killed client leaves its emulated /sys behind.
        for _ in range(1 if command[0] in (weft_binary(), "opensm") else 8):
            done = run(["ibsim-run", *command], check=False, timeout=timeout, env=self.client_environment(host, extra),
                       cwd=self.folder, **options)
            crashed = done.returncode == -signal.SIGSEGV and not done.stdout or done.returncode == -signal.SIGABRT
            if not crashed and "sim_init: connect failed" not in done.stderr:
                break
        if check:
            must_be_good(done)
        return done

    def sa_ask(self, lines, *options, host=None, timeout=300):
        """The output of the tool, line by line."""
        done = self.client([tool("sa_ask"), *options], host=host, input="\n".join(lines) + "\n", timeout=timeout)
        return done.stdout.splitlines()

    def start(self, command, host=None, extra=None, stdout=subprocess.DEVNULL):
        """Starts a client that continues to run; the caller ends it."""
        needs(*[word for word in command if word == "opensm"])
        return subprocess.Popen([str(word) for word in ["ibsim-run", *command]], stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.STDOUT, text=True, env=self.client_environment(host, extra),
                                cwd=self.folder)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
        if self.owned:
            shutil.rmtree(self.folder, ignore_errors=True)


# Options of Weft's manager on ibsim, which loses nothing: an answer that is late is late because the machine is busy.
PATIENT = ["-t", "2000"]


class Resident:
    """`weft sm` on an ibsim server, with its own log."""

    def __init__(self, sim, folder, *options):
        self.log_path = folder / "opensm.log"
        # As for tools: ibsim's library may crash before the program has opened its port, and then nothing is logged.
        for _ in range(8):
            self.log_path.unlink(missing_ok=True)
            self.process = sim.start([weft_binary(), "sm", "-f", self.log_path, "-e", *PATIENT, *options],
                                     extra={"OSM_CACHE_DIR": str(folder / "cache")})
            wait_for("the manager opens its port", lambda: "Weft " in self.log() or self.process.poll() is not None, pause=0.001)
            if self.process.poll() != -signal.SIGSEGV or "Weft " in self.log():
                break

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def ups(self):
        return self.log().count("SUBNET UP")

    def wait_for_up(self, count, timeout=PATIENCE):
        def is_up():
            check(self.process.poll() is None or self.ups() >= count, f"it ended with {self.process.returncode}:\n{self.log()[-2000:]}")
            return self.ups() >= count
        wait_for(lambda: f"SUBNET UP for the {count}. time:\n{self.log()[-2000:]}", is_up, timeout)

    def end(self, with_signal):
        self.process.send_signal(with_signal)
        try:
            return self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"still there {PATIENCE} s after {with_signal.name}:\n{self.log()[-2000:]}") from None


def held_routes(sim, lid):
    """{LID: port} of the switch with that LID."""
    text = sim.client(["ibroute", str(lid)]).stdout
    return {int(lid, 16): int(port) for lid, port in re.findall(r"^0x([0-9a-f]+) (\d+)\s", text, re.M)}


@dataclasses.dataclass
class SmRun:
    """A completed run of a subnet manager: the folder of its dumps, its log, and the time."""
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


def opensm_once(sim, folder, *options, timeout=900):
    """OpenSM, once, with the log flags that make it write every dump and time-stamp its routing."""
    needs("opensm")
    return _sm_once(sim, folder, ["opensm", "-o", "-D", "0x47"], options, timeout)


def weft_once(sim, folder, *options, timeout=900):
    return _sm_once(sim, folder, [weft_binary(), "sm", "--once", *PATIENT], options, timeout)


def _sm_once(sim, folder, command, options, timeout):
    folder = pathlib.Path(folder)
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    log = folder / "opensm.log"
    started = time.monotonic()
    done = sim.client([*command, "-f", log, "--dump_files_dir", folder, *options], timeout=timeout,
                      extra={"OSM_CACHE_DIR": str(folder / "cache"), "OSM_TMP_DIR": str(folder)})
    seconds = time.monotonic() - started
    text = log.read_text(errors="replace") if log.exists() else ""
    if "SUBNET UP" not in text:
        raise AssertionError(f"no SUBNET UP in {log}: {done.stdout[-1000:]}{done.stderr[-1000:]}{text[-2000:]}")
    return SmRun(folder, text, done.stdout, seconds)


_STAMP = re.compile(r"^\w+ +\d+ (\d+):(\d+):(\d+) (\d{6}) ")


def _stamp(line):
    hours, minutes, seconds, micros = map(int, _STAMP.match(line).groups())
    return ((hours * 60 + minutes) * 60 + seconds) + micros / 1e6


def opensm_route_seconds(log):
    """Routing time of the engine that succeeded: (seconds, engine). From the first "building routing with" to the last
    "tables configured on all switches", so it includes failed attempts."""
    begins = [(line, re.search(r"building routing with '([^']+)'", line)) for line in log.splitlines()]
    begins = [(_stamp(line), found.group(1)) for line, found in begins if found]
    ends = [(_stamp(line), re.search(r"process: (\S+) tables configured", line).group(1)) for line in log.splitlines()
            if "tables configured on all switches" in line]
    if not begins or not ends:
        raise AssertionError("OpenSM's log names no routing")
    end, engine = ends[-1]
    begin = [stamp for stamp, name in begins if stamp <= end][-1]
    return end - begin, engine


@dataclasses.dataclass
class IbdmchkVerdict:
    """The result of ibdmchk on a folder of dumps. `accepted`: it read every file and completed."""
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
