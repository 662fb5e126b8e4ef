// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/forwarding_tables.h"

#include <cstring>

#include "ib/tables.h"

namespace weft::emulator {
namespace {

constexpr std::size_t kLftBlock = LinearForwardingTable::kEntries;
constexpr std::size_t kMftBlock = MulticastForwardingTable::kEntries;

}  // namespace

MadStatus serve_linear_forwarding_table(Model& model, Smp& smp, Place at) {
  NodeModel& node = model.node(at.node);
  const std::size_t begin = std::size_t{smp.modifier} * kLftBlock;
  if (begin >= node.switch_info.linear_fdb_cap) return mad_status::kInvalidField;
  const std::size_t end = begin + kLftBlock;
  if (smp.method == Method::kSet) {
    // Writing a plain table disables adaptive routing, or is an error if no_fallback is set.
    if (node.adaptive.info.enabled && node.adaptive.info.no_fallback)
      return mad_status::kInvalidField;
    node.adaptive.info.enabled = false;
    if (node.lft.size() < end) {
      // Reserves the whole table; the system allocates memory pages only when they are written.
      node.lft.reserve((node.switch_info.linear_fdb_cap + kLftBlock - 1) / kLftBlock * kLftBlock);
      node.lft.resize(end, 255);
    }
    std::memcpy(node.lft.data() + begin, smp.data.data(), kLftBlock);
    return mad_status::kGood;
  }
  if (node.lft.size() < end)
    smp.data.fill(std::byte{255});
  else
    std::memcpy(smp.data.data(), node.lft.data() + begin, kLftBlock);
  return mad_status::kGood;
}

MadStatus serve_multicast_forwarding_table(Model& model, Smp& smp, Place at) {
  const auto [block, position] = modifier::read_multicast_forwarding_table(smp.modifier);
  NodeModel& node = model.node(at.node);
  const std::size_t begin = block * kMftBlock;
  if ((smp.modifier & 0x0FFFFE00u) != 0 || begin >= node.switch_info.multicast_fdb_cap ||
      position >= Model::mft_positions(node))
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    const auto table = decode_multicast_forwarding_table(smp.data);
    for (std::size_t i = 0; i < kMftBlock; ++i)
      model.set_mft(node, begin + i, position, table->port_masks[i]);
    return mad_status::kGood;
  }
  MulticastForwardingTable table;
  for (std::size_t i = 0; i < kMftBlock; ++i)
    table.port_masks[i] = model.mft(node, begin + i, position);
  smp.data = encode(table);
  return mad_status::kGood;
}

}  // namespace weft::emulator
