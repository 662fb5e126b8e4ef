// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/held_tables.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "ib/modifiers.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr std::uint64_t kIsMulticast = std::uint64_t{1} << 31;  // flag in cookies of TableReading
constexpr std::size_t kBlocksGrown = 64;  // blocks by which the memory of a table grows

/// Packs a map, with four bits for each SL.
std::uint64_t packed(const SlMap& map) {
  std::uint64_t bits = 0;
  for (const std::uint8_t vl : map) bits = bits << 4 | vl;
  return bits;
}

}  // namespace

bool has_reset_state(const ObservedNode& node) {
  const bool is_switch = node.info.type == NodeType::kSwitch;
  bool any_up = false;
  for (std::size_t port = 1; port < node.ports.size(); ++port) {
    if (!link_is_up(node.ports[port])) continue;
    const bool in_use = node.ports[port].state > PortState::kInit;
    if (!is_switch && !in_use) return true;
    if (is_switch && in_use) return false;
    any_up = true;
  }
  return is_switch && any_up;
}

bool HeldTable::holds(std::size_t block, std::span<const std::uint8_t> bytes) const {
  return is_known(block) &&
         std::memcmp(bytes_.data() + block * kLftBlock, bytes.data(), kLftBlock) == 0;
}

PortNum HeldTable::port(Lid lid) const {
  return is_known(lid.value() / kLftBlock) ? PortNum(bytes_[lid.value()]) : kNoRoute;
}

void HeldTable::remember(std::size_t block, std::span<const std::uint8_t> bytes) {
  CHECK(bytes.size() == kLftBlock);
  if (block >= known_.size()) {  // 4 KB more, for the blocks that follow
    const std::size_t blocks = (block / kBlocksGrown + 1) * kBlocksGrown;
    // The system allocates the memory pages of the reserved part only when they are written.
    const std::size_t up_to_top = top_ / (kLftBlock * kBlocksGrown) + 1;
    bytes_.reserve(std::max(blocks, up_to_top * kBlocksGrown) * kLftBlock);
    known_.resize(blocks, false);
    bytes_.resize(blocks * kLftBlock);
  }
  std::memcpy(bytes_.data() + block * kLftBlock, bytes.data(), kLftBlock);
  known_[block] = true;
}

bool HeldLanes::has_map(std::uint16_t pair) const {
  if (pair == kEveryPair)
    return !map_known_.empty() && std::ranges::all_of(map_known_, [](bool known) { return known; });
  return slot(pair) < map_known_.size() && map_known_[slot(pair)];
}

bool HeldLanes::holds_map(std::uint16_t pair, const SlMap& map) const {
  if (!has_map(pair)) return false;
  const std::uint64_t bits = packed(map);
  if (pair == kEveryPair)
    return std::ranges::all_of(maps_, [&](std::uint64_t held) { return held == bits; });
  return maps_[slot(pair)] == bits;
}

void HeldLanes::remember_map(std::uint16_t pair, const SlMap& map) {
  const std::size_t all = std::size_t{stride_} * stride_;
  if (pair == kEveryPair) {
    maps_.assign(all, packed(map));
    map_known_.assign(all, true);
    return;
  }
  const std::size_t at = slot(pair);
  if (at >= maps_.size()) {
    maps_.resize(pair < 256 ? stride_ : all);  // a CA or router has only one input
    map_known_.resize(maps_.size(), false);
  }
  maps_[at] = packed(map);
  map_known_[at] = true;
}

bool HeldLanes::holds_arbitration(std::uint16_t index, const VlArbTable& table) const {
  const auto found = arbitration_.find(index);
  return found != arbitration_.end() && found->second == table;
}

const HeldLanes* HeldTables::find_lanes(Guid node) const {
  const auto found = lanes_.find(node);
  return found == lanes_.end() ? nullptr : &found->second;
}

const HeldTable* HeldTables::find(Guid sw) const {
  const auto found = tables_.find(sw);
  return found == tables_.end() ? nullptr : &found->second;
}

void HeldTables::distrust(const Observed& observed) {
  std::erase_if(tables_, [&](const auto& entry) {
    const auto node = observed.fabric.find_node(entry.first);
    if (!node || !observed.fabric.is_switch(*node)) return true;
    const ObservedNode& seen = observed.nodes[node->value()];
    const bool lost =
        seen.switch_info.linear_fdb_top != entry.second.top() || has_reset_state(seen);
    if (lost) pkeys_.forget(entry.first);
    return lost;
  });
  std::erase_if(lanes_, [&](const auto& entry) {
    const auto node = observed.fabric.find_node(entry.first);
    if (!node) return true;
    if (observed.fabric.is_switch(*node)) return !tables_.contains(entry.first);
    return has_reset_state(observed.nodes[node->value()]);
  });
  pkeys_.distrust(observed);
  ports_.distrust(observed);
  aliases_.distrust(observed);
}

Lfts held_routes(const HeldTables& held, const Fabric& fabric) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const HeldTable* table = held.find(fabric.node(SwitchId(s)).node_guid);
    if (table == nullptr) continue;
    for (unsigned lid = 1; lid <= std::min<unsigned>(table->top(), lfts.top().value()); ++lid) {
      const Lid l(static_cast<std::uint16_t>(lid));
      lfts.set(SwitchId(s), l, table->port(l));
    }
  }
  return lfts;
}

TableReading::TableReading(const Observed& observed, HeldTables& held)
    : observed_(observed), held_(held), silent_(observed.fabric.switch_count()) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const Guid guid = observed.fabric.node(SwitchId(s)).node_guid;
    const std::uint16_t top = observed.nodes[s].switch_info.linear_fdb_top;
    if (top == 0 || held.find(guid) != nullptr) continue;
    wanted_.push_back(SwitchId(s));
    HeldTable& table = held.at(guid);
    table.set_top(top);
    table.set_multicast_top(observed.nodes[s].switch_info.multicast_fdb_top);
  }
}

bool TableReading::next(Smp& request, std::uint64_t& cookie) {
  while (at_ < wanted_.size() && silent_[wanted_[at_].value()]) {
    ++at_;
    block_ = 0;
    multicast_.clear();
  }
  if (at_ == wanted_.size()) return false;
  const SwitchId sw = wanted_[at_];
  const ObservedNode& node = observed_.nodes[sw.value()];
  if (!multicast_.empty()) {
    const MftIndex index = multicast_.back();
    multicast_.pop_back();
    fill_directed_request(
        request, Method::kGet, AttributeId::kMulticastForwardingTable,
        modifier::multicast_forwarding_table(mft_block_of(index), mft_position_of(index)),
        node.path());
    cookie = std::uint64_t{sw.value()} << 32 | kIsMulticast | index;
    if (multicast_.empty()) ++at_;
    return true;
  }
  fill_directed_request(request, Method::kGet, AttributeId::kLinearForwardingTable,
                        modifier::linear_forwarding_table(static_cast<std::uint32_t>(block_)),
                        node.path());
  cookie = std::uint64_t{sw.value()} << 32 | block_;
  const std::size_t last =
      std::min<std::size_t>(node.switch_info.linear_fdb_top, kLidUnicastLast.value()) / kLftBlock;
  if (++block_ > last) {
    block_ = 0;
    multicast_ = mft_blocks(node.switch_info.multicast_fdb_top, observed_.fabric.node(sw),
                            node.switch_info.multicast_fdb_cap);
    if (multicast_.empty()) ++at_;
  }
  return true;
}

void TableReading::answered(std::uint64_t cookie, const Smp& answer) {
  if (answer.status != mad_status::kGood) return;  // the block stays unknown, and is written
  const auto sw = static_cast<std::uint32_t>(cookie >> 32);
  ++blocks_read_;
  if ((cookie & kIsMulticast) != 0) {
    if (const auto table = decode_multicast_forwarding_table(answer.data))
      held_.at(observed_.fabric.node(SwitchId(sw)).node_guid)
          .remember_multicast(static_cast<MftIndex>(cookie), *table);
    return;
  }
  std::array<std::uint8_t, kLftBlock> bytes{};
  std::memcpy(bytes.data(), answer.data.data(), bytes.size());
  held_.at(observed_.fabric.node(SwitchId(sw)).node_guid)
      .remember(static_cast<std::uint32_t>(cookie), bytes);
}

void TableReading::failed(std::uint64_t cookie, const Error&) { silent_[cookie >> 32] = true; }

}  // namespace weft
