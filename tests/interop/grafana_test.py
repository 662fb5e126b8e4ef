#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that the Grafana dashboard uses only metrics that /metrics of a manager exports and docs/reference/http.md lists.

Usage: grafana_test.py
"""
import json
import pathlib
import re
import tempfile

import weft_interop as interop
from manager import Manager
from weft_interop import check, wait_for

DASHBOARD = interop.ROOT / "packaging/grafana/weft.json"


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        yield variable["name"], variable["query"]


def main():
    dashboard = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    check(len(ids) == len(set(ids)), "two panels have the same id")
    cells = [(x, y) for panel in dashboard["panels"] for at in [panel["gridPos"]]
             for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]
    check(len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24, "panels overlap")
    documented = set(re.findall(r"\bweft_\w+", (interop.ROOT / "docs/reference/http.md").read_text()))
    with tempfile.TemporaryDirectory() as name:
        with Manager(pathlib.Path(name), "--perfmgr", "--perfmgr_sweep_time_s", "1", emulate="fattree2:k=8", http=True) as manager:
            def families():
                text = manager.http.get("/metrics")[1].decode()
                return dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M)) if "weft_port_transmit_bytes" in text else None
            types = wait_for("counters of ports", families)
    exported = 0
    for title, expression in expressions(dashboard):
        for metric in re.findall(r"\bweft_\w+", expression):
            family = metric.removesuffix("_bucket") if types.get(metric.removesuffix("_bucket")) == "histogram" else metric
            check(family in types, f"{title}: {metric} is not in /metrics")
            check(family in documented, f"{title}: {metric} is not in docs/reference/http.md")
            kind = types[family]
            check((kind == "gauge") == (not re.search(r"rate\(|increase\(", expression)) or "label_values" in expression,
                  f"{title}: {metric} is a {kind}: {expression}")
            exported += 1
    check(exported > 30, f"the dashboard has {exported} metrics, expected more than 30")
    print(f"grafana: {exported} metrics exist")


if __name__ == "__main__":
    main()
