# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routing engines written in Python."""
import numpy

from ._errors import InputError, UnroutableError
from ._fabric import Fabric


class Request:
    """The arguments of an engine besides the fabric."""

    def __init__(self, roots, seed, threads, vls_max):
        #: Switches configured as roots: a uint32 array; empty: the engine selects the roots.
        self.roots = roots
        #: Seed of all random choices.
        self.seed = seed
        #: Number of threads to use; 0: one per core. The result must not depend on this number.
        self.threads = threads
        #: Number of data VLs that every port has; the routes must not use more.
        self.vls_max = vls_max


class Tables:
    """The result of an engine."""

    def __init__(self, lfts, sls=None, vls=1):
        """lfts: output ports, uint8 [switches, lid_top + 1]; 0 where the switch has the LID itself, 255 without a route.

        sls: the SL of each path, uint8, below vls: [lid_top + 1] by destination LID, [switches, switches] by source and destination
        switch, or [switches, lid_top + 1] by source switch and LID; None: all 0. vls: data VLs in use; SL i maps to VL i modulo vls.
        """
        self.lfts = lfts
        self.sls = sls
        self.vls = vls


class Engine:
    """Base class of engines: a subclass defines route(). An engine may also be a plain function of the same arguments.

    The routes are used like those of built-in engines: they are verified, multicast trees are computed from them, and empty entries
    for LIDs of switches are filled.
    """

    #: The name in reports; by default the name of the class.
    name = ""

    def route(self, fabric, request):
        """Returns Tables, or only the array of forwarding tables, for the Fabric and the Request.

        The fabric may be a connected part of the fabric to route. Raises UnroutableError with a reason if it cannot route the
        fabric; the next engine is then tried. Any other exception ends Fabric.route().
        """
        raise NotImplementedError(f"{type(self).__name__}.route()")


def name_of(engine):
    """The name of an engine in reports. Raises TypeError if the object is no engine."""
    if isinstance(engine, Engine):
        return engine.name or type(engine).__name__
    if callable(engine) and not isinstance(engine, type):
        return getattr(engine, "__name__", type(engine).__name__)
    raise TypeError(f"engine: found {engine!r}, expected a name, an Engine or a function")


def _array(name, what, value, shapes):
    array = numpy.asarray(value)
    if array.dtype.kind not in "iu" or array.size and (array.min() < 0 or array.max() > 255):
        raise InputError(f"routing engine {name}: {what}: found an array of {array.dtype}, expected numbers from 0 to 255", "bad_input")
    if array.shape not in shapes:
        wanted = " or ".join(str(list(shape)) for shape in shapes)
        raise InputError(f"routing engine {name}: {what}: found shape {list(array.shape)}, expected {wanted}", "bad_input")
    return numpy.ascontiguousarray(array, numpy.uint8)


def answer(engine, native, roots, seed, threads, vls_max):
    """Runs an engine for the native module. Returns checked(), or the text of UnroutableError if the engine raises it."""
    name = name_of(engine)
    fabric = Fabric(native, name)
    try:
        run = engine.route if isinstance(engine, Engine) else engine
        tables = run(fabric, Request(roots, seed, threads, vls_max))
    except UnroutableError as refusal:
        return str(refusal)
    return checked(name, fabric, tables)


def checked(name, fabric, tables):
    """Returns the tuple for the native module: forwarding tables, SLs or None, number of VLs, name. Raises InputError."""
    if not isinstance(tables, Tables):
        tables = Tables(tables)
    switches, lids = fabric.switch_count, fabric.lid_top + 1
    sls = None
    if tables.sls is not None:
        sls = _array(name, "SLs", tables.sls, [(lids,), (switches, switches), (switches, lids)])
    return _array(name, "forwarding tables", tables.lfts, [(switches, lids)]), sls, int(tables.vls), name
