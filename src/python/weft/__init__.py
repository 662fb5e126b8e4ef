# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Weft: fabrics, routes, their verdict and quality, and simulations, from Python.

    import weft
    fabric = weft.generate("fattree3:k=8")
    routes = fabric.route("ftree")
    print(routes.verify(), routes.quality())
    routes.lfts            # forwarding tables, a NumPy array [switches, LIDs]

The functions compute what the command line computes, with the same numbers. They release the GIL; Ctrl-C ends them.
Errors are weft.Error.
"""
import atexit as _atexit
import pathlib as _pathlib
import sys as _sys

try:
    from . import _weft
except ImportError as _error:
    _found = ", ".join(path.name for path in _pathlib.Path(__file__).parent.glob("_weft.*")) or "none"
    raise ImportError(f"weft: cannot load the native module with {_sys.executable}, Python {_sys.version_info.major}."
                      f"{_sys.version_info.minor}: {_error}; modules found: {_found}; they are for Debian's /usr/bin/python3") from _error
from ._catalogues import (EngineInfo, Format, Generator, Option, Parameter, Pattern, engines, generators, patterns, read_formats,
                          routing_options, write_formats)
from ._engine import Engine, Request, Tables
from ._errors import EnvironmentFailure, Error, InputError, InputWarning, UnroutableError, UsageError
from ._fabric import NONE, SPEEDS, WIDTHS, Fabric, Node, generate, load, parse
from ._graph import from_networkx, to_networkx
from ._jobs import JobSimulation, Placement, place, simulate_jobs
from ._pictures import Picture, bars
from ._reports import Quality, Report, Verdict
from ._routes import Failure, Lane, Path, Routes, load_dump, load_routes, make_routes
from ._simulation import Simulation, simulate

__version__ = _weft.version
__all__ = ["NONE", "SPEEDS", "WIDTHS", "Engine", "EngineInfo", "EnvironmentFailure", "Error", "Fabric", "Failure", "Format", "Generator",
           "InputError", "InputWarning", "JobSimulation", "Lane", "Node", "Option", "Parameter", "Path", "Pattern", "Picture", "Placement",
           "Quality", "Report", "Request", "Routes", "Simulation", "Tables", "UnroutableError", "UsageError", "Verdict", "bars", "engines", "from_networkx",
           "generate", "generators", "load", "load_dump", "load_routes", "make_routes", "parse", "patterns", "place", "read_formats", "routing_options",
           "simulate", "simulate_jobs", "to_networkx", "write_formats"]

# Computations abandoned after Ctrl-C must end before the libraries that they use are unloaded.
_atexit.register(_weft.wait_for_abandoned)
