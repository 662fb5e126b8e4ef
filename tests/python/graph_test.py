# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of the conversion of fabrics to graphs of NetworkX and back."""
import networkx
import numpy
import pytest
import weft

SPECS = ["fattree3:k=4", "torus:4x3,hosts=2", "dragonfly:a=4,h=2,p=1", "kautz:b=2,n=2,hosts=1", "fattree2:k=4,trunks=2",
         "random:n=20,degree=4,hosts=2,seed=4,fail=3"]


@pytest.mark.parametrize("spec", SPECS)
def test_graph_has_the_counts_degrees_and_diameter_of_the_fabric(spec):
    fabric = weft.generate(spec)
    graph = weft.to_networkx(fabric)
    switches = fabric.to_networkx(hosts=False)
    assert graph.number_of_nodes() == fabric.node_count and graph.number_of_edges() == fabric.link_count
    assert switches.number_of_nodes() == fabric.switch_count and switches.number_of_edges() == fabric.switch_link_count
    ports = fabric.ports
    degrees = numpy.bincount(ports["node"][ports["peer"] != weft.NONE], minlength=fabric.node_count)
    assert [graph.degree(node) for node in range(fabric.node_count)] == degrees.tolist()
    assert networkx.diameter(switches) == fabric.distances().max()


@pytest.mark.parametrize("spec", SPECS)
def test_from_networkx_restores_the_fabric_from_its_graph(spec):
    fabric = weft.generate(spec)
    again = weft.from_networkx(fabric.to_networkx())
    assert again.nodes == tuple(node._replace(system_guid=node.guid, vendor_id=0, device_id=0) for node in fabric.nodes)
    assert (again.channels == fabric.channels).all() and (again.rates == fabric.rates).all()
    assert (again.endports == fabric.endports).all()
    assert (again.route("minhop").lfts == fabric.route("minhop").lfts).all()


def test_edges_have_ends_and_rates():
    graph = weft.generate("ring:n=3,hosts=1,speed=NDR").to_networkx()
    for a, b, data in graph.edges(data=True):
        (one, one_port), (other, other_port) = data["ends"]
        assert {one, other} == {a, b} and one_port >= 1 and other_port >= 1 and data["width"] == "4x" and data["speed"] == "NDR"
    assert graph.edges[0, 1, 0]["rate"] == 400
    assert {graph.nodes[node]["kind"] for node in graph} == {"switch", "ca"}


def test_any_graph_becomes_a_fabric_with_hosts():
    graph = networkx.petersen_graph()
    fabric = weft.from_networkx(graph, hosts=2, speed="HDR", lmc=1)
    assert (fabric.switch_count, fabric.ca_count, fabric.switch_link_count) == (10, 20, 15)
    assert (fabric.rates == 200).all() and (fabric.endports["lmc"][fabric.hosts] == 1).all()
    routes = fabric.route("dfsssp")
    assert routes.verify() and routes.quality().hops_max == networkx.diameter(graph) + 1
    assert fabric.node("0").kind == "switch" and fabric.node("host-1").kind == "ca"


def test_given_ports_are_kept_and_other_links_use_free_ports():
    graph = networkx.MultiGraph()
    graph.add_node("a", ports=8, guid=0x77)
    graph.add_edge("a", "b", ends=(("b", 5), ("a", 1)))
    graph.add_edge("a", "b")
    fabric = weft.from_networkx(graph)
    a, b = fabric.node("a").id, fabric.node("b").id
    assert fabric.node("a").guid == 0x77 and fabric.node("a").ports == 8
    found = {(int(one["from_port"]), int(one["to_port"])) for one in fabric.channels if (one["from"], one["to"]) == (a, b)}
    assert found == {(1, 5), (2, 1)}


def broken(change):
    graph = networkx.MultiGraph()
    graph.add_edge("a", "b")
    change(graph)
    return graph


@pytest.mark.parametrize("change, message", [
    (lambda graph: graph.add_node("a", kind="hub"), "node 'a': kind: found 'hub'"),
    (lambda graph: graph.add_node("a", ports=0), "node 'a': ports: found 0, expected 1 to 254"),
    (lambda graph: graph.add_node("a", guid=-1), "node 'a': guid: found -1"),
    (lambda graph: graph.add_edge("a", "b", ends=1), "edge 'a' to 'b': ends: found 1"),
    (lambda graph: graph.add_edge("a", "b", ends=(("a", 1), ("c", 1))), "edge 'a' to 'b': ends"),
    (lambda graph: graph.add_edge("a", "b", ends=(("a", 300), ("b", 1))), "node 'a': port: found 300, expected 1 to 254"),
    (lambda graph: graph.add_edges_from([("a", "b", {"ends": (("a", 1), ("b", port))}) for port in (7, 8)]), "'a'.* port 1"),
    (lambda graph: graph.add_node("b", guid=0x10000000000001), "two nodes have GUID"),
    (lambda graph: graph.add_edge("a", "a", ends=(("a", 3), ("a", 3))), "cabled to itself"),
    (lambda graph: graph.add_edge("a", "b", speed="WARP"), "'a' port 2 to 'b' port 2: speed: found WARP, expected SDR, .* or XDR"),
    (lambda graph: graph.add_edge("a", "b", width="3x"), "'a' port 2 to 'b' port 2: width: found 3x, expected 1x, .* or 12x"),
    (lambda graph: graph.add_edges_from([("a", f"c{i}") for i in range(254)]), "node 'a': .*254")])
def test_from_networkx_names_the_object_with_an_invalid_value(change, message):
    with pytest.raises(weft.InputError, match=message):
        weft.from_networkx(broken(change))


def test_directed_and_empty_graphs_are_refused():
    with pytest.raises(weft.InputError, match="directed graph"):
        weft.from_networkx(networkx.DiGraph([(1, 2)]))
    with pytest.raises(weft.InputError, match="no node"):
        weft.from_networkx(networkx.Graph())
