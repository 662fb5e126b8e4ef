// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/discovery_state.h"

#include <utility>

#include "ib/modifiers.h"

namespace weft {
namespace {

constexpr std::uint64_t kExtendedShift = 31;
constexpr std::uint64_t kPortShift = 32;
constexpr std::uint64_t kAttributeShift = 40;
constexpr std::uint64_t kSetShift = 56;
constexpr std::uint64_t kAttemptShift = 57;

}  // namespace

std::uint64_t DiscoveryQuery::cookie() const {
  return node | std::uint64_t{extended} << kExtendedShift | std::uint64_t{port} << kPortShift |
         static_cast<std::uint64_t>(attribute) << kAttributeShift |
         std::uint64_t{set} << kSetShift | std::uint64_t{attempt} << kAttemptShift;
}

DiscoveryQuery DiscoveryQuery::of_cookie(std::uint64_t cookie) {
  return {static_cast<AttributeId>(static_cast<std::uint16_t>(cookie >> kAttributeShift)),
          static_cast<std::uint32_t>(cookie & ((std::uint64_t{1} << kExtendedShift) - 1)),
          static_cast<std::uint8_t>(cookie >> kPortShift),
          (cookie >> kSetShift & 1) != 0,
          static_cast<std::uint8_t>(cookie >> kAttemptShift),
          (cookie >> kExtendedShift & 1) != 0};
}

std::uint32_t DiscoveryQuery::modifier() const {
  if (attribute == AttributeId::kMlnxExtendedPortInfo) return port;
  return attribute == AttributeId::kPortInfo ? modifier::port_info(PortNum(port), extended) : 0;
}

DirectedPath DiscoveryState::path_of(const DiscoveryQuery& query) const {
  if (query.port == DiscoveryQuery::kOwnNode) return {};
  const ObservedNode& seen = node(query.node).seen;
  if (query.attribute != AttributeId::kNodeInfo) return seen.path(PortNum(query.port));
  const bool is_own = !is_switch(query.node) && found.is_own_port(query.node, query.port);
  return longer(is_own ? DirectedPath{} : seen.path(PortNum(query.port)), PortNum(query.port));
}

std::string DiscoveryState::near_port(const DiscoveryQuery& query) const {
  return fmt::format("{} port {}", describe(node(query.node)), query.port);
}

bool DiscoveryState::is_agent_port(const DiscoveryQuery& query) const {
  if (query.attribute != AttributeId::kPortInfo) return false;
  return !is_switch(query.node) || query.port == 0;
}

void DiscoveryState::retry_later(const DiscoveryQuery& query, std::string name, bool silent) {
  DiscoveryQuery repeated = query;
  repeated.extended = false;  // a device without extended speeds would refuse the request again
  found.silent.push_back(
      {path_of(query), query.attribute, repeated.modifier(), std::move(name), !silent});
}

void DiscoveryState::leave_out(const DiscoveryQuery& query, const QueryFailure& why) {
  DiscoveredNode& lost = node(query.node);
  if (!lost.silent.empty()) return;
  lost.silent = why.what;
  retry_later(query, describe(lost), why.silent);
}

}  // namespace weft
