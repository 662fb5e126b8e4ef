#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that the packages have valid bills of materials that list their content, and that packing twice gives the same bytes.

sbom_test.py BUILD_FOLDER --pack FOLDER   packs once, for this test and the life cycle test
sbom_test.py BUILD_FOLDER FOLDER          packs again and compares with the packages of FOLDER"""
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from machine import run

LICENSES = {"NOASSERTION", "NONE"}
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "DYNAMIC_LINK", "STATIC_LINK", "BUILD_DEPENDENCY_OF", "BUILD_TOOL_OF"}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def pack(build, where, **environment):
    os.environ.update(environment)
    run(["cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", where], cwd=build, umask=0o022)


def contents(where):
    return {path.name: path.read_bytes() for path in where.iterdir() if path.suffix in (".deb", ".json")}


def check_pattern(name, pattern, value):
    check(re.fullmatch(pattern, value), f"{name} is {value!r}, expected a text that matches {pattern}")


def check_form(bill):
    """Checks properties that SPDX 2.3 requires of a document, and that each element has a relationship."""
    for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
        check(bill[key] == value, f"{key} is {bill[key]}, expected {value}")
    check_pattern("documentNamespace", r"https://[^#\s]+", bill["documentNamespace"])
    check_pattern("created", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"])
    for creator in bill["creationInfo"]["creators"]:
        check_pattern("creator", r"(Person|Organization|Tool): .+", creator)
    elements = bill["packages"] + bill["files"]
    names = [entry["SPDXID"] for entry in elements]
    check(len(set(names)) == len(names), f"SPDXIDs that occur twice: {sorted({name for name in names if names.count(name) > 1})}")
    for entry in elements:
        check_pattern("SPDXID", r"SPDXRef-[A-Za-z0-9.-]+", entry["SPDXID"])
        for key in ("licenseConcluded", "copyrightText"):
            check(entry[key], f"{entry['SPDXID']} has no {key}")
        for checksum in entry.get("checksums", []):
            length = {"SHA1": 40, "SHA256": 64, "SHA512": 128}[checksum["algorithm"]]
            check(re.fullmatch(f"[0-9a-f]{{{length}}}", checksum["checksumValue"]),
                  f"{entry['SPDXID']}: expected {length} hexadecimal digits: {checksum}")
    for package in bill["packages"]:
        check(package["name"] and package["versionInfo"] and package["downloadLocation"],
              f"no name, versionInfo or downloadLocation: {package}")
        coded = "packageVerificationCode" in package
        check(package["filesAnalyzed"] == coded, f"{package['SPDXID']}: filesAnalyzed is {package['filesAnalyzed']}, expected {coded}")
        for reference in package["externalRefs"]:
            check_pattern("referenceLocator", r"pkg:(deb|npm)/[^\s@]+@[^\s@]+", reference["referenceLocator"])
    known = set(names) | {"SPDXRef-DOCUMENT"}
    for relation in bill["relationships"]:
        check(relation["relationshipType"] in RELATIONSHIPS, f"unknown relationship type: {relation}")
        check({relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, f"no such element: {relation}")
    related = {relation[key] for relation in bill["relationships"] for key in ("spdxElementId", "relatedSpdxElement")}
    check(related == known, f"without a relationship: {sorted(known - related)}")


def related(bill, kind):
    """Names of the packages that have this kind of relationship with the described package."""
    names = {entry["SPDXID"]: entry["name"] for entry in bill["packages"]}
    return {names.get(relation["spdxElementId" if kind.endswith("_OF") else "relatedSpdxElement"])
            for relation in bill["relationships"] if relation["relationshipType"] == kind} - {None}


def check_files(bill, deb, where):
    """Checks that the package contains the bill, and that the bill lists every other file of the package, with its checksums."""
    shutil.rmtree(where, ignore_errors=True)
    run(["dpkg-deb", "-x", deb, where])
    name = bill["packages"][0]["name"]
    copies = [path for path in where.rglob("*.spdx.json.gz")]
    check(len(copies) == 1 and json.loads(gzip.decompress(copies[0].read_bytes())) == bill, f"{name} does not contain its bill")
    found = {"./" + str(path.relative_to(where)): path for path in where.rglob("*")
             if path.is_file() and not path.is_symlink() and path not in copies}
    listed = {entry["fileName"]: entry for entry in bill["files"]}
    check(set(found) == set(listed), f"{name}: files differ: {sorted(set(found) ^ set(listed))}")
    sums = []
    for place, path in found.items():
        content = path.read_bytes()
        values = {checksum["algorithm"]: checksum["checksumValue"] for checksum in listed[place]["checksums"]}
        check(values == {"SHA1": hashlib.sha1(content).hexdigest(), "SHA256": hashlib.sha256(content).hexdigest()},
              f"{name}: wrong checksums of {place} in the bill: {values}")
        sums.append(values["SHA1"])
    code = bill["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
    check(code == hashlib.sha1("".join(sorted(sums)).encode()).hexdigest(), f"{name}: wrong verification code in the bill: {code}")


def check_libraries(bill, where):
    """Checks that the bill lists as linked the Debian packages, except libgcc-s1, that dpkg computes as dependencies of the programs, and that it lists
    header libraries and the compiler."""
    name = bill["packages"][0]["name"]
    programs = [path for path in where.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    if not programs:
        check(not related(bill, "DYNAMIC_LINK"), f"{name}: the bill lists linked libraries, but the package has no program")
        return
    (where / "debian").mkdir()
    (where / "debian/control").write_text("Source: weft\n\nPackage: weft\nArchitecture: any\n")
    text = run(["dpkg-shlibdeps", "-O", *[f"-e{path}" for path in programs]], cwd=where).stdout
    wanted = set(re.findall(r"([a-z0-9][a-z0-9+.-]+)(?: \([^)]*\))?(?:,|$)", text.split("=", 1)[1].strip()))
    linked = related(bill, "DYNAMIC_LINK")
    provided = run(["dpkg-query", "-W", "-f", "${Provides} ", *sorted(linked)]).stdout
    linked |= set(re.findall(r"[a-z0-9][a-z0-9+.-]+", re.sub(r"\([^)]*\)", "", provided)))
    check(wanted <= linked | {"libgcc-s1"}, f"{name}: not in the bill: {sorted(wanted - linked)}")
    compiled_in = related(bill, "STATIC_LINK")
    check({"libcli11-dev", "nlohmann-json3-dev", "libexpected-dev"} <= compiled_in, f"{name}: header libraries in the bill: {sorted(compiled_in)}")
    check(any(re.match(r"g\+\+", tool) for tool in related(bill, "BUILD_TOOL_OF")), f"{name}: no compiler")


def check_page(bill, source):
    lock = json.loads((source / "web/package-lock.json").read_text())["packages"]
    # `wanted` includes the dependencies of libraries.
    wanted = {name.removeprefix("node_modules/") for name, package in lock.items() if name and not package.get("dev") and not package.get("optional")}
    contained = related(bill, "CONTAINS")
    check(set(lock[""]["dependencies"]) <= wanted and contained == wanted,
          f"the bill lists for the page {sorted(contained)}, expected {sorted(wanted)}")
    check(set(lock[""]["devDependencies"]) <= related(bill, "BUILD_TOOL_OF"), "tools of the page are missing")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    source = pathlib.Path(__file__).resolve().parents[2]
    if sys.argv[2] == "--pack":
        shutil.rmtree(sys.argv[3], ignore_errors=True)
        pack(build, sys.argv[3], TZ="UTC")
        return
    first = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(dir=build) as folder:
        second = pathlib.Path(folder) / "second-with-a-longer-name"
        pack(build, second, TZ="Pacific/Kiritimati", LC_ALL="C")
        packed, again = contents(first), contents(second)
        check(set(packed) == set(again), f"packed {sorted(packed)}, the second time {sorted(again)}")
        for name, content in packed.items():
            check(content == again[name], f"packing {name} twice gives different bytes")
        bills = sorted(first.glob("*.spdx.json"))
        check(len(bills) == len(list(first.glob("*.deb"))) >= 2,
              f"{first}: expected one bill for each of 2 or more packages, found {[path.name for path in bills]}")
        for path in bills:
            bill = json.loads(path.read_text())
            check_form(bill)
            name = bill["packages"][0]["name"]
            deb, = first.glob(f"{name}_*.deb")
            tree = pathlib.Path(folder) / f"tree-{name}"
            check_files(bill, deb, tree)
            check_libraries(bill, tree)
            if (tree / "usr/share/weft/web").exists():
                check_page(bill, source)
            print(f"{path.name}: {len(bill['packages'])} packages, {len(bill['files'])} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
