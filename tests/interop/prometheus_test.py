#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that Prometheus reads the metrics of a manager and evaluates the rules of packaging/prometheus; promtool checks when the alerts fire.

Usage: prometheus_test.py
"""
import json
import pathlib
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

import weft_interop as interop
from http_client import token_file, TOKEN
from manager import Manager
from processes import PATIENCE, free_port, needs
from weft_interop import check, wait_for

RULES = interop.ROOT / "packaging/prometheus/weft.rules.yml"
CASES = pathlib.Path(__file__).with_name("prometheus_rules_test.yml")
CONFIGURATION = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [weft.rules.yml]
scrape_configs:
  - {{job_name: weft, static_configs: [{{targets: ["127.0.0.1:{weft}"]}}], authorization: {{credentials_file: token}}}}
  - {{job_name: exporter, metrics_path: /metrics/infiniband_exporter, static_configs: [{{targets: ["127.0.0.1:{weft}"]}}]}}
"""


def promtool(*words, **keywords):
    done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=PATIENCE, **keywords)
    check(done.returncode == 0, done.stdout + done.stderr)


def query_api(port, path):
    """The answer of Prometheus; None while it does not accept connections."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
            return json.load(answer)["data"]
    except (urllib.error.URLError, ConnectionError):
        return None


def check_scrape(manager, folder):
    port = free_port()
    (folder / "prometheus.yml").write_text(CONFIGURATION.format(weft=manager.http.port))
    (folder / "token").write_text(TOKEN)  # Prometheus needs a file with only the token
    with open(folder / "prometheus.log", "w") as log:
        process = subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}"],
                                   cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        def evaluated():
            check(process.poll() is None, (folder / "prometheus.log").read_text())
            groups = (query_api(port, "/api/v1/rules") or {}).get("groups", [])
            return groups and all(rule["health"] == "ok" for rule in groups[0]["rules"]) and groups[0]["rules"]
        rules = wait_for("all rules are evaluated", evaluated)
        check(len(rules) >= 14 and not [rule for rule in rules if rule.get("state") == "firing"], rules)

        def value(query):
            result = (query_api(port, f"/api/v1/query?query={query}") or {}).get("result")
            return result and float(result[0]["value"][1])
        check(wait_for("the metric weft_sm_ready", lambda: value("weft_sm_ready")) == 1, "weft_sm_ready is not 1")
        count = wait_for("the metric infiniband_switch_port_symbol_error_total", lambda: value("count(infiniband_switch_port_symbol_error_total)"))
        check(count == 96, f"infiniband_switch_port_symbol_error_total: {count:.0f} ports, expected 96")
    finally:
        process.kill()
        process.wait()


def main():
    needs("promtool", "prometheus")
    with tempfile.TemporaryDirectory(prefix="weft-prometheus-") as name:
        folder = pathlib.Path(name)
        for path in (RULES, CASES):
            shutil.copy(path, folder)
        promtool("check", "rules", RULES.name, cwd=folder)
        promtool("test", "rules", CASES.name, cwd=folder)
        with Manager(folder / "manager", "--perfmgr", "--perfmgr_sweep_time_s", "1", "--http_token_file", token_file(folder),
                     emulate="fattree2:k=8", http=True) as manager:
            wait_for("symbol errors of 96 switch ports",
                     lambda: manager.http.get("/metrics/infiniband_exporter")[1].count(b"switch_port_symbol_error_total{") == 96)
            for path in ("/metrics", "/metrics/infiniband_exporter"):
                promtool("check", "metrics", input=manager.http.get(path)[1].decode())
            check_scrape(manager, folder)
    print("prometheus: scrapes, and evaluates the rules")


if __name__ == "__main__":
    main()
