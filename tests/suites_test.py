#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests cmake/suites.cmake with a program that prints the output of GoogleTest.

suites_test.py ROOT   ROOT is the root of the project
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Cases with `skip` in their name are skipped, cases with `fail` fail.
PROGRAM = """
import fnmatch, sys
SUITES = {"Good": ["one", "two"], "Skipping": ["skip", "one"], "Failing": ["one", "skip", "fail"],
          "Values/Long": [f"case/{i}" for i in range(33)], "Short": ["one"]}
if "--gtest_list_tests" in sys.argv:
    print("Running main() from gtest_main.cc")
    for suite, cases in SUITES.items():
        print(f"{suite}.", *(f"  {case}  # GetParam() = [;" if "/" in case else f"  {case}" for case in cases), sep="\\n")
    sys.exit()
[wanted] = [word.removeprefix("--gtest_filter=") for word in sys.argv[1:]]
names = [f"{suite}.{case}" for suite, cases in SUITES.items() for case in cases]
ran = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in wanted.split("-")[0].split(":"))]
skipped, failed = ([name for name in ran if word in name] for word in ("skip", "fail"))
for name in ran:
    print(f"[ RUN      ] {name}\\n[  {'SKIPPED ' if name in skipped else ' FAILED ' if name in failed else '     OK '}] {name} (0 ms)")
print(f"[  PASSED  ] {len(ran) - len(skipped) - len(failed)} tests.")
for word, listed in (("SKIPPED ", skipped), ("FAILED  ", failed)):
    if listed:
        print(f"[  {word}] {len(listed)} tests, listed below:", *(f"[  {word}] {name}" for name in listed), sep="\\n")
if failed:
    print(f"\\n {len(failed)} FAILED TESTS")
sys.exit(bool(failed))
"""


def add(root, folder, *options):
    """Runs suites.cmake for the program; returns the CompletedProcess."""
    return subprocess.run(["cmake", "-D", "PREFIX=layer", "-D", f"PROGRAM={folder}/program", "-D", f"FOLDER={folder}", "-D", f"TESTS={folder}/CTestTestfile.cmake",
                           "-D", "PROPERTIES=LABELS|fast|TIMEOUT|60", *options, "-P", f"{root}/cmake/suites.cmake"], capture_output=True, text=True, check=False)


def commands(folder):
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True)
    return {test["name"]: (test["command"][-1], {p["name"]: p["value"] for p in test["properties"]}) for test in json.loads(shown.stdout)["tests"]}


def check(condition, found):
    if not condition:
        raise AssertionError(found)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, root = pathlib.Path(name), pathlib.Path(sys.argv[1]).resolve()
        (folder / "program").write_text(f"#!{sys.executable}{PROGRAM}")
        (folder / "program").chmod(0o755)
        done = add(root, folder, "-D", "LONG=Values/Long|Short", "-D", "FILTER=-Good.two")
        check(done.returncode == 0, done.stderr)
        tests = commands(folder)

        # A suite is a test; a long suite of 33 cases is divided into 11 tests of 3 cases, which contain each case once.
        parts = [f"layer.Values/Long.{i}" for i in range(1, 12)]
        check(set(tests) == {"layer.Good", "layer.Skipping", "layer.Failing", "layer.Short.1", *parts}, tests)
        check(tests["layer.Good"][0] == "--gtest_filter=Good.*-Good.two", tests["layer.Good"])
        cases = [case for part in parts for case in tests[part][0].removeprefix("--gtest_filter=").removesuffix("-Good.two").split(":")]
        check(cases == [f"Values/Long.case/{i}" for i in range(33)], cases)
        for test, (_, properties) in tests.items():
            check(properties["LABELS"] == ["fast"] and properties["TIMEOUT"] == 60, properties)
            check(("COST" in properties) == (test in [*parts, "layer.Short.1"]), (test, properties))

        # A suite with a skipped case is skipped, but a failed case is not hidden by a skipped one, and is named.
        result = subprocess.run(["ctest", "--output-on-failure", "-R", "Good|Skipping|Failing"], cwd=folder, capture_output=True, text=True, check=False).stdout
        check(all(f"layer.{line}" in " ".join(result.split()) for line in ("Skipping (Skipped)", "Failing (Failed)")), result)
        check("1 tests failed out of 3" in result and "[  FAILED  ] Failing.fail" in result, result)

        done = add(root, folder, "-D", "LONG=Short|Missing")
        check(done.returncode != 0 and "found no suite Missing" in " ".join(done.stderr.split()), done.stderr)
    print("suites.cmake adds the suites of a program")


if __name__ == "__main__":
    main()
