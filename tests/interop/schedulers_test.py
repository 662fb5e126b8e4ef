#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests weft export for schedulers. Checks topology.yaml against its schema and against topology.conf, which a real slurmctld reads (slurm_test.py).
Checks the text of ibnetdiscover against the rules of topograph's parser, and the objects of Kubernetes against the rules for labels and names.

Needs python3-yaml. Usage: schedulers_test.py [FOLDER_OF_TOPOLOGIES]
"""
import pathlib
import re
import sys
import tempfile

from export_test import expand, read_slurm, run
from processes import skip
from weft_interop import check

try:
    import yaml
except ImportError:
    skip("python3-yaml is not installed (scripts/install-deps)")

SPECS = ("fattree2:k=4", "fattree3:k=4", "torus:4x4,hosts=2", "dragonfly:a=4,h=2,p=2", "ring:n=2,hosts=3")
VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


def topologies(*words):
    """The entries of a topology.yaml, checked by the schema of Slurm's manual page."""
    text, _ = run("export", "slurm-yaml", *words)
    entries = yaml.safe_load(text)
    for entry in entries:
        check(next(iter(entry)) == "topology" and isinstance(entry["topology"], str), f"the first key is not topology, with a string: {entry}")
        check(isinstance(entry["cluster_default"], bool) and len(set(entry) & {"tree", "block"}) == 1 and len(entry) == 3, entry)
        for one in entry.get("tree", {}).get("switches", []):
            check(set(one) in ({"switch", "nodes"}, {"switch", "children"}) and all(isinstance(value, str) for value in one.values()), one)
            check(len(one["switch"]) <= 64, one)
        if "block" in entry:
            sizes, blocks = entry["block"]["block_sizes"], entry["block"]["blocks"]
            check(all(later == 2 * earlier for earlier, later in zip(sizes, sizes[1:])), sizes)
            check(all(set(one) == {"block", "nodes"} and len(expand(one["nodes"])) >= sizes[0] for one in blocks), blocks)
    check([entry["cluster_default"] for entry in entries] == [True] + [False] * (len(entries) - 1), "expected only the first topology as the default")
    return entries


def check_yaml(folder, files):
    for fabric in (*SPECS, *files):
        tree = topologies(fabric)[0]["tree"]["switches"]
        lines = read_slurm(run("export", "slurm", fabric)[0])
        check([sorted(expand(one.get("nodes", ""))) for one in tree] == [sorted(nodes) for nodes, _ in lines.values()],
              f"{fabric}: nodes of topology.yaml and topology.conf differ")
        yaml_children, conf_children = [expand(one.get("children", "")) for one in tree], [switches for _, switches in lines.values()]
        names = dict(zip(lines, (one["switch"] for one in tree)))
        check([sorted(names[name] for name in switches) for switches in conf_children] == [sorted(switches) for switches in yaml_children],
              f"{fabric}: children of switches in topology.yaml and topology.conf differ")
    several = topologies("fattree2:k=4", "dragonfly:a=4,h=2,p=2", "--topology", "ib,nvl", "--plugin", "tree,block")
    check([entry["topology"] for entry in several] == ["ib", "nvl"] and "block" in several[1], several)
    (folder / "east.net").write_text(run("convert", "fattree2:k=4", "-", "--to", "ibnetdiscover")[0])
    check(topologies(folder / "east.net", "fattree2:k=6")[0]["topology"] == "east", "expected the name of the file as the name of the topology")
    for words, message in ((("fattree2:k=4", "fattree2:k=4"), "two topologies"), (("fattree2:k=4", "--topology", "a,b"), "found 2 names"),
                           (("fattree2:k=4", "--topology", "a b"), "expected letters"), (("fattree2:k=4", "--plugin", "tree,block"), "found 2 values"),
                           (("fattree2:k=4", "--plugin", "block", "--block-size", "9"), "no block has 9 hosts")):
        check(message in run("export", "slurm-yaml", *words, status=2)[1], f"{words}: {message}")
    check("expected one" in run("export", "slurm", "fattree2:k=4", "fattree2:k=4", status=2)[1], "expected an error for two fabrics")


def check_local_change(folder):
    """If a leaf and its hosts are missing, only the lines that name them change."""
    text = run("convert", "fattree3:k=6", "-", "--to", "ibnetdiscover")[0]
    (folder / "whole.net").write_text(text)
    leaf = re.search(r'Switch\s+\d+\s+"(S-\w+)"\s+# "leaf-1"', text)[1]
    records = [record for record in text.split("\n\n") if f'"{leaf}"\t' not in record and not re.search(rf'^Switch\s+\d+\s+"{leaf}"', record, re.M)]
    records = [record for record in records if not re.search(r'# "host-[123]"', record.splitlines()[-1] if record else "") or "Switch" in record]
    (folder / "less.net").write_text("\n\n".join("\n".join(line for line in record.splitlines() if f'"{leaf}"' not in line) for record in records) + "\n")
    for kind in ("slurm-yaml", "k8s"):
        words = ("--topology", "x") if kind == "slurm-yaml" else ()
        before, after = (set(run("export", kind, folder / name, *words)[0].splitlines()) for name in ("whole.net", "less.net"))
        new = {line for line in after - before if not re.search(r"leaf-\[?2", line)}
        check(not new, f"{kind}: lines without the leaf changed: {sorted(new)[:5]}")


def check_topograph(fabric, hosts):
    """Checks the rules of topograph's parser. Records of hosts have two words in the description, records of switches one word. An empty line
    follows each record."""
    text, _ = run("export", "topograph", fabric)
    check("Topology file:" in text, text[:200])
    found = re.findall(r'^Ca\s+\d+\s+"H-[0-9a-f]{16}"\s*# "(.*)"$', text, re.M)
    check(all(len(name.split()) == 2 for name in found) and {name.split()[0] for name in found} == hosts, f"{fabric}: {found[:5]}")
    switches = re.findall(r'^Switch\s+\d+\s+"S-[0-9a-f]{16}"\s*# "([^"]*)"', text, re.M)
    check(switches and all(re.fullmatch(r"[^ ;:]+", name) for name in switches), f"{fabric}: {switches[:5]}")
    links = re.findall(r'^\[\d+\](?:\([0-9a-f]+\))?\s+"[SH]-[0-9a-f]{16}"\[\d+\]', text, re.M)
    check(len(links) >= 2 * len(found), f"{fabric}: {len(links)} link lines")
    for record in text.split("\n\n"):
        check(len(re.findall(r"^(?:Switch|Ca)\s", record, re.M)) <= 1, f"{fabric}: two records without a line between them:\n{record[:400]}")


def check_kubernetes(fabric):
    """Each host occurs once, all hosts have the same labels, each domain is inside one domain of the next tier, and HyperNodes form a tree over the
    same hosts."""
    objects = list(yaml.safe_load_all(run("export", "k8s", fabric)[0]))
    nodes = {one["metadata"]["name"]: one["metadata"]["labels"] for one in objects if one["kind"] == "Node"}
    levels = [level["nodeLabel"] for level in next(one for one in objects if one["kind"] == "Topology")["spec"]["levels"]]
    check(levels[-1] == "kubernetes.io/hostname" and len(set(levels)) == len(levels) <= 16, levels)
    tiers = [f"fabric.topograph.run/tier-{tier}" for tier in range(len(levels) - 1)]
    check(levels[:-1] == tiers[::-1], levels)
    for name, labels in nodes.items():
        check(NAME.fullmatch(name) and list(labels) == tiers and all(VALUE.fullmatch(value) for value in labels.values()), f"{name}: {labels}")
    for inner, outer in zip(tiers, tiers[1:]):
        pairs = {(labels[inner], labels[outer]) for labels in nodes.values()}
        check(len({pair[0] for pair in pairs}) == len(pairs), f"{fabric}: a domain of {inner} in two of {outer}")
    hypernodes = {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == "HyperNode"}
    members = [(name, member["type"], member["selector"]["exactMatch"]["name"]) for name, spec in hypernodes.items() for member in spec["members"]]
    check(sorted(name for _, kind, name in members if kind == "Node") == sorted(nodes), f"{fabric}: members of HyperNodes and Nodes differ")
    for parent, kind, name in members:
        check(NAME.fullmatch(parent) and (kind == "Node" or hypernodes[name]["tier"] < hypernodes[parent]["tier"]), f"{parent}: {kind} {name}")
        check((kind == "Node") == (hypernodes[parent]["tier"] == 1), f"{parent}: {kind}")
    check(sum(kind == "HyperNode" for _, kind, _ in members) == len(hypernodes) - 1, f"{fabric}: expected exactly one HyperNode without a parent")


def check_objects():
    labels = run("export", "k8s", "fattree2:k=4", "--objects", "labels", "--prefix", "net.example")[0]
    check(labels.count("kind: Node") == 8 == labels.count("kind:") and '    net.example/tier-0: "leaf-1"\n' in labels, labels)
    check("expected a DNS name" in run("export", "k8s", "fattree2:k=4", "--prefix", "a_b", status=2)[1],
          "expected an error about a DNS name for --prefix a_b")
    check("has no effect on slurm" in run("export", "slurm", "fattree2:k=4", "--prefix", "a.b", status=2)[1],
          "expected an error for --prefix with slurm")


def main():
    files = []
    if len(sys.argv) > 1:
        files = [pathlib.Path(sys.argv[1]) / name for name in ("selene-storage/ibnetdiscover.txt", "hdr-1336-bom/ibnetdiscover.txt", "x5-psmn/X5.topofile")]
    with tempfile.TemporaryDirectory(prefix="weft-schedulers-") as name:
        check_yaml(pathlib.Path(name), files)
        check_local_change(pathlib.Path(name))
        for fabric in (*SPECS, *files):
            check_topograph(fabric, {node for nodes, _ in read_slurm(run("export", "slurm", fabric)[0]).values() for node in nodes})
            check_kubernetes(fabric)
    check_objects()
    print("schedulers: good")


if __name__ == "__main__":
    main()
