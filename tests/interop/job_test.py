#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests jobs on an emulated fabric. The scripts for Slurm register the start and the end of a job. `weft job` shows the links of the job, shared
links, problems and events.

Usage: job_test.py
"""
import os
import pathlib
import subprocess
import tempfile

import weft_interop as interop
from http_client import TOKEN, token_file
from manager import Manager
from openapi import User
from processes import weft_binary
from weft_interop import check, wait_for

SCRIPTS = interop.ROOT / "packaging/slurm"


def slurm(script, client, folder, **variables):
    """Runs a script as slurmctld does. The PATH of the script contains `weft`, and a `logger` that writes to a file."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    if not (tools / "weft").exists():
        (tools / "weft").symlink_to(weft_binary())
        (tools / "logger").write_text(f'#!/bin/sh\necho "$@" >> {folder}/logged\n')
        (tools / "logger").chmod(0o755)
    environment = dict(client.environment, PATH=f"{tools}:{os.environ['PATH']}", **{f"SLURM_JOB_{name.upper()}": value for name, value in variables.items()})
    done = subprocess.run([SCRIPTS / script], env=environment, capture_output=True, text=True, timeout=interop.PATIENCE)
    check(done.returncode == 0, f"{script}: exit status {done.returncode}, expected 0: {done.stderr}")


def check_jobs(manager, user, folder):
    slurm("weft-prolog", user, folder, id="71", nodelist="host-[1-3]", name="train", user="ada")
    slurm("weft-prolog", user, folder, id="72", nodelist="host-[3,7]", name="other job", user="bob")
    listed = user.ask("GET", "/api/v1/jobs")["jobs"]
    check([(job["id"], job["hosts"], job["name"], job["user"]) for job in listed] == [("71", 3, "train", "ada"), ("72", 2, "other job", "bob")], listed)
    job = user.ask("GET", "/api/v1/jobs/71", template="/api/v1/jobs/{id}")
    check(job["shared_with"] and job["shared_with"][0]["id"] == "72" and not job["problems"], job)
    # The links of the job are the links on the paths that the manager shows.
    wanted = set()
    for a in job["hosts"]:
        for b in job["hosts"]:
            if a != b:
                for hop in user.get(f"/api/v1/routes/path?from={a}&to={b}")["hops"]:
                    wanted.add((hop["from"]["node"], hop["from"]["port"]))
    check({(link["from"]["node"], link["from"]["port"]) for link in job["links"]} == wanted,
          "the links of the job differ from the links on its paths")
    text = user.weft("71")
    check("job 71 'train' of ada: 3 hosts" in text and "with 72" in text and "no problems" in text, text)
    check("72" in user.weft() and "other job" in user.weft(), "weft job does not list job 72")


def check_events(user, folder):
    """Cuts a link of the job. The manager reports an event, `weft events` runs its command, and the job gets other links."""
    counts = folder / "counts"
    follower = subprocess.Popen([weft_binary(), "events", "--follow", "--kind", "link_gone,link_appeared", "--run", f"echo $WEFT_EVENT_COUNT >> {counts}"],
                                env=user.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        follower.stdout.readline()  # weft events has connected when it prints past events
        cut_cables(user)
        wait_for("the command of weft events --run has run", lambda: counts.exists() and sum(map(int, counts.read_text().split())) >= 2)
    finally:
        follower.terminate()
        follower.wait(timeout=interop.PATIENCE)
    done = subprocess.run([weft_binary(), "events", "--run", "true"], env=user.environment, capture_output=True, text=True, timeout=interop.PATIENCE)
    check(done.returncode == 2 and "--run requires --follow" in done.stderr, done.stderr)


def cut_cables(user):
    job = user.json("71")
    link = next(link for link in job["links"] if link["from"]["name"].startswith("leaf") and link["to"]["name"].startswith("spine"))
    user.ask("POST", "/api/v1/emulation/cut", {"node": link["from"]["node"], "port": link["from"]["port"]})
    end = (link["from"]["node"], link["from"]["port"])
    wait_for("other links of the job", lambda: end not in {(link["from"]["node"], link["from"]["port"]) for link in user.json("71")["links"]})
    host = next(link for link in job["links"] if link["from"]["name"] == "host-2")
    user.ask("POST", "/api/v1/emulation/cut", {"node": host["from"]["node"], "port": 1})
    # The exit status of `weft job` is 1 if the job has problems.
    wait_for("the problem of host-2", lambda: "host-2" in str(user.ask("GET", "/api/v1/jobs/71", template="/api/v1/jobs/{id}")["problems"]))
    check("problem: host-2" in user.weft("71", wanted=1), "weft job does not show the problem of host-2")


def check_end(user, folder):
    slurm("weft-epilog", user, folder, id="72")
    check(user.get("/api/v1/jobs/72")["ended"] and not user.get("/api/v1/jobs/71")["shared_with"], "job 72 has not ended")
    check(not (folder / "logged").exists(), "the epilog of a running job logs an error")
    slurm("weft-epilog", user, folder, id="72")
    check("the end of job 72 was not registered" in (folder / "logged").read_text(), "the epilog of an ended job logs no error")
    user.ask("DELETE", "/api/v1/jobs/72", wanted=404, template="/api/v1/jobs/{id}")
    user.ask("DELETE", "/api/v1/jobs/71", wanted=401, token=None, template="/api/v1/jobs/{id}")
    user.ask("POST", "/api/v1/jobs", {"id": "1"}, wanted=400)
    user.ask("POST", "/api/v1/jobs", {"id": "1", "hosts": "host-1"}, wanted=201, token=TOKEN)
    check("no job 'none'" in user.weft("none", wanted=2), "no error message for an unknown job")
    for words in (["--end"], ["7", "--user", "ada"], ["7", "--begin", "a", "--end"], ["--all-links"]):
        user.weft(*words, wanted=2)


def main():
    with tempfile.TemporaryDirectory(prefix="weft-job-") as name:
        folder = pathlib.Path(name)
        token = token_file(folder)
        with Manager(folder, "--http_token_file", token, emulate="fattree2:k=4", http=True) as manager:
            user = User(manager, token, "job")
            check_jobs(manager, user, folder)
            check_events(user, folder)
            check_end(user, folder)
    print("job: passed")


if __name__ == "__main__":
    main()
