# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A private ibsim server and its clients. Every server has its own folder and socket name, so that tests can run in parallel."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from processes import PATIENCE, check, must_be_good, needs, run, tool, wait_for, weft_binary

# Options of Weft's manager on ibsim. ibsim loses no packets: if an answer is late, the machine is busy.
PATIENT = ["-t", "2000"]


def preloaded(command, library="umad_kernel"):
    """The command for a program with a library that is preloaded after ibsim's library, by default the functions of the kernel that ibsim lacks
    (umad_kernel.cpp). OpenSM needs these functions if another manager ends, because OpenSM waits for an answer or a timeout of each request."""
    return ["sh", "-c", f'LD_PRELOAD="$LD_PRELOAD:{tool(f"lib{library}.so")}" exec "$@"', "sh", *command]


def never_blocked(command):
    """The command for a program that sends to ibsim without waiting for free space in the socket (ibsim_socket.cpp), for floods of MADs."""
    return preloaded(command, "ibsim_socket")


def memory_folder():
    """A folder in memory; None if the machine has none. Each client of ibsim writes 60 small files at its start. If files were removed in the last
    seconds, ext4 takes ten times the run time of the client to find free inodes."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


class Ibsim:
    """A private ibsim server for one net file. Use as a context manager."""

    def __init__(self, net, nodes=8192, switches=4096, ports=262144, linear_cap=49152):
        needs("ibsim", "ibsim-run", "smpquery")
        self.net = pathlib.Path(net)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-ibsim-", dir=memory_folder()))
        self.limits = ["-N", nodes, "-S", switches, "-P", ports, "-L", linear_cap]
        self.process = None
        self.marks = 0
        # Socket names are in an abstract namespace of the whole machine and must be unique.
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"weft-{os.getpid()}-{self.folder.name}")

    def __enter__(self):
        self.log = open(self.folder / "ibsim.log", "w+")
        self.process = subprocess.Popen(["ibsim", "-s", *map(str, self.limits), str(self.net.name)], cwd=self.net.parent,
                                        stdin=subprocess.PIPE, stdout=self.log, stderr=subprocess.STDOUT, text=True,
                                        env=self.environment)
        try:
            self._wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait_until_ready(self):
        """Waits until a client gets NodeInfo of the first node. ibsim has then parsed the net and serves clients."""
        def is_ready():
            check(self.process.poll() is None, f"ibsim ended: {self.output()[-2000:]}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.client(["smpquery", "-D", "nodeinfo", "0"], check=False, timeout=20).returncode == 0
        wait_for(lambda: f"ibsim is ready: {self.output()[-2000:]}", is_ready)

    def output(self):
        self.log.flush()
        return (self.folder / "ibsim.log").read_text(errors="replace")

    def console(self, *lines, timeout=PATIENCE):
        """Executes commands on the console of ibsim, such as: unlink "S1"[3]. Then sends an unknown command, and waits until ibsim rejects this
        command, since ibsim has then executed the commands before."""
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
        """Runs a tool to its end. A tool that failed before any output, or ended by SIGABRT, is started again: the receiving thread of ibsim's
        library crashes (signal 11) on a MAD that arrives before the program has opened its port, a busy ibsim refuses connections, and
        libibnetdisc frees memory twice (signal 6) if a response comes late. Subnet managers are not restarted: their crashes must be visible."""
        # Clients run in the folder of the server, because a killed client leaves its emulated /sys there.
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
        """Runs the tool sa_ask; returns the lines of its output."""
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
        shutil.rmtree(self.folder, ignore_errors=True)


def held_routes(sim, lid):
    """{LID: port} of the switch with this LID, read by ibroute."""
    text = sim.client(["ibroute", "-n", str(lid)]).stdout
    return {int(lid, 16): int(port) for lid, port in re.findall(r"^0x([0-9a-f]+) (\d+)\s", text, re.M)}
