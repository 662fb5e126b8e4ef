# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A running subnet manager: `weft sm` on an ibsim server or on an emulated fabric, or OpenSM on an ibsim server.

    with Manager(folder, "-s", "2", sim=sim) as manager:  # the subnet is up
        ups = manager.ups()
        sim.console('unlink "S-0010000000000005"[1]')
        manager.wait_for_up(ups + 1)

    with Manager(folder, "-R", "ftree", emulate="fattree2:k=4", http=True) as manager:
        status, fabric = manager.http.json("/api/v1/fabric")

    with Manager(folder / "other", "-p", 5, program="opensm", sim=sim, host=host, up=False) as opensm:
        opensm.becomes("STANDBY")

At the end of the block Weft must end on SIGTERM with status 0. After a failure of the test the manager is killed.
"""
import os
import re
import signal
import subprocess

from console_session import Session
from http_client import HttpClient
from ibsim import PATIENT
from processes import PATIENCE, check, children, needs, wait_for, weft_binary

# The log contains this text once the program has opened its port.
STARTED = {"weft": "Weft ", "opensm": "Entering DISCOVERING"}
STARTS = 8  # attempts to start: ibsim's library may crash at the start, or a busy ibsim refuses the connection
OPENSM_ENDS = 5  # seconds until OpenSM is killed if it does not end; ibsim does not free the slot of a killed client
CLASS_PORT_INFO = "1 1 0 0 0"  # a query for sa_ask


class Manager:
    """A manager with files in `folder`: PROGRAM.log, PROGRAM.out (standard output and error), the folders cache and dumps.

    sim, host     the ibsim server, and the host on it with the port of the manager (by default the first node of the net)
    emulate       without `sim`: the fabric that Weft emulates
    http          an address for --http, or True for a free port of this machine; the service is then `self.http`
    console       a value of --console; session() connects to it, or `self.process.stdin` writes to it if it is "local"
    up            whether to wait until the subnet is up; a standby never logs SUBNET UP
    environment   more variables; None removes one
    through       a function that returns the command of a program that starts the given command, such as ibsim.preloaded
    """

    def __init__(self, folder, *options, program="weft", sim=None, host=None, emulate=None, http=None, console=None, up=True,
                 environment=None, through=list):
        if program == "opensm":
            needs("opensm")
        self.folder, self.program, self.sim, self.host, self.http = folder, program, sim, host, None
        self.log_path, self.output_path, self.dumps = folder / f"{program}.log", folder / f"{program}.out", folder / "dumps"
        self.ended = False  # whether the test has ended the manager
        for used in (folder / "cache", self.dumps):
            used.mkdir(parents=True, exist_ok=True)
        command = ["opensm", "-d", "2"] if program == "opensm" else [weft_binary(), "sm"]
        command += ["-f", self.log_path]
        if program == "weft" and sim and "-t" not in options:
            command += PATIENT
        if console:
            command += ["--console", console, *{"local": [], "unix": ["--console_socket", folder / "console.sock"]}.get(
                console, ["--console-port", "0"])]
        if http:
            command += ["--http", "127.0.0.1:0" if http is True else http]
        command = through([str(word) for word in [*command, *options, *(["--emulate", emulate] if emulate else [])]])
        self._start(command, environment or {}, subprocess.PIPE if console == "local" else subprocess.DEVNULL)
        try:
            if http:
                port = self.wait_for("the port of the HTTP service", lambda: re.search(r"HTTP on \S+:(\d+)", self.log()))
                self.http = HttpClient(int(port[1]))
            if up:
                self.wait_for_up(1)
                self.wait_for("the HTTP service is ready", lambda: not http or self.http.get("/readyz")[0] == 200)
        except BaseException:
            self.kill()
            raise

    def _start(self, command, variables, stdin):
        environment = self.sim.client_environment(self.host) if self.sim else dict(os.environ)
        environment |= {"OSM_CACHE_DIR": self.folder / "cache", "OSM_TMP_DIR": self.dumps, **variables}
        environment = {name: str(value) for name, value in environment.items() if value is not None}
        for _ in range(STARTS):
            self.log_path.unlink(missing_ok=True)
            with open(self.output_path, "w") as output:
                self.process = subprocess.Popen([*(["ibsim-run"] if self.sim else []), *map(str, command)], env=environment, stdin=stdin,
                                                stdout=output, stderr=subprocess.STDOUT, cwd=self.sim.folder if self.sim else None)
            wait_for(lambda: f"{self.program} opens its port{self._ends_of_logs()}",
                     lambda: self._has_started() or self.process.poll() is not None, pause=0.001)
            if not self._was_stopped_by_ibsim():
                break

    def _has_started(self):
        return STARTED[self.program] in self.log()

    def _was_stopped_by_ibsim(self):
        crashed = self.process.poll() == -signal.SIGSEGV and not self._has_started()
        return crashed or self.process.poll() is not None and "sim_init: connect failed" in self.output()

    def _ends_of_logs(self):
        return f"; {self.log_path} ends:\n{self.log()[-2500:]}\nand its output:\n{self.output()[-1000:]}"

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def output(self):
        return self.output_path.read_text(errors="replace")

    def wait_for(self, what, found, timeout=PATIENCE, pause=0.1):
        """Waits as wait_for() of processes.py does, but fails immediately if the manager has ended."""
        def found_while_running():
            status = self.process.poll()
            value = found()
            if not value and status is not None:
                raise AssertionError(f"{self.program} has ended with status {status}{self._ends_of_logs()}")
            return value
        return wait_for(lambda: f"{what() if callable(what) else what}{self._ends_of_logs()}", found_while_running, timeout, pause)

    def ups(self):
        """Number of SUBNET UP lines in the log."""
        return self.log().count("SUBNET UP")

    def wait_for_up(self, count=1):
        self.wait_for(f"SUBNET UP, {count} in all", lambda: self.ups() >= count)

    def wait_for_sa(self, host):
        """Waits until the SA answers queries from this host. The first query may be sent to a manager that was killed before."""
        self.wait_for("the SA answers", lambda: self.sim.sa_ask([CLASS_PORT_INFO] * 2, "-t", 2000, host=host)[1] != "silence")

    def http_processes(self, after=None):
        """Waits until the HTTP process serves; returns (pid of its starter, pid of the HTTP process). `after`: pid of an earlier process, which is
        ignored."""
        def found():
            for starter, name in children(self.process.pid).items():
                for pid, child_name in children(starter).items():
                    if name == "weft-starter" and child_name == "weft-http" and pid != after and f"HTTP process {pid} serves" in self.log():
                        return starter, pid
            return None
        return self.wait_for("the HTTP process serves", found)

    def state(self):
        """The state of the manager, read by SMInfo."""
        return self.wait_for(f"SMInfo of {self.program} on {self.host}", lambda: re.search(
            r"state \d SMINFO_(\w+)", self.sim.client(["sminfo", "-D", "0"], host=self.host, check=False).stdout))[1]

    def becomes(self, state):
        self.wait_for(f"{self.program} on {self.host} becomes {state}", lambda: self.state() == state)

    def session(self, token=None):
        """Opens a session of the console, on the Unix socket or over TCP."""
        path = re.search(r"console on (/\S+)", self.log())
        return Session(path[1] if path else self.console_port(), token)

    def console_port(self):
        return int(re.search(r"console on [\d.]+:(\d+)", self.log())[1])

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Sends this signal; returns the exit status. OpenSM is killed after OPENSM_ENDS seconds, because OpenSM may wait for a request without a
        response."""
        self.ended = True
        self.process.send_signal(number)
        try:
            return self.process.wait(timeout=OPENSM_ENDS if self.program == "opensm" else PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            if self.program == "opensm":
                return self.process.returncode
            raise AssertionError(f"the process still runs {PATIENCE} s after {number.name}{self._ends_of_logs()}") from None

    def kill(self):
        self.ended = True
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            self.kill()
        elif self.program == "opensm":
            self.end()
        elif not self.ended:
            status = self.end()
            check(status == 0, f"exit status {status} after SIGTERM{self._ends_of_logs()}")
            check("AddressSanitizer" not in self.output(), self.output())
