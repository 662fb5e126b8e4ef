// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/simulate_text.h"

#include <algorithm>

namespace weft::cli {
namespace {

double weight(Ticks ticks, const Tally& tally) {
  return static_cast<double>(ticks) / static_cast<double>(tally.ticks);
}

Json statistics_json(const Statistics& s) {
  return {{"minimum", s.least},     {"maximum", s.most},    {"average", s.mean},
          {"variance", s.variance}, {"error99", s.error99}, {"count", s.count}};
}

Json channels_json(const RoutedNetwork& network, const Tally& tally) {
  Json json = Json::array();
  const auto largest = static_cast<double>(std::max<std::uint64_t>(1, largest_channel_sum(tally)));
  for (std::uint32_t c = 0; c < tally.channel_sum.size(); ++c) {
    const NetChannel& channel = network.channel(c);
    json.push_back({{"from", network.node(channel.from).name},
                    {"from_port", channel.from_port},
                    {"to", network.node(channel.to).name},
                    {"to_port", channel.to_port},
                    {"sum", weight(tally.channel_sum[c], tally)},
                    {"congestion", static_cast<double>(tally.channel_sum[c]) / largest}});
  }
  return json;
}

Json failures_json(const RoutedNetwork& network, const Tally& tally) {
  const auto name = [&](std::uint32_t node) { return network.node(node).name; };
  Json json = Json::array();
  for (const RouteFailure& failure : tally.failures)
    json.push_back({{"run", failure.run},
                    {"level", failure.level},
                    {"source", name(network.node_of_host(failure.from))},
                    {"destination", name(network.node_of_host(failure.to))},
                    {"end", failure.end == NetWalkEnd::kLoop ? "loop" : "no route"},
                    {"where", name(failure.at)}});
  return json;
}

}  // namespace

Json simulation_json(const RoutedNetwork& network, const Study& study, Metric metric,
                     const Tally& tally, std::uint64_t runs_asked) {
  Json json{{"network",
             {{"hosts", network.host_count()},
              {"switches", network.node_count() - network.host_count()},
              {"channels", network.channel_count()},
              {"paths", network.paths()}}},
            {"pattern",
             {{"name", study.pattern.name},
              {"ranks", study.pattern.ranks},
              {"levels", study.pattern.levels}}},
            {"metric", name(metric)},
            {"seed", study.spec.seed},
            {"runs", tally.runs()},
            {"runs_asked", runs_asked},
            {"connections", tally.connections},
            {"dropped", tally.dropped},
            {"bandwidth", mean_bandwidth(tally)}};
  Json weights = Json::array();
  for (const auto& [ticks, bin] : tally.weights)
    weights.push_back({{"weight", weight(ticks, tally)}, {"connections", bin.connections}});
  json["weights"] = std::move(weights);
  if (const auto values = values_by_run(metric, tally); !values.empty()) {
    json["by_run"] = statistics_json(statistics(values));
    if (metric == Metric::kHistAccBand || metric == Metric::kFairBand) {
      json["bins"] = bandwidth_bins(values);
    } else {
      Json times = Json::array();
      for (const auto& [value, count] : occurrences(metric, tally))
        times.push_back({{"value", weight(value, tally)}, {"runs", count}});
      json["occurrences"] = std::move(times);
    }
    json["values"] = values;
  }
  if (metric == Metric::kCableCong) json["channels"] = channels_json(network, tally);
  json["failures"] = failures_json(network, tally);
  json["notes"] = study.notes;
  return json;
}

std::string pattern_text(const Study& study) {
  std::string text;
  std::vector<Flow> flows;
  for (std::uint64_t level = 0; level < study.pattern.levels; ++level) {
    if (study.spec.level && *study.spec.level != level) continue;
    study.pattern.fill(level, flows);
    text += fmt::format("level {}:\n", level);
    for (const Flow& flow : flows) {
      text += fmt::format("{} -> {}", flow.from, flow.to);
      if (study.pattern.size_max > 1) text += fmt::format(" ({})", flow.size);
      text += '\n';
    }
  }
  return text;
}

std::string hosts_text(const RoutedNetwork& network, const Study& study) {
  std::string text;
  for (const std::uint32_t host : study.hosts) {
    const NetNode& node = network.node(network.node_of_host(host));
    text += node.name;
    if (!node.label.empty()) text += fmt::format(" '{}'", node.label);
    text += '\n';
  }
  return text;
}

std::string bounds_text(const RoutedNetwork& network, std::span<const ChannelBound> bounds) {
  std::vector<ChannelBound> full(bounds.begin(), bounds.end());
  std::erase_if(full, [](const ChannelBound& bound) { return bound.flows < 2; });
  std::ranges::stable_sort(full, std::ranges::greater{}, &ChannelBound::flows);
  std::string text;
  for (const ChannelBound& bound : full)
    text += fmt::format(
        "Up to {} messages of a permutation cross {}: {} sources, {} destinations.\n", bound.flows,
        network.describe_channel(bound.channel), bound.sources, bound.destinations);
  return text.empty() ? "No permutation sends two messages over one channel.\n" : text;
}

Json bounds_json(const RoutedNetwork& network, std::span<const ChannelBound> bounds) {
  Json channels = Json::array();
  for (const ChannelBound& bound : bounds) {
    const NetChannel& channel = network.channel(bound.channel);
    channels.push_back({{"from", network.node(channel.from).name},
                        {"from_port", channel.from_port},
                        {"to", network.node(channel.to).name},
                        {"to_port", channel.to_port},
                        {"sources", bound.sources},
                        {"destinations", bound.destinations},
                        {"flows", bound.flows}});
  }
  return {{"metric", name(Metric::kWorstPermutation)}, {"channels", std::move(channels)}};
}

}  // namespace weft::cli
