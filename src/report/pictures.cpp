// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "report/drawing.h"
#include "report/palette.h"
#include "report/plots.h"

namespace weft {
namespace {

constexpr double kDelayBandsMax = 50;

/// A file name that is valid on every file system.
std::string file_name(std::string_view what, std::size_t number, std::string_view run) {
  std::string name;
  for (const char c : run) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return fmt::format("{}-{}-{}", what, number + 1, name.substr(0, 40));
}

template <class Use>
void for_each_served(const Report& report, const Use& use) {
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    if (report.runs[i].has_routes()) use(i, report.runs[i]);
}

std::vector<double> as_doubles(std::span<const std::uint64_t> values) {
  return std::vector<double>(values.begin(), values.end());
}

Picture link_loads(const Report& report) {
  std::vector<Series> series;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    series.push_back({run.name, run_colour(i), as_doubles(run.usage.load)});
  });
  return {"link-load",
          sorted_values("Paths over each cable, most loaded first",
                        "part of all channels between switches", "paths over the cable", series)};
}

/// Number of values in each band of the axis.
Series count_in_bands(std::string name, std::string_view colour, const std::vector<double>& values,
                      const Axis& axis, std::size_t bands) {
  Series series{std::move(name), colour, std::vector<double>(bands, 0)};
  for (const double value : values) {
    const double part = (value - axis.least) / (axis.most - axis.least);
    const auto band = static_cast<std::size_t>(
        std::clamp(part * static_cast<double>(bands) + 1e-9, 0.0, static_cast<double>(bands - 1)));
    ++series.values[band];
  }
  return series;
}

/// Adds a histogram of the bandwidths of the simulated runs, by engine: figure 3 of the ORCS
/// report.
void add_bandwidths(const Report& report, std::vector<Picture>& pictures, std::size_t number) {
  double least = 1;
  double most = 0;
  std::string pattern;
  for_each_served(report, [&](std::size_t, const ReportRun& run) {
    for (const double value : run.traffic[number].bandwidths) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
    pattern = run.traffic[number].pattern;
  });
  Axis axis =
      axis_around("mean part of the full bandwidth that the flows of a run get", least, most, 0.01);
  if (axis.most > 1) axis = {axis.label, std::max(0.0, axis.least - axis.most + 1), 1, false};
  const std::size_t bands = report.runs.size() > 2 ? 20 : 40;
  std::vector<Series> series;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    series.push_back(
        count_in_bands(run.name, run_colour(i), run.traffic[number].bandwidths, axis, bands));
  });
  pictures.push_back(
      {fmt::format("bandwidth-{}", number + 1),
       histogram("Effective bandwidth: " + pattern, axis, "simulated runs", series)});
}

/// Adds histograms of the delays of the first pattern with the concurrent second pattern: figure 4
/// of the ORCS report.
void add_delays(const Report& report, std::vector<Picture>& pictures) {
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    double least = 1e300;
    double most = 0;
    for (const Traffic& traffic : run.traffic)
      for (const double delay : traffic.delays) {
        least = std::min(least, delay);
        most = std::max(most, delay);
      }
    if (most == 0) return;
    Axis axis = axis_around("delay: the longest chain of messages that wait for each other",
                            std::floor(least), std::floor(most) + 1, 1);
    const double values = axis.most - axis.least;
    axis.whole = values <= kDelayBandsMax;  // one value in each band
    const auto bands = static_cast<std::size_t>(std::lround(std::min(values, kDelayBandsMax)));
    std::vector<Series> series;
    for (const Traffic& traffic : run.traffic)
      if (!traffic.delays.empty())
        series.push_back(count_in_bands("beside " + traffic.beside, run_colour(series.size()),
                                        traffic.delays, axis, bands));
    pictures.push_back({file_name("delay", i, run.name),
                        histogram(run.name + ": delay of the first pattern by concurrent pattern",
                                  axis, "simulated runs", series)});
  });
}

void add_traffic(const Report& report, std::vector<Picture>& pictures) {
  std::size_t count = 0;
  for_each_served(report, [&](std::size_t, const ReportRun& run) { count = run.traffic.size(); });
  for (std::size_t number = 0; number < count; ++number) add_bandwidths(report, pictures, number);
  add_delays(report, pictures);
}

/// Adds the jobs of each run over time, with the same scale for all runs.
void add_timelines(const Report& report, std::vector<Picture>& pictures) {
  double last = 0;
  for_each_served(report, [&](std::size_t, const ReportRun& run) {
    for (const TimeSpan& span : run.jobs) last = std::max(last, span.end);
  });
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    std::vector<Bar> rows;
    for (const TimeSpan& span : run.jobs)
      rows.push_back({span.name, run_colour(i), span.end,
                      fmt::format("{:.4g} ms", (span.end - span.begin) * 1e3), span.begin});
    if (!rows.empty())
      pictures.push_back(
          {file_name("jobs", i, run.name), bars(run.name + ": jobs over time", rows, last)});
  });
}

/// A bar chart with one bar per run.
template <class Value>
Picture by_run(const Report& report, std::string file, std::string_view title, double most,
               const Value& value) {
  std::vector<Bar> rows;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    const auto [number, text] = value(run);
    rows.push_back({run.name, run_colour(i), number, text});
  });
  return {std::move(file), bars(title, rows, most)};
}

void add_lanes(const Report& report, std::vector<Picture>& pictures) {
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    std::vector<Bar> rows;
    std::uint64_t all = 0;
    for (const LaneUse& lane : run.usage.lanes) all += lane.hops;
    for (std::size_t vl = 0; vl < run.usage.lanes.size(); ++vl) {
      const LaneUse& lane = run.usage.lanes[vl];
      if (lane.hops == 0) continue;
      const double part = static_cast<double>(lane.hops) / static_cast<double>(all);
      rows.push_back(
          {fmt::format("VL {}", vl), run_colour(i), part, fmt::format("{:.1f}%", part * 100)});
    }
    if (rows.size() > 1)
      pictures.push_back({file_name("lanes", i, run.name),
                          bars(run.name + ": part of all hops on each virtual lane", rows)});
  });
}

}  // namespace

std::vector<Picture> plots_of(const Report& report) {
  std::vector<Picture> pictures;
  pictures.push_back(
      by_run(report, "engines-bandwidth", "Effective bisection bandwidth (1 is full)", 1,
             [](const ReportRun& run) {
               return std::pair(run.quality.ebb, fmt::format("{:.3f}", run.quality.ebb));
             }));
  pictures.push_back(by_run(report, "engines-load", "Paths over the most loaded cable", 0,
                            [](const ReportRun& run) {
                              const auto load = static_cast<double>(run.quality.link_load_max);
                              return std::pair(load, short_count(load));
                            }));
  add_traffic(report, pictures);
  add_timelines(report, pictures);
  pictures.push_back(link_loads(report));
  add_lanes(report, pictures);
  return pictures;
}

std::vector<Picture> drawings_of(const Report& report, const Layout& layout) {
  std::vector<Picture> pictures;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    pictures.push_back({file_name("fabric", i, run.name),
                        draw_fabric(report.title + ", routed by " + run.name, report.fabric, layout,
                                    {"paths over the cable", run.usage.load})});
    for (std::size_t t = 0; t < run.traffic.size(); ++t)
      pictures.push_back(
          {file_name(fmt::format("congestion-{}", t + 1), i, run.name),
           draw_fabric(report.title + ", routed by " + run.name + ": " + run.traffic[t].pattern,
                       report.fabric, layout, {"flows over the cable", run.traffic[t].flows})});
  });
  return pictures;
}

}  // namespace weft
