// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/traffic.h"

#include <algorithm>

namespace weft {
namespace {

Status check_pattern(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const auto kinds = pattern_kinds();
  if (std::ranges::find(kinds, std::string_view(name), &PatternKind::name) != kinds.end())
    return {};
  std::string known;
  for (const PatternKind& kind : kinds)
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  return fail(Code::kUsage,
              "unknown pattern '{}', expected one of {}, or two of them as FIRST+SECOND", name,
              known);
}

std::string label_of(const TrafficSpec& spec, const Study& study) {
  std::string name = spec.pattern.name;
  if (name == "ptrnvsptrn")
    name = fmt::format("{} on {} hosts with {} on the others", spec.pattern.first,
                       study.pattern.first_ranks, spec.pattern.second);
  return fmt::format("{}, {} runs on {} hosts", name, spec.runs, study.hosts.size());
}

}  // namespace

Result<PatternSpec> parse_traffic(const std::string& text) {
  PatternSpec spec;
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) {
    if (const auto status = check_pattern(text); !status) return forward(status);
    spec.name = text;
    return spec;
  }
  spec.name = "ptrnvsptrn";
  spec.first = text.substr(0, plus);
  spec.second = text.substr(plus + 1);
  for (const std::string& part : {spec.first, spec.second})
    if (const auto status = check_pattern(part); !status) return forward(status);
  return spec;
}

Result<Traffic> simulate_traffic(const Fabric& fabric, const Lfts& lfts, const TrafficSpec& spec,
                                 unsigned threads) {
  const auto network = network_of(fabric, lfts);
  if (!network) return forward(network);
  StudySpec study_spec;
  study_spec.pattern = spec.pattern;
  study_spec.ranks = spec.ranks;
  study_spec.seed = spec.seed;
  study_spec.measures.channels = true;
  study_spec.measures.delays = spec.pattern.name == "ptrnvsptrn";
  const auto study = make_study(*network, study_spec);
  if (!study) return forward(study);
  SimulationOptions options;
  options.threads = threads;
  const Tally tally = run_simulation(*network, *study, 0, spec.runs, options);

  Traffic traffic;
  traffic.pattern = label_of(spec, *study);
  if (study_spec.measures.delays) traffic.beside = spec.pattern.second;
  traffic.bandwidths = values_by_run(Metric::kHistAccBand, tally);
  if (study_spec.measures.delays) traffic.delays = values_by_run(Metric::kDepMaxDelay, tally);
  traffic.dropped = tally.dropped;
  traffic.flows.assign(fabric.channel_count(), 0);
  const auto channels = channels_by_port(fabric, *network);
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    const PortId port = fabric.port_id(Fabric::node_of(channel.from), channel.from_port);
    const std::uint32_t network_channel = channels[port.value()];
    if (network_channel != RoutedNetwork::kNone && network_channel < tally.channel_sum.size())
      traffic.flows[c] = tally.channel_sum[network_channel];
  }
  return traffic;
}

}  // namespace weft
