# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of jobs and placements: numbers equal to the numbers of the command line, forms of jobs, errors, progress."""
import json

import pytest
import weft

SPEC = "fattree2:k=8,blocking=3:1"
JOB = "alltoall:linear,ranks=12,bytes=1MiB"


@pytest.fixture(scope="module")
def routes():
    return weft.generate(SPEC).route("ftree")


@pytest.mark.parametrize("jobs, arguments, options", [
    ([JOB], {}, []), ([JOB + ",placement=random"], {"runs": 70, "seed": 3}, ["-n", "70", "--seed", "3"]),
    ([JOB, "training,data=4,pipeline=2,gradient_bytes=1MiB"], {"adaptive": "static", "paths": "source"},
     ["--adaptive", "static", "--paths", "source"])])
def test_times_match_the_command_line(routes, command_line, jobs, arguments, options):
    report = command_line("simulate", SPEC, "-R", "ftree", *(word for job in jobs for word in ("--job", job)), *options)
    result = weft.simulate_jobs(routes, jobs, **arguments)
    assert result.to_dict() == report
    assert (result.seconds, result.runs, result.jobs) == (report["seconds"], report["runs"], report["jobs"])
    assert (result.phases, result.links) == (report["phases"], report["links"]) and "busiest links" in str(result)


def test_a_job_is_a_spec_a_file_or_a_dict(routes, tmp_path):
    wanted = weft.simulate_jobs(routes, JOB).jobs[0]["seconds"]
    job = {"work": "alltoall:linear", "ranks": 12, "bytes": "1MiB"}
    path = tmp_path / "job.json"
    path.write_text(json.dumps({"jobs": [job]}))
    for form in (path, job, {"jobs": [job]}, [JOB]):
        assert weft.simulate_jobs(routes, form).jobs[0]["seconds"] == wanted
    graph = tmp_path / "routed.dot"
    routes.write_graph(graph)
    assert weft.simulate_jobs(graph, JOB).jobs[0]["ranks"] == 12


def test_placements_match_the_command_line(routes, command_line):
    running = "alltoall,hosts=host-[31-36],bytes=4MiB,repeat=2"
    report = command_line("place", SPEC, "-R", "ftree", "--job", JOB, "--free", "host-[1-30]", "--running", running, "--seed", "2",
                          "--simulations", "60")
    names = [f"host-{i}" for i in range(30, 0, -1)]
    seen = []
    for free in ("host-[1-30]", names):
        result = weft.place(routes, JOB, free, running=running, seed=2, simulations=60, progress=lambda *steps: seen.append(steps))
        assert result.to_dict() == report and "second best" in str(result)
    assert seen[-1][1] == 60 and report["simulations"] <= 60
    assert result.hosts == result.nodes == report["best"]["hosts"] and len(result.hosts) == 12
    assert result.seconds <= result.second_best_seconds and result.seconds <= result.packed_seconds and result.slowdown >= 1
    placed_job = {"work": "alltoall:linear", "ranks": 12, "bytes": "1MiB", "hosts": result.hosts}
    listed = weft.simulate_jobs(routes, [placed_job, running], seed=2)
    assert listed.jobs[0]["seconds"] == result.seconds


def custom(fabric, request):
    """An engine with the tables of updn."""
    return fabric.route("updn").lfts


def test_failures_match_the_command_line(routes, tmp_path, command_line):
    job = {"jobs": [{"work": "allreduce", "ranks": 24, "bytes": "16MiB"}], "failures": [{"time": "500us", "cables": 2}]}
    file = tmp_path / "failing.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    report = command_line("simulate", SPEC, "-R", "ftree", "--job", str(file), "--seed", "3")
    result = weft.simulate_jobs(routes.fabric.route("ftree", fallback=True), job, seed=3)
    assert result.to_dict() == report
    assert [change["event"] for change in result.changes] == ["failure", "repair"]
    with pytest.raises(weft.UnroutableError, match="did not bring the subnet up"):
        weft.simulate_jobs(routes, job, seed=3)  # ftree refuses the damaged tree
    job["failures"][0]["repair"] = "1ms"
    assert weft.simulate_jobs(routes.fabric.route(custom), job).changes[1]["seconds"] == pytest.approx(1.5e-3)


def test_errors_name_the_argument(routes):
    for kind, text, call in (
            (weft.InputError, "found the work 'sleep'", lambda: weft.simulate_jobs(routes, "sleep")),
            (weft.UsageError, "failures need routes of", lambda: weft.simulate_jobs(
                weft.make_routes(routes.fabric, routes.lfts), {"jobs": [{"work": "barrier"}], "failures": [{}]})),
            (weft.UsageError, "engine custom: no subnet manager computes its routes", lambda: weft.simulate_jobs(
                routes.fabric.route(custom), {"jobs": [{"work": "barrier"}], "failures": [{}]})),
            (weft.UsageError, "runs: found 0", lambda: weft.simulate_jobs(routes, JOB, runs=0)),
            (weft.UsageError, "adaptive: found 'no'", lambda: weft.place(routes, JOB, "host-1", adaptive="no")),
            (weft.UsageError, "found 2 jobs", lambda: weft.place(routes, [JOB, JOB], "host-1")),
            (weft.InputError, "found 1 free hosts, expected 12", lambda: weft.place(routes, JOB, "host-1")),
            (weft.InputError, "'host-999' is not in the fabric", lambda: weft.place(routes, JOB, ["host-999"])),
            (TypeError, "expected Routes", lambda: weft.place(5, JOB, "host-1"))):
        with pytest.raises(kind, match=text):
            call()


def test_an_exception_of_the_progress_ends_the_search(routes):
    def stop(done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        weft.place(routes, "alltoall,ranks=24,bytes=1MiB", "host-[1-40]", simulations=100000, progress=stop)
