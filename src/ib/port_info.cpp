// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/port_info.h"

#include <array>

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void port_info_layout(Op field, Info& p) {
  field(0, 64, p.mkey);
  field(64, 64, p.gid_prefix);
  field(128, 16, p.lid);
  field(144, 16, p.master_sm_lid);
  field(160, 32, p.capability_mask);
  field(192, 16, p.diag_code);
  field(208, 16, p.mkey_lease_period_s);
  field(224, 8, p.local_port);
  field(232, 8, p.link_width_enabled);
  field(240, 8, p.link_width_supported);
  field(248, 8, p.link_width_active);
  field(256, 4, p.link_speed_supported);
  field(260, 4, p.state);
  field(264, 4, p.phys_state);
  field(268, 4, p.link_down_default);
  field(272, 2, p.mkey_protect);
  field(277, 3, p.lmc);
  field(280, 4, p.link_speed_active);
  field(284, 4, p.link_speed_enabled);
  field(288, 4, p.neighbor_mtu);
  field(292, 4, p.master_sm_sl);
  field(296, 4, p.vl_cap);
  field(300, 4, p.init_type);
  field(304, 8, p.vl_high_limit);
  field(312, 8, p.vl_arb_high_cap);
  field(320, 8, p.vl_arb_low_cap);
  field(328, 4, p.init_type_reply);
  field(332, 4, p.mtu_cap);
  field(336, 3, p.vl_stall_count);
  field(339, 5, p.hoq_life);
  field(344, 4, p.operational_vls);
  field(348, 1, p.partition_enforcement_inbound);
  field(349, 1, p.partition_enforcement_outbound);
  field(350, 1, p.filter_raw_inbound);
  field(351, 1, p.filter_raw_outbound);
  field(352, 16, p.mkey_violations);
  field(368, 16, p.pkey_violations);
  field(384, 16, p.qkey_violations);
  field(400, 8, p.guid_cap);
  field(408, 1, p.client_reregister);
  field(409, 2, p.mcast_pkey_trap_suppression);
  field(411, 5, p.subnet_timeout);
  field(419, 5, p.response_time_value);
  field(424, 4, p.local_phy_errors);
  field(428, 4, p.overrun_errors);
  field(432, 16, p.max_credit_hint);
  field(449, 2, p.link_speed_ext2_active);
  field(451, 2, p.link_speed_ext2_supported);
  field(453, 3, p.link_speed_ext2_enabled);
  field(456, 24, p.link_round_trip_latency);
  field(480, 16, p.capability_mask2);
  field(496, 4, p.link_speed_ext_active);
  field(500, 4, p.link_speed_ext_supported);
  field(507, 5, p.link_speed_ext_enabled);
}

// The bit of each speed. FDR10 has no bit in PortInfo: it appears as QDR.
constexpr std::array<SpeedBits, 9> kOwnBits{{{1, 0, 0},
                                             {2, 0, 0},
                                             {4, 0, 0},
                                             {4, 0, 0},
                                             {0, 1, 0},
                                             {0, 2, 0},
                                             {0, 4, 0},
                                             {0, 8, 0},
                                             {0, 0, 1}}};
constexpr std::array kByWidth{LinkWidth::k1x, LinkWidth::k2x, LinkWidth::k4x, LinkWidth::k8x,
                              LinkWidth::k12x};
constexpr std::array<unsigned, 6> kDataVls{0, 1, 2, 4, 8, 15};

}  // namespace

SmpData encode(const PortInfo& info) {
  SmpData data{};
  port_info_layout(wire::FieldWriter(data.data()), info);
  return data;
}

Result<PortInfo> decode_port_info(std::span<const std::byte, kSmpDataSize> data) {
  PortInfo info;
  port_info_layout(wire::FieldReader(data.data()), info);
  if (info.state > PortState::kActive)
    return wire::bad_field("PortInfo PortState", 260, info.state, "at most 4");
  if (info.phys_state > PhysState::kPhyTest)
    return wire::bad_field("PortInfo PortPhysicalState", 264, info.phys_state, "at most 7");
  if (info.link_down_default > PhysState::kPolling)
    return wire::bad_field("PortInfo LinkDownDefaultState", 268, info.link_down_default,
                           "at most 2");
  if (info.neighbor_mtu > 5)
    return wire::bad_field("PortInfo NeighborMTU", 288, info.neighbor_mtu, "at most 5");
  if (info.vl_cap > 5) return wire::bad_field("PortInfo VLCap", 296, info.vl_cap, "at most 5");
  if (info.mtu_cap > 5) return wire::bad_field("PortInfo MTUCap", 332, info.mtu_cap, "at most 5");
  if (info.operational_vls > 5)
    return wire::bad_field("PortInfo OperationalVLs", 344, info.operational_vls, "at most 5");
  return info;
}

SpeedBits active_speed_bits(LinkSpeed speed) {
  SpeedBits bits = kOwnBits[static_cast<std::size_t>(speed)];
  if (bits.basic == 0) bits.basic = 4;
  return bits;
}

SpeedBits speeds_up_to(LinkSpeed speed) {
  SpeedBits bits;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(speed); ++i) {
    bits.basic |= kOwnBits[i].basic;
    bits.ext |= kOwnBits[i].ext;
    bits.ext2 |= kOwnBits[i].ext2;
  }
  return bits;
}

std::optional<LinkSpeed> fastest_speed(const SpeedBits& bits) {
  for (std::size_t i = kOwnBits.size(); i-- > 0;) {
    if (static_cast<LinkSpeed>(i) == LinkSpeed::kFdr10) continue;
    const SpeedBits& own = kOwnBits[i];
    if ((bits.basic & own.basic) || (bits.ext & own.ext) || (bits.ext2 & own.ext2))
      return static_cast<LinkSpeed>(i);
  }
  return std::nullopt;
}

std::optional<LinkWidth> active_width(const PortInfo& info) {
  for (const LinkWidth width : kByWidth)
    if (info.link_width_active == static_cast<std::uint8_t>(width)) return width;
  return std::nullopt;
}

std::uint8_t widths_up_to(LinkWidth width) {
  std::uint8_t mask = 0;
  for (const LinkWidth candidate : kByWidth)
    if (lanes(candidate) <= lanes(width)) mask |= static_cast<std::uint8_t>(candidate);
  return mask;
}

std::uint8_t vl_code(unsigned data_vls) {
  std::uint8_t code = 0;
  while (code + 1u < kDataVls.size() && kDataVls[code + 1u] <= data_vls) ++code;
  return code;
}

unsigned data_vls_of_code(std::uint8_t code) { return code < kDataVls.size() ? kDataVls[code] : 0; }

}  // namespace weft
