# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Exceptions of the package."""
import re

# The begin of a message about a generator spec: "SPEC: column COLUMN: ".
_COLUMN = re.compile(r"[^\n]*?: column (\d+): ")
# The begin of a message about a file: "FILE:LINE:COLUMN: ", "FILE:LINE: " or "FILE: ".
_PLACE = re.compile(r"(?P<file>[^\n]+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?: ")


class Error(Exception):
    """Any error of the package: what failed, on which object, the value found and the value expected.

    Attributes: code ("usage", "bad_input", "unroutable", "out_of_vls", "environment", "timeout" or "rejected"), message, and,
    for an error in a file, file, line and column (from 1; None if unknown). An error in a generator spec has only the column.
    """

    def __init__(self, message, code="usage", file=None, line=None, column=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self):
        return type(self), (self.message, self.code, self.file, self.line, self.column)


class UsageError(Error, ValueError):
    """An argument, an option or a generator spec is invalid."""


class InputError(Error, ValueError):
    """The content of a file, of a graph or of the tables of an engine is invalid."""


class UnroutableError(Error):
    """No engine can route the fabric, tables need more VLs than there are, or a message of a job has no route.

    If an engine written in Python raises this error, the next engine is tried.
    """


class EnvironmentFailure(Error):
    """A file or a resource of this machine is not available."""


class InputWarning(UserWarning):
    """An irregularity in a file that could be read."""


_CLASSES = {"usage": UsageError, "bad_input": InputError, "unroutable": UnroutableError, "out_of_vls": UnroutableError,
            "environment": EnvironmentFailure}


def text_of(raw):
    """Text of the native module, in which names of nodes may be in any encoding."""
    return raw.decode("utf-8", "replace")


def error_of(code, raw):
    """The exception of an error of the native module."""
    message = text_of(raw)
    place = _PLACE.match(message)
    file = line = column = None
    if place and (code == "bad_input" and place["line"] or code == "environment"):
        file = place["file"]
        line = int(place["line"]) if place["line"] else None
        column = int(place["column"]) if place["column"] else None
    elif code == "usage" and (of_spec := _COLUMN.match(message)):
        column = int(of_spec[1])
    return _CLASSES.get(code, Error)(message, code, file, line, column)


class reading:
    """Context that sets the file of errors without a file to `path`."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (InputError, EnvironmentFailure)) and error.file is None:
            error.file = self._path
        return False
