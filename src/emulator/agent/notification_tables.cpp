// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/notification_tables.h"

#include <algorithm>

#include "ib/adaptive_unconfirmed.h"

namespace weft::emulator {
namespace {

/// Gets or sets one block of a table with at most `size` values, which grows as it is written.
template <class Value, class Block, std::size_t N>
bool serve_block(Smp& smp, std::vector<Value>& table, std::size_t size, const Value& unwritten,
                 Block block, std::array<Value, N> Block::*values) {
  const std::size_t first = ar_unconfirmed::block_of_notifications(smp.modifier) * N;
  if (first >= size) return false;
  if (table.size() < first + N) table.resize(first + N, unwritten);
  const auto begin = table.begin() + static_cast<std::ptrdiff_t>(first);
  if (smp.method == Method::kSet) std::ranges::copy(block.*values, begin);
  std::copy_n(begin, N, (block.*values).begin());
  smp.data = encode(block);
  return true;
}

bool serve_transmit_ports(Smp& smp, std::bitset<256>& ports, std::bitset<256>& passed_on) {
  constexpr std::size_t kPorts = RnXmitPortBlock::kPorts;
  const std::size_t first = ar_unconfirmed::block_of_notifications(smp.modifier) * kPorts;
  if (first >= ports.size()) return false;
  RnXmitPortBlock block = decode_rn_xmit_port_block(smp.data);
  for (std::size_t i = 0; i < kPorts; ++i) {
    if (smp.method == Method::kSet) {
      ports.set(first + i, block.faults.test(i));
      passed_on.set(first + i, block.passed_on.test(i));
    }
    block.faults.set(i, ports.test(first + i));
    block.passed_on.set(i, passed_on.test(first + i));
  }
  smp.data = encode(block);
  return true;
}

}  // namespace

MadStatus serve_notification_table(AdaptiveModel& adaptive, Smp& smp) {
  if (!adaptive.info.frn_capable) return mad_status::kMethodAttributeUnsupported;
  bool fits = false;
  if (smp.attribute == kRnSubGroupDirectionTable) {
    const RnDirectionBlock block = decode_rn_direction_block(smp.data);
    for (const std::uint8_t direction : block.directions)
      if (smp.method == Method::kSet && direction != kRnNoDirection &&
          direction >= adaptive.info.directions)
        return mad_status::kInvalidField;
    fits = serve_block(smp, adaptive.directions,
                       std::size_t{adaptive.info.group_capacity} * adaptive.sub_groups(),
                       kRnNoDirection, block, &RnDirectionBlock::directions);
  } else if (smp.attribute == kRnGenStringTable) {
    fits = serve_block(smp, adaptive.strings, adaptive.info.directions, std::uint16_t{0},
                       decode_rn_gen_string_block(smp.data), &RnGenStringBlock::strings);
  } else if (smp.attribute == kRnRcvString) {
    fits = serve_block(smp, adaptive.received,
                       ar_unconfirmed::strings_of_width(adaptive.info.string_width), RnRcvString{},
                       decode_rn_rcv_string_block(smp.data), &RnRcvStringBlock::strings);
  } else if (smp.attribute == kRnXmitPortMask) {
    fits = serve_transmit_ports(smp, adaptive.transmit_ports, adaptive.pass_on_ports);
  } else {
    return mad_status::kMethodAttributeUnsupported;
  }
  return fits ? mad_status::kGood : mad_status::kInvalidField;
}

}  // namespace weft::emulator
