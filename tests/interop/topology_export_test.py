#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests weft export of topologies. Programs and libraries that use the formats read the files, and the result equals Weft's JSON.

Usage: topology_export_test.py graphml|simgrid|text
Runs again with the interpreter of the distribution if this interpreter lacks a module. Is skipped if both lack it.
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
    """Imports the module; if it is missing, runs the test in the interpreter of the distribution."""
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
    """The fabric from Weft's JSON: ({guid: node}, [link])."""
    fabric = json.loads(run("convert", source, "-", "--to", "json")[0])
    return {int(node["guid"], 16): node for node in fabric["nodes"]}, fabric["links"]


# ---- GraphML ----

def graph_of(networkx, folder, *words):
    path = folder / "fabric.graphml"
    run("export", "graphml", *words, "-o", path)
    return networkx.read_graphml(path)


def same_fabric(graph, source):
    """The nodes with their data, and the edges with their ports, equal the nodes and edges of the JSON."""
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
        check(found in ends, f"{one} {two} {data}: the JSON has no link with these ends")
        ends.remove(found)
        check(data["rate"] == {"EDR": 25, "HDR": 50, "NDR": 100}[data["speed"]] * int(data["width"][:-1]), data)


def tables_of(graph):
    """({switch: {lid: port}}, {(node, port): neighbor}) of the graph."""
    tables = {}
    for name, data in graph.nodes(data=True):
        table = {}
        for run_of_lids in data.get("lft", "").split():
            lids, port = run_of_lids.split(":")
            first, _, last = lids.partition("-")
            table.update(dict.fromkeys(range(int(first), int(last or first) + 1), int(port)))
        tables[name] = table
    neighbor = {}
    for one, two, data in graph.edges(data=True):
        neighbor[one, data["src_port"]] = two
        neighbor[two, data["dst_port"]] = one
    return tables, neighbor


def follow_routes(networkx, graph, what, minimal, rng):
    """Follows paths between hosts through the tables; returns the number of links of the longest path."""
    tables, neighbor = tables_of(graph)
    hosts = [name for name, data in graph.nodes(data=True) if data["type"] == "host"]
    longest = 0
    for target in hosts if len(hosts) <= 40 else rng.sample(hosts, 40):
        hops = networkx.single_source_shortest_path_length(graph, target)
        lid = graph.nodes[target]["lid"]
        for source in hosts:
            at, length = source, 0
            while at != target:
                at = neighbor[at, 1 if at == source else tables[at][lid]]
                length += 1
                check(length <= 4 * len(graph), f"{what}: {source} to {target}: a loop")
            check(length >= hops[source], f"{what}: {source} to {target}: {length} hops")
            check(not minimal or length == hops[source], f"{what}: {source} to {target}: {length} hops, shortest {hops[source]}")
            longest = max(longest, length)
    return longest


def test_graphml(folder):
    networkx = with_module("networkx", "python3-networkx")
    rng = random.Random(1)
    # (fabric, engine, whether all paths are shortest paths, diameter between switches)
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
    names_are_kept(networkx, folder)


def endpoints_count_hosts(networkx, folder):
    """The graph for SST is undirected and has an integer `endpoints` on each node. Their sum is the number of hosts, with and without hosts as nodes."""
    for words, nodes in ((["fattree2:k=8"], 44), (["fattree2:k=8", "--switches-only"], 12)):
        graph = graph_of(networkx, folder, *words)
        endpoints = networkx.get_node_attributes(graph, "endpoints")
        check(not graph.is_directed() and len(graph) == nodes == len(endpoints), f"{words}: {graph}")
        check(all(isinstance(count, int) for count in endpoints.values()) and sum(endpoints.values()) == 32, f"{words}: {endpoints}")


def names_are_kept(networkx, folder):
    """Tests names with characters that XML reserves or forbids, routes from a file, and the LIDs of all ports."""
    net = folder / "odd.net"
    net.write_text('Switch 4 "S-a" # "a<b>& \x01 \xe9"\n[1] "H-b"[1]\n[2] "H-c"[1]\nHca 1 "H-b" # "one mlx5_0"\n[1] "S-a"[1]\n'
                   'Hca 1 "H-c" # "one mlx5_1"\n[1] "S-a"[2]\n', encoding="utf-8")
    graph = graph_of(networkx, folder, net)
    labels = {data["label"] for _, data in graph.nodes(data=True)}
    check(labels >= {"one mlx5_0", "one mlx5_1"}, labels)
    check({data.get("host") for _, data in graph.nodes(data=True)} == {None, "one"},
          "expected host 'one' for both adapters, and no host for the others")
    check(any(label.startswith("a<b>&") for label in labels), labels)
    run("route", "ring:n=5", "-R", "updn", "-o", folder / "dumps")
    dumped = graph_of(networkx, folder, folder / "dumps/weft-fabric.json", "--lfts", folder / "dumps/opensm-lfts.dump")
    computed = graph_of(networkx, folder, "ring:n=5", "-R", "updn")
    check(tables_of(dumped) == tables_of(computed), "--lfts: tables differ from the tables of -R")


# ---- SimGrid ----

def test_simgrid(folder):
    """SimGrid loads the platform. Its routes are the paths of the forwarding tables; without tables they are shortest paths."""
    simgrid = with_module("simgrid", "python3-simgrid")
    path = folder / "platform.xml"
    for spec, words in (("fattree2:k=4", ["-R", "ftree"]), ("torus:4x4,speed=HDR", ["-R", "updn"]), ("fattree2:k=4,trunks=2", []),
                        ("rail:su=2,servers=2,nics=4,k=8", []), ("rail:su=2,servers=2,nics=2,k=8", ["-R", "minhop"])):
        run("export", "simgrid", spec, *words, "--delay", "700", "-o", path)
        # A process can have only one SimGrid engine.
        loader = subprocess.run([sys.executable, __file__, "simgrid-routes", path], capture_output=True, text=True, timeout=interop.PATIENCE)
        check(loader.returncode == 0, f"{spec}: SimGrid does not load the platform: {loader.stderr[-2000:]}")
        platform = json.loads(loader.stdout.splitlines()[-1])
        nodes, links = fabric_of(spec)
        compare_platform(platform, spec, nodes, links, routed=bool(words))
    message = run("export", "simgrid", "fattree3:k=24", "-R", "minhop", status=2)[1]
    check("3456 ports of hosts have 11940480 paths, expected at most 2000000" in message, message)


def simgrid_routes(path):
    """Prints the platform that SimGrid has read, for test_simgrid."""
    import simgrid  # pylint: disable=import-outside-toplevel,import-error
    engine = simgrid.Engine(["loader", "--log=root.thres:error"])
    engine.load_platform(path)
    engine.netzone_root.seal()
    hosts = engine.all_hosts
    routes = {}
    for one in hosts:
        for two in hosts:
            if one.name != two.name:
                links, delay = one.route_to(two)
                routes[f"{one.name} {two.name}"] = ([link.name for link in links], delay)
    print(json.dumps({"hosts": [host.name for host in hosts], "routes": routes,
                      "links": {link.name: link.bandwidth for link in engine.all_links}}))


def compare_platform(platform, spec, nodes, links, routed):
    adapters = [node for node in nodes.values() if node["type"] == "ca"]
    servers = {node["description"].split()[0] for node in adapters}
    several = len(servers) < len(adapters)
    expected = len(adapters) if routed else len(servers)
    check(len(platform["hosts"]) == expected, f"{spec}: {len(platform['hosts'])} hosts, expected {expected}")
    cables = len(links) if routed else len({(link["a"], link["b"]) for link in links})
    found = {name: rate for name, rate in platform["links"].items() if name.startswith("l") and name[1:].rstrip("_UPDOWN").isdigit()}
    check(len(found) in (cables, 2 * cables, 3 * cables), f"{spec}: {len(found)} links of {cables} cables")
    rate = 200e9 / 8 if "HDR" in spec else 100e9 / 8
    check(set(found.values()) <= {rate, 2 * rate}, f"{spec}: bandwidths {set(found.values())}")
    hops = shortest_hops(nodes, links)
    for pair, (path, delay) in platform["routes"].items():
        check(abs(delay - 700e-9 * len(path)) < 1e-12, f"{spec}: {pair}: delay {delay} of {len(path)} links")
        if several or not routed:
            check(len(path) >= 2, f"{spec}: {pair}: {path}")
            continue
        one, two = pair.split()
        check(len(path) >= hops[one, two], f"{spec}: {pair}: {len(path)} links, shortest {hops[one, two]}")
    if routed and not several:
        check(all(len(platform["routes"][pair][0]) == tabled for pair, tabled in tabled_hops(spec, nodes).items()),
              f"{spec}: path lengths differ from the forwarding tables")


def shortest_hops(nodes, links):
    neighbors = collections.defaultdict(set)
    for link in links:
        neighbors[int(link["a"], 16)].add(int(link["b"], 16))
        neighbors[int(link["b"], 16)].add(int(link["a"], 16))
    hops = {}
    for start, node in nodes.items():
        if node["type"] != "ca":
            continue
        seen, row = {start: 0}, collections.deque([start])
        while row:
            at = row.popleft()
            for to in neighbors[at] - seen.keys():
                seen[to] = seen[at] + 1
                row.append(to)
        hops.update({(node["description"], nodes[to]["description"]): count for to, count in seen.items() if nodes[to]["type"] == "ca"})
    return hops


def tabled_hops(spec, nodes):
    """{"host-1 host-2": number of links on the path of the forwarding tables}, from GraphML, for the engine that test_simgrid uses."""
    networkx = with_module("networkx", "python3-networkx")
    with tempfile.TemporaryDirectory() as folder:
        graph = graph_of(networkx, pathlib.Path(folder), spec, "-R", "ftree" if "fattree" in spec else "updn")
    tables, neighbor = tables_of(graph)
    hosts = [name for name, data in graph.nodes(data=True) if data["type"] == "host"]
    label = {name: nodes[int(name[2:], 16)]["description"] for name in hosts}
    found = {}
    for source in hosts:
        for target in hosts:
            at, count = source, 0
            while at != target:
                at = neighbor[at, 1 if at == source else tables[at][graph.nodes[target]["lid"]]]
                count += 1
            if source != target:
                found[f"{label[source]} {label[target]}"] = count
    return found


# ---- Text: ns-3, SimAI, ASTRA-sim, CODES ----

def numbers(line):
    return [int(word) for word in line.split()]


def test_text(folder):
    for spec in ("fattree2:k=8", "rail:su=2,servers=3,nics=4,k=8", "fattree3:k=4,speed=NDR"):
        check_ns3_cables(folder, spec)
    check_simai_header(folder)
    check_astra_sim_dimensions(folder)
    check_codes_tables(folder)
    for kind in ("ns3", "simai", "astra-sim"):
        check("cannot contain forwarding tables" in run("export", kind, "ring:n=5,hosts=2", "-R", "updn", "-o", folder / kind)[1],
              f"{kind}: expected an error for forwarding tables")
    for words, message in ((["ns3", "ring:n=3", "--port", "1"], "--port has no effect on ns3"),
                           (["codes", "ring:n=3", "-o", folder / "c"], "codes: found no routes"),
                           (["codes", "fattree2:k=4", "-R", "minhop"], "-o: found no folder"),
                           (["slurm", "ring:n=3", "-R", "minhop"], "--routing_engine has no effect on slurm"),
                           (["ns3", "ring:n=3", "--delay", "nan"], "--delay"),
                           (["simai", "ring:n=3", "--nvlink", "-1"], "--nvlink")):
        check(message in run("export", *words, status=2)[1], f"{words}: {run('export', *words, status=2)[1]}")


def check_ns3_cables(folder, spec):
    """An independent reader finds the same counts, numbers and rates, and Weft reads the same graph from the file."""
    nodes, links = fabric_of(spec)
    text = run("export", "ns3", spec, "--delay", "1000")[0]
    first, switches, *rows = text.splitlines()
    servers = {node["description"].split()[0] for node in nodes.values() if node["type"] == "ca"}
    switch_count = sum(node["type"] == "switch" for node in nodes.values())
    check(numbers(first) == [len(servers) + switch_count, switch_count, len(links)], f"{spec}: {first}")
    check(numbers(switches) == list(range(len(servers), len(servers) + switch_count)), f"{spec}: {switches}")
    check(all(row.split()[2:] == ["400Gbps" if "NDR" in spec else "100Gbps", "1000ns", "0"] for row in rows), f"{spec}: {rows[0]}")
    check(len(rows) == len(links), f"{spec}: {len(rows)} links")
    path = folder / "topology.txt"
    path.write_text(text)
    again, again_links = fabric_of(path)
    degrees = [sorted(collections.Counter(end for link in some for end in (link["a"], link["b"])).values()) for some in (again_links,)]
    check(len(again_links) == len(links) and len(again) == len(servers) + switch_count and sum(degrees[0]) == 2 * len(links),
          f"{spec}: {len(again)} nodes and {len(again_links)} links in the exported file")


def check_simai_header(folder):
    """The header equals the header of SimAI's generator for 128 GPUs on 8 rails: 216 nodes, 8 GPUs for each server, 16 NVSwitches, 72 switches,
    768 links."""
    path = folder / "spectrum-x.txt"
    run("export", "simai", "rail:su=1,servers=16,nics=8,k=128,blocking=1:4,spines=64", "--gpu-type", "A100", "-o", path)
    first, switches, *rows = path.read_text().splitlines()
    check(first == "216 8 16 72 768 A100", first)
    check(numbers(switches) == list(range(128, 216)), switches)
    check(len(rows) == 768 and rows[0].split()[:3] == ["0", "128", "2880Gbps"], rows[0])
    nodes, links = fabric_of(path)
    check(sum(node["type"] == "ca" for node in nodes.values()) == 128 and len(links) == 640, f"{len(nodes)} nodes, {len(links)} links")


def check_astra_sim_dimensions(folder):
    for spec, topology, npus in (("rail:su=2,servers=4,nics=8,k=16", ["Switch", "Switch"], [8, 8]), ("torus:5x3", ["Ring", "Ring"], [3, 5]),
                                 ("full:n=6", ["FullyConnected"], [6]), ("fattree2:k=4", ["Switch"], [8]), ("torus:4x6", ["Ring", "Ring"], [4, 6])):
        run("export", "astra-sim", spec, "-o", folder / "astra")
        lines = dict(line.split(": ", 1) for line in (folder / "astra/network.yml").read_text().splitlines())
        check(lines["topology"] == f"[{', '.join(topology)}]", f"{spec}: {lines}")
        check(json.loads(lines["npus_count"]) == npus, f"{spec}: {lines}")
        check(abs(json.loads(lines["bandwidth"])[-1] - 100e9 / 8 / 2**30) < 1e-3, f"{spec}: {lines}")
        check(len(json.loads(lines["latency"])) == len(npus), f"{spec}: {lines}")
        logical = json.loads((folder / "astra/logical_topology.json").read_text())["logical-dims"]
        check([int(size) for size in logical] == npus, f"{spec}: {logical}")
        first = numbers((folder / "astra/topology.txt").read_text().splitlines()[0])
        product = 1
        for size in npus:
            product *= size
        check(first[0] - first[1] == product, f"{spec}: {first}, {product} NPUs")


def check_codes_tables(folder):
    """Every switch has a file with an entry for every terminal, and the path of the ports in the entries ends at the terminal."""
    run("export", "codes", "fattree3:k=4", "-R", "ftree", "-o", folder / "codes")
    graph = graph_of(with_module("networkx", "python3-networkx"), folder, "fattree3:k=4", "-R", "ftree")
    name_of = {data["label"]: name for name, data in graph.nodes(data=True)}
    guid = {}
    for line in (folder / "codes/names.txt").read_text().splitlines():
        number, label = line.split()[:2]
        guid[int(number, 16)] = name_of[label]
    levels = collections.Counter(number >> 32 for number in guid)
    check(levels == {1: 8, 2: 8, 3: 4, 64: 16}, levels)
    _, neighbor = tables_of(graph)
    tables = {}
    for number, name in guid.items():
        if number >> 32 == 64:
            continue
        rows = [line.split() for line in (folder / f"codes/0x{number:016x}.lft").read_text().splitlines() if not line.startswith("#")]
        tables[name] = {int(to, 16): int(port) for to, port in rows}
        check(len(tables[name]) == 16, f"{name}: {len(tables[name])} terminals")
    for number, name in guid.items():
        if number >> 32 != 64:
            continue
        for start in tables:
            at, count = start, 0
            while at != name:
                at = neighbor[at, tables[at][number]]
                count += 1
                check(count < 8, f"{start} to {name}: a loop")
    check("the model of CODES requires a fat tree" in run("export", "codes", "ring:n=5", "-R", "updn", "-o", folder / "c", status=1)[1],
          "expected an error for a ring")


def main():
    if sys.argv[1] == "simgrid-routes":
        simgrid_routes(sys.argv[2])
        return
    with tempfile.TemporaryDirectory() as folder:
        {"graphml": test_graphml, "simgrid": test_simgrid, "text": test_text}[sys.argv[1]](pathlib.Path(folder))
    print("ok")


if __name__ == "__main__":
    main()
