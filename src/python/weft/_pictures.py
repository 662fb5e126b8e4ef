# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pictures as SVG."""
import numpy

from . import _weft
from ._errors import UsageError


class Picture:
    """An SVG picture, which notebooks display."""

    def __init__(self, svg):
        #: The SVG document as text.
        self.svg = svg

    def save(self, path):
        """Writes the SVG document to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self):
        return self.svg[self.svg.index("<svg"):]

    def __repr__(self):
        return f"<weft.Picture: {len(self.svg)} bytes of SVG>"


def draw(fabric, loads, title, name):
    """Implements Fabric.draw()."""
    loads = numpy.zeros(fabric.channel_count, numpy.uint64) if loads is None else numpy.asarray(loads)
    if loads.shape != (fabric.channel_count,):
        raise UsageError(f"draw(): loads: found shape {list(loads.shape)}, expected [{fabric.channel_count}]")
    return Picture(_weft.draw(fabric._native, title or fabric.name, name, loads.astype(numpy.uint64).tolist()))


def bars(title, values, texts=None, most=0):
    """A Picture of horizontal bars.

    values: a dict of numbers by label, in order. texts: the text at the end of each bar; by default the number. most: the end of the scale;
    0: the largest value.
    """
    numbers = list(values.values())
    texts = [f"{value:g}" for value in numbers] if texts is None else list(texts)
    if len(texts) != len(numbers):
        raise UsageError(f"bars(): texts: found {len(texts)}, expected {len(numbers)}")
    rows = [(str(label), float(value), str(text)) for (label, value), text in zip(values.items(), texts)]
    return Picture(_weft.bar_chart(title, rows, most))
