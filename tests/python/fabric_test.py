# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of fabrics: files, specs, arrays, names, failures."""
import gc

import networkx
import numpy
import pytest
import weft


@pytest.fixture(scope="module")
def tree():
    return weft.generate("fattree2:k=4")


def test_counts_match_the_spec(tree):
    assert (tree.switch_count, tree.ca_count, tree.link_count, tree.switch_link_count) == (6, 8, 16, 8)
    assert (tree.node_count, tree.channel_count, tree.endport_count) == (14, 16, 14)
    assert tree.topology() == "a tree of 2 levels"


def test_arrays_are_read_only_views_that_keep_the_fabric_in_memory():
    fabric = weft.generate("fattree2:k=4")
    channels, endports, ports = fabric.channels, fabric.endports, fabric.ports
    again = fabric.channels
    assert channels.__array_interface__["data"] == again.__array_interface__["data"], "channels is a copy, expected a view"
    before = channels.copy(), endports.copy(), ports.copy()
    del fabric, again
    gc.collect()
    for array, copy in zip((channels, endports, ports), before):
        assert (array == copy).all()
        with pytest.raises(ValueError):
            array["lid" if "lid" in array.dtype.names else "to"] = 1
        with pytest.raises(ValueError):
            array.setflags(write=True)


def test_the_reverse_of_a_channel_has_exchanged_ends(tree):
    channels = tree.channels
    back = channels[channels["reverse"]]
    assert (back["from"] == channels["to"]).all() and (back["to_port"] == channels["from_port"]).all()
    assert (channels["reverse"][channels["reverse"]] == numpy.arange(len(channels))).all()
    assert (tree.rates == 100).all()


def test_every_endport_has_a_lid_unless_lmc_is_none(tree):
    assert sorted(tree.endports["lid"]) == list(range(1, 15))
    assert (weft.generate("fattree2:k=4", lmc=None).endports["lid"] == 0).all()
    four = weft.generate("fattree2:k=4", lmc=2)
    assert (four.endports["lmc"][four.hosts] == 2).all()
    assert tree.with_lids(2).lid_top == four.lid_top


def test_nodes_are_found_by_id_name_and_guid(tree):
    host = tree.node("host-3")
    assert host.kind == "ca" and tree.node(host.id) == host and tree.node(f"0x{host.guid:016x}") == host and tree.node(host) == host
    endport = tree.endport("host-3")
    assert tree.endports["node"][endport] == host.id
    assert tree.endport(f"0x{int(tree.ports['guid'][tree.endports['port'][endport]]):x}") == endport
    assert tree.endport("host-3:1") == endport == tree.endport(host)
    assert tree.endport_of_lid(int(tree.endports["lid"][endport])) == endport
    assert tree.endport_of_lid(0xBFFF) is None


@pytest.mark.parametrize("which, message", [
    ("host-99", "node 'host-99': no node has this name or GUID"), (14, "node 14: expected 0 to 13"), (-1, "node -1: expected 0 to 13"),
    ("0x123", "node '0x123': no node")])
def test_unknown_nodes_are_named(tree, which, message):
    with pytest.raises(weft.UsageError, match=message):
        tree.node(which)
    with pytest.raises(weft.UsageError):
        tree.endport(which)
    with pytest.raises(TypeError):
        tree.node(1.5)


def test_names_of_several_nodes_are_refused():
    graph = networkx.Graph()
    graph.add_node(1, name="same")
    graph.add_node(2, name="same")
    graph.add_edge(1, 2)
    fabric = weft.from_networkx(graph, hosts=1)
    with pytest.raises(weft.UsageError, match="2 nodes have this name; use the GUID"):
        fabric.node("same")


@pytest.mark.parametrize("format", ["json", "ibsim", "ibnetdiscover", "lst"])
def test_a_written_fabric_is_read_again(tree, tmp_path, format):
    path = tmp_path / "fabric"
    tree.write(path, format)
    again = weft.load(path)
    assert again.format == {"ibsim": "ibnetdiscover"}.get(format, format), "the detected format differs from the written format"
    assert weft.load(path, format=format).format == format
    assert (again.channels["to"] == tree.channels["to"]).all()
    assert weft.parse(tree.to_text(format), name="text").switch_count == tree.switch_count


def test_failed_nodes_and_links_are_removed(tree):
    channel = tree.channels[0]
    cut = tree.without(links=[(int(channel["from"]), int(channel["from_port"]))])
    assert cut.switch_link_count == tree.switch_link_count - 1
    spine = int(numpy.setdiff1d(numpy.arange(tree.switch_count), tree.endports["switch"][tree.hosts])[0])
    left = tree.without(nodes=[spine])
    assert left.switch_count == tree.switch_count - 1
    assert (left.endports["lid"][left.hosts] == tree.endports["lid"][tree.hosts]).all(), "LIDs changed"
    with pytest.raises(weft.UsageError, match="expected at least one to remain"):
        tree.without(nodes=range(tree.node_count))
    for port in (0, 9):
        with pytest.raises(weft.UsageError, match=rf"port {port} of '.*': expected 1 to 4"):
            tree.without(links=[(0, port)])


def test_distances_are_hop_counts(tree):
    distances = tree.distances()
    assert distances.shape == (6, 6) and distances.dtype == numpy.uint8
    assert (numpy.diag(distances) == 0).all() and distances.max() == 2 and (distances == distances.T).all()


def test_a_node_name_selects_the_port_that_is_cabled_to_a_switch():
    graph = networkx.MultiGraph()
    graph.add_nodes_from(["one", "other"], kind="ca")
    graph.add_edge("one", "other", ends=(("one", 1), ("other", 1)))
    graph.add_edge("one", "switch", ends=(("one", 2), ("switch", 1)))
    fabric = weft.from_networkx(graph)
    port = fabric.endports["port"][fabric.endport("one")]
    assert fabric.ports["port"][port] == 2
    assert fabric.endports["switch"][fabric.endport("one:1")] == weft.NONE == fabric.endports["switch"][fabric.endport("other")]
    with pytest.raises(weft.UsageError, match="node 'one': no endport at port 3"):
        fabric.endport("one:3")
    with pytest.raises(weft.UsageError, match="'other' .* is not cabled to a switch"):
        fabric.route("minhop").path("one", "other")


def test_irregularities_of_a_file_cause_warnings(tmp_path, tree):
    path = tmp_path / "fabric.json"
    text = tree.to_text("ibnetdiscover")
    lid = str(tree.endports["lid"][tree.hosts[0]])
    other = str(tree.endports["lid"][tree.hosts[1]])
    path.write_text(text.replace(f"lid {lid} ", f"lid {other} "))
    with pytest.warns(weft.InputWarning) as seen:
        fabric = weft.load(path)
    assert fabric.warnings == tuple(str(one.message) for one in seen.list) and fabric.warnings


def test_catalogues_list_generators_engines_options_and_formats():
    assert {"fattree3", "torus", "dragonfly"} <= {one.name for one in weft.generators()}
    tree = next(one for one in weft.generators() if one.name == "fattree3")
    assert "k" in {one.name for one in tree.parameters} and "seed" in {one.name for one in tree.parameters}
    for one in weft.generators():
        assert weft.generate(one.example).switch_count > 0, one
    assert {"minhop", "ftree", "nue"} <= {one.name for one in weft.engines()}
    assert {"lmc", "seed", "threads", "objective"} <= {one.name for one in weft.routing_options()}
    assert {"bisect", "bruck"} <= {one.name for one in weft.patterns()}
    assert "ibnetdiscover" in {one.name for one in weft.read_formats()} & {one.name for one in weft.write_formats()}


def test_pictures_are_svg(tree, tmp_path):
    picture = tree.draw()
    assert picture._repr_svg_().startswith("<svg") and "</svg>" in picture.svg
    picture.save(tmp_path / "fabric.svg")
    assert (tmp_path / "fabric.svg").read_text() == picture.svg
    bars = weft.bars("title", {"one": 1, "two": 2.5})
    assert "title" in bars.svg and "2.5" in bars.svg and "two" in bars.svg
    with pytest.raises(weft.UsageError, match=r"loads: found shape \[3\], expected \[16\]"):
        tree.draw([1, 2, 3])
    with pytest.raises(weft.UsageError, match="texts: found 1, expected 2"):
        weft.bars("title", {"one": 1, "two": 2}, ["x"])
