# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Test programs with one changed source, from the objects of an existing build.

Nothing in the build folder changes, except that Tree.make() builds unchanged programs there. After a change of a source, the batch
with the source (cmake/unity.cmake) is compiled again into a separate folder. After a change of a header, all objects that include the
header are compiled again, with the changed header before the original in the include path. Programs are then linked with these objects
in place of the original objects. Objects of static libraries come first, so that the linker does not use the original objects.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

MEMORY_MAX_KB = 6 << 20
OUTPUT_MAX_BLOCKS = 1 << 19  # of 512 bytes


class DoesNotCompile(Exception):
    pass


class BrokenBuild(Exception):
    """The tests do not build or pass without any change."""


def parse_build(text):
    """Output -> explicit and implicit inputs, of each edge of a build.ninja."""
    edges = {}
    for found in re.finditer(r"^build ([^\n]*?): \S+ ([^\n]*)$", text.replace("$\n", ""), re.M):
        inputs = found[2].split("||")[0].replace("|", " ").split()
        for output in found[1].replace("|", " ").split():
            edges[output] = inputs
    return edges


def path_flags(command, root, folder):
    """Options by which messages name a source in `folder` like the original below `root`."""
    mapped = [part.removeprefix(f"-ffile-prefix-map={root}=") for part in command if part.startswith(f"-ffile-prefix-map={root}=")]
    return [f"-ffile-prefix-map={folder}={mapped[-1] if mapped else root}"]


def programs_of(tests, bin_folder):
    """The commands of fast tests that are programs of this build: a whole GoogleTest program counts as one. From ctest's JSON."""
    found = {}
    for test in tests["tests"]:
        command = test.get("command") or [""]
        if os.path.dirname(command[0]) != bin_folder:
            continue
        properties = {p["name"]: p["value"] for p in test["properties"]}
        arguments = command[1:]
        if any(argument.startswith("--gtest_filter") for argument in arguments):
            arguments = ["--gtest_fail_fast", "--gtest_brief=1"]
        name = os.path.basename(command[0])
        found.setdefault((name, tuple(arguments)), properties.get("WORKING_DIRECTORY", bin_folder))
    return [(name, list(arguments), folder) for (name, arguments), folder in sorted(found.items())]


class Tree:
    """A build of the unchanged sources."""

    def __init__(self, root, build, work):
        self.root, self.build, self.work = root, build, work
        self.edges = parse_build((build / "build.ninja").read_text())
        self.commands = {}   # object -> compile command
        self.objects = {}    # source -> its object
        self.batches = {}    # object -> sources of its batch
        for entry in json.loads((build / "compile_commands.json").read_text()):
            command = shlex.split(entry["command"])
            output = command[command.index("-o") + 1]
            self.commands[output] = command
            sources = [entry["file"]]
            if "/Unity/" in entry["file"]:
                sources = re.findall(r'#include "([^"]+)"', pathlib.Path(entry["file"]).read_text())
            self.batches[output] = sources
            for source in sources:
                self.objects[source] = output
        self.links = {}
        self.depends = None
        self.lock = threading.Lock()
        self.linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
        shown = subprocess.run(["ctest", "--show-only=json-v1", "-L", "fast"], cwd=build, capture_output=True, text=True, check=True)
        self.programs = programs_of(json.loads(shown.stdout), str(build / "bin"))

    def layer_of(self, file):
        return pathlib.PurePath(file).parts[1]

    def layers_in(self, program):
        """The layers that a program links, as folders of src/."""
        return {found[1] for path in self.edges[f"bin/{program}"] if (found := re.match(r"src/(\w+)/libweft_\w+\.a", path))}

    def is_of_layer(self, program, layer):
        return any(path.startswith(f"tests/unit/{layer}/") for path in self.edges[f"bin/{program}"])

    def programs_for(self, layer):
        """Programs with tests of the layer first, then other programs that link the layer."""
        linking = [program for program in self.programs if layer in self.layers_in(program[0])]
        layer_programs = [program for program in linking if self.is_of_layer(program[0], layer)]
        return layer_programs, [program for program in linking if program not in layer_programs]

    def make(self, programs):
        names = sorted({name for name, _, _ in programs})
        done = subprocess.run(["cmake", "--build", str(self.build), "--target", *names], capture_output=True, text=True, check=False)
        if done.returncode:
            raise BrokenBuild("\n".join(done.stdout.splitlines()[-20:]))

    def link_command(self, program):
        if program not in self.links:
            shown = subprocess.run(["ninja", "-t", "commands", "-s", f"bin/{program}"], cwd=self.build, capture_output=True, text=True, check=True)
            parts = [part for part in shown.stdout.strip().split(" && ") if f"-o bin/{program} " in part + " "]
            self.links[program] = shlex.split(parts[-1])
        return self.links[program]

    def dependants(self, header):
        """Objects whose sources include the header."""
        with self.lock:
            if self.depends is None:
                shown = subprocess.run(["ninja", "-t", "deps"], cwd=self.build, capture_output=True, text=True, check=True)
                self.depends = {}
                output = ""
                for line in shown.stdout.splitlines():
                    if line.startswith("    "):
                        self.depends.setdefault(line.strip(), []).append(output)
                    elif line:
                        output = line.split(": #deps")[0]
        return [name for name in self.depends.get(str(self.root / header), []) if name in self.commands]

    def objects_of(self, program):
        """The objects of the program and of the libraries that the program links."""
        inputs = self.edges[f"bin/{program}"]
        found = {path for path in inputs if path.endswith(".o")}
        for path in inputs:
            if path.endswith(".a"):
                found.update(part for part in self.edges.get(path, []) if part.endswith(".o"))
        return found

    def compile(self, like, source, output, folder):
        """Compiles a source with the command of the object `like`, and with the headers in `folder` instead of their originals.
        Raises DoesNotCompile."""
        command = list(self.commands[like])
        command[command.index("-o") + 1] = str(output)
        command[command.index("-c") + 1] = str(source)
        first = next(i for i, part in enumerate(command) if part.startswith("-I"))
        command.insert(first, f"-I{folder}/src")
        command += [*path_flags(command, self.root, folder), "-w", "-O1"]
        output.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command, cwd=self.build, capture_output=True, text=True, check=False, timeout=1200)
        if done.returncode:
            raise DoesNotCompile(done.stderr)


class ChangedPrograms:
    """The programs of a tree with one changed source. All files are in a separate folder."""

    def __init__(self, tree, folder, file, text):
        self.tree, self.folder, self.file = tree, folder, file
        shutil.rmtree(folder, ignore_errors=True)
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(text)
        self.new = {}  # original object -> objects that replace the original
        self.is_header = file.endswith(".h")

    def compile_source(self):
        original = str(self.tree.root / self.file)
        like = self.tree.objects[original]
        batch = self.folder / "batch.cxx"
        paths = [self.folder / self.file if source == original else source for source in self.tree.batches[like]]
        batch.write_text("".join(f'#include "{path}"\n' for path in paths))
        changed = self.folder / "changed.o"
        self.tree.compile(like, batch, changed, self.folder)
        self.new[like] = [changed]

    def compile_for(self, program):
        """Compiles the changed objects of the program. Raises DoesNotCompile."""
        if not self.is_header:
            if not self.new:
                self.compile_source()
            return
        for like in sorted(self.tree.objects_of(program) & set(self.tree.dependants(self.file))):
            if like not in self.new:
                command = self.tree.commands[like]
                output = self.folder / "objects" / like
                self.tree.compile(like, command[command.index("-c") + 1], output, self.folder)
                self.new[like] = [output]

    def link(self, program):
        """Links the program with the changed objects; None if the program has none of these objects."""
        self.compile_for(program)
        inside = self.tree.objects_of(program)
        objects = {like: new for like, new in self.new.items() if like in inside}
        if not objects:
            return None
        output = self.folder / program
        link(self.tree, program, objects, output)
        return output


def link(tree, program, objects, output, more=()):
    """Links a program with other objects {original: [replacements]} and the objects in `more`. Raises DoesNotCompile."""
    command = []
    extra = [str(path) for like, new in objects.items() if like not in tree.link_command(program) for path in new] + [str(path) for path in more]
    for part in tree.link_command(program):
        if part in objects:
            command += [str(path) for path in objects[part]]
            continue
        if part.endswith(".a") and extra:
            command += extra
            extra = []
        command.append(part)
    command[command.index("-o") + 1] = str(output)
    done = subprocess.run(command + extra + tree.linker, cwd=tree.build, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DoesNotCompile(done.stderr)


class Run:
    """The end of a test program: ok, or the reason of the failure."""

    def __init__(self, ok, why, cpu, wall):
        self.ok, self.why, self.cpu, self.wall = ok, why, cpu, wall


def run_program(path, arguments, folder, output, cpu_max, wall_max, environment=None):
    """Runs a test program with limits of processor time, time, memory and file size, and more environment variables."""
    limits = f"ulimit -t {int(cpu_max) + 1}; ulimit -v {MEMORY_MAX_KB}; ulimit -f {OUTPUT_MAX_BLOCKS}; ulimit -c 0"
    hung = threading.Event()
    begin = time.monotonic()
    with open(output, "wb") as log:
        child = subprocess.Popen(["/bin/sh", "-c", limits + '; exec "$@"', "sh", str(path), *arguments], cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                 env=os.environ | (environment or {}))

        def stop():
            hung.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(wall_max, stop)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    try:
        os.killpg(child.pid, signal.SIGKILL)  # ends processes that the program started and that still run
    except ProcessLookupError:
        pass
    cpu, wall = usage.ru_utime + usage.ru_stime, time.monotonic() - begin
    code = child.returncode
    if code == 0:
        return Run(True, "", cpu, wall)
    text = pathlib.Path(output).read_bytes()[-200_000:].decode(errors="replace")
    failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.M)
    if failed:
        return Run(False, failed[1], cpu, wall)
    if hung.is_set():
        return Run(False, "no end", cpu, wall)
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Run(False, "time limit", cpu, wall)
    return Run(False, f"signal {-code}" if code < 0 else f"status {code}", cpu, wall)
