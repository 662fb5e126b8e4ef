// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ar_mgr.conf: configuration of adaptive routing.
//   ENABLE: true
//   AR_MODE: bounded
//   SWITCH 0x0002c90000000100 { ENABLE: false; }
// Keywords are case-sensitive; '#' begins a comment; a line end, ';', '{' or '}' ends a statement.
// Format: manual of MLNX_OFED, "ar_mgr".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ib/ids.h"
#include "routing/adaptive/options.h"

namespace weft {

struct ArSwitchConf {
  std::optional<bool> enable{};
  std::optional<std::uint32_t> ageing_time_us{};
  std::optional<bool> hash_forwarding{};  // device_configuration_file; no value: by hbf_sl_mask
  bool divides = false;                   // ar_tree_asymmetric_flow: sub-groups are allowed
  bool operator==(const ArSwitchConf&) const = default;
};

inline constexpr std::uint16_t kAllSls = 0xFFFF;
/// Bits of transports: 0 UD, 1 RC, 2 UC, 3 DC.
inline constexpr std::uint8_t kArTransports = 0xF;
inline constexpr std::uint8_t kArTransportsRcDc = 0xA;

/// Value of hbf_seed that stands for the low 32 bits of the node GUID of each switch.
inline constexpr std::uint32_t kHbfSeedOfGuid = 0xFFFFFFFF;
/// Default of hbf_hash_fields: all fields except the ingress LAG ID, LNH, and traffic class and
/// flow label of the GRH.
inline constexpr std::uint64_t kHbfFields = 0x40F00C0F;

struct ArConf {
  bool enable = true;
  std::optional<ArAlgorithm> algorithm{};  // no value: selected by the engine
  bool df_plus = false;                    // AR_ALGORITHM: DF_PLUS
  ArState mode = ArState::kBounded;
  std::uint32_t ageing_time_us = 30;
  std::uint32_t max_errors = 10;     // more errors within error_window_s disable AR
  std::uint32_t error_window_s = 5;  // seconds; 0: errors do not disable AR
  std::string log_file{};            // empty: no log file
  std::uint32_t log_size_mb = 5;     // MiB at which the file is truncated; 0: never
  std::map<Guid, ArSwitchConf> switches{};
  // Keys ar_sl_mask and ar_transport_mask of opensm.conf
  std::uint16_t sl_mask = kAllSls;                  // SLs with adaptive routing
  std::uint8_t transport_mask = kArTransportsRcDc;  // mask of transports with adaptive routing
  // Keys hbf_* of opensm.conf
  /// SLs with hash-based forwarding; 0: off, except where ArSwitchConf::hash_forwarding is true.
  std::uint16_t hbf_sl_mask = kAllSls;
  std::uint8_t hbf_hash = 0;  // as in HbfConfig
  bool hbf_random_seed = false;
  std::uint32_t hbf_seed = kHbfSeedOfGuid;
  std::uint64_t hbf_fields = kHbfFields;
  // Keys pfrn_* and shield_mode of opensm.conf
  bool pfrn = true;
  std::uint8_t pfrn_sl = 0;
  std::uint16_t pfrn_clear_s = 180;
  std::uint16_t pfrn_force_clear_s = 720;
  bool group_copy = true;  // enable_ar_group_copy: copy equal groups within a switch
  bool operator==(const ArConf&) const = default;

  bool enabled_at(Guid sw) const {
    const auto own = switches.find(sw);
    return enable && (own == switches.end() || own->second.enable.value_or(true));
  }
  std::uint32_t ageing_time_at(Guid sw) const {
    const auto own = switches.find(sw);
    return own == switches.end() ? ageing_time_us
                                 : own->second.ageing_time_us.value_or(ageing_time_us);
  }
  bool divides_at(Guid sw) const {
    const auto own = switches.find(sw);
    return own != switches.end() && own->second.divides;
  }
  std::optional<bool> hash_forwarding_at(Guid sw) const {
    const auto own = switches.find(sw);
    return own == switches.end() ? std::nullopt : own->second.hash_forwarding;
  }
};

/// Parses the configuration. Fails with kBadInput at the first invalid line; the message has file,
/// line, value found and value expected.
Result<ArConf> parse_ar_conf(LineReader reader);
/// Like parse_ar_conf(), for a file; also fails with kEnvironment if the file cannot be opened.
Result<ArConf> read_ar_conf(const std::string& path);

/// ENABLE, AR_ALGORITHM and AR_MODE of all switches, as options of engines.
AdaptiveOptions routing_part(const ArConf& conf);

}  // namespace weft
