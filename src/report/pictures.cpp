#include "report/pictures.h"

#include <fmt/format.h>

#include <cctype>

#include "report/drawing.h"
#include "report/palette.h"
#include "report/plots.h"

namespace weft {
namespace {

/// A name that every file system takes.
std::string file_name(std::string_view what, std::size_t number, std::string_view run) {
  std::string name;
  for (const char c : run) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return fmt::format("{}-{}-{}", what, number + 1, name.substr(0, 40));
}

template <class Use>
void for_each_served(const Report& report, const Use& use) {
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    if (report.runs[i].served()) use(i, report.runs[i]);
}

std::vector<double> as_doubles(std::span<const std::uint64_t> values) {
  return std::vector<double>(values.begin(), values.end());
}

Picture link_loads(const Report& report) {
  std::vector<Series> series;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    series.push_back({run.name, run_colour(i), as_doubles(run.usage.load)});
  });
  return {"link-load", sorted_values("Paths over each cable, most loaded first",
                                     "part of all cables (each direction by itself)",
                                     "paths over the cable", series)};
}

void add_traffic(const Report& report, std::vector<Picture>& pictures) {
  std::vector<Series> series;
  std::string pattern;
  for_each_served(report, [&](std::size_t i, const ReportRun& run) {
    if (!run.traffic) return;
    series.push_back({run.name, run_colour(i), as_doubles(run.traffic->runs)});
    pattern = run.traffic->pattern;
  });
  if (series.empty()) return;
  pictures.push_back(
      {"bandwidth", histogram("Effective bandwidth: " + pattern,
                              {"mean part of the full bandwidth that flows get in a run", 0, 1},
                              "simulated runs", series)});
}

/// A chart of bars, a run each.
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
    if (run.traffic && !run.traffic->flows.empty())
      pictures.push_back(
          {file_name("congestion", i, run.name),
           draw_fabric(report.title + ", routed by " + run.name + ": " + run.traffic->pattern,
                       report.fabric, layout, {"flows over the cable", run.traffic->flows})});
  });
  return pictures;
}

}  // namespace weft
