// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/traffic_window.h"

#include <utility>

#include "ib/performance.h"

namespace weft {
namespace {

constexpr double kBytesOfWord = 4;
constexpr double kNsOfSecond = 1e9;

const PortTally* tally_at(const CounterStore& store, const Fabric& fabric, PortId id) {
  if (id == kNoPort) return nullptr;
  const Port& port = fabric.port(id);
  const auto node = store.nodes().find(fabric.node(port.node).node_guid);
  if (node == store.nodes().end()) return nullptr;
  const auto found = node->second.ports.find(port.num);
  return found == node->second.ports.end() ? nullptr : &found->second;
}

}  // namespace

void TrafficWindow::take(const CounterStore& store, const Snapshot& snapshot, TimeNs now) {
  const Fabric& fabric = snapshot.fabric;
  for (const Endport& endport : fabric.endports()) {
    if (fabric.is_switch(endport.node)) continue;
    const Port& port = fabric.port(endport.port);
    Counter sent = Counter::kXmitData, received = Counter::kRcvData;
    const PortTally* tally = tally_at(store, fabric, endport.port);
    if (tally == nullptr) {
      tally = tally_at(store, fabric, port.peer);
      std::swap(sent, received);
    }
    if (tally == nullptr) continue;
    const Reading reading{now, tally->total[index(sent)], tally->total[index(received)]};
    const auto [at, added] = ports_.try_emplace(port.guid, Span{reading, reading});
    Span& span = at->second;
    // If a total has decreased, it was cleared.
    if (reading.sent < span.last.sent || reading.received < span.last.received)
      span.first = reading;
    span.last = reading;
  }
}

std::optional<HostTraffic> TrafficWindow::traffic(const Fabric& fabric) const {
  HostTraffic traffic;
  traffic.sent.assign(fabric.endport_count(), 0);
  traffic.received = traffic.sent;
  bool is_measured = false;
  for (const auto& [guid, span] : ports_) {
    const auto endport = fabric.find_endport(guid);
    const double seconds =
        static_cast<double>((span.last.at - span.first.at).count()) / kNsOfSecond;
    if (!endport || seconds <= 0) continue;
    is_measured = true;
    const auto rate = [&](std::uint64_t first, std::uint64_t last) {
      return static_cast<double>(last - first) * kBytesOfWord / seconds;
    };
    traffic.sent[endport->value()] = rate(span.first.sent, span.last.sent);
    traffic.received[endport->value()] = rate(span.first.received, span.last.received);
  }
  if (!is_measured) return std::nullopt;
  return traffic;
}

}  // namespace weft
