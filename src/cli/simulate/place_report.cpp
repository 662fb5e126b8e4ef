// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/place_report.h"

#include <algorithm>

#include "base/text.h"
#include "congestion/host_names.h"
#include "jobs/input/job_file.h"
#include "jobs/placement.h"

namespace weft::cli {
namespace {

using jobs::Placement;
using jobs::seconds_of;

const NetNode& node_of(const PlaceReport& report, std::uint32_t host) {
  return report.network.node(report.network.node_of_host(host));
}

/// Names by which weft simulate finds the hosts: the label of a host if it is unique, else the
/// name.
std::vector<std::string> names_of(const PlaceReport& report, const Placement& placement) {
  const HostNames index(report.network);
  std::vector<std::string> names;
  for (const std::uint32_t host : placement.hosts) {
    const NetNode& node = node_of(report, host);
    names.push_back(!node.label.empty() && index.find(node.label) == host ? node.label : node.name);
  }
  return names;
}

/// Consecutive ranks on one server.
struct RankRange {
  std::string node;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

std::vector<RankRange> ranges_of(const PlaceReport& report) {
  std::vector<RankRange> ranges;
  const std::uint32_t per_host = report.job.placement.ranks_per_host;
  for (std::uint32_t rank = 0; rank < report.result.ranks; ++rank) {
    std::string node =
        jobs::server_name(node_of(report, report.result.best.hosts[rank / per_host]));
    if (ranges.empty() || ranges.back().node != node) ranges.push_back({std::move(node), rank, 0});
    ++ranges.back().count;
  }
  return ranges;
}

Json placement_json(const PlaceReport& report, const std::optional<Placement>& placement) {
  if (!placement) return nullptr;
  return {{"seconds", seconds_of(placement->time)},
          {"ring_hops", placement->ring_hops},
          {"hosts", names_of(report, *placement)}};
}

double slowdown(const PlaceReport& report, const Placement& placement) {
  const auto ideal = static_cast<double>(report.result.crossbar);
  return ideal > 0 ? static_cast<double>(placement.time) / ideal : 1;
}

}  // namespace

Result<jobs::Workload> read_place_jobs(const std::string& job,
                                       const std::vector<std::string>& running) {
  const std::vector<std::string> one{job};
  auto workload = jobs::read_workload(one);
  if (!workload) return forward(workload);
  if (workload->jobs.size() != 1)
    return fail(Code::kUsage, "--job {}: found {} jobs, expected 1: name the others with --running",
                job, workload->jobs.size());
  if (running.empty()) return workload;
  auto others = jobs::read_workload(running);
  if (!others) return forward(others);
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(workload->jobs, others->jobs);
  append(workload->background, others->background);
  append(workload->failures, others->failures);
  return workload;
}

Json place_json(const PlaceReport& report) {
  const jobs::PlaceResult& result = report.result;
  Json ranks = Json::array();
  for (const RankRange& range : ranges_of(report))
    ranks.push_back({{"node", range.node}, {"first", range.first}, {"count", range.count}});
  return {{"network",
           {{"hosts", report.network.host_count()},
            {"switches", report.network.node_count() - report.network.host_count()},
            {"channels", report.network.channel_count()}}},
          {"seed", report.seed},
          {"job",
           {{"name", report.job.name},
            {"work", report.job.text},
            {"algorithm", jobs::name_of(report.job.algorithm)},
            {"ranks", result.ranks},
            {"bytes", report.job.bytes}}},
          {"free_hosts", result.free_hosts},
          {"simulations", result.simulations},
          {"exhaustive", result.is_exhaustive},
          {"crossbar_seconds", seconds_of(result.crossbar)},
          {"best", placement_json(report, result.best)},
          {"second_best", placement_json(report, result.second)},
          {"packed", placement_json(report, result.packed)},
          {"ranks", std::move(ranks)}};
}

std::string place_text(const PlaceReport& report) {
  const jobs::PlaceResult& result = report.result;
  std::string text =
      fmt::format("{}: {} ranks on {} of {} free hosts\n\n{:<12} {:>11} {:>9} {:>10}\n",
                  report.job.name, result.ranks, result.best.hosts.size(), result.free_hosts,
                  "placement", "time", "slowdown", "ring hops");
  const auto row = [&](std::string_view name, const std::optional<Placement>& placement,
                       std::string_view without) {
    if (!placement) {
      text += fmt::format("{:<12} {}\n", name, without);
      return;
    }
    text += fmt::format("{:<12} {:>11} {:>9.3f} {:>10}\n", name,
                        jobs::time_text(seconds_of(placement->time)), slowdown(report, *placement),
                        placement->ring_hops);
  };
  row("best", result.best, "");
  row("second best", result.second, "no other hosts were simulated");
  row("packed", result.packed, "has no route for a message");
  text += fmt::format("\n{} placements simulated{}\n\n{:>11}  node\n", result.simulations,
                      result.is_exhaustive ? ", all possible placements" : "", "ranks");
  for (const RankRange& range : ranges_of(report))
    text += fmt::format("{:>11}  {}\n",
                        range.count == 1
                            ? fmt::format("{}", range.first)
                            : fmt::format("{}-{}", range.first, range.first + range.count - 1),
                        range.node);
  return text;
}

Result<std::string> place_file(const PlaceReport& report, std::string_view format) {
  std::string text;
  if (format == "hosts") {
    for (const std::string& name : names_of(report, report.result.best)) text += name + "\n";
    return text;
  }
  for (const RankRange& range : ranges_of(report)) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '='; };
    if (range.node.empty() || std::ranges::any_of(range.node, is_blank))
      return fail(Code::kBadInput,
                  "--to {}: host {}: expected a name without blanks and '=': use --to hosts",
                  format, weft::quoted(range.node));
    if (format == "hostfile") text += fmt::format("{} slots={}\n", range.node, range.count);
    for (std::uint32_t i = 0; i < range.count && format == "rankfile"; ++i)
      text += fmt::format("rank {}={} slot={}\n", range.first + i, range.node, i);
    for (std::uint32_t i = 0; i < range.count && format == "slurm"; ++i) text += range.node + "\n";
  }
  return text;
}

}  // namespace weft::cli
