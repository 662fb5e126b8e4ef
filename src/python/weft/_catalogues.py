# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lists of generators, engines, routing options, patterns and file formats."""
import typing

from . import _weft


class Parameter(typing.NamedTuple):
    """A parameter of a generator; default: a value, or words if it depends on other parameters."""

    name: str
    summary: str
    default: str


class Generator(typing.NamedTuple):
    """A generator of fabrics; parameters: a tuple of Parameter, the common parameters of all generators last."""

    name: str
    summary: str
    example: str
    parameters: tuple


class EngineInfo(typing.NamedTuple):
    """A routing engine; options: names of the options that it supports, as on the command line."""

    name: str
    summary: str
    options: tuple


class Option(typing.NamedTuple):
    """An option of Fabric.route(); key: its key in the configuration file; is_flag: whether the value is True or False."""

    name: str
    key: str
    summary: str
    default: str
    is_flag: bool


class Pattern(typing.NamedTuple):
    """A traffic pattern; argument: placeholder of the text after the colon, or empty."""

    name: str
    argument: str
    summary: str


class Format(typing.NamedTuple):
    """A file format."""

    name: str
    summary: str


def generators():
    """The generators: a list of Generator."""
    common = [Parameter(*one) for one in _weft.common_parameters()]
    return [Generator(name, summary, example, tuple([Parameter(*one) for one in own] + common))
            for name, summary, example, own in _weft.generators()]


def engines():
    """The routing engines: a list of EngineInfo. "auto" selects among them."""
    return [EngineInfo(name, summary, tuple(options)) for name, summary, options in _weft.engines()]


def routing_options():
    """The options of Fabric.route() besides its own arguments: a list of Option."""
    own = ("routing_engine", "verify")
    found = []
    for names, key, summary, default, is_flag in _weft.options():
        long = [name[2:].replace("-", "_") for name in names.split(",") if name.startswith("--")]
        if key not in own:
            found.append(Option(long[0], key, summary, "" if default == "(null)" else default, is_flag))
    return found


def patterns():
    """The traffic patterns of simulate(): a list of Pattern."""
    return [Pattern(*one) for one in _weft.patterns()]


def read_formats():
    """The file formats that load() reads: a list of Format."""
    return [Format(*one) for one in _weft.formats()[0]]


def write_formats():
    """The file formats that Fabric.write() writes: a list of Format."""
    return [Format(*one) for one in _weft.formats()[1]]
