#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The target `installed` makes every generated file that an installation copies: `make package` of a clean clone builds only this target.

installed_test.py BUILD_FOLDER
"""
import glob
import pathlib
import re
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "installed"], check=True, capture_output=True, text=True).stdout
copied = set()
# Other tests create and remove folders at the same time: pathlib fails if a folder was removed, glob does not.
for script in map(pathlib.Path, glob.iglob(f"{build}/**/cmake_install.cmake", recursive=True)):
    for files in re.findall(r"file\(INSTALL .*? TYPE (?:FILE|EXECUTABLE|PROGRAM).*? FILES (.*?)\)", script.read_text(), re.S):
        copied.update(re.findall(rf'"{build}/([^"]+)"', files))
assert {"bin/weft", "completion/bash"} <= copied, copied
# CMake itself writes the files of these folders; one command writes all man pages.
configured = ("packaging/", "CMakeFiles/Export/")
missing = sorted(file for file in copied if not file.startswith(configured)
                 and not re.search(rf"[ /]{re.escape(re.sub('^man/.*', 'man', file))}( |$)", commands, re.M))
assert not missing, f"not made by the target installed: {missing}"
print(f"{len(copied)} files: good")
