# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of simulations: numbers equal to the numbers of the command line, and progress."""
import numpy
import pytest
import weft

SPEC = "fattree3:k=4"


@pytest.fixture(scope="module")
def routes():
    return weft.generate(SPEC).route("minhop", fallback=True)


@pytest.mark.parametrize("arguments, options", [
    ({}, []), ({"pattern": "bruck", "runs": 20, "seed": 4}, ["-p", "bruck", "-n", "20", "--seed", "4"]),
    ({"metric": "hist_acc_band", "runs": 50}, ["--metric", "hist_acc_band", "-n", "50"]),
    ({"metric": "dep_max_delay", "pattern": "recdbl", "runs": 9}, ["--metric", "dep_max_delay", "-p", "recdbl", "-n", "9"]),
    ({"metric": "get_cable_cong", "runs": 5}, ["--metric", "get_cable_cong", "-n", "5"]),
    ({"metric": "fair_band", "runs": 5, "link_rates": True}, ["--metric", "fair_band", "-n", "5", "--link-rates"]),
    ({"metric": "worst_permutation"}, ["--metric", "worst_permutation"]),
    ({"ranks": 6, "subset": "guid_desc", "mapping": "linear", "level": 0, "pattern": "ring"},
     ["-s", "6", "--subset", "guid_desc", "--mapping", "linear", "-l", "0", "-p", "ring"]),
    ({"until_error": 0.02, "metric": "hist_acc_band"}, ["--until-error", "0.02", "--metric", "hist_acc_band"]),
    ({"pattern": "ptrnvsptrn", "first": "ring", "second": "bruck", "first_ranks": 5, "runs": 3},
     ["-p", "ptrnvsptrn", "-f", "ring", "-c", "bruck", "-z", "5", "-n", "3"])])
def test_numbers_match_the_command_line(routes, command_line, arguments, options):
    report = command_line("simulate", SPEC, "-R", "minhop", *options)
    result = routes.simulate(**arguments)
    assert result.to_dict() == report
    assert result.values.tolist() == report.get("values", [])
    if "channels" in report and result.metric == "get_cable_cong":
        assert result.channel_sums.tolist() == [channel["sum"] for channel in report["channels"]]
        assert [result.nodes[i] for i in result.channels["from"]] == [channel["from"] for channel in report["channels"]]
    if report["metric"] != "worst_permutation":
        assert result.bandwidth == report["bandwidth"] and result.runs == report["runs"] and result.dropped == 0
        assert result.connections.sum() == report["connections"] and result.by_run == report.get("by_run")
        assert list(zip(result.weights, result.connections)) == [(one["weight"], one["connections"]) for one in report["weights"]]


def test_adaptive_selection_matches_the_command_line(command_line):
    routes = weft.generate(SPEC).route("ar_ftree", fallback=True)
    for how in ("static", "greedy", "split"):
        report = command_line("simulate", SPEC, "-R", "ar_ftree", "--adaptive", how, "-n", "10")
        assert routes.simulate(adaptive=how, runs=10).to_dict() == report


def test_a_routed_graph_is_simulated(routes, tmp_path, command_line):
    path = tmp_path / "routed.dot"
    routes.write_graph(path)
    assert weft.simulate(path, runs=10).to_dict() == command_line("simulate", str(path), "-n", "10")
    path.write_text("graph { broken")
    with pytest.raises(weft.InputError) as caught:
        weft.simulate(path)
    assert caught.value.file == str(path)


def test_messages_match_a_trace(routes, tmp_path, command_line):
    messages = [("host-1", "host-16", 4096, 0), ("host-2", "host-15", 4096, 0), ("host-16", "host-1", 1024, 1)]
    path = tmp_path / "messages"
    path.write_text("".join("{} {} {} {}\n".format(*message) for message in messages))
    report = command_line("simulate", SPEC, "-R", "minhop", "-p", f"trace:{path}", "--metric", "dep_max_delay")
    report["pattern"].pop("name")
    found = routes.simulate(messages, metric="dep_max_delay").to_dict()
    assert found["pattern"].pop("name").startswith("trace") and found == report
    assert routes.simulate(((i, 15 - i, 8, 0) for i in range(8)), mapping="linear").to_dict()["connections"] == 8
    for wrong, kind in (("a b", weft.UsageError), (1.5, TypeError), ("host-99", weft.Error)):
        with pytest.raises(kind):
            routes.simulate([(wrong, "host-1", 8, 0)])


def test_progress_counts_up_to_the_number_of_runs(routes):
    seen = []
    routes.simulate(runs=3000, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3000, 3000) and seen == sorted(seen)
    seen.clear()
    routes.failures(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (32, 32)


def test_an_exception_of_the_progress_ends_the_simulation(routes):
    calls = []

    def stop(done, total):
        calls.append(done)
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        routes.simulate(runs=1000000, pattern="alltoall", progress=stop)
    assert len(calls) == 1


def test_arrays_are_numpy_arrays(routes):
    result = routes.simulate(metric="hist_acc_band", runs=7)
    assert result.values.shape == (7,) and result.values.dtype == numpy.float64 and result.values.mean() == pytest.approx(result.bandwidth)
    assert str(result) and repr(result) == "<weft.Simulation: hist_acc_band, 7 runs>"
