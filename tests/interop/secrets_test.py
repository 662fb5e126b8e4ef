#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests confidentiality. `keys`: a manager with four keys and a token runs at full verbosity on an emulated fabric, reloads a configuration with other
keys, and stops; keys occur only in key files, which only their owner can read. `binary`: the programs are hardened. `unit`: the rating
of the service unit by `systemd-analyze security` is at most 1.6 (exposure), and the unit permits the manager to lower priorities."""
import json, os, pathlib, platform, re, shutil, signal, stat, subprocess, sys, tempfile
from manager import Manager
from weft_interop import ROOT, check, run, skip, weft_binary

KEYS = {"m_key": (0x1122334455667788, 0x2132435465768798), "sm_key": (0x5A5B5C5D5E5F6061, 0x6A6B6C6D6E6F7071),
        "sa_key": (0x7A7B7C7D7E7F8081, 0x8A8B8C8D8E8F9091), "cc_key": (0x3132333435363738, 0x4142434445464748)}
TOKEN = "open-sesame-4711"
KEY_FILES = ("guid2mkey", "neighbors")  # these files, and temporary files with these names as a prefix, may contain M_Keys


def configuration(folder, which):
    keys = "".join(f"{name} 0x{values[which]:x}\n" for name, values in KEYS.items())
    return (keys + "m_key_protection_level 2\nm_key_lease_period 60\nsa_db_dump TRUE\ncongestion_control TRUE\nlmc 1\n"
            "perfmgr TRUE\nperfmgr_sweep_time_s 1\nsweep_interval 1\nconsole loopback\nconsole_port 0\n"
            f"console_token_file {folder}/token\n")


def spellings():
    for values in KEYS.values():
        for key in values:
            yield from (f"{key:x}".encode(), f"{key:X}".encode(), str(key).encode(), key.to_bytes(8, "big"),
                        key.to_bytes(8, "little"))
            yield from (f"{key >> 32:08x} {key & 0xFFFFFFFF:08x}".encode(), ":".join(f"{b:02x}" for b in key.to_bytes(8, "big")).encode())
    yield TOKEN.encode()


def test_keys(folder):
    config = folder / "conf"
    config.write_text(configuration(folder, 0))
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "token").chmod(0o600)
    with Manager(folder, "-F", config, "-D", "0xff", emulate="fattree2:k=4") as manager:
        config.write_text(configuration(folder, 1))
        manager.send(signal.SIGHUP)
        keys = folder / "cache" / "guid2mkey"
        manager.wait_for("the keys of the second configuration", lambda: keys.exists() and f"{KEYS['m_key'][1]:x}" in keys.read_text())
        manager.send(signal.SIGUSR1)
        manager.wait_for_up(2)
    seen = 0
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in ("conf", "token")):
        content = path.read_bytes()
        found = [word for word in spellings() if word in content]
        is_key_file = path.name.startswith(KEY_FILES)
        check(not found or is_key_file, f"{path.name} shows {found}")
        if is_key_file or path.name == "opensm-sa.dump":
            mode = stat.S_IMODE(path.stat().st_mode)
            check(mode == 0o600, f"{path.name} has mode {mode:o}, expected 600")
        seen += 1 if found else 0
    check(seen > 0, "no file contains a key, expected M_Keys in the key files")
    check(" D -> " in manager.log(), "the log is not verbose")


def test_binary(_):
    program = pathlib.Path(weft_binary())
    for each in (program, program.with_name("weft-mpi")):
        if each.exists():
            check_program(each)
    check_commands(program.parent.parent / "compile_commands.json")


def check_program(program):
    header = run(["readelf", "-hldW", program]).stdout
    for what, pattern in (("position independent", r"Type:\s+DYN"), ("RELRO", "GNU_RELRO"),
                          ("bound at start", r"BIND_NOW|Flags:.*\bNOW\b")):
        check(re.search(pattern, header), f"{program} is not {what}")
    stack = re.search(r"GNU_STACK.*?\s(RWE|RW)\s", header)
    check(stack and stack.group(1) == "RW", f"{program}: the stack can be executed")
    for line in header.splitlines():
        check(not re.search(r"LOAD.*\bRWE\b", line), f"{program}: memory that is writable and executable: {line}")
    for what in ("TEXTREL", "RPATH", "RUNPATH"):
        check(what not in header, f"{program} has {what}")
    symbols = run(["nm", "-D", program]).stdout
    for what in ("__stack_chk_fail", "__memcpy_chk", "__glibcxx_assert_fail"):
        check(what in symbols, f"{program} is built without {what}")
    if platform.machine() == "x86_64":
        code = run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", program]).stdout
        check(re.search(r"<main>:\n\s*\w+:\s+endbr64", code), f"{program}: no endbr64 at the function main")
    folders = set(re.findall(rb"(?<![\w./-])/[\w./-]*src/(?:base|ib|fabric|routing|sm|sa)/\w+\.(?:cpp|h)", program.read_bytes()))
    check(not folders, f"{program} contains paths of the machine that built it: {sorted(folders)[:3]}")


def check_commands(database):
    """Checks compiler options that cannot be recognized in the program."""
    flags = ["-D_FORTIFY_SOURCE=3", "-D_GLIBCXX_ASSERTIONS", "-fstack-protector-strong", "-fstack-clash-protection"]
    if platform.machine() == "x86_64":
        flags.append("-fcf-protection=full")
    sources = [entry for entry in json.loads(database.read_text()) if " -o src/" in entry["command"]]
    compiled = {re.search(r" -o src/(\w+)/", entry["command"])[1] for entry in sources}
    layers = {file.parent.name for file in (ROOT / "src").glob("*/CMakeLists.txt")}
    check(layers and layers <= compiled, f"{database}: no sources of {sorted(layers - compiled)}")
    for entry in sources:
        words = entry["command"].split()
        for flag in flags:
            check(flag in words, f"{entry['file']} is compiled without {flag}")
        levels = [word for word in words if re.match("-[UD]_FORTIFY_SOURCE|-O", word)]
        check("-O0" not in levels and levels[-1] != "-U_FORTIFY_SOURCE",
              f"{entry['file']}: {levels}, expected no -O0 and no -U_FORTIFY_SOURCE at the end")


def test_unit(folder):
    if shutil.which("systemd-analyze") is None:
        skip("systemd-analyze is not installed")
    script = pathlib.Path(weft_binary()).parent.parent / "packaging" / "install.cmake"
    run(["cmake", "-DCMAKE_INSTALL_PREFIX=/usr", "-P", script], env={**os.environ, "DESTDIR": str(folder)})
    for name, instance in (("weft-sm.service", "weft-sm.service"), ("weft-sm@.service", "weft-sm@0x0002c903000e0b72.service")):
        text = (folder / "usr/lib/systemd/system" / name).read_text()
        check(re.search("^ExecStart=/usr/bin/weft sm", text, re.M), f"{name} does not start /usr/bin/weft sm")
        unit = folder / instance
        unit.write_text(re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", text, flags=re.M))
        check_unit(unit)


def check_unit(unit):
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    check(done.returncode == 0 and "Unknown" not in done.stderr, done.stderr)
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=16", str(unit)],
                          capture_output=True, text=True)
    print(done.stdout.strip().splitlines()[-1])
    check(done.returncode == 0, "the exposure of the unit is above 1.6")
    permitted = permitted_calls(unit.read_text())
    check("setpriority" in permitted, "the unit refuses setpriority, so the threads of the HTTP service keep their priority")
    extra = permitted & {"sched_setscheduler", "nice", "setrlimit", "chown", "setuid", "bpf"}
    check(not extra, f"the unit permits {sorted(extra)}")


def permitted_calls(unit):
    """The system calls that the lines SystemCallFilter= permit; the first of these lines lists permitted calls."""
    permitted = set()
    for minus, words in re.findall("^SystemCallFilter=(~?)(.*)$", unit, re.M):
        for word in words.split():
            permitted = permitted - calls_of(word) if minus else permitted | calls_of(word)
    return permitted


def calls_of(word):
    """The call with this name, or the calls of a group such as @resources."""
    if not word.startswith("@"):
        return {word}
    lines = run(["systemd-analyze", "syscall-filter", "--no-pager", word]).stdout.splitlines()
    members = [line.strip() for line in lines if line.startswith(" ") and not line.strip().startswith("#")]
    return {call for member in members for call in calls_of(member)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        {"keys": test_keys, "binary": test_binary, "unit": test_unit}[sys.argv[1]](pathlib.Path(where))
    print("ok")
