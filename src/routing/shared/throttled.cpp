#include "routing/shared/throttled.h"

#include <algorithm>

namespace weft {
namespace {

unsigned rate_of(const Fabric& fabric, const Channel& channel) {
  const Port& port = fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  return data_rate_100mbit(port.width, port.speed);
}

}  // namespace

std::vector<bool> guess_throttled(const Fabric& fabric) {
  std::vector<unsigned> fastest(fabric.switch_count(), 0);
  for (const Channel& channel : fabric.channels()) {
    unsigned& most = fastest[channel.from.value()];
    most = std::max(most, rate_of(fabric, channel));
  }
  std::vector<bool> result;
  result.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels())
    result.push_back(rate_of(fabric, channel) <
                     std::min(fastest[channel.from.value()], fastest[channel.to.value()]));
  return result;
}

void avoid(const std::vector<bool>& throttled, std::vector<std::uint64_t>& weights) {
  if (std::ranges::find(throttled, true) == throttled.end()) return;
  if (weights.empty()) weights.assign(throttled.size(), 1);
  for (std::size_t c = 0; c < throttled.size(); ++c)
    if (throttled[c]) weights[c] += kThrottledWeight;
}

}  // namespace weft
