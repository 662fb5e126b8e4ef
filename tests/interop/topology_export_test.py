#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""weft export of topologies, read by the programs and libraries that they are for, and compared with Weft's own JSON.

Usage: topology_export_test.py graphml
Runs again with the interpreter of the distribution if this one lacks a module; skipped if both do.
"""
import collections
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")
SYSTEM_PYTHON = "/usr/bin/python3"


def with_module(name, package):
    """The module, perhaps in another interpreter."""
    if importlib.util.find_spec(name) is not None:
        return importlib.import_module(name)
    has = subprocess.run([SYSTEM_PYTHON, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0
    if has and pathlib.Path(sys.executable).resolve() != pathlib.Path(SYSTEM_PYTHON).resolve():
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    return interop.skip(f"{package} is not installed (scripts/install-deps)")


def run(*words, status=0):
    done = subprocess.run([WEFT, *map(str, words)], capture_output=True, timeout=interop.PATIENCE, text=True)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stderr}")
    return done.stdout, done.stderr


def fabric_of(source):
    """Weft's JSON: ({guid: node}, [link])."""
    fabric = json.loads(run("convert", source, "-", "--to", "json")[0])
    return {int(node["guid"], 16): node for node in fabric["nodes"]}, fabric["links"]


# ---- GraphML ----

def graph_of(networkx, folder, *words):
    path = folder / "fabric.graphml"
    run("export", "graphml", *words, "-o", path)
    return networkx.read_graphml(path)


def same_fabric(graph, source):
    """Nodes with their data, and edges with their ports, are those of the JSON."""
    nodes, links = fabric_of(source)
    check(graph.number_of_nodes() == len(nodes), f"{source}: {graph.number_of_nodes()} nodes, expected {len(nodes)}")
    check(graph.number_of_edges() == len(links), f"{source}: {graph.number_of_edges()} edges, expected {len(links)}")
    degree = collections.Counter()
    ends = set()
    for link in links:
        for end in "ab":
            degree[int(link[end], 16)] += 1
        ends.add(frozenset((int(link[end], 16), link[end + "_port"]) for end in "ab"))
    for name, data in graph.nodes(data=True):
        guid = int(data["guid"], 16)
        node = nodes[guid]
        check(name == f"{'S' if node['type'] == 'switch' else 'H'}-{guid:016x}", name)
        check(data["type"] == {"switch": "switch", "ca": "host"}[node["type"]], f"{name}: {data}")
        check((data["label"], data["ports"]) == (node["description"], node["port_count"]), f"{name}: {data}")
        check(graph.degree(name) == degree[guid], f"{name}: degree {graph.degree(name)}, expected {degree[guid]}")
    for one, two, data in graph.edges(data=True):
        found = frozenset([(int(one[2:], 16), data["src_port"]), (int(two[2:], 16), data["dst_port"])])
        check(found in ends, f"{one} {two} {data}: no such cable")
        ends.remove(found)
        check(data["rate"] == {"EDR": 25, "HDR": 50, "NDR": 100}[data["speed"]] * int(data["width"][:-1]), data)


def tables_of(graph):
    """{switch: {lid: port}}, {(node, port): neighbour}"""
    tables = {}
    for name, data in graph.nodes(data=True):
        table = {}
        for run_of_lids in data.get("lft", "").split():
            lids, port = run_of_lids.split(":")
            first, _, last = lids.partition("-")
            table.update(dict.fromkeys(range(int(first), int(last or first) + 1), int(port)))
        tables[name] = table
    neighbour = {}
    for one, two, data in graph.edges(data=True):
        neighbour[one, data["src_port"]] = two
        neighbour[two, data["dst_port"]] = one
    return tables, neighbour


def follow_routes(networkx, graph, what, minimal, rng):
    """Follows paths between hosts; returns the longest."""
    tables, neighbour = tables_of(graph)
    hosts = [name for name, data in graph.nodes(data=True) if data["type"] == "host"]
    longest = 0
    for target in hosts if len(hosts) <= 40 else rng.sample(hosts, 40):
        hops = networkx.single_source_shortest_path_length(graph, target)
        lid = graph.nodes[target]["lid"]
        for source in hosts:
            at, length = source, 0
            while at != target:
                at = neighbour[at, 1 if at == source else tables[at][lid]]
                length += 1
                check(length <= 4 * len(graph), f"{what}: {source} to {target}: a loop")
            check(length >= hops[source], f"{what}: {source} to {target}: {length} hops")
            check(not minimal or length == hops[source], f"{what}: {source} to {target}: {length} hops, shortest {hops[source]}")
            longest = max(longest, length)
    return longest


def test_graphml(folder):
    networkx = with_module("networkx", "python3-networkx")
    rng = random.Random(1)
    # The fabric, an engine, whether all its paths are shortest, the diameter between switches.
    for spec, engine, minimal, diameter in [
            ("fattree2:k=8", "ftree", True, 2), ("fattree3:k=4", "updn", True, 4), ("fattree2:k=8,trunks=2", "minhop", True, 2),
            ("torus:4x4,hosts=2", "dfsssp", True, 4), ("hypercube:n=4", "lash", True, 4), ("slimfly:q=5,hosts=2", "dfsssp", True, 2),
            ("torus:5x5,hosts=1", "updn", False, 4), ("dragonfly:a=4,h=2,p=2,speed=HDR", "minhop", True, 3)]:
        graph = graph_of(networkx, folder, spec, "-R", f"{engine},no_fallback")
        check(graph.is_multigraph() == ("trunks" in spec), f"{spec}: multigraph {graph.is_multigraph()}")
        same_fabric(graph, spec)
        check(graph.graph["engine"] == engine, graph.graph)
        switches = [name for name, data in graph.nodes(data=True) if data["type"] == "switch"]
        found = networkx.diameter(networkx.Graph(graph).subgraph(switches))
        check(found == diameter, f"{spec}: diameter {found}, expected {diameter}")
        follow_routes(networkx, graph, f"{spec} by {engine}", minimal, rng)
    same_fabric(graph_of(networkx, folder, "fattree2:k=8"), "fattree2:k=8")
    endpoints_count_hosts(networkx, folder)
    names_survive(networkx, folder)


def endpoints_count_hosts(networkx, folder):
    """SST: an undirected graph, an integer `endpoints` on each node; with and without hosts as nodes their sum is the number of hosts."""
    for words, nodes in ((["fattree2:k=8"], 44), (["fattree2:k=8", "--switches-only"], 12)):
        graph = graph_of(networkx, folder, *words)
        endpoints = networkx.get_node_attributes(graph, "endpoints")
        check(not graph.is_directed() and len(graph) == nodes == len(endpoints), f"{words}: {graph}")
        check(all(isinstance(count, int) for count in endpoints.values()) and sum(endpoints.values()) == 32, f"{words}: {endpoints}")


def names_survive(networkx, folder):
    """Names with characters that XML reserves, and with some that it forbids; routes of a file; LIDs of all ports."""
    net = folder / "odd.net"
    net.write_text('Switch 4 "S-a" # "a<b>& \x01 \xe9"\n[1] "H-b"[1]\n[2] "H-c"[1]\nHca 1 "H-b" # "one mlx5_0"\n[1] "S-a"[1]\n'
                   'Hca 1 "H-c" # "one mlx5_1"\n[1] "S-a"[2]\n', encoding="utf-8")
    graph = graph_of(networkx, folder, net)
    labels = {data["label"] for _, data in graph.nodes(data=True)}
    check(labels >= {"one mlx5_0", "one mlx5_1"}, labels)
    check({data.get("host") for _, data in graph.nodes(data=True)} == {None, "one"}, "two adapters of one host")
    check(any(label.startswith("a<b>&") for label in labels), labels)
    run("route", "ring:n=5", "-R", "updn", "-o", folder / "dumps")
    dumped = graph_of(networkx, folder, folder / "dumps/weft-fabric.json", "--lfts", folder / "dumps/opensm-lfts.dump")
    computed = graph_of(networkx, folder, "ring:n=5", "-R", "updn")
    check(tables_of(dumped) == tables_of(computed), "--lfts: other tables than those of -R")


def main():
    with tempfile.TemporaryDirectory() as folder:
        {"graphml": test_graphml}[sys.argv[1]](pathlib.Path(folder))
    print("ok")


if __name__ == "__main__":
    main()
