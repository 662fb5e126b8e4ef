#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests examples/engine, which is built as users build a plugin: with an installed tree and find_package(weft). The engine routes offline, in a
report and in the subnet manager, and its routes are verified like the routes of built-in engines. A faulty library causes an error or a fallback.

Usage: engine_plugin_test.py BUILD_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import weft_interop as interop
from weft_interop import check

WEFT = interop.tool("weft")


def run(*words, status=0, cwd=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=4 * interop.PATIENCE, cwd=cwd)
    check(done.returncode == status, f"{words}: exit status {done.returncode}, expected {status}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def install_and_build(build, scratch):
    """Installs headers and CMake files only; other tests cover programs."""
    prefix = scratch / "prefix"
    run("cmake", "--install", build, "--prefix", prefix, "--component", "dev")
    check((prefix / "include/weft/engine_plugin.h").exists(), "engine_plugin.h is not installed")
    for compiler in ("cc", "c++"):  # the header is valid C and C++
        source = scratch / ("include.c" if compiler == "cc" else "include.cpp")
        source.write_text("#include <weft/engine_plugin.h>\n")
        run(compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{prefix}/include", "-c", source, "-o", "/dev/null")
    run("cmake", "-S", interop.ROOT / "examples/engine", "-B", scratch / "engine", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", scratch / "engine")
    return scratch / "engine/libupfirst.so"


def check_routes(engine, scratch):
    for spec in ("fattree3:k=8", "fattree2:k=4", "ring:n=6,hosts=2", "torus:4x4x4,hosts=1", "dragonfly:a=4,h=2,p=2",
                 "random:n=30,degree=4,hosts=2,seed=3"):
        result = json.loads(run(WEFT, "route", spec, "-R", f"{engine},no_fallback", "--verify=enforce", "--json")[0])
        check(result["engine"] == str(engine) and result["verify"]["ok"] and not result["warnings"], f"{spec}: {result}")
        check(result["verify"]["unreachable"] == 0, f"{spec}: {result['verify']['unreachable']} unreachable pairs, expected 0")
    tables = []
    for threads in (1, 4):
        run(WEFT, "route", "torus:4x4,hosts=2", "-R", engine, "--threads", threads, "--lmc", 1, "-o", scratch / "out")
        tables.append((scratch / "out/opensm-lfts.dump").read_bytes())
    check(tables[0] == tables[1], "the tables depend on the number of threads")
    run(WEFT, "verify", "torus:4x4,hosts=2", "--lfts", scratch / "out/opensm-lfts.dump")
    roots = scratch / "roots"
    roots.write_text("0x0020000000000001\n")
    run(WEFT, "route", "fattree2:k=4", "-R", engine, "-a", roots)
    text = run(WEFT, "report", "fattree2:k=4", "-R", f"ftree,{engine}", "-o", scratch / "page.html", "--runs", 0)[0]
    check(str(engine) in text and "verified" in text, text)
    result = json.loads(run(WEFT, "sm", "--emulate", "fattree2:k=4", "-R", engine, "--once", "--json", "-f", scratch / "log")[0])
    check(result["up"] and result["engine"] == str(engine) and result["verify"]["ok"], str(result))
    config = scratch / "opensm.conf"
    config.write_text("routing_engine ./libupfirst.so\n")
    result = json.loads(run(WEFT, "sm", "--emulate", "fattree2:k=4", "-F", config, "--once", "--json", "-f", scratch / "log",
                          cwd=engine.parent)[0])
    check(result["up"] and result["engine"] == "./libupfirst.so", str(result))
    result = json.loads(run(WEFT, "check", "fattree2:k=4", "-R", engine, "--json")[0])
    check(any(e["engine"] == str(engine) and e["serves"] for e in result["engines"]), str(result["engines"]))


def check_faulty_libraries(engine, scratch):
    """Tests the messages about faulty libraries; tests/unit/routing/plugin_test.cpp tests every fault."""
    _, output = run(WEFT, "route", "fattree2:k=4", "-R", "./none.so", status=2, cwd=scratch)
    check("routing engine ./none.so: " in output and "cannot open shared object file" in output, output)
    text = scratch / "text.so"
    text.write_text("not a library")
    check(f"routing engine {text}: " in run(WEFT, "route", "fattree2:k=4", "-R", text, status=2)[1], "no error message for a text file as library")
    source = (interop.ROOT / "examples/engine/upfirst.cpp").read_text()

    def variant(name, before, after):
        check(before in source, f"upfirst.cpp has no {before!r}")
        (scratch / f"{name}.cpp").write_text(source.replace(before, after))
        run("c++", "-shared", "-fPIC", f"-I{scratch}/prefix/include", scratch / f"{name}.cpp", "-o", scratch / f"{name}.so")
        return scratch / f"{name}.so"

    unreachable_host = variant("unreachable_host", "if (s == target)", "if (n == fabric.hosts[0].lid) continue;\n        if (s == target)")
    result = json.loads(run(WEFT, "route", "fattree2:k=4", "-R", f"{unreachable_host},no_fallback", "--json", status=1)[0])
    check(not result["verify"]["ok"] and result["verify"]["unreachable"] > 0, str(result["verify"]))
    result = json.loads(run(WEFT, "sm", "--emulate", "fattree2:k=4", "-R", unreachable_host, "--once", "--json", "-f", scratch / "log")[0])
    check(result["up"] and result["engine"] == "nue" and "are not connected" in result["fallbacks"][0]["reason"], str(result))
    crash = variant("crash", "  return 0;\n}\n\n}", "  __builtin_trap();\n}\n\n}")
    result = json.loads(run(WEFT, "sm", "--emulate", "fattree2:k=4", "-R", crash, "--once", "--json", "-f", scratch / "log")[0])
    check(result["up"] and "crashed (" in result["fallbacks"][0]["reason"], str(result["fallbacks"]))
    _, output = run(WEFT, "route", "fattree2:k=4", "-R", f"{crash},no_fallback", status=1)
    check("all routing engines failed" in output and "crashed (" in output, output)
    old = variant("old", "WEFT_ENGINE_VERSION, \"", "7, \"")
    check("has version 7 of the interface, expected 1" in run(WEFT, "sm", "--emulate", "fattree2:k=4", "-R", old, "--once",
                                                          "-f", scratch / "log", status=2)[1],
          "no error message for another version of the interface")


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        engine = install_and_build(pathlib.Path(sys.argv[1]), scratch)
        check_routes(engine, scratch)
        check_faulty_libraries(engine, scratch)
    print("engine plugin: passed")


if __name__ == "__main__":
    check(shutil.which("cmake"), "cmake is not installed")
    main()
