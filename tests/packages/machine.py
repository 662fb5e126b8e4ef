# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A Debian 12 in a folder, booted by systemd-nspawn: systemd is its first process, and it uses the network of the host."""
import os
import pathlib
import re
import shutil
import subprocess
import time

MIRROR = "http://deb.debian.org/debian"
BASE = "systemd,systemd-sysv,dbus,ca-certificates,logrotate,procps,psmisc,man-db,bash-completion"
BOOT_SECONDS = 600


class Unreachable(Exception):
    """The packages of Debian cannot be downloaded."""


# Messages of apt and debootstrap about the network.
NETWORK = re.compile("Failed to fetch|Temporary failure|Could not resolve|Could not connect|Couldn't download|Failed getting release file|"
                     "Unable to connect|Connection timed out|Connection failed|Hash Sum mismatch|couldn't be downloaded")


def run(command, check=True, timeout=1800, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          timeout=timeout, stdin=subprocess.DEVNULL, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def base(folder):
    """A new Debian, created once for all runs: `folder` exists completely or not at all."""
    if folder.exists():
        return folder
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    made = run(["debootstrap", "--variant=minbase", f"--include={BASE}", "bookworm", unfinished, MIRROR], check=False)
    if made.returncode != 0:
        raise Unreachable(f"debootstrap: exit status {made.returncode}: {(made.stdout + made.stderr)[-500:]}")
    unfinished.rename(folder)
    return folder


class Machine:
    """`with Machine(base, folder) as machine`: booted, and removed at the end."""

    def __init__(self, template, folder):
        self.root = folder
        shutil.rmtree(folder, ignore_errors=True)
        run(["cp", "-a", "--reflink=auto", template, folder])
        (folder / "etc/resolv.conf").unlink(missing_ok=True)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")

    def __enter__(self):
        try:
            return self._boot()
        except BaseException:
            self.__exit__()
            raise

    def _boot(self):
        self.init = None
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "-D", str(self.root), "--register=no", "--keep-unit", "--console=pipe",
             "--resolv-conf=off", "--boot"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + BOOT_SECONDS
        state = "no process"
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"systemd-nspawn ended: {self.process.stdout.read().decode(errors='replace')}")
            self.init = self._first_process()
            if self.init:
                state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
                if state in ("running", "degraded"):
                    return self
            time.sleep(0.3)
        raise AssertionError(f"the machine did not boot: {state}")

    def __exit__(self, *_):
        if self.init:
            self.run("systemctl", "poweroff", "--force", "--force", check=False)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def _first_process(self):
        """The machine's systemd; before it starts, systemd-nspawn has short-lived children."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in children:
            try:
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "systemd":
                    return int(pid)
            except FileNotFoundError:
                pass
        return None

    def run(self, *command, check=True, timeout=1800):
        """Runs a command inside."""
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        return run(["nsenter", "-t", self.init, "-m", "-u", "-i", "-p", *environment, *command], check=check, timeout=timeout)

    def apt(self, *words):
        done = self.run("apt-get", "-y", "-q", "--no-install-recommends", *words, check=False)
        if done.returncode != 0:
            text = f"apt-get {' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
            raise Unreachable(text[-500:]) if NETWORK.search(text) else AssertionError(text)
        return done

    def put(self, source, where):
        shutil.copy(source, self.root / where.lstrip("/"))
        return where

    def write(self, where, text):
        path = self.root / where.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def is_there(self, where):
        return os.path.lexists(self.root / where.lstrip("/"))
