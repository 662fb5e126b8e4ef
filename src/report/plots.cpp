// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

constexpr double kPictureWidth = 620;
constexpr double kHeight = 300;
constexpr double kLeft = 70;
constexpr double kRight = 16;
constexpr double kTop = 40;
constexpr double kBottom = 50;
constexpr double kPlotWidth = kPictureWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;

double x_at(double part) { return kLeft + part * kPlotWidth; }
double y_at(double part) { return kTop + (1 - part) * kPlotHeight; }

void heading(Svg& svg, std::string_view title, const std::vector<Series>& series) {
  svg.text(kLeft, 16, title, {.size = 13, .bold = true});
  if (series.size() < 2) return;
  double x = kLeft;
  for (const Series& one : series) {
    svg.rect(x, 23, 10, 10, one.colour);
    svg.text(x + 14, 32, one.name, {.size = 11});
    x += 26 + 6.6 * static_cast<double>(one.name.size());
  }
}

/// Draws grid lines and numbers of the y axis; returns its highest tick.
double y_axis(Svg& svg, double most, std::string_view label) {
  const auto ticks = ticks_to(most, 5);
  for (const double tick : ticks) {
    const double y = y_at(tick / ticks.back());
    svg.line(kLeft, y, kPictureWidth - kRight, y, "currentColor", 1, tick == 0 ? 0.6 : 0.15);
    svg.text(kLeft - 6, y + 4, short_count(tick), {.anchor = "end", .size = 11});
  }
  svg.text(14, kTop + kPlotHeight / 2, label, {.anchor = "middle", .size = 11, .rotation = -90});
  return ticks.back();
}

/// `shift`: pixels by which ticks and numbers are moved to the right, such as half of a bar.
void x_axis(Svg& svg, const Axis& axis, unsigned parts, std::string_view unit, double shift = 0) {
  for (unsigned i = 0; i <= parts; ++i) {
    if (shift > 0 && i == parts) break;
    const double part = static_cast<double>(i) / parts;
    const double x = x_at(part) + shift;
    svg.line(x, y_at(0), x, y_at(0) + 4, "currentColor", 1, 0.6);
    svg.text(x, y_at(0) + 17,
             short_count(axis.least + part * (axis.most - axis.least)) + std::string(unit),
             {.anchor = "middle", .size = 11});
  }
  svg.text(kLeft + kPlotWidth / 2, kHeight - 12, axis.label, {.anchor = "middle", .size = 11});
}

double most_of(const std::vector<Series>& series) {
  double most = 0;
  for (const Series& one : series)
    for (const double value : one.values) most = std::max(most, value);
  return most;
}

}  // namespace

std::vector<double> ticks_to(double most, unsigned wanted) {
  if (!(most > 0)) return {0, 1};
  const double rough = most / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  for (unsigned i = 0; ticks.empty() || ticks.back() < most * 0.9999; ++i)
    ticks.push_back(step * i);
  return ticks;
}

Axis axis_around(std::string label, double least, double most, double step_min) {
  double step = step_min;
  while (true) {
    const double begin = std::floor(least / step + 1e-9) * step;
    if (most <= begin + 10 * step + 1e-9)
      return {std::move(label), begin, begin + 10 * step, false};
    const double digit = std::round(step / std::pow(10, std::floor(std::log10(step) + 1e-9)));
    step *= digit == 2 ? 2.5 : 2;
  }
}

Svg histogram(std::string_view title, const Axis& x, std::string_view y_label,
              const std::vector<Series>& series) {
  Svg svg(kPictureWidth, kHeight, title);
  heading(svg, title, series);
  const double top = y_axis(svg, most_of(series), y_label);
  const double half =
      series.empty() ? 0 : kPlotWidth / static_cast<double>(series[0].values.size()) / 2;
  x_axis(svg, x, 10, "", x.whole ? half : 0);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const double bands = static_cast<double>(series[s].values.size());
    const double band = kPlotWidth / bands;
    const double width = band * 0.86 / static_cast<double>(series.size());
    for (std::size_t i = 0; i < series[s].values.size(); ++i) {
      const double value = series[s].values[i];
      if (value <= 0) continue;
      const double part = static_cast<double>(i) / bands;
      const double height = std::max(1.0, value / top * kPlotHeight);
      svg.rect(x_at(part) + band * 0.07 + width * static_cast<double>(s), y_at(0) - height, width,
               height, series[s].colour,
               fmt::format("{}: {} from {} to {}", series[s].name, short_count(value),
                           short_number(x.least + part * (x.most - x.least)),
                           short_number(x.least + (part + 1 / bands) * (x.most - x.least))));
    }
  }
  return svg;
}

Svg sorted_values(std::string_view title, std::string_view x_label, std::string_view y_label,
                  const std::vector<Series>& series) {
  constexpr std::size_t kPoints = 400;
  Svg svg(kPictureWidth, kHeight, title);
  heading(svg, title, series);
  const double top = y_axis(svg, most_of(series), y_label);
  x_axis(svg, {std::string(x_label), 0, 100}, 10, "%");
  for (const Series& one : series) {
    if (one.values.empty()) continue;
    std::vector<double> values = one.values;
    std::ranges::sort(values, std::ranges::greater{});
    std::vector<std::pair<double, double>> points;
    const std::size_t n = values.size();
    const std::size_t count = std::min(n, kPoints);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = values[count == 1 ? 0 : i * (n - 1) / (count - 1)];
      points.emplace_back(x_at(static_cast<double>(i) / static_cast<double>(count)),
                          y_at(value / top));
      points.emplace_back(x_at(static_cast<double>(i + 1) / static_cast<double>(count)),
                          y_at(value / top));
    }
    svg.steps(points, one.colour, 2,
              fmt::format("{}: {} to {}", one.name, short_count(values.back()),
                          short_count(values.front())));
  }
  return svg;
}

Svg bars(std::string_view title, const std::vector<Bar>& rows, double most) {
  constexpr double kRow = 24;
  constexpr double kNames = 120;
  constexpr double kTexts = 90;
  Svg svg(kPictureWidth, 34 + kRow * static_cast<double>(rows.size()), title);
  svg.text(8, 16, title, {.size = 13, .bold = true});
  for (const Bar& row : rows) most = std::max(most, row.value);
  double y = 28;
  for (const Bar& row : rows) {
    const double scale = most > 0 ? (kPictureWidth - kNames - kTexts) / most : 0;
    const double width = (row.value - row.begin) * scale;
    svg.text(kNames - 8, y + 14, row.name, {.anchor = "end", .size = 12});
    svg.rect(kNames, y + 2, kPictureWidth - kNames - kTexts, 16, "currentColor", {}, 0.06);
    if (width > 0) svg.rect(kNames + row.begin * scale, y + 2, width, 16, row.colour);
    svg.text(kPictureWidth - kTexts + 8, y + 14, row.text, {.size = 12});
    y += kRow;
  }
  return svg;
}

}  // namespace weft
