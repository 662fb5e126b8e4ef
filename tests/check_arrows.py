#!/usr/bin/env python3
"""Checks that dependencies between the folders of src/ follow the layers.

Reads the DEPENDS of each layer in src/*/CMakeLists.txt and every #include "layer/..." below src/, and reports each include of a
layer that is not among the (transitive) dependencies. The stated dependencies must not form a cycle.
"""
import pathlib
import re
import sys

src = pathlib.Path(sys.argv[1]) / "src"
depends = {}
for lists in sorted(src.glob("*/CMakeLists.txt")):
    for name, body in re.findall(r"add_layer\((\w+)(.*?)\)", lists.read_text(), re.S):
        stated = re.search(r"DEPENDS\s+(.*?)(?:LIBRARIES|SOURCES|$)", body, re.S)
        depends[name] = stated.group(1).split() if stated else []

complaints = []


def reachable(layer, trail=()):
    if layer in trail:
        complaints.append("cycle of layers: " + " -> ".join(trail + (layer,)))
        return set()
    found = {layer}
    for below in depends.get(layer, []):
        if below not in depends:
            complaints.append(f"src/{layer}/CMakeLists.txt: depends on '{below}', which is no layer")
        found |= reachable(below, trail + (layer,))
    return found


checked = 0
for source in sorted(src.rglob("*")):
    if source.suffix not in (".h", ".cpp"):
        continue
    layer = source.relative_to(src).parts[0]
    if layer not in depends:  # cli: may include any layer
        continue
    allowed = reachable(layer)
    for number, line in enumerate(source.read_text().splitlines(), 1):
        include = re.match(r'\s*#include "(\w+)/', line)
        if include and include.group(1) not in allowed:
            complaints.append(f"{source}:{number}: {layer} may not include {include.group(1)}")
        checked += bool(include)

for complaint in dict.fromkeys(complaints):
    print(complaint)
if checked == 0:
    print("no include was checked: is this the source tree?")
    sys.exit(1)
print(f"{len(depends)} layers, {checked} includes checked")
sys.exit(1 if complaints else 0)
