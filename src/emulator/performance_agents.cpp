// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/performance_agents.h"

#include <algorithm>

namespace weft::emulator {
namespace {

void put(Gmp& gmp, std::span<const std::byte> bytes) {
  std::ranges::fill(perf_data(gmp), std::byte{0});
  std::ranges::copy(bytes, perf_data(gmp).begin());
}

}  // namespace

PortId PerformanceAgents::agent_port(PortId port) const {
  const Port& facts = model_.fabric().port(port);
  return model_.agent_port(facts.node, facts.num);
}

bool PerformanceAgents::answer(Gmp& gmp, Place at) {
  if (gmp.method != Method::kGet && gmp.method != Method::kSet) return false;
  PerformanceAgent& agent = agents_[model_.agent_port(at.node, at.port)];
  ++(gmp.method == Method::kGet ? agent.gets : agent.sets);
  if (!agent.answers) return false;
  gmp.status = handle(gmp, at, agent);
  gmp.method = Method::kGetResp;
  return true;
}

std::uint16_t PerformanceAgents::handle(Gmp& gmp, Place at, const PerformanceAgent& agent) {
  if (agent.redirects_to) {
    put(gmp, encode(*agent.redirects_to));
    return mad_status::kRedirect;
  }
  if (gmp.attribute == static_cast<std::uint16_t>(PerformanceAttribute::kClassPortInfo)) {
    if (gmp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
    ClassPortInfo info;
    info.capability_mask = agent.capabilities;
    info.response_time_value = model_.options().response_time_value;
    put(gmp, encode(info));
    return mad_status::kGood;
  }
  const PortNum port = decode_port_counters(perf_data(gmp)).port;
  const NodeModel& node = model_.node(at.node);
  const bool serves_port = node.is_switch ? port.value() <= node.port_count : port == at.port;
  if (!serves_port) return mad_status::kInvalidField;
  return handle_counters(gmp, model_.port_id(at.node, port), agent);
}

std::uint16_t PerformanceAgents::handle_counters(Gmp& gmp, PortId port,
                                                 const PerformanceAgent& agent) {
  const bool extended =
      gmp.attribute == static_cast<std::uint16_t>(PerformanceAttribute::kPortCountersExtended);
  constexpr std::uint16_t kHasExtended =
      perf_capability::kExtendedWidth | perf_capability::kExtendedWidthNoIetf;
  if (extended ? (agent.capabilities & kHasExtended) == 0
               : gmp.attribute != static_cast<std::uint16_t>(PerformanceAttribute::kPortCounters))
    return mad_status::kMethodAttributeUnsupported;
  const PortCounters request = extended ? decode_port_counters_extended(perf_data(gmp))
                                        : decode_port_counters(perf_data(gmp));
  CounterValues& held = counters_[port];
  if (gmp.method == Method::kSet)
    for (std::size_t i = 0; i < kCounterCount; ++i)
      if (selects(request, extended, counter_at(i))) held[i] = request.values[i];
  const PortCounters response{request.port, 0, 0, held};
  put(gmp, extended ? encode_port_counters_extended(response) : encode_port_counters(response));
  return mad_status::kGood;
}

}  // namespace weft::emulator
