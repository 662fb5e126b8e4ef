# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A Debian 12 in memory, booted by systemd-nspawn. systemd is the first process of the machine, and the machine uses the network of the host.
`machine.py TAR` downloads the Debian once, for all tests."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MIRROR = "http://deb.debian.org/debian"
BASE = "systemd,systemd-sysv,dbus,ca-certificates,logrotate,procps,psmisc,man-db,bash-completion"
BOOT_SECONDS = 600
SKIPPED = 77


class Unreachable(Exception):
    """Raised if the packages of Debian cannot be downloaded."""


# Messages of apt about the network.
NETWORK = re.compile("Failed to fetch|Temporary failure|Could not resolve|Could not connect|Couldn't download|Failed getting release file|"
                     "Unable to connect|Connection timed out|Connection failed|Hash Sum mismatch|couldn't be downloaded")


def run(command, check=True, timeout=1800, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          timeout=timeout, stdin=subprocess.DEVNULL, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def failure(what, done):
    text = f"{what}\n{done.stdout}{done.stderr}"
    return Unreachable(text[-500:]) if NETWORK.search(text) else AssertionError(text)


def begin():
    """Skips the test if it does not run as root. Otherwise executes the test again in a mount namespace, so that the end of the test
    removes its mounts."""
    if os.geteuid() != 0:
        print("skipped: mmdebstrap and systemd-nspawn need root")
        sys.exit(SKIPPED)
    if "WEFT_OWN_MOUNTS" not in os.environ:
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv], os.environ | {"WEFT_OWN_MOUNTS": "1"})


def download(tar):
    """Downloads a Debian for all runs. `tar` is complete or does not exist."""
    if tar.exists():
        return
    unfinished = tar.with_name(tar.name + ".unfinished")
    with Memory() as memory:
        made = run(["mmdebstrap", "--mode=root", "--variant=minbase", "--format=tar", "--skip=cleanup/apt/lists", f"--include={BASE}",
                    "bookworm", unfinished, MIRROR], check=False, env=os.environ | {"TMPDIR": str(memory)})
    if made.returncode != 0:
        raise failure(f"mmdebstrap: exit status {made.returncode}", made)
    unfinished.rename(tar)


class Memory:
    """`with Memory() as folder`: a file system in memory. To write, synchronize and remove a thousand files takes a tenth of the time on a disk."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-machine-"))
        run(["mount", "-t", "tmpfs", "-o", "mode=0755,size=3g", "weft", self.folder])
        return self.folder

    def __exit__(self, *_):
        run(["umount", "--lazy", self.folder])
        self.folder.rmdir()


class Machine:
    """`with Machine(tar, folder) as machine`: boots the machine, and ends it at the end of the block. `folder` is in Memory."""

    def __init__(self, tar, folder):
        self.root = folder
        folder.mkdir()
        run(["tar", "-C", folder, "--numeric-owner", "--xattrs", "--xattrs-include=*", "-xf", tar])
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

    def _first_process(self):
        """Process id of the machine's systemd. Before systemd starts, systemd-nspawn has other, short-lived child processes."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in children:
            try:
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "systemd":
                    return int(pid)
            except FileNotFoundError:
                pass
        return None

    def run(self, *command, check=True, timeout=1800):
        """Runs a command inside the machine."""
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        return run(["nsenter", "-t", self.init, "-m", "-u", "-i", "-p", *environment, *command], check=check, timeout=timeout)

    def apt(self, *words):
        done = self.run("apt-get", "-y", "-q", "--no-install-recommends", *words, check=False)
        if done.returncode != 0:
            raise failure(f"apt-get {' '.join(map(str, words))}: exit status {done.returncode}", done)
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


if __name__ == "__main__":
    begin()
    try:
        download(pathlib.Path(sys.argv[1]))
    except Unreachable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
