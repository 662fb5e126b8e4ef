# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks a text in Prometheus' exposition format (0.0.4) as `promtool check metrics` does, without promtool.

Standard library only.
"""
import math
import re

from weft_interop import check

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)')
UNITS = ("seconds", "bytes", "ratio", "info", "total")


def labels_of(text, line):
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        check(match, f"invalid labels at column {at + 1} of the labels: {line!r}")
        check(match[1] not in labels, f"repeated label: {line!r}")
        labels[match[1]] = match[2]
        at = match.end()
    return labels


def family_of(name, types):
    for suffix in ("_bucket", "_sum", "_count"):
        if name.endswith(suffix) and types.get(name.removesuffix(suffix)) == "histogram":
            return name.removesuffix(suffix)
    return name


def parse(data):
    """{name: {labels as sorted pairs: value}}, after all checks."""
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    check(text.endswith("\n"), "no line feed at the end of the last line")
    types, helps, samples, current = {}, {}, {}, None
    for line in text.splitlines():
        check(line, "an empty line")
        if line.startswith("# HELP "):
            _, _, name, words = line.split(" ", 3)
            check(name not in helps and words, f"HELP twice or empty: {line!r}")
            helps[name] = words
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            check(name not in types and name in helps, f"TYPE twice, or without HELP: {line!r}")
            check(kind in ("counter", "gauge", "histogram"), f"{name}: found type {kind}, expected counter, gauge or histogram")
            types[name], current = kind, name
        else:
            match = SAMPLE.match(line)
            check(match, f"not a sample: {line!r}")
            family = family_of(match[1], types)
            check(family == current, f"{match[1]} is after samples of {current}")
            key = tuple(sorted(labels_of(match[2] or "", line).items()))
            value = float(match[3])
            series = samples.setdefault(match[1], {})
            check(key not in series, f"repeated sample: {line!r}")
            series[key] = value
            if types[family] != "gauge":
                check(value >= 0 and not math.isnan(value), f"negative or NaN: {line!r}")
    for name, kind in types.items():
        check_name(name, kind)
        if kind == "histogram":
            check_histogram(name, samples)
    return samples


def check_name(name, kind):
    check(re.fullmatch(r"[a-z][a-z0-9_]*", name), f"{name}: not a conventional name")
    check((kind == "counter") == name.endswith("_total"), f"{name} is a {kind}; counters, and no others, end with _total")
    check(not name.endswith(("_bucket", "_sum", "_count")), f"{name}: reserved suffix")


def check_histogram(name, samples):
    buckets = {}
    for key, value in samples.get(name + "_bucket", {}).items():
        labels = dict(key)
        bound = labels.pop("le", None)
        check(bound is not None, f"{name}: a bucket without le")
        buckets.setdefault(tuple(sorted(labels.items())), []).append((float(bound), value))
    check(set(buckets) == set(samples.get(name + "_sum", {})) == set(samples.get(name + "_count", {})),
          f"{name}: buckets, sum and count differ in their labels")
    for key, series in buckets.items():
        series.sort()
        check(series[-1][0] == math.inf, f"{name}{key}: no bucket +Inf")
        counts = [count for _, count in series]
        check(counts == sorted(counts), f"{name}{key}: counts of buckets are not cumulative: {counts}")
        check(counts[-1] == samples[name + "_count"][key], f"{name}{key}: count {samples[name + '_count'][key]}, expected {counts[-1]}, the last bucket")
