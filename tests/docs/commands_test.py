#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs the commands of a page: commands_test.py PAGE.md [--write]

In blocks marked `console`, a line that begins with "$ " is a command (continued after a backslash), followed by its expected output.
All commands run in one shell, in an empty folder, with weft on the PATH. A line "..." stands for any lines; times and rates may differ.
`status N` as the last line is the expected exit status, by default 0. --write updates the page with the current output, for review, but keeps
the output of commands that has a line "...".
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
MASKS = ((r"\d+\.\d+ ?s\b", "_ s"), (r"\b\d\.\d{4}\b", "_"), (r"\d+ per second", "_ per second"), (r"(discover|route|verify|program) \d+\.\d+", r"\1 _"),
         (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "_"))


def masked(line):
    for pattern, mask in MASKS:
        line = re.sub(pattern, mask, line)
    return re.sub(r"\s+", " ", line).strip()


def commands_of(block):
    """[[command, expected lines of output]] of each command of the block."""
    found = []
    is_continued = False
    for line in block.splitlines():
        if is_continued:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
        is_continued = (is_continued or line.startswith("$ ")) and line.endswith("\\")
    return found


def agrees(wanted, printed):
    """True if the printed lines match the wanted lines. A wanted line "..." matches any lines."""
    if not wanted:
        return not printed
    if wanted[0].strip() == "...":
        return any(agrees(wanted[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and masked(wanted[0]) == masked(printed[0]) and agrees(wanted[1:], printed[1:])


class Shell:
    def __init__(self, folder):
        weft = pathlib.Path(os.environ["WEFT"]).resolve()
        environment = {**os.environ, "PATH": f"{weft.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "OSM_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
        (folder / "cache").mkdir()
        self.process = subprocess.Popen(["bash", "--norc", "-s"], cwd=folder, env=environment, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)

    def run(self, command):
        """Runs a command in the shell; returns (lines of output, exit status)."""
        mark = "-- end of the command --"
        self.process.stdin.write(f"{{ {command}\n}} < /dev/null\necho \"{mark} $?\"\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(mark):
                return lines, int(line[len(mark):])
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the shell ended in: {command}")

    def end(self):
        subprocess.run(["pkill", "-KILL", "-s", str(self.process.pid)])
        self.process.wait()


def main():
    page = pathlib.Path(sys.argv[1])
    write = sys.argv[2:] == ["--write"]
    text = page.read_text()
    wrong = []
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(pathlib.Path(folder))

        def block(match):
            nonlocal ran
            result = []
            for command, wanted in commands_of(match.group(1)):
                ran += 1
                printed, status = shell.run(command)
                if status != 0:
                    printed.append(f"status {status}")
                if not agrees(wanted, printed):
                    wrong.append(f"$ {command}\nexpected by the page:\n" + "\n".join(wanted) + "\nprinted:\n" + "\n".join(printed))
                keep = any(line.strip() == "..." for line in wanted)
                result += ["$ " + command, *(wanted if keep else printed)]
            return "```console\n" + "\n".join(result) + "\n```"

        try:
            fresh = BLOCK.sub(block, text)
        finally:
            shell.end()
    if write:
        page.write_text(fresh)
        return 0
    if ran == 0:
        wrong.append("the page has no command")
    print("\n\n".join(wrong) or f"{ran} commands match {page.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
