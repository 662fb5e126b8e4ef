# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Test programs with many mutants, of which an environment variable selects one: compiled and linked once for all of them.

A run without a mutant records the mutants that could change the result of each test, and the time of the test. Other tests need not run: if
a test does not execute the changed place, or if the changed comparison has the same results, the end of the test cannot change.
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import threading

import mutant_build
import mutant_choice

HERE = pathlib.Path(__file__).resolve().parent
PARTS_MS = (300, 3000)   # processor time of the tests that run first, and next, together
FILTER_MAX = 100_000     # bytes of a filter; a longer filter is omitted


class Record:
    """Record of a test program: the tests with a result that each mutant could change, and the time of each test."""

    def __init__(self, text):
        self.tests = collections.defaultdict(set)  # number -> tests, "" for all
        self.times = {}                            # test -> ms
        self.whole_ms = 0                          # of the program
        for line in text.splitlines():
            test, time, *numbers = line.split()
            for number in numbers:
                self.tests[int(number)].add(test)
            if test == "-":
                self.whole_ms += int(time)
            elif not test.endswith(".*"):
                self.times[test] = int(time)

    def tests_for(self, number):
        """Names of the tests with a result that the mutant could change, fastest first; None for the whole program."""
        noted = self.tests.get(number, set())
        if "-" in noted:
            return sorted(self.times, key=self.time_of) if self.times else None
        suites = {name[:-1] for name in noted if name.endswith(".*")}
        found = {name for name in noted if not name.endswith(".*")}
        found |= {name for name in self.times if name[:name.rindex(".") + 1] in suites}
        return sorted(found, key=self.time_of)

    def time_of(self, test):
        return (self.times[test], test)

    def total(self, tests):
        return sum(self.times[test] for test in tests)


def chunks(record, tests):
    """The tests in parts: fast tests first."""
    parts = [[]]
    used = 0
    for test in tests:
        used += record.times[test]
        if parts[-1] and len(parts) <= len(PARTS_MS) and used > PARTS_MS[len(parts) - 1]:
            parts.append([])
            used = record.times[test]
        parts[-1].append(test)
    return [part for part in parts if part]


def limits(time_ms):
    """Processor time and time that tests may take with a mutant, in seconds."""
    cpu_max = 3 + 8 * time_ms / 1000
    return cpu_max, 300 + 8 * cpu_max  # other work may stop the tests for a while


class CombinedPrograms:
    """The programs of a tree with the numbered mutants {number: mutant}."""

    def __init__(self, tree, folder, numbered):
        self.tree, self.folder = tree, folder
        self.refused = set()   # numbers of mutants that are not in the programs
        self.objects = {}      # original object -> object with mutants
        self.programs = {}     # program -> path
        self.records = {}
        self.lock = threading.RLock()
        self.numbered = numbered
        self.chosen = collections.defaultdict(lambda: collections.defaultdict(list))  # original object -> file -> [(number, mutant)]
        for number, mutant in numbered.items():
            if mutant.file.endswith(".cpp"):
                self.chosen[tree.objects[str(tree.root / mutant.file)]][mutant.file].append((number, mutant))
            else:
                self.refused.add(number)

    def is_refused(self, number):
        """Whether the mutant must be compiled alone."""
        with self.lock:
            if number not in self.refused:
                self.compile(self.tree.objects[str(self.tree.root / self.numbered[number].file)])
            return number in self.refused

    def command(self, like, source, output):
        command = list(self.tree.commands[like])
        command[command.index("-o") + 1] = str(output)
        command[command.index("-c") + 1] = str(source)
        return command + mutant_build.path_flags(command, self.tree.root, self.folder) + [f"-I{HERE}", "-w", "-O1"]

    def compile(self, like):
        """The object of a batch, with those mutants of its sources that compile as choices."""
        if like in self.objects:
            return self.objects[like]
        output = self.folder / "objects" / like
        output.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(repr((self.tree.sources_digest, sorted(self.chosen[like].items()))).encode()).hexdigest()
        mark = output.with_suffix(".digest")
        known = json.loads(mark.read_text()) if mark.exists() and output.exists() else {}
        if known.get("digest") == digest:
            self.refused.update(known["refused"])
        else:
            refused = self.compile_batch(like, output)
            self.refused |= refused
            mark.write_text(json.dumps({"digest": digest, "refused": sorted(refused)}))
        self.objects[like] = output
        return output

    def compile_batch(self, like, output):
        """Compiles a batch; returns the numbers of the mutants that had to be left out."""
        refused = set()
        while True:
            results = {file: self.write_source(file, chosen, refused) for file, chosen in self.chosen[like].items()}
            paths = [self.folder / file if (file := os.path.relpath(source, self.tree.root)) in results else source for source in self.tree.batches[like]]
            unity = output.with_suffix(".cxx")
            unity.write_text("".join(f'#include "{path}"\n' for path in paths))
            command = self.command(like, unity, output) + ["-fdiagnostics-column-unit=byte", "-fmax-errors=0"]
            done = subprocess.run(command, cwd=self.tree.build, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
            left_out = {number for result in results.values() for number in result.left_out}
            refused |= left_out
            if not done.returncode:
                return refused
            bad = set()
            for file, result in results.items():
                bad |= mutant_choice.refused(result, str(self.folder / file), done.stderr)
            every = {number for chosen in self.chosen[like].values() for number, _ in chosen}
            if not bad and refused >= every:
                raise mutant_build.BrokenBuild(f"{unity} does not compile:\n{done.stderr}")
            refused |= bad or every

    def write_source(self, file, chosen, refused):
        """Writes a source with the mutants that are not refused."""
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        rest = [(number, mutant) for number, mutant in chosen if number not in refused]
        result = mutant_choice.rendered((self.tree.root / file).read_text(), rest)
        path.write_text(result.text)
        return result

    def selection_object(self, with_gtest):
        output = self.folder / f"selection{with_gtest:d}.o"
        source = HERE / "mutant_selection.cpp"
        if not output.exists() or output.stat().st_mtime < max(source.stat().st_mtime, source.with_suffix(".h").stat().st_mtime):
            define = ["-DWEFT_MUTANTS_GTEST"] if with_gtest else []
            subprocess.run(["c++", "-std=c++20", "-O1", *define, "-c", str(source), "-o", str(output)], check=True)
        return output

    def link(self, program):
        """The path of the program with the mutants; None if the program has none of the changed sources."""
        with self.lock:
            if program not in self.programs:
                self.programs[program] = self.linked(program)
            return self.programs[program]

    def linked(self, program):
        inside = self.tree.objects_of(program)
        touched = set(self.chosen) & inside
        objects = {like: [self.compile(like)] for like in sorted(touched)}
        path = None
        if objects:
            path = self.folder / program
            with_gtest = any("gtest" in part for part in self.tree.link_command(program))
            mutant_build.link(self.tree, program, objects, path, [self.selection_object(with_gtest)])
        return path

    def record(self, program):
        """The Record of a program (name, arguments, folder); None if it has no mutant."""
        name, arguments, folder = program
        path = self.link(name)
        if path is None:
            return None
        with self.lock:
            return self.recorded(" ".join([name, *arguments]), path, program)

    def known_ms(self, program):
        """The time of a program that has been recorded, else None."""
        record = self.records.get(" ".join([program[0], *program[1]]))
        return None if record is None else record.total(record.times) or record.whole_ms

    def recorded(self, key, path, program):
        name, arguments, folder = program
        if key not in self.records:
            digest = hashlib.sha256(path.read_bytes() + key.encode()).hexdigest()[:16]
            noted = self.folder / "records" / f"{name}-{digest}"
            if not noted.exists():
                noted.parent.mkdir(parents=True, exist_ok=True)
                partial = noted.with_suffix(".partial")
                run = mutant_build.run_program(path, arguments, folder, self.folder / f"{name}.log", 1200, 3600, {"WEFT_MUTANTS_NOTED": str(partial)})
                if not run.ok:
                    raise mutant_build.BrokenBuild(f"{key} fails without any mutant ({run.why}): see {self.folder / name}.log")
                partial.write_text(re.sub(r"^- 0", f"- {round(1000 * run.cpu)}", partial.read_text()))
                partial.rename(noted)
            self.records[key] = Record(noted.read_text())
        return self.records[key]

    def verdict(self, number, layer_programs, other_programs, log):
        """Runs the tests with a result that the mutant could change, until a test fails: programs of the layer before other programs, programs with
        a record before programs that must be recorded first, and fast tests before slow tests."""
        for programs in (layer_programs, other_programs):
            known = [program for program in programs if self.known_ms(program) is not None]
            new = [program for program in programs if self.known_ms(program) is None]
            steps = [known, *([program] for program in sorted(new, key=lambda program: not self.is_named_like(program, number)))]
            for step in steps:
                for time_ms, program, tests in sorted(self.runs(number, step), key=lambda run: run[0]):
                    run = self.run(number, program, tests, time_ms, log)
                    if not run.ok:
                        return {"verdict": "caught", "program": program[0], "by": run.why, "by_layer": program in layer_programs}
        return {"verdict": "survived"}

    def is_named_like(self, program, number):
        """Whether the name of the program has the name of a folder or source of the mutant."""
        path = pathlib.PurePath(self.numbered[number].file)
        return any(name in program[0] for name in (*path.parts[2:-1], path.stem))

    def runs(self, number, programs):
        """(time, program, tests) of the tests with a result that the mutant could change, in parts."""
        found = []
        for program in programs:
            record = self.record(program)
            tests = record.tests_for(number) if record else []
            if tests is None:
                found.append((record.whole_ms, program, []))
            elif tests:
                found += [(record.total(part), program, part) for part in chunks(record, tests)]
        return found

    def run(self, number, program, tests, time_ms, log):
        name, arguments, folder = program
        selected = ":".join(tests)
        filtered = {"GTEST_FILTER": selected} if tests and len(selected) < FILTER_MAX else {}
        arguments = [argument for argument in arguments if not argument.startswith("--gtest_filter")]
        return mutant_build.run_program(self.programs[name], arguments, folder, log, *limits(time_ms), {"WEFT_MUTANT": str(number)} | filtered)
