#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that dependencies between the folders of src/ follow the layers.

Reads the DEPENDS of each layer in src/*/CMakeLists.txt and every #include "layer/..." below src/, and reports each include of a
layer that is not among the (transitive) dependencies. The stated dependencies must not form a cycle, and the table of layers in
docs/explanation/architecture.md must state the same dependencies. The folders of one parent folder in a layer must not include each other
in a cycle; files of the parent folder may include any of them. A routing engine includes no file of another engine: code that several
engines use is in separate folders. Adaptive variants and code outside src/routing may include the public headers of engines. Files directly
in src/routing may include any file of an engine.
"""
import collections
import os
import pathlib
import re
import sys

src = pathlib.Path(sys.argv[1]) / "src"
depends = {}
for lists in sorted(src.glob("*/CMakeLists.txt")):
    for name, body in re.findall(r"add_layer\((\w+)(.*?)\)", lists.read_text(), re.S):
        stated = re.search(r"DEPENDS\s+(.*?)(?:LIBRARIES|SOURCES|$)", body, re.S)
        depends[name] = stated.group(1).split() if stated else []

problems = []


def reachable(layer, trail=()):
    if layer in trail:
        problems.append("cycle of layers: " + " -> ".join(trail + (layer,)))
        return set()
    found = {layer}
    for below in depends.get(layer, []):
        if below not in depends:
            problems.append(f"src/{layer}/CMakeLists.txt: depends on '{below}', which is no layer")
        found |= reachable(below, trail + (layer,))
    return found


checked = 0
# {folder: {other folder of the same parent: one include of a header of the other folder}}
beside = collections.defaultdict(dict)
for source in sorted(src.rglob("*")):
    if source.suffix not in (".h", ".cpp"):
        continue
    here = source.relative_to(src).parts[:-1]
    layer = here[0]
    allowed = reachable(layer) if layer in depends else None  # None: any layer, for cli
    for number, line in enumerate(source.read_text().splitlines(), 1):
        include = re.match(r'\s*#include "([\w/]+)/\w+\.\w+"', line)
        if not include:
            continue
        there = tuple(include.group(1).split("/"))
        if allowed is not None:
            checked += 1
            if there[0] not in allowed:
                problems.append(f"{source}:{number}: {layer} may not include {there[0]}")
        common = len(os.path.commonprefix([here, there]))
        if 0 < common < min(len(here), len(there)):
            beside["/".join(here[:common + 1])].setdefault("/".join(there[:common + 1]), f"{source}:{number}")


def stated_in_docs():
    """The layers that each layer may include, from the table of the architecture page."""
    page = pathlib.Path(sys.argv[1]) / "docs/explanation/architecture.md"
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", page.read_text(), re.M)
    return {layer: set() if below == "nothing" else set(below.split(", ")) for layer, below in rows}


documented = stated_in_docs()
for layer, below in depends.items():
    if documented.get(layer) != set(below):
        problems.append(f"docs/explanation/architecture.md: layer {layer} includes {sorted(documented.get(layer, []))}, "
                          f"but its CMakeLists.txt states {sorted(below)}")


def reaches(folder, start, seen):
    seen.add(folder)
    return any(below == start or (below not in seen and reaches(below, start, seen)) for below in beside.get(folder, {}))


for folder, includes in beside.items():
    for below, example in includes.items():
        if below == folder or reaches(below, folder, set()):
            problems.append(f"src/{folder} and src/{below} are in a cycle of includes: {example}")

def engine_of(path):
    """The engine to which a file of src/routing belongs, by its folder or its name; None for code that several engines use."""
    return next((engine for engine in engine_headers if path.parent == engine or path.with_suffix("") == engine), None)


routing = src / "routing"
# {engine: public header, which declares the function of the engine}. An engine is a folder, or the files with the same name before the suffix.
engine_headers = {}
for header in sorted(routing.rglob("*.h")):
    if re.search(r"^Result<Routes> route_\w+\(const Fabric&", header.read_text(), re.M):
        engine_headers[header.with_suffix("") if header.parent == routing else header.parent] = header

for source in sorted(routing.rglob("*")):
    if source.suffix not in (".h", ".cpp"):
        continue
    here = engine_of(source)
    for number, line in enumerate(source.read_text().splitlines(), 1):
        include = re.match(r'\s*#include "(routing/[\w/]+\.h)"', line)
        there = engine_of(src / include.group(1)) if include else None
        if there is None or there == here:
            continue
        is_public = src / include.group(1) == engine_headers[there]
        allowed = is_public if here is None or here.name == "adaptive" else False
        if not allowed and (here is not None or source.parent != routing):
            problems.append(f"{source}:{number}: {here.name if here else source.parent.name} may not include a file of engine {there.name}")
if len(engine_headers) < 2:
    problems.append("src/routing: found no headers of engines")

for problem in dict.fromkeys(problems):
    print(problem)
if checked == 0:
    print("no include was checked: is this the source tree?")
    sys.exit(1)
print(f"{len(depends)} layers, {checked} includes checked")
sys.exit(1 if problems else 0)
