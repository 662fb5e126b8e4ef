# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that long computations release the GIL and end on Ctrl-C."""
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import weft


def send_interrupt():
    """Sends a SIGINT to this process after 50 ms."""
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()


def start_of_computation(fabric, request):
    """An engine that refuses every fabric: the SIGINT arrives during the computation of the next engine."""
    send_interrupt()
    raise weft.UnroutableError("not to be used")


@pytest.mark.parametrize("engine", ["nue", "dfsssp", "lash", "auto"])
def test_routing_ends_on_ctrl_c(engine):
    fabric = weft.generate("random:n=4000,degree=16,hosts=8,seed=1")
    with pytest.raises(KeyboardInterrupt):
        fabric.route([start_of_computation, engine])
    assert weft.generate("ring:n=3").route("nue").verify().loops == 0, "the routes of a computation after the interrupt have loops"


def test_simulations_end_on_ctrl_c():
    routes = weft.generate("fattree3:k=8").route("ftree")
    for work in (lambda: routes.simulate("alltoall", runs=10**9), lambda: routes.failures(3, trials=10**6)):
        send_interrupt()
        with pytest.raises(KeyboardInterrupt):
            work()


def test_other_threads_run_during_a_computation():
    fabric = weft.generate("random:n=300,degree=6,hosts=4,seed=1")
    results = []
    worker = threading.Thread(target=lambda: results.append(fabric.route("nue", threads=1)))
    worker.start()
    steps = 0
    while worker.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 1 and results[0].verify()


def test_concurrent_threads_get_equal_routes_for_equal_seeds():
    fabric = weft.generate("fattree3:k=4")
    results = [None] * 8

    def work(i):
        results[i] = fabric.route("nue", seed=i % 2)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[i] == results[i % 2] for i in range(8))


def test_the_interpreter_ends_after_an_interrupt():
    program = """
import os, signal, threading, weft
def start(fabric, request):
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    raise weft.UnroutableError("not to be used")
fabric = weft.generate("random:n=4000,degree=16,hosts=8,seed=1")
try:
    fabric.route([start, "nue"], threads=1)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
