// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decodes 256 bytes as an SMP, the first 64 bytes as attributes of subnet management, and the first
// or the last bytes as attributes of class keys and of congestion control. An attribute is
// rejected, or encoding and decoding do not change its value. An accepted SMP is accepted again
// after encoding.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "fuzz_target.h"
#include "ib/adaptive.h"
#include "ib/extended_port_info.h"
#include "ib/gmps/class_keys.h"
#include "ib/gmps/dcqcn.h"
#include "ib/gmps/ppcc.h"
#include "ib/node_info.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/sm_info.h"
#include "ib/smp.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "ib/vendor/ar_settings.h"
#include "ib/vendor/extended_port_state.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/port_recovery.h"
#include "ib/vendor/port_states.h"
#include "ib/vendor/private_lfts.h"
#include "ib/vendor/qos_settings.h"
#include "ib/vendor/routers.h"
#include "ib/vendor/sharp.h"
#include "ib/vendor/switch_settings.h"
#include "ib/vendor/vports.h"

namespace {

using SmpData = std::span<const std::byte, weft::kSmpDataSize>;

/// Checks that encoding and decoding do not change a value that `decode` accepts.
template <class Decode>
void check_round_trip(SmpData bytes, Decode decode) {
  const auto value = decode(bytes);
  if (!value) return;
  const auto again = decode(weft::encode(*value));
  if (!again || !(*again == *value)) std::abort();
}

/// As check_round_trip(), for decoders that accept any bytes.
template <class Bytes, class Decode>
void check_round_trip_of_any(Bytes bytes, Decode decode) {
  const auto value = decode(bytes);
  if (!(decode(weft::encode(value)) == value)) std::abort();
}

}  // namespace

WEFT_FUZZ_TARGET(attributes, data, size) {
  std::array<std::byte, weft::kMadSize> mad{};
  std::memcpy(mad.data(), data, std::min(size, mad.size()));
  const auto smp = weft::decode_smp(mad);
  if (smp && !weft::decode_smp(weft::encode(*smp))) std::abort();

  const SmpData bytes = std::span(mad).first<weft::kSmpDataSize>();
  check_round_trip(bytes, &weft::decode_node_info);
  check_round_trip(bytes, &weft::decode_node_description);
  check_round_trip(bytes, &weft::decode_notice);
  check_round_trip(bytes, &weft::decode_port_info);
  check_round_trip(bytes, &weft::decode_sm_info);
  check_round_trip(bytes, &weft::decode_switch_info);
  check_round_trip(bytes, &weft::decode_guid_info);
  check_round_trip(bytes, &weft::decode_pkey_table);
  check_round_trip(bytes, &weft::decode_sl_to_vl_table);
  check_round_trip(bytes, &weft::decode_vl_arb_table);
  check_round_trip(bytes, &weft::decode_linear_forwarding_table);
  check_round_trip(bytes, &weft::decode_multicast_forwarding_table);
  check_round_trip_of_any(bytes, &weft::decode_adaptive_routing_info);
  check_round_trip_of_any(bytes, &weft::decode_ar_group_block);
  check_round_trip_of_any(bytes, &weft::decode_ar_group_copy_block);
  check_round_trip_of_any(bytes, &weft::decode_ar_lft_block);
  check_round_trip_of_any(bytes, &weft::decode_hbf_config);
  check_round_trip_of_any(bytes, &weft::decode_pfrn_config);
  check_round_trip_of_any(bytes, &weft::decode_whbf_block);
  check_round_trip_of_any(bytes, &weft::decode_private_lft_info);
  check_round_trip_of_any(bytes, &weft::decode_private_lft_def_block);
  check_round_trip_of_any(bytes, &weft::decode_private_lft_map);
  check_round_trip_of_any(bytes, &weft::decode_port_sl_to_private_lft_block);
  check_round_trip_of_any(bytes, &weft::decode_rn_direction_block);
  check_round_trip_of_any(bytes, &weft::decode_rn_gen_string_block);
  check_round_trip_of_any(bytes, &weft::decode_rn_rcv_string_block);
  check_round_trip_of_any(bytes, &weft::decode_rn_xmit_port_block);
  check_round_trip_of_any(bytes, &weft::decode_virtualization_info);
  check_round_trip_of_any(bytes, &weft::decode_vport_info);
  check_round_trip_of_any(bytes, &weft::decode_vnode_info);
  check_round_trip_of_any(bytes, &weft::decode_vport_state_block);
  check_round_trip_of_any(bytes, &weft::decode_port_state_block);
  check_round_trip_of_any(bytes, &weft::decode_hierarchy_info);
  check_round_trip_of_any(bytes, &weft::decode_extended_node_info);
  check_round_trip_of_any(bytes, &weft::decode_end_port_plane_filter);
  check_round_trip_of_any(bytes, &weft::decode_device_capabilities);
  check_round_trip_of_any(bytes, &weft::decode_port_profiles);
  check_round_trip_of_any(bytes, &weft::decode_rn_priority_block);
  check_round_trip_of_any(bytes, &weft::decode_extended_switch_info);
  check_round_trip_of_any(bytes, &weft::decode_chassis_info);
  check_round_trip_of_any(bytes, &weft::decode_qos_config_sl);
  check_round_trip_of_any(bytes, &weft::decode_qos_config_vl);
  check_round_trip_of_any(bytes, &weft::decode_sl_to_vl_of_ports);
  check_round_trip_of_any(bytes, &weft::decode_router_info);
  check_round_trip_of_any(bytes, &weft::decode_router_next_hop_block);
  check_round_trip_of_any(bytes, &weft::decode_adjacent_subnet_block);
  check_round_trip_of_any(bytes, &weft::decode_adjacent_lid_block);
  check_round_trip_of_any(bytes, &weft::decode_router_lid_block);
  check_round_trip_of_any(bytes, &weft::decode_ar_group_to_lid_block);
  check_round_trip(bytes, &weft::decode_extended_port_info);
  if (const auto place = weft::plane_place(weft::decode_hierarchy_info(bytes));
      place && *place && (*place)->asic == 0 &&
      *weft::plane_place(weft::hierarchy_of(**place)) != *place)
    std::abort();
  weft::SmpData changed{};
  std::ranges::copy(bytes, changed.begin());
  weft::set_sharp_enabled(changed, !weft::is_sharp_enabled(bytes));
  if (weft::is_sharp_enabled(changed) == weft::is_sharp_enabled(bytes)) std::abort();
  std::ranges::copy(bytes, changed.begin());
  weft::write_credit_watchdog(weft::decode_credit_watchdog(bytes), changed);
  weft::write_ber(weft::decode_ber(bytes), changed);
  weft::write_port_recovery_policy(weft::decode_port_recovery_policy(bytes), changed);
  if (!std::ranges::equal(changed, bytes)) std::abort();
  weft::write_extended_port_info(*weft::decode_extended_port_info(bytes), changed);
  weft::write_extended_port_state(weft::decode_extended_port_state(bytes), changed);
  weft::set_fnm_port(changed, weft::decode_fnm_port(bytes));
  if (!std::ranges::equal(changed, bytes)) std::abort();
  const auto key_info = bytes.first<weft::ClassKeyInfo::kSize>();
  const weft::ClassKeyInfo info = weft::decode_class_key_info(key_info);
  if (!(weft::decode_class_key_info(weft::encode(info)) == info)) std::abort();
  const auto neighbors_info = std::span<const std::byte>(mad)
                                  .subspan(mad.size() - weft::NeighborsBlock::kSize)
                                  .first<weft::NeighborsBlock::kSize>();
  const auto neighbors = weft::decode_neighbors_block(neighbors_info);
  if (!(weft::decode_neighbors_block(weft::encode(neighbors)) == neighbors)) std::abort();
  const auto congestion = std::span<const std::byte>(mad)
                              .subspan(mad.size() - weft::kCongestionDataSize)
                              .first<weft::kCongestionDataSize>();
  const auto config = weft::decode_ppcc_config(congestion);
  if (!(weft::decode_ppcc_config(weft::encode(config)) == config)) std::abort();
  weft::PpccConfig listed;
  set_algorithms(listed, algorithms_of(config));
  if (config.type == weft::PpccConfig::kList && algorithms_of(listed) != algorithms_of(config))
    std::abort();
  const auto parameters = weft::decode_ppcc_parameters(congestion);
  if (!(weft::decode_ppcc_parameters(weft::encode(parameters)) == parameters)) std::abort();
  const auto support = weft::decode_enhanced_congestion_info(congestion);
  if (!(weft::decode_enhanced_congestion_info(weft::encode(support)) == support)) std::abort();
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_switch_general);
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_port_profiles);
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_sl_map);
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_ca_general);
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_reaction_point);
  check_round_trip_of_any(congestion, &weft::decode_dcqcn_notification_point);
  const weft::NoticeDetails details = weft::decode_notice(bytes)->details;
  const auto bad_key = weft::decode_trap_vport_bad_key(details);
  if (!(weft::decode_trap_vport_bad_key(weft::encode(bad_key, weft::VportTrap::kBadPkey)) ==
        bad_key))
    std::abort();
  const auto change = weft::decode_trap_vport_change(details);
  if (!(weft::decode_trap_vport_change(weft::encode(change)) == change)) std::abort();
  return 0;
}
