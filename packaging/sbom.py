#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes the bill of materials of a package as SPDX 2.3 in JSON: its files, the Debian packages of linked libraries and of included
headers, the npm packages of the page, and the compiler. The same inputs give the same bytes.

sbom.py --name weft --version 0.1.0 --tree FOLDER --source FOLDER --build FOLDER --ninja FILE --compiler FILE --output FILE
SOURCE_DATE_EPOCH is the time of creation.
"""
import argparse
import base64
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess

LICENSE = "BSD-2-Clause OR GPL-2.0-only"
AUTHORS = "Organization: The Weft authors"
NO_ASSERTION = "NOASSERTION"


def output(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    if check and done.returncode != 0:
        raise SystemExit(f"sbom.py: {' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")


def reference(purl):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]


class Debian:
    """Installed Debian packages, by the files that belong to them."""

    def __init__(self):
        self.known = {}

    def owners(self, paths):
        """Names of the packages that the files belong to. dpkg may list a file in /usr/lib by its former path in /lib."""
        paths = sorted({os.path.realpath(path) for path in paths})
        names = set()
        for begin in range(0, len(paths), 5000):  # each run of dpkg-query reads the lists of files of all packages
            part = paths[begin:begin + 5000]
            asked = part + [path[len("/usr"):] for path in part if path.startswith("/usr/lib")]
            for line in output("dpkg-query", "-S", *asked, check=False).splitlines():
                if not line.startswith("diversion"):
                    names.update(name.strip() for name in line.split(": /")[0].split(","))
        return sorted(name for name in names if name)

    def package(self, name):
        """Package, version, architecture, source and version of the source. `name` may contain the architecture."""
        if not self.known:
            for line in output("dpkg-query", "-W", "-f", r"${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n").splitlines():
                fields = line.split("\t")
                self.known.setdefault(fields[0], fields)
                self.known[f"{fields[0]}:{fields[2]}"] = fields
        return self.known[name]

    def source(self, name):
        return self.package(name)[3]

    def entry(self, name):
        package, version, architecture, source, source_version = self.package(name)
        return {"SPDXID": identifier("Debian", package), "name": package, "versionInfo": version,
                "supplier": "Organization: Debian", "downloadLocation": NO_ASSERTION, "filesAnalyzed": False,
                "sourceInfo": f"source package {source} {source_version}",
                "licenseConcluded": NO_ASSERTION, "licenseDeclared": NO_ASSERTION,
                "licenseComments": f"/usr/share/doc/{package}/copyright", "copyrightText": NO_ASSERTION,
                "externalRefs": reference(f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}")}


def is_program(path):
    return path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"


def needed_libraries(programs):
    """Paths of the shared libraries that the programs need, as in the cache of the dynamic linker."""
    places = {}
    for line in output("/sbin/ldconfig", "-p").splitlines():
        if match := re.match(r"\s+(\S+) \(libc6[^)]*x86-64|\s+(\S+) \(libc6", line):
            places.setdefault(match.group(1) or match.group(2), line.rsplit("=> ", 1)[1])
    names = set()
    for program in programs:
        names.update(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", program)))
    missing = sorted(name for name in names if name not in places)
    if missing:
        raise SystemExit(f"sbom.py: ldconfig does not list {missing}, which the programs need")
    return [places[name] for name in sorted(names)]


# Build folders with objects that are linked into one package only.
OWN_OBJECTS = {"weft-mpi": "/weft-mpi.dir/", "python3-weft": "/weft-native.dir/"}


def included_headers(build, ninja, name):
    """System headers that the sources of the package's programs include, by the dependency records of ninja."""
    others = [objects for package, objects in OWN_OBJECTS.items() if package != name]
    headers, taken = set(), False
    for line in output(ninja, "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            taken = line.startswith(("src/", "CMakeFiles/weft_headers.dir/")) and not any(objects in line for objects in others)
        elif taken and line.strip().startswith("/usr/"):
            headers.add(line.strip())
    if not headers:
        raise SystemExit(f"sbom.py: {build}: no records of included headers: build the program first")
    return headers


def npm_entry(place, package, used):
    name = place.rsplit("node_modules/", 1)[1]
    version = package["version"]
    archive = f"https://registry.npmjs.org/{name}/-/{name.rsplit('/', 1)[-1]}-{version}.tgz"
    algorithm, _, digest = package["integrity"].partition("-")
    return {"SPDXID": identifier("npm", f"{name}-{version}"), "name": name, "versionInfo": version, "supplier": NO_ASSERTION,
            "downloadLocation": package.get("resolved", archive), "filesAnalyzed": False,
            "checksums": [{"algorithm": algorithm.upper(), "checksumValue": base64.b64decode(digest).hex()}],
            "licenseConcluded": NO_ASSERTION, "licenseDeclared": package.get("license", NO_ASSERTION), "copyrightText": NO_ASSERTION,
            "primaryPackagePurpose": "LIBRARY" if used else "APPLICATION",
            "externalRefs": reference(f"pkg:npm/{name.replace('@', '%40')}@{version}")}


def npm_packages(source):
    """Yields (entry, whether the page contains the package). Tools for other platforms are omitted."""
    lock = json.loads((source / "web/package-lock.json").read_text())
    for place, package in sorted(lock["packages"].items()):
        if not place or package.get("os", ["linux"]) != ["linux"] or package.get("cpu", ["x64"]) != ["x64"] or "libc" in package:
            continue
        yield npm_entry(place, package, not package.get("dev")), not package.get("dev")


def file_entry(path, tree):
    content = path.read_bytes()
    place = str(path.relative_to(tree))
    return {"SPDXID": identifier("File", place), "fileName": "./" + place,
            "checksums": [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, content).hexdigest()} for name in ("sha1", "sha256")],
            "licenseConcluded": NO_ASSERTION, "licenseInfoInFiles": [NO_ASSERTION], "copyrightText": NO_ASSERTION}


class Document:
    def __init__(self, arguments, files):
        sums = sorted(entry["checksums"][0]["checksumValue"] for entry in files)
        self.own = {"SPDXID": identifier("Package", arguments.name), "name": arguments.name, "versionInfo": arguments.version,
                    "supplier": AUTHORS, "originator": AUTHORS, "downloadLocation": NO_ASSERTION, "filesAnalyzed": True,
                    "packageVerificationCode": {
                        "packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest(),
                        "packageVerificationCodeExcludedFiles": [f"./usr/share/doc/{arguments.name}/{arguments.output.name}.gz"]},
                    "licenseConcluded": LICENSE, "licenseDeclared": LICENSE, "licenseInfoFromFiles": [NO_ASSERTION],
                    "copyrightText": "2026 The Weft authors", "primaryPackagePurpose": "APPLICATION",
                    "externalRefs": reference(f"pkg:deb/weft/{arguments.name}@{arguments.version}")}
        self.packages = {}
        self.files = files
        self.relations = {("SPDXRef-DOCUMENT", "DESCRIBES", self.own["SPDXID"])}
        self.relations |= {(self.own["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in files}

    def add(self, entry, relation):
        """Adds an entry with a relation from this package to the entry, or from the entry to this package if the relation ends in _OF."""
        self.packages[entry["SPDXID"]] = entry
        own, other = self.own["SPDXID"], entry["SPDXID"]
        self.relations.add((other, relation, own) if relation.endswith("_OF") else (own, relation, other))

    def text(self, arguments):
        created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        content = {"packages": [self.own] + [self.packages[key] for key in sorted(self.packages)], "files": self.files,
                   "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                                     for a, kind, b in sorted(self.relations)]}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{arguments.name}-{arguments.version}",
                "documentNamespace": f"https://weft.invalid/spdx/{arguments.name}-{arguments.version}-{digest[:32]}",
                "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [AUTHORS, f"Tool: weft-sbom-{arguments.version}"]}}
        return json.dumps({**head, **content}, indent=1) + "\n"


def parsed_arguments():
    parser = argparse.ArgumentParser(description="Writes the bill of materials of a package, SPDX 2.3 as JSON")
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    for name in ("tree", "source", "build", "ninja", "compiler", "output"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    return parser.parse_args()


def main():
    arguments = parsed_arguments()
    paths = sorted(path for path in arguments.tree.rglob("*") if path.is_file() and not path.is_symlink())
    document = Document(arguments, [file_entry(path, arguments.tree) for path in paths])
    programs = [path for path in paths if is_program(path)]
    if programs:
        debian = Debian()
        linked = debian.owners(needed_libraries(programs))
        for name in linked:
            document.add(debian.entry(name), "DYNAMIC_LINK")
        # If no library of the same source package is linked, the headers contain the code, which is compiled into the program.
        sources = {debian.source(name) for name in linked}
        for name in debian.owners(included_headers(arguments.build, arguments.ninja, arguments.name)):
            document.add(debian.entry(name), "BUILD_DEPENDENCY_OF" if debian.source(name) in sources else "STATIC_LINK")
        for name in debian.owners([arguments.compiler]):
            document.add(debian.entry(name), "BUILD_TOOL_OF")
    if any((arguments.tree / "usr/share/weft/web").rglob("*.js*")):
        for entry, used in npm_packages(arguments.source):
            document.add(entry, "CONTAINS" if used else "BUILD_TOOL_OF")
    arguments.output.write_text(document.text(arguments))


if __name__ == "__main__":
    main()
