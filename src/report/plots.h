// The plots of a report, each from plain numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/svg.h"

namespace weft {

/// Round values from 0 to at least `most`, about `wanted` of them: 1, 2 or 5 times a power of ten
/// apart.
std::vector<double> ticks_to(double most, unsigned wanted);

struct Axis {
  std::string label;
  double least = 0;
  double most = 1;
  bool whole = false;  // bands stand for whole numbers: these are written below their middle
};

/// Ten round steps, none smaller than `step_min`, with both values among them.
Axis axis_around(std::string label, double least, double most, double step_min);

struct Series {
  std::string name;
  std::string_view colour;
  std::vector<double> values;
};

/// Values of one or more series in equal bands of the x axis, side by side in each band.
Svg histogram(std::string_view title, const Axis& x, std::string_view y_label,
              const std::vector<Series>& series);

/// Each series' values, most first, over the share of them that are at least as large: who is
/// loaded, and how evenly.
Svg sorted_values(std::string_view title, std::string_view x_label, std::string_view y_label,
                  const std::vector<Series>& series);

struct Bar {
  std::string name;
  std::string_view colour;
  double value = 0;
  std::string text;  // at its end
};

/// Bars from left to right with what they stand for beside them. `most` 0: as much as there is.
Svg bars(std::string_view title, const std::vector<Bar>& rows, double most = 0);

}  // namespace weft
