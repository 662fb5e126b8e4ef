#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests weft doctor on folders in place of /sys, /dev and /proc. For a machine with one fault weft doctor reports the fault and how to correct it;
for a machine without faults it reports nothing. Also tests weft setup and weft support.

Usage: doctor_test.py
"""
import json
import os
import pathlib
import tempfile

from http_client import TOKEN, token_file
from manager import Manager
from processes import run, weft_binary
from weft_interop import check

GOOD = {"link_layer": "InfiniBand", "state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "200 Gb/sec (4X HDR)", "lid": "0x7", "sm_lid": "0x7"}


class Machine:
    """Folders with the files of the kernel. `devices`: {name: (attributes, [attributes of each port])}."""

    def __init__(self, folder, devices, processes=()):
        self.folder = folder
        number = 0
        for name, (attributes, ports) in devices.items():
            self.write(f"sys/class/infiniband/{name}", attributes)
            for index, port in enumerate(ports, 1):
                self.write(f"sys/class/infiniband/{name}/ports/{index}", port)
                if port.get("umad", True):
                    for kind in ("umad", "issm"):
                        self.write(f"sys/class/infiniband_mad/{kind}{number}", {"ibdev": name, "port": str(index)})
                        self.write("dev/infiniband", {f"{kind}{number}": ""})
                number += 1
        for pid, comm in enumerate(processes, 100):
            self.write(f"proc/{pid}", {"comm": comm})

    def write(self, path, files):
        (self.folder / path).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if isinstance(text, str):
                (self.folder / path / name).write_text(text + "\n")

    def doctor(self, *words):
        done = run([weft_binary(), "doctor", "--json", *[word for name in ("sys", "dev", "proc") for word in (f"--{name}", self.folder / name)], *words], check=False)
        return done.returncode, json.loads(done.stdout)


def check_fault(folder, number, devices, wanted, problem, processes=(), words=()):
    status, answer = Machine(folder / str(number), devices, processes).doctor(*words)
    found = [finding for finding in answer["findings"] if wanted in finding["text"]]
    check(len(found) == 1 and found[0]["fix"], f"expected {wanted!r}: {answer}")
    check(found[0]["severity"] == ("problem" if problem else "warning") and status == (1 if problem else 0), f"{wanted}: {status} {answer}")


def check_setup(folder):
    """`weft setup` accepts answers, defaults and options; `weft check` accepts the file that it writes."""
    devices = {f"mlx5_{i}": ({}, [GOOD]) for i in range(2)}
    machine = Machine(folder / "setup", devices)
    for i in range(2):
        machine.write(f"sys/class/infiniband/mlx5_{i}/ports/1/gids", {"0": f"fe80:0000:0000:0000:0002:c903:000e:0b7{i}"})

    def setup(answers, *words, status=0):
        done = run([weft_binary(), "setup", "--sys", folder / "setup/sys", *words], input=answers, check=False)
        check(done.returncode == status, f"{answers!r} {words}: {done.returncode}, {done.stderr}")
        return done.stdout, done.stderr

    text, questions = setup("2\n5\nnone\n")
    check("guid 0x0002c903000e0b71\nsm_priority 5\n" in text and "http" not in text.split("\n", 1)[1], text)
    check("2: mlx5_1 port 1, 0x0002c903000e0b71, ACTIVE" in questions, questions)
    check("guid 0x0002c903000e0b70\nsm_priority 0\nhttp 127.0.0.1:9115\n" in setup("")[0], "weft setup without answers does not write the defaults")
    text, questions = setup("3\n1\n16\n15\nall\n")
    check("found '3'" in questions and "found '16'" in questions and "http_token_file /etc/weft/http-token" in text, text + questions)
    path = folder / "new.conf"
    setup("", "-o", path, "--port", "0x0002c903000e0b71", "--priority", "3", "--http", "local")
    check(run([weft_binary(), "check", "-F", path], check=False).returncode == 0, path.read_text())
    setup("", "-o", path, status=2)
    setup("", "--port", "0x1", status=2)
    setup("", "--http", "some", status=2)
    done = run([weft_binary(), "setup", "--sys", folder / "nowhere"], check=False)
    check(done.returncode == 3 and "no InfiniBand port" in done.stderr, done.stderr)


def check_support(folder):
    """The folder of `weft support` has the answers of a running manager and no secrets; a second run does not write into it."""
    token = token_file(folder)
    secret = "0x1234567890abcdef"
    conf = folder / "secret.conf"
    conf.write_text(f"m_key {secret}\nkey_mgr_seed 00112233445566778899aabbccddeeff\n")
    with Manager(folder, "-F", conf, "--http_token_file", token, emulate="fattree2:k=4", http=True) as manager:
        environment = dict(os.environ, WEFT_SERVER=f"http://127.0.0.1:{manager.http.port}", WEFT_TOKEN_FILE=str(token))
        words = [weft_binary(), "support", folder / "bundle", "-F", conf, "--sys", folder / "good/sys"]
        done = run(words, env=environment)
        files = {path.name: path for path in (folder / "bundle").iterdir()}
        check(set(files) >= {"version.txt", "doctor.json", "configuration.json", "fabric.json", "nodes.json", "events.json", "engines.json"}, sorted(files))
        check("server-errors.txt" not in files and all(name in done.stdout for name in files), done.stdout)
        check(json.loads(files["fabric.json"].read_text())["state"] == "MASTER", "fabric.json does not have the state MASTER")
        check((folder / "bundle").stat().st_mode & 0o777 == 0o700 and all(path.stat().st_mode & 0o777 == 0o600 for path in files.values()),
              "the modes of the folder and of its files are not 0700 and 0600")
        for word in (TOKEN, secret, secret[2:], "00112233445566778899aabbccddeeff"):
            check(not [name for name, path in files.items() if word in path.read_text()], f"{word} is in the bundle")
        check(run(words, env=environment, check=False).returncode == 2, "weft support writes into an existing folder")
    words[2] = folder / "alone"
    run(words, env=environment)
    check("no connection" in (folder / "alone/server-errors.txt").read_text(), "server-errors.txt does not report that no manager responds")


def main():
    board = {"fw_ver": "20.39.1002", "board_id": "MT_0000000223"}
    with tempfile.TemporaryDirectory(prefix="weft-doctor-") as name:
        folder = pathlib.Path(name)
        empty = folder / "opensm.conf"
        empty.write_text("m_key_per_port TRUE\nkey_mgr_seed 00112233445566778899aabbccddeeff\n")
        status, answer = Machine(folder / "good", {"mlx5_0": (board, [GOOD])}).doctor("-F", empty)
        check(status == 0 and answer["findings"] == [], answer)
        check(answer["devices"][0]["ports"][0]["gbps"] == 200 and answer["devices"][0]["firmware"] == "20.39.1002", answer)

        def one_device(**other):
            return {"mlx5_0": (board, [dict(GOOD, **other)])}

        two = {"mlx5_0": (board, [GOOD]), "mlx5_1": (board, [dict(GOOD, rate="100 Gb/sec (4X EDR)")])}
        for number, (devices, wanted, problem) in enumerate((
                ({}, "no InfiniBand device", True), (one_device(link_layer="Ethernet"), "in InfiniBand mode", True),
                (one_device(state="1: DOWN", phys_state="3: Disabled"), "is disabled", True), (one_device(state="1: DOWN", phys_state="2: Polling"), "no link", True),
                (one_device(state="2: INIT"), "no subnet manager has configured it", False), (one_device(state="3: ARMED"), "ARMED", False),
                (one_device(umad=False), "no device file for management packets", True), (one_device(sm_lid="0x9"), "subnet manager at LID 9", False),
                (one_device(rate="50 Gb/sec (1X HDR)"), "runs on 1 of 4 lanes", False), (two, "runs at 100 Gbit/s", False),
                ({"mlx5_0": (board, [GOOD]), "mlx5_1": (dict(board, fw_ver="20.35.1012"), [GOOD])}, "different firmware: 20.35.1012, 20.39.1002", False))):
            check_fault(folder, number, devices, wanted, problem, words=("-F", empty))
        check_fault(folder, "process", one_device(), "opensm (process 101)", False, processes=("bash", "opensm"), words=("-F", empty))
        machine = Machine(folder / "files", one_device())
        (folder / "files/dev/infiniband/umad0").unlink()
        (folder / "files/dev/infiniband/umad0").symlink_to("nowhere")
        status, answer = machine.doctor("-F", empty)
        check(status == 1 and "umad0 cannot be opened" in answer["findings"][0]["text"], answer)
        for number, (text, wanted) in enumerate((("http 0.0.0.0:9115", "tokens are readable"), ("trust_public_sa_key TRUE", "trust_public_sa_key"),
                                                 ("m_key 0", "m_key 0"), ("no_clients_rereg TRUE", "no_clients_rereg"))):
            path = folder / f"conf{number}"
            path.write_text(text + "\n")
            check_fault(folder, f"risk{number}", one_device(), wanted, False, words=("-F", path))
        wrong = folder / "wrong.conf"
        wrong.write_text("sm_priority 99\n")
        check_fault(folder, "wrong", one_device(), f"{wrong}:1", True, words=("-F", wrong))
        check_support(folder)
        check_setup(folder)
    print("doctor: passed")


if __name__ == "__main__":
    main()
