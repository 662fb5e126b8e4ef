# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The package of the last release before the current commit, built from the sources of the release.
released.py FOLDER   builds the package in FOLDER/COMMIT, unless it exists"""
import os
import pathlib
import re
import sys
import tempfile

from machine import SKIPPED, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = re.compile(r"Release (\d+\.\d+\.\d+)")


class Missing(Exception):
    """Raised if there is no release to build."""


def git(*words, check=True):
    # These tests run as root, and the tree may belong to another user.
    return run(["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, *words], check=check)


def last_release():
    """(version, commit) of the tag `v`x with the highest version before the current commit; in a clone without tags, of the newest
    commit `Release x`."""
    if git("rev-parse", "HEAD", check=False).returncode != 0:
        raise Missing("the sources are no git repository")
    past = git("log", "--skip=1", "--format=%H %s", "HEAD").stdout.splitlines()
    commits = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in past}
    for tag in git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").stdout.split():
        commit = git("rev-parse", f"{tag}^{{commit}}").stdout.strip()
        if commit in commits:
            return tag[1:], commit
    for commit, subject in commits.items():
        if found := RELEASE.fullmatch(subject):
            return found[1], commit
    raise Missing("no tag v* and no commit 'Release x' before the current commit")


def build(commit, source, packages):
    """Builds all packages of the commit from an archive of its sources, in the folder `packages`. The environment variables let ccache use results
    from other source folders."""
    git("archive", "--output", source / "sources.tar", commit)
    run(["tar", "-x", "-C", source, "-f", source / "sources.tar"])
    environment = os.environ | {"CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    run(["cmake", "--preset", "release", "-DWEFT_TESTS=OFF"], cwd=source, env=environment)
    run(["cmake", "--build", "--preset", "release", "-j", jobs, "--target", "installed"], cwd=source, env=environment, timeout=3 * 3600)
    run(["cpack", "-G", "DEB", "-B", packages], cwd=source / "build/release", env=environment, umask=0o022)


def released_package(kept):
    """(version, path) of the package that WEFT_RELEASED names. Without WEFT_RELEASED, of the package of the last release in the folder `kept`,
    which is built if `kept` does not contain it."""
    if given := os.environ.get("WEFT_RELEASED"):
        deb = pathlib.Path(given).resolve()
        return run(["dpkg-deb", "-f", deb, "Version"]).stdout.strip(), deb
    version, commit = last_release()
    wanted = kept / commit / f"weft_{version}_amd64.deb"
    if not wanted.exists():
        with tempfile.TemporaryDirectory(prefix="weft-released-") as folder:
            build(commit, pathlib.Path(folder), wanted.parent)
    if not wanted.exists():
        raise AssertionError(f"the build of {commit} gave no {wanted}")
    return version, wanted


if __name__ == "__main__":
    try:
        print("the package of release {}: {}".format(*released_package(pathlib.Path(sys.argv[1]).resolve())))
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
