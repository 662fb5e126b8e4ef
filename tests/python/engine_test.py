# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of engines that are written in Python."""
import pathlib
import subprocess
import threading

import numpy
import pytest
import weft


def shortest(fabric, request):
    """Shortest paths: each next hop is a neighbor at a smaller distance from the destination."""
    tables = fabric.empty_tables()
    channels, distances = fabric.channels, fabric.distances()
    for endport in fabric.endports:
        lids = range(endport["lid"], endport["lid"] + (1 << endport["lmc"]))
        target = endport["switch"]
        nearer = distances[channels["to"], target] < distances[channels["from"], target]
        for channel in channels[nearer][::-1]:
            tables[channel["from"], lids] = channel["from_port"]
        tables[target, lids] = endport["switch_port"]
    return tables


class Layered(weft.Engine):
    """Shortest paths, with a separate VL for each half of the destinations."""
    name = "layered"

    def route(self, fabric, request):
        sls = numpy.arange(fabric.lid_top + 1) % 2
        return weft.Tables(shortest(fabric, request), sls, 2)


@pytest.mark.parametrize("lmc", [0, 1])
def test_a_function_is_an_engine(lmc):
    fabric = weft.generate("fattree3:k=4")
    routes = fabric.route(shortest, lmc=lmc)
    assert routes.engine == "shortest" and routes.verify()
    assert (routes.lfts == shortest(routes.fabric, None)).all() and routes.quality().nonminimal == 0


def test_an_engine_runs_on_the_calling_thread_with_its_request():
    requests = []

    def recording_engine(fabric, request):
        requests.append((threading.get_ident(), request.seed, request.threads, request.vls_max, list(request.roots), fabric.switch_count))
        return shortest(fabric, request)

    weft.generate("fattree2:k=4").route(recording_engine, seed=7, threads=3, roots=[1, 2])
    assert requests == [(threading.get_ident(), 7, 3, 8, [1, 2], 6)]


def test_sls_are_by_lid_or_by_switch_pair_or_by_switch_and_lid():
    fabric = weft.generate("fattree2:k=4")
    routes = fabric.route(Layered())
    assert routes.engine == "layered" and routes.vls == 2 and routes.verify()
    lid = int(fabric.endports["lid"][fabric.endport("host-1")])
    assert routes.path("host-8", "host-1").sl == lid % 2
    lids, switches = fabric.lid_top + 1, fabric.switch_count
    for shape in ((switches, switches), (switches, lids)):
        sls = numpy.zeros(shape, numpy.uint8)
        sls[int(fabric.endports["switch"][fabric.endport("host-8")])] = 1
        routes = fabric.route(lambda f, r: weft.Tables(shortest(f, r), sls, 2))
        assert routes.path("host-8", "host-1").sl == 1 and routes.path("host-1", "host-8").sl == 0


def test_the_next_engine_routes_after_a_refusal():
    def refuse(fabric, request):
        raise weft.UnroutableError("not a tree")

    ring = weft.generate("ring:n=4,hosts=1")
    routes = ring.route([refuse, Layered(), "minhop"])
    assert routes.engine == "layered" and routes.failed_engines == [("refuse", "not a tree")]
    with pytest.raises(weft.UnroutableError, match="all routing engines failed: refuse: not a tree"):
        ring.route(refuse)
    assert [name for name, _ in ring.route([refuse, refuse, Layered()]).failed_engines] == ["refuse", "refuse (2)"]
    assert ring.route(refuse, fallback=True).engine == "nue"
    assert ring.route([shortest, "updn"], verify="enforce").engine == "updn"


def test_other_exceptions_reach_the_caller_without_a_fallback():
    def faulty(fabric, request):
        return {}["missing"]

    with pytest.raises(KeyError, match="missing"):
        weft.generate("ring:n=4").route([faulty, "minhop"], fallback=True)

    def interrupted(fabric, request):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weft.generate("ring:n=4").route(interrupted)


def changed(change):
    def engine(fabric, request):
        tables = weft.Tables(shortest(fabric, request))
        return change(tables, fabric) or tables
    return engine


def set_port(tables, fabric):
    tables.lfts[2, 3] = 40


def set_shape(tables, fabric):
    tables.lfts = tables.lfts[:, :-1]


def set_type(tables, fabric):
    tables.lfts = tables.lfts.astype(float)


def set_number(tables, fabric):
    tables.lfts = tables.lfts.astype(int) - 1


def set_sl(tables, fabric):
    tables.sls = numpy.full(fabric.lid_top + 1, 1, numpy.uint8)


def set_sls(tables, fabric):
    tables.sls = numpy.zeros(3, numpy.uint8)


def set_vls(tables, fabric):
    tables.vls = 9


@pytest.mark.parametrize("change, kind, message", [
    (set_port, weft.InputError, r"routing engine engine: table of .*, LID 3: found port 40, expected 0 to 4 or 255"),
    (set_shape, weft.InputError, r"forwarding tables: found shape \[6, 14\], expected \[6, 15\]"),
    (set_type, weft.InputError, r"found an array of float64, expected numbers from 0 to 255"),
    (set_number, weft.InputError, r"forwarding tables: found an array of int64, expected numbers from 0 to 255"),
    (set_sl, weft.InputError, r"entry 0 of its SLs: found 1, expected less than its 1 VLs"),
    (set_sls, weft.InputError, r"SLs: found shape \[3\], expected \[15\] or \[6, 6\] or \[6, 15\]"),
    (set_vls, weft.UnroutableError, "found 9 VLs, expected 1 to 8")])
def test_errors_of_wrong_tables_name_the_entry(change, kind, message):
    with pytest.raises(kind, match=message):
        weft.generate("fattree2:k=4").route([changed(change), "minhop"], fallback=True)


def test_values_that_are_not_engines_are_refused():
    for engine in (3, Layered, [None]):
        with pytest.raises(TypeError, match="expected a name, an Engine or a function"):
            weft.generate("ring:n=3").route(engine)
    with pytest.raises(NotImplementedError):
        weft.generate("ring:n=3").route(weft.Engine())
    with pytest.raises(ValueError, match="9 engines in Python: expected at most 8"):
        weft.generate("ring:n=3").route([shortest] * 9)


def test_a_partitioned_fabric_is_routed_as_a_whole():
    whole = weft.generate("line:n=4,hosts=1")
    middle = whole.channels[(whole.channels["from"] == 1) & (whole.channels["to"] == 2)][0]
    fabric = whole.without(links=[(1, int(middle["from_port"]))])
    routes = fabric.route(shortest)
    assert routes.path("host-1", "host-2").arrives and not routes.path("host-1", "host-4").arrives
    assert routes.verify().ca_to_ca["cut_off"] == 8


def test_failures_are_routed_by_the_same_engine():
    routes = weft.generate("fattree2:k=4").route(shortest)
    rows = routes.failures(threads=2)
    assert len(rows) == 8 and {row.engine for row in rows} == {"shortest"} and all(row.pairs_lost == 0 for row in rows)


def test_an_engine_may_use_routes_of_another_engine():
    def better(fabric, request):
        return max((fabric.route(name) for name in ("minhop", "updn")), key=lambda routes: routes.quality().ebb).lfts

    assert weft.generate("torus:4x4,hosts=1").route(better).quality().nonminimal == 0


def test_a_plugin_runs_in_a_process_of_the_program(tmp_path, command_line, monkeypatch):
    root = pathlib.Path(__file__).parents[2]
    (tmp_path / "weft").mkdir()
    (tmp_path / "weft/engine_plugin.h").symlink_to(root / "src/routing/engine_plugin.h")
    library = tmp_path / "libupfirst.so"
    subprocess.run(["g++", "-shared", "-fPIC", f"-I{tmp_path}", "-o", library, root / "examples/engine/upfirst.cpp"], check=True)
    fabric = weft.generate("fattree2:k=4")
    routes = fabric.route(str(library))
    assert routes.engine == str(library) and routes.verify()
    assert routes.quality().to_dict() == command_line("route", "fattree2:k=4", "-R", str(library))["quality"]
    monkeypatch.delenv("WEFT")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(weft.UsageError, match="needs the program weft"):
        fabric.route(str(library))
