// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/job_report.h"

#include <algorithm>
#include <numeric>

#include "congestion/metrics.h"
#include "jobs/paths.h"
#include "report/palette.h"
#include "report/plots.h"

namespace weft::cli {
namespace {

using jobs::JobOutcome;
using jobs::seconds_of;

constexpr std::size_t kBusiestListed = 10;
constexpr std::size_t kPhasesListed = 1000;

/// Means over the runs of one job.
struct JobMeans {
  Statistics seconds;
  double crossbar = 0;
  double alone = 0;
};

JobMeans means_of(const JobReport& report, std::size_t job) {
  std::vector<double> seconds, crossbar, alone;
  for (const jobs::RunOutcome& run : report.runs) {
    seconds.push_back(seconds_of(run.jobs[job].time));
    crossbar.push_back(seconds_of(run.jobs[job].crossbar));
    alone.push_back(seconds_of(run.jobs[job].alone));
  }
  return {statistics(seconds), statistics(crossbar).mean, statistics(alone).mean};
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }

struct BusyLink {
  std::uint32_t channel;
  double share;  // share of the capacity that is used, over the whole time
};

double capacity(const JobReport& report, std::uint32_t channel) {
  return jobs::capacity_of(report.network.channel(channel));
}

/// The description of a node, or its name in a graph.
const std::string& node_name(const JobReport& report, std::uint32_t node) {
  const NetNode& n = report.network.node(node);
  return n.label.empty() ? n.name : n.label;
}

/// The channels with the highest utilisation; channels with equal utilisation are ordered by id.
std::vector<BusyLink> busiest(const JobReport& report) {
  std::vector<BusyLink> links;
  const jobs::SimulationResult& result = report.details.together;
  if (!result.usage || result.end == 0) return links;
  for (std::uint32_t c = 0; c < report.network.channel_count(); ++c) {
    const double bytes = result.usage->total(c);
    if (bytes > 0)
      links.push_back({c, bytes / (capacity(report, c) * static_cast<double>(result.end))});
  }
  std::ranges::stable_sort(links, std::ranges::greater{}, &BusyLink::share);
  links.resize(std::min(links.size(), kBusiestListed));
  return links;
}

/// Utilisation of a channel in each interval up to the end.
std::vector<double> shares_over_time(const JobReport& report, std::uint32_t channel) {
  const jobs::SimulationResult& result = report.details.together;
  const jobs::Picoseconds interval = result.usage->interval();
  std::vector<double> shares;
  for (jobs::Picoseconds at = 0; at < result.end; at += interval) {
    const auto bytes = result.usage->by_interval(channel)[static_cast<std::size_t>(at / interval)];
    const auto length = static_cast<double>(std::min(interval, result.end - at));
    shares.push_back(std::min(1.0, bytes / (capacity(report, channel) * length)));
  }
  return shares;
}

Json seconds_json(const Statistics& values) {
  return {{"minimum", values.least},
          {"maximum", values.most},
          {"average", values.mean},
          {"error99", values.error99}};
}

Json job_json(const JobReport& report, std::size_t j) {
  const jobs::JobSpec& spec = report.workload.jobs[j];
  const JobOutcome& first = report.runs.front().jobs[j];
  const JobMeans means = means_of(report, j);
  const double seconds = means.seconds.mean;
  Json json{{"name", spec.name},
            {"work", spec.text},
            {"algorithm", jobs::name_of(spec.algorithm)},
            {"ranks", first.ranks},
            {"bytes", spec.bytes},
            {"start", seconds_of(first.start)},
            {"seconds", seconds},
            {"algorithm_bandwidth", jobs::algorithm_bandwidth(spec, seconds)},
            {"bus_bandwidth", jobs::bus_bandwidth(spec, first.ranks, seconds)},
            {"crossbar_seconds", means.crossbar},
            {"slowdown", ratio(seconds, means.crossbar)},
            {"alone_seconds", means.alone},
            {"interference", ratio(seconds, means.alone)},
            {"messages", first.messages},
            {"bytes_sent", first.bytes}};
  if (report.runs.size() > 1) json["by_run"] = seconds_json(means.seconds);
  return json;
}

Json links_json(const JobReport& report) {
  Json links = Json::array();
  for (const BusyLink& link : busiest(report)) {
    const NetChannel& channel = report.network.channel(link.channel);
    links.push_back({{"from", node_name(report, channel.from)},
                     {"from_port", channel.from_port},
                     {"to", node_name(report, channel.to)},
                     {"to_port", channel.to_port},
                     {"bytes", report.details.together.usage->total(link.channel)},
                     {"utilisation", link.share},
                     {"over_time", shares_over_time(report, link.channel)}});
  }
  return links;
}

Json phases_json(const JobReport& report) {
  Json phases = Json::array();
  const auto& named = report.details.built.schedule.phases;
  for (std::size_t p = 0; p < named.size() && phases.size() < kPhasesListed; ++p) {
    const jobs::Interval& time = report.details.together.phases[p];
    if (named[p].name.empty() || time.start == jobs::kNever) continue;
    phases.push_back({{"job", report.workload.jobs[named[p].job].name},
                      {"phase", named[p].name},
                      {"start", seconds_of(time.start)},
                      {"end", seconds_of(time.end)}});
  }
  return phases;
}

Json changes_json(const JobReport& report) {
  Json changes = Json::array();
  for (const jobs::NetworkChange& change : report.changes)
    changes.push_back({{"seconds", seconds_of(change.time)},
                       {"event", change.network == nullptr ? "failure" : "repair"},
                       {"failed_channels", change.failed.size()}});
  return changes;
}

std::string job_row(const JobReport& report, std::size_t j) {
  const jobs::JobSpec& spec = report.workload.jobs[j];
  const std::uint32_t ranks = report.runs.front().jobs[j].ranks;
  const JobMeans means = means_of(report, j);
  const double seconds = means.seconds.mean;
  const auto rate = [&](double value) {
    return value > 0 ? jobs::rate_text(value) : std::string("-");
  };
  return fmt::format("{:<28} {:>6} {:>11} {:>12} {:>12} {:>8.3f} {:>12.3f}\n", spec.name, ranks,
                     jobs::time_text(seconds), rate(jobs::algorithm_bandwidth(spec, seconds)),
                     rate(jobs::bus_bandwidth(spec, ranks, seconds)),
                     ratio(seconds, means.crossbar), ratio(seconds, means.alone));
}

}  // namespace

Json jobs_json(const JobReport& report) {
  Json all = Json::array();
  for (std::size_t j = 0; j < report.workload.jobs.size(); ++j) all.push_back(job_json(report, j));
  Json json{{"network",
             {{"hosts", report.network.host_count()},
              {"switches", report.network.node_count() - report.network.host_count()},
              {"channels", report.network.channel_count()}}},
            {"seed", report.seed},
            {"runs", report.runs.size()},
            {"seconds", seconds_of(report.runs.front().end)},
            {"job", all.front()},
            {"jobs", std::move(all)}};
  if (report.details.together.usage) {
    json["interval"] = seconds_of(report.details.together.usage->interval());
    json["links"] = links_json(report);
  }
  json["phases"] = phases_json(report);
  if (!report.changes.empty()) json["changes"] = changes_json(report);
  return json;
}

std::string jobs_text(const JobReport& report) {
  std::string text = fmt::format("{:<28} {:>6} {:>11} {:>12} {:>12} {:>8} {:>12}\n", "job", "ranks",
                                 "time", "algorithm", "bus", "slowdown", "interference");
  for (std::size_t j = 0; j < report.workload.jobs.size(); ++j) text += job_row(report, j);
  const Json phases = phases_json(report);
  if (!phases.empty()) text += "\nphases\n";
  for (const Json& phase : phases)
    text += fmt::format("{:<28} {:<16} {:>11} to {:>11}\n", phase["job"].get<std::string>(),
                        phase["phase"].get<std::string>(),
                        jobs::time_text(phase["start"].get<double>()),
                        jobs::time_text(phase["end"].get<double>()));
  for (const jobs::NetworkChange& change : report.changes)
    text += change.network == nullptr
                ? fmt::format("\n{} channels fail after {}\n", change.failed.size(),
                              jobs::time_text(seconds_of(change.time)))
                : fmt::format("new routes after {}\n", jobs::time_text(seconds_of(change.time)));
  const auto links = busiest(report);
  if (!links.empty()) text += "\nbusiest links\n";
  for (const BusyLink& link : links)
    text += fmt::format("{:>6.1f}%  {}\n", 100 * link.share,
                        report.network.describe_channel(link.channel));
  return text;
}

std::string jobs_csv(const JobReport& report) {
  std::string text =
      "run,job,ranks,bytes,start_s,seconds,algorithm_bandwidth,bus_bandwidth,crossbar_s,alone_s,"
      "messages\n";
  for (std::size_t r = 0; r < report.runs.size(); ++r)
    for (std::size_t j = 0; j < report.workload.jobs.size(); ++j) {
      const jobs::JobSpec& spec = report.workload.jobs[j];
      const JobOutcome& job = report.runs[r].jobs[j];
      const double seconds = seconds_of(job.time);
      std::string name = spec.name;
      std::ranges::replace(name, '"', '\'');
      text += fmt::format("{},\"{}\",{},{},{},{},{},{},{},{},{}\n", r, name, job.ranks, spec.bytes,
                          seconds_of(job.start), seconds, jobs::algorithm_bandwidth(spec, seconds),
                          jobs::bus_bandwidth(spec, job.ranks, seconds), seconds_of(job.crossbar),
                          seconds_of(job.alone), job.messages);
    }
  return text;
}

std::string links_csv(const JobReport& report) {
  std::string text = "from,from_port,to,to_port,start_s,utilisation\n";
  for (const BusyLink& link : busiest(report)) {
    const NetChannel& channel = report.network.channel(link.channel);
    const double interval = seconds_of(report.details.together.usage->interval());
    const auto shares = shares_over_time(report, link.channel);
    for (std::size_t i = 0; i < shares.size(); ++i)
      text += fmt::format("{},{},{},{},{},{:.4f}\n", report.network.node(channel.from).name,
                          channel.from_port, report.network.node(channel.to).name, channel.to_port,
                          interval * static_cast<double>(i), shares[i]);
  }
  return text;
}

std::string links_picture(const JobReport& report, const std::string& title) {
  std::vector<Series> series;
  double end = 0;
  for (const BusyLink& link : busiest(report)) {
    if (series.size() == 3) break;
    const NetChannel& channel = report.network.channel(link.channel);
    series.push_back({fmt::format("{}:{}", node_name(report, channel.from), channel.from_port),
                      run_colour(series.size()), shares_over_time(report, link.channel)});
    for (double& share : series.back().values) share *= 100;
    end = seconds_of(report.details.together.usage->interval()) * 1e6 *
          static_cast<double>(series.back().values.size());
  }
  if (series.empty()) return Svg(1, 1, title).finish(true);
  return histogram(title, {.label = "time, us", .least = 0, .most = end},
                   "utilisation of the busiest links, %", series)
      .finish(true);
}

}  // namespace weft::cli
