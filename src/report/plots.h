// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Draws plots from plain numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/svg.h"

namespace weft {

/// About `wanted` values from 0 to at least `most`; their distance is 1, 2 or 5 times a power of
/// ten.
std::vector<double> ticks_to(double most, unsigned wanted);

struct Axis {
  std::string label;
  double least = 0;
  double most = 1;
  bool whole = false;  // the values are whole numbers: ticks are in the middle of intervals
};

/// An axis of ten round steps, none smaller than `step_min`, that includes both values.
Axis axis_around(std::string label, double least, double most, double step_min);

struct Series {
  std::string name;
  std::string_view colour;
  std::vector<double> values;
};

/// Values of one or more series in equal intervals of the x axis, side by side in each interval.
Svg histogram(std::string_view title, const Axis& x, std::string_view y_label,
              const std::vector<Series>& series);

/// Values of each series, largest first, over the share of values that are at least as large. The
/// curve shows the maximum and the distribution.
Svg sorted_values(std::string_view title, std::string_view x_label, std::string_view y_label,
                  const std::vector<Series>& series);

struct Bar {
  std::string name;
  std::string_view colour;
  double value = 0;
  std::string text;  // text at the end of the bar
  double begin = 0;  // where the bar begins
};

/// Horizontal bars with labels. The scale ends at `most`, or at the largest value if that is
/// larger.
Svg bars(std::string_view title, const std::vector<Bar>& rows, double most = 0);

}  // namespace weft
