#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests weft simulate --job (reports, files, threads and processes, several jobs, failures, traces, errors, exit statuses) and weft place.

Usage: jobs_test.py
"""
import csv
import io
import json
import pathlib
import subprocess
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")
TREE = ["fattree3:k=8", "-R", "ftree"]


def run(*words, program=(WEFT,), status=0):
    done = subprocess.run([*map(str, program), "simulate", *map(str, words)], capture_output=True, timeout=interop.PATIENCE)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def report(*words):
    return json.loads(run(*words, "--json")[0])


def check_reports(scratch):
    spec = "allreduce:ring,ranks=64,bytes=1GiB"
    found = report(*TREE, "--job", spec)
    job = found["job"]
    ideal = 2 * 63 / 64 * 2**30 / 12.5e9
    check(ideal < job["seconds"] < 1.01 * ideal, job)
    check(abs(job["bus_bandwidth"] - 12.5e9 * ideal / job["seconds"]) < 1, job)
    check(job["slowdown"] < 1.01 and job["interference"] == 1 and job["ranks"] == 64 and job["messages"] == 64 * 126, job)
    check(found["jobs"] == [job] and len(found["links"]) == 10 and found["links"][0]["utilisation"] > 0.98, found["links"][0])
    text, _ = run(*TREE, "--job", spec)
    check("allreduce:ring" in text and "busiest links" in text, text)
    rows, links, picture = (scratch / name for name in ("jobs.csv", "links.csv", "links.svg"))
    run(*TREE, "--job", "alltoall,ranks=16,bytes=1MiB,placement=random", "-n", 5, "--jobs-csv", rows, "--links-csv", links, "--svg", picture)
    read = list(csv.DictReader(io.StringIO(rows.read_text())))
    check([row["run"] for row in read] == list("01234") and len({row["seconds"] for row in read}) > 1, read)
    check(all(0 <= float(row["utilisation"]) <= 1 for row in csv.DictReader(io.StringIO(links.read_text()))), links)
    check("<svg" in picture.read_text(), picture)


def check_equal_bytes(scratch):
    study = [*TREE, "--job", "alltoall:linear,ranks=24,bytes=1MiB,placement=random,zipf=1", "-n", 12, "--seed", 5, "--json"]
    wanted, _ = run(*study, "--threads", 1)
    check(run(*study, "--threads", 4)[0] == wanted, "threads change the result")
    check(run(*study[:-2], 6, "--json")[0] != wanted, "the seed does not change the result")
    found = json.loads(wanted)["job"]["by_run"]
    check(found["minimum"] < found["average"] < found["maximum"], found)
    mpi = pathlib.Path(WEFT).with_name("weft-mpi")
    if mpi.exists():
        program = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", mpi)
        check(run(*study, program=program)[0] == wanted, "MPI changes the result")


def check_job_files(scratch):
    file = scratch / "jobs.json"
    jobs = [{"name": "train", "work": "training", "tensor": 2, "data": 8, "pipeline": 2, "gradient_bytes": "64MiB", "placement": "random"},
            {"name": "exchange", "work": "alltoall:linear", "ranks": 64, "bytes": "64MiB", "placement": "random"}]
    file.write_text(json.dumps({"start_up": "2us", "jobs": jobs}))
    found = report("fattree2:k=24,blocking=3:1", "-R", "ftree", "--job", file)
    check([job["name"] for job in found["jobs"]] == ["train", "exchange"], found["jobs"])
    check(found["jobs"][0]["interference"] > 1.05 and found["jobs"][1]["slowdown"] > 1.05, found["jobs"])
    check([phase["phase"] for phase in found["phases"]] == ["micro-batches", "gradients"], found["phases"])
    file.write_text(json.dumps({"jobs": [jobs[1]], "background": [{"load": 0.5, "flows": 4}]}))
    loaded = report("fattree2:k=24,blocking=3:1", "-R", "ftree", "--job", file)["job"]
    check(loaded["interference"] > 1.01, loaded)


def check_failures(scratch):
    file = scratch / "failures.json"
    job = {"work": "alltoall:linear", "ranks": 128, "bytes": "64MiB"}
    file.write_text(json.dumps({"jobs": [job], "failures": [{"time": "1ms", "cables": 3, "repair": "20ms"}]}))
    slow = report(*TREE, "--job", file)
    check(slow["job"]["seconds"] > 0.021 and slow["job"]["interference"] > 3, slow["job"])
    check([change["event"] for change in slow["changes"]] == ["failure", "repair"] and slow["changes"][0]["failed_channels"] == 6, slow["changes"])
    file.write_text(json.dumps({"jobs": [job], "failures": [{"time": "1ms", "cables": 3}]}))
    repaired = report(*TREE, "--job", file)
    check(0 < repaired["changes"][1]["seconds"] - 1e-3 < 5e-3, repaired["changes"])
    check(1 < repaired["job"]["interference"] < slow["job"]["interference"], repaired["job"])
    graph = scratch / "tree.dot"
    interop.weft("route", *TREE, "--dot", graph)
    check("expected a fabric with -R" in run("-i", graph, "--job", file, status=2)[1], "failures on a graph are not refused")


def check_timelines(scratch):
    page = scratch / "page.html"
    interop.weft("report", "fattree3:k=4", "-R", "ftree,minhop", "--runs", 0, "-o", page, "--job", "training,data=4,pipeline=2,gradient_bytes=1MiB",
                 "--job", "alltoall,ranks=8,bytes=1MiB")
    found = page.read_text()
    for text in ("ftree: jobs over time", "minhop: jobs over time", "micro-batches", "gradients", "alltoall"):
        check(text in found, f"the page has no {text}")
    done = subprocess.run([WEFT, "report", "fattree3:k=4", "-o", page, "--job", "nothing"], capture_output=True, timeout=interop.PATIENCE)
    check(done.returncode == 2 and b"found the work 'nothing'" in done.stderr, done)


def check_traces(scratch):
    goal = scratch / "two.goal"
    goal.write_text("num_ranks 2\nrank 0 { a: calc 1000000\nb: send 12500000b to 1\nb requires a }\nrank 1 { recv 12500000b from 0 }\n")
    found = report(*TREE, "--job", goal)["job"]
    check(abs(found["seconds"] - 2e-3 - 1.2e-6) < 1e-9, found)
    check(report(*TREE, "--job", f"goal,file={goal},start_up=0,hop_latency=0")["job"]["seconds"] == 2e-3, "a GOAL file in a spec has another result")
    goal.write_text("num_ranks 2\nrank 0 {\nsend 8b to 1 }\nrank 1 { }\n")
    check(f"{goal}:3: rank 0: the send to 1 with tag 0 has no receive" in run(*TREE, "--job", goal, status=2)[1],
          "no error message for an incomplete trace")


def place(*words, status=0):
    done = subprocess.run([str(WEFT), "place", *map(str, words)], capture_output=True, timeout=interop.PATIENCE)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stderr.decode()}")
    return done.stdout.decode() + done.stderr.decode()


def check_placements(scratch):
    job = "alltoall:linear,ranks=5,ranks_per_host=2,bytes=1MiB"
    study = ["torus:4x4", "-R", "dor", "--job", job, "--free", "host-[2-9]", "--seed", 3]
    text = place(*study, "--threads", 1, "--json")
    check(text == place(*study, "--threads", 4, "--json"), "threads change the placement")
    found = json.loads(text)
    check(found["exhaustive"] and found["simulations"] == 8 * 7 * 6 and found["free_hosts"] == 8, found)
    check(found["best"]["seconds"] <= found["second_best"]["seconds"] and found["best"]["seconds"] <= found["packed"]["seconds"], found)
    for name in ("best", "second_best", "packed"):
        hosts = scratch / "hosts"
        hosts.write_text("".join(f"{host}\n" for host in found[name]["hosts"]))
        check(report(*study[:3], "--job", f"{job},hosts=file:{hosts}", "--seed", 3)["job"]["seconds"] == found[name]["seconds"],
              f"{name}: a simulation of the placement has another result")
    first, second, third = found["best"]["hosts"]
    check(found["ranks"] == [{"node": first, "first": 0, "count": 2}, {"node": second, "first": 2, "count": 2}, {"node": third, "first": 4, "count": 1}], found)
    for to, wanted in (("hosts", f"{first}\n{second}\n{third}\n"), ("hostfile", f"{first} slots=2\n{second} slots=2\n{third} slots=1\n"),
                       ("slurm", f"{first}\n{first}\n{second}\n{second}\n{third}\n"),
                       ("rankfile", f"rank 0={first} slot=0\nrank 1={first} slot=1\nrank 2={second} slot=0\nrank 3={second} slot=1\nrank 4={third} slot=0\n")):
        place(*study, "--to", to, "-o", scratch / to)
        check((scratch / to).read_text() == wanted, (scratch / to).read_text())
    check(all(word in place(*study) for word in ("second best", "packed", "all possible placements", "0-1  " + first)),
          "weft place does not report the placements")
    jobs = [{"work": "barrier", "ranks": 2}, {"work": "barrier", "ranks": 2}]
    (scratch / "two.json").write_text(json.dumps({"jobs": jobs}))
    running = ["--running", "alltoall:linear,hosts=host-[1,10],bytes=64MiB"]
    check(json.loads(place(*study, *running, "--json"))["best"]["seconds"] >= found["best"]["seconds"],
          "a running job reduces the time of the best placement")
    blanks = scratch / "blanks.topo"
    blanks.write_text(interop.weft("generate", "ring:n=4").stdout.replace('"host-1"', '"host 1 a"'))
    check("host 'host 1 a': expected a name without blanks" in place(blanks, "--job", "barrier", "--free", "host 1 a,host-2", "--to", "slurm", status=2), "a host name with blanks is not refused")
    for words, message in ((["--free", "host-[1-2]"], "found 2 free hosts, expected 3 for 5 ranks"), (["--free", "host-[1-3],host-77"], "--free: host 'host-77' is not"),
                           (["--free", "host-[1-3,2]"], "--free: host 'host-2' is listed twice"), (["--free", "host-[1-5]", *running], "has ranks of another job"),
                           (["--free", "host-[1-3]", "--to", "paper"], "paper"), (["--free", "file:nowhere"], "nowhere")):
        found = place(*study[:5], *words, status=3 if message == "nowhere" else 2)
        check(message in found, f"weft place {words}: no {message!r} in {found}")
    check("found 2 jobs, expected 1" in place("ring:n=4", "--job", scratch / "two.json", "--free", "host-[1-4]", status=2),
          "a file with two jobs is not refused")


def check_errors(scratch):
    file = scratch / "wrong.json"
    for text, line, object_ in (('{"jobs": [\n{"work": "barrier",\n"rank": 2}]}', 3, "jobs[0]"), ('{"jobs": [\n{"work": "allreduce", "bytes": "NaN"}]}', 2, "jobs[0]"),
                                ('{"jobs": [\n{"work": "barrier", "ranks": 129}]}', 2, "jobs[0]")):
        file.write_text(text)
        _, messages = run(*TREE, "--job", file, status=2)
        check(f"{file}:{line}: {object_}" in messages, messages)
    check("is not in the fabric" in run(*TREE, "--job", "barrier,hosts=nowhere", status=2)[1], "an unknown host is not refused")
    run(*TREE, "--job", "barrier", "-p", "bisect", status=2)
    run(*TREE, "--jobs-csv", "x", status=2)
    check("expected static, greedy or split" in run(*TREE, "--job", "barrier", "--adaptive", "compare", status=2)[1],
          "--adaptive compare is not refused for a job")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for test in (check_reports, check_equal_bytes, check_job_files, check_failures, check_timelines, check_traces,
                     check_placements, check_errors):
            test(scratch)
    print("jobs: reports, equal bytes, job files, failures, timelines, traces, placements, errors")


if __name__ == "__main__":
    main()
