// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/quality_values.h"

#include "base/file.h"
#include "cli/common.h"

namespace weft::cli {
namespace {

/// The length of a channel; null without a bound.
Json length_json(const std::vector<std::uint32_t>& lengths, std::size_t channel) {
  return lengths.empty() ? Json() : Json(lengths[channel]);
}

Json lengths_of_channels(const Fabric& fabric, const Quality& quality) {
  Json rows = Json::array();
  for (std::size_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(static_cast<std::uint32_t>(c)));
    rows.push_back(
        {{"guid",
          fmt::format("0x{:016x}", fabric.node(Fabric::node_of(channel.from)).node_guid.value())},
         {"port", channel.from_port.value()},
         {"length", length_json(quality.bound_lengths, c)},
         {"timed_length", length_json(quality.timed_bound_lengths, c)}});
  }
  return rows;
}

}  // namespace

Status write_quality_values(const Fabric& fabric, const Quality& quality, const std::string& path) {
  Json shifts = Json::array();
  if (quality.shifts)
    for (std::size_t i = 0; i < quality.shifts->distances.size(); ++i)
      shifts.push_back({quality.shifts->distances[i], quality.shifts->bandwidths[i]});
  const Json values{{"matchings", quality.matchings},
                    {"adaptive_matchings", quality.adaptive_matchings},
                    {"shifts", shifts},
                    {"even_shifts", quality.shifts ? quality.shifts->even : 0},
                    {"channels", lengths_of_channels(fabric, quality)}};
  return write_file(path, values.dump() + "\n");
}

}  // namespace weft::cli
