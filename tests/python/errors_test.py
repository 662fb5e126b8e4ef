# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that errors name file, line and object."""
import pathlib
import pickle
import subprocess
import sys

import pytest
import weft


def test_wrong_content_names_file_and_line(tmp_path):
    path = tmp_path / "bad.net"
    path.write_text(weft.generate("ring:n=3").to_text("ibsim") + '\nSwitch 4 "broken\n')
    with pytest.raises(weft.InputError) as caught:
        weft.load(path)
    error = caught.value
    assert error.file == str(path) and error.line == len(path.read_text().splitlines()) and error.code == "bad_input"
    assert str(error) == error.message and f"{path}:{error.line}" in error.message
    assert isinstance(error, ValueError) and isinstance(error, weft.Error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.file, again.line) == (error.message, error.file, error.line)


def test_text_in_memory_has_a_name_in_messages():
    with pytest.raises(weft.InputError) as caught:
        weft.parse('{"nodes": [', name="mine", format="json")
    assert caught.value.file == "mine"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(weft.EnvironmentFailure, match="no-such: cannot open: No such file") as caught:
        weft.load(tmp_path / "no-such")
    assert caught.value.file == str(tmp_path / "no-such") and caught.value.line is None
    with pytest.raises(weft.EnvironmentFailure, match="cannot write"):
        weft.generate("ring:n=3").write(tmp_path / "no-folder" / "x.json")


@pytest.mark.parametrize("spec, column, message", [
    ("fattree3:k=0", 10, "fattree3:k=0: column 10: found"), ("nothing:k=7", 1, "found 'nothing'"), ("torus:6x", 7, "torus:6x: column 7: found"), ("", 1, "found ''")])
def test_wrong_specs_name_the_column(spec, column, message):
    with pytest.raises(weft.UsageError, match=message) as caught:
        weft.generate(spec)
    assert (caught.value.file, caught.value.line, caught.value.column) == (None, None, column)


def test_a_missing_native_module_causes_an_error_with_the_reason(tmp_path):
    folder = pathlib.Path(weft.__file__).parent
    for source in folder.glob("*.py"):
        (tmp_path / "weft").mkdir(exist_ok=True)
        (tmp_path / "weft" / source.name).write_text(source.read_text())
    done = subprocess.run([sys.executable, "-c", "import weft"], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1 and "weft: cannot load the native module with" in done.stderr and "modules found: none" in done.stderr


def test_wrong_options_are_named(tmp_path):
    fabric = weft.generate("fattree2:k=4")
    with pytest.raises(TypeError, match="unexpected option 'speed'"):
        fabric.route("minhop", speed=3)
    with pytest.raises(weft.UsageError, match="lash_start_vl: found 'many', expected a number"):
        fabric.route("lash", lash_start_vl="many")
    with pytest.raises(weft.UsageError, match="verify: found 'perhaps'"):
        fabric.route("minhop", verify="perhaps")
    with pytest.raises(weft.UsageError, match="routing engine 'magic' is not known"):
        fabric.route("magic")
    with pytest.raises(weft.UsageError, match="found no engine"):
        fabric.route([])
    with pytest.raises(TypeError, match="option seed: found 1.5"):
        fabric.route("minhop", seed=1.5)
    with pytest.raises(weft.EnvironmentFailure, match="no-such"):
        fabric.route("updn", root_guid_file=tmp_path / "no-such")
    with pytest.raises(weft.UsageError, match="roots: node 'host-1': found a ca, expected a switch"):
        fabric.route("updn", roots=["host-1"])
    with pytest.raises(weft.UsageError, match="format") as caught:
        weft.parse("", format="no-such-format")
    assert caught.value.file is None
    with pytest.raises(weft.UsageError, match="no-such-format"):
        fabric.to_text("no-such-format")


def test_an_engine_that_cannot_route_the_fabric_states_the_reason():
    with pytest.raises(weft.UnroutableError, match="ftree") as caught:
        weft.generate("ring:n=5,hosts=1").route("ftree")
    assert caught.value.code == "unroutable"
    routes = weft.generate("ring:n=5,hosts=1").route("ftree", fallback=True)
    assert routes.engine == "nue" and routes.failed_engines[0][0] == "ftree" and routes.failed_engines[0][1]


def test_tables_from_files_name_the_line(tmp_path):
    fabric = weft.generate("fattree2:k=4")
    routes = fabric.route("minhop")
    routes.write(tmp_path / "dump")
    path = tmp_path / "opensm-lfts.dump"
    lines = (tmp_path / "dump/opensm-lfts.dump").read_text().splitlines()
    lines[1] = lines[1][:4] + "zz"
    path.write_text("\n".join(lines[:2]))
    with pytest.raises(weft.InputError) as caught:
        weft.load_routes(fabric, path)
    assert caught.value.file == str(path) and str(path) in caught.value.message
    with pytest.raises(weft.Error):
        weft.load_dump(tmp_path)


def test_arguments_of_simulations_are_checked():
    routes = weft.generate("fattree2:k=4").route("minhop")
    for arguments, message in (({"pattern": "wave"}, "wave"), ({"metric": "speed"}, "speed"), ({"mapping": "spiral"}, "spiral"),
                               ({"ranks": 99}, "99"), ({"metric": "get_cable_cong", "until_error": 0.1}, "no average"),
                               ({"adaptive": "compare"}, "compare")):
        with pytest.raises(weft.UsageError, match=message):
            routes.simulate(**arguments)
    with pytest.raises(TypeError):
        weft.simulate(3)
    with pytest.raises(weft.UsageError, match="victims"):
        routes.failures(victims="hosts")
    with pytest.raises(weft.UsageError, match="require --trials|trials"):
        routes.failures(2)
