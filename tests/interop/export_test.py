#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the files of weft export for Slurm, Prometheus and others with an independent reading of ibnetdiscover output, and with the
topology.conf of a real site. Also tests small generated fabrics and invalid options.

Standard library only. Usage: export_test.py [FOLDER_OF_TOPOLOGIES]
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")


def run(*words, status=0):
    done = subprocess.run([WEFT, *map(str, words)], capture_output=True, timeout=interop.PATIENCE, text=True)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stderr}")
    return done.stdout, done.stderr


def expand(hostlist):
    """The names of a host list such as n[1-3,07],m; brackets may be in the middle of a name."""
    names = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hostlist):
        found = [""]
        for part in re.split(r"(\[[^\]]*\])", item):
            if not part.startswith("["):
                found = [name + part for name in found]
                continue
            numbers = []
            for span in part[1:-1].split(","):
                first, _, last = span.partition("-")
                numbers += [f"{n:0{len(first)}}" for n in range(int(first), int(last or first) + 1)]
            found = [name + number for name in found for number in numbers]
        names += found
    return names


def read_slurm(text):
    """{switch name: ([node], [switch])} of a topology.conf."""
    lines = {}
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        fields = dict(field.split("=", 1) for field in line.split())
        name = fields["SwitchName"]
        check(name not in lines, f"{name} is listed twice")
        check(("Nodes" in fields) != ("Switches" in fields), f"{line}: expected either Nodes or Switches")
        lines[name] = (expand(fields.get("Nodes", "")), expand(fields.get("Switches", "")))
    return lines


def read_cables(path):
    """Reads ibnetdiscover output: {HCA GUID: (description, switch GUIDs)}, without aggregation nodes."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    descriptions = {guid: name for guid, name in re.findall(r'^Ca\s+\d+\s+"H-([0-9a-f]{16})"\s*#\s*"(.*?)"', text, re.M)}
    on = collections.defaultdict(set)
    switch = None
    for line in text.splitlines():
        if found := re.match(r'Switch\s+\d+\s+"S-([0-9a-f]{16})"', line):
            switch = found[1]
        elif line.startswith("Ca"):
            switch = None
        elif switch and (found := re.match(r'\[\d+\].*?"H-([0-9a-f]{16})"', line)):
            on[found[1]].add(switch)
    return {guid: (name, on[guid]) for guid, name in descriptions.items() if not name.endswith("Aggregation Node")}


def roots_of_tree(lines):
    """Checks that each switch has at most one parent and that a root reaches every switch; returns the list of roots."""
    parents = collections.Counter(child for _, switches in lines.values() for child in switches)
    check(not parents or max(parents.values()) == 1, f"several parents: {parents.most_common(3)}")
    check(set(parents) <= set(lines), f"no lines for {set(parents) - set(lines)}")
    roots = [name for name in lines if name not in parents]
    reached, todo = set(), list(roots)
    while todo:
        name = todo.pop()
        reached.add(name)
        todo += lines[name][1]
    check(reached == set(lines), f"no root reaches {set(lines) - reached}")
    return roots


def host_name(guid, description):
    factory = "Mellanox Technologies" in description or description.split()[0] == "localhost"
    return f"H-{guid}" if factory else description.split()[0]


def check_with_cables(path, units, pods, shape):
    """Checks that every host is listed once, together with the other hosts of its leaves."""
    text, messages = run("export", "slurm", path)
    lines = read_slurm(text)
    roots = roots_of_tree(lines)
    check(len(roots) == 1, f"{path.parent.name}: roots {roots}")
    check(f"({shape})" in text.splitlines()[0], text.splitlines()[0])
    leaves_of = collections.defaultdict(set)
    for guid, (description, switches) in read_cables(path).items():
        if switches:
            leaves_of[host_name(guid, description)] |= switches
    listed = collections.Counter(node for nodes, _ in lines.values() for node in nodes)
    check(set(listed) == set(leaves_of) and max(listed.values()) == 1,
          f"{path.parent.name}: listed {sorted(set(listed) ^ set(leaves_of))[:5]}")
    found = {name: nodes for name, (nodes, _) in lines.items() if nodes}
    check(len(found) == units, f"{path.parent.name}: {len(found)} units, expected {units}")
    check(len(lines) - len(found) == pods, f"{path.parent.name}: {len(lines) - len(found)} groups, expected {pods}")
    for name, nodes in found.items():
        most = max(nodes, key=lambda node: len(leaves_of[node]))
        for node in nodes:
            check(2 * len(leaves_of[node] & leaves_of[most]) >= len(leaves_of[node]),
                  f"{path.parent.name}: {node} and {most} are in {name}, but share few leaves")
    unnamed = sum(node.startswith("H-") for node in leaves_of)
    check((f"{unnamed} of {len(leaves_of)} hosts have no name and" in messages) == (unnamed > 0), messages)
    blocks, _ = run("export", "slurm", path, "--plugin", "block")
    for line in blocks.splitlines():
        if line.startswith("BlockName="):
            name, nodes = re.fullmatch(r"BlockName=(\S+) Nodes=(\S+)", line).groups()
            check(expand(nodes) == found[name], f"{line}: expected the nodes {found[name]}")
    sizes = [int(size) for size in re.search(r"^BlockSizes=(.*)$", blocks, re.M)[1].split(",")]
    check(all(later == 2 * earlier for earlier, later in zip(sizes, sizes[1:])), f"BlockSizes={sizes}: expected each twice the previous")
    targets = json.loads(run("export", "prometheus-targets", path, "--port", 9090)[0])
    check(sorted(target for group in targets for target in group["targets"]) ==
          sorted(f"{node}:9090" for node in leaves_of), "the targets differ from the hosts")
    return lines


def check_samples(folder):
    """Checks three rows of the table in docs/reference/export.md; check_file_of_a_site() checks the fourth row. To verify a row
    manually, grep the file of the site for a host: the lines show the leaves of this host."""
    lines = check_with_cables(folder / "selene-storage/ibnetdiscover.txt", 38, 5, "tree of 3 levels")
    check(len(lines["SLG02-07-to-SLG02-08"][0]) == 24, str(lines["SLG02-07-to-SLG02-08"]))
    lines = check_with_cables(folder / "hdr-1336-bom/ibnetdiscover.txt", 9, 2, "tree of 3 levels")
    check(len(lines["lf01-to-lf08"][0]) == 20, str(lines["lf01-to-lf08"]))
    lines = check_with_cables(folder / "gb200-ndr/example.out", 8, 1, "tree of 2 levels")
    check(len(lines["A09-P1-IBLEAF-01-03-to-A09-P1-IBLEAF-04-03"][0]) == 18, str(lines["A09-P1-IBLEAF-01-03-to-A09-P1-IBLEAF-04-03"]))


def check_file_of_a_site(folder, scratch):
    """The node descriptions of the machine X5 contain no host names. The test assigns the host names in the topology.conf of the site to the hosts
    of each leaf. The hosts of each leaf and the links between switches must then be equal."""
    sites = read_slurm((folder / "x5-psmn/X5.topology.conf").read_text())
    on = collections.defaultdict(list)
    for guid, (_, switches) in sorted(read_cables(folder / "x5-psmn/X5.topofile").items()):
        check(len(switches) == 1, f"HCA {guid}: links to {len(switches)} switches, expected 1")
        on["S-" + min(switches)].append(guid)
    check({name for name, (nodes, _) in sites.items() if nodes} == set(on),
          f"leaves differ: {sorted({name for name, (nodes, _) in sites.items() if nodes} ^ set(on))}")
    names = scratch / "names"
    with names.open("w") as out:
        for leaf, guids in on.items():
            nodes = sites[leaf][0]
            known = {node[2:] for node in nodes if node.startswith("H-")}
            check(known <= set(guids), f"{leaf}: not in X5.topofile: {known - set(guids)}")  # both files name these hosts by GUID
            named = [node for node in nodes if not node.startswith("H-")]
            left = [guid for guid in guids if guid not in known]
            check(len(named) == len(left), f"{leaf}: {len(left)} HCAs, the site names {len(named)}")
            for guid, node in zip(left, named):
                out.write(f'0x{guid} "{node} HCA-1"\n')
    text, messages = run("export", "slurm", folder / "x5-psmn/X5.topofile", "--names", names, "--as-cabled")
    exported = read_slurm(text)
    check({name: (sorted(nodes), sorted(switches)) for name, (nodes, switches) in exported.items()} ==
          {name: (sorted(nodes), sorted(switches)) for name, (nodes, switches) in sites.items()},
          "the exported topology.conf and X5.topology.conf differ")
    check("requires a tree" in messages, messages)  # two switches list each other
    exported = read_slurm(run("export", "slurm", folder / "x5-psmn/X5.topofile", "--names", names)[0])
    roots_of_tree(exported)
    leaves = {name: sorted(nodes) for name, (nodes, _) in exported.items() if nodes}
    check(leaves == {name: sorted(nodes) for name, (nodes, _) in sites.items() if nodes}, "hosts of the leaves differ from X5.topology.conf")
    check([sorted(switches) for _, switches in exported.values() if switches] == [sorted(leaves)], "not all leaves are below one switch")


def check_small_fabrics(scratch):
    text, _ = run("export", "slurm", "fattree2:k=4")
    check(text.splitlines()[1:] == [
        "SwitchName=leaf-1 Nodes=host-[1-2]", "SwitchName=leaf-2 Nodes=host-[3-4]",
        "SwitchName=leaf-3 Nodes=host-[5-6]", "SwitchName=leaf-4 Nodes=host-[7-8]",
        "# top: 2 switches above: spine-[1-2]", "SwitchName=top Switches=leaf-[1-4]"], text)
    text, _ = run("export", "slurm", "fattree3:k=4")
    lines = read_slurm(text)
    check(len(lines) == 8 + 4 + 1 and len(roots_of_tree(lines)) == 1, text)
    for spec, groups in (("torus:4x4,hosts=2", 1), ("dragonfly:a=4,h=2,p=2", 10), ("ring:n=2,hosts=3", 1)):
        lines = read_slurm(run("export", "slurm", spec)[0])
        roots_of_tree(lines)
        check(sum(1 for _, switches in lines.values() if switches) == groups, f"{spec}: {lines}")
    text, messages = run("export", "slurm", "fattree2:k=4", "--only", "host-[3-5],host-99")
    check("host host-99 is not in this fabric" in messages and sorted(n for nodes, _ in read_slurm(text).values() for n in nodes) ==
          ["host-3", "host-4", "host-5"], text + messages)
    text, messages = run("export", "slurm", "fattree2:k=4", "--only", "host-[3-5]", "--plugin", "block", "--block-size", 2)
    check("# too small: BlockName=leaf-3 Nodes=host-5\n" in text and text.endswith("BlockSizes=2\n"), text)
    check("block leaf-3 has 1 host, fewer than 2" in messages, messages)
    run("export", "slurm", "fattree2:k=4", "-o", scratch / "topology.conf")
    check(run("convert", scratch / "topology.conf", "-")[0].count("\nCa") == 8, "weft convert does not read the exported file")
    # The other formats have the output of `weft convert`.
    for kind, name in (("ibnetdiscover", "ibnetdiscover"), ("graphviz", "dot")):
        check(run("export", kind, "fattree2:k=4")[0] == run("convert", "fattree2:k=4", "-", "--to", name)[0],
              f"weft export {kind} and weft convert --to {name} differ")
    names = scratch / "map"
    run("export", "node-name-map", "fattree2:k=4", "-o", names)
    check('"leaf-1"\n' in names.read_text() and len(names.read_text().splitlines()) == 14, names.read_text())
    run("export", "node-name-map", "fattree2:k=4", "--names", names)  # reads the file that the previous export wrote


def check_invalid_options(scratch):
    for words, status, message in (
            (["slurms", "fattree2:k=4"], 2, "KIND"),
            (["slurm", "/none"], 3, "/none"),
            (["slurm", "fattree2:k=4", "--port", "9"], 2, "--port has no effect on slurm"),
            (["graphviz", "fattree2:k=4", "--names", "x"], 2, "--names has no effect on graphviz"),
            (["slurm", "fattree2:k=4", "--only", "a[1"], 2, "--only: column 2: found '[1', expected a closing ']'"),
            (["slurm", "fattree2:k=4", "--plugin", "block", "--as-cabled"], 2, "--as-cabled requires --plugin tree"),
            (["slurm", "fattree2:k=4", "--block-size", "4"], 2, "--block-size requires --plugin block"),
            (["slurm", "fattree2:k=4", "--plugin", "block", "--block-size", "9"], 2, "no block has 9 hosts"),
            (["slurm", "fattree2:k=4", "-o", "/none/x"], 3, "/none/x")):
        _, messages = run("export", *words, status=status)
        check(message in messages, f"{words}: {messages}")
    bad = scratch / "bad"
    bad.write_text('0x1 "a"\nleaf "b"\n')
    check(f"{bad}:2:1" in run("export", "slurm", "fattree2:k=4", "--names", bad, status=2)[1],
          "the message does not have the position of the invalid line")


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        check_small_fabrics(scratch)
        check_invalid_options(scratch)
        if len(sys.argv) > 1:
            folder = pathlib.Path(sys.argv[1])
            check_samples(folder)
            check_file_of_a_site(folder, scratch)
    print("export: passed")


if __name__ == "__main__":
    main()
