# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of routes: tables, paths, loads, verdict, quality, with numbers equal to the numbers of the command line."""
import gc

import networkx
import numpy
import pytest
import weft

SPECS = ["fattree3:k=4", "torus:4x4,hosts=2", "dragonfly:a=4,h=2,p=2", "random:n=12,degree=3,hosts=2,seed=3"]


@pytest.fixture(scope="module")
def routes():
    return weft.generate("fattree3:k=4").route("ftree")


def test_tables_are_a_read_only_view_that_keeps_the_routes_in_memory():
    routes = weft.generate("fattree3:k=4").route("minhop")
    tables = routes.lfts
    assert tables.dtype == numpy.uint8 and tables.shape == (20, routes.fabric.lid_top + 1) == (20, 37)
    assert tables.__array_interface__["data"] == routes.lfts.__array_interface__["data"], "lfts is a copy, expected a view"
    copy = tables.copy()
    del routes
    gc.collect()
    assert (tables == copy).all()
    with pytest.raises(ValueError):
        tables[0, 1] = 3
    with pytest.raises(ValueError):
        tables.setflags(write=True)


def test_paths_between_hosts_follow_the_tables(routes):
    fabric = routes.fabric
    for source in fabric.hosts[::3]:
        for target in fabric.hosts[::2]:
            path = routes.path(int(source), int(target))
            assert path.arrives and path.end == "arrived"
            assert path.switches[0] == fabric.endports["switch"][source]
            assert path.switches[-1] == fabric.endports["switch"][target]
            assert (fabric.channels["from"][path.channels] == path.switches[:-1]).all()
            assert (fabric.channels["to"][path.channels] == path.switches[1:]).all()
            lid = fabric.endports["lid"][target]
            assert (routes.lfts[path.switches, lid] == path.ports).all()
            assert path.hops + 1 == routes.hops()[path.switches[0], lid]


def test_a_path_that_does_not_arrive_states_the_reason(routes):
    fabric = routes.fabric
    tables = routes.lfts.copy()
    source, target = (fabric.endport(name) for name in ("host-1", "host-16"))
    lid, first = int(fabric.endports["lid"][target]), int(fabric.endports["switch"][source])
    ends = {"no route": 255, "port without a cable": 4, "ends at another endport": int(fabric.endports["switch_port"][source])}
    fabric = fabric.without(links=[(first, 4)])
    for end, port in ends.items():
        changed = tables.copy()
        changed[first, lid] = port
        broken = weft.make_routes(fabric, changed)
        assert broken.path("host-1", "host-16").end == end
        assert not broken.verify()
    fabric, up = routes.fabric, int(routes.path("host-1", "host-16").switches[1])
    back = fabric.channels[(fabric.channels["from"] == up) & (fabric.channels["to"] == first)]
    changed = tables.copy()
    changed[up, lid] = back["from_port"][0]
    assert weft.make_routes(fabric, changed).path("host-1", "host-16").end == "loop"


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("engine", ["minhop", "nue", "updn", "auto"])
def test_numbers_match_the_command_line(spec, engine, command_line):
    fabric = weft.generate(spec)
    routes = fabric.route(engine, fallback=True, seed=3)
    passes = bool(routes.verify())
    report = command_line("route", spec, "-R", engine, "--seed", "3", status=0 if passes else 1)
    assert routes.engine == report["engine"] and routes.choice == report["choice"] and routes.vls == report["vls"]
    assert routes.verify().to_dict() == report["verify"]
    assert routes.quality(seed=3).to_dict() == report["quality"]
    loads = routes.loads()
    assert loads.max() == report["quality"]["link_load_max"] and loads.mean() == pytest.approx(report["quality"]["link_load_mean"])


def test_options_match_the_command_line(command_line):
    for arguments, options in ((["--lmc", "1"], {"lmc": 1}), (["--replies", "ignore"], {"replies": "ignore"}),
                               (["--nue_max_num_vls", "2", "--balance", "local"], {"nue_max_num_vls": 2, "balance": "local"}),
                               (["--connect_roots"], {"connect_roots": True}), (["--port-shifting"], {"port_shifting": True})):
        report = command_line("route", "torus:4x4,hosts=1", "-R", "nue", *arguments)
        routes = weft.generate("torus:4x4,hosts=1").route("nue", fallback=True, **options)
        assert routes.quality().to_dict() == report["quality"], options
        assert list(routes.warnings) == report["warnings"], options
        if "replies" not in options:
            assert routes.verify().to_dict() == report["verify"], options


def test_tables_from_arrays_are_not_changed(routes):
    again = weft.make_routes(routes.fabric, weft.Tables(routes.lfts), "mine")
    assert again.engine == "mine" and (again.lfts == routes.lfts).all() and again.verify() == routes.verify()
    nothing = weft.make_routes(routes.fabric, routes.fabric.empty_tables())
    assert (nothing.lfts == 255).all() and nothing.verify().ca_to_ca["arrived"] == 0 and not nothing.verify()
    with pytest.raises(weft.InputError, match="forwarding tables: found shape"):
        weft.make_routes(routes.fabric, routes.lfts[1:])


def test_flags_may_be_false():
    tree = weft.generate("fattree2:k=4")
    shifted, plain = tree.route("minhop", port_shifting=True), tree.route("minhop", port_shifting=False)
    assert plain == tree.route("minhop") and plain != shifted
    assert tree.route("minhop", port_shifting=None) == plain


def test_missing_lids_are_assigned():
    without = weft.generate("fattree2:k=4", lmc=None)
    routes = without.route("minhop")
    assert (routes.fabric.endports["lid"] > 0).all() and (without.endports["lid"] == 0).all()
    assert routes == weft.generate("fattree2:k=4").route("minhop")


def test_every_lid_of_an_endport_has_a_path():
    routes = weft.generate("fattree2:k=4").route("minhop", lmc=1)
    lid = int(routes.fabric.endports["lid"][routes.fabric.endport("host-8")])
    paths = [routes.path("host-1", "host-8", offset) for offset in (0, 1)]
    assert paths[0].ports.tolist() != paths[1].ports.tolist()
    for offset, path in enumerate(paths):
        assert (routes.lfts[path.switches, lid + offset] == path.ports).all() and path.arrives


def test_chains_use_the_lmc_of_the_fabric(tmp_path):
    policy = tmp_path / "chain"
    step = "unicast-step\nid: {}\nengine: minhop\npath-bit: {}\nend-unicast-step\n"
    policy.write_text(step.format(1, 0) + step.format(2, 1))
    assert weft.generate("fattree2:k=4", lmc=1).route("chain", rch_policy_file=policy).verify()
    with pytest.raises(weft.InputError, match="path-bit") as caught:
        weft.generate("fattree2:k=4").route("chain", rch_policy_file=policy)
    assert caught.value.file == str(policy)


def test_multicast_groups_are_verified(tmp_path):
    fabric = weft.generate("fattree2:k=4")
    guids = [f"0x{int(fabric.ports['guid'][fabric.endports['port'][host]]):016x}" for host in fabric.hosts]
    groups = tmp_path / "groups"
    groups.write_text(f"0xC000 {guids[0]} {guids[7]}\n")
    routes = fabric.route("minhop", multicast=groups)
    assert routes.verify().multicast["groups"] == 1 and routes.verify().multicast["arrived"] == 2
    groups.write_text(f"0xC000 {guids[0]} {guids[6]} {guids[7]}\n")
    assert not routes.verify(multicast=groups)
    groups.write_text("0xC000\n")
    with pytest.raises(weft.InputError) as caught:
        routes.verify(multicast=groups)
    assert (caught.value.file, caught.value.line) == (str(groups), 1)


def test_patterns_are_measured_on_request(routes, command_line):
    report = command_line("route", "fattree3:k=4", "-R", "ftree", "--patterns")
    quality = routes.quality(patterns=True)
    assert quality.to_dict() == report["quality"] and quality.shifts["worst"] > 0 and routes.quality().shifts is None


def test_lists_replace_the_files_of_options(tmp_path):
    fabric = weft.generate("fattree2:k=4")
    spine = next(node for node in fabric.nodes if node.kind == "switch" and node.id not in fabric.endports["switch"][fabric.hosts])
    file = tmp_path / "roots"
    file.write_text(f"0x{spine.guid:016x}\n")
    assert fabric.route("updn", roots=[spine.name]) == fabric.route("updn", root_guid_file=file)
    assert fabric.route("updn", roots=[spine]) != fabric.route("updn", roots=[0])
    ids = [fabric.endport(name) for name in ("host-1", "host-8")]
    file.write_text("".join(f"0x{int(fabric.ports['guid'][fabric.endports['port'][id]]):016x}\n" for id in ids))
    assert fabric.route("ftree", compute_nodes=["host-1", "host-8"]) == fabric.route("ftree", cn_guid_file=file)
    assert fabric.route("minhop", order=ids) == fabric.route("minhop", guid_routing_order_file=file)


def test_engines_are_tried_in_order():
    ring = weft.generate("ring:n=5,hosts=1")
    routes = ring.route(["ftree", "minhop"])
    assert routes.engine == "minhop" and [name for name, _ in routes.failed_engines] == ["ftree"]
    assert not routes.verify() and "credit loop" in routes.verify().why and routes.verify().credit_loop
    enforced = ring.route(["ftree", "minhop", "updn"], verify="enforce")
    assert enforced.engine == "updn" and enforced.verify()
    assert ring.route("minhop", verify="off").lfts.shape == routes.lfts.shape


def test_progress_names_the_engines_that_begin():
    ring, seen = weft.generate("ring:n=5,hosts=1"), []
    ring.route(["ftree", lambda fabric, request: fabric.route("minhop").lfts, "updn"], verify="enforce", progress=seen.append)
    assert seen == ["ftree", "<lambda>", "updn"]
    seen.clear()
    best = ring.route(progress=seen.append)
    assert best.engine in seen and len(seen) > 5
    seen.clear()
    with pytest.raises(LookupError):
        ring.route(["ftree", "nue"], progress=lambda name: {}[name])
    best.failures(progress=lambda done, total: seen.append(done))
    assert seen[-1] == 5


def test_a_dump_is_read_again(tmp_path, command_line):
    routes = weft.generate("torus:4x4,hosts=1").route("dfsssp", lmc=1)
    routes.write(tmp_path / "dump")
    again = weft.load_dump(tmp_path / "dump")
    assert (again.lfts == routes.lfts).all() and again.verify() == routes.verify() and again.engine == "file"
    assert again.path("host-1", "host-9", 1).sl == routes.path("host-1", "host-9", 1).sl
    assert command_line("verify", str(tmp_path / "dump"))["verify"] == again.verify().to_dict()
    with pytest.raises(weft.UsageError, match="the routes are not of an engine"):
        again.failures()
    with pytest.raises(weft.UsageError, match="LID offset 2: expected 0 to 1"):
        routes.path("host-1", "host-9", 2)


def test_lanes_and_maps_match_the_path():
    routes = weft.generate("torus:5x5,hosts=1").route("dfsssp")
    path = routes.path("host-1", "host-13")
    assert routes.vls > 1 and len(path.vls) == len(path.switches) and path.vls.max() < routes.vls
    switch, out = int(path.switches[0]), int(path.ports[0])
    inside = int(routes.fabric.endports["switch_port"][routes.fabric.endport("host-1")])
    assert routes.sl2vl(switch)[inside, out, path.sl] == path.vls[0]
    lanes = routes.lanes()
    assert len(lanes) == 16 and sum(lane.hops for lane in lanes) == routes.loads().sum() and lanes[1].paths > 0


def test_adaptive_routes_have_several_ports():
    routes = weft.generate("fattree3:k=4").route("ar_ftree")
    assert routes.is_adaptive
    fabric = routes.fabric
    leaf = int(fabric.endports["switch"][fabric.endport("host-1")])
    lid = int(fabric.endports["lid"][fabric.endport("host-16")])
    choices = routes.choices(leaf, lid)
    assert choices[0] == routes.lfts[leaf, lid] and len(choices) == 2
    static = weft.generate("fattree3:k=4").route("ftree")
    assert static.choices(leaf, lid) == [static.lfts[leaf, lid]] and not static.is_adaptive


def test_choices_follow_the_private_table_of_the_input_port_and_the_sl():
    routes = weft.generate("dragonflyplus:leaves=3,spines=3,h=1,hosts=2").route("dfp2")
    ends = routes.fabric.endports
    host, target = routes.fabric.endport("host-1"), routes.fabric.endport("host-24")
    leaf, inside, lid = int(ends["switch"][host]), int(ends["switch_port"][host]), int(ends["lid"][target])
    of_host = routes.choices(leaf, lid, inside)
    from_spines = [routes.choices(leaf, lid, port) for port in range(1, 6) if port != inside]
    assert of_host[0] == routes.lfts[leaf, lid] and len(of_host) > min(map(len, from_spines))
    with pytest.raises(weft.UsageError, match="SL 16: expected 0 to 15"):
        routes.choices(leaf, lid, inside, 16)


def test_failures_match_the_command_line(command_line):
    routes = weft.generate("fattree2:k=4").route("ftree", fallback=True)
    for victims in ("cables", "switches", "both"):
        rows = command_line("simulate", "fattree2:k=4", "-R", "ftree", "--failures", "1", "--victims", victims, "--no-times")["rows"]
        found = [{**row._asdict()} for row in routes.failures(victims=victims)]
        assert len(found) == len(rows)
        for one, row in zip(found, rows):
            assert {key: one[key] for key in row} == row
    drawn = command_line("simulate", "fattree2:k=4", "-R", "ftree", "--failures", "2", "--trials", "3", "--seed", "5", "--no-times")["rows"]
    assert [row.name for row in routes.failures(2, trials=3, seed=5)] == [row["name"] for row in drawn]


def test_results_do_not_depend_on_threads():
    fabric = weft.generate("random:n=30,degree=4,hosts=2,seed=1")
    for engine in ("nue", "dfsssp"):
        one, many = (fabric.route(engine, threads=threads) for threads in (1, 4))
        assert one == many and (one.loads(1) == many.loads(4)).all()
        assert one.quality(threads=1) == many.quality(threads=4) and one.verify(threads=1) == many.verify(threads=4)


def test_shortest_paths_match_networkx():
    for spec in SPECS:
        routes = weft.generate(spec).route("minhop")
        fabric = routes.fabric
        graph = fabric.to_networkx(hosts=False)
        lengths = dict(networkx.all_pairs_shortest_path_length(graph))
        hops = routes.hops()
        for host in fabric.hosts:
            lid, target = int(fabric.endports["lid"][host]), int(fabric.endports["switch"][host])
            for switch in range(fabric.switch_count):
                assert hops[switch, lid] == lengths[switch][target] + 1
