#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that scripts/release tags a commit only if all files have the version of the tag, and that the last release is found by its tag or by the
subject of its commit."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import released

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "CMakeLists.txt": [(r"project\(weft VERSION [0-9.]+", "project(weft VERSION {}"), (r'set\(WEFT_STAGE ".*?"\)', 'set(WEFT_STAGE "")')],
    "web/package.json": [(r'"version": "[0-9.]+"', '"version": "{}"')],
    "web/package-lock.json": [(r'"version": "[0-9.]+"', '"version": "{}"')],
    "CHANGELOG.md": [(r"## Unreleased|## [0-9.]+ \(.*\)", "## {} (2026-01-01)")],
    "packaging/deb/changelog": [(r"weft \(.*?\)", "weft ({})")],
    "packaging/kubernetes/weft-sm.yaml": [(r"image: weft:\S+", "image: weft:{}")],
}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def git(folder, *words):
    done = subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-C", folder, *words], capture_output=True, text=True)
    check(done.returncode == 0, f"git {words}: {done.stderr}")
    return done.stdout.strip()


def commit(folder, subject):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def release(folder, version):
    return subprocess.run([folder / "scripts/release", version, "--no-tests"], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_AUTHOR_NAME": "test", "GIT_COMMITTER_NAME": "test",
                               "GIT_AUTHOR_EMAIL": "test@example.org", "GIT_COMMITTER_EMAIL": "test@example.org"})


def set_version(folder, name, version, kinds=None):
    path = folder / name
    text = path.read_text()
    for pattern, replacement in kinds or FILES[name]:
        changed = re.sub(pattern, replacement.format(version), text, count=1)
        check(re.search(pattern, text), f"{name}: no {pattern}")
        text = changed
    path.write_text(text)


def check_refusal_for_each_file(folder):
    for name, kinds in FILES.items():
        for kind in kinds:
            if name == "CMakeLists.txt" and "STAGE" in kind[0]:
                set_version(folder, name, "", [(kind[0], 'set(WEFT_STAGE "~dev")')])
            else:
                set_version(folder, name, "9.8.7", [kind])
            commit(folder, "Change one file")
            done = release(folder, "9.0.0")
            check(done.returncode == 1 and f"release: {name}: " in done.stderr, f"{name} {kind[0]}: {done}")
            git(folder, "reset", "-q", "--hard", "HEAD~1")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-release-") as scratch:
        folder = pathlib.Path(scratch)
        git(folder, "init", "-q")
        for name in [*FILES, "scripts/release"]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        released.ROOT = folder
        first = commit(folder, "Release 8.0.0")
        for name in FILES:
            set_version(folder, name, "9.0.0")
        second = commit(folder, "Release 9.0.0")
        check(released.last_release() == ("8.0.0", first), f"last release before a release commit: {released.last_release()}")
        check_refusal_for_each_file(folder)
        commit(folder, "Release 9.0.0 of a kind")
        commit(folder, "Change something")
        check(released.last_release() == ("9.0.0", second), f"last release by the subject of the commit: {released.last_release()}")
        git(folder, "tag", "-a", "v8.5.0", "-m", "x", first)
        check(released.last_release() == ("8.5.0", first), f"last release by the tag: {released.last_release()}")
        done = release(folder, "9.0.0")
        check(done.returncode == 0 and git(folder, "tag", "--list", "v9*") == "v9.0.0", f"no tag: {done}")
        check("tag v9.0.0 exists" in release(folder, "9.0.0").stderr, "expected an error for a tag that exists")
    return 0


if __name__ == "__main__":
    sys.exit(main())
