# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Statistics of repeated measurements: medians with intervals, ratios of two sides, and the rule that separates a change from noise.

An interval has two order statistics as bounds and assumes nothing about the distribution: the narrowest symmetric pair that contains the
median of the population with a probability of at least 95%. With fewer than six samples no pair has that probability; the interval is then
the range of the samples, with its own probability.
"""
import dataclasses
import math
import statistics

CONFIDENCE = 0.95
# A smaller difference is not reported even if the intervals are disjoint: clock rate, memory layout and other builds can cause it.
SMALLEST_CHANGE = 0.05


def coverage(count, k):
    """The probability that the k-th smallest and the k-th largest of `count` samples enclose the median of the population."""
    return 1 - 2 * sum(math.comb(count, i) for i in range(k)) / 2 ** count


@dataclasses.dataclass(frozen=True)
class Interval:
    """A median, or a ratio of two medians, with its bounds. `coverage`: the probability that the bounds enclose the median of the population;
    0 for a single sample."""
    median: float
    low: float
    high: float
    coverage: float
    samples: int

    def __str__(self):
        return f"{number(self.median)} ({number(self.low)} to {number(self.high)})" if self.samples > 1 else f"{number(self.median)} (1 sample)"


def number(value):
    """The value with at least three significant digits, without an exponent."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"


def summary(values):
    """The median of the samples with its interval. There must be at least one sample."""
    ordered = sorted(values)
    count = len(ordered)
    k = 1
    while 2 * (k + 1) <= count and coverage(count, k + 1) >= CONFIDENCE:
        k += 1
    return Interval(statistics.median(ordered), ordered[k - 1], ordered[-k], coverage(count, k), count)


def ratio(a, b):
    """a / b of two summaries. The bounds are the extreme ratios, so that the interval is wider than necessary."""
    return Interval(a.median / b.median, a.low / b.high, a.high / b.low, min(a.coverage, b.coverage), min(a.samples, b.samples))


def has_moved(old, new):
    """Whether two intervals differ by more than noise: they are disjoint, and the medians differ by more than SMALLEST_CHANGE. A single sample
    has no interval; it differs if it is outside of the other interval, widened by a factor of two."""
    if old.samples == 1 or new.samples == 1:
        return new.median > 2 * old.high or 2 * new.median < old.low
    if old.low <= new.high and new.low <= old.high:
        return False
    return abs(new.median - old.median) > SMALLEST_CHANGE * min(abs(old.median), abs(new.median))


def as_json(interval):
    return dataclasses.asdict(interval)


def from_json(fields):
    return Interval(**{field.name: fields[field.name] for field in dataclasses.fields(Interval)})


def interleaved(sides, count, enough=lambda samples: False):
    """Measures every side `count` times, alternately: {side: function} gives {side: samples}. Each round begins with another side, so that the
    order of sides varies. Ends after a round for which enough(samples) is true. All sides have equal numbers of samples."""
    samples = {side: [] for side in sides}
    order = list(sides)
    for index in range(count):
        at = index % len(order)
        for side in order[at:] + order[:at]:
            samples[side].append(sides[side]())
        if enough(samples):
            break
    return samples
