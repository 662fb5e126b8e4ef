#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of the statistics, of the conditions that fail a run, and of the comparison of two runs. No test measures time."""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import compare
import demands
import figures
import history
import repair
import run
import samples
import studies

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "experiments"))
import load_bound  # noqa: E402

COMPARE_RUNS = pathlib.Path(__file__).with_name("compare-runs")


def interval(median, low, high, count=7):
    return samples.Interval(median, low, high, 0.98, count)


class BringUp(unittest.TestCase):
    def test_time_to_subnet_up_begins_at_the_first_log_line_and_may_pass_midnight(self):
        log = "OpenSM 3.3\nNov 26 23:59:59 500000 [1] I -> begins\nNov 27 00:00:01 250000 [1] I -> SUBNET UP\n" \
              "Nov 27 00:00:09 000000 [1] I -> Exiting SM\n"
        run = compare.interop.SmRun(pathlib.Path(), log, "", 12.0)
        self.assertAlmostEqual(run.seconds_to_subnet_up, 1.75)


class Statistics(unittest.TestCase):
    def test_coverage_is_the_binomial_probability(self):
        self.assertAlmostEqual(samples.coverage(5, 1), 0.9375)
        self.assertAlmostEqual(samples.coverage(6, 1), 0.96875)
        self.assertAlmostEqual(samples.coverage(9, 2), 1 - 2 * 10 / 512)

    def test_interval_is_the_narrowest_pair_with_enough_coverage(self):
        self.assertEqual(samples.summary([9, 1, 8, 2, 7, 3, 6, 4, 5]), samples.Interval(5, 2, 8, 1 - 20 / 512, 9))
        self.assertEqual(samples.summary(range(7)), samples.Interval(3, 0, 6, 1 - 2 / 128, 7))

    def test_interval_of_few_samples_is_the_range_with_a_lower_coverage(self):
        self.assertEqual(samples.summary([3, 1, 2]), samples.Interval(2, 1, 3, 0.75, 3))
        self.assertEqual(samples.summary([4]), samples.Interval(4, 4, 4, 0, 1))

    def test_ratio_has_the_extreme_bounds(self):
        self.assertEqual(samples.ratio(interval(8, 6, 10), interval(2, 1, 4)), interval(4, 1.5, 10))

    def test_change_needs_disjoint_intervals_and_medians_apart(self):
        self.assertTrue(samples.has_moved(interval(10, 9, 11), interval(13, 12, 14)))
        self.assertTrue(samples.has_moved(interval(13, 12, 14), interval(10, 9, 11)))
        self.assertFalse(samples.has_moved(interval(10, 9, 12), interval(13, 12, 14)))
        self.assertFalse(samples.has_moved(interval(10, 9.99, 10.01), interval(10.4, 10.39, 10.41)))

    def test_single_sample_differs_only_beyond_twice_the_bounds(self):
        self.assertFalse(samples.has_moved(interval(10, 9, 11), interval(20, 20, 20, 1)))
        self.assertTrue(samples.has_moved(interval(10, 9, 11), interval(23, 23, 23, 1)))
        self.assertTrue(samples.has_moved(interval(10, 10, 10, 1), interval(4, 4, 4)))

    def test_sides_are_measured_alternately_and_equally_often(self):
        calls = []
        measured = samples.interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3)
        self.assertEqual("".join(calls), "abbaab")
        self.assertEqual([len(measured["a"]), len(measured["b"])], [3, 3])

    def test_measurement_ends_after_a_whole_round(self):
        measured = samples.interleaved({"a": lambda: 40, "b": lambda: 1}, 7, lambda so_far: sum(so_far["a"]) > 60)
        self.assertEqual(measured, {"a": [40, 40], "b": [1, 1]})

    def test_numbers_have_three_digits_without_exponent(self):
        self.assertEqual([samples.number(value) for value in (0, 0.000123456, 1.5, 12345.6)], ["0", "0.000123", "1.50", "12346"])


def side(engine="updn", seconds=(1.0,), **more):
    return {"engine": engine, **compare.timed(list(seconds)), "link_load_max": 4, "ebb": 0.7, "vls": 1, "nonminimal": 0, "ok": True,
            "credit_loops": 0, **more}


def row_of(opensm_seconds, weft_seconds, **more):
    return {"fabric": "fattree2:k=36", "requested": "updn", "switches": 54, "opensm": side(seconds=opensm_seconds),
            "weft": side(seconds=weft_seconds),
            **compare.ratio_of(list(opensm_seconds), list(weft_seconds)), **more}


def result_of(*rows, failed=()):
    return {"rows": list(rows), "failed": list(failed), "absent": []}


class Comparison(unittest.TestCase):
    def test_row_that_raises_is_a_failed_row_and_fails_the_run(self):
        def fails():
            raise AssertionError("ibsim ended: too many ports\nmore")

        result = result_of()
        self.assertIsNone(compare.attempt(result, "torus updn", fails))
        status, lines = compare.conclusion(result)
        self.assertEqual(status, 1)
        self.assertIn("  torus updn: AssertionError: ibsim ended: too many ports", lines)

    def test_timeout_of_opensm_is_a_failed_row(self):
        def fails():
            raise subprocess.TimeoutExpired("opensm", 3600)

        result = result_of()
        compare.attempt(result, "torus nue", fails)
        self.assertEqual(compare.conclusion(result)[0], 1)

    def test_missed_requirement_fails_the_run_and_is_named(self):
        row = row_of((0.1, 0.1, 0.1), (0.05, 0.05, 0.05))
        row["misses"] = demands.misses(row, [row])
        status, lines = compare.conclusion(result_of(row))
        self.assertEqual(status, 1)
        self.assertTrue(any("fattree2:k=36 updn: 2.0 times as fast" in line for line in lines), lines)

    def test_rows_without_a_miss_pass(self):
        row = row_of((0.1, 0.1, 0.1), (0.001, 0.001, 0.001))
        row["misses"] = demands.misses(row, [row])
        self.assertEqual(compare.conclusion(result_of(row))[0], 0)

    def test_ratio_is_of_the_medians_not_of_the_minima(self):
        row = row_of((1.0, 2.0, 9.0), (0.01, 0.1, 0.2))
        self.assertAlmostEqual(row["time_ratio"], 20)
        self.assertAlmostEqual(row["ratio_interval"]["low"], 5)

    def test_weft_is_measured_as_often_as_kept_rows_of_opensm(self):
        opensm_seconds, weft_seconds, interleaved = compare.both_sides(self.fail, lambda: 0.1, 7, [3.0, 4.0], self.fail)
        self.assertEqual((opensm_seconds, weft_seconds, interleaved), ([3.0, 4.0], [0.1, 0.1], False))
        self.assertEqual(compare.opensm_samples({"seconds": 5.0}), [5.0])

    def test_rounds_of_both_sides_end_when_the_samples_suffice(self):
        opensm_seconds, weft_seconds, interleaved = compare.both_sides(lambda: 100.0, lambda: 0.1, 7, None, lambda _, weft: len(weft) == 2)
        self.assertEqual((opensm_seconds, weft_seconds, interleaved), ([100.0] * 2, [0.1] * 2, True))

    def test_samples_suffice_when_opensm_took_long(self):
        self.assertTrue(compare.is_enough([61.0], [60.0], wanted=10, clear_after=7))
        self.assertFalse(compare.is_enough([59.0], [60.0], wanted=10, clear_after=1))

    def test_samples_suffice_when_the_worst_pair_is_far_above_the_requirement(self):
        self.assertTrue(compare.is_enough([3.1, 9.0], [0.1, 0.01], wanted=10, clear_after=2))
        self.assertFalse(compare.is_enough([2.9, 9.0], [0.1, 0.01], wanted=10, clear_after=2))
        self.assertFalse(compare.is_enough([3.1, 9.0], [0.1, 0.01], wanted=10, clear_after=3))

    def test_json_names_commit_machine_and_clocks(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "new" / "figures.json"
            studies.write(file, studies.stamp(), {"rows": []})
            content = json.loads(file.read_text())
        self.assertTrue(content["commit"] and content["machine"]["processor"] and content["date"])
        self.assertEqual(set(compare.CLOCKS), {"opensm", "weft", "bring-up", "alone"})


class Figures(unittest.TestCase):
    def measurement(self, seconds, limit):
        measurement = figures.Measurement()
        measurement.unit = [0.01] * len(seconds)
        for each in seconds:
            measurement.add("updn: verify", each, limit)
        measurement.memory["updn"] = (300e6, 200e6)
        return measurement

    def test_figure_is_a_multiple_of_t(self):
        rows, memory = figures.figures_of(self.measurement([0.3, 0.5, 0.4], 40))
        self.assertAlmostEqual(rows[0]["of_t"]["median"], 40)
        self.assertFalse(rows[0]["miss"])
        self.assertTrue(memory[0]["miss"])

    def test_figure_above_its_limit_fails_the_run_and_is_named(self):
        rows, memory = figures.figures_of(self.measurement([0.6], 40))
        status, lines = figures.conclusion(rows, memory, {})
        self.assertEqual(status, 1)
        self.assertIn("  updn: verify: 60.0 T, expected at most 40 T", lines)
        self.assertIn("  updn: memory: 300 MB, expected at most 200 MB", lines)

    def test_failed_figure_fails_the_run_without_limits(self):
        self.assertEqual(figures.conclusion([], [], {"auto": "AssertionError: no routes"}, ignore_limits=True)[0], 1)

    def test_table_has_a_line_for_each_figure(self):
        lines = figures.table(*figures.figures_of(self.measurement([0.3, 0.5, 0.4], 40)))
        self.assertIn("| updn: verify | 400 (300 to 500) | 40.0 (30.0 to 50.0) | 40 |", lines)

    def test_time_with_one_thread_gives_the_speed_up(self):
        measurement = self.measurement([0.3, 0.5, 0.4], 40)
        for each in (0.6, 0.7, 0.5):
            measurement.add("updn: verify" + figures.ONE_THREAD, each)
        scaling = figures.speed_ups(measurement)
        self.assertEqual([row["name"] for row in scaling], ["updn: verify"])
        self.assertAlmostEqual(scaling[0]["speed_up"]["median"], 1.5)
        status, lines = figures.conclusion([], [], {}, scaling=scaling)
        self.assertEqual(status, 1)
        self.assertIn("  updn: verify: 1.50 times as fast with two threads, expected at least 1.8", lines)
        self.assertIn("| updn: verify | 1.50 (1.00 to 2.33) | 1.8 |", figures.table([], [], scaling))


class History(unittest.TestCase):
    def folder_of(self, name, seconds, weft_seconds):
        folder = pathlib.Path(self.scratch.name) / name
        measurement = figures.Measurement()
        measurement.unit = [0.01] * 3
        for each in seconds:
            measurement.add("updn: verify", each)
        stamp = studies.stamp()
        studies.write(folder / "figures.json", stamp, {"figures": figures.figures_of(measurement)[0]})
        studies.write(folder / "compare.json", stamp, {"rows": [row_of((0.1, 0.11, 0.12), weft_seconds)]})
        studies.write(folder / "auto.json", stamp, {"rows": [{"fabric": "torus", "ebb": 1}]})
        return folder

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.old = self.folder_of("old", (0.30, 0.31, 0.32), (0.01, 0.011, 0.012))

    def compared(self, seconds, weft_seconds=(0.01, 0.011, 0.012)):
        return history.compare(history.read(self.old), history.read(self.folder_of("new", seconds, weft_seconds)))

    def test_difference_within_noise_is_not_reported(self):
        status, lines = self.compared((0.29, 0.31, 0.33))
        self.assertEqual(status, 0)
        self.assertFalse([line for line in lines if line.startswith("  ")], lines)
        self.assertEqual(lines[-1], "7 figures compared")

    def test_slower_figure_is_worse(self):
        status, lines = self.compared((0.40, 0.41, 0.42))
        self.assertEqual(status, 1)
        self.assertIn("1 worse", lines)
        self.assertTrue(any("updn: verify / T: 31.0" in line for line in lines), lines)

    def test_faster_figure_is_better(self):
        status, lines = self.compared((0.20, 0.21, 0.22))
        self.assertEqual((status, "1 better" in lines), (0, True))

    def test_slower_row_is_compared_as_ratio_to_opensm(self):
        status, lines = self.compared((0.30, 0.31, 0.32), (0.02, 0.022, 0.024))
        self.assertEqual(status, 1)
        self.assertTrue(any("fattree2:k=36 updn: weft / opensm" in line for line in lines), lines)

    def test_figure_missing_in_the_new_run_is_reported(self):
        (self.old / "more.json").write_text(json.dumps({**studies.stamp(), "figures": [
            {"name": "auto: route", "of_t": samples.as_json(interval(2, 1, 3))}]}))
        status, lines = self.compared((0.30, 0.31, 0.32))
        self.assertEqual(status, 1)
        self.assertIn("  auto: route / T", lines)

    def test_changed_bisection_of_any_size_is_reported(self):
        new = self.folder_of("new", (0.30, 0.31, 0.32), (0.01, 0.011, 0.012))
        content = json.loads((new / "compare.json").read_text())
        content["rows"][0]["weft"]["ebb"] = 0.699
        (new / "compare.json").write_text(json.dumps(content))
        status, lines = history.compare(history.read(self.old), history.read(new))
        self.assertEqual(status, 1)
        self.assertIn("  fattree2:k=36 updn: ebb: 0.7 -> 0.699", lines)

    def test_program_reports_files_without_figures(self):
        done = subprocess.run([sys.executable, COMPARE_RUNS, self.old, self.old / "auto.json"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("auto.json: no figures", done.stderr)
        done = subprocess.run([sys.executable, COMPARE_RUNS, self.old, self.old], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


class Repair(unittest.TestCase):
    def row(self, hosts, engine="updn", processor=0.009, us_at_1=100, failure="cable", **more):
        return {"name": f"{hosts} {failure} {engine}", "hosts": hosts, "engine": engine, "failure": failure,
                "processor": samples.as_json(interval(processor, processor, processor)), "us_at_1": us_at_1, **more}

    def misses(self, *words, **more):
        return list(repair.misses(self.row(*words, **more)))

    def test_processor_time_of_a_cable_has_a_limit(self):
        self.assertEqual(self.misses(3456), [])
        self.assertEqual(self.misses(3456, processor=0.0101), ["3456 cable updn: processor time 10.1 ms, expected at most 10 ms"])

    def test_engines_for_any_topology_have_twice_the_limit(self):
        self.assertEqual(self.misses(3456, engine="nue", processor=0.019), [])
        self.assertEqual(len(self.misses(3456, engine="dfsssp", processor=0.021)), 1)

    def test_time_to_the_last_smp_is_the_sum_of_processor_and_wire_time(self):
        self.assertEqual(self.misses(43008, processor=0.05, us_at_1=49_000), [])
        self.assertEqual(self.misses(43008, processor=0.05, us_at_1=51_000), ["43008 cable updn: 101.0 ms to the last SMP, expected at most 100 ms"])

    def test_other_failures_and_sizes_have_no_limit(self):
        self.assertEqual(self.misses(3456, processor=1, failure="pod"), [])
        self.assertEqual(self.misses(1024, processor=1), [])

    def test_every_row_can_be_selected_by_its_name(self):
        names = [name for name, _ in repair.rows_of(types.SimpleNamespace(quick=False, runs=1))]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("43008 percent ar_ftree", names)
        self.assertIn("3456 pod nue ibsim", names)
        self.assertNotIn("11664 cable updn ibsim", names)
        self.assertNotIn("1024 cable ar_updn ibsim", names)

    def test_any_increase_of_smps_is_reported(self):
        row = self.row(3456, of_t=samples.as_json(interval(1, 0.9, 1.1)), smps=900, blocks=101)
        old, new = ({"ratios": found[0], "exact": found[1], "stamps": []} for found in (
            history.figures_of({"rows": [row]}), history.figures_of({"rows": [{**row, "smps": 901}]})))
        status, lines = history.compare(old, new)
        self.assertEqual((status, "  3456 cable updn: smps: 900 -> 901" in lines), (1, True), lines)

    def test_row_of_ibsim_is_compared_as_ratio_to_opensm(self):
        row = {"name": "1024 cable updn ibsim", "ratio_to_opensm": samples.as_json(interval(4, 3, 5))}
        self.assertAlmostEqual(history.figures_of({"rows": [row]})[0]["1024 cable updn ibsim: weft / opensm"].median, 0.25)


class Run(unittest.TestCase):
    def test_failed_benchmark_is_named_and_other_benchmarks_run(self):
        seen = []

        def finish(command, **_):
            seen.append(command)
            return types.SimpleNamespace(returncode=1 if "compare.py" in command[1] else 0)

        with tempfile.TemporaryDirectory() as folder:
            failed = run.run_all(run.BENCHMARKS[:3], pathlib.Path("/bin/weft"), pathlib.Path(folder), ["--kept", "rows"], run=finish)
        self.assertEqual(failed, ["compare: exit status 1"])
        self.assertEqual(len(seen), 3)
        self.assertEqual(seen[1][-2:], ["--kept", "rows"])
        self.assertIn("--json", seen[0])

    def test_every_script_exists(self):
        for _, (program, *_), _, _ in run.BENCHMARKS:
            if program.endswith(".py"):
                self.assertTrue((studies.ROOT / "bench" / program).is_file(), program)


def load_row(fabric, engine, load, **more):
    """A row of load_bound.py with the bound 100 and this load with passes."""
    one = {"load": load, "bound": 100, "vls": 1, "credit_loops": False}
    return {"fabric": fabric, "engine": engine, "plain": {**one, "load": 300}, "passes": {**one, **more}, "auto": one}


class LoadLimits(unittest.TestCase):
    def test_loads_above_the_limit_of_the_fabric_are_faults(self):
        for fabric, engine, most in (("torus:6x6x6,hosts=4", "dfsssp", 110), ("fattree3:k=16,fail=41,seed=1", "updn", 105),
                                     ("cs8500-hdr/ibdiagnet.ibnetdiscover", "ftree", 113), ("cs8500-hdr/ibdiagnet.ibnetdiscover", "minhop", 105)):
            self.assertEqual(load_bound.faults(load_row(fabric, engine, most)), [])
            self.assertIn("expected at most", load_bound.faults(load_row(fabric, engine, most + 1))[0])

    def test_engines_with_detours_have_no_limit(self):
        self.assertIsNone(load_bound.limit("torus:6x6x6,hosts=4", "updn"))
        self.assertEqual(load_bound.faults(load_row("torus:6x6x6,hosts=4", "updn", 250)), [])

    def test_loads_below_the_bound_and_further_vls_are_faults(self):
        self.assertIn("below the bound", load_bound.faults(load_row("torus:6x6x6", "lash", 99))[0])
        self.assertIn("2 VLs with 24 passes", load_bound.faults(load_row("torus:6x6x6", "lash", 101, vls=2))[0])


if __name__ == "__main__":
    unittest.main()
